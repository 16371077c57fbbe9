"""The hyperplanes of all small subsets of the data, and the one of largest trimmed margin (Figure 4)."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._solver.wolfe import from_nearest


@jit
def best_of_size(points, size, k):
    """Find the subset of a size whose hyperplane has the largest margin on all points but k.

    Subsets come in lexicographic order, so that of several with the same margin the first one stays.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64, C-contiguous, finite
        Signed points ``y_i x_i``.
    size : int, 1 <= size <= n
    k : int, 0 <= k < n

    Returns
    -------
    margin : float
        ``rho_k``, the (k+1)-th smallest margin; ``-inf`` where no subset is separable.
    normal : ndarray of shape (d,)
        Of length one; zero where no subset is separable.
    """
    n, d = points.shape
    chosen = np.arange(size)
    subset = np.empty((size, d))
    best, normal = -np.inf, np.zeros(d)
    while True:
        for j in range(size):
            subset[j] = points[chosen[j]]
        nearest = from_nearest(subset)[0]
        length = math.sqrt(np.dot(nearest, nearest))
        if length > 0.0:
            margin = np.partition(np.dot(points, nearest), k)[k] / length
            if margin > best:
                best, normal = margin, nearest / length
        j = size - 1  # the next subset: the last index that can still rise, and the smallest ones after it
        while j >= 0 and chosen[j] == n - size + j:
            j -= 1
        if j < 0:
            return best, normal
        chosen[j] += 1
        for i in range(j + 1, size):
            chosen[i] = chosen[i - 1] + 1
