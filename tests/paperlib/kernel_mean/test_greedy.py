"""Greedy orthogonal least squares against trying every row with a solver, and its degenerate cases."""

import numpy as np
import pytest

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify import greedy
from paperlib.kernel_mean._sparsify.greedy import draws, greedy_rows


def squared_error(K, weights, rows):
    """Of the best weights on `rows`, by a pseudo-inverse."""
    target = K @ weights
    return weights @ target - target[rows] @ np.linalg.pinv(K[np.ix_(rows, rows)]) @ target[rows]


def greedy_twin(K, weights, m):
    """Try every row as the next one and solve for the best weights each time."""
    taken = []
    for _ in range(m):
        errors = [np.inf if i in taken else squared_error(K, weights, [*taken, i]) for i in range(len(K))]
        taken.append(int(np.argmin(errors)))
    return taken


@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "precomputed"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_row_is_the_one_that_lowers_the_error_most(kernel, seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(40, 4)), rng.normal(size=40)
    weights[:3] = 0
    data = X if kernel != "precomputed" else np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    bound, points = bind_kernel(kernel, data, None if kernel == "precomputed" else 0.4)
    K = bound.matrix(points, points)
    m = 3 if kernel == "linear" else 7
    expected = greedy_twin(K, weights, m)
    assert greedy_rows(bound, points, weights, m, rng).tolist() == expected
    sparse = sparsify(data, weights, m, kernel=kernel, gamma=0.4, method="greedy", random_state=0)
    assert sparse.support.tolist() == sorted(expected)
    assert np.isclose(sparse.error**2, squared_error(K, weights, expected), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_draws_judge_candidates_nearly_as_well_as_all_rows(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(6000, 3)), rng.random(6000) - 0.2
    all_rows = sparsify(X, weights, 24, gamma=0.3, random_state=0)
    monkeypatch.setattr(greedy, "ALL", 100)
    few = sparsify(X, weights, 24, gamma=0.3, random_state=seed)
    assert len(few.support) == 24 and (np.diff(few.support) > 0).all()
    assert 0.7 * all_rows.error <= few.error <= 1.5 * all_rows.error


def test_only_rows_with_weight_are_drawn():
    weights = np.array([0.0, 0.0, 1.0, 0.0, 3.0, 0.0])
    found = draws(np.cumsum(weights), 4000, np.random.default_rng(0))
    counts = np.bincount(found, minlength=6)
    assert (counts[weights == 0] == 0).all() and abs(counts[4] - 3000) < 150

    class Largest:
        def random(self, size):
            return np.full(size, 1 - 2**-53)

    assert draws(np.cumsum([0.1] * 10 + [0.0]), 1, Largest()).tolist() == [9]


DEGENERATE = {
    "duplicates": (np.repeat([[0.0, 0.0], [3.0, 1.0], [-2.0, 5.0]], [4, 7, 2], axis=0), 3),
    "all equal": (np.full((9, 2), 7.0), 1),
    "one row": (np.array([[2.0, 3.0]]), 1),
    "one far away": (np.vstack([np.zeros((8, 2)), [[1e150, 0.0]]]), 2),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("method", ["greedy", "kmeans", "moved"])
@pytest.mark.parametrize("gamma", [0.5, 1e-300, 1e300])
def test_as_many_points_as_there_are_places_are_exact(name, method, gamma):
    X, places = DEGENERATE[name]
    weights = np.arange(1.0, len(X) + 1)
    sparse = sparsify(X, weights, len(X), gamma=gamma, method=method, random_state=0)
    assert len(sparse.weights) == len(sparse.points) <= len(X)
    assert np.isfinite(sparse.points).all() and np.isfinite(sparse.weights).all()
    if method == "greedy":
        assert len(sparse.weights) <= places
    if method != "kmeans":  # whose centres need not be exact copies
        assert sparse.error < 1e-7 * weights.sum()


@pytest.mark.parametrize("method", ["greedy", "kmeans", "moved"])
def test_an_expansion_that_cancels_is_answered_with_zeros(method):
    sparse = sparsify(np.zeros((6, 2)), [1.0, -1.0] * 3, 2, method=method, random_state=0)
    assert sparse.weights.tolist() == [0.0] and sparse.error == 0
    assert sparse.decision_function([[1.0, 1.0]]).tolist() == [0.0]


@pytest.mark.parametrize("method", ["greedy", "kmeans", "moved"])
def test_the_scale_of_the_weights_and_single_precision_do_not_matter(method):
    X, weights = np.random.default_rng(1).normal(size=(200, 3)), np.full(200, 1 / 200)
    one = sparsify(X, weights, 8, gamma=0.3, method=method, random_state=5)
    for scale in (2.0**-800, 2.0**800):
        other = sparsify(X, scale * weights, 8, gamma=0.3, method=method, random_state=5)
        assert np.allclose(other.points, one.points)
        assert np.isclose(other.error, scale * one.error)
    single = sparsify(X.astype(np.float32), weights, 8, gamma=0.3, method=method, random_state=5)
    assert np.isclose(single.error, one.error, rtol=0.05)


def test_kernel_values_that_overflow_are_named():
    with pytest.raises(ValueError, match=r"K\(x, x\) must be finite for every row x of X, got inf: scale X"):
        sparsify([[1e200], [2e200], [0.0]], [1.0, 1.0, 1.0], 2, kernel="linear", method="greedy")
