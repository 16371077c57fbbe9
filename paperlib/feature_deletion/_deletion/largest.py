"""The few largest of many numbers."""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.stable_sort import from_largest

_FEW = 16  # are found by insertion sooner than by sorting all


@jit
def largest(keys, count):
    """Return the positions of the `count` largest of at least as many `keys`, as `from_largest` has them."""
    if count > _FEW:
        return from_largest(keys)[:count]
    found, size = np.empty(count, np.int64), 0
    for i in range(len(keys)):
        if size < count:
            size += 1
        # Not "<": of equal ones the first stays.
        elif count == 0 or keys[i] <= keys[found[size - 1]]:
            continue
        j = size - 1
        while j > 0 and keys[found[j - 1]] < keys[i]:
            found[j] = found[j - 1]
            j -= 1
        found[j] = i
    return found
