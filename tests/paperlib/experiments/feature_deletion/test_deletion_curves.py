"""Errors after greedy and random deletions, against one example at a time."""

import numpy as np
import pytest
from sklearn.svm import SVC

from paperlib.experiments.feature_deletion.deletion_curves import errors_after
from paperlib.feature_deletion import robust_score

BUDGETS = [0, 1, 3, 6]


def sample(m=60, n=9, seed=0, zeros=0.3):
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(-1, 1, size=(m, n)), 1) * (rng.uniform(size=(m, n)) > zeros)
    y = np.where(X @ rng.normal(size=n) + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    return X, y, rng


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


@pytest.mark.parametrize("noisy", [False, True])
def test_random_errors_against_one_example_at_a_time(noisy):
    X, y, rng = sample(seed=3)
    w, b, values = rng.normal(size=9), 0.1, rng.choice([1.0, 2.0], size=9)
    keys = rng.uniform(size=X.shape)
    noise = rng.uniform(-1, 1, size=X.shape) if noisy else None
    wrong = np.zeros(len(BUDGETS))
    for k, budget in enumerate(BUDGETS):
        for i, x in enumerate(X):
            left, changed = budget, x.copy()
            for j in sorted(np.flatnonzero(x), key=lambda j: keys[i, j]):
                if values[j] <= left:
                    left -= values[j]
                    changed[j] = noise[i, j] if noisy else 0.0
            wrong[k] += y[i] * (changed @ w + b) <= 0
    assert np.allclose(errors_after(w, b, X, y, values, BUDGETS, keys, noise), wrong / len(X))


def test_no_weights_are_always_wrong():
    X, y, _ = sample()
    assert errors_after(np.zeros(9), 0.0, X, y, np.ones(9), BUDGETS).tolist() == [1.0] * 4
