"""The optimal hyperplane against every d points, and beside heuristics."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import hyperplanes


def test_no_sample_fails():
    found = hyperplanes.hyperplanes(6, seed=0)
    assert found.d.tolist() == [2, 3, 4, 2, 3, 4]
    assert found.weight.equals(found.least) and (found.lower_bound <= found.least).all()


def test_every_subset_in_the_plane_is_the_optimal_separator():
    rng = np.random.default_rng(0)
    for _ in range(5):
        X, positive = rng.normal(size=(20, 2)), rng.random(20) < 0.5
        weights = rng.integers(1, 4, size=20) / 1.0
        best = hyperplanes._lightest_through_d(X, positive, weights)
        assert best == optimal_separator(X, positive, weights).weight


def test_nothing_is_below_the_optimum():
    training, true = hyperplanes.cloud_trials([2, 3], 3, n=60, seed=0)
    real = hyperplanes.real_errors()
    for table in (training, real):
        assert (table[list(hyperplanes.METHODS)].ge(table["optimum"], axis=0)).all(axis=None)
    assert real.set_index("problem").loc["iris", "optimum"] == 1
    assert (true[[*hyperplanes.METHODS, "optimum"]] > 0.105).all(axis=None)  # Bayes
    assert hyperplanes.excess(training).shape == (2, 2 * len(hyperplanes.METHODS))
    assert len(hyperplanes.draw(training, real).axes) == 2


def test_the_expected_error_is_that_of_a_large_sample():
    rng = np.random.default_rng(0)
    shift, normal, offset = np.array([1.0, 2.0]), np.array([0.3, 1.0]), -0.7
    positive = rng.random(200_000) < 0.5
    X = rng.normal(size=(200_000, 2)) + positive[:, None] * shift
    error = (positive != (X @ normal + offset > 0)).mean()
    assert hyperplanes._true_error(normal, offset, shift) == pytest.approx(error, abs=0.004)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_samples must be"):
        hyperplanes.hyperplanes(0, seed=0)
