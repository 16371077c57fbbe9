"""Soft margins: both objectives computed from the data, beside a quadratic programme, and what is refused."""

import cvxpy as cp
import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import CoresetSVC


def noisy(n=300, d=5, seed=0, flipped=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[rng.uniform(size=n) < flipped] *= -1
    return X, y


def check_gap(clf, X, y, weights=None):
    """Both objectives from the data alone."""
    signs = np.where(np.asarray(y) == clf.classes_[1], 1.0, -1.0)
    penalties = clf.C * (np.ones(len(X)) if weights is None else np.asarray(weights, float))
    normal = clf.coef_[0]
    if clf.fit_intercept:
        X, normal = np.column_stack([X, np.ones(len(X))]), np.append(normal, clf.intercept_)
    a = np.zeros(len(X))
    a[clf.coreset_indices_] = clf.dual_coef_
    assert (clf.dual_coef_ > 0).all() and (a <= penalties).all()
    assert np.allclose(clf.hull_weights_, clf.dual_coef_ / clf.dual_coef_.sum())
    combined = a @ (signs[:, None] * X)
    w = normal / clf.margin_
    assert np.allclose(w, combined, rtol=1e-9, atol=1e-12 * np.abs(w).max())
    primal = w @ w / 2 + penalties @ np.maximum(0.0, 1.0 - signs * (X @ w))
    dual = a.sum() - combined @ combined / 2
    assert np.isclose(primal, clf.objective_, rtol=1e-10) and np.isclose(
        dual, clf.dual_objective_, rtol=1e-10, atol=1e-10 * primal
    )
    assert clf.gap_ == max(0.0, clf.objective_ - clf.dual_objective_)
    assert clf.gap_ <= clf.eps * clf.objective_
    assert len(clf.gap_path_) == clf.n_iter_ and clf.gap_path_[-1] == clf.gap_
    return primal


def smallest_objective(X, y, penalties):
    w = cp.Variable(X.shape[1])
    value = cp.sum_squares(w) / 2 + penalties @ cp.pos(1 - cp.multiply(y, X @ w))
    problem = cp.Problem(cp.Minimize(value))
    problem.solve(cp.CLARABEL)
    return problem.value, np.linalg.norm(w.value)


@pytest.mark.parametrize("form", [np.asarray, np.float32, csr_matrix])
@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
def test_the_gap_holds_the_smallest_objective(C, form):
    X, y = noisy()
    X = X.astype(np.float32).astype(float)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 2.0], 300)
    for given_weights in (None, weights):
        penalties = C * (np.ones(300) if given_weights is None else weights)
        best, length = smallest_objective(X, y, penalties)
        for eps in (0.1, 1e-3, 1e-6):
            clf = CoresetSVC(eps, C=C, random_state=0).fit(form(X), y, given_weights)
            check_gap(clf, X, y, given_weights)
            assert clf.dual_objective_ <= best * (1 + 1e-6) and best <= clf.objective_ * (1 + 1e-6)
            assert 1 / length <= clf.margin_upper_bound_ * (1 + 1e-4)
            assert clf.margin_ <= clf.margin_upper_bound_
    assert np.isclose(clf.margin_, 1 / length, rtol=5e-3)
    assert clf.score(form(X), y) > 0.8


def test_a_weight_is_so_many_copies():
    X, y = noisy(60, 3)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    one = CoresetSVC(1e-10, C=0.5, random_state=0).fit(X, y, weights)
    other = CoresetSVC(1e-10, C=0.5, random_state=0).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    assert np.allclose(one.coef_, other.coef_, atol=1e-4)
    assert np.isclose(one.objective_, other.objective_, rtol=1e-8)


def test_a_large_c_is_a_hard_margin():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.3 * y
    for intercept in (False, True):
        hard = CoresetSVC(1e-9, fit_intercept=intercept).fit(X, y)
        soft = CoresetSVC(1e-7, C=1e4, fit_intercept=intercept).fit(X, y)
        check_gap(soft, X, y)
        assert np.isclose(soft.margin_, hard.margin_, rtol=1e-3)
        assert np.allclose(soft.coef_, hard.coef_, atol=1e-2)
        assert not hasattr(hard, "objective_") and not hasattr(soft, "margin_path_")
        again = soft.set_params(C=None).fit(X, y)
        assert not hasattr(again, "objective_") and hasattr(again, "margin_path_")


@given(
    arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-9, 1.0, 1e9]),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_degenerate_data_have_a_gap_too(X, seed, scale, sparse):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], len(X))
    if abs(y.sum()) == len(y):
        return
    clf = CoresetSVC(0.01, C=0.3 / scale**2).fit(csr_matrix(X * scale) if sparse else X * scale, y)
    if clf.margin_ < np.inf:
        check_gap(clf, X * scale, y)
    else:  # the best normal is zero
        assert not clf.coef_.any() and clf.dual_objective_ >= 0.99 * clf.objective_


def test_all_rows_at_the_origin_have_no_normal():
    clf = CoresetSVC(C=2.0).fit(np.zeros((3, 2)), [0, 1, 1])
    assert clf.objective_ == clf.dual_objective_ == 6.0 and clf.margin_ == np.inf and not clf.coef_.any()


def test_a_budget_that_is_too_small():
    X, y = noisy(2000, 20)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 iterations: objective .* and dual objective"):
        clf = CoresetSVC(1e-9, C=10.0, max_iter=2).fit(X, y)
    assert clf.n_iter_ == 2 and clf.gap_ > 0 and clf.margin_ <= clf.margin_upper_bound_


def test_the_same_steps_every_time():
    X, y = noisy(500, 8)
    fits = [CoresetSVC(1e-3, C=1.0, random_state=3).fit(X, y) for _ in range(2)]
    assert (fits[0].coef_ == fits[1].coef_).all()
    sparse = CoresetSVC(1e-3, C=1.0, random_state=3).fit(csr_matrix(X), y)
    assert sparse.coreset_indices_.tolist() == fits[0].coreset_indices_.tolist()
    assert np.allclose(sparse.coef_, fits[0].coef_, rtol=1e-9)


BAD = [
    ({"C": 0}, "C must be a finite number > 0, got 0"),
    ({"C": np.inf}, "C must be a finite number > 0, got inf"),
    ({"C": "1"}, "C must be a finite number > 0, got '1'"),
    ({"C": 1.0, "kernel": "rbf"}, "C must be None for kernel='rbf', got C=1.0: .* the linear kernel only"),
    ({"C": 1.0, "selection": "worst"}, "C must be None for selection='worst', got C=1.0"),
    ({"C": 1.0, "selection": "first"}, "C must be None for selection='first', got C=1.0"),
]


@pytest.mark.parametrize("kwargs, words", BAD)
def test_bad_parameters_are_named(kwargs, words):
    with pytest.raises(ValueError, match=words):
        CoresetSVC(**kwargs).fit([[1.0], [2.0]], [0, 1])


def test_data_that_are_not_in_memory_are_refused():
    X, y = noisy()
    with pytest.raises(ValueError, match="C must be None for a dask array, got C=1"):
        CoresetSVC(C=1).fit(da.from_array(X), y)
    with pytest.raises(ValueError, match="C must be None for a stream, got C=1"):
        CoresetSVC(C=1).fit_stream(lambda: [(X, y)])
    for bad, words in ((np.nan, "NaN"), (np.inf, "infinity"), (1e200, "too large in size")):
        X[3, 1] = bad
        with pytest.raises(ValueError, match=words):
            CoresetSVC(C=1).fit(X, y)


@pytest.mark.parametrize("C", [300, np.int8(3), np.float32(0.5)], ids=repr)
def test_a_C_of_any_type_is_that_number(C):
    X, y = noisy()
    one, other = (CoresetSVC(0.01, C=each, random_state=0).fit(X, y) for each in (C, float(C)))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.objective_ == other.objective_


@pytest.mark.parametrize("weights", [None, np.full(300, 1e299)], ids=["alone", "weighted"])
def test_a_C_beyond_the_floats_is_refused(weights):
    X, y = noisy()
    with pytest.raises(ValueError, match=r"^C must be so small that.*at most 1e\+300, got .*hard margin"):
        CoresetSVC(C=1e300 if weights is None else 1e9).fit(X, y, weights)
    clf = CoresetSVC(0.1, C=1e290, max_iter=50, random_state=0)
    with pytest.warns(ConvergenceWarning):  # and no other one
        clf.fit(X, y)
    assert np.isfinite([clf.objective_, clf.dual_objective_, clf.gap_]).all()
