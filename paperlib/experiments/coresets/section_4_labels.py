"""Section 4: labels that are asked for, and how often that fails (Lemmas 4.1 and 4.2)."""

import itertools

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.coresets import ActiveCoresetSVC, CoresetSVC, theory
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets.measures import SLACK, optimal_margin, radius
from paperlib.experiments.coresets.samples import half_spaces


def either_label(n_cases, eps, *, random_state=None):
    """Add points near the hyperplane of random coresets, with the one label and with the other (Section 4.2).

    Parameters
    ----------
    n_cases : int >= 1
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    cases, failures : int
        A failure is a margin above ``(1 - eps^2 rho^2 / (8 R^2)) rho``.
    """
    rng = np.random.default_rng(random_state)
    failures = 0
    for _ in range(check_number(n_cases, "n_cases", low=1, integer=True)):
        X, y = half_spaces(int(rng.integers(2, 12)), int(rng.integers(2, 8)), 0.2, random_state=rng)
        before = WorkingSet.of(y[:, None] * X)
        direction = rng.normal(size=X.shape[1])
        near = direction - (direction @ before.normal) * before.normal
        near /= np.linalg.norm(near)
        offset = rng.uniform(-1, 1) * (1.0 - eps) * before.margin
        near = np.sqrt(1.0 - offset**2) * near + offset * before.normal
        most = theory.equation_1(before.margin, eps * before.margin, 1.0) * (1.0 + SLACK)
        for sign in (-1, 1):
            failures += WorkingSet.of(np.vstack([y[:, None] * X, sign * near])).margin > most
    return 2 * n_cases, int(failures)


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
        bound = theory.lemma_4_2(radius(X) / best, eps, error, delta)
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
