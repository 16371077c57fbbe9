"""The sparse approximations of Section 5: clustered sub-sampling (Theorem 21), plain, herding, projection."""

import math

import numpy as np

from paperlib._common.rounding import first_smallest
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean._sparsify.least_squares import least_squares
from paperlib.kernel_mean._validation.parameters import check_lengths


def approximate(kernel, points, weights, *, m=None, tol=None, delta=0.05, method="farthest_first", rng):
    """Draw a sparse approximation of ``sum_i weights[i] phi(points[i])``; arguments as in `sparsify`.

    Returns
    -------
    support : ndarray of shape (k,)
        Rows of `points`, ascending.
    kept : ndarray of shape (k,)
        Their weights in the approximation.
    diameter : float
        Twice the covering radius of the partition's centres; where there is no partition, of one point.
    """
    n, total = len(weights), np.abs(weights).sum()
    # A negative weight is a positive one of -phi(x): but for its size the expansion is a mean of signed
    # points, as the theorems want it (Section 5.3).
    signs, alpha = np.where(weights < 0, -1.0, 1.0), np.abs(weights) / total
    first = int(rng.choice(n, p=alpha))
    if method in ("random", "herding"):
        # Nothing is clustered here; this gives the diameter.
        *_, radii = farthest_first(kernel, points, signs, 1, first)
        if method == "random":
            draws = np.bincount(rng.choice(n, size=m, p=alpha), minlength=n) / m
        else:
            draws = herd(kernel, points, signs, alpha, m)
    else:

        def good_enough(k, radius):
            # Two points of a part are each within the radius of its centre.
            return total * clustered_error(check_lengths(2 * radius, "diameter"), k, delta) <= tol

        stop = None if tol is None else good_enough
        centres, nearest, radii = farthest_first(kernel, points, signs, m or n, first, stop)
        if method == "project":
            support = np.sort(centres)
            return support, project(kernel, points, weights, support), 2.0 * float(radii[-1])
        draws = clustered_draws(alpha, nearest, len(centres), rng)
    support = np.flatnonzero(draws)
    return support, (total * signs * draws)[support], 2.0 * float(radii[-1])


def clustered_error(diameter, m, delta):
    """Bound of Theorem 21 on the error of clustered sub-sampling, for weights of sum 1."""
    with np.errstate(over="ignore"):
        return diameter * (1.0 + math.sqrt(math.log(1.0 / delta))) / math.sqrt(m)


def clustered_draws(alpha, part, m, rng):
    """Draw the weights of Theorem 21's approximation: (n,), non-negative, with sum 1.

    From each part of probability ``p > 0`` come ``ceil(p m)`` points in proportion to `alpha`, sharing the
    weight ``p`` equally.
    """
    draws = np.zeros(len(alpha))
    order = np.argsort(part, kind="stable")
    # Cut where the part changes, so that the time does not grow with the number of parts times n.
    for members in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        share = alpha[members].sum()
        if share > 0:
            # A share of exactly j/m must give j draws, also when its sum was rounded up.
            size = max(1, int(np.ceil(share * m * (1.0 - 1e-12))))
            chosen = rng.choice(members, size=size, p=alpha[members] / share)
            np.add.at(draws, chosen, share / size)
    return draws


def herd(kernel, points, signs, alpha, m):
    """Choose `m` points, one after the other, each the one that brings their mean closest to the expansion.

    Kernel herding (Chen, Welling, Smola 2010) for ``sum_i alpha[i] s_i phi(x_i)``, a point of the convex hull
    of the signed sample. Nothing in it is random. O(n^2 d) time for the inner products with the expansion,
    then O(n d) for each point; O(n) memory.

    Returns
    -------
    ndarray of shape (n,)
        Multiples of ``1 / m``, with sum 1.
    """
    draws = np.zeros(len(alpha))
    target = signs * kernel.sums(points, points, signs * alpha)  # inner products with the expansion
    half_squares = kernel.diagonal(points) / 2.0
    taken = np.zeros(len(alpha))  # inner products with the sum of the points taken
    for k in range(1, m + 1):
        # With f the expansion and S the sum of the points taken, ||k f - S - s phi(x)||^2 is ||k f - S||^2
        # less twice this.
        gain = np.where(alpha > 0, k * target - taken - half_squares, -np.inf)
        chosen = first_smallest(-gain, k * half_squares.max())
        taken += signs * signs[chosen] * kernel.matrix(points[chosen][None], points)[0]
        draws[chosen] += 1.0 / m
    return draws


def project(kernel, points, weights, support):
    """Weights on ``points[support]`` that bring their expansion closest to that of all points.

    The orthogonal projection onto their span (Cortes and Scott 2016). Points that depend on the others get
    the weight zero. O(k n d + k^3) time for k points.

    Returns
    -------
    ndarray of shape (k,)
    """
    if len(support) == len(weights):  # nothing is left out, so nothing needs to be rounded
        return weights[support]
    return least_squares(kernel, points[support], points, weights)
