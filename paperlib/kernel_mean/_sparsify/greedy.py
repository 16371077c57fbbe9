"""Greedy orthogonal least squares in the feature space: the rows that lower the error most, one by one."""

import numpy as np

from paperlib._common.rounding import first_smallest

ALL = 8192  # up to so many rows all are candidates, and judged by the whole expansion
SAMPLE = 32_768  # rows that stand for the expansion where there are more
DEPENDENT = 1e-12  # a point whose squared distance from the chosen ones' span is below this share is in it
_SPENT = 1e-28  # gains below this share of the first are rounding


def greedy_rows(kernel, points, weights, m, rng):
    """Choose up to `m` rows, each the one that brings the span of those chosen closest to the expansion.

    Of `n` rows all are candidates while n is at most `ALL` or ``16 m``; of more, ``max(4096, 16 m)`` draws in
    proportion to the absolute weight, judged by `SAMPLE` further draws that stand for the expansion. Time
    O(n^2 d + n m (m + d)) for few rows and O(m^3) for many; memory O(n + m^2).

    Returns
    -------
    ndarray of shape (k,), 1 <= k <= m
        Distinct rows, in the order in which they were taken; fewer than `m` once the rest would not lower the
        error.
    """
    n, count = len(weights), max(4096, 16 * m)
    if n <= max(ALL, count):
        target = kernel.sums(points, points, weights)
        return greedy_order(kernel, points, target, m)
    cumulative = np.cumsum(np.abs(weights))
    candidates = np.unique(draws(cumulative, count, rng))
    judges, share = np.unique(draws(cumulative, SAMPLE, rng), return_counts=True)
    sampled = np.where(weights[judges] < 0, -1.0, 1.0) * share
    target = kernel.sums(points[candidates], points[judges], sampled)
    return candidates[greedy_order(kernel, points[candidates], target, m)]


def greedy_order(kernel, candidates, target, m):
    """Choose up to `m` of the candidates by their inner products with the expansion, ``target`` (c,).

    A partial Cholesky factor of the candidates' kernel matrix, one row a step, has the coordinates of all
    candidates along an orthonormal basis of the span so far. What is left of a candidate outside the span has
    the squared length ``left`` and the inner product ``target`` with what is left of the expansion, so that
    taking it lowers the squared error by ``target**2 / left``. Time O(c m (m + d)), memory O(c m).
    """
    left = kernel.diagonal(candidates).astype(float)
    scale = np.abs(target).max()
    target = target / scale if scale > 0 else target
    floor, first, order = DEPENDENT * left, 0.0, []
    factor = np.empty((min(m, len(candidates)), len(candidates)))
    for k in range(len(factor)):
        # -1 for what lies in the span of the chosen ones, as these do: the loop ends before it takes that.
        gains = np.divide(target * target, left, out=np.full(len(left), -1.0), where=left > floor)
        best = first_smallest(-gains)
        first = first or gains[best]
        if gains[best] <= _SPENT * first:
            break
        row = kernel.matrix(candidates[best][None], candidates)[0]
        # Inner products with what is left of the chosen candidate, of length 1: the next row of the factor.
        row = (row - factor[:k, best] @ factor[:k]) / np.sqrt(left[best])
        target = target - row * (target[best] / np.sqrt(left[best]))
        left -= row * row
        # Rounding must not leave anything, or it could be taken twice.
        left[best] = 0.0
        factor[k] = row
        order.append(best)
    return np.array(order or [0])  # where the expansion is zero any one will do


def draws(cumulative, size, rng):
    """Draw rows with the given running sums of their weights; a row without weight is never drawn."""
    # A row without weight repeats the sum before it, and "right" passes over it. Where rounding takes a
    # product up to the last sum, the last row with weight is drawn.
    found = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.minimum(found, np.searchsorted(cumulative, cumulative[-1]))
