"""Kernels that sum a Gaussian over the sources for each target, block by block.

BLAS computes a block of scaled inner products; one pass over the block, while it is in the cache, then does
exponential, weight and sum. `gaussian_sums.py` scales the points and chooses among these kernels.
"""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.powers_of_two import (
    add_plain_powers,
    add_powers_of_two,
    powers_of_two,
    prefer_wide_vectors,
)
from paperlib._common.signals import hear

RUN = 8  # coordinates between two looks at whether a pair is too far apart


@jit
def blocked_sums(targets_t, sources, target_half, source_half, weights, target_block, source_block):
    """Return the sums over `sources` (n, d) for every column of `targets_t` (d, m), shape (m,)."""
    prefer_wide_vectors()  # here too, because the inner loop is inlined into this function
    m = targets_t.shape[1]
    n = sources.shape[0]
    out = np.zeros(m)
    # Each block is made of its first entries: `np.dot` writes into contiguous arrays only.
    buffer = np.empty(target_block * source_block)
    for i in range(0, m, target_block):
        i_end = min(m, i + target_block)
        # Once for all sources: numba's `np.dot` copies what is not contiguous, each time.
        block = np.ascontiguousarray(targets_t[:, i:i_end])
        for j in range(0, n, source_block):
            j_end = min(n, j + source_block)
            hear((j_end - j) * (i_end - i))
            products = buffer[: (j_end - j) * (i_end - i)].reshape(j_end - j, i_end - i)
            np.dot(sources[j:j_end], block, products)
            add_powers_of_two(
                products, target_half[i:i_end], source_half[j:j_end], weights[j:j_end], out[i:i_end]
            )
    return out


@jit
def plain_blocked_sums(targets_t, sources, weights, target_block, source_block, run):
    """Return the sums of `blocked_sums` without the half squares, in which no power can overflow.

    The caller multiplies the sources' half squares into `weights`, and the targets' into the result. Over
    `run` sources, one or more whole blocks, the sums are in the precision of the arrays; these sums are added
    up in double precision.
    """
    prefer_wide_vectors()
    m = targets_t.shape[1]
    n = sources.shape[0]
    out = np.zeros(m)
    buffer = np.empty(target_block * source_block, targets_t.dtype)
    sums = np.empty(target_block, targets_t.dtype)
    for i in range(0, m, target_block):
        size = min(m - i, target_block)
        block = np.ascontiguousarray(targets_t[:, i : i + size])
        for j in range(0, n, source_block):
            j_end = min(n, j + source_block)
            hear((j_end - j) * size)
            products = buffer[: (j_end - j) * size].reshape(j_end - j, size)
            np.dot(sources[j:j_end], block, products)
            # So that the rounding of sums in single precision does not grow with the number of sources.
            if j % run == 0:
                sums[:size] = 0
            add_plain_powers(products, weights[j:j_end], sums[:size])
            if j_end % run == 0 or j_end == n:
                for k in range(size):
                    out[i + k] += sums[k]
    return out


@jit
def few_sums(targets, sources, target_half, source_half, weights, run):
    """Return the sums of `blocked_sums` for a few `targets` (m, d): the inner loop is over the sources.

    The loop is vectorised, and a handful of targets would not fill a vector.
    """
    prefer_wide_vectors()
    n = sources.shape[0]
    out = np.zeros(targets.shape[0])
    # Sources outside, so that a run of them may stay in the cache from one target to the next.
    for j in range(0, n, run):
        j_end = min(n, j + run)
        hear((j_end - j) * targets.size)
        for i in range(targets.shape[0]):
            products = np.dot(sources[j:j_end], targets[i])
            powers_of_two(products, target_half[i], source_half[j:j_end])
            # A run in the precision of the arrays, runs in double precision.
            out[i] += np.dot(products, weights[j:j_end])
    return out


@jit
def direct_sums(targets, sources, weights, gamma, beyond, first, last):
    """Return the sums from coordinate differences, one pair at a time.

    This is slower, but loses no digits to cancellation, however far the points are from each other. Target
    ``i`` takes the sources from ``first[i]`` to ``last[i]``, and a pair is left as soon as its squared
    distance is above `beyond`, where the kernel is zero.
    """
    m, d = targets.shape
    out = np.zeros(m)
    for i in range(m):
        total = 0.0
        hear((last[i] - first[i]) * d)
        for j in range(first[i], last[i]):
            squared = 0.0
            for start in range(0, d, RUN):
                for k in range(start, min(start + RUN, d)):
                    difference = targets[i, k] - sources[j, k]
                    squared += difference * difference
                # It only grows: once above, the pair stays above.
                if squared > beyond:
                    break
            if squared <= beyond:
                total += weights[j] * math.exp(-gamma * squared)
        out[i] = total
    return out
