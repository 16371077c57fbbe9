"""The length of a kernel expansion whose terms nearly cancel: the error of a sparse approximation.

``||sum_i w_i phi(x_i)||^2 = sum_ij w_i w_j K(x_i, x_j)`` loses all digits once the length is below 1e-8 of
``sum_i |w_i|``: near duplicates of opposite weight have kernel values that agree to the last bit. For the
Gaussian kernel the sum can be rearranged into moves ``phi(x_i) - phi(c_i)`` from a nearby point, whose inner
products are sums of products of ``expm1``; what cancels then cancels between the moves, which are short.
"""

import math

import numpy as np

from paperlib._common.kernels import Gaussian, Linear, Precomputed, quadratic_form
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean._sparsify.moves import form_of_moves

_PLAIN = 1e-4  # lengths above this share of sum |w_i| sqrt(K_ii) have at least 7 digits by the plain sum


def expansion_norm(kernel, points, weights):
    """Return ``||sum_i weights[i] phi(points[i])||``, never negative under the root.

    Equal points are merged first, so that what cancels exactly is exactly zero. A linear kernel's norm is
    that of the summed vectors; a Gaussian's is rearranged where it is small. Time O(n^2 d), memory O(n d).

    Parameters
    ----------
    kernel : kernel object
    points : ndarray of shape (n, d)
    weights : ndarray of shape (n,)

    Returns
    -------
    float
    """
    points, weights = points[weights != 0], weights[weights != 0]
    if not isinstance(kernel, Precomputed):
        points, weights = merge(points, weights)
    if len(weights) == 0:
        return 0.0
    scale = np.abs(weights).max()  # the weights' scale must not matter, not even when its square underflows
    weights = weights / scale
    if isinstance(kernel, Linear):
        return float(scale * np.linalg.norm(weights @ points))
    length = math.sqrt(quadratic_form(kernel, points, weights))
    if isinstance(kernel, Gaussian) and length < _PLAIN * np.abs(weights).sum():
        length = _length_by_moves(kernel, points, weights, length)
    return float(scale * length)


def merge(points, weights):
    """Equal points once, with the sum of their weights; those whose sum is rounding are left out."""
    distinct, which = np.unique(points, axis=0, return_inverse=True)
    sums = np.bincount(which.ravel(), weights=weights)
    sizes = np.bincount(which.ravel(), weights=np.abs(weights))
    left = np.abs(sums) > 4.0 * np.finfo(float).eps * sizes
    return distinct[left], sums[left]


def _length_by_moves(kernel, points, weights, plain):
    """Move every point to the nearest of a few that cover all; `plain` where these moves are not short."""
    n = len(weights)
    # The signs are all 1: a move is between points, whatever the signs of their weights.
    centres, nearest, radii = farthest_first(
        kernel, points, np.ones(n), n, 0, lambda k, radius: radius < 1e-3 or k > 64 + math.sqrt(n)
    )
    # A distance of 1 in the feature space is one below 1 / sqrt(gamma) between the points, the longest move
    # that `form_of_moves` takes.
    if radii[-1] > 1.0:
        return plain
    masses = np.bincount(nearest, weights=weights, minlength=len(centres))
    sizes = np.bincount(nearest, weights=np.abs(weights), minlength=len(centres))
    # What is left of weights that cancel is rounding.
    masses[np.abs(masses) <= 16.0 * np.finfo(float).eps * sizes] = 0.0
    moves = points - points[centres[nearest]]
    moved = (moves != 0).any(axis=1)
    form = form_of_moves(points[centres], masses, nearest[moved], moves[moved], weights[moved], kernel.gamma)
    return math.sqrt(max(form, 0.0))
