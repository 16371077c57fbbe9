"""Kernels over boxes: moments of sources, values at targets, and sums over the pairs that are near."""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.powers_of_two import power_of_two, prefer_wide_vectors
from paperlib._common.signals import hear

RUN = 256  # terms that are added one by one, before they are added to what came before
LANES = 8  # sums side by side
_SMALLEST = -1022.0  # below it 2**x is subnormal, and is taken as 0


@jit
def sorted_by_box(boxes, count):
    """Return ``(order, starts)``: rows by box, those of a box in their order, and where each box begins."""
    starts = np.zeros(count + 1, np.int64)
    for i in range(boxes.size):
        starts[boxes[i] + 1] += 1
    for box in range(count):
        starts[box + 1] += starts[box]
    order, free = np.empty(boxes.size, np.int64), starts[:count].copy()
    for i in range(boxes.size):
        order[free[boxes[i]]] = i
        free[boxes[i]] += 1
    return order, starts


@jit
def fill_polynomials(places, i, p, first, last):
    """Write Chebyshev's polynomials at row `i` of `places` (n, d).

    `last` (p,) gets those of the last coordinate, `first` (p^(d - 1),) the products of all others.
    """
    d = places.shape[1]
    first[0] = 1.0
    size = 1
    for k in range(d):
        x = places[i, k]
        last[0] = 1.0
        if p > 1:
            last[1] = x
        for j in range(2, p):
            last[j] = 2.0 * x * last[j - 1] - last[j - 2]
        if k < d - 1:
            # From the end, as what is multiplied stands at the beginning.
            for a in range(size - 1, -1, -1):
                factor = first[a]
                for j in range(p):
                    first[a * p + j] = factor * last[j]
            size *= p


@jit(fastmath={"contract"})
def add_moments(places, weights, order, starts, bases, offsets, p, moments):
    """Add the moments of all sources to `moments`, box by box.

    Parameters
    ----------
    places : ndarray of shape (n, d)
        Of sources in their boxes, each of which is [-1, 1]^d.
    weights : ndarray of shape (n,)
    order, starts
        As from `sorted_by_box`.
    bases : ndarray of shape (boxes,), int64
        Where the moments of a box begin in `moments`.
    offsets : ndarray of shape (p^(d - 1),), int64
        Where, from there, the p moments stand that belong to each product of the other coordinates.
    p : int
    moments : ndarray, one axis
    """
    prefer_wide_vectors()
    first, last, sums = np.empty(offsets.size), np.empty(p), np.empty((offsets.size, p))
    for box in range(starts.size - 1):
        # In runs, so that rounding does not grow with the number of sources in a box.
        for start in range(starts[box], starts[box + 1], RUN):
            end = min(starts[box + 1], start + RUN)
            hear((end - start) * sums.size)
            sums[:] = 0.0
            for position in range(start, end):
                i = order[position]
                fill_polynomials(places, i, p, first, last)
                for k in range(offsets.size):
                    factor, row = weights[i] * first[k], sums[k]
                    for j in range(p):
                        row[j] += factor * last[j]
            for k in range(offsets.size):
                begin, row = bases[box] + offsets[k], sums[k]
                for j in range(p):
                    moments[begin + j] += row[j]


@jit(fastmath={"contract"})
def values_at(places, begins, offsets, p, coefficients):
    """Return the value of its box's polynomial at each row of `places` (m, d).

    `begins` (m,) says where a row's coefficients begin, `offsets` as in `add_moments`.
    """
    prefer_wide_vectors()
    m = places.shape[0]
    out, first, last, sums = np.empty(m), np.empty(offsets.size), np.empty(p), np.empty(p)
    for i in range(m):
        hear(offsets.size * p)
        fill_polynomials(places, i, p, first, last)
        sums[:] = 0.0
        for k in range(offsets.size):
            begin = begins[i] + offsets[k]
            row, factor = coefficients[begin : begin + p], first[k]
            for j in range(p):
                sums[j] += factor * row[j]
        total = 0.0
        for j in range(p):
            total += sums[j] * last[j]
        out[i] = total
    return out


@jit
def first_from(keys, key):
    """Return the first position of `keys`, which ascend, whose key is at least `key`."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@jit(fastmath={"contract"})
def add_run(target, sources_t, weights, first, last, scale, lanes, buffer):
    """Add ``weights[j] * 2**-|scale (target - sources_t[:, j])|^2`` for ``first <= j < last`` to `lanes`."""
    size = last - first
    for j in range(size):
        buffer[j] = 0.0
    for k in range(target.size):
        x, row = target[k], sources_t[k, first:last]
        for j in range(size):
            difference = (x - row[j]) * scale
            buffer[j] -= difference * difference
    part = weights[first:last]
    for j in range(size):
        x = buffer[j]
        buffer[j] = part[j] * (power_of_two(x) if x > _SMALLEST else 0.0)
    whole = size - size % LANES
    for j in range(0, whole, LANES):
        for lane in range(LANES):
            lanes[lane] += buffer[j + lane]
    for j in range(whole, size):
        lanes[j - whole] += buffer[j]


@jit
def near_sums(targets, target_keys, sources_t, keys, weights, steps, reach, scale):
    """Return the sums over the sources in the boxes around each target's, pair by pair.

    Parameters
    ----------
    targets : ndarray of shape (m, d)
    target_keys : ndarray of shape (m,), int64
        Numbers of their boxes; those of neighbours along the last coordinate follow each other.
    sources_t : ndarray of shape (d, n)
        By ascending `keys` (n,), the numbers of their boxes.
    weights : ndarray of shape (n,)
    steps : ndarray of int64
        Added to a box's number, they give the boxes in the middle of the rows of its neighbours.
    reach : int
        A row has so many boxes on both sides of its middle.
    scale : float

    Returns
    -------
    ndarray of shape (m,)
    """
    prefer_wide_vectors()
    m = targets.shape[0]
    out, lanes, buffer = np.empty(m), np.empty(LANES), np.empty(RUN)
    first, last = np.zeros(steps.size, np.int64), np.zeros(steps.size, np.int64)
    for i in range(m):
        if i == 0 or target_keys[i] != target_keys[i - 1]:
            for s in range(steps.size):
                middle = target_keys[i] + steps[s]
                first[s], last[s] = first_from(keys, middle - reach), first_from(keys, middle + reach + 1)
        total = 0.0
        for s in range(steps.size):
            for start in range(first[s], last[s], RUN):
                end = min(last[s], start + RUN)
                hear(2 * (end - start))
                lanes[:] = 0.0
                add_run(targets[i], sources_t, weights, start, end, scale, lanes, buffer)
                for lane in range(LANES):
                    total += lanes[lane]
        out[i] = total
    return out
