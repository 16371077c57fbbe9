"""FDROP against a quadratic programme with every deletion, and the feature values."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.feature_deletion import mutual_information_values
from paperlib.feature_deletion.baselines import FDROP, hinge_svm, logistic


@parametrize_with_checks([FDROP(), FDROP(n_deleted=0, tol=1e-2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def sample(m, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(m, n))
    y = np.where(X @ rng.normal(size=n) + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = [1, -1]
    return X, y


def every_deletion(X, y, count, C):
    """Globerson and Roweis' problem with a row for each example and each set of at most `count` features."""
    m, n = X.shape
    w, b, xi = cp.Variable(n), cp.Variable(), cp.Variable(m, nonneg=True)
    rows = []
    for size in range(count + 1):
        for gone in itertools.combinations(range(n), size):
            kept = np.ones(n)
            kept[list(gone)] = 0
            rows.append(cp.multiply(y, (X * kept) @ w + b) >= 1 - xi)
    value = (cp.sum_squares(w) + b**2) / 2 + C * cp.sum(xi)
    return cp.Problem(cp.Minimize(value), rows).solve(cp.CLARABEL) / (C * m)


@pytest.mark.parametrize("count", [0, 1, 2, 4])
@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
def test_fdrop_is_optimal(count, C):
    X, y = sample(40, 5, count)
    clf = FDROP(count, C=C, tol=1e-4, max_iter=100_000, random_state=0).fit(X, y)
    expected = every_deletion(X, y, count, C)
    assert clf.dual_gap_ <= 1e-4 * clf.objective_
    assert np.isclose(clf.objective_, expected, rtol=1.01e-4)
    assert clf.objective_ - clf.dual_gap_ <= expected * (1 + 1e-6)
    worth = np.maximum(y[:, None] * X * clf.coef_, 0)
    worst = np.sort(worth, axis=1)[:, ::-1][:, :count].sum(axis=1)
    losses = np.maximum(0, 1 - y * clf.decision_function(X) + worst)
    half = (np.sum(clf.coef_**2) + clf.intercept_[0] ** 2) / 2
    assert np.isclose(clf.objective_, half / (C * 40) + losses.mean(), rtol=1e-12)


def test_fdrop_says_when_it_stops_early():
    with pytest.warns(ConvergenceWarning, match="2 passes came to a gap of"):
        FDROP(1, C=100.0, max_iter=2).fit(*sample(40, 5))


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"n_deleted": -1}, "n_deleted must be an integer >= 0, got -1"),
        ({"n_deleted": 4}, "n_deleted must be below the number of features, got 4"),
        ({"C": 0}, "C must be a finite number > 0, got 0"),
        ({"tol": -1}, "tol must be a finite number > 0, got -1"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1, got 0"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        FDROP(**parameters).fit(*sample(10, 4))


def test_plain_classifiers_have_what_the_scorer_needs():
    X, y = sample(60, 4)
    for clf in (hinge_svm(0.1), logistic(0.1)):
        assert clf.fit(X, y).coef_.shape == (1, 4)
    slack = np.maximum(0, 1 - y * hinge_svm(0.3).fit(X, y).decision_function(X))
    other = np.maximum(0, 1 - y * FDROP(0, C=0.3, tol=1e-6).fit(X, y).decision_function(X))
    assert abs(slack.mean() - other.mean()) < 0.05  # they differ by what the bias costs


# Feature values


def test_values_are_mutual_information():
    X, y = sample(101, 6)
    values = mutual_information_values(X, y, floor=1e-9)
    expected = np.array([mutual_info_score(x >= np.median(x), y) for x in X.T])
    assert np.allclose(values, 6 * expected / expected.sum(), rtol=1e-10)


def test_values_are_floored_and_sum_to_n():
    X, y = sample(200, 5)
    X[:, 0], X[:, 1] = y, 7.0
    values = mutual_information_values(X, y, floor=0.1)
    assert np.isclose(values.sum(), 5)
    assert np.isclose(values[1], 0.1 * values[0])
    assert values.min() == values[1]
    assert mutual_information_values(np.ones((4, 3)), [0, 0, 1, 1]).tolist() == [1, 1, 1]


def test_values_do_not_depend_on_scale_or_names_of_labels():
    X, y = sample(50, 4)
    values = mutual_information_values(X, y)
    assert (values == mutual_information_values(1e-9 * X, np.where(y > 0, "yes", "no"))).all()


@pytest.mark.parametrize("floor", [0, 1.5, np.nan])
def test_bad_floor(floor):
    with pytest.raises(ValueError, match="floor must be"):
        mutual_information_values(*sample(10, 2), floor=floor)


def test_bad_data_of_the_values():
    X, y = sample(10, 2)
    with pytest.raises(ValueError, match="one class only"):
        mutual_information_values(X, np.ones(10))
    with pytest.raises(ValueError, match="NaN"):
        mutual_information_values(X * np.nan, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        mutual_information_values(X, y[:5])
