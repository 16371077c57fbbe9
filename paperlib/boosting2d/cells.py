"""Distinct locations in blocks of neighbours, so that many points can be judged at once."""

from typing import NamedTuple

import numpy as np
from numba import njit

PER_CELL = 16  # points, on average
SAMPLE = 65_536  # points that the cells' borders are taken from
_INSERTION = 48  # points; sorting by insertion is quicker up to about here


class Cells(NamedTuple):
    """Distinct locations, those of one cell together.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        Locations as given.
    u, v : ndarray of shape (k,)
        The same, centred and each axis scaled by a power of two: of the order of 1 in the bulk.
    wp, wn : ndarray of shape (k,)
        Weight of the positive and of the negative points there.
    start : ndarray of shape (c + 1,), int64
        Where each cell's locations begin.
    u_low, u_high, v_low, v_high : ndarray of shape (c,)
        Each cell's bounding box.
    cell_wp, cell_wn : ndarray of shape (c,)
    """

    x: np.ndarray
    y: np.ndarray
    u: np.ndarray
    v: np.ndarray
    wp: np.ndarray
    wn: np.ndarray
    start: np.ndarray
    u_low: np.ndarray
    u_high: np.ndarray
    v_low: np.ndarray
    v_high: np.ndarray
    cell_wp: np.ndarray
    cell_wn: np.ndarray


def group(x, y, signed):
    """Group points into `Cells`.

    Parameters
    ----------
    x, y : ndarray of shape (n,), finite, n >= 1
    signed : ndarray of shape (n,)
        Weights, those of negative points with a minus.
    """
    side = max(1, int(np.sqrt(len(x) / PER_CELL)))
    step = max(1, len(x) // SAMPLE)
    order = np.argsort(x[::step])
    xs, ys = x[::step][order], y[::step][order]
    cell = _cell_of(x, y, *_scales(xs, ys, side))
    start, order = _counting_sort(cell, side * side)
    together = _merge if _has_repeated(xs, ys) else _gather
    x, y, wp, wn, start = together(x, y, signed, start, order)
    u, v = _centred(x, step), _centred(y, step)
    return Cells(x, y, u, v, wp, wn, start, *_boxes(u, v, wp, wn, start))


def _has_repeated(x, y):
    """Whether points coincide in a sample: if none do, no location has many."""
    step = max(1, len(x) // 16_384)
    x, y = x[::step], y[::step]
    order = np.lexsort((y, x))
    return bool(np.any((np.diff(x[order]) == 0) & (np.diff(y[order]) == 0)))


@njit(cache=True, nogil=True)
def _scale(values, side, ranks):
    """Cut the bulk of sorted values into slots of equal width, and fill in each one's rank among `side`.

    A look-up then takes the place of a search. Returns where the slots begin, and how many go to a unit.
    """
    n = len(values)
    low, high = values[n // 500], values[n - 1 - n // 500]
    if not high > low:
        ranks[:] = 0
        return low, 0.0
    per_unit = len(ranks) / (high - low)
    if not per_unit < np.inf:
        ranks[:] = 0
        return low, 0.0
    below = 0
    for slot in range(len(ranks)):
        middle = low + (slot + 0.5) / per_unit
        while below < n and values[below] < middle:
            below += 1
        ranks[slot] = min(below * side // n, side - 1)
    return low, per_unit


@njit(cache=True, nogil=True)
def _scales(x, y, side):
    """Scales of the columns, and of the rows in each, from a sample sorted by x."""
    slots = 4 * side
    columns = np.empty(slots, dtype=np.int16)
    low, per_unit = _scale(x, side, columns)
    rows = np.zeros((side, slots), dtype=np.int16)
    lows, per_units = np.zeros(side), np.zeros(side)
    begin = 0
    for c in range(side):
        end = begin
        while end < len(x) and columns[_slot(x[end], low, per_unit, slots)] == c:
            end += 1
        if end > begin:
            lows[c], per_units[c] = _scale(np.sort(y[begin:end]), side, rows[c])
        begin = end
    return columns, low, per_unit, rows, lows, per_units


@njit(cache=True, nogil=True)
def _slot(value, low, per_unit, slots):
    return int(min(max((value - low) * per_unit, 0.0), slots - 1.0))


@njit(cache=True, nogil=True)
def _cell_of(x, y, columns, low, per_unit, rows, lows, per_units):
    side, slots = rows.shape
    cell = np.empty(len(x), dtype=np.int32)
    for i in range(len(x)):
        c = columns[_slot(x[i], low, per_unit, slots)]
        cell[i] = c * side + rows[c, _slot(y[i], lows[c], per_units[c], slots)]
    return cell


@njit(cache=True, nogil=True)
def _counting_sort(cell, count):
    start = np.zeros(count + 1, dtype=np.int64)
    for c in cell:
        start[c + 1] += 1
    for c in range(count):
        start[c + 1] += start[c]
    place = start[:-1].copy()
    order = np.empty(len(cell), dtype=np.int32)
    for i in range(len(cell)):
        order[place[cell[i]]] = i
        place[cell[i]] += 1
    return start, order


@njit(cache=True, nogil=True)
def _gather(x, y, signed, start, order):
    """Points in the order of their cells; cells without points are dropped."""
    n = len(x)
    xs, ys, ps, ns = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for k in range(n):
        i = order[k]
        xs[k], ys[k] = x[i], y[i]
        ps[k], ns[k] = max(signed[i], 0.0), max(-signed[i], 0.0)
    kept = 0
    starts = np.empty(len(start), dtype=np.int64)
    for c in range(len(start) - 1):
        if start[c] < start[c + 1]:
            starts[kept] = start[c]
            kept += 1
    starts[kept] = n
    return xs, ys, ps, ns, starts[: kept + 1].copy()


@njit(cache=True, nogil=True)
def _merge(x, y, signed, start, order):
    """The same, with the points of one location as one."""
    n = len(x)
    xs, ys, ps, ns = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    starts = np.empty(len(start), dtype=np.int64)
    kept, cells = 0, 0
    for c in range(len(start) - 1):
        low, high = start[c], start[c + 1]
        if low == high:
            continue
        starts[cells] = kept
        cells += 1
        part = _sorted_part(x, y, order[low:high])
        for i in part:
            if kept > starts[cells - 1] and xs[kept - 1] == x[i] and ys[kept - 1] == y[i]:
                ps[kept - 1] += max(signed[i], 0.0)
                ns[kept - 1] += max(-signed[i], 0.0)
            else:
                xs[kept], ys[kept] = x[i], y[i]
                ps[kept], ns[kept] = max(signed[i], 0.0), max(-signed[i], 0.0)
                kept += 1
    starts[cells] = kept
    return xs[:kept].copy(), ys[:kept].copy(), ps[:kept].copy(), ns[:kept].copy(), starts[: cells + 1].copy()


@njit(cache=True, nogil=True)
def _sorted_part(x, y, part):
    """Indices sorted by (x, y)."""
    if len(part) <= _INSERTION:
        for i in range(1, len(part)):
            here = part[i]
            j = i
            while j > 0 and (
                x[part[j - 1]] > x[here] or (x[part[j - 1]] == x[here] and y[part[j - 1]] > y[here])
            ):
                part[j] = part[j - 1]
                j -= 1
            part[j] = here
        return part
    part = part[np.argsort(y[part], kind="mergesort")]
    return part[np.argsort(x[part], kind="mergesort")]


def _centred(values, step):
    sample = values[::step]
    centre = np.median(sample)
    spread = np.median(np.abs(sample - centre))
    if not spread > 0:
        spread = np.max(np.abs(values - centre))
    return np.ldexp(values - centre, -int(np.frexp(spread)[1]))


@njit(cache=True, nogil=True)
def _boxes(u, v, wp, wn, start):
    count = len(start) - 1
    u_low, u_high = np.full(count, np.inf), np.full(count, -np.inf)
    v_low, v_high = np.full(count, np.inf), np.full(count, -np.inf)
    cell_wp, cell_wn = np.zeros(count), np.zeros(count)
    for c in range(count):
        for i in range(start[c], start[c + 1]):
            u_low[c], u_high[c] = min(u_low[c], u[i]), max(u_high[c], u[i])
            v_low[c], v_high[c] = min(v_low[c], v[i]), max(v_high[c], v[i])
            cell_wp[c] += wp[i]
            cell_wn[c] += wn[i]
    return u_low, u_high, v_low, v_high, cell_wp, cell_wn
