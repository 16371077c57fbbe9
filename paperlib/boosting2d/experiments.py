"""The notebook's experiments, each returning a tidy table or numbers; drawing them is the notebook's."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paperlib._common.validation import check_number
from paperlib.boosting2d import left_out_statements, statements
from paperlib.boosting2d.angular_sweep import mirrored_order
from paperlib.boosting2d.fat_line import max_margin_line
from paperlib.boosting2d.fat_side import fat_side
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.locations import merge, tolerance
from paperlib.boosting2d.optimal_plane import optimal_plane
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.boosting2d.optimal_sets import optimal_sets
from paperlib.boosting2d.samples import COUNTEREXAMPLES, FIVE, clouds, clouds_error, small_sample

# What a claim's id is measured from.
CHECKS: dict[str, Callable[..., Iterator[bool]]] = {
    "section-1.likelihood": statements.likelihood,
    "theorem-2.3.optimal": statements.optimal,
    "lemma-2.2": statements.lemma_2_2,
    "lemma-2.5": statements.lemma_2_5,
    "lemma-2.6": statements.lemma_2_6,
    "lemma-2.7": statements.lemma_2_7,
    "lemma-2.8": statements.lemma_2_8,
    "theorem-2.13.fattest": statements.fattest,
    "lemma-3.2": left_out_statements.lemma_3_2,
    "corollary-3.3": left_out_statements.corollary_3_3,
    "corollary-3.3.bound": left_out_statements.lower_bound,
    "corollary-3.3.text": left_out_statements.error_of_members,
    "lemma-3.4": left_out_statements.lemma_3_4,
    "lemma-3.5": left_out_statements.lemma_3_5,
    "lemma-3.6": left_out_statements.lemma_3_6,
    "lemma-3.7": left_out_statements.lemma_3_7,
    "lemma-3.8": left_out_statements.lemma_3_8,
    "lemma-3.9": left_out_statements.lemma_3_9,
    "lemma-3.10": left_out_statements.lemma_3_10,
    "section-3.manifest": left_out_statements.manifest,
    "section-3.marking": left_out_statements.marking,
    "theorem-3.1.exact": left_out_statements.leave_one_out_is_exact,
}


def check_statements(n_samples, *, largest=7, random_state=None):
    """Hold the statements of Sections 1 to 3 against exhaustive search on many small samples.

    Parameters
    ----------
    n_samples : int >= 1
        Random ones, with ties, points in line and points that coincide; the counterexamples come on top.
    largest : int in [2, 12]
        Points of a sample, at most.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per statement: claim, cases, failures, corrected_cases, corrected_failures
        The last two are missing where nothing had to be corrected.
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    largest = check_number(largest, "largest", low=2, high=12, integer=True)
    rng = np.random.default_rng(random_state)
    tried = [small_sample(rng, largest) for _ in range(n_samples)]
    tried = [statements.Sample(*each) for each in [*tried, *COUNTEREXAMPLES]]
    rows = []
    for claim, check in CHECKS.items():
        row: dict[str, Any] = {"claim": claim, "cases": 0, "failures": 0}
        held = [bool(holds) for sample in tried for holds in check(sample, rng)]
        row |= {"cases": len(held), "failures": held.count(False)}
        if "corrected" in inspect.signature(check).parameters:
            held = [bool(holds) for sample in tried for holds in check(sample, rng, corrected=True)]
            row |= {"corrected_cases": len(held), "corrected_failures": held.count(False)}
        rows.append(row)
    return pd.DataFrame(rows).astype({"corrected_cases": "Int64", "corrected_failures": "Int64"})


def counters_table():
    """Three ways to count the optimal sets without a point, on a sample of five points.

    Returns
    -------
    DataFrame with a row per point and way: point, counted, wrong, total, error
        Ways: distinct optimal sets, their occurrences as Section 3 defines them, and the counters that it
        prints. Of the points that the marking leaves for the counters.
    """
    sample = statements.Sample(*FIVE)
    rows = []
    for i in range(2):
        wrong = sample.without[i][1]
        labels, right = left_out_statements.printed_counters(sample, i)
        occurring_wrong, occurring = left_out_statements.occurrences(sample, i)
        rows.append((i + 1, "distinct sets", int(wrong.sum()), len(wrong)))
        rows.append((i + 1, "occurrences", int(occurring_wrong), int(occurring)))
        rows.append((i + 1, "printed counters", int(labels - right), int(labels)))
    table = pd.DataFrame(rows, columns=["point", "counted", "wrong", "total"])
    return table.assign(error=table.wrong / table.total)


def order_failures(n, n_samples, *, random_state=None):
    """Count points that the algorithm has at another place than their mirrored-radial coordinate (Figure 1).

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
        Samples of `samples.clouds`, each with its first point as the central one.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    int
    """
    rng = np.random.default_rng(random_state)
    failures = 0
    for _ in range(n_samples):
        X, _ = clouds(n, random_state=rng)
        x, y = np.ascontiguousarray(X.T)
        half, order = np.ones(n, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
        scratch = np.empty((2, n), dtype=np.uint64)
        mirrored_order(x, y, 0, half, *scratch, order, np.empty(n - 1, dtype=np.bool_))
        expected = 1 + np.argsort(mirrored_radial(X[1:], X[0])[1], kind="stable")
        failures += int((order != expected).sum())
    return failures


def mirrored_radial(X, centre):
    """Return the mirrored-radial projections of points, and their coordinates (Lemma 2.6, Figure 1).

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Other points than the centre; the base vector points to the right.
    centre : ndarray of shape (2,)

    Returns
    -------
    projection : ndarray of shape (n, 2)
        On the upper half of the unit circle around the centre.
    angle : ndarray of shape (n,), in [0, pi)

    Examples
    --------
    >>> mirrored_radial(np.array([[0.0, -2.0]]), np.zeros(2))[1] / np.pi
    array([0.5])
    """
    offset = X - centre
    below = (offset[:, 1] < 0) | ((offset[:, 1] == 0) & (offset[:, 0] < 0))
    offset = np.where(below[:, None], -offset, offset)
    projection = centre + offset / np.hypot(*offset.T)[:, None]
    return projection, np.arctan2(offset[:, 1], offset[:, 0])


def votes_of_each_optimal_set(X, positive, weights, points):
    """Find every optimal separator set, and on which side of its fat line each of some other points is.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
    points : ndarray of shape (m, 2)

    Returns
    -------
    ndarray of shape (s, m), of -1, 0 and 1
    """
    places = merge(X, positive, weights)
    sets = optimal_sets(places, tolerance(weights))
    votes = []
    for k in range(len(sets.packed)):
        right = sets.side(k)[places.of_row] == positive
        ahead, behind = X[right & positive], X[right & ~positive]
        votes.append([fat_side(ahead, behind, point) for point in points])
    return np.array(votes)


def retrained_contributions(X, positive, weights):
    """What leaving out each point and training anew costs: the definition of the leave-one-out error.

    Parameters
    ----------
    X : ndarray of shape (n, 2), n >= 2
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)

    Returns
    -------
    ndarray of shape (n,)
        The point's weight, times the share of the optimal sets without it whose fat line misclassifies it.
    """
    found = np.empty(len(X))
    for i in range(len(X)):
        rows = np.arange(len(X)) != i
        votes = votes_of_each_optimal_set(X[rows], positive[rows], weights[rows], X[i : i + 1])
        found[i] = weights[i] * np.mean(votes != (1 if positive[i] else -1))
    return found


def leave_one_out_against_retraining(n, n_samples, *, random_state=None):
    """Compare `leave_one_out` with n trainings, on samples of `samples.clouds`, every other one weighted.

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    float
        The largest difference of any point's contribution.
    """
    rng = np.random.default_rng(random_state)
    largest = 0.0
    for k in range(check_number(n_samples, "n_samples", low=1, integer=True)):
        X, y = clouds(check_number(n, "n", low=2, integer=True), random_state=rng)
        weights = np.ones(n) if k % 2 == 0 else rng.integers(1, 4, size=n).astype(float)
        difference = leave_one_out(X, y, weights).contribution - retrained_contributions(X, y > 0, weights)
        largest = max(largest, float(np.abs(difference).max()))
    return largest


def leave_one_out_bias(n, n_trials, *, random_state=None):
    """Leave-one-out error of n points less the true error of training on n - 1 of them, trial by trial.

    Both count every optimal separator set, as Section 3 does; the true error is that of its fat line on
    fresh points of `samples.clouds`, known in closed form. Training errors come along.

    Parameters
    ----------
    n : int >= 3
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial: leave_one_out, true, training
    """
    n = check_number(n, "n", low=3, integer=True)
    rng = np.random.default_rng(random_state)
    rows = []
    for _ in range(check_number(n_trials, "n_trials", low=1, integer=True)):
        X, y = clouds(n, random_state=rng)
        found = leave_one_out(X, y).error
        true = _mean_true_error(X[:-1], y[:-1] > 0)
        rows.append((found, true, optimal_separator(X, y).weight / n))
    return pd.DataFrame(rows, columns=["leave_one_out", "true", "training"])


def _mean_true_error(X, positive):
    places = merge(X, positive, np.ones(len(X)))
    sets = optimal_sets(places, 0.0)
    errors = []
    for k in range(len(sets.packed)):
        right = sets.side(k)[places.of_row] == positive
        if not (right & positive).any() or not (right & ~positive).any():
            errors.append(0.5)  # everything is predicted alike
            continue
        fat = max_margin_line(X[right & positive], X[right & ~positive])
        assert fat is not None  # what an optimal line classifies correctly, it separates
        errors.append(clouds_error(fat.normal, fat.offset))
    return np.mean(errors)


def growth(sizes, *, random_state=None):
    """Optimal lines of samples of `samples.clouds` of growing size: errors in training and in truth.

    Parameters
    ----------
    sizes : list of int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size: n, errors, optimal_sets, training, true
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for n in sizes:
        X, y = clouds(n, random_state=rng)
        line = optimal_separator(X, y)
        errors = int(line.weight)
        rows.append((n, errors, line.n_optimal, errors / n, clouds_error(line.normal, line.offset)))
    return pd.DataFrame(rows, columns=["n", "errors", "optimal_sets", "training", "true"])


def planes_against_every_subset(n_samples, *, largest=7, random_state=None):
    """Hold `optimal_plane` against removing every subset, tested by linear programming (Theorem 4.1).

    Parameters
    ----------
    n_samples : int >= 1
    largest : int in [2, 12]
        Points of a sample, at most; half of the samples are on a grid.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    cases, failures : int
    """
    rng = np.random.default_rng(random_state)
    largest = check_number(largest, "largest", low=2, high=12, integer=True)
    failures = 0
    for k in range(check_number(n_samples, "n_samples", low=1, integer=True)):
        n = int(rng.integers(2, largest + 1))
        X = rng.normal(size=(n, 3)) if k % 2 else rng.integers(0, 2, size=(n, 3)).astype(float)
        positive, weights = rng.random(n) < 0.5, rng.integers(1, 4, size=n).astype(float)
        removed = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(bool)
        totals = removed @ weights
        order = np.argsort(totals, kind="stable")
        best = next(totals[i] for i in order if _separable(X[~removed[i]], positive[~removed[i]]))
        failures += optimal_plane(X, positive, weights).weight != best
    return n_samples, int(failures)


def _separable(X, positive):
    """Strictly, by any number of dimensions: whether some w, b has ``y (w x + b) >= 1``."""
    if positive.all() or not positive.any():
        return True
    rows = np.where(positive, -1.0, 1.0)[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None))
    return found.status == 0
