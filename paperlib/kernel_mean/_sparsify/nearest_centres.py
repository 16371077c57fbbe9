"""Nearest centres of points and the farthest point from all of them, by squared Euclidean distance."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear

_LARGEST = np.finfo(np.float64).max  # an overflowed distance is still nearer than no centre at all
_EPS = np.finfo(np.float64).eps
BUNCH = 64  # centres that a point is compared with at a time
BLOCK = 256  # points that share a bound
_CHUNK = 1024  # centres whose inner products with a block are held at a time


@jit
def compare(point, centres_t, names, start, end, floor, squared, nearest, sums):
    """Compare a point with the centres ``start .. end - 1``, a bunch at a time, until it is within `floor`.

    `squared` and `nearest` hold for the centres before `start`. Returns the squared distance to its nearest
    centre, that centre's name, and how many have been seen.
    """
    while start < end:
        size = min(BUNCH, end - start)
        sums[:size] = 0.0
        for k in range(point.shape[0]):
            row = centres_t[k, start : start + size]
            x = point[k]
            for c in range(size):
                difference = x - row[c]
                sums[c] += difference * difference
        for c in range(size):
            distance = min(sums[c], _LARGEST)
            if distance < squared:
                squared, nearest = distance, names[start + c]
        start += size
        # No longer a candidate; the centres that it has not seen may wait.
        if squared < floor:
            break
    return squared, nearest, start


@jit
def farthest_point(points, sides, centres_t, names, counts, squared, nearest, seen, bounds, likely):
    """The point farthest from all centres of its own side, the first of those where several are.

    `squared` and `nearest` (n,) hold for the first ``seen[i]`` centres of the point's side, so `squared` is
    an upper bound, and so is ``bounds[b]`` for a block of points: only what is above the best distance found
    so far is brought up to date, the block `likely` first. Everything is updated in place.
    """
    sums = np.empty(BUNCH)
    best, farthest = -1.0, -1
    for turn in range(bounds.size + 1):
        # A good first guess leaves most blocks out by their bounds. In its turn it changes nothing.
        block = likely if turn == 0 else turn - 1
        start, end = block * BLOCK, min((block + 1) * BLOCK, points.shape[0])
        if bounds[block] < best or (bounds[block] == best and start > farthest):
            continue
        bound = 0.0
        hear(10 * BLOCK * points.shape[1])
        for i in range(start, end):
            # Ties go to the first point, in whatever order the blocks come. An old `squared` is only a bound,
            # so a point that passes here is brought up to date and asked again.
            if squared[i] > best or (squared[i] == best and i < farthest):
                side = sides[i]
                if seen[i] < counts[side]:
                    squared[i], nearest[i], seen[i] = compare(
                        points[i], centres_t[side], names[side], seen[i], counts[side], best,
                        squared[i], nearest[i], sums,
                    )  # fmt: skip
                if squared[i] > best or (squared[i] == best and i < farthest):
                    best, farthest = squared[i], i
            bound = max(bound, squared[i])
        bounds[block] = bound
    return farthest


@jit
def two_nearest(products, centre_squares, first, least, second, which):
    """Fold ``centre_squares[first + c] - 2 products[c, i]`` into the two least values and where one is.

    `least` is at the first centre that has it, `which`; `second` is the least of all others, so that their
    difference says whether rounding can have changed the order.
    """
    for c in range(products.shape[0]):
        row, own = products[c], centre_squares[first + c]
        for i in range(products.shape[1]):
            value = own - 2.0 * row[i]
            # In this order: each line needs `least` without this value.
            second[i] = min(second[i], max(value, least[i]))
            which[i] = first + c if value < least[i] else which[i]
            least[i] = min(value, least[i])


@jit
def nearest_centres(points, chosen, centres_t, names, origin, nearest):
    """Write the nearest centre of each point in `chosen` into `nearest`, the first where several are.

    Inner products decide, up to their rounding, and where that leaves a doubt, differences do. Both are taken
    from `origin`, in the middle of the points: rounding grows with their distance from it.
    """
    d, count = centres_t.shape
    sums = np.empty(BUNCH)
    shifted = np.empty((count, d))
    centre_squares = np.zeros(count)
    for c in range(count):
        for k in range(d):
            shifted[c, k] = centres_t[k, c] - origin[k]
            centre_squares[c] += shifted[c, k] ** 2
    reach = math.sqrt(centre_squares.max())
    away = 0.0
    for k in range(d):
        away += origin[k] ** 2
    away = math.sqrt(away)
    products = np.empty(min(count, _CHUNK) * BLOCK)
    for start in range(0, chosen.size, BLOCK):
        size = min(BLOCK, chosen.size - start)
        block = np.empty((d, size))
        squares = np.zeros(size)
        for k in range(d):
            for i in range(size):
                block[k, i] = points[chosen[start + i], k] - origin[k]
                squares[i] += block[k, i] ** 2
        least, second = np.full(size, np.inf), np.full(size, np.inf)
        which = np.zeros(size, dtype=np.int64)
        for c in range(0, count, _CHUNK):
            c_end = min(count, c + _CHUNK)
            hear(size * (c_end - c) * d)
            values = products[: (c_end - c) * size].reshape(c_end - c, size)
            np.dot(shifted[c:c_end], block, values)
            two_nearest(values, centre_squares, c, least, second, which)
        for i in range(size):
            extent = math.sqrt(squares[i]) + reach
            rounding = 16.0 * (d + 4) * _EPS * extent * (extent + away) + 1e-300
            if second[i] - least[i] > rounding:  # false for NaN too
                nearest[chosen[start + i]] = names[which[i]]
            else:
                _, nearest[chosen[start + i]], _ = compare(
                    points[chosen[start + i]], centres_t, names, 0, count, -1.0, np.inf, 0, sums
                )
