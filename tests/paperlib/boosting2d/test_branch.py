"""Branch and bound against the two exhaustive methods: the least weight, and every separator set near it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._search.angular_sweep import collect, sweep
from paperlib.boosting2d._search.optimal_sets import branch
from paperlib.boosting2d._search.pairs import pairs
from tests.paperlib.boosting2d.helpers import rarer_first, sets_up_to


def columns(*parts):
    return np.column_stack(parts)


def outliers(rng, n, share, size):
    X = rng.normal(size=(n, 2))
    X[rng.random(n) < share] *= size
    return X


def coinciding(rng, n):
    """A third of the points differ by less than the rounding of what the search works with."""
    X = rng.normal(size=(n, 2)) + np.array([0.0, 5.0])
    X[:, 0] = np.where(np.arange(n) % 2, 1, -1) * np.abs(X[:, 0])
    X[: n // 3, 0], X[: n // 3, 1] = 0.0, np.arange(n // 3) * 1e-20
    return X


def run_in_a_cloud(rng, n):
    X = rng.normal(size=(n, 2))
    t = np.round(X[: n // 2, 0], 2)
    X[: n // 2] = columns(t, 0.1 * t + 0.3)
    return X


def clusters(rng, n, away, size=1.0):
    return size * rng.normal(size=(n, 2)) + away * (rng.random((n, 1)) < 0.4)


KINDS = {
    "floats": lambda rng, n: rng.normal(size=(n, 2)),
    "small grid": lambda rng, n: rng.integers(0, 4, size=(n, 2)).astype(float),
    "rounded scores": lambda rng, n: np.round(rng.normal(size=(n, 2)), 1),
    "line": lambda rng, n: rng.integers(0, 40, size=(n, 1)) * np.array([[1.0, 2.0]]) + 1.0,
    "rounded line": lambda rng, n: rng.normal(size=(n, 1)) * np.array([[1.0, 0.1]]) + np.array([[0.0, 0.3]]),
    "verticals": lambda rng, n: columns(rng.integers(0, 3, size=n) * 0.1, rng.normal(size=n)),
    "horizontals": lambda rng, n: columns(rng.normal(size=n), rng.integers(0, 3, size=n) * 0.1),
    "run in a cloud": run_in_a_cloud,
    "anisotropic": lambda rng, n: rng.normal(size=(n, 2)) * np.array([1e-9, 1e9]),
    "far from the origin": lambda rng, n: np.round(rng.normal(size=(n, 2)), 1) + 1e6,
    "outliers": lambda rng, n: outliers(rng, n, 0.2, 1e8),
    "far outliers": lambda rng, n: outliers(rng, n, 0.1, 1e14),
    "rounded outliers": lambda rng, n: np.round(outliers(rng, n, 0.2, 1e5), 1),
    "two clusters": lambda rng, n: clusters(rng, n, 1e4),
    "tiny clusters": lambda rng, n: clusters(rng, n, 1.0, 1e-12),
    "coinciding": coinciding,
    "Cauchy": lambda rng, n: rng.standard_cauchy(size=(n, 2)),
}
WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 4, size=n).astype(float),
    "real": lambda rng, n: rng.random(n) + 0.1,
}


def sample(seed, n, kind, weights="ones", share=0.5):
    rng = np.random.default_rng(seed)
    return KINDS[kind](rng, n), rng.random(n) < share, WEIGHTS[weights](rng, n)


def problem(*args):
    """Distinct locations with the rarer class in front, as the methods take them, and the slack of ties."""
    X, positive, weights = sample(*args)
    return rarer_first(merge(X, positive, weights)), tolerance(weights)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    weights=st.sampled_from(list(WEIGHTS)),
    share=st.sampled_from([0.0, 0.1, 0.5]),
    beyond=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
)
def test_every_set_of_few_points(kind, seed, n, weights, share, beyond):
    (x, y, wp, wn), ties = problem(seed, n, kind, weights, share)
    slack = ties + beyond
    best, found, _ = branch(x, y, wp, wn, slack)
    expected, theirs, _ = pairs(x, y, wp, wn, slack)
    expected = min(expected, wp.sum(), wn.sum())
    assert abs(best - expected) <= ties
    # Sums in another order may be on the other side of the limit, where these are not exact.
    limit = expected + slack - ties / 2
    ours = sets_up_to(limit, x, y, wp, wn, found)
    assert ours == sets_up_to(limit, x, y, wp, wn, theirs)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(50, 300),
    weights=st.sampled_from(list(WEIGHTS)),
    share=st.sampled_from([0.1, 0.5]),
)
def test_every_optimal_set_of_more_points(kind, seed, n, weights, share):
    """More than a leaf takes, so boxes are bounded and cut."""
    (x, y, wp, wn), ties = problem(seed, n, kind, weights, share)
    best, found, _ = branch(x, y, wp, wn, ties)
    lowest, _ = sweep(x, y, wp, wn)
    expected = min(lowest.min(), wp.sum(), wn.sum())
    assert abs(best - expected) <= ties
    limit = expected + ties / 2
    theirs = collect(x, y, wp, wn, lowest, expected + ties, 10**6)
    assert sets_up_to(limit, x, y, wp, wn, found) == sets_up_to(limit, x, y, wp, wn, theirs)


def two_normals(n, rng):
    positive = rng.random(n) < 0.5
    return rng.normal(size=(n, 2)) + np.outer(positive, [1.5, 0.5]), positive


MEDIUM = {
    "normals": lambda X, rng: X,
    "tenths": lambda X, rng: np.round(X, 1),
    "hundredths": lambda X, rng: np.round(X, 2),
    "one classifier twice": lambda X, rng: X[:, [0, 0]],
    "a run": lambda X, rng: np.where(
        np.arange(len(X))[:, None] % 4, X, columns(X[:, 0], np.full(len(X), 0.3))
    ),
    "far clusters": lambda X, rng: X + 1e6 * (rng.random((len(X), 1)) < 0.4),
    "heavy tails": lambda X, rng: X / rng.random((len(X), 1)) ** 2,
}


@pytest.mark.parametrize("kind", MEDIUM)
def test_thousands_of_points(kind):
    rng = np.random.default_rng(1)
    X, positive = two_normals(2_000, rng)
    X = MEDIUM[kind](X, rng)
    ours, theirs = (optimal_separator(X, positive, method=method) for method in ("branch", "sweep"))
    assert (ours.weight, ours.n_optimal) == (theirs.weight, theirs.n_optimal)
    assert np.array_equal(ours.misclassified, theirs.misclassified)


@pytest.mark.parametrize("share", [0.5, 0.0])
def test_labels_that_are_noise(share):
    rng = np.random.default_rng(2)
    X, positive = rng.normal(size=(2_000, 2)), rng.random(2_000) < share
    positive[7] = True
    ours, theirs = (optimal_separator(X, positive, method=method) for method in ("branch", "sweep"))
    assert (ours.weight, ours.n_optimal) == (theirs.weight, theirs.n_optimal)


def test_a_million_points():
    X, positive = two_normals(1_000_000, np.random.default_rng(0))
    line = optimal_separator(X, positive)
    score = X @ np.array([1.5, 0.5]) - 1.25
    assert line.weight <= ((score > 0) != positive).sum()
    assert line.weight == line.misclassified.sum()
    assert np.array_equal(
        np.where(positive, 1, -1) * (X @ line.normal + line.offset) <= 0, line.misclassified
    )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_leave_one_out_by_either_method(n):
    X, positive, weights = sample(n, 40 * n, "rounded scores", "whole")
    ours, theirs = (leave_one_out(X, positive, weights, method=method) for method in ("branch", "sweep"))
    assert np.array_equal(ours.contribution, theirs.contribution)


def test_a_few_of_the_witnesses():
    """Where more lines tie than may be returned, as many are, and all are good."""
    x, y = np.meshgrid(np.arange(12.0), np.arange(12.0))
    x, y = np.sort(x.ravel()), np.tile(np.arange(12.0), 12)
    wp, wn = np.ones(144), np.ones(144)
    best, found, _ = branch(x, y, wp, wn, 0.0, 50)
    assert best == 144.0
    assert 0 < len(found) <= 50
    assert len(sets_up_to(best, x, y, wp, wn, found)) >= len(found)
