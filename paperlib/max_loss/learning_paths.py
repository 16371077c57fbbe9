"""How the Perceptron gets on, round by round, with and without focus."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.max_loss import perceptron
from paperlib.max_loss import slack as slacks
from paperlib.max_loss.weights import SumTree


class IteratePaths(NamedTuple):
    """Runs of the Perceptron, as they were at each checkpoint.

    Attributes
    ----------
    w : ndarray of shape (n_runs, n_checkpoints, d)
    q : ndarray of shape (n_runs, n_checkpoints, m)
        The p player's weights; all equal where it draws uniformly.
    """

    w: Floats
    q: Floats


def learning_paths(X, y, checkpoints, methods, n_runs, *, random_state=None):
    """Play rounds of the Perceptron, and look at it at the checkpoints.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    checkpoints : list of int >= 1, ascending
        Rounds after which to look.
    methods : dict of str to float
        ``eta`` of the p player in units of ``1 / (2 m)``; 0 is uniform sampling.
    n_runs : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per method, run and checkpoint
        method, run, rounds, mistakes (made so far), errors (of the last iterate on all examples).
    q : dict of str to ndarray of shape (m,)
        The p player's weights at the end of the last run.

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> paths, q = learning_paths(X, y, [1, 20], {"FOL": 1.0}, 1, random_state=0)
    >>> paths.errors.tolist(), paths.mistakes.tolist(), q["FOL"].sum().round(9).item()
    ([1, 0], [1, 2], 1.0)
    """
    rng = np.random.default_rng(random_state)
    rows, q = [], {}
    for run in range(n_runs):
        for method, factor in methods.items():
            for until, w, weights, mistakes in _looks(X, y, checkpoints, factor, rng):
                rows.append((method, run, until, mistakes, int((y * (X @ w) <= 0.0).sum())))
                q[method] = weights
    return pd.DataFrame(rows, columns=["method", "run", "rounds", "mistakes", "errors"]), q


def iterate_paths(X, y, checkpoints, factor, n_runs, *, random_state=None):
    """Play rounds of the Perceptron, and keep w and q of every checkpoint.

    Parameters
    ----------
    X, y, checkpoints, n_runs, random_state
        As in `learning_paths`.
    factor : float >= 0
        ``eta`` of the p player in units of ``1 / (2 m)``; 0 is uniform sampling.

    Returns
    -------
    IteratePaths

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> paths = iterate_paths(X, y, [1, 20], 1.0, 3, random_state=0)
    >>> paths.w.shape, paths.w[0].tolist(), paths.q.sum(axis=2).round(9).min().item()
    ((3, 2, 2), [[2.0, 0.0], [2.0, -1.0]], 1.0)
    """
    rng = np.random.default_rng(random_state)
    looks = [list(_looks(X, y, checkpoints, factor, rng)) for _ in range(n_runs)]
    w = np.array([[w for _, w, _, _ in run] for run in looks])
    return IteratePaths(w, np.array([[q for _, _, q, _ in run] for run in looks]))


def _looks(X, y, checkpoints, factor, rng):
    """Yield ``(rounds, w, q, mistakes)`` of one run at each checkpoint."""
    m, d = X.shape
    rules = (1.0, 0.0, slacks.NO_SLACK, slacks.allocate(m))
    gamma, eta = (0.5, 0.5 * factor / m) if factor > 0.0 else (1.0, 1.0)
    w, tree, done, mistakes = np.zeros(d + 1), SumTree(m), 0, 0
    for until in checkpoints:
        us = rng.random(until - done)
        mistakes += int(perceptron.binary_rounds(us, eta, gamma, X, y, 0.0, w, tree.state, *rules))
        done = until
        yield until, w[:-1].copy(), tree.probabilities(), mistakes
