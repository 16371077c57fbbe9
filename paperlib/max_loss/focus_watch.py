"""Where focus goes, round by round, on a few hard points, and where wrong labels take it."""

from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib.max_loss.learning_paths import IteratePaths, iterate_paths
from paperlib.max_loss.samples import flip_labels, mostly_easy_sample

HARD = 3  # points near the origin


class FocusWatch(NamedTuple):
    """What `watch_focus` saw.

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


def _missed(X, y, w):
    return (y * (w @ X.T) <= 0.0).sum(axis=-1)
