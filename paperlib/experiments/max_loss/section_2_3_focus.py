"""Section 2.3: where focus goes, round by round, on a few hard points, and where wrong labels take it."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats, Integers
from paperlib.experiments.max_loss.samples import flip_labels, mostly_easy_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss.sum_tree import SumTree

HARD = 3  # points near the origin


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


class FocusWatch(NamedTuple):
    """Result of `watch_focus`.

    Attributes
    ----------
    X : ndarray of shape (m, 2)
    labels : ndarray of shape (m,)
        As the learner has them, some of them wrong.
    flipped : ndarray of shape (n_wrong,)
        Which are.
    paths : dict of str to IteratePaths
        Of "uniform" and of "FOL".
    missed : dict of str to ndarray of shape (n_checkpoints,)
        How many points the iterate has on the wrong side, by their right labels; mean of the runs.
    on_hard, on_wrong : ndarray of shape (n_checkpoints,)
        Share of FOL's weights on the hard points and on those with wrong labels; mean of the runs.
    """

    X: Floats
    labels: Floats
    flipped: Integers
    paths: dict[str, IteratePaths]
    missed: dict[str, Floats]
    on_hard: Floats
    on_wrong: Floats


def watch_focus(checkpoints, n_wrong=0, factor=1.0, sample=0, *, m=300, n_runs=10):
    """Play uniform sampling and FOL on `mostly_easy_sample`, with some labels of easy points wrong.

    Parameters
    ----------
    checkpoints : list of int >= 1, ascending
        Rounds after which to look.
    n_wrong : int in [0, m - 3]
    factor : float > 0
        FOL's ``eta``, in units of ``1 / (2 m)``.
    sample : int
        Seed of the points and of all draws; with another `n_wrong` the points are the same.
    m, n_runs : int

    Returns
    -------
    FocusWatch

    Examples
    --------
    >>> seen = watch_focus([1, 10_000], factor=10.0)
    >>> seen.missed["FOL"].tolist(), bool(seen.on_hard[-1] > 0.9)
    ([3.0, 0.0], True)
    >>> seen = watch_focus([1, 10_000], 1, factor=10.0)
    >>> bool(seen.missed["FOL"][-1] > 10.0), bool(seen.on_wrong[-1] > seen.on_hard[-1])
    (True, True)
    """
    X, y = mostly_easy_sample(m, HARD, random_state=sample)
    easy, flipped = flip_labels(y[HARD:], n_wrong, random_state=sample)
    labels, flipped = np.append(y[:HARD], easy), flipped + HARD
    factors = {"uniform": 0.0, "FOL": factor}
    paths = {
        name: iterate_paths(X, labels, checkpoints, each, n_runs, random_state=sample)
        for name, each in factors.items()
    }
    missed = {name: _missed(X, y, each.w).mean(axis=0) for name, each in paths.items()}
    q = paths["FOL"].q.mean(axis=0)
    return FocusWatch(X, labels, flipped, paths, missed, q[:, :HARD].sum(axis=1), q[:, flipped].sum(axis=1))


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


def _missed(X, y, w):
    return (y * (w @ X.T) <= 0.0).sum(axis=-1)
