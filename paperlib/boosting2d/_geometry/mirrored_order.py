"""Points in the order in which a line that turns about one of them meets them (Lemma 2.6), exactly."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import orientation

_DIGIT = 11
_BUCKETS = 1 << _DIGIT
# With a key of three digits that makes 64 bits.
_INDEX_BITS = 31
_LARGEST_KEY = np.int64((1 << 33) - 1)


@jit
def upper(x, y, a, b):
    """Return 1 if location b is above a, or level with it and to its right; -1 for the half to mirror."""
    if y[b] != y[a]:
        return 1 if y[b] > y[a] else -1
    return 1 if x[b] > x[a] else -1


@jit
def precedes(x, y, a, b, c, half):
    """Return 1 if b comes before c in mirrored-radial order about a, 0 if level, -1 if after; exact."""
    return orientation(x[a], y[a], x[b], y[b], x[c], y[c]) * half[b] * half[c]


@jit
def _order_by_key(x, y, a, half, packed, spare, order):
    """Fill `order` by a radix sort of a 33-bit pseudo-angle, which is right up to rounding.

    Returns how often a location was looked at: for its key, in each pass, and when it is written down.
    """
    # All three digits are counted in one pass: a sort by one digit does not change how often others occur.
    counts = np.zeros((3, _BUCKETS), dtype=np.int64)
    size = 0
    for b in range(len(x)):
        if b == a:
            continue
        half[b] = upper(x, y, a, b)
        dx, dy = half[b] * (x[b] - x[a]), half[b] * (y[b] - y[a])
        # In the upper half plane dx / (|dx| + dy) falls as the angle grows, and needs no arc tangent.
        angle = np.int64((1.0 - dx / (abs(dx) + dy)) * 2.0**32)
        # Next to half a turn the angle is rounded up to 2, which takes one bit more.
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
    return 5 * size


@jit
def _merge_sort(x, y, a, half, order, size):
    """Sort from scratch by the exact comparison alone, in O(n log n) whatever the keys were.

    Returns how many locations were written down.
    """
    source, target = order, np.empty(size, dtype=np.int64)
    width, written = 1, 0
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
            written += end - start
        source, target = target, source
        width *= 2
    for k in range(size):
        order[k] = source[k]
    return written + size


@jit
def mirrored_order(x, y, a, half, packed, spare, order, level):
    """Sort all locations but a by mirrored-radial coordinate about a, exactly.

    Fills `half` (n,), `order` (n - 1,) and `level` (n - 1,): whether a location's coordinate equals that of
    the one before it. `packed` and `spare` (n,) are scratch. Insertion repairs what the approximate keys left
    wrong; where that is much, as for clusters seen from afar, an exact merge sort takes over.

    Returns
    -------
    steps : int
        How often a location was looked at, compared or moved. The buckets of the radix sort, as many for any
        n, are left out.
    """
    steps = _order_by_key(x, y, a, half, packed, spare, order)
    size = len(x) - 1
    # Before step i, order[:i] is sorted exactly and its levels are right.
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
        steps += i - j + 1
        budget -= i - j
        if budget < 0:
            # After this all is in order: the loop begins anew for the levels alone, and moves nothing.
            steps += _merge_sort(x, y, a, half, order, size)
            budget = 8 * size + 64
            i = 0
            continue
        if j == i:
            level[i] = i > 0 and relation == 0
        else:
            # b moved over strictly later locations only, so no other pair of adjacent ones changes its level.
            steps += i - j
            for k in range(i, j + 1, -1):
                level[k] = level[k - 1]
            level[j + 1] = False
            level[j] = j > 0 and relation == 0
        i += 1
    return steps
