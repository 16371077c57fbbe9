"""Section 4: labels that are asked for, and how often that fails (Lemmas 4.1 and 4.2)."""

import itertools
import warnings
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import ActiveCoresetSVC, CoresetSVC, theory
from paperlib.coresets._active.learner import Learner, Pool, Stream
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets import measures
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.measures import best_hyperplane, optimal_margin
from paperlib.experiments.coresets.samples import half_spaces, in_turn, staircase, star

ROUNDING = 1e-9  # relative: what it may take from a margin


def either_label(n_cases, eps, *, random_state=None):
    """Add points near the hyperplane of random coresets, with the one label and with the other (Section 4.2).

    Every second point is as far from the hyperplane as it may be.

    Parameters
    ----------
    n_cases : int >= 1
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (2 n_cases,)
        By how much the coreset's margin falls, over ``eps^2 rho^2 / (8 R^2)`` of it.
    """
    rng = np.random.default_rng(random_state)
    ratios = []
    for case in range(check_number(n_cases, "n_cases", low=1, integer=True)):
        X, y = half_spaces(int(rng.integers(2, 12)), int(rng.integers(2, 8)), 0.2, random_state=rng)
        points = y[:, None] * X
        normal = WorkingSet.of(points).normal
        margin = float((points @ normal).min())
        direction = rng.normal(size=X.shape[1])
        near = direction - (direction @ normal) * normal
        near /= np.linalg.norm(near)
        offset = (rng.uniform(-1, 1) if case % 2 else rng.choice([-1, 1])) * (1.0 - eps) * margin
        near = np.sqrt(1.0 - offset**2) * near + offset * normal
        promised = margin - theory.equation_1(margin, eps * margin, 1.0)
        for sign in (-1, 1):
            after = best_hyperplane(np.vstack([points, sign * near])).margin
            ratios.append((margin - after) / promised)
    return np.array(ratios)


class CountedOracle:
    """Labels of a pool that are counted when they are asked for, each once.

    >>> oracle = CountedOracle([1, -1])
    >>> [oracle(i) for i in (1, 0, 1)], oracle.n_asked
    ([-1, 1, -1], 2)
    """

    def __init__(self, labels):
        self._labels, self._asked = labels, set()

    @property
    def n_asked(self):
        return len(self._asked)

    def __call__(self, index):
        self._asked.add(index)
        return int(self._labels[index])


def label_curves(pools, fractions, n_repeats, eps, error, delta, *, random_state=None):
    """Errors on a pool of as many labels as are asked for, and of as many random ones.

    Parameters
    ----------
    pools : dict of name -> (X, y)
    fractions : list of float in (0, 1]
        Of the labels that the active learner asks for, at which both learners are looked at.
    n_repeats : int >= 1
    eps, error, delta : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per pool, repeat, learner ("active", "passive") and fraction
        pool, repeat, learner, fraction, labels, error
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for (name, (X, y)), repeat in itertools.product(pools.items(), range(n_repeats)):
        asked = ActiveCoresetSVC(eps, error, delta, random_state=rng).fit(X, y).queried_indices_
        for learner, order in (("active", asked), ("passive", rng.permutation(len(X)))):
            for fraction in fractions:
                labels = max(2, round(fraction * len(asked)))
                wrong = _error(X, y, order[:labels], eps)
                rows.append((name, repeat, learner, fraction, labels, wrong))
    return pd.DataFrame(rows, columns=["pool", "repeat", "learner", "fraction", "labels", "error"])


def _error(X, y, rows, eps):
    """Error of the hyperplane of some rows; of their class for all, where they have only one."""
    if len(set(y[rows].tolist())) == 1:
        return float((y != y[rows[0]]).mean())
    fit = CoresetSVC(eps, random_state=0).fit(X[rows], y[rows])
    return float((fit.predict(X) != y).mean())


def sequential_failures(n_mistakes, n_calls, error, n_runs, *, random_state=None):
    """Run the slowest conservative learner of Lemma 4.1, which has one mistake to make at a time.

    Each of its first M hypotheses is wrong on a region whose probability is just above `error`, and it
    changes its mind only when a point of that region is drawn. No conservative learner is slower: while its
    error is above `error`, each draw is a mistake with at least that probability.

    Parameters
    ----------
    n_mistakes, n_calls : int
    error : float
    n_runs : int
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n_runs,), bool
        Whether it has made fewer than M mistakes: its hypothesis then has an error above `error`.
    """
    rng = np.random.default_rng(random_state)
    return rng.binomial(n_calls, 1.0001 * error, size=n_runs) < n_mistakes


def label_counts(n, error, eps, delta, kinds, *, random_state=None):
    """Count labels, points that are read, and runs of the SVM on `samples.in_turn` (Lemma 4.2).

    The coreset has a point of each cluster, and only verification can find the next one, which is a fraction
    just above `error` of all: it may take as many draws as a verification has, and another one follows.

    Parameters
    ----------
    n : int
        Points of a pool. A stream has twice as many, drawn from it with replacement.
    error, eps, delta : float in (0, 1)
    kinds : list of (clusters, runs)

    Returns
    -------
    DataFrame with a row per run and kind ("pool", "stream")
        kind, n (points there are), size (of the coreset), labels, reads (of points), solved (how often a
        hyperplane of largest margin was found), labels_bound, reads_bound (of a stream)
    """
    rng = np.random.default_rng(random_state)
    rows: list[tuple[Any, ...]] = []
    for clusters, n_runs in kinds:
        X, y = in_turn(n, clusters, int(n * error) + 1)
        for _ in range(n_runs):
            for kind, run in (("pool", _pool_run), ("stream", _stream_run)):
                with measures.calls(WorkingSet, "solve") as solved:
                    size, labels, reads = run(X, y, error, eps, delta, rng)
                most = unrounded.lemma_4_2_labels(size, error, delta)
                most_reads = unrounded.lemma_4_2_reads(size, error, delta)
                there = n if kind == "pool" else 2 * n
                rows.append((kind, there, size, labels, reads, solved.count, most, most_reads))
    columns = ["kind", "n", "size", "labels", "reads", "solved", "labels_bound", "reads_bound"]
    return pd.DataFrame(rows, columns=columns)


def _pool_run(X, y, error, eps, delta, rng):
    """Size of the coreset, labels and points read of a learner of a pool."""
    order = rng.permutation(len(X))
    points = CountedRows(X[order])
    enough = partial(theory.draws_from_pool, n=len(X), error=error, delta=delta)
    learner = Learner(Pool(points, rng, enough), eps, None)
    asked = _answered(learner, y[order])
    return len(learner.rows), asked, points.n_read


def _stream_run(X, y, error, eps, delta, rng):
    """The same of a stream."""
    order = rng.integers(len(X), size=2 * len(X))
    points = CountedPoints(X[order])
    learner = Learner(Stream(iter(points)), eps, partial(theory.draws_of_round, error=error, delta=delta))
    asked = _answered(learner, y[order])
    return len(learner.rows), asked, points.n_read


def _answered(learner, labels):
    """Answer all that a learner asks for; return how many labels that took, each counted once."""
    asked = set()
    while (question := learner.ask()) is not None:
        asked.add(question.row)
        learner.tell(float(labels[question.row]))
    return len(asked)


def time_shares(counts):
    """Hold what runs took against the time of Lemma 4.2, as printed and with the pool's share of it.

    Parameters
    ----------
    counts : DataFrame
        Of `label_counts`.

    Returns
    -------
    printed, corrected : ndarray
        Points read over the draws of verifications, twice, and for a pool also over ``n`` for each point that
        joins on top of it; and runs of the SVM over the points of the coreset, in both.
    """
    pool = counts.kind == "pool"
    solved = counts.solved / counts["size"]
    printed = counts.reads / counts.reads_bound
    corrected = counts.reads / (counts.reads_bound + np.where(pool, counts.n * counts["size"], 0))
    return np.concatenate([printed, solved]), np.concatenate([corrected, solved])


class CountedRows:
    """Rows of a matrix, counted as they are read: one by one, or all of them for a product.

    >>> rows = CountedRows(np.eye(3))
    >>> (rows @ np.ones(3)).tolist(), rows[1].tolist(), len(rows), rows.n_read
    ([1.0, 1.0, 1.0], [0.0, 1.0, 0.0], 3, 4)
    """

    def __init__(self, X):
        self._X, self.n_read = X, 0

    def __len__(self):
        return len(self._X)

    def __getitem__(self, row):
        self.n_read += 1
        return self._X[row]

    def __matmul__(self, normal):
        self.n_read += len(self._X)
        return self._X @ normal


class CountedPoints:
    """Points one by one, counted as they are read.

    >>> points = CountedPoints(np.eye(2))
    >>> len(list(points)), points.n_read
    (2, 2)
    """

    def __init__(self, X):
        self._X, self.n_read = X, 0

    def __iter__(self):
        for x in self._X:
            self.n_read += 1
            yield x


def coreset_shares(settings, error, delta, *, random_state=None):
    """Sizes of an active learner's coresets over those of Corollary 3.2, where that is reached (Lemma 4.2).

    The points of `samples.staircase` come in their order, as a stream, and each is near when it comes: the
    learner takes all of them.

    Parameters
    ----------
    settings : list of (R / rho, eps)
    error, delta : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (2 settings,)
        Of a staircase, which takes all of them, and of a star of twice as many points, which comes twice.
    """
    rng = np.random.default_rng(random_state)
    shares = []
    for ratio, eps in settings:
        bound = unrounded.corollary_3_2_sharp(ratio, eps)
        X, y, _ = staircase(ratio, eps, filler=2000)
        others, labels = (np.concatenate([each, each]) for each in star(2 * bound, ratio))
        for points, signs in ((X, y), (others, labels)):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a star may end before it is verified
                learner.fit_stream(points, signs, [-1, 1])
            shares.append(len(learner.coreset_indices_) / bound)
    return np.array(shares)


def active_trials(pools, n_runs, eps, error, delta, *, stream=False, random_state=None):
    """Learn pools actively again and again (Lemma 4.2).

    Parameters
    ----------
    pools : dict of name -> (X, y)
    n_runs : int >= 2
        Of each.
    eps, error, delta : float in (0, 1)
    stream : bool
        Whether points come one by one, drawn from the pool with replacement, as Section 4.1 has it.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per run
        pool, queries, bound (of Lemma 4.2, for the coreset that was found), error (on the pool), failed
        (above `error`), near (fraction of points whose margin is below ``1 - eps`` of the optimum)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for name, (X, y) in pools.items():
        best = optimal_margin(X, y)
        for _ in range(check_number(n_runs, "n_runs", low=2, integer=True)):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            if stream:
                drawn = rng.integers(len(X), size=40 * len(X))
                oracle = CountedOracle(y[drawn])
                learner.fit_stream(np.array_split(X[drawn], 40), oracle, [-1, 1])
            else:
                oracle = CountedOracle(y)
                learner.fit(X, oracle, [-1, 1])
            margins = y * (X @ learner.coef_[0]) / np.linalg.norm(learner.coef_)
            bound = unrounded.lemma_4_2_labels(len(learner.coreset_indices_), error, delta)
            wrong = float((margins <= 0).mean())
            near = float((margins < (1.0 - eps) * best * (1.0 - ROUNDING)).mean())
            rows.append((name, oracle.n_asked, bound, wrong, wrong > error, near))
    return pd.DataFrame(rows, columns=["pool", "queries", "bound", "error", "failed", "near"])
