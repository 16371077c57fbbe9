"""Section 2.3: where focus goes, round by round, on a few hard points."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.experiments.max_loss.samples import mostly_easy_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss.sum_tree import SumTree

HARD = 3  # points near the origin


class FocusRuns(NamedTuple):
    """Result of `focus_runs`.

    Attributes
    ----------
    X : ndarray of shape (m, 2)
        The hard points first.
    y : ndarray of shape (m,)
    paths : DataFrame
    q : dict of str to ndarray of shape (m,)
        Both of `learning_paths`.
    """

    X: Floats
    y: Floats
    paths: pd.DataFrame
    q: dict[str, Floats]


@step
def focus_runs(m, checkpoints, methods, n_runs, *, seed):
    """Play `learning_paths` on m points of the plane that are easy but for three.

    Parameters
    ----------
    m : int >= 3
    checkpoints, methods, n_runs
        As in `learning_paths`.
    seed : int

    Returns
    -------
    FocusRuns
    """
    points, draws = stream(seed, "focus").spawn(2)
    X, y = mostly_easy_sample(m, HARD, random_state=points)
    return FocusRuns(X, y, *learning_paths(X, y, checkpoints, methods, n_runs, random_state=draws))


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


@step
def update_signs(m, n_rounds, *, seed):
    """Update q by ``log q + eta z`` as Section 2 prints it, and by ``log q - eta z`` as Section 2.3 does.

    One example has a loss of 1 in every round, the others none; ``z_t = -(loss / p) e_i``.

    Parameters
    ----------
    m : int >= 2
    n_rounds : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per form ("printed", "corrected")
        form, share (of q that the one example has at the end, in units of 1 / m).

    Examples
    --------
    >>> printed, corrected = update_signs(10, 200, seed=0).share
    >>> printed < 1.0 < corrected
    True
    """
    rows = []
    for form, sign in (("printed", 1.0), ("corrected", -1.0)):
        rng, tree = stream(seed, "update"), SumTree(m)
        for _ in range(n_rounds):
            i, p = tree.sample(rng)
            z = -1.0 / p if i == 0 else 0.0
            tree.update_log(i, sign * z / (2.0 * m))
        rows.append((form, m * tree.value(0) / tree.total))
    return pd.DataFrame(rows, columns=["form", "share"])


def _looks(X, y, checkpoints, factor, rng):
    """Yield ``(rounds, w, q, mistakes)`` of one run at each checkpoint."""
    m, d = X.shape
    sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
    uniform_share, eta = (0.5, 0.5 * factor / m) if factor > 0.0 else (1.0, 1.0)
    W, tree, done, mistakes = np.zeros((1, d + 1)), SumTree(m), 0, 0
    for until in checkpoints:
        us = rng.random(until - done)
        mistakes += play(us, len(us), eta, uniform_share, sample, W, tree.state, slack)[1]
        done = until
        yield until, W[0, :-1].copy(), tree.probabilities(), mistakes
