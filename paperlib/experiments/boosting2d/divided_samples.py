"""Samples that a search has to divide, and what the methods find on them, against integers (Theorem 2.3).

Branch and bound finishes boxes of a few dozen points by trying all pairs, so that small samples never see a
box halved. These have 25 to 300 points, and all kinds of what makes a search err: ties, noise, points in
line and at one place, near pairs, far clusters, weights over four orders of magnitude.
"""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.optimal_sets import optimal_sets
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d import exact
from paperlib.experiments.boosting2d.samples import clouds
from paperlib.experiments.boosting2d.sections_1_and_2 import METHODS, listed
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

SMALLEST, LARGEST = 25, 300
_PAIRS = 60  # points up to which all lines through two are tried, which takes O(n^3)
_UNIT = 2.0**-16  # of the coordinates: 64 bits hold all products of integers


def _clouds(n, rng):
    X, y = clouds(n, random_state=rng)
    return X, y > 0


def _noise(n, rng):
    return rng.normal(size=(n, 2)), rng.random(n) < 0.5


def _grid(n, rng):
    X, y = clouds(n, random_state=rng)
    return (2 * X).round(), y > 0


def _circle(n, rng):
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)]), np.arange(n) % 3 == 0


def _near_pairs(n, rng):
    X = np.repeat(rng.normal(size=((n + 1) // 2, 2)), 2, axis=0)[:n]
    X[1::2] += rng.integers(-40, 41, size=X[1::2].shape) * _UNIT
    return X, np.arange(n) % 2 == 0


def _far_clusters(n, rng):
    cluster = rng.integers(3, size=n)
    centre = np.array([[0.0, 0.0], [300.0, 100.0], [-200.0, 400.0]])[cluster]
    return centre + rng.normal(size=(n, 2)), rng.random(n) < np.array([0.2, 0.5, 0.8])[cluster]


def _nearly_in_line(n, rng):
    along = rng.normal(size=n)
    X = np.column_stack([along, 0.5 * along]) + rng.integers(-3, 4, size=(n, 2)) * _UNIT
    return X, (along > 0) ^ (rng.random(n) < 0.3)


KINDS = {
    "clouds": _clouds,
    "noise": _noise,
    "grid": _grid,
    "circle": _circle,
    "near pairs": _near_pairs,
    "far clusters": _far_clusters,
    "nearly in line": _nearly_in_line,
}


def divided_sample(kind, rng):
    """Draw a sample of 25 to 300 points.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n, 2)
        Multiples of a power of two.
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers: ones, small ones with many ties, or with heavy tails.
    """
    n = int(rng.integers(SMALLEST, LARGEST + 1))
    X, positive = KINDS[kind](n, rng)
    weights = [
        lambda: np.ones(n),
        lambda: rng.integers(1, 5, size=n).astype(float),
        lambda: np.minimum(100 * rng.pareto(1.0, size=n) + 1, 1e6).round(),
    ][rng.integers(3)]()
    return np.round(X / _UNIT) * _UNIT, positive, weights


@step
def searches(n_samples, *, seed):
    """Hold each method's line and list of optimal sets against sweeps in integers.

    Parameters
    ----------
    n_samples : int >= 1
        Of each kind.
    seed : int

    Returns
    -------
    DataFrame with a row per sample and method: kind, sample, n, method, wrong_line, wrong_list
        The list is that of all optimal separator sets.
    """
    n_samples = check_number(n_samples, "n_samples", low=1, integer=True)
    rows = []
    for kind in progress(list(KINDS), "kinds"):
        for sample, rng in enumerate(stream(seed, f"divided {kind}").spawn(n_samples)):
            X, positive, weights = divided_sample(kind, rng)
            best, sets = exact.lightest_divisions(X, positive, weights)
            places = merge(X, positive, weights)
            for method in METHODS if len(X) <= _PAIRS else METHODS[:-1]:
                line = optimal_separator(X, positive, weights, method=method, tie_break="first")
                wrong = exact.wrong_side(line, X, positive)
                found = optimal_sets(places, 0.0, method)
                sides = np.array([found.side(i)[places.of_row] for i in range(len(found.packed))])
                every = np.unique(sides != positive, axis=0)
                optimal = bool(wrong @ weights == best) and listed(wrong, sets)
                rows.append((kind, sample, len(X), method, not optimal, not np.array_equal(every, sets)))
    return pd.DataFrame(rows, columns=["kind", "sample", "n", "method", "wrong_line", "wrong_list"])


def in_words(found):
    """Return wrong lines and lists, of all that were tried, by kind and method."""
    wrong = found.assign(failures=found.wrong_line + 0 + found.wrong_list, cases=2)
    sums = wrong.groupby(["kind", "method"], sort=False)[["failures", "cases"]].sum()
    return (sums.failures.map(str) + " of " + sums.cases.map(str)).unstack("method", fill_value="")


def two_objects(rng):
    """Draw two solid objects that overlap, each as points of a grid: a disc and a triangle.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n, 2)
        Integers; points of both objects may coincide.
    positive : ndarray of shape (n,), bool
        Whether a point is of the disc.
    """
    grid = np.stack(np.meshgrid(np.arange(-14, 15), np.arange(-14, 15)), axis=-1).reshape(-1, 2).astype(float)
    disc = grid[(grid**2).sum(axis=1) <= rng.integers(30, 60)]
    corner, slopes = rng.integers(-6, 7, size=2), rng.uniform(0.2, 1.5, size=2)
    ahead = grid - corner
    inside = (ahead[:, 0] >= 0) & (ahead[:, 1] <= slopes[0] * ahead[:, 0])
    triangle = grid[inside & (ahead[:, 1] >= -slopes[1] * ahead[:, 0]) & (ahead[:, 0] <= 10)]
    return np.concatenate([disc, triangle]), np.arange(len(disc) + len(triangle)) < len(disc)


@step
def intersections(n_pairs, *, seed):
    """Find the least number of points that two objects must lose in order not to meet (Section 1).

    Parameters
    ----------
    n_pairs : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per pair of objects: pair, n, given_up, least, meet
        How many points there are, how many the optimal line gives up, how many must be, and whether the
        objects still meet without them.
    """
    rng, rows = stream(seed, "intersections"), []
    for pair in range(check_number(n_pairs, "n_pairs", low=1, integer=True)):
        X, positive = two_objects(rng)
        left = ~exact.wrong_side(optimal_separator(X, positive), X, positive)
        least = exact.lightest_divisions(X, positive, np.ones(len(X)))[0]
        still = exact.lightest_divisions(X[left], positive[left], np.ones(np.count_nonzero(left)))[0]
        rows.append((pair, len(X), np.count_nonzero(~left), int(least), bool(still > 0)))
    return pd.DataFrame(rows, columns=["pair", "n", "given_up", "least", "meet"])
