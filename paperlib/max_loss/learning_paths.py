"""How the Perceptron gets on, round by round, with and without focus."""

import numpy as np
import pandas as pd

from paperlib.max_loss import perceptron
from paperlib.max_loss import slack as slacks
from paperlib.max_loss.weights import SumTree


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
    m, d = X.shape
    rules = (1.0, 0.0, slacks.NO_SLACK, slacks.allocate(m))
    rows, q = [], {}
    for run in range(n_runs):
        for method, factor in methods.items():
            gamma, eta = (0.5, 0.5 * factor / m) if factor > 0.0 else (1.0, 1.0)
            w, tree, done, mistakes = np.zeros(d + 1), SumTree(m), 0, 0
            for until in checkpoints:
                us = rng.random(until - done)
                mistakes += perceptron.binary_rounds(us, eta, gamma, X, y, 0.0, w, tree.state, *rules)
                done = until
                rows.append((method, run, until, int(mistakes), int((y * (X @ w[:-1]) <= 0.0).sum())))
            q[method] = tree.probabilities()
    return pd.DataFrame(rows, columns=["method", "run", "rounds", "mistakes", "errors"]), q
