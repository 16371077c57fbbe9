"""Bounds on all lines ``v = m (u - origin) + t`` of a box: slopes and intercepts of two intervals.

The height ``v - m (u - origin)`` of a point has its extremes over the box in the ends of the slopes'
interval. Where all its heights are on one side of all the intercepts, the point is on that side of every
line; the others are active.

The active points are bounded together. The plane is cut into slabs of u, and in each the heights, measured
with the middle slope, into bins. A line of the box that goes through some bin of intercepts is, in a slab,
near one of a few bins: the slope is in doubt, and in the middle of the slab it may be off by so many bins as
the slab has steps from the origin. The least weight that is wrong in the slab at any of these is a lower
bound there, and the sum over slabs is one for the line. Within a slab the doubt of the slope moves a point
by at most a part of a bin, so that few points are undecided; the price is that each slab chooses its own
bin. In pure noise k active points then cost about ``k^(2/3)`` instead of k / 2, which is what they would
without slabs.

An upper bound is what the lines with the middle slope misclassify at the borders of the bins.

Heights are widened by a bound on their rounding errors, so that the bounds hold exactly.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit

BINS, FEWEST_BINS = 1024, 64  # that the intercepts are cut into: powers of two from one to the other
SLABS = 16  # on either side of the one at the origin, at most
PAD = 4  # one part in so many of the bins is in front of them, and another behind
COLUMNS = BINS + 2 * BINS // PAD + 4
# For k active points k^(2/3) bins and this times k^(1/3) slabs on either side: then neither the points that
# are undecided in their slab nor the freedom of the slabs makes much more of the error, and to add up the
# bins takes about as long as to enter the points.
PER_ROOT = 0.4
WIDTH = 0.25  # of a slab at least, of the mean |u - origin|
SLACK = 32 * 2.0**-53  # times |u - origin| + |v| + |origin|: above the rounding errors of a height
FUZZ = 1e-9  # of a bin: far above the rounding errors of its number


class Box(NamedTuple):
    """Lines ``v = m (u - origin) + t`` that predict the same side positive.

    Attributes
    ----------
    m0, m1, t0, t1 : float
        The intervals of slopes m and of intercepts t.
    origin : float
    chart : int
        1 exchanges u and v.
    up : bool
        Whether what is above the lines is predicted positive.
    """

    m0: float
    m1: float
    t0: float
    t1: float
    origin: float
    chart: int
    up: bool


class Grid(NamedTuple):
    """How a box is cut: its intercepts into bins, and u into slabs.

    Attributes
    ----------
    bins : int
    pad : int
        Bins of heights in front of these, and behind: in a slab a line may be that much lower or higher.
    each_side : int
        Slabs on either side of the one at the origin. Those at the ends have no end.
    step : float
        From the middle of one slab to that of the next.
    shift : int
        How many bins the slope's doubt makes of a step.
    """

    bins: int
    pad: int
    each_side: int
    step: float
    shift: int


class Bins(NamedTuple):
    """What points enter, and the bounds that it adds up to.

    Attributes
    ----------
    changes : ndarray of shape (2 SLABS + 1, COLUMNS)
        By how much more is wrong in a slab at these heights than at those of the column in front. Column
        ``pad + 1`` is the first bin; at either end there is a spare one.
    borders : ndarray of shape (BINS + 4,)
        The same for the borders at the middle slope; border j is in column j + 1.
    lower : ndarray of shape (BINS,)
        What every line of the bin misclassifies at least.
    upper : ndarray of shape (BINS + 1,)
        What the line at the border misclassifies at most.
    spare : ndarray of shape (2, COLUMNS)
    """

    changes: np.ndarray
    borders: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    spare: np.ndarray


class Bound(NamedTuple):
    """The certain part of the weight in a box, and the active points that are left.

    Attributes
    ----------
    kept : int
        How many points or cells are active.
    base : float
        Weight that every line of the box misclassifies, active points aside.
    key : uint64
        Of those that every line predicts positive.
    spread, lean : float
        Means of |u - origin| and of u - origin of the active ones.
    height : float
        Mean height of the active cells at one slope; 0 for points.
    entered : float
        Weight of the active ones that is wrong below all bins: what `Bins.changes` begins with.
    """

    kept: np.int64
    base: float
    key: np.uint64
    spread: float
    lean: float
    height: float
    entered: float


def empty_bins():
    """Return `Bins` that are large enough for every grid."""
    shape = (2 * SLABS + 1, COLUMNS)
    spare = np.empty((2, COLUMNS))
    return Bins(np.empty(shape), np.empty(BINS + 4), np.empty(BINS), np.empty(BINS + 1), spare)


@jit
def grid_of(box, spread, count):
    """Return the `Grid` for `count` points or cells with a mean |u - origin| of about `spread`."""
    root = count ** (1.0 / 3.0)
    bins = FEWEST_BINS
    # 1.4 is about the root of two: the power of two that is nearest in ratio.
    while bins < BINS and 1.4 * bins < root * root:
        bins *= 2
    pad = bins // PAD
    # A step makes the slope's doubt a whole number of bins, so that nothing is lost by rounding it.
    step = 2.0 * (box.t1 - box.t0) / (bins * (box.m1 - box.m0))
    shift = max(np.ceil(WIDTH * spread / step), 1.0)
    # In the farthest slab a line may be off by `each_side * shift` bins, which must not exceed the pad.
    each_side = min(float(SLABS), PER_ROOT * root, pad / shift)
    return Grid(bins, pad, int(each_side), step * shift, int(min(shift, pad)))


@jit
def _cleared(bins, grid):
    changes, borders = bins.changes, bins.borders
    changes[: 2 * grid.each_side + 1, : grid.bins + 2 * grid.pad + 4] = 0.0
    borders[: grid.bins + 4] = 0.0
    return changes, borders


@jit
def _enter(changes, s, low, high, grid, below, above):
    """Let heights of [low, high], counted in bins, enter where they are on their wrong side in slab `s`."""
    # Both ends are held on both sides: in a box of a few units in the last place a point that is active for
    # its slack may be far outside of all bins.
    last = grid.bins + 2.0 * grid.pad + 3.0
    changes[s, np.uint32(min(max(low + (grid.pad + 1.0), 0.0), last))] -= above
    changes[s, np.uint32(min(max(high + (grid.pad + 2.0), 0.0), last))] += below


@jit
def _enter_borders(borders, low, high, grid, below, above):
    """Let a height at the middle slope count for the borders that it may be on the wrong side of."""
    borders[np.uint32(min(max(low + 2.0, 1.0), grid.bins + 2.0))] += below
    borders[np.uint32(min(max(high + 2.0, 1.0), grid.bins + 2.0))] -= above


@jit
def bound_cells(items, cells, box, grid, out, bins):
    """Enter cells, as `bound_points` enters points; above, a cell is wrong where part of it may be."""
    m0, m1, t0, t1, origin, chart, up = box
    changes, borders = _cleared(bins, grid)
    boxes, keys = cells.boxes, cells.box_keys
    iu, iv = (0, 2) if chart == 0 else (2, 0)
    # With `up`, what is below a line is predicted negative: there the positive weight is wrong.
    i_below, i_above = (4, 5) if up else (5, 4)
    per_unit = grid.bins / (t1 - t0)
    middle, half = 0.5 * (m0 + m1), 0.5 * (m1 - m0)
    per_step = 1.0 / grid.step
    first, last = grid.each_side + 0.5, 2.0 * grid.each_side + 0.5
    base, key, kept, spread, lean, height = 0.0, np.uint64(0), np.uint32(0), 0.0, 0.0, 0.0
    entered = 0.0
    for item in items:
        i = np.uint32(item)
        cell = boxes[i]
        u0, u1, v0, v1 = cell[iu] - origin, cell[iu + 1] - origin, cell[iv], cell[iv + 1]
        below, above = cell[i_below], cell[i_above]
        slack = SLACK * (max(abs(u0), abs(u1)) + max(abs(v0), abs(v1)) + abs(origin))
        high0, high1 = max(m0 * u0, m0 * u1), max(m1 * u0, m1 * u1)
        low0, low1 = min(m0 * u0, m0 * u1), min(m1 * u0, m1 * u1)
        if v1 - min(low0, low1) + slack < t0:
            base += below
            if not up:
                key ^= keys[i]
        elif v0 - max(high0, high1) - slack > t1:
            base += above
            if up:
                key ^= keys[i]
        else:
            out[kept] = item
            kept += np.uint32(1)
            # A cell enters the slab of its middle, with the heights of its corners, however wide it is.
            centre = 0.5 * (u0 + u1)
            spread += abs(centre)
            lean += centre
            s = np.uint32(min(max(centre * per_step + first, 0.0), last))
            # By so much lines of the outer slopes are off the middle one at the middle of the slab. `add_up`
            # allows for it, so that here only the doubt from there to the cell is left.
            turn = half * ((np.float64(s) - grid.each_side) * grid.step)
            low = (v0 - max(high0 + turn, high1 - turn) - slack - t0) * per_unit - FUZZ
            high = (v1 - min(low0 + turn, low1 - turn) + slack - t0) * per_unit + FUZZ
            entered += above
            _enter(changes, s, low, high, grid, below, above)
            low, high = v0 - max(middle * u0, middle * u1), v1 - min(middle * u0, middle * u1)
            height += high - low
            low, high = (low - slack - t0) * per_unit - FUZZ, (high + slack - t0) * per_unit + FUZZ
            _enter_borders(borders, low, high, grid, below, above)
    active = max(kept, np.uint32(1))
    return Bound(np.int64(kept), base, key, spread / active, lean / active, height / active, entered)


@jit
def bound_points(items, cells, box, grid, out, bins):
    """Enter points into the bins, or into the box's base where they are certain.

    Parameters
    ----------
    items : ndarray of int32
        Rows of ``cells.points``.
    cells : Cells
    box : Box
    grid : Grid
    out : ndarray of int32
        Takes the active ones of `items`; it may be `items` itself.
    bins : Bins
        Overwritten.

    Returns
    -------
    Bound
    """
    m0, m1, t0, t1, origin, chart, up = box
    changes, borders = _cleared(bins, grid)
    points, keys = cells.points, cells.keys
    us, vs = (points[:, 0], points[:, 1]) if chart == 0 else (points[:, 1], points[:, 0])
    w_below, w_above = (points[:, 2], points[:, 3]) if up else (points[:, 3], points[:, 2])
    per_unit = grid.bins / (t1 - t0)
    middle, half = 0.5 * (m0 + m1), 0.5 * (m1 - m0)
    per_step = 1.0 / grid.step
    first, last = grid.each_side + 0.5, 2.0 * grid.each_side + 0.5
    base, key, kept, spread, lean = 0.0, np.uint64(0), np.uint32(0), 0.0, 0.0
    entered = 0.0
    for item in items:
        i = np.uint32(item)  # no test for negative indices
        u, v, below, above = us[i] - origin, vs[i], w_below[i], w_above[i]
        slack = SLACK * (abs(u) + abs(v) + abs(origin))
        at = v - middle * u
        doubt = half * abs(u) + slack
        # What is below or above all lines of the box is so in every part of it, too, and is settled for good.
        if at + doubt < t0:
            base += below
            if not up:
                key ^= keys[i]
        elif at - doubt > t1:
            base += above
            if up:
                key ^= keys[i]
        else:
            out[kept] = item
            kept += np.uint32(1)
            spread += abs(u)
            lean += u
            entered += above
            s = np.uint32(min(max(u * per_step + first, 0.0), last))
            doubt = half * abs(u - (np.float64(s) - grid.each_side) * grid.step) + slack
            at = (at - t0) * per_unit
            doubt, slack = doubt * per_unit + FUZZ, slack * per_unit + FUZZ
            _enter(changes, s, at - doubt, at + doubt, grid, below, above)
            _enter_borders(borders, at - slack, at + slack, grid, below, above)
    active = max(kept, np.uint32(1))
    return Bound(np.int64(kept), base, key, spread / active, lean / active, 0.0, entered)


@jit
def add_up(bins, grid, base):
    """Turn entries into `lower` and `upper`; `base` is what all lines misclassify, and `Bound.entered`."""
    lower, upper = bins.lower, bins.upper
    columns = grid.bins + 2 * grid.pad + 4
    # `entered` is in it: below all heights every point is above the line. The changes go on from there.
    lower[: grid.bins] = base
    for s in range(2 * grid.each_side + 1):
        row, here, there = bins.changes[s], bins.spare[0], bins.spare[1]
        total = 0.0
        for j in range(columns):
            total += row[j]
            here[j] = total
        # The least of each bin and the `shift` next to it on either side, by doubling.
        shift = abs(s - grid.each_side) * grid.shift
        first, length, window = grid.pad + 1 - shift, 1, 2 * shift + 1
        while 2 * length <= window:
            for j in range(first, first + grid.bins + window - 2 * length):
                a, b = here[j], here[j + length]
                there[j] = a if a < b else b
            here, there, length = there, here, 2 * length
        # Two windows of this length, which may overlap, make the whole one.
        for j in range(grid.bins):
            a, b = here[first + j], here[first + j + window - length]
            lower[j] += a if a < b else b
    total = base
    for j in range(grid.bins + 1):
        total += bins.borders[j + 1]
        upper[j] = total
