"""Points that are no rows: k-means centres, and points moved along a gradient."""

import dask.array as da
import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist

from paperlib.kernel_mean import KernelMeanClassifier, sparsify, sparsify_classifier
from paperlib.kernel_mean._sparsify import free_points
from tests.paperlib.kernel_mean.helpers import gaussian


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(150, 3)), rng.normal(3.0, 0.5, size=(150, 3))]), np.full(300, 1 / 300)


def distance(X, weights, sparse):
    """Of an expansion from one with points of its own."""
    both, signed = np.vstack([X, sparse.points]), np.concatenate([weights, -sparse.weights])
    return np.sqrt(signed @ gaussian(both, 0.3) @ signed)


def test_gradient(sample, monkeypatch):
    X, weights = sample
    monkeypatch.setattr(free_points, "_ROWS", 70)
    start = np.random.default_rng(1).normal(size=(5, 3))
    loss = free_points._loss(X, weights, start.shape)
    size = np.linalg.norm(loss(start.ravel())[1])
    assert check_grad(lambda x: loss(x)[0], lambda x: loss(x)[1], start.ravel()) < 1e-5 * size


def test_the_loss_is_what_the_projection_takes_from_the_squared_length(sample):
    X, weights = sample
    K = gaussian(X, 1.0)
    few, target = K[:4, :4], K[:4] @ weights
    loss, _ = free_points._loss(X, weights, (4, 3))(X[:4].ravel())
    assert np.isclose(loss, -target @ np.linalg.solve(few, target), rtol=1e-6)


@pytest.mark.parametrize("method", ["kmeans", "moved"])
def test_points_are_no_rows_and_scores_and_errors_are_theirs(sample, method):
    X, weights = sample
    sparse = sparsify(X, weights, 6, gamma=0.3, method=method, random_state=0)
    assert sparse.support is None and sparse.points.shape == (6, 3)
    assert np.isclose(sparse.error, distance(X, weights, sparse))
    K = gaussian(sparse.points, 0.3, X[:5])
    assert np.allclose(sparse.decision_function(X[:5]), K @ sparse.weights)


@pytest.mark.parametrize("gamma", [0.003, 0.3, 3.0])
def test_moved_points_are_closer_than_rows_and_centres(sample, gamma):
    X, weights = sample
    signed = weights * np.where(X[:, 0] > 1, 1, -1)
    for each in (weights, signed):
        errors = {
            method: sparsify(X, each, 8, gamma=gamma, method=method, random_state=0).error
            for method in ("greedy", "kmeans", "moved")
        }
        assert errors["moved"] <= min(errors["greedy"], errors["kmeans"]) * (1 + 1e-9)


def test_of_many_rows_draws_are_enough(sample, monkeypatch):
    X, weights = sample
    X = np.vstack([X + 0.1 * np.random.default_rng(i).normal(size=X.shape) for i in range(8)])
    weights = np.full(2400, 1 / 2400)
    rows = sparsify(X, weights, 8, gamma=0.3, random_state=0)
    monkeypatch.setattr(free_points, "SAMPLE", 1000)
    monkeypatch.setattr(free_points, "_FULL", 1000)
    moved = sparsify(X, weights, 8, gamma=0.3, method="moved", random_state=0)
    assert moved.error < 0.9 * rows.error
    assert sparsify(X, weights, 8, gamma=0.3, method="kmeans", random_state=0).error < 3 * rows.error


def test_centres_of_many_rows_are_hardly_worse_than_those_of_all(monkeypatch):
    """Batches alone leave a quarter more than k-means over all rows does; passes over all take that back."""
    rng = np.random.default_rng(0)
    X = 6 * rng.normal(size=(20, 10))[rng.integers(20, size=6000)] + rng.normal(size=(6000, 10))
    weights = rng.random(6000)
    quick = free_points.kmeans_centres(X, weights, 25, np.random.default_rng(0))
    monkeypatch.setattr(free_points, "_FULL", len(X))
    slow = free_points.kmeans_centres(X, weights, 25, np.random.default_rng(0))
    inertias = [weights @ cdist(X, centres, "sqeuclidean").min(axis=1) for centres in (quick, slow)]
    assert inertias[0] < 1.03 * inertias[1]


def test_draws_that_mislead_are_dropped(sample, monkeypatch):
    """Moving can only improve on the rows it began with, judged by all rows."""
    X, weights = sample
    monkeypatch.setattr(free_points, "SAMPLE", 2)
    rows, moved = (
        sparsify(X, weights, 8, gamma=0.3, method=method, random_state=0) for method in ("greedy", "moved")
    )
    assert moved.error <= rows.error * (1 + 1e-9)


@pytest.mark.parametrize("method", ["kmeans", "moved"])
@pytest.mark.parametrize("second_round", [False, True])
def test_chunks_and_classifiers(sample, method, second_round):
    X, weights = sample
    chunked = da.from_array(X, chunks=(100, 3))
    sparse = sparsify(
        chunked, weights, 5, gamma=0.3, method=method, second_round=second_round, random_state=0
    )
    assert sparse.support is None and len(sparse.points) == (5 if second_round else 15)
    assert np.isclose(sparse.error, distance(X, weights, sparse))
    y = (X[:, 0] > 1.5).astype(int)
    mean = KernelMeanClassifier(gamma=0.3).fit(X, y)
    thin = sparsify_classifier(mean, 5, method=method, random_state=0)
    assert np.mean(thin.predict(X) == mean.predict(X)) > 0.95


def test_centres_of_rows_with_weight_only():
    X, weights = np.array([[0.0], [1.0], [100.0]]), np.array([1.0, 1.0, 0.0])
    centres = free_points.kmeans_centres(X, weights, 2, np.random.default_rng(0))
    assert sorted(centres.ravel().tolist()) == [0.0, 1.0]
    huge = free_points.kmeans_centres(1e200 * X, weights, 2, np.random.default_rng(0))
    assert np.allclose(sorted(huge.ravel()), [0.0, 1e200])
