"""Best weights against a solver, also for points that depend on each other."""

import numpy as np
import pytest

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify.least_squares import least_squares


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
def test_no_other_weights_are_closer(kernel):
    rng = np.random.default_rng(0)
    X, weights, chosen = rng.normal(size=(90, 5)), rng.normal(size=90), rng.normal(size=(4, 5))
    bound, points = bind_kernel(kernel, X, 0.2)
    found = least_squares(bound, chosen, points, weights)
    expected = np.linalg.solve(bound.matrix(chosen, chosen), bound.matrix(chosen, points) @ weights)
    assert np.allclose(found, expected)


def test_duplicates_get_no_weight_and_change_nothing():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(90, 2)), rng.random(90)
    bound, points = bind_kernel("rbf", X, 0.5)
    once = least_squares(bound, X[:6], points, weights)
    twice = least_squares(bound, np.vstack([X[:6], X[:6] + 1e-9, X[:2]]), points, weights)
    assert np.count_nonzero(twice) == 6
    assert np.allclose(bound.matrix(X, X[:6]) @ once, bound.matrix(X, np.vstack([X[:6]] * 2)) @ twice[:12])


def test_far_more_points_than_dimensions():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(90, 2)), rng.random(90)
    bound, points = bind_kernel("linear", X)
    found = least_squares(bound, X[:50], points, weights)
    assert np.count_nonzero(found) == 2
    assert np.allclose(found @ X[:50], weights @ X)


def test_rows_of_zeros_and_of_very_different_lengths():
    X = np.array([[0.0, 0.0], [1e-100, 0.0], [0.0, 1e100]])
    bound, points = bind_kernel("linear", X)
    assert np.allclose(least_squares(bound, X, points, np.array([5.0, 2.0, 3.0])), [0.0, 2.0, 3.0])


@pytest.mark.parametrize("method", ["farthest_first", "random", "herding"])
def test_reweighted_points_are_the_same_and_no_farther(method):
    rng = np.random.default_rng(3)
    X, weights = rng.normal(size=(300, 3)), rng.random(300) - 0.3
    plain, best = (
        sparsify(X, weights, 20, gamma=0.3, method=method, reweight=reweight, random_state=1)
        for reweight in (False, True)
    )
    assert (plain.support == best.support).all()
    assert best.error < 0.8 * plain.error
    bound, points = bind_kernel("rbf", X, 0.3)
    left = weights.copy()
    left[best.support] -= best.weights
    assert np.allclose(bound.matrix(best.points, points) @ left, 0, atol=1e-9)


def test_weights_that_are_the_best_already_stay():
    rng = np.random.default_rng(3)
    X, weights = rng.normal(size=(100, 3)), rng.random(100)
    for method in ("project", "greedy", "kmeans", "moved"):
        one, other = (
            sparsify(X, weights, 9, method=method, reweight=reweight, random_state=1).weights
            for reweight in (False, True)
        )
        assert (one == other).all()
