"""The fewest points within a tolerance, and the interval of the error that decides it on many rows."""

import numpy as np
import pytest

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify import tolerance
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.tolerance import EstimatedError, fewest, upper_error


@pytest.fixture
def expansion():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(400, 3)), rng.random(400) - 0.3
    return X, weights / np.abs(weights).sum()


@pytest.mark.parametrize("least", [1, 2, 3, 7, 8, 9, 31, 50])
def test_fewest_is_the_least_size(least):
    tried = []

    def find(m):
        tried.append(m)
        return m

    assert fewest(find, lambda m: m >= least, 50) == least
    assert len(tried) == len(set(tried)) <= tolerance._TESTS


def test_fewest_of_none():
    assert fewest(lambda m: m, lambda m: False, 50) is None


@pytest.mark.parametrize("method", ["greedy", "project", "herding", "kmeans", "moved"])
@pytest.mark.parametrize("tol", [0.05, 0.02])
def test_one_point_less_would_miss_the_tolerance(expansion, method, tol):
    X, weights = expansion
    if method in ("herding", "moved"):
        X, weights = X[:120], weights[:120] / np.abs(weights[:120]).sum()
    options = {"gamma": 0.2, "method": method, "random_state": 0}
    sparse = sparsify(X, weights, tol=tol, **options)
    assert sparse.error <= tol
    if method in ("greedy", "moved") and len(sparse.points) > 1:  # in which nothing is random
        assert sparsify(X, weights, len(sparse.points) - 1, **options).error > tol


def test_an_error_that_differences_lose_is_still_known():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(9, 2)), 3, axis=0)
    X[1::3] += 1e-9
    weights = rng.random(27)
    sparse = sparsify(X, weights, 9, gamma=0.5, method="project", random_state=0)
    assert 1e-11 < sparse.error < 1e-8
    kernel, points = bind_kernel("rbf", X, 0.5)
    error = upper_error(kernel, points, weights, 1e-7, 0.05, rng)
    assert np.isclose(error(sparse.points, sparse.weights), sparse.error, rtol=1e-6, atol=0.0)


def test_reweighted_points_reach_it_sooner_and_algorithm_2_keeps_its_guarantee(expansion):
    X, weights = expansion
    options = {"gamma": 0.2, "random_state": 0}
    plain, best = (
        sparsify(X, weights, tol=0.05, method="herding", reweight=reweight, **options).weights.size
        for reweight in (False, True)
    )
    assert best < plain
    one, other = (
        sparsify(X, weights, tol=0.9, method="farthest_first", reweight=reweight, **options)
        for reweight in (False, True)
    )
    assert (one.support == other.support).all() and other.error <= one.error <= 0.9


def test_tiny_tolerances_and_chunks(expansion):
    X, weights = expansion
    sparse = sparsify(X, weights, tol=1e-7, gamma=0.2, random_state=0)
    assert sparse.error <= 1e-7
    import dask.array as da

    chunked = sparsify(da.from_array(X, chunks=(100, 3)), weights, tol=0.05, gamma=0.2, random_state=0)
    assert chunked.error <= 0.05


def test_a_tolerance_that_is_out_of_reach_is_named(expansion):
    X, weights = expansion
    with pytest.raises(ValueError, match="tol=1e-30 is not reached by method='greedy' with 400 points"):
        sparsify(X, weights, tol=1e-30, gamma=0.2, method="greedy", random_state=0)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_few_rows_have_the_error_itself(expansion, kernel):
    X, weights = expansion
    bound, points = bind_kernel(kernel, X, 0.2)
    error = upper_error(bound, points, weights, 0.1, 0.05, np.random.default_rng(0))
    for kept in (weights[:50], 3 * weights[:50]):
        exact = expansion_norm(bound, np.vstack([X, X[:50]]), np.concatenate([weights, -kept]))
        assert np.isclose(error(X[:50], kept), exact)
    assert error(X, weights) < 1e-12


def test_the_estimate_is_unbiased_and_the_interval_holds():
    rng = np.random.default_rng(5)
    X, weights = rng.normal(size=(3000, 3)), rng.random(3000) - 0.3
    bound, points = bind_kernel("rbf", X, 0.2)
    sparse = sparsify(X, weights, 10, gamma=0.2, random_state=0)
    kept, exact = sparse.weights / np.abs(weights).sum(), (sparse.error / np.abs(weights).sum()) ** 2
    found = []
    for seed in range(100):
        error = EstimatedError(bound, points, weights, 800, 0.05, np.random.default_rng(seed))
        found.append(error.squared(sparse.points, kept))
        assert error(sparse.points, sparse.weights) >= sparse.error
    estimates, stderrs = np.array(found).T
    assert abs(estimates.mean() - exact) < 4 * estimates.std() / 10
    assert 0.7 < stderrs.mean() / estimates.std() < 2


def test_many_rows_are_estimated(monkeypatch):
    rng = np.random.default_rng(5)
    X, weights = rng.normal(size=(6000, 3)), np.full(6000, 1 / 6000)
    monkeypatch.setattr(tolerance, "ALL", 500)
    calls, init = [], EstimatedError.__init__
    monkeypatch.setattr(
        EstimatedError, "__init__", lambda self, *args: (calls.append(args[3]), init(self, *args))[1]
    )
    sparse = sparsify(X, weights, tol=0.05, gamma=0.2, random_state=0)
    assert calls[0] in (1600, 1601) and sparse.error <= 0.05
    exact = next(m for m in range(1, 99) if sparsify(X, weights, m, gamma=0.2).error <= 0.05)
    assert exact <= len(sparse.support) <= 2 * exact
