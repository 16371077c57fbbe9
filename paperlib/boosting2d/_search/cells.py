"""Locations grouped into cells of the plane, so that many can be judged at once."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit

PER_CELL = 32  # locations, on average


class Cells(NamedTuple):
    """Locations, those of one cell together.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        Locations as given, for the predicates.
    points : ndarray of shape (k, 4)
        Centred coordinates u and v, each axis scaled by a power of two to be of the order of 1 in the bulk;
        then the weight of the positive and of the negative points there.
    order : ndarray of shape (k,), int64
        Which location each row of `points` is.
    keys : ndarray of shape (k,), uint64
        A random number for each row: sets are told apart by the exclusive or of their members' keys.
    start : ndarray of shape (c + 1,), int64
        Where each cell's rows begin.
    boxes : ndarray of shape (c, 6)
        Least and largest u, least and largest v; the weights.
    box_keys : ndarray of shape (c,), uint64
        The exclusive or of the keys of each cell's rows.
    aspect : float
        Units of u in a unit of x, over units of v in a unit of y: turns a slope dy / dx into dv / du.
    """

    x: np.ndarray
    y: np.ndarray
    points: np.ndarray
    order: np.ndarray
    keys: np.ndarray
    start: np.ndarray
    boxes: np.ndarray
    box_keys: np.ndarray
    aspect: float


def group_apart(x, y, wp, wn):
    """Group locations by what their predictions decide, and return what all lines misclassify, too.

    At each location the lighter class is wrong, or at least as much of the other one: that is left out of the
    `Cells`, and is the weight.
    """
    common = np.minimum(wp, wn)
    return group(x, y, wp - common, wn - common), float(common.sum())


def group(x, y, wp, wn):
    """Group distinct locations, given in the order of x, into `Cells`."""
    # As many rows in each column as there are columns.
    columns = max(1, int(np.sqrt(len(x) / PER_CELL)))
    cuts = np.arange(columns + 1) * len(x) // columns
    columns_y = np.split(y, cuts[1:-1])
    samples = [np.sort(column[:: max(1, len(column) // 256)]) for column in columns_y]
    ends = np.cumsum([0, *map(len, samples)])
    order, start = _cut(y, cuts, columns, np.concatenate(samples), ends)
    u_centre, u_unit = _bulk(x)
    v_centre, v_unit = _bulk(y)
    points = _points(x, y, wp, wn, order, u_centre, u_unit, v_centre, v_unit)
    # The seed is fixed: the same points have the same keys in every run.
    keys = np.random.default_rng(0).integers(0, 2**64 - 1, size=len(x), dtype=np.uint64, endpoint=True)[order]
    box_keys = np.bitwise_xor.reduceat(keys, start[:-1])
    return Cells(x, y, points, order, keys, start, _boxes(points, start), box_keys, v_unit / u_unit)


def _bulk(values):
    """Return a centre, and the power of two that brings the spread about it to 1/2 to 1."""
    # Medians, so that a few far points do not set the scale. Where most values are equal the second one is
    # zero, and the farthest value has to do.
    sample = values[:: max(1, len(values) // 65_536)]
    centre = np.median(sample)
    spread = np.median(np.abs(sample - centre)) or max(values.max() - centre, centre - values.min())
    return centre, 2.0 ** -int(np.frexp(spread)[1])


@jit
def _cut(y, cuts, rows, samples, ends):
    """Cut each column into rows of about as many locations, and sort the locations by their cells.

    Each column has some of its y in `samples`, sorted.
    """
    n, columns = len(y), len(cuts) - 1
    slots = 4 * rows
    order = np.empty(n, dtype=np.int64)
    start = np.empty(columns * rows + 1, dtype=np.int64)
    slot = np.empty(n, dtype=np.int32)
    row_of = np.empty(slots, dtype=np.int64)
    count = np.empty(rows, dtype=np.int64)
    cells = 0
    for c in range(columns):
        begin, end = cuts[c], cuts[c + 1]
        sample = samples[ends[c] : ends[c + 1]]
        # Without the outermost values, which would stretch the slots; they go to those at the ends.
        low, high = sample[len(sample) // 50], sample[-1 - len(sample) // 50]
        per_unit = slots / (high - low) if high > low else 0.0
        # A look-up takes the place of a search: slots of equal width, each with its row.
        below = 0
        for s in range(slots):
            while below < len(sample) and (sample[below] - low) * per_unit < s + 0.5:
                below += 1
            row_of[s] = min(below * rows // len(sample), rows - 1)
        count[:] = 0
        for i in range(begin, end):
            slot[i] = row_of[int(min(max((y[i] - low) * per_unit, 0.0), slots - 1.0))]
            count[slot[i]] += 1
        place = begin
        for r in range(rows):
            # An empty row makes no cell, for that would have neither a box nor a key.
            if count[r] > 0:
                start[cells] = place
                cells += 1
            # From now on `count` says where the next location of a row goes.
            here = place
            place += count[r]
            count[r] = here
        for i in range(begin, end):
            order[count[slot[i]]] = i
            count[slot[i]] += 1
    start[cells] = n
    return order, start[: cells + 1].copy()


@jit
def _points(x, y, wp, wn, order, u_centre, u_unit, v_centre, v_unit):
    points = np.empty((len(order), 4))
    for k in range(len(order)):
        i = order[k]
        points[k, 0] = (x[i] - u_centre) * u_unit
        points[k, 1] = (y[i] - v_centre) * v_unit
        points[k, 2], points[k, 3] = wp[i], wn[i]
    return points


@jit
def _boxes(points, start):
    boxes = np.empty((len(start) - 1, 6))
    for c in range(len(boxes)):
        box = boxes[c]
        box[0], box[1], box[2], box[3], box[4], box[5] = np.inf, -np.inf, np.inf, -np.inf, 0.0, 0.0
        for k in range(start[c], start[c + 1]):
            u, v = points[k, 0], points[k, 1]
            box[0], box[1] = min(box[0], u), max(box[1], u)
            box[2], box[3] = min(box[2], v), max(box[3], v)
            box[4] += points[k, 2]
            box[5] += points[k, 3]
    return boxes
