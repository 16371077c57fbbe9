"""The sampling schemes of Section 5: clustered (Theorem 21) and plain."""

import numpy as np

from paperlib.kernel_mean.farthest_first import farthest_first
from paperlib.kernel_mean.theory import theorem_21


def approximate(kernel, points, weights, *, m=None, tol=None, delta=0.05, method="farthest_first", rng):
    """Draw a sparse approximation of ``sum_i weights[i] phi(points[i])``; arguments as in `sparsify`.

    Returns
    -------
    support : ndarray of shape (k,)
        Rows of `points`, ascending.
    kept : ndarray of shape (k,)
        Their weights in the approximation.
    diameter : float
        Twice the covering radius of the partition's centres.
    """
    n, total = len(weights), np.abs(weights).sum()
    signs, alpha = np.where(weights < 0, -1.0, 1.0), np.abs(weights) / total
    first = int(rng.choice(n, p=alpha))
    if method == "random":
        *_, radii = farthest_first(kernel, points, signs, 1, first)
        draws = np.bincount(rng.choice(n, size=m, p=alpha), minlength=n) / m
    else:
        stop = None if tol is None else (lambda k, radius: total * theorem_21(2 * radius, k, delta) <= tol)
        centres, nearest, radii = farthest_first(kernel, points, signs, m or n, first, stop)
        draws = clustered_draws(alpha, nearest, len(centres), rng)
    support = np.flatnonzero(draws)
    return support, (total * signs * draws)[support], 2.0 * float(radii[-1])


def clustered_draws(alpha, part, m, rng):
    """Draw the weights of Theorem 21's approximation: (n,), non-negative, with sum 1.

    From each part of probability ``p > 0`` come ``ceil(p m)`` points in proportion to `alpha`, sharing the
    weight ``p`` equally.
    """
    draws = np.zeros(len(alpha))
    order = np.argsort(part, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        share = alpha[members].sum()
        if share > 0:
            # A share of exactly j/m must give j draws, also when its sum was rounded up.
            size = max(1, int(np.ceil(share * m * (1.0 - 1e-12))))
            chosen = rng.choice(members, size=size, p=alpha[members] / share)
            np.add.at(draws, chosen, share / size)
    return draws
