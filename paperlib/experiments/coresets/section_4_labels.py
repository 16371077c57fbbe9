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
from paperlib.experiments.coresets import data_sets, measures
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.measures import best_hyperplane, optimal_margin
from paperlib.experiments.coresets.samples import half_spaces, hidden, in_turn, staircase, star
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

ROUNDING = 1e-9  # relative: what it may take from a margin


@step
def either_label(n_cases, eps, *, seed):
    """Add points near the hyperplane of random coresets, with the one label and with the other (Section 4.2).

    Every second point is as far from the hyperplane as it may be.

    Parameters
    ----------
    n_cases : int >= 1
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per case and label
        case, label, multiple (by how much the coreset's margin falls, over ``eps^2 rho^2 / (8 R^2)`` of it)
    """
    rng = stream(seed, "either-label")
    rows = []
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
            rows.append((case, sign, (margin - after) / promised))
    return pd.DataFrame(rows, columns=["case", "label", "multiple"])


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


@step
def label_curves(slab, most, fractions, n_repeats, eps, error, delta, *, data, seed):
    """Errors on a pool of as many labels as are asked for, and of as many random ones.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.usual`, whose samples are the pools.
    fractions : list of float in (0, 1]
        Of the labels that the active learner asks for, at which both learners are looked at.
    n_repeats : int >= 1
    eps, error, delta : float in (0, 1)

    Returns
    -------
    DataFrame with a row per pool, repeat, learner ("active", "passive") and fraction
        pool, n (its points), repeat, learner, fraction, labels, error
    """
    rng, pools = stream(seed, "label-curves"), data_sets.usual(slab, most, data=data, seed=seed)
    rows = []
    for (name, (X, y)), repeat in progress(list(itertools.product(pools.items(), range(n_repeats))), "runs"):
        asked = ActiveCoresetSVC(eps, error, delta, random_state=rng).fit(X, y).queried_indices_
        for learner, order in (("active", asked), ("passive", rng.permutation(len(X)))):
            for fraction in fractions:
                labels = max(2, round(fraction * len(asked)))
                wrong = _error(X, y, order[:labels], eps)
                rows.append((name, len(X), repeat, learner, fraction, labels, wrong))
    return pd.DataFrame(rows, columns=["pool", "n", "repeat", "learner", "fraction", "labels", "error"])


@step
def mean_errors(curves):
    """Means over the repeats of `label_curves`.

    Parameters
    ----------
    curves : DataFrame

    Returns
    -------
    DataFrame with a row per pool, learner and fraction
        pool, n, learner, fraction, labels, error, stderr (of the error)
    """
    groups = curves.groupby(["pool", "n", "learner", "fraction"], sort=False)
    columns = {"labels": ("labels", "mean"), "error": ("error", "mean"), "stderr": ("error", "sem")}
    return groups.agg(**columns).reset_index()


def _error(X, y, rows, eps):
    """Error of the hyperplane of some rows; of their class for all, where they have only one."""
    if len(set(y[rows].tolist())) == 1:
        return float((y != y[rows[0]]).mean())
    fit = CoresetSVC(eps, random_state=0).fit(X[rows], y[rows])
    return float((fit.predict(X) != y).mean())


@step
def label_counts(n, error, eps, delta, kinds, *, seed):
    """Count labels, points that are read, and runs of the SVM on `samples.in_turn` (Lemma 4.2).

    The coreset has a point of each cluster, and only verification can find the next one, which is a fraction
    just above `error` of all: it may take as many draws as a verification has, and another one follows.

    Parameters
    ----------
    n : int
        Points of a pool. A stream has twice as many, drawn from it with replacement.
    error, eps, delta : float in (0, 1)
    kinds : list of (clusters, runs)
    seed : int

    Returns
    -------
    DataFrame with a row per run and kind ("pool", "stream")
        kind, n (points there are), size (of the coreset), labels, reads (of points), solved (how often a
        hyperplane of largest margin was found), labels_bound, reads_bound (of a stream)
    """
    rng = stream(seed, "label-counts")
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


@step
def stream_sizes(settings, error, delta, *, seed):
    """Sizes of an active learner's coresets where that of Corollary 3.2 is reached (Lemma 4.2).

    The points of `samples.staircase` come in their order, as a stream, and each is near when it comes: the
    learner takes all of them. So does a `samples.star` of twice as many points as are allowed, two times.

    Parameters
    ----------
    settings : list of (R / rho, eps)
    error, delta : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per setting and sample ("staircase", "star")
        sample, ratio, eps, size (of the coreset), bound
    """
    rng = stream(seed, "stream-sizes")
    rows = []
    for ratio, eps in settings:
        bound = unrounded.corollary_3_2_sharp(ratio, eps)
        stairs = staircase(ratio, eps, filler=2000)[:2]
        twice = tuple(np.concatenate([each, each]) for each in star(2 * bound, ratio))
        for name, (X, y) in (("staircase", stairs), ("star", twice)):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a star may end before it is verified
                learner.fit_stream(X, y, [-1, 1])
            rows.append((name, ratio, eps, len(learner.coreset_indices_), bound))
    return pd.DataFrame(rows, columns=["sample", "ratio", "eps", "size", "bound"])


@step
def active_trials(n_runs, eps, error, delta, *, streamed=False, seed):
    """Learn three pools actively again and again (Lemma 4.2).

    They are `samples.half_spaces`, the ordinary case, and `samples.hidden`, once with hardly more hidden
    points than may be missed, and once with a single one.

    Parameters
    ----------
    n_runs : int >= 2
        Of each.
    eps, error, delta : float in (0, 1)
    streamed : bool
        Whether points come one by one, drawn from the pool with replacement, as Section 4.1 has it.
    seed : int

    Returns
    -------
    DataFrame with a row per run
        pool, queries, bound (of Lemma 4.2, for the coreset that was found), error (on the pool), failed
        (whether it is above the one allowed), near (fraction of points whose margin is below ``1 - eps`` of
        the optimum), no_margin (there is one), too_few (they are more than the error allowed), allowed (the
        error), delta
    """
    check_number(n_runs, "n_runs", low=2, integer=True)
    rng = stream(seed, "active-stream" if streamed else "active-pool")
    rows = []
    for name, (X, y) in _pools(error, stream(seed, "active-trials")).items():
        best = optimal_margin(X, y)
        for _ in progress(range(n_runs), f"runs on {name}"):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            queries = (_learn_stream if streamed else _learn_pool)(learner, X, y, rng)
            margins = y * (X @ learner.coef_[0]) / np.linalg.norm(learner.coef_)
            bound = unrounded.lemma_4_2_labels(len(learner.coreset_indices_), error, delta)
            wrong = float((margins <= 0).mean())
            near = float((margins < (1.0 - eps) * best * (1.0 - ROUNDING)).mean())
            verdicts = wrong > error, near, near > 0.0, near > error
            rows.append((name, queries, bound, wrong, *verdicts, error, delta))
    told = ["pool", "queries", "bound", "error", "failed", "near", "no_margin", "too_few"]
    return pd.DataFrame(rows, columns=[*told, "allowed", "delta"])


def _pools(error, rng):
    """The pools of `active_trials` by their names."""
    return {
        "slab": half_spaces(500, 5, 0.1, random_state=rng),
        "hidden": hidden(1000, int(1000 * error) + 1, random_state=rng),
        "one hidden": hidden(200, 1, random_state=rng),
    }


def _learn_pool(learner, X, y, _rng):
    """Let a learner ask for labels of a pool; return how many it asked for."""
    oracle = CountedOracle(y)
    learner.fit(X, oracle, [-1, 1])
    return oracle.n_asked


def _learn_stream(learner, X, y, rng):
    """The same of a stream of forty times as many points."""
    drawn = rng.integers(len(X), size=40 * len(X))
    oracle = CountedOracle(y[drawn])
    learner.fit_stream(np.array_split(X[drawn], 40), oracle, [-1, 1])
    return oracle.n_asked


@step
def unverified_errors(n_pools, n, share, eps, *, seed):
    """Errors that are left where no point is near, before anything is verified (Section 4.1).

    Parameters
    ----------
    n_pools, n : int
    share : float in (0, 1)
        Of the points of a pool that are hidden, as in `samples.hidden`.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per pool: pool, n, labels, error
    """
    rng = stream(seed, "unverified")
    rows = []
    for pool in range(n_pools):
        X, y = hidden(n, round(share * n), random_state=rng)
        order = rng.permutation(n)  # which point is the first
        learner = ActiveCoresetSVC(eps, delta=None, random_state=rng).fit(X[order], y[order], [-1, 1])
        wrong = float((learner.predict(X) != y).mean())
        rows.append((pool, n, learner.n_queries_, wrong))
    return pd.DataFrame(rows, columns=["pool", "n", "labels", "error"])
