"""The statements against counting, simulation and each other."""

import itertools
import math

import numpy as np
import pytest

from paperlib.max_loss import theory


def test_theorem_1_rounds_reach_three_quarters():
    rounds = theory.theorem_1_rounds(300, 40.0, 0.2, 0.1)
    assert theory.theorem_1_loss(300, 40.0, rounds, 0.05) <= 0.15
    assert theory.theorem_1_loss(300, 40.0, rounds - 1, 0.05) > 0.15


@pytest.mark.parametrize("x, p", [(1.0, 0.5), (0.3, 0.01), (1.0, 0.001)])
def test_the_supermartingale_of_theorem_1(x, p):
    """E exp(mu / (4 m) - X / (2 m)) <= 1 for X = x / p with probability p >= 1 / (2 m)."""
    for m in (math.ceil(0.5 / p), 10 * math.ceil(0.5 / p)):
        mean = p * math.exp(-x / p / (2 * m)) + 1.0 - p
        assert math.exp(x / (4 * m)) * mean <= 1.0


@pytest.mark.parametrize("n, m, outliers, rare", [(4, 10, 1, 3), (5, 20, 2, 10), (3, 10, 0, 4)])
def test_theorem_3_by_counting(n, m, outliers, rare):
    kinds = ["outlier"] * outliers + ["rare"] * rare + ["other"] * (m - outliers - rare)
    shares = {kind: kinds.count(kind) / m for kind in set(kinds)}
    for least in (n * rare / (2 * m), rare / 2, 0):
        good = sum(
            math.prod(shares[kind] for kind in drawn)
            for drawn in itertools.product(shares, repeat=n)
            if "outlier" not in drawn and drawn.count("rare") >= least
        )
        assert theory.theorem_3_probability(n, m, outliers, rare, least) == pytest.approx(1.0 - good)


def test_theorem_3_holds_with_the_least_share_and_not_as_printed():
    rng = np.random.default_rng(0)
    for _ in range(500):
        m = int(rng.integers(100, 10_000))
        outliers = int(rng.integers(0, m // 10 + 1))
        rare, n = int(rng.integers(1, m - outliers + 1)), int(rng.integers(1, 2 * m))
        bound = theory.theorem_3_bound(n, m, outliers, rare)
        assert theory.theorem_3_probability(n, m, outliers, rare) <= bound + 1e-12
    k = 1
    m2 = math.ceil(1000 * math.log(100) * k)
    m, n = 100_000, 1000
    assert theory.theorem_3_bound(n, m, k, m2) <= 0.03
    assert theory.theorem_3_probability(n, m, k, m2, least=m2 / 2) > 0.99


def test_what_is_beyond_the_floats():
    assert theory.perceptron_mistakes(1e200, 1e200) == math.inf
    assert theory.perceptron_mistakes(1e308, 1e-300) == pytest.approx(1e16)
    assert theory.theorem_1_voters(1e308, 0.5, 0.05) == math.ceil(
        160 / 3 * (math.log(40) + 308 * math.log(10))
    )
    assert theory.theorem_3_probability(1000, 100_000, 1, 4606, least=1e308) == 1.0
