"""Equation (4) as matrices: whole, and without the inner variables of features that are zero."""

import numpy as np
import pytest
from scipy.optimize import linprog

from paperlib.feature_deletion._solver.certificate import objective
from paperlib.feature_deletion._solver.linear_programme import equation_4
from paperlib.feature_deletion._solver.pairs import make_pairs

MARGIN, C = 1.3, 2.0
VALUES = np.array([0.0, 0.5, 1.0, 1.0, 2.0, 0.7])


def sample(m, density):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (m, VALUES.size)) * (rng.random((m, VALUES.size)) < density)
    X[::4] = 0.0
    return X, np.where(rng.random(m) < 0.4, 1.0, -1.0)


def mean_loss(X, signs, budget, w, b):
    """By the exact knapsack of each row, which knows nothing of the matrices."""
    price = MARGIN / (VALUES.sum() - budget)
    return objective(make_pairs(X, signs, VALUES, budget, price), w, b) / len(X)


@pytest.mark.parametrize("zeros", [True, False])
def test_the_programme_has_as_many_inner_variables_as_it_says(zeros):
    X, signs = sample(25, 0.3)
    cost, A, limits, bounds = equation_4(X, signs, VALUES, 1.0, MARGIN, C, zeros=zeros)
    m, n = X.shape
    inner = X.size if zeros else np.count_nonzero(X)
    assert A.shape == (m + inner, n + 1 + 2 * m + inner)
    assert bounds.shape == (cost.size, 2) and limits.size == m + inner


@pytest.mark.parametrize("m", [1, 2, 25])
@pytest.mark.parametrize("budget", [0.0, 1.0, 2.5, 5.1])
@pytest.mark.parametrize("density", [0.0, 0.2, 0.6, 1.0])
def test_without_variables_of_zeros_minimum_and_classifier_are_as_good(density, budget, m):
    X, signs = sample(m, density)
    minima = []
    for zeros in (True, False):
        cost, A, limits, bounds = equation_4(X, signs, VALUES, budget, MARGIN, C, zeros=zeros)
        found = linprog(cost, A, limits, bounds=bounds)
        minima.append(found.fun)
        n = VALUES.size
        assert mean_loss(X, signs, budget, found.x[:n], found.x[n]) == pytest.approx(found.fun, abs=1e-9)
    assert minima[0] == pytest.approx(minima[1], abs=1e-9)


@pytest.mark.parametrize("zeros", [True, False])
@pytest.mark.parametrize("rows", [slice(1), slice(1, 2), slice(8)], ids=["all zero", "one", "eight"])
@pytest.mark.parametrize("budget", [0.0, 1.0, 2.5, 5.1])
def test_of_any_classifier_the_programme_says_the_loss(budget, rows, zeros):
    X, signs = (part[rows] for part in sample(8, 0.5))
    rng, n = np.random.default_rng(5), VALUES.size
    cost, A, limits, bounds = equation_4(X, signs, VALUES, budget, MARGIN, C, zeros=zeros)
    for _ in range(5):
        w, b = rng.uniform(-C, C, n), rng.normal()
        bounds[: n + 1] = np.append(w, b)[:, None]
        least = linprog(cost, A, limits, bounds=bounds).fun
        assert least == pytest.approx(mean_loss(X, signs, budget, w, b), abs=1e-9)
