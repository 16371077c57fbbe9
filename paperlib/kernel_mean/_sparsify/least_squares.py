"""Best weights for given points: the projection of an expansion onto their span, whatever the points are."""

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpstrf

from paperlib.kernel_mean._sparsify.greedy import DEPENDENT


def least_squares(kernel, chosen, points, weights):
    """Weights on `chosen` (k, d), any points at all, that bring their expansion closest to that of `points`.

    A pivoted Cholesky factor decides which of them are independent; the others get the weight zero, so that
    duplicates do no harm. Time O(k n d + k^3), memory O(k^2) beside the points.

    Returns
    -------
    ndarray of shape (k,)
    """
    return solve(kernel, chosen, kernel.sums(chosen, points, weights))


def solve(kernel, chosen, target):
    """Weights on `chosen` (k, d) whose expansion has the inner products `target` (k,) with each of them."""
    matrix = kernel.matrix(chosen, chosen)
    diagonal = np.sqrt(np.abs(np.diag(matrix)))
    diagonal[diagonal == 0] = 1.0
    # With a diagonal of ones a pivot is the squared distance of a point from the span of those before it.
    factor, pivots, rank, _ = dpstrf(matrix / diagonal / diagonal[:, None], tol=DEPENDENT, lower=1)
    # LAPACK counts from 1.
    kept, found = pivots[:rank] - 1, np.zeros(len(target))
    scale = np.abs(target).max()
    if rank and scale > 0:
        right = target[kept] / diagonal[kept] / scale
        found[kept] = cho_solve((factor[:rank, :rank], True), right) / diagonal[kept] * scale
    return found
