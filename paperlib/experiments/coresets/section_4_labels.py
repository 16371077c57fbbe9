"""Section 4: labels that are asked for, and how often that fails (Lemmas 4.1 and 4.2)."""

import itertools
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import ActiveCoresetSVC, CoresetSVC, theory
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets import theory as unrounded
from paperlib.experiments.coresets.measures import best_hyperplane, optimal_margin
from paperlib.experiments.coresets.samples import half_spaces, hidden, staircase, star

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


def atoms_failures(n_atoms, n_calls, error, n_runs, *, random_state=None):
    """Run the slowest conservative learner of Lemma 4.1, which has to see each of M atoms once.

    Each atom has a probability just above `error`, the rest goes to a point that is never mistaken. The
    learner is wrong on an atom until it meets it, so it makes at most M mistakes.

    Parameters
    ----------
    n_atoms, n_calls : int
    error : float
    n_runs : int
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n_runs,), bool
        Whether an atom was not met: the hypothesis then has an error above `error`.
    """
    rng = np.random.default_rng(random_state)
    weights = np.full(n_atoms + 1, 1.0001 * error)
    weights[-1] = 1.0 - weights[:-1].sum()
    if weights[-1] < 0.0:
        raise ValueError(f"n_atoms must be at most 1 / error, got {n_atoms} with error={error}")
    return (rng.multinomial(n_calls, weights, size=n_runs)[:, :-1] == 0).any(axis=1)


def label_counts(n, error, eps, delta, n_runs, *, random_state=None):
    """Count labels, and points of a stream, on `samples.hidden` without spread (Lemma 4.2).

    The coreset comes to two points, one of either cluster, and only verification can find the second one:
    it may take as many draws as a verification has, and another one follows.

    Parameters
    ----------
    n : int
        Points of the pool, of which a fraction just above `error` is hidden.
    error, eps, delta : float in (0, 1)
    n_runs : int

    Returns
    -------
    DataFrame with a row per run and kind ("pool", "stream")
        kind, n, size (of the coreset), labels, labels_bound, reads, reads_bound (points of the stream)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    X, y = hidden(n, int(n * error) + 1, spread=0.0, random_state=rng)
    for _ in range(n_runs):
        for kind in ("pool", "stream"):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            order = rng.integers(n, size=n)
            oracle = CountedOracle(y[order])
            stream = CountedPoints(X[order])
            if kind == "pool":
                learner.fit(X[order], oracle, [-1, 1])
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)  # its length says that
                    learner.fit_stream(stream, oracle, [-1, 1])
            size = len(learner.coreset_indices_)
            labels = oracle.n_asked, unrounded.lemma_4_2_labels(size, error, delta)
            reads = stream.n_read, unrounded.lemma_4_2_reads(size, error, delta)
            rows.append((kind, n, size, *labels, *reads))
    columns = ["kind", "n", "size", "labels", "labels_bound", "reads", "reads_bound"]
    return pd.DataFrame(rows, columns=columns)


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
