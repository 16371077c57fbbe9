"""The t-logistic loss as an estimator."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.kernel_mean import TLogisticRegression, losses
from paperlib.kernel_mean.t_logistic_regression import _moments, _ScaledRisk


@parametrize_with_checks([TLogisticRegression(), TLogisticRegression(class_weight="balanced")])
def test_t_logistic_regression_is_an_estimator(estimator, check):
    check(estimator)


def test_t_logistic_regression_stops_where_the_gradient_is_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "b", "a")
    clf = TLogisticRegression(C=0.5).fit(X, y)
    w = np.append(clf.coef_[0], clf.intercept_)
    Z, signs = np.column_stack([X, np.ones(80)]), np.where(y == "b", 1, -1)

    def risk(w):
        return w[:-1] @ w[:-1] / 2 + 0.5 * losses.t_logistic(signs, Z @ w).sum()

    for step in 1e-3 * np.vstack([np.eye(6), -np.eye(6)]):
        assert risk(w) <= risk(w + step)
    assert (clf.predict(X) == np.where(clf.decision_function(X) > 0, "b", "a")).all()
    for bad in ({"C": 0}, {"max_iter": 0}):
        with pytest.raises(ValueError, match="must be"):
            TLogisticRegression(**bad).fit(X, y)


def sample(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, "b", "a")
    y[:2] = ["a", "b"]
    return X, y, rng


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), C=st.sampled_from([0.01, 1.0, 30.0]), is_sparse=st.booleans())
def test_integer_weights_are_repeated_rows(seed, C, is_sparse):
    X, y, rng = sample(seed)
    weights = rng.integers(0, 4, size=len(y))
    weights[:2] += 1
    rows = sparse.csr_matrix(X) if is_sparse else X
    one = TLogisticRegression(C).fit(rows, y, weights)
    other = TLogisticRegression(C).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    # Both stop where L-BFGS does; sums are added up in another order.
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(one.decision_function(rows), other.decision_function(X), rtol=1e-4, atol=1e-4)


def test_a_weight_of_zero_leaves_out_what_would_overflow():
    X, y, _ = sample(0)
    far, label = np.vstack([X, np.full((1, 3), 1e300)]), np.append(y, "a")
    one = TLogisticRegression().fit(X, y)
    other = TLogisticRegression().fit(far, label, np.append(np.ones(40), 0.0))
    np.testing.assert_array_equal(one.coef_, other.coef_)
    with pytest.raises(ValueError, match="X has entries so large, or so many, that the loss leaves the fl"):
        TLogisticRegression().fit(far, label)


def test_class_weights_are_weights():
    X, y, _ = sample(1)
    by_class = TLogisticRegression(class_weight={"b": 3.0}).fit(X, y)
    by_row = TLogisticRegression().fit(X, y, np.where(y == "b", 3.0, 1.0))
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    assert (by_class.predict(X) == "b").sum() > (TLogisticRegression().fit(X, y).predict(X) == "b").sum()


def test_sparse_rows_are_dense_rows():
    X, y, _ = sample(2)
    dense, thin = TLogisticRegression().fit(X, y), TLogisticRegression().fit(sparse.coo_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-6)
    np.testing.assert_allclose(thin.decision_function(sparse.csc_matrix(X)), dense.decision_function(X))


def test_a_warm_start_begins_at_the_last_fit():
    X, y, _ = sample(3, 300, 6)
    clf = TLogisticRegression(2.0, warm_start=True)
    cold = clone(clf).set_params(warm_start=False).fit(X, y)
    first = clf.fit(X, y).n_iter_
    np.testing.assert_array_equal(clf.coef_, cold.coef_)
    assert clf.fit(X, y).n_iter_ <= 2 < first
    with pytest.raises(ValueError, match=r"y must hold the classes \['a', 'b'\], got \[0, 1\]"):
        clf.fit(X, (y == "b").astype(int))


def noisy_halves(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.1 * X[:, 1] > 0, 1, -1)
    return X, y * np.where(rng.random(n) < 0.1, -1, 1)


def slopes(coef, intercept, Z, y, C, scale, shift):
    """Slopes of the objective, for columns ``Z scale + shift``, by coefficients times `scale`."""
    pull = C * y * losses.t_logistic_slope(y * (Z @ (coef * scale) + (intercept + shift @ coef)))
    return np.append(coef / scale + pull @ Z, pull.sum())


FAR = [
    (1.0, 1.0, (0.0, 1e2)),  # C, the columns' factors, and what is added to them
    (1.0, 1.0, (0.0, 1e5)),
    (1.0, 1.0, (1e9, -1e7)),
    (1.0, 1e-6, (0.0, 0.0)),
    (1.0, 1e14, (0.0, 0.0)),
    (1.0, 1e100, (0.0, 0.0)),
    (1.0, (1.0, 1e6), (0.0, 1e6)),
    (1.0, (1e12, 1.0), (0.0, 0.0)),
    (1e-6, 1.0, (0.0, 0.0)),
    (1e-10, 1.0, (0.0, 1e5)),
]


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("C, scale, shift", FAR)
def test_neither_scale_nor_shift_hides_the_minimum(C, scale, shift, is_sparse):
    Z, y = noisy_halves()
    scale, shift = np.ones(2) * scale, np.array(shift)
    X = Z * scale + shift
    Z = (X - shift) / scale
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = TLogisticRegression(C).fit(sparse.csr_array(X) if is_sparse else X, y)
    end = slopes(clf.coef_[0], clf.intercept_[0], Z, y, C, scale, shift)
    first = slopes(np.zeros(2), 0.0, Z, y, C, scale, shift)
    # The intercept and the product with the shift, 1e9, cancel.
    assert np.abs(end).max() < 2e-2 * np.abs(first).max()
    assert clf.score(X, y) > 0.85


def test_a_path_that_ends_before_the_minimum_warns():
    X, y = noisy_halves()
    with pytest.warns(ConvergenceWarning, match="no minimum found in 1 iterations: .* max_iter=1 or C"):
        assert TLogisticRegression(max_iter=1).fit(X, y).n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="no minimum found in 0 iterations: scale X"):
        TLogisticRegression(C=1e-320).fit(X, y)


def test_small_columns_do_not_warn():
    """The intercept hardly matters to the scores' differences, or decides alone: both are minima."""
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1e-3, 1e-5, 1e-7, 1e-10):
            for n_positive in (20, 30):
                X = rng.normal(size=(60, 2))
                y = np.argsort(np.argsort(X[:, 0] + 0.3 * rng.normal(size=60))) >= 60 - n_positive
                clf = TLogisticRegression().fit(scale * X, y)
                assert clf.score(scale * X, y) >= (0.8 if n_positive == 30 else 2 / 3)


def test_columns_that_tell_nothing_do_not_warn():
    X, y = np.tile([[0.1, 3.0, 0.0]], (8, 1)), np.arange(8) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in (X, sparse.csr_array(X), np.zeros((8, 2)), np.repeat([[-1.0], [1.0]], 4, axis=0)):
            clf = TLogisticRegression().fit(rows, y)
            np.testing.assert_allclose(clf.decision_function(rows), 0.0, atol=1e-6)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("n", [7, 5000])  # one block of rows, and three
def test_moments_are_those_of_weighted_columns(n, is_sparse):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4)) * [1.0, 1e-3, 1.0, 1.0] + [0.0, 1e5, 1.0, 0.0]
    X[:, 2:] *= rng.random((n, 2)) < 0.5
    X[:, 3], shares = 0.0, rng.dirichlet(np.ones(n))
    centre, variances = _moments(sparse.csr_array(X) if is_sparse else X, shares)
    np.testing.assert_allclose(centre, np.average(X, axis=0, weights=shares), rtol=1e-12)
    expected = np.average((X - np.average(X, axis=0, weights=shares)) ** 2, axis=0, weights=shares)
    np.testing.assert_allclose(variances, expected, rtol=1e-6)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("shift", [0.0, 30.0])
def test_steps_by_rows_as_they_are_and_by_scaled_rows_are_the_same(shift, is_sparse):
    X, y, rng = sample(4)
    X[:, 0] += shift
    rows, weights = sparse.csr_array(X) if is_sparse else X, 0.1 + rng.random(40)
    risk = _ScaledRisk(rows, np.where(y == "a", -1.0, 1.0), weights)
    end = rng.normal(size=4)
    as_they_are = risk._step(end)
    assert risk._as_they_are
    risk._as_they_are = False
    np.testing.assert_allclose(risk._step(end), as_they_are, rtol=1e-9, atol=1e-12)
