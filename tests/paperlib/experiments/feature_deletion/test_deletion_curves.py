"""Errors after greedy and random deletions, against one example at a time."""

import numpy as np
import pytest
from sklearn.svm import SVC

from paperlib.experiments.feature_deletion.deletion_curves import (
    errors_after,
    errors_at_random,
    random_survival,
)
from paperlib.feature_deletion import robust_score
from tests.paperlib.feature_deletion.helpers import rounded_sample as sample

BUDGETS = [0, 1, 3, 6]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("equal", [True, False])
def test_greedy_errors_are_those_of_the_score(seed, equal):
    X, y, rng = sample(seed=seed)
    values = np.ones(9) if equal else rng.choice([0.0, 0.5, 1.0, 2.5], size=9) + 0.1 * (seed % 2)
    values[0] = 1.0 if equal else 7.0
    clf = SVC(kernel="linear").fit(X, y)
    found = errors_after(clf.coef_[0], clf.intercept_[0], X, y, values, BUDGETS)
    expected = [1 - robust_score(clf, X, y, N, feature_values=values) for N in BUDGETS]
    assert np.allclose(found, expected, atol=1e-12)


def test_errors_with_noise_against_one_example_at_a_time():
    X, y, rng = sample(seed=3)
    w, b, values = rng.normal(size=9), 0.1, rng.choice([1.0, 2.0], size=9)
    noise = rng.uniform(-1, 1, size=X.shape)
    wrong = np.zeros(len(BUDGETS))
    for k, budget in enumerate(BUDGETS):
        for i, x in enumerate(X):
            left, changed, worth = budget, x.copy(), y[i] * w * x
            for j in sorted(np.flatnonzero(worth > 0), key=lambda j: -worth[j]):
                if values[j] <= left:
                    left -= values[j]
                    changed[j] = noise[i, j]
            wrong[k] += y[i] * (changed @ w + b) <= 0
    assert np.allclose(errors_after(w, b, X, y, values, BUDGETS, noise), wrong / len(X))


def test_errors_by_value_against_one_example_at_a_time():
    X, y, rng = sample(seed=4)
    w, b, values = rng.normal(size=9), 0.1, rng.choice([1.0, 2.0, 2.5], size=9)
    wrong, budgets = np.zeros(5), [0, 1, 3, 4.5, 6]
    for k, budget in enumerate(budgets):
        for i, x in enumerate(X):
            left, changed, worth = budget, x.copy(), y[i] * w * x
            for j in sorted(np.flatnonzero(worth > 0), key=lambda j: (-values[j], -worth[j])):
                if values[j] <= left:
                    left -= values[j]
                    changed[j] = 0.0
            wrong[k] += y[i] * (changed @ w + b) <= 0
    found = errors_after(w, b, X, y, values, budgets, by_value=True)
    assert np.allclose(found, wrong / len(X))
    assert (found != errors_after(w, b, X, y, values, budgets)).any()
    ones = [errors_after(w, b, X, y, np.ones(9), budgets, by_value=which) for which in (False, True)]
    assert np.array_equal(*ones)


@pytest.mark.parametrize("budgets", [[0, 1, 3, 6], [0.5, 2.5], [1, 40]])
def test_random_errors_against_one_example_at_a_time(budgets):
    X, y, rng = sample(seed=3)
    w, b, survived = rng.normal(size=9), 0.1, random_survival(X, np.array(budgets, float), rng)
    wrong = np.zeros(len(budgets))
    for k, budget in enumerate(budgets):
        for i, x in enumerate(X):
            left = np.where(survived[i] > k, x, 0.0)
            assert np.count_nonzero(x) - np.count_nonzero(left) == min(np.count_nonzero(x), int(budget))
            wrong[k] += y[i] * (left @ w + b) <= 0
    assert np.allclose(errors_at_random(w, b, X, y, survived, len(budgets)), wrong / len(X))


def test_larger_budgets_delete_more_and_each_feature_as_often():
    budgets = np.array([0.0, 1.0, 2.0, 4.0])
    survived = random_survival(np.ones((4000, 4)), budgets, np.random.default_rng(0))
    assert (survived.min(axis=0) == 1).all()
    assert (survived > 0).all()
    # A share of 1/4 goes first: the standard error is 0.007.
    assert np.mean(survived == 1, axis=0) == pytest.approx(np.full(4, 0.25), abs=0.03)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_margin_that_is_zero_but_for_rounding_is_a_mistake(sign):
    w, X, signs = sign * np.array([0.1, 0.2, -0.3]), np.ones((1, 3)), np.ones(1)
    assert w.sum() * sign > 0.0, "0.1 + 0.2 is not 0.3"
    assert errors_after(w, 0.0, X, signs, np.ones(3), np.zeros(1)).tolist() == [1.0]
    assert errors_at_random(w, 0.0, X, signs, np.ones((1, 3), int), 1).tolist() == [1.0]
    assert errors_after(w, 1e-9, X, signs, np.ones(3), np.zeros(1)).tolist() == [0.0]


def test_no_weights_are_always_wrong():
    X, y, _ = sample()
    assert errors_after(np.zeros(9), 0.0, X, y, np.ones(9), BUDGETS).tolist() == [1.0] * 4
