"""Theorem 2.3: the best line by a sweep around every positive location, in O(m n log n)."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import orientation
from paperlib.boosting2d._search.witness import grown

_DIGIT = 11
_BUCKETS = 1 << _DIGIT
_INDEX_BITS = 31
_LARGEST_KEY = np.int64((1 << 33) - 1)


@jit
def upper(x, y, a, b):
    """1 if location b is above a (or level with it and to its right), else -1: the mirrored half."""
    if y[b] != y[a]:
        return 1 if y[b] > y[a] else -1
    return 1 if x[b] > x[a] else -1


@jit
def precedes(x, y, a, b, c, half):
    """1 if b comes before c in mirrored-radial order about a, 0 if they are level, -1 if after; exact."""
    return orientation(x[a], y[a], x[b], y[b], x[c], y[c]) * half[b] * half[c]


@jit
def _order_by_key(x, y, a, half, packed, spare, order):
    """Radix sort by a 33-bit pseudo-angle, which is right up to rounding; returns nothing, fills `order`."""
    counts = np.zeros((3, _BUCKETS), dtype=np.int64)
    size = 0
    for b in range(len(x)):
        if b == a:
            continue
        half[b] = upper(x, y, a, b)
        dx, dy = half[b] * (x[b] - x[a]), half[b] * (y[b] - y[a])
        angle = np.int64((1.0 - dx / (abs(dx) + dy)) * 2.0**32)
        key = min(angle, _LARGEST_KEY)
        packed[size] = np.uint64(key) << np.uint64(_INDEX_BITS) | np.uint64(b)
        counts[0, key & (_BUCKETS - 1)] += 1
        counts[1, key >> _DIGIT & (_BUCKETS - 1)] += 1
        counts[2, key >> 2 * _DIGIT] += 1
        size += 1
    for digit in range(3):
        start = 0
        for bucket in range(_BUCKETS):
            count = counts[digit, bucket]
            counts[digit, bucket] = start
            start += count
        shift = np.uint64(_INDEX_BITS + digit * _DIGIT)
        for i in range(size):
            own = np.int64(packed[i] >> shift & np.uint64(_BUCKETS - 1))
            spare[counts[digit, own]] = packed[i]
            counts[digit, own] += 1
        packed, spare = spare, packed
    for i in range(size):
        order[i] = np.int64(packed[i] & np.uint64((1 << _INDEX_BITS) - 1))


@jit
def _merge_sort(x, y, a, half, order, size):
    """Sort from scratch with the exact comparison alone."""
    source, target = order, np.empty(size, dtype=np.int64)
    width = 1
    while width < size:
        for start in range(0, size, 2 * width):
            i, middle = start, min(start + width, size)
            j, end = middle, min(start + 2 * width, size)
            for k in range(start, end):
                if i < middle and (j >= end or precedes(x, y, a, source[i], source[j], half) >= 0):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    for k in range(size):
        order[k] = source[k]


@jit
def mirrored_order(x, y, a, half, packed, spare, order, level):
    """Sort all locations but a by mirrored-radial coordinate about a, exactly.

    Fills `half` (n,), `order` (n - 1,) and `level` (n - 1,): whether a location's coordinate equals that of
    the one before it. `packed` and `spare` (n,) are scratch. Insertion repairs what the approximate keys left
    wrong; where that is much, as for clusters seen from afar, an exact merge sort takes over.
    """
    _order_by_key(x, y, a, half, packed, spare, order)
    size = len(x) - 1
    budget = 8 * size + 64
    i = 0
    while i < size:
        b = order[i]
        j = i
        relation = 1
        while j > 0:
            relation = precedes(x, y, a, order[j - 1], b, half)
            if relation >= 0:
                break
            order[j] = order[j - 1]
            j -= 1
        order[j] = b
        budget -= i - j
        if budget < 0:
            _merge_sort(x, y, a, half, order, size)
            budget = 8 * size + 64
            i = 0
            continue
        if j == i:
            level[i] = i > 0 and relation == 0
        else:
            # What was moved over is strictly later than b; only b's own neighbours change.
            for k in range(i, j + 1, -1):
                level[k] = level[k - 1]
            level[j + 1] = False
            level[j] = j > 0 and relation == 0
        i += 1


@jit
def _left_weight(order, half, wp, wn):
    """Misclassified weight, a's own apart, of the line just before the first group: left is positive."""
    weight = 0.0
    for b in order:
        weight += wn[b] if half[b] > 0 else wp[b]
    return weight


@jit
def _group_end(level, start):
    end = start + 1
    while end < len(level) and level[end]:
        end += 1
    return end


@jit
def _pass_group(order, half, wp, wn, start, end, weight, others):
    """The line passes a group of level locations.

    Returns the weights, for a positive left side, with the line past the group and with the line on it; and
    the latter for a positive right side. Past the group the two sides' weights add up to `others`.
    """
    after, on_left, on_right = weight, weight, others - weight
    for k in range(start, end):
        b = order[k]
        gain = wp[b] - wn[b]
        if half[b] > 0:
            after += gain
            on_right -= gain
        else:
            after -= gain
            on_left -= gain
    return after, on_left, on_right


@jit
def sweep(x, y, wp, wn):
    """Lemma 2.6 for every centre: the least misclassified weight over the lines through it.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Distinct locations.
    wp, wn : ndarray of shape (n,)
        Weight of the positive and of the negative points at each.

    Returns
    -------
    lowest : ndarray of shape (n,)
        ``inf`` for a location without positive points: by Lemma 2.5 it need not be a centre. Lines that
        predict all locations alike are not counted.
    judged : int
        Points that were sorted about a centre, and that a line passed. (A radix sort has no log n.)
    """
    n, judged = len(x), 0
    lowest = np.full(n, np.inf)
    half = np.ones(n, dtype=np.int64)
    packed, spare = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.bool_)
    total = wp.sum() + wn.sum()
    for a in range(n):
        if wp[a] == 0.0 or n == 1:
            continue
        mirrored_order(x, y, a, half, packed, spare, order, level)
        others = total - wp[a] - wn[a]
        weight = _left_weight(order, half, wp, wn)
        least, most = weight, weight
        start = 0
        while start < n - 1:
            end = _group_end(level, start)
            weight, on_left, on_right = _pass_group(order, half, wp, wn, start, end, weight, others)
            judged += end - start
            least = min(least, weight)
            most = max(most, weight)
            # A single location on the line is predicted as it is just before or just past it.
            if end - start > 1:
                least = min(least, on_left, on_right)
            start = end
        judged += n - 1
        lowest[a] = min(least, others - most) + wn[a]
    return lowest, judged


@jit
def _append(found, size, a, b, side, turn):
    found = grown(found, size, size + 1)
    found[size, 0], found[size, 1], found[size, 2], found[size, 3] = a, b, side, turn
    return found


@jit
def collect(x, y, wp, wn, lowest, limit, most):
    """Write down the lines of weight at most `limit`.

    Parameters
    ----------
    x, y, wp, wn : ndarray of shape (n,)
        As in `sweep`.
    lowest : ndarray of shape (n,)
        As `sweep` returned it; only centres with ``lowest <= limit`` are looked at again.
    limit : float
    most : int
        Stop after this many.

    Returns
    -------
    ndarray of shape (k, 4), int64
        Witnesses; every separator set of a line through a centre appears, some of them several times.
    """
    n = len(x)
    found, size = np.empty((64, 4), dtype=np.int64), 0
    half = np.ones(n, dtype=np.int64)
    packed, spare = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.bool_)
    total = wp.sum() + wn.sum()
    for a in range(n):
        if wp[a] == 0.0 or lowest[a] > limit or size >= most or n == 1:
            continue
        mirrored_order(x, y, a, half, packed, spare, order, level)
        others = total - wp[a] - wn[a]
        bound = limit - wn[a]
        weight = _left_weight(order, half, wp, wn)
        start = 0
        while start < n - 1 and size < most:
            end = _group_end(level, start)
            before = weight
            weight, on_left, on_right = _pass_group(order, half, wp, wn, start, end, weight, others)
            b = order[start]
            # The sweep's line points up; the witness's points to b.
            if start == 0 and before <= bound:
                found, size = _append(found, size, a, b, half[b], -1), size + 1
            if start == 0 and others - before <= bound:
                found, size = _append(found, size, a, b, -half[b], -1), size + 1
            if weight <= bound:
                found, size = _append(found, size, a, b, half[b], 1), size + 1
            if others - weight <= bound:
                found, size = _append(found, size, a, b, -half[b], 1), size + 1
            if end - start > 1 and on_left <= bound:
                found, size = _append(found, size, a, b, half[b], 0), size + 1
            if end - start > 1 and on_right <= bound:
                found, size = _append(found, size, a, b, -half[b], 0), size + 1
            start = end
    return found[: min(size, most)].copy()
