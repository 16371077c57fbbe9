"""The classifier: its certificate on every kind of data, and every kind of bad input."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.coresets import CoresetSVC
from tests.paperlib.coresets.helpers import SELECTIONS, check_certificate, sample

ESTIMATORS = [
    CoresetSVC(1e-13, C=1.0),
    CoresetSVC(1e-9, C=1.0, fit_intercept=True),
    CoresetSVC(on_nonseparable="warn"),
    CoresetSVC(on_nonseparable="warn", fit_intercept=True, selection="worst"),
    CoresetSVC(on_nonseparable="warn", kernel="rbf"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    ESTIMATORS,
    expected_failed_checks=lambda estimator: (
        {"check_class_weight_classifiers": "no hyperplane through the origin has all rows on one side"}
        if estimator.C is not None and not estimator.fit_intercept
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def largest_margin(X, y):
    """By a quadratic programme on all data."""
    w = cp.Variable(X.shape[1])
    cp.Problem(cp.Minimize(cp.sum_squares(w)), [cp.multiply(y, X @ w) >= 1]).solve(cp.CLARABEL)
    return 1 / np.linalg.norm(w.value)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("n, d", [(2, 1), (2, 5), (10, 30), (400, 1), (400, 8)])
def test_the_bounds_hold_the_largest_margin(selection, n, d):
    for eps in (0.5, 0.1, 1e-3):
        X, y = sample(n, d, seed=n)
        X[0], X[1], y[:2] = y[0] * X[0], -y[1] * X[1], [1, -1]
        clf = CoresetSVC(eps, selection=selection).fit(X, y)
        check_certificate(clf, X, y)
        best = largest_margin(X, y)
        assert clf.margin_ <= best * (1 + 1e-6) and best <= clf.margin_upper_bound_ * (1 + 1e-6)
        assert (clf.predict(X) == y).all()


def test_a_sample_and_few_passes_over_many_rows():
    X, y = sample(200_000, 10)
    for seed in range(3):
        clf = CoresetSVC(0.01, random_state=seed).fit(X, y)
        check_certificate(clf, X, y)
        assert clf.n_passes_ <= 5
        assert len(clf.coreset_indices_) <= 11
    again = CoresetSVC(0.01, random_state=2).fit(X, y)
    assert (again.coef_ == clf.coef_).all()
    legacy, same = (CoresetSVC(0.01, random_state=np.random.RandomState(0)).fit(X, y) for _ in range(2))
    check_certificate(legacy, X, y)
    assert (legacy.coef_ == same.coef_).all()


def test_the_coresets_own_hyperplane_is_the_result():
    X, y = sample(3000, 6)
    for selection in SELECTIONS:
        clf = CoresetSVC(0.05, selection=selection).fit(X, y)
        z = (y[:, None] * X)[clf.coreset_indices_]  # which may all be of one class; as below
        core = CoresetSVC(1e-11).fit(np.r_[z, -z], np.repeat([1, -1], len(z)))
        assert np.isclose(core.margin_, clf.margin_upper_bound_, rtol=1e-9)
        assert np.allclose(core.coef_, clf.coef_, atol=1e-5)


def test_the_papers_rule_begins_with_the_first_row_and_takes_the_worst():
    X, y = sample(500, 3)
    clf = CoresetSVC(0.1, selection="worst").fit(X, y)
    z = y[:, None] * X
    members, w = [0], z[0] / np.linalg.norm(z[0])
    for i in clf.coreset_indices_[1:]:
        assert i == np.argmin(z @ w)
        members.append(int(i))
        # With its mirror image in the other class a point is the same signed point.
        both = np.r_[z[members], -z[members]]
        w = CoresetSVC(1e-9).fit(both, np.repeat([1, -1], len(members))).coef_[0]
    assert clf.coreset_indices_.tolist() == members and clf.n_passes_ == clf.n_iter_


@pytest.mark.drawn(1)
@pytest.mark.parametrize("selection", SELECTIONS)
@given(
    arrays(float, st.tuples(st.integers(2, 12), st.integers(1, 3)), elements=st.integers(-3, 3).map(float)),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-9, 1.0, 1e9]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_degenerate_data_end_in_a_certificate_either_way(selection, X, seed, scale, separable):
    rng = np.random.default_rng(seed)
    y = np.where(X @ rng.normal(size=X.shape[1]) > 0, 1, -1) if separable else rng.choice([-1, 1], len(X))
    if abs(y.sum()) == len(y):
        return
    clf = CoresetSVC(0.01, selection=selection, on_nonseparable="warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(X * scale, y)
    check_certificate(clf, X * scale, y)
    possible = CoresetSVC(0.5, on_nonseparable="warn")
    if caught:
        assert [w.category for w in caught] == [ConvergenceWarning]
        assert clf.margin_ <= 0 and clf.margin_upper_bound_ < 1e-12 * scale
        with pytest.raises(ValueError, match=r"not separable.*OutlierCoresetSVC"):
            possible.set_params(on_nonseparable="raise").fit(X * scale, y)
    else:
        assert clf.margin_ > 0


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-13, 1e-10, 1e-6]), st.integers(-9, 9))
@settings(max_examples=60, deadline=None)
def test_duplicates_and_nearly_dependent_points(seed, noise, power):
    rng = np.random.default_rng(seed)
    X, y = sample(int(rng.integers(2, 6)), int(rng.integers(1, 7)), seed=seed)
    rows = rng.integers(len(X), size=60)
    X, y = X[rows] + noise * rng.normal(size=(60, X.shape[1])), y[rows]
    X, y = np.r_[X, -X[:3]] * 10.0**power, np.r_[y, -y[:3]]
    clf = CoresetSVC(0.01).fit(X, y)
    check_certificate(clf, X, y)
    assert clf.margin_ > 0


def test_margins_that_are_tiny_beside_the_data():
    for gap in (1e-3, 1e-6, 1e-9):
        X, y = sample(300, 3)
        X[:, 0] = gap * y * (1 + np.arange(300) % 3)
        clf = CoresetSVC(0.01).fit(X, y)
        check_certificate(clf, X, y)
        assert clf.margin_ >= 0.99 * gap


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e150])
def test_scales_at_the_ends_of_what_can_be_squared(selection, scale):
    X, y = sample(60, 3)
    clf, plain = (CoresetSVC(0.01, selection=selection, random_state=0).fit(X * s, y) for s in (scale, 1.0))
    check_certificate(clf, X * scale, y)
    assert np.allclose(clf.coef_, plain.coef_, atol=1e-9)
    assert np.isclose(clf.margin_ / scale, plain.margin_, rtol=1e-9)
    with pytest.raises(ValueError, match=r"too (small|large) in size"):
        CoresetSVC(0.01, selection=selection).fit(X * 1e160 if scale > 1 else X * 1e-160, y)


def test_an_intercept():
    X, y = sample(2000, 4)
    clf = CoresetSVC(1e-9, fit_intercept=True).fit(X + 0.5, y)
    check_certificate(clf, X + 0.5, y)
    assert clf.intercept_[0] != 0 and (clf.predict(X + 0.5) == y).all()
    longer = CoresetSVC(1e-9).fit(np.column_stack([X + 0.5, np.ones(2000)]), y)
    assert np.allclose(longer.coef_[0], np.append(clf.coef_, clf.intercept_), atol=1e-4)
    with pytest.raises(ValueError, match="not separable"):
        CoresetSVC().fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    assert CoresetSVC(fit_intercept=True).fit([[1.0], [2.0], [3.0]], [0, 1, 1]).margin_ > 0


# Labels and weights


def test_labels_of_any_type_and_weights():
    X, y = sample(300, 4)
    base = CoresetSVC().fit(X, y)
    for low, high in [("down", "up"), (False, True), (3, 7), (2.0, 4.0), (np.uint8(0), np.uint8(255))]:
        clf = CoresetSVC().fit(X, np.where(y > 0, high, low))
        assert (clf.coef_ == base.coef_).all() and clf.classes_.tolist() == [low, high]
    weights = np.random.default_rng(0).uniform(0.1, 9, size=300)
    assert (CoresetSVC().fit(X, y, weights).coef_ == base.coef_).all()


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_weight_of_zero_leaves_a_row_out(selection):
    X, y = sample(500, 4)
    weights = np.ones(500)
    weights[::5] = 0
    wrong = np.where(weights == 0, -y, y)
    clf = CoresetSVC(0.01, selection=selection).fit(X, wrong, weights)
    check_certificate(clf, X, wrong, weights)
    kept = weights > 0
    assert np.allclose(clf.coef_, CoresetSVC(0.01, selection=selection).fit(X[kept], y[kept]).coef_)


# Data that nothing separates


def test_what_the_error_says():
    X, y = sample(300, 3)
    y[17] = -y[17]
    words = r"not separable.*convex combination of \d signed points.*norm .*e-1\d.*OutlierCoresetSVC"
    for selection in SELECTIONS:
        with pytest.raises(ValueError, match=words):
            CoresetSVC(selection=selection).fit(X, y)
        clf = CoresetSVC(selection=selection, on_nonseparable="warn")
        with pytest.warns(ConvergenceWarning, match=words):
            clf.fit(X, y)
        check_certificate(clf, X, y)
        assert clf.margin_ < 0


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_point_at_the_origin(selection):
    X, y = sample(300, 3)
    for at in (0, 100):
        moved = X.copy()
        moved[at] = 0
        with pytest.raises(ValueError, match=f"row {at} weighs most"):
            CoresetSVC(selection=selection).fit(moved, y)
        clf = CoresetSVC(selection=selection, on_nonseparable="warn")
        with pytest.warns(ConvergenceWarning):
            clf.fit(moved, y)
        check_certificate(clf, moved, y)


def test_a_budget_that_is_too_small():
    X, y = sample(5000, 10)
    clf = CoresetSVC(0.001, max_iter=3)
    with pytest.warns(ConvergenceWarning, match="no certificate, because of max_iter=3"):
        clf.fit(X, y)
    check_certificate(CoresetSVC(0.5).fit(X, y), X, y)
    assert clf.n_iter_ == 3
    assert np.isclose((y * clf.decision_function(X)).min(), clf.margin_)


NONE = (None, None, None)
BAD = [
    ({"eps": 0}, None, None, None, "eps must be a finite number > 0 and < 1, got 0"),
    ({"eps": 1.0}, None, None, None, "eps must be"),
    ({"eps": "0.1"}, None, None, None, "eps must be"),
    ({"max_iter": 0}, None, None, None, "max_iter must be an integer >= 1, got 0"),
    ({"selection": "best"}, *NONE, "selection must be one of 'batch', 'worst', 'first', got 'best'"),
    ({"random_state": "x"}, None, None, None, "random_state must be .*RandomState or None, got 'x'"),
    ({"fit_intercept": "no"}, None, None, None, "fit_intercept must be True or False, got 'no'"),
    ({"on_nonseparable": "ignore"}, None, None, None, "on_nonseparable must be one of"),
    ({"kernel": "laplace"}, None, None, None, "kernel must be one of"),
    ({"kernel": "precomputed"}, None, None, None, "two arrays, got .precomputed."),
    ({"kernel": "rbf", "gamma": -1}, None, None, None, "gamma must be a finite number > 0"),
    ({"kernel": "rbf", "gamma": "wide"}, None, None, None, "'scale', 'auto' or None, got 'wide'"),
    ({"kernel": "rbf", "gamma": "scale"}, [[np.nan], [1.0]], None, None, "X contains NaN"),
    ({}, [[np.nan], [1.0]], None, None, "X contains NaN"),
    ({}, [[-np.inf], [1.0]], None, None, "X contains infinity"),
    ({}, [[1e-160], [-1e-170]], None, None, "too small in size"),
    ({"kernel": "rbf"}, [[np.inf], [1.0]], None, None, "X contains infinity"),
    ({}, [[1e200], [1.0]], None, None, "too large in size"),
    ({}, np.zeros((0, 2)), [], None, "0 sample"),
    ({}, None, [0, 1, 1], None, "inconsistent numbers of samples"),
    ({}, None, [1, 1], None, "one class only"),
    ({}, [[1.0], [2.0], [3.0]], [0, 1, 2], None, "two classes, got 3"),
    ({}, None, [0.5, 1.2], None, "Unknown label type"),
    (
        {},
        None,
        np.array(["a", None], dtype=object),
        None,
        "y must hold labels of one type, got NoneType, str",
    ),
    ({}, None, None, [1, -1], "sample_weight must be >= 0, got -1.0"),
    ({}, None, None, [1, 0], "one class only"),
    ({}, None, None, [1, np.nan], "sample_weight must be finite"),
    ({}, None, None, [1, 1, 1], r"sample_weight must have shape \(2,\)"),
]


@pytest.mark.parametrize("kwargs, X, y, weights, words", BAD)
def test_bad_input_is_named(kwargs, X, y, weights, words):
    X, y = [[-1.0], [1.0]] if X is None else X, [0, 1] if y is None else y
    for selection in SELECTIONS:
        with pytest.raises(ValueError, match=words):
            CoresetSVC(**{"selection": selection} | kwargs).fit(X, y, weights)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_nan_among_many_rows(selection):
    for bad, words in ((np.nan, "NaN"), (np.inf, "infinity")):
        X, y = sample(50_000, 4)
        X[40_001, 2] = bad
        with pytest.raises(ValueError, match=f"X contains {words}"):
            CoresetSVC(selection=selection).fit(X, y)
