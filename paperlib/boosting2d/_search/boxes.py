"""Bounds on all lines ``v = m (u - origin) + t`` of a box: slopes and intercepts of two intervals.

The height ``v - m (u - origin)`` of a point has its extremes over the box in the ends of the slopes'
interval. Where all its heights are on one side of all the intercepts, the point is on that side of every
line; the others are active. The intercepts are cut into bins, and an active point still counts for the bins
that all its heights are on the wrong side of: that gives each bin a lower bound. An upper bound is what the
lines with the middle slope misclassify at the borders of the bins.

Heights are widened by a bound on their rounding errors, so that the bounds hold exactly.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit

BINS = 256
SLACK = 32 * 2.0**-53  # times |u - origin| + |v| + |origin|: above the rounding errors of a height
FUZZ = 1e-9  # of a bin: far above the rounding errors of its number

# Rows of `bins`: weight that is wrong from this bin on, and up to this bin; the same for the borders at the
# middle slope, of which border j is the lower one of bin j. Both stand in column j + 1, and the columns in
# front and behind are spare.
FROM, UP_TO, BORDER_FROM, BORDER_UP_TO = range(4)
COLUMNS = BINS + 3


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
    """

    kept: np.int64
    base: float
    key: np.uint64
    spread: float
    lean: float
    height: float


@jit(inline="always")
def _enter(bins, low, high, t0, t1, per_unit, below, above):
    """Let heights of [low, high], not certain, count for the bins that are wholly on their wrong side."""
    if high < t1:
        bins[FROM, np.uint32((high - t0) * per_unit + (2.0 + FUZZ))] += below
    if low > t0:
        bins[UP_TO, np.uint32(max((low - t0) * per_unit - FUZZ, 0.0))] += above


@jit(inline="always")
def _enter_borders(bins, at, slack, per_unit, below, above):
    """Let a height at the middle slope, `at` above the first border, count where it may be wrong."""
    at, slack = at * per_unit, slack * per_unit + FUZZ
    bins[BORDER_FROM, np.uint32(min(max(at - slack + 2.0, 1.0), BINS + 2.0))] += below
    bins[BORDER_UP_TO, np.uint32(min(max(at + slack + 1.0, 0.0), BINS + 1.0))] += above


@jit
def bound_cells(items, cells, box, out, bins):
    """Enter cells, as `bound_points` enters points; above, a cell is wrong where part of it may be."""
    m0, m1, t0, t1, origin, chart, up = box
    boxes, keys = cells.boxes, cells.box_keys
    iu, iv = (0, 2) if chart == 0 else (2, 0)
    i_below, i_above = (4, 5) if up else (5, 4)
    per_unit = BINS / (t1 - t0)
    middle = 0.5 * (m0 + m1)
    bins[:] = 0.0
    base, key, kept, spread, lean, height = 0.0, np.uint64(0), np.uint32(0), 0.0, 0.0, 0.0
    for item in items:
        i = np.uint32(item)
        cell = boxes[i]
        u0, u1, v0, v1 = cell[iu] - origin, cell[iu + 1] - origin, cell[iv], cell[iv + 1]
        below, above = cell[i_below], cell[i_above]
        slack = SLACK * (max(abs(u0), abs(u1)) + max(abs(v0), abs(v1)) + abs(origin))
        low = v0 - max(max(m0 * u0, m0 * u1), max(m1 * u0, m1 * u1)) - slack
        high = v1 - min(min(m0 * u0, m0 * u1), min(m1 * u0, m1 * u1)) + slack
        if high <= t0:
            base += below
            if not up:
                key ^= keys[i]
        elif low >= t1:
            base += above
            if up:
                key ^= keys[i]
        else:
            out[kept] = item
            kept += np.uint32(1)
            spread += 0.5 * abs(u0 + u1)
            lean += 0.5 * (u0 + u1)
            _enter(bins, low, high, t0, t1, per_unit, below, above)
            low, high = v0 - max(middle * u0, middle * u1), v1 - min(middle * u0, middle * u1)
            height += high - low
            at = 0.5 * (low + high)
            _enter_borders(bins, at - t0, high - at + 2.0 * slack, per_unit, below, above)
    active = max(kept, np.uint32(1))
    return Bound(np.int64(kept), base, key, spread / active, lean / active, height / active)


@jit
def bound_points(items, cells, box, out, bins):
    """Enter points into the bins, or into the box's base where they are certain.

    Parameters
    ----------
    items : ndarray of int32
        Rows of ``cells.points``.
    cells : Cells
    box : Box
    out : ndarray of int32
        Takes the active ones of `items`; it may be `items` itself.
    bins : ndarray of shape (4, BINS + 1)
        Overwritten.

    Returns
    -------
    Bound
    """
    m0, m1, t0, t1, origin, chart, up = box
    points, keys = cells.points, cells.keys
    us, vs = (points[:, 0], points[:, 1]) if chart == 0 else (points[:, 1], points[:, 0])
    w_below, w_above = (points[:, 2], points[:, 3]) if up else (points[:, 3], points[:, 2])
    per_unit = BINS / (t1 - t0)
    middle = 0.5 * (m0 + m1)
    bins[:] = 0.0
    base, key, kept, spread, lean = 0.0, np.uint64(0), np.uint32(0), 0.0, 0.0
    for item in items:
        i = np.uint32(item)  # no test for negative indices
        u, v, below, above = us[i] - origin, vs[i], w_below[i], w_above[i]
        slack = SLACK * (abs(u) + abs(v) + abs(origin))
        first, last = v - m0 * u, v - m1 * u
        low, high = min(first, last) - slack, max(first, last) + slack
        # What is below or above all lines of the box is so in every part of it, too, and is settled for good.
        if high <= t0:
            base += below
            if not up:
                key ^= keys[i]
        elif low >= t1:
            base += above
            if up:
                key ^= keys[i]
        else:
            out[kept] = item
            kept += np.uint32(1)
            spread += abs(u)
            lean += u
            _enter(bins, low, high, t0, t1, per_unit, below, above)
            _enter_borders(bins, v - middle * u - t0, slack, per_unit, below, above)
    active = max(kept, np.uint32(1))
    return Bound(np.int64(kept), base, key, spread / active, lean / active, 0.0)


@jit
def add_up(bins):
    """Turn entries into bounds, the base aside: row FROM of each bin, row BORDER_FROM of each border."""
    for j in range(1, COLUMNS):
        bins[FROM, j] += bins[FROM, j - 1]
        bins[BORDER_FROM, j] += bins[BORDER_FROM, j - 1]
    for j in range(COLUMNS - 1, 0, -1):
        bins[UP_TO, j - 1] += bins[UP_TO, j]
        bins[BORDER_UP_TO, j - 1] += bins[BORDER_UP_TO, j]
    for j in range(COLUMNS):
        bins[FROM, j] += bins[UP_TO, j]
        bins[BORDER_FROM, j] += bins[BORDER_UP_TO, j]
