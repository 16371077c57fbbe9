"""FDROP against a quadratic programme with every deletion."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.experiments.feature_deletion.baselines import FDROP, hinge_svm, hinge_svm_of_many
from tests.paperlib.feature_deletion.helpers import sample


@parametrize_with_checks([FDROP(), FDROP(n_deleted=0, tol=1e-2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


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
        ({"n_deleted": 4}, "n_deleted must be below 4, .* got 4 with n_features=4"),
        ({"C": 0}, "C must be a finite number > 0, got 0"),
        ({"tol": -1}, "tol must be a finite number > 0, got -1"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1, got 0"),
    ],
)
def test_bad_parameters(parameters, words):
    with pytest.raises(ValueError, match=words):
        FDROP(**parameters).fit(*sample(10, 4))


def test_the_plain_svm_has_what_the_scorer_needs():
    X, y = sample(60, 4)
    assert hinge_svm(0.1).fit(X, y).coef_.shape == (1, 4)
    slack = np.maximum(0, 1 - y * hinge_svm(0.3).fit(X, y).decision_function(X))
    other = np.maximum(0, 1 - y * FDROP(0, C=0.3, tol=1e-6).fit(X, y).decision_function(X))
    assert abs(slack.mean() - other.mean()) < 0.05  # they differ by what the bias costs


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_the_svm_of_many_is_as_good_as_the_exact_one(C, shift):
    X, y = sample(300, 6, seed=2)
    X, size = X + shift, np.sqrt(((X + shift) ** 2).sum(axis=1).mean())

    def value(clf):
        clf.fit(X, y)
        losses = np.maximum(0, 1 - y * (X @ clf.coef_[0] + clf.intercept_[0]))
        return C * losses.sum() + (clf.coef_**2).sum() / 2

    least = value(hinge_svm(C).set_params(tol=1e-6))
    assert least * (1 - 1e-6) <= value(hinge_svm_of_many(C, size)) <= 1.01 * least
