"""The notebook's experiments with labels that are asked for, and with labels that are wrong."""

import itertools
import math
import warnings
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import theory_active
from paperlib.coresets.active import ActiveCoresetSVC
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.experiments import SLACK, optimal_margin, radius
from paperlib.coresets.mixed_integer import trimmed_optimum
from paperlib.coresets.nightmares import Adversary, figure_3
from paperlib.coresets.outliers import OutlierCoresetSVC
from paperlib.coresets.samples import flipped
from paperlib.coresets.working_set import WorkingSet

CIRCLES: tuple[Literal["a", "b"], ...] = ("a", "b")  # parts of Figure 3

MAX_SETS = 1000  # of outliers that are removed one after the other


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
    """Of the hyperplane of some rows; half where they are all of one class."""
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
        pool, queries, bound (of Lemma 4.2), error (on the pool), failed (above `error`), near (fraction of
        points whose margin is below ``1 - eps`` of the optimum), halted
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for name, (X, y) in pools.items():
        best = optimal_margin(X, y)
        bound = theory_active.lemma_4_2(radius(X) / best, eps, error, delta)
        for _ in range(check_number(n_runs, "n_runs", low=2, integer=True)):
            learner = ActiveCoresetSVC(eps, error, delta, random_state=rng)
            if stream:
                drawn = rng.integers(len(X), size=200 * len(X))
                learner.fit_stream(np.array_split(X[drawn], 200), y[drawn].tolist().__getitem__, [-1, 1])
            else:
                learner.fit(X, y, [-1, 1])
            margins = y * learner.decision_function(X)
            wrong = float((margins <= 0).mean())
            near = float((margins < (1.0 - eps) * best * (1.0 - SLACK)).mean())
            rows.append((name, learner.n_queries_, bound, wrong, wrong > error, near, learner.halted_))
    return pd.DataFrame(rows, columns=["pool", "queries", "bound", "error", "failed", "near", "halted"])


def nightmare_labels(sizes, eps, *, random_state=None):
    """Count labels that a learner asks for which may make no mistake, on Figure 3's point sets.

    Parameters
    ----------
    sizes : list of int >= 4
        Points on the circle.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per part of the figure and size: part, n, asked
        Labels of the circle; the adversary says "+" until the last one is asked for.
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for part, n in itertools.product(CIRCLES, sizes):
        X, _ = figure_3(part, n)
        oracle = Adversary(n)
        ActiveCoresetSVC(eps, error=0.5 / n, random_state=rng).fit(X, oracle, [-1, 1])
        rows.append((part, n, oracle.n_asked))
    return pd.DataFrame(rows, columns=["part", "n", "asked"])


def inseparable_needles(sizes, *, lifted=True):
    """Count the positions of Figure 3's needle that no hyperplane through the origin tells from the rest.

    Parameters
    ----------
    sizes : list of int >= 4
    lifted : bool
        As in `figure_3`; part (b) is looked at only where it is true.

    Returns
    -------
    cases, failures : int
    """
    cases = failures = 0
    for n in sizes:
        for part, needle in itertools.product(CIRCLES if lifted else CIRCLES[:1], range(n)):
            X, y = figure_3(part, n, needle=needle, lifted=lifted)
            work = WorkingSet.of(y[:, None] * X)
            cases, failures = cases + 1, failures + (work.margin <= 0.0)
    return cases, int(failures)


def outlier_trials(n_trials, n, d, counts, eps, *, random_state=None):
    """Hold each search for outliers against the true optimum (Lemma 5.2).

    That is found by removing all sets of k points, or where they are more than `MAX_SETS` by a mixed-integer
    programme.

    Parameters
    ----------
    n_trials : int >= 1
    n, d : int
    counts : list of int
        The values of k.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial, k and method
        n, k, method, achieved (margin over ``rho_k``), bound_holds, looked_at, allowed (subsets of up to c
        points, with the c of Lemma 5.2)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for _, k in itertools.product(range(check_number(n_trials, "n_trials", low=1, integer=True)), counts):
        X, y, _ = flipped(n, d, 0.2, k, random_state=rng)
        points = y[:, None] * X
        best = _optimum_without(points, k)
        for method in ("exhaustive", "doubling", "branch"):
            fit = OutlierCoresetSVC(k, eps, method=method).fit(X, y)
            holds = fit.margin_upper_bound_ >= best * (1.0 - SLACK)
            size = min(n, theory_active.lemma_5_2_size(radius(X) / best, eps))
            allowed = sum(math.comb(n, c) for c in range(1, size + 1))
            rows.append((n, k, method, fit.margin_ / best, holds, fit.n_looked_at_, allowed))
    columns = ["n", "k", "method", "achieved", "bound_holds", "looked_at", "allowed"]
    return pd.DataFrame(rows, columns=columns)


def _optimum_without(points, k):
    if math.comb(len(points), k) > MAX_SETS:
        return trimmed_optimum(points, k).margin
    sets = itertools.combinations(range(len(points)), k)
    return max(WorkingSet.of(np.delete(points, out, axis=0)).margin for out in sets)


def outlier_path(X, y, outliers, counts, eps):
    """Trimmed margins of growing numbers of outliers that are allowed for.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    outliers : ndarray of shape (k,)
        The points that were planted.
    counts : list of int
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per count: allowed, margin, upper, found (of the planted ones), looked_at
    """
    rows = []
    for k in counts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a margin below zero says it
            fit = OutlierCoresetSVC(k, eps, method="branch", on_nonseparable="warn").fit(X, y)
        found = len(np.intersect1d(fit.outlier_indices_, outliers))
        rows.append((k, fit.margin_, fit.margin_upper_bound_, found, fit.n_looked_at_))
    return pd.DataFrame(rows, columns=["allowed", "margin", "upper", "found", "looked_at"])
