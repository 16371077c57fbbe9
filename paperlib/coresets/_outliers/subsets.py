"""The hyperplanes of all small subsets of the data, and the one of largest trimmed margin (Figure 4)."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._solver.wolfe import from_nearest


@jit
def best_of_size(points, chosen, k, most):
    """Find the subset of a size whose hyperplane has the largest margin on all points but k.

    Subsets come in lexicographic order, so that of several with the same margin the first one stays. After
    `most` of them it returns, with the next one in `chosen`, and may be called again.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64, C-contiguous, finite
        Signed points ``y_i x_i``.
    chosen : ndarray of shape (size,), int64
        The subset to begin with, ``arange(size)`` for all.
    k : int, 0 <= k < n
    most : int, >= 1

    Returns
    -------
    margin : float
        ``rho_k``, the (k+1)-th smallest margin; ``-inf`` where no subset is separable.
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
            subset[j] = points[chosen[j]]
        nearest = from_nearest(subset)[0]
        length = math.sqrt(np.dot(nearest, nearest))
        if length > 0.0:
            margin = np.partition(np.dot(points, nearest), k)[k] / length
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
        if tried == most:
            return best, normal, tried, True
