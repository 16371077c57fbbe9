"""The fewest points that reach a tolerance, by an error that is exact for few rows and estimated for many."""

import math

import numpy as np
from scipy.stats import norm

from paperlib._common.kernels import quadratic_form
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.greedy import ALL, draws

MOST = 8192  # points that a tolerance may take
_TESTS = 32  # sizes tried at most: doubled up to MOST, then bisected
_BLOCK = 512  # draws whose pairs stand for all pairs of draws where only a spread is asked for
_LOST = 1e-10  # squared errors below this share of sum |w|^2 have lost digits in a difference


def fewest(find, within, n):
    """Return ``find(m)`` for the least `m` at which it is within the tolerance, or None where none is.

    `m` is doubled up to `MOST`, then bisected: with one point less the tolerance was missed. `find` returns
    an approximation by at most `m` points.
    """
    most, missed, reached, m = min(n, MOST), 0, None, 1
    while reached is None:
        found = find(m)
        if within(found):
            reached = m
        elif m == most:
            return None
        else:
            missed, m = m, min(2 * m, most)
    # Invariant: `missed` points miss the tolerance, and `found`, of `reached` points, is within it.
    while reached - missed > 1:
        m = (missed + reached) // 2
        trial = find(m)
        if within(trial):
            reached, found = m, trial
        else:
            missed = m
    return found


def upper_error(kernel, points, weights, tol, delta, rng):
    """Return a function of points and weights that bounds the error of their expansion from above.

    Up to `ALL` rows it is the error itself. For more it is the upper end of a confidence interval, from as
    many draws as a tolerance of `tol` needs.
    """
    n, total = len(weights), np.abs(weights).sum()
    with np.errstate(over="ignore"):
        wanted = 4.0 * (total / tol) ** 2 * np.abs(kernel.diagonal(points)).max()
    size = max(ALL, math.ceil(min(n, wanted)))
    if size >= n:
        return _exact(kernel, points, weights)
    return EstimatedError(kernel, points, weights, size, delta, rng)


def _exact(kernel, points, weights):
    total = np.abs(weights).sum()
    weights = weights / total
    whole = quadratic_form(kernel, points, weights)

    def error(chosen, kept):
        kept = kept / total
        target, own = kernel.sums(chosen, points, weights), kernel.sums(chosen, chosen, kept)
        squared = whole - 2.0 * (kept @ target) + kept @ own
        if squared < _LOST * kernel.diagonal(points).max():
            return total * expansion_norm(
                kernel, np.vstack([points, chosen]), np.concatenate([weights, -kept])
            )
        return total * math.sqrt(squared)

    return error


class EstimatedError:
    """Upper confidence bound of the error, from draws of rows in proportion to their absolute weight.

    The squared error is the mean over all pairs of ``<s phi(x) - f, s' phi(x') - f>`` with ``f`` the sparse
    expansion; over the pairs of different draws that mean is a U-statistic (Hoeffding 1948), unbiased and
    nearly normal. The interval holds with probability ``1 - delta``, approximately, for all sizes tried.
    """

    def __init__(self, kernel, points, weights, size, delta, rng):
        self.kernel, self.total = kernel, np.abs(weights).sum()
        rows = draws(np.cumsum(np.abs(weights)), size, rng)
        self.points, self.signs = points[rows], np.where(weights[rows] < 0, -1.0, 1.0)
        sums = self.signs * kernel.sums(self.points, self.points, self.signs)
        # Without the pair of a draw with itself, whose share in the mean would be a bias.
        self.with_others = (sums - kernel.diagonal(self.points)) / (size - 1)
        block = slice(min(size, _BLOCK))
        signs, matrix = self.signs[block], kernel.matrix(self.points[block], self.points[block])
        self.block = matrix * signs * signs[:, None]
        # By a union bound over the sizes that may be tried.
        self.quantile = norm.isf(delta / _TESTS)

    def __call__(self, chosen, kept):
        estimate, stderr = self.squared(chosen, kept / self.total)
        return self.total * math.sqrt(max(estimate + self.quantile * stderr, 0.0))

    def squared(self, chosen, kept):
        """Return an estimate of the squared error, for weights of sum 1, and at least its standard error.

        The variance is four times that of the rows' own means over `size`, where most of the error is in a
        few directions, and twice that of single pairs over its square, where it is in many (Hoeffding).
        """
        size, width = len(self.signs), len(self.block)
        along = self.signs * self.kernel.sums(self.points, chosen, kept)
        own = kept @ self.kernel.sums(chosen, chosen, kept)
        others = (along.sum() - along) / (size - 1)
        per_row = self.with_others - along - others + own
        pairs = self.block - along[:width] - along[:width, None] + own
        spread = (pairs[~np.eye(width, dtype=bool)] ** 2).mean()
        return per_row.mean(), math.sqrt(4.0 * per_row.var() / size + 2.0 * spread / size**2)
