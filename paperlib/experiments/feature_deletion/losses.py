"""Losses and risks of a linear classifier under deletion, in NumPy: nothing of the library they judge."""

import itertools

import numpy as np

from paperlib._common.typing import Floats

BLOCK = 4096  # examples at a time


def relaxed_losses(
    w: Floats,
    b: float | Floats,
    X: Floats,
    y: Floats,
    n_deleted: float,
    margin: float = 1.0,
    values: Floats | None = None,
) -> Floats:
    """Loss of each example in Equation (4); in Equation (12), too, for values of one and an integer N.

    The adversary deletes in part: from the largest ``(y w_j x_j - margin v_j / P) / v_j`` down, while that is
    positive, until his budget is used up.

    Parameters
    ----------
    w : ndarray of shape (n,) or (m, n)
        The latter for another classifier with each example.
    b : float or ndarray of shape (m,)
    X : ndarray of shape (m, n)
    y : ndarray of shape (m,), of -1.0 and 1.0
    n_deleted : float in [0, V)
    margin : float, default=1.0
    values : ndarray of shape (n,), optional

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> X, y = np.array([[0.5, 0.5]]), np.array([1.0])
    >>> relaxed_losses(np.array([3.0, 0.0]), 0.0, X, y, 1).tolist()
    [1.0]
    """
    v = np.ones(X.shape[1]) if values is None else values
    price = margin / (v.sum() - n_deleted)
    harm = y[:, None] * w * X - price * v
    free = v == 0
    density = np.where(free, np.inf, harm / np.where(free, 1.0, v))
    order = np.argsort(-density, axis=1)
    spent = np.cumsum(v[order], axis=1)
    # A feature that costs nothing goes whole; of the others each as far as the budget left before it reaches.
    parts = np.where(free[order], 1.0, np.clip((n_deleted - spent) / np.where(free, 1.0, v)[order] + 1, 0, 1))
    gains = np.maximum(np.take_along_axis(harm, order, axis=1), 0.0)
    return np.maximum(price * v.sum() - y * ((w * X).sum(axis=1) + b) + (gains * parts).sum(axis=1), 0.0)


def every_set(values: Floats, n_deleted: float) -> Floats:
    """Return a row of 0.0 and 1.0 for each set J of features that the adversary may leave.

    Examples
    --------
    >>> every_set(np.ones(2), 1).tolist()
    [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    kept = np.array(list(itertools.product([0.0, 1.0], repeat=len(values))))
    return kept[(1.0 - kept) @ values <= n_deleted + 1e-12]


def risk(w: Floats, b: float, X: Floats, y: Floats, n_deleted: float, values: Floats) -> float:
    """Share of examples with a mistake after some deletion (Equations 1 and 2), by trying all sets.

    Parameters
    ----------
    w, b, X, y, n_deleted
        As in `relaxed_losses`; n of 12 at most is wise.
    values : ndarray of shape (n,)

    Examples
    --------
    >>> X, y = np.array([[1.0, 0.2], [1.0, 0.1]]), np.ones(2)
    >>> risk(np.ones(2), -0.15, X, y, 1, np.ones(2))
    0.5
    """
    kept = every_set(values, n_deleted)
    wrong = 0
    for first in range(0, len(X), BLOCK):
        block, signs = X[first : first + BLOCK], y[first : first + BLOCK]
        wrong += int((signs[:, None] * ((block * w) @ kept.T + b) <= 0).any(axis=1).sum())
    return wrong / len(X)
