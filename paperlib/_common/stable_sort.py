"""Stable sorts of numbers by their keys, for kernels: numba's own takes a second to compile."""

import numpy as np

from paperlib._common.jit import jit

_RUN = 8  # that is sorted by insertion


@jit
def sort_by(keys, order):
    """Sort `order` by ``keys[order]`` in place; what is equal keeps its order.

    Parameters
    ----------
    keys : ndarray of shape (m,)
        No NaN.
    order : ndarray of shape (k,), int64
    """
    size = len(order)
    # Short runs by insertion, then merges of two neighbours at a time, each from one array into the other.
    for start in range(0, size, _RUN):
        for i in range(start + 1, min(start + _RUN, size)):
            item = order[i]
            key = keys[item]
            j = i
            while j > start and keys[order[j - 1]] > key:
                order[j] = order[j - 1]
                j -= 1
            order[j] = item
    source, target, width = order, np.empty_like(order), _RUN
    while width < size:
        for start in range(0, size, 2 * width):
            i, middle = start, min(start + width, size)
            j, end = middle, min(start + 2 * width, size)
            for k in range(start, end):
                # "<=" takes the left one of equal keys, which keeps their order.
                if j >= end or (i < middle and keys[source[i]] <= keys[source[j]]):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target, width = target, source, 2 * width
    for k in range(size):  # the last pass may have ended in the other array
        order[k] = source[k]


@jit
def from_largest(keys):
    """Return the positions of `keys`, which hold no NaN, from the largest down; equal ones in their order."""
    falling, order = np.empty(len(keys)), np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        falling[i], order[i] = -keys[i], i
    sort_by(falling, order)
    return order
