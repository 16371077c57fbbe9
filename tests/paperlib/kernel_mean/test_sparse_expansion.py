"""Sparse expansions: what Theorem 21 promises, and what bad input is answered."""

import pickle
from functools import partial

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean import KernelMeanClassifier, sparsify, theory
from paperlib.kernel_mean._sparsify.approximations import clustered_draws
from paperlib.kernel_mean.sparse_expansion import METHODS
from tests.paperlib.kernel_mean.helpers import clustered, error_of


@pytest.fixture
def expansion():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(150, 3)), rng.normal(size=150)
    return X, weights / np.abs(weights).sum()


@pytest.mark.parametrize("method", ["farthest_first", "random", "herding", "project"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial"])
def test_error_and_scores_are_those_of_the_expansion(expansion, method, kernel):
    X, weights = expansion
    sparse = sparsify(X, weights, 12, method=method, kernel=kernel, gamma=0.3, random_state=1)
    bound, points = bind_kernel(kernel, X, 0.3)
    assert np.isclose(sparse.error, error_of(bound.matrix(points, points), weights, sparse), atol=1e-10)
    assert np.allclose(
        sparse.decision_function(X[:5]), bound.matrix(X[:5], X[sparse.support]) @ sparse.weights
    )


@pytest.mark.parametrize("method, most", [("farthest_first", 24), ("random", 12), ("herding", 12)])
def test_it_is_sparse_keeps_signs_and_total_weight(expansion, method, most):
    X, weights = expansion
    for seed in range(20):
        sparse = sparsify(X, weights, 12, method=method, gamma=0.3, random_state=seed)
        assert len(sparse.support) <= most
        assert (np.diff(sparse.support) > 0).all()
        assert (np.sign(sparse.weights) == np.sign(weights[sparse.support])).all()
        assert np.isclose(np.abs(sparse.weights).sum(), np.abs(weights).sum())


def test_precomputed_gives_the_same_draw(expansion):
    X, weights = expansion
    kernel, points = bind_kernel("rbf", X, 0.3)
    K = kernel.matrix(points, points)
    direct = clustered(X, weights, 9, gamma=0.3, random_state=2)
    table = clustered(K, weights, 9, kernel="precomputed", random_state=2)
    assert (direct.support == table.support).all()
    assert np.isclose(direct.error, table.error) and np.isclose(direct.diameter, table.diameter, atol=1e-7)
    assert np.allclose(direct.decision_function(X[:4]), table.decision_function(K[:4]))


def test_the_mean_of_many_draws_is_the_expansion(expansion):
    """Theorem 21's estimate is unbiased: within four standard errors, point by point."""
    X, weights = expansion
    total = np.zeros((400, 150))
    for seed in range(400):
        sparse = clustered(X, weights, 10, gamma=0.3, random_state=seed)
        total[seed, sparse.support] = sparse.weights
    error, spread = total.mean(axis=0) - weights, total.std(axis=0, ddof=1) / 20
    assert (np.abs(error) <= 4.5 * spread + 1e-4).all()


def test_duplicates_in_as_many_places_as_parts_are_exact():
    X = np.repeat([[0.0, 0.0], [3.0, 1.0], [-2.0, 5.0]], [4, 7, 2], axis=0)
    weights = np.random.default_rng(0).random(13)
    sparse = clustered(X, weights, 3, gamma=0.5)
    assert sparse.error < 1e-8 and sparse.diameter == 0


def test_tol_is_met_by_the_guarantee_and_costs_more_points_when_smaller(expansion):
    X, weights = expansion
    sizes = []
    for tol in (2.0, 1.2, 0.8):
        sparse = clustered(X, weights, tol=tol, delta=0.1, gamma=0.3)
        sizes.append(len(sparse.support))
        assert sparse.error <= tol
    assert sizes[0] < sizes[1] < sizes[2]


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_draws_of_the_theorem(data):
    n, m = data.draw(st.integers(1, 15)), data.draw(st.integers(1, 5))
    part = data.draw(arrays(int, n, elements=st.integers(0, m - 1)))
    alpha = data.draw(arrays(float, n, elements=st.sampled_from([0.0, 0.25, 1.0, 1e-12, 3.0])))
    if alpha.sum() == 0:
        alpha[0] = 1.0
    alpha = alpha / alpha.sum()
    draws = clustered_draws(alpha, part, m, np.random.default_rng(0))
    shares = np.bincount(part, weights=alpha, minlength=m)
    assert np.allclose(np.bincount(part, weights=draws, minlength=m), shares)
    assert (draws[alpha == 0] == 0).all()
    assert np.count_nonzero(draws) <= 2 * m
    for i in range(m):
        assert np.count_nonzero(draws[part == i]) <= max(1, np.ceil(shares[i] * m))


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e9])
def test_extreme_scales_of_weights(expansion, scale):
    X, weights = expansion
    one, other = (clustered(X, w, 8, gamma=0.3, random_state=5) for w in (weights, scale * weights))
    assert (one.support == other.support).all()
    assert np.isclose(other.error, scale * one.error, rtol=1e-6)


def test_a_single_point_and_all_points():
    lone = clustered([[2.0]], [-3.0], 1)
    assert lone.support.tolist() == [0] and lone.weights.tolist() == [-3.0] and lone.error == 0
    X = np.arange(5.0)[:, None]
    whole = clustered(X, np.full(5, 0.2), 5, gamma=1.0)
    assert whole.support.tolist() == [0, 1, 2, 3, 4] and whole.error < 1e-8


def test_the_same_seed_gives_the_same_expansion(expansion):
    X, weights = expansion
    a, b = (clustered(X, weights, 7, random_state=11) for _ in range(2))
    assert (a.support == b.support).all() and (a.weights == b.weights).all()


def test_a_classifier_is_thinned_through_its_dual_coefficients():
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(80, 2)) * 3.0, np.array([1, -1] * 40)
    y = np.where(X[:, 0] == X[:, 1], 1, -1)
    clf = KernelMeanClassifier(gamma=0.5).fit(X, y)
    sparse = clustered(X, clf.dual_coef_, 4, gamma=0.5)
    assert len(sparse.support) <= 8
    assert (np.sign(sparse.decision_function(X)) == np.sign(clf.decision_function(X))).all()


def test_random_state_may_be_a_legacy_one():
    X, weights, legacy = np.arange(50.0)[:, None], np.full(50, 0.02), np.random.RandomState
    first, same, seeded = (
        sparsify(X, weights, 4, method="random", random_state=rng).support
        for rng in (legacy(0), legacy(0), legacy(0).randint(2**31))
    )
    assert (first == same).all() and (first == seeded).all()


def test_gamma_by_scale_is_that_of_the_sample_however_it_is_chunked():
    X = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    weights, gamma = np.full(60, 1 / 60), 1 / (3 * X.astype(float).var())
    for rows in (X, da.from_array(X, chunks=(23, 2))):
        by_name, by_number = (clustered(rows, weights, 5, gamma=gamma) for gamma in ("scale", gamma))
        assert (by_name.support == by_number.support).all()
        assert by_name.error == pytest.approx(by_number.error, rel=1e-6)


ONES = np.ones(3) / 3
BAD = [
    ({"m": 0}, "m must be an integer >= 1 and <= 3, got 0"),
    ({"m": 4}, "m must be an integer >= 1 and <= 3, got 4"),
    ({"m": 1.5}, "m must be an integer .* got 1.5"),
    ({"m": True}, "m must be an integer .* got True"),
    ({}, "give either m or tol, got m=None and tol=None"),
    ({"m": 1, "tol": 0.1}, "give either m or tol"),
    ({"tol": 0.0}, "tol must be a finite number > 0, got 0.0"),
    ({"tol": 0.1, "delta": 1.0}, "delta must be a finite number > 0 and < 1, got 1.0"),
    (
        {"tol": 1e-3, "method": "random", "random_state": 0},  # draws every point in two of nine tries
        "tol=0.001 is not reached by method='random' with 3 points",
    ),
    (
        {"m": 1, "method": "best"},
        "method must be one of 'auto', 'farthest_first', 'random', 'herding', 'project', 'greedy', 'kmeans', "
        "'moved', got 'best'",
    ),
    ({"m": 1, "reweight": "yes"}, "reweight must be True or False, got 'yes'"),
    ({"m": 1, "method": "moved", "kernel": "linear"}, "method='moved' needs kernel='rbf'"),
    ({"m": 1, "method": "kmeans", "kernel": "precomputed", "X": np.eye(3)}, "method='kmeans' needs rows"),
    ({"m": 1, "kernel": "sigmoid"}, "kernel must be one of"),
    ({"m": 1, "gamma": -2}, "gamma must be .* 'auto' or None, got -2"),
    ({"m": 1, "random_state": "x"}, "random_state must be an integer >= 0, .* got 'x'"),
    ({"m": 1, "weights": np.zeros(3)}, "weights must not be all zero"),
    ({"m": 1, "weights": [1.0, np.inf, 0.0]}, "weights must be finite, got inf"),
    ({"m": 1, "weights": [1.0, 2.0]}, r"weights must have shape \(3,\)"),
    ({"m": 1, "X": [[1.0], [np.nan], [0.0]]}, "X contains NaN"),
    ({"m": 1, "X": np.zeros((0, 1))}, "0 sample"),
]


@pytest.mark.parametrize("changes, words", BAD)
def test_bad_input_is_named(changes, words):
    call = {"X": np.arange(3.0)[:, None], "weights": ONES, **changes}
    with pytest.raises(ValueError, match=words):
        sparsify(call.pop("X"), call.pop("weights"), **call)


def test_scoring_another_width_is_named(expansion):
    X, weights = expansion
    with pytest.raises(ValueError, match="X must have 3 columns, got 2"):
        clustered(X, weights, 3).decision_function(X[:, :2])


def herding_twin(K, weights, m):
    """Try every point as the next one; keep the one whose mean is closest to the target."""
    total = np.abs(weights).sum()
    signs, counts = np.where(weights < 0, -1.0, 1.0), np.zeros(len(weights))
    for k in range(1, m + 1):
        errors = []
        for i in range(len(weights)):
            trial = counts.copy()
            trial[i] += 1
            difference = weights / total - signs * trial / k
            errors.append(difference @ K @ difference if weights[i] else np.inf)
        counts[int(np.argmin(errors))] += 1
    return total * signs * counts / m


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_herding_takes_the_best_next_point(kernel):
    rng = np.random.default_rng(4)
    X, weights = rng.normal(size=(40, 2)), np.round(rng.normal(size=40), 1)
    weights[3] = 0
    bound, points = bind_kernel(kernel, X, 0.6)
    expected = herding_twin(bound.matrix(points, points), weights, 9)
    sparse = sparsify(X, weights, 9, kernel=kernel, gamma=0.6, method="herding", random_state=0)
    found = np.zeros(40)
    found[sparse.support] = sparse.weights
    assert np.allclose(found, expected)


def test_projection_is_the_least_squares_solution(expansion):
    X, weights = expansion
    bound, points = bind_kernel("rbf", X, 0.3)
    K = bound.matrix(points, points)
    sparse = sparsify(X, weights, 12, gamma=0.3, method="project", random_state=0)
    assert len(sparse.support) == 12
    assert np.allclose(
        sparse.weights,
        np.linalg.solve(K[np.ix_(sparse.support, sparse.support)], K[sparse.support] @ weights),
    )
    # Perpendicular to the chosen points: the error cannot be made smaller.
    difference = weights.copy()
    difference[sparse.support] -= sparse.weights
    assert np.allclose(K[sparse.support] @ difference, 0, atol=1e-12)


def test_projection_of_duplicates_and_of_everything():
    X = np.repeat([[0.0, 0.0], [3.0, 1.0], [-2.0, 5.0]], [4, 7, 2], axis=0)
    weights = np.random.default_rng(0).normal(size=13)
    sparse = sparsify(X, weights, 13, gamma=0.5, method="project", random_state=0)
    assert sparse.error < 1e-12 and np.isfinite(sparse.weights).all()
    one = sparsify([[2.0]], [-3.0], 1, method="project", random_state=0)
    assert np.isclose(one.weights[0], -3.0) and one.error < 1e-12


def test_an_orthonormal_sample_meets_theorem_20(expansion):
    """No method gets below the lower bound, and herding attains it."""
    n = 24
    weights = np.full(n, 1 / n)
    for k in (1, 5, 12):
        bound = theory.theorem_20(k, n)
        for method in ("random", "herding", "farthest_first"):
            m = k if method != "farthest_first" else max(1, k // 2)
            sparse = sparsify(np.eye(n), weights, m, kernel="precomputed", method=method, random_state=0)
            assert sparse.error >= theory.theorem_20(len(sparse.support), n) - 1e-12
        herding = sparsify(np.eye(n), weights, k, kernel="precomputed", method="herding", random_state=0)
        assert np.isclose(herding.error, bound)


def test_a_pickle_holds_the_few_points_only(expansion):
    X, weights = np.repeat(expansion[0], 40, axis=0), np.repeat(expansion[1], 40)
    sparse = clustered(X, weights, 5, gamma=0.3)
    without = pickle.loads(pickle.dumps(sparse))
    with pytest.raises(RuntimeError, match="ask for it before pickling"):
        without.error  # noqa: B018
    error = sparse.error
    packed = pickle.dumps(sparse)
    again = pickle.loads(packed)
    assert len(packed) < 3000 < X.nbytes
    assert again.error == error
    assert (again.decision_function(X[:5]) == sparse.decision_function(X[:5])).all()


def test_projection_on_all_points_leaves_nothing():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(100, 2)), rng.normal(size=100)
    sparse = sparsify(X, weights, 100, gamma=0.5, method="project", random_state=0)
    assert np.array_equal(sparse.weights, weights)
    assert sparse.error == 0.0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [np.asarray, partial(da.from_array, chunks=(20, 2))])
def test_large_weights_lose_nothing(form, method, kernel):
    if method == "moved" and kernel != "rbf":
        pytest.skip("needs a Gaussian kernel")
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(60, 2)), rng.normal(size=60)
    weights /= np.abs(weights).sum()
    unit, options = 2.0**1020, {"kernel": kernel, "method": method, "random_state": 0}
    one, large = (sparsify(form(X), weights * factor, 5, **options) for factor in (1.0, unit))
    np.testing.assert_array_equal(large.weights / unit, one.weights)
    assert large.error / unit == one.error


def test_a_tolerance_is_in_the_units_of_large_weights():
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(60, 2)), np.ones(60) / 64.0
    one, large = (sparsify(X, weights * unit, tol=0.05 * unit) for unit in (1.0, 2.0**1023))
    np.testing.assert_array_equal(large.support, one.support)


def test_weights_of_the_result_beyond_the_floats_are_refused():
    X = np.arange(1.0, 9.0)[:, None]
    with pytest.raises(ValueError, match=r"weights must be smaller: .* those of the result overflow"):
        sparsify(X, np.full(8, 2.0**1020), 1, kernel="linear")


@pytest.mark.parametrize("method", ["greedy", "kmeans"])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_what_is_written_into_the_sample_afterwards_does_not_count(kernel, method):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 2)), np.full(40, 1 / 40)
    buffer, own_weights = X.copy(), weights.copy()
    kept, other = (
        sparsify(rows, values, 3, kernel=kernel, method=method, random_state=0)
        for rows, values in ((buffer, own_weights), (X, weights))
    )
    buffer[:], own_weights[:] = 7.0, 7.0
    assert kept.error == other.error
    np.testing.assert_array_equal(kept.decision_function(X), other.decision_function(X))


@pytest.mark.parametrize("form", [np.asarray, partial(da.from_array, chunks=(2, 1))])
def test_a_variance_that_underflows_is_refused_by_scale(form):
    X, weights = np.arange(6.0).reshape(6, 1), np.ones(6)
    with pytest.raises(ValueError, match="gamma='scale' needs data whose variance and its inverse are"):
        sparsify(form(1e-165 * X), weights, 2, gamma="scale")
    assert len(sparsify(form(np.full((6, 1), 1e-165)), weights, 1, gamma="scale").points) == 1
