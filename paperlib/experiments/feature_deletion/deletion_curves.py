"""Errors of a linear classifier as more and more features are deleted, or corrupted."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.feature_deletion._deletion.knapsack import ROUNDING


@jit
def margins_after(X, signs, w, b, values, budgets, keys, noise, margins):
    """Fill `margins` (m, number of budgets) with ``y (w . x + b)`` after greedy or random deletions.

    As `knapsack.worst_subsets` has them with `by_size`, but each example's features are sorted only once.
    With `keys` (m, n), not None, those that are not zero are deleted in the order of their keys instead. With
    `noise` (m, n), not None, its entries stand in for what is deleted.
    """
    for i in range(X.shape[0]):
        profits = signs[i] * w * X[i]
        if keys is None:
            candidates = np.flatnonzero(profits > 0.0)
            order = candidates[np.argsort(-profits[candidates], kind="mergesort")]
        else:
            candidates = np.flatnonzero(X[i])
            order = candidates[np.argsort(keys[i][candidates], kind="mergesort")]
        # Each budget starts anew: what fits into a larger one need not contain what fits into a smaller one.
        for k in range(budgets.size):
            left = budgets[k] * (1.0 + ROUNDING)
            gone = np.zeros(w.size, np.bool_)
            for j in order:
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


def errors_after(
    w: np.ndarray,
    b: float,
    X: np.ndarray,
    signs: np.ndarray,
    values: np.ndarray,
    budgets: np.ndarray,
    keys: np.ndarray | None = None,
    noise: np.ndarray | None = None,
) -> np.ndarray:
    """Share of examples that a linear classifier gets wrong, for each budget.

    Parameters
    ----------
    w : ndarray of shape (n,)
    b : float
    X : ndarray of shape (m, n)
    signs : ndarray of shape (m,), of -1.0 and 1.0
    values : ndarray of shape (n,)
    budgets : ndarray of shape (k,)
    keys : ndarray of shape (m, n), optional
        Random numbers: features that are not zero are deleted in their order. Without them the deletions are
        greedy, by decreasing contribution to the margin.
    noise : ndarray of shape (m, n), optional
        Takes the place of what is deleted, which is 0 otherwise.

    Returns
    -------
    ndarray of shape (k,)
        A margin of zero is a mistake, as in Equation (1).

    Examples
    --------
    >>> import numpy as np
    >>> X, y, ones = np.array([[1.0, 0.5], [-1.0, -0.5]]), np.array([1.0, -1.0]), np.ones(2)
    >>> errors_after(ones, 0.1, X, y, ones, np.array([0.0, 1.0, 2.0])).tolist()
    [0.0, 0.0, 0.5]
    """
    budgets = np.asarray(budgets, dtype=float)
    margins = np.empty((len(X), budgets.size))
    margins_after(X, signs, w, b, values, budgets, keys, noise, margins)
    return np.mean(margins <= 0, axis=0)
