"""The hyperplanes of all small subsets of the data, and the one of largest trimmed margin (Figure 4)."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._solver.wolfe import from_nearest


@jit
def _put_in_place(values, k):
    """Return what would stand at `k` if `values` were sorted (Hoare): `np.partition` compiles for seconds."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            # No test for the ends: the pivot stops both scans, and later on what was exchanged does.
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        # No value up to j is above the pivot, and none from i on below it; what lies between equals it.
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@jit
def _trimmed(margins, k, weights):
    """Smallest of `margins` once as many of the smallest ones are left out as weigh `k` together."""
    # `margins` is a product made for this call: it may be reordered, or overwritten as below.
    if len(weights) == 0:
        return _put_in_place(margins, int(k))
    weight = 0.0
    while True:
        least = np.argmin(margins)
        weight += weights[least]
        if weight > k:
            return margins[least]
        margins[least] = np.inf


@jit
def best_of_size(points, chosen, k, most, weights):
    """Find the subset of a size whose hyperplane has the largest margin on all points but k.

    Subsets come in lexicographic order, so that of several with the same margin the first one stays. After
    `most` of them it returns, with the next one in `chosen`, and may be called again.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64, C-contiguous, finite
        Signed points ``y_i x_i``.
    chosen : ndarray of shape (size,), int64
        The subset to begin with, ``arange(size)`` for all.
    k : number, 0 <= k < n, or below the sum of the weights
    most : int, >= 1
    weights : ndarray of shape (n,), float64, or of shape (0,) where all are one

    Returns
    -------
    margin : float
        ``rho_k``, the smallest one but for those left out; ``-inf`` where no subset is separable.
    normal : ndarray of shape (d,)
        Of length one; zero where no subset is separable.
    n_tried : int
    left : bool
        Whether there are more subsets.
    """
    n, d = points.shape
    size, tried = len(chosen), 0
    subset = np.empty((size, d))
    best, normal = -np.inf, np.zeros(d)
    while True:
        for j in range(size):
            for i in range(d):
                subset[j, i] = points[chosen[j], i]
        nearest = from_nearest(subset)[0]
        length = math.sqrt(np.dot(nearest, nearest))
        # `from_nearest` says zero where the hull holds the origin: nothing separates the subset.
        if length > 0.0:
            margin = _trimmed(np.dot(points, nearest), k, weights) / length
            if margin > best:
                best, normal = margin, nearest / length
        tried += 1
        j = size - 1  # the next subset: the last index that can still rise, and the smallest ones after it
        while j >= 0 and chosen[j] == n - size + j:
            j -= 1
        if j < 0:
            return best, normal, tried, False
        chosen[j] += 1
        for i in range(j + 1, size):
            chosen[i] = chosen[i - 1] + 1
        # Only now, so that `chosen` has a subset that is left.
        if tried == most:
            return best, normal, tried, True
