"""Kernel sums against the plain kernel matrix."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, polynomial_kernel
from sklearn.svm import SVC

from paperlib._common.blocked_sums import blocked_sums
from paperlib._common.gaussian_sums import GaussianSums, far_sums, gaussian_sums
from paperlib._common.kernels import Linear, bind_kernel, quadratic_form, resolve_kernel
from paperlib._common.spread import sparse_variance


def twin_matrix(A, B, gamma):
    return np.array([[np.exp(-gamma * np.sum((a - b) ** 2)) for b in B] for a in A])


def twin_sums(A, B, weights, gamma):
    return twin_matrix(A, B, gamma) @ weights


def bound(A, B, weights, gamma, relative):
    """An error of `relative` in every kernel value."""
    return relative * (twin_matrix(A, B, gamma) @ np.abs(weights)) + 1e-300


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    "m, n, d",
    [(1, 1, 1), (3, 7, 2), (65, 257, 5), (130, 300, 64), (64, 256, 1), (5, 600, 90), (200, 700, 400)],
)
def test_gaussian_sums_are_those_of_the_matrix(m, n, d):
    rng = np.random.default_rng(m + n + d)
    A, B, weights = rng.normal(size=(m, d)), rng.normal(size=(n, d)), rng.normal(size=n)
    error = np.abs(gaussian_sums(A, B, weights, 1 / d) - twin_sums(A, B, weights, 1 / d))
    assert (error <= bound(A, B, weights, 1 / d, 1e-13)).all()


coordinates = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-9, 1e-160, 3.0, 1e9, -1e9, 1e160])


@settings(max_examples=60, deadline=None)
@given(data=st.data(), gamma=st.sampled_from([1e-9, 0.5, 1.0, 1e9]))
def test_gaussian_sums_on_ties_and_extreme_scales(data, gamma):
    d = data.draw(st.integers(1, 3))
    A = data.draw(arrays(float, (data.draw(st.integers(1, 6)), d), elements=coordinates))
    B = data.draw(arrays(float, (data.draw(st.integers(1, 6)), d), elements=coordinates))
    weights = data.draw(arrays(float, len(B), elements=st.sampled_from([1.0, -1.0, 0.0, 0.25])))
    with np.errstate(over="ignore"):
        expected, allowed = twin_sums(A, B, weights, gamma), bound(A, B, weights, gamma, 1e-9)
    assert (np.abs(gaussian_sums(A, B, weights, gamma) - expected) <= allowed).all()


@pytest.mark.drawn(2)
@pytest.mark.parametrize("m", [1, 5, 40])
@pytest.mark.parametrize("gamma", [1e-3, 0.3, 40.0, 1e4])
def test_single_precision_keeps_its_bound(m, gamma):
    rng = np.random.default_rng(m)
    A, B = (rng.normal(size=(rows, 6)).astype(np.float32) for rows in (m, 500))
    A[0] += 30.0  # far out: its sum is computed in double precision
    weights = rng.normal(size=500)
    wide = A.astype(float), B.astype(float)
    spread = gamma * ((wide[1] - wide[1].mean(axis=0)) ** 2).sum(axis=1).max()
    h = gamma * ((wide[0] - wide[1].mean(axis=0)) ** 2).sum(axis=1) + spread
    relative = 2.0**-23 * 10 * (1 + h) + 2.0**-16
    error = np.abs(gaussian_sums(A, B, weights, gamma) - twin_sums(*wide, weights, gamma))
    assert (error <= relative * (twin_matrix(*wide, gamma) @ np.abs(weights)) + 1e-300).all()
    assert m == 1 or gamma > 1 or error[-1] > 0  # it is single precision where it says so


@pytest.mark.parametrize("where", ["targets", "sources", "both"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_outliers_do_not_touch_the_other_sums(where, kind):
    rng = np.random.default_rng(0)
    A, B, weights = (
        rng.normal(size=(60, 3)).astype(kind),
        rng.normal(size=(90, 3)).astype(kind),
        rng.random(90),
    )
    plain = gaussian_sums(A, B, weights, 0.5)
    if where != "sources":
        A[7] = 1e30
    if where != "targets":
        B[5], B[6] = 1e30, 1e19
    expected = twin_sums(A.astype(float), B.astype(float), weights, 0.5)
    found = gaussian_sums(A, B, weights, 0.5)
    assert np.allclose(found, expected, rtol=1e-12 if kind == np.float64 else 1e-5, atol=1e-300)
    if where == "targets":
        others = np.arange(60) != 7
        assert (found[others] == plain[others]).all() or kind == np.float32


def test_one_outlier_is_summed_alone():
    """Directly summed rows are few: the pairs of the others stay in the blocked kernel."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(300, 3)), rng.normal(size=(400, 3))
    A[3], B[4] = 1e9, -1e9
    calls = []

    class Watched(GaussianSums):
        def _direct(self, targets, rows):
            calls.append((len(targets), len(self.sources[rows])))
            return super()._direct(targets, rows)

    found = Watched(B, np.ones(400), 0.5)(A)
    assert np.allclose(found, twin_sums(A, B, np.ones(400), 0.5), rtol=1e-12, atol=1e-300)
    assert sorted(calls) == [(1, 400), (299, 1)]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("gamma", [0.5, 1e6])
def test_where_all_rows_are_far_apart_only_a_row_itself_counts(kind, gamma):
    rng = np.random.default_rng(0)
    X, weights = rng.uniform(0, 10_000, (200, 5)).astype(kind), rng.normal(size=200)
    assert (gaussian_sums(X, X, weights, gamma) == weights).all()
    assert (gaussian_sums(X[:3], X, weights, gamma) == weights[:3]).all()
    assert (gaussian_sums(X[:1], X[1:], weights[1:], gamma) == 0).all()


@pytest.mark.parametrize("d", [1, 3, 8, 9, 40])
@pytest.mark.parametrize("reach", [0.3, 3.0, 100.0])
def test_far_sums_leave_out_nothing_that_counts(d, reach):
    """Between all pairs and none, with ties in every coordinate."""
    rng = np.random.default_rng(d)
    A, B = (rng.integers(0, 4, (n, d)) * 30.0 + rng.normal(size=(n, d)) for n in (60, 90))
    B[:30] = B[30:60]
    weights, gamma = rng.normal(size=90), 1 / reach**2
    expected = twin_sums(A, B, weights, gamma)
    assert (np.abs(far_sums(A, B, weights, gamma) - expected) <= bound(A, B, weights, gamma, 1e-12)).all()


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("m, n, d, scale", [(1000, 300, 20, 1.0), (10, 5000, 4, 1.0), (300, 400, 3, 1e3)])
def test_threads_change_no_byte(kind, m, n, d, scale):
    rng = np.random.default_rng(0)
    A, B = ((scale * rng.normal(size=(rows, d))).astype(kind) for rows in (m, n))
    weights = rng.normal(size=n)
    alone = gaussian_sums(A, B, weights, 0.5)
    for n_jobs in (2, 3, 50):
        assert (gaussian_sums(A, B, weights, 0.5, n_jobs) == alone).all()


@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_sparse_rows_give_what_dense_ones_give(name):
    rng = np.random.default_rng(0)
    A, B = (rng.normal(size=(n, 30)) * (rng.random((n, 30)) < 0.2) for n in (70, 150))
    weights, kernel = rng.normal(size=150), resolve_kernel(name, 0.1, 3, 1.0, 30, None)
    expected = kernel.matrix(A, B) @ weights
    for left in (A, csr_matrix(A)):
        for right in (B, csr_matrix(B)):
            assert np.allclose(kernel.sums(left, right, weights), expected, rtol=0, atol=1e-12)
            assert np.allclose(kernel.prepare(right, weights)(left), expected, rtol=0, atol=1e-12)
    assert np.allclose(kernel.matrix(csr_matrix(A), csr_matrix(B)), kernel.matrix(A, B), rtol=0, atol=1e-12)
    assert np.allclose(kernel.diagonal(csr_matrix(B)), kernel.diagonal(B))
    form = quadratic_form(kernel, csr_matrix(B), weights)
    assert np.isclose(form, quadratic_form(kernel, B, weights))


def test_the_zeros_of_a_sparse_matrix_count_in_its_variance():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(50, 9)) * (rng.random((50, 9)) < 0.2)
    assert np.isclose(sparse_variance(csr_matrix(A)), A.var(), rtol=1e-12)
    assert sparse_variance(csr_matrix((3, 2))) == 0.0


def test_prepared_sums_are_pickled_without_their_scaled_copies():
    import pickle

    rng = np.random.default_rng(0)
    B, weights = rng.normal(size=(500, 4)), rng.normal(size=500)
    prepared = GaussianSums(B, weights, 0.5)
    again = pickle.dumps(prepared)
    assert len(again) < 1.2 * (B.nbytes + weights.nbytes)
    assert (pickle.loads(again)(B[:30]) == prepared(B[:30])).all()


def test_both_ways_of_summing_agree_where_both_are_accurate():
    rng = np.random.default_rng(0)
    A, B, weights = rng.normal(size=(70, 4)), rng.normal(size=(300, 4)), rng.normal(size=300)
    assert np.allclose(gaussian_sums(A, B, weights, 0.3), far_sums(A, B, weights, 0.3), rtol=0, atol=1e-12)


def test_powers_of_two_over_the_whole_range():
    exponents = np.concatenate(
        [np.linspace(-1100, 0, 4001), [-0.0, -1021.999, -1022.5, -1075.0, -1e300, -np.inf]]
    )
    ones = np.ones(1)
    out = np.array(
        [
            blocked_sums(np.zeros((1, 1)), np.zeros((1, 1)), np.array([-x]), np.zeros(1), ones, 64, 256)[0]
            for x in exponents
        ]
    )
    expected = np.exp2(exponents)
    normal = exponents > -1022
    assert np.allclose(out[normal], expected[normal], rtol=4e-16, atol=0)
    assert (out[~normal] == 0).all()


def test_far_away_the_score_is_zero_and_not_rubbish():
    assert gaussian_sums(np.array([[1e3]]), np.array([[0.0], [1.0]]), np.array([1.0, -1.0]), 1.0)[0] == 0.0


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_does_not_matter(order):
    rng = np.random.default_rng(1)
    A, B, weights = rng.normal(size=(5, 3)), rng.normal(size=(9, 3)), rng.normal(size=9)
    got = gaussian_sums(np.asarray(A, order=order), np.asarray(B, order=order), weights, 0.5)
    assert np.allclose(got, twin_sums(A, B, weights, 0.5), rtol=0, atol=1e-13)


def test_no_rows():
    assert gaussian_sums(np.zeros((0, 2)), np.zeros((3, 2)), np.ones(3), 1.0).shape == (0,)
    assert gaussian_sums(np.zeros((2, 2)), np.zeros((0, 2)), np.ones(0), 1.0).tolist() == [0.0, 0.0]


PEERS = {
    "linear": lambda A, B: linear_kernel(A, B),
    "polynomial": lambda A, B: polynomial_kernel(A, B, degree=2, gamma=0.3, coef0=0.5),
    "rbf": lambda A, B: twin_matrix(A, B, 0.3),
}


@pytest.mark.parametrize("name", PEERS)
def test_every_kernel_gives_matrix_diagonal_and_sums(name):
    rng = np.random.default_rng(2)
    A, B, weights = rng.normal(size=(6, 3)), rng.normal(size=(11, 3)), rng.normal(size=11)
    kernel = resolve_kernel(name, 0.3, 2, 0.5, 3, None)
    expected = PEERS[name](A, B)
    assert np.allclose(kernel.matrix(A, B), expected, atol=1e-12)
    assert np.allclose(kernel.diagonal(A), np.diag(PEERS[name](A, A)), atol=1e-12)
    assert np.allclose(kernel.sums(A, B, weights), expected @ weights, atol=1e-12)


def test_a_callable_kernel_and_a_precomputed_one_are_the_same():
    rng = np.random.default_rng(3)
    X, weights = rng.normal(size=(12, 2)), rng.normal(size=12)
    user, points = bind_kernel(lambda A, B: twin_matrix(A, B, 1.0), X)
    table, rows = bind_kernel("precomputed", twin_matrix(X, X, 1.0))
    assert np.allclose(user.matrix(points[2:5], points), table.matrix(rows[2:5], rows))
    assert np.allclose(user.diagonal(points), table.diagonal(rows))
    assert np.allclose(quadratic_form(user, points, weights), quadratic_form(table, rows, weights))


@pytest.mark.parametrize("n", [1, 5, 4097])
def test_quadratic_form(n):
    rng = np.random.default_rng(n)
    X, weights = rng.normal(size=(n, 2)), rng.normal(size=n)
    kernel, points = bind_kernel("rbf", X, 0.5)
    expected = weights @ kernel.sums(points, points, weights)
    assert np.isclose(quadratic_form(kernel, points, weights), expected, rtol=1e-10)


def test_quadratic_form_is_never_negative():
    kernel, points = bind_kernel("rbf", np.zeros((50, 3)), 0.5)
    assert quadratic_form(kernel, points, np.linspace(-1, 1, 50)) >= 0


@pytest.mark.parametrize(
    "kwargs, words",
    [
        ({"kernel": "gauss"}, "kernel must be one of 'rbf'"),
        ({"kernel": 3}, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": 0}, "gamma must be a finite number > 0, 'scale', 'auto' or None, got 0"),
        (
            {"kernel": "rbf", "gamma": -1.0},
            "gamma must be .* 'auto' or None, got -1.0",
        ),
        ({"kernel": "rbf", "gamma": np.nan}, "gamma must be"),
        (
            {"kernel": "rbf", "gamma": "wide"},
            "gamma must be .* 'auto' or None, got 'wide'",
        ),
        ({"kernel": "rbf", "gamma": True}, "gamma must be"),
        ({"kernel": "linear", "gamma": 0}, "gamma must be"),
        ({"kernel": "polynomial", "degree": 0}, "degree must be an integer >= 1, got 0"),
        ({"kernel": "polynomial", "degree": 1.5}, "degree must be an integer >= 1, got 1.5"),
        ({"kernel": "poly", "coef0": -1}, "coef0 must be a finite number >= 0, got -1"),
    ],
)
def test_parameters_out_of_range_are_named(kwargs, words):
    with pytest.raises(ValueError, match=words):
        bind_kernel(X=np.ones((2, 2)), **kwargs)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gamma_by_name_is_scikit_learns(gamma, dtype):
    X = np.random.default_rng(4).normal(3.0, 0.7, size=(50, 4)).astype(dtype)
    kernel, _ = bind_kernel("rbf", X, gamma)
    svc = SVC(gamma=gamma).fit(X.astype(np.float64), np.arange(50) % 2)
    assert kernel.gamma == pytest.approx(svc._gamma, rel=1e-12)
    assert bind_kernel("poly", X, gamma)[0].gamma == kernel.gamma


@pytest.mark.parametrize("n", [1, 7, 70_001])
def test_gamma_by_scale_is_one_where_nothing_varies(n):
    # The mean of n times 0.1 is not 0.1, so that squared deviations from it would not be zero.
    assert bind_kernel("rbf", np.full((n, 1), 0.1), "scale")[0].gamma == 1.0


@pytest.mark.parametrize("scale", [1e-160, 1e160, np.inf])
def test_gamma_by_scale_of_a_variance_beyond_the_floats_is_refused(scale):
    with pytest.raises(ValueError, match="gamma='scale' needs data whose variance"):
        bind_kernel("rbf", scale * np.arange(1.0, 5.0)[:, None], "scale")


def test_kernels_without_gamma_do_not_read_the_data_for_it():
    for kernel in ("linear", linear_kernel):
        resolve_kernel(kernel, "scale", 3, 1.0, 2, spread=None)
    bind_kernel("precomputed", np.zeros((2, 2)), "scale")


def test_a_precomputed_kernel_is_square_and_symmetric():
    with pytest.raises(ValueError, match=r"square matrix over the sample, got shape \(2, 3\)"):
        bind_kernel("precomputed", np.ones((2, 3)))
    with pytest.raises(ValueError, match="symmetric"):
        bind_kernel("precomputed", np.array([[1.0, 0.0], [0.5, 1.0]]))


@pytest.mark.parametrize("bad", [lambda A, B: np.ones(3), lambda A, B: np.full((len(A), len(B)), np.nan)])
def test_a_callable_that_returns_rubbish_is_named(bad):
    kernel, points = bind_kernel(bad, np.ones((2, 2)))
    with pytest.raises(ValueError, match="kernel must return"):
        kernel.matrix(points, points)


def test_a_kernel_that_is_not_positive_semidefinite_is_named():
    rng = np.random.default_rng(0)
    kernel, points = bind_kernel(
        lambda A, B: -np.exp(-((A[:, None] - B) ** 2).sum(-1)), rng.normal(size=(9, 2))
    )
    with pytest.raises(ValueError, match="kernel must be positive semidefinite, got a squared length of -"):
        quadratic_form(kernel, points, np.ones(9))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("n", [3, 4096, 4100])
def test_scikit_learns_own_kernels_may_be_passed(n):
    """They refuse empty arrays, which must not be handed to them."""
    X, weights = np.arange(n, dtype=float)[:, None] / n, np.full(n, 1 / n)
    kernel, points = bind_kernel(laplacian_kernel, X)
    assert 0 < quadratic_form(kernel, points, weights) < 1


def test_the_linear_form_of_sparse_rows_is_that_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 7)) * (rng.random((9000, 7)) < 0.2)
    weights = rng.normal(size=9000)
    dense = quadratic_form(Linear(), X, weights)
    assert quadratic_form(Linear(), csr_matrix(X), weights) == pytest.approx(dense, rel=1e-12)
    assert quadratic_form(Linear(), csr_matrix((5, 2)), np.ones(5)) == 0.0
