"""Errors of a linear classifier as more and more features are deleted, or corrupted."""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.stable_sort import from_largest
from paperlib._common.typing import Floats, Integers
from paperlib.feature_deletion._deletion.knapsack import ROUNDING

ROUNDED = (
    1e-12  # of a margin's terms; weights at their bounds are equal, so that many margins are exactly zero
)


@jit
def margins_after(X, signs, w, b, values, budgets, noise, by_value, margins):
    """Fill `margins` (m, number of budgets) with ``y (w . x + b)`` after greedy deletions.

    As `knapsack.worst_subsets` has them with `by_size`, but each example's features are sorted only once.
    With `noise` (m, n), not None, its entries stand in for what is deleted. With `by_value` the dearest goes
    first of what carries the margin, and of equally dear ones what carries most of it.
    """
    profits, keys, prices = np.empty(w.size), np.empty(w.size), np.empty(w.size)
    candidates, gone = np.empty(w.size, np.int64), np.empty(w.size, np.bool_)
    for i in range(X.shape[0]):
        size = 0
        for j in range(w.size):
            profits[j] = signs[i] * w[j] * X[i, j]
            if profits[j] > 0.0:
                candidates[size], keys[size] = j, profits[j]
                size += 1
        order = from_largest(keys[:size])
        if by_value:
            for k in range(size):
                prices[k] = values[candidates[order[k]]]
            order = order[from_largest(prices[:size])]  # a stable sort
        # Each budget starts anew: what fits into a larger one need not contain what fits into a smaller one.
        for k in range(budgets.size):
            left = budgets[k] * (1.0 + ROUNDING)
            for j in range(w.size):
                gone[j] = False
            for at in order:
                j = candidates[at]
                if values[j] <= left:
                    gone[j] = True
                    left -= values[j]
            total = 0.0
            for j in range(w.size):
                if not gone[j]:
                    total += profits[j]
                elif noise is not None:
                    total += signs[i] * w[j] * noise[i, j]
            margins[i, k] = total + signs[i] * b


@jit
def margins_of_survivors(X, signs, w, b, survived, margins):
    """Fill `margins` (m, number of budgets) with ``y (w . x + b)`` over the features that a budget leaves.

    `survived` (m, n) has for each feature the number of budgets, the smallest first, that it survives.
    """
    n_budgets = margins.shape[1]
    of_last = np.empty(n_budgets + 1)  # sum over the features whose last budget it is
    for i in range(X.shape[0]):
        for k in range(n_budgets + 1):
            of_last[k] = 0.0
        for j in range(w.size):
            of_last[survived[i, j]] += w[j] * X[i, j]
        total = b
        for k in range(n_budgets - 1, -1, -1):
            total += of_last[k + 1]
            margins[i, k] = signs[i] * total


def errors_after(
    w: Floats,
    b: float,
    X: Floats,
    signs: Floats,
    values: Floats,
    budgets: Floats,
    noise: Floats | None = None,
    by_value: bool = False,
) -> Floats:
    """Share of examples that a linear classifier gets wrong after greedy deletions, for each budget.

    Parameters
    ----------
    w : ndarray of shape (n,)
    b : float
    X : ndarray of shape (m, n)
    signs : ndarray of shape (m,), of -1.0 and 1.0
    values : ndarray of shape (n,)
    budgets : ndarray of shape (k,)
    noise : ndarray of shape (m, n), optional
        Takes the place of what is deleted, which is 0 otherwise.
    by_value : bool, default=False
        Delete first what has the largest value, of the features that carry the margin, and not what carries
        most of it.

    Returns
    -------
    ndarray of shape (k,)
        A margin of zero, but for rounding, is a mistake, as in Equation (1).

    Examples
    --------
    >>> import numpy as np
    >>> X, y, ones = np.array([[1.0, 0.5], [-1.0, -0.5]]), np.array([1.0, -1.0]), np.ones(2)
    >>> errors_after(ones, 0.1, X, y, ones, np.array([0.0, 1.0, 2.0])).tolist()
    [0.0, 0.0, 0.5]
    """
    budgets = np.asarray(budgets, dtype=float)
    margins = np.empty((len(X), budgets.size))
    margins_after(X, signs, w, b, values, budgets, noise, by_value, margins)
    return _mistakes(margins, w, b)


def random_survival(X: Floats, budgets: Floats, rng: np.random.Generator) -> Integers:
    """Delete features that are not zero, in random order, and say how many budgets each survives.

    Parameters
    ----------
    X : ndarray of shape (m, n)
    budgets : ndarray of shape (k,), ascending
        Numbers of features.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (m, n), of integers from 0 to k

    Examples
    --------
    >>> import numpy as np
    >>> random_survival(np.array([[0.0, 3.0]]), np.array([0.0, 1.0]), np.random.default_rng(0)).tolist()
    [[2, 1]]
    """
    keys = rng.uniform(size=X.shape)
    keys[X == 0] = np.inf
    place = np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1, kind="stable")
    return np.where(X == 0, len(budgets), np.searchsorted(budgets, place + 1))


def errors_at_random(
    w: Floats, b: float, X: Floats, signs: Floats, survived: Integers, n_budgets: int
) -> Floats:
    """Share of examples that a linear classifier gets wrong after random deletions, for each budget.

    Parameters
    ----------
    w, b, X, signs
        As in `errors_after`.
    survived : ndarray of shape (m, n)
        Of `random_survival`: drawn once, so that all classifiers face the same deletions.
    n_budgets : int

    Returns
    -------
    ndarray of shape (n_budgets,)
    """
    margins = np.empty((len(X), n_budgets))
    margins_of_survivors(X, signs, w, b, survived, margins)
    return _mistakes(margins, w, b)


def _mistakes(margins, w, b):
    """Share of margins that are not positive, or zero but for rounding, which has another sign elsewhere."""
    return np.mean(margins <= ROUNDED * (np.abs(w).sum() + abs(b)), axis=0)
