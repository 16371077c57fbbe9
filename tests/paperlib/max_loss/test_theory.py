"""The statements against counting, simulation and each other."""

import itertools
import math

import numpy as np
import pytest

from paperlib.max_loss import theory
from paperlib.max_loss.samples import gap_points


def test_theorem_1_needs_one_over_eps_where_its_proof_needs_the_square():
    stated = [theory.theorem_1_rounds(1000, 50.0, eps, 0.05) for eps in (0.4, 0.04)]
    proved = [theory.theorem_1_proof_rounds(1000, 50.0, eps, 0.05) for eps in (0.4, 0.04)]
    assert stated[1] / stated[0] == pytest.approx(10.0, rel=1e-3)
    assert proved[1] / proved[0] == pytest.approx(100.0, rel=1e-3)
    assert stated[0] < proved[0]


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


def test_lemma_1_by_counting():
    eps, m = 0.3, 6
    chance = {True: eps, False: 1.0 - eps}
    missing = sum(
        math.prod(chance[rare] for rare in kinds)
        for kinds in itertools.product((True, False), repeat=m)
        if len(set(kinds)) < 2
    )
    assert theory.lemma_1_failure(m, eps) == pytest.approx(missing)
    for eps in (0.3, 0.05, 0.001):
        for delta in (0.5, 0.05, 1e-6):
            m = theory.lemma_1_size(eps, delta)
            assert theory.lemma_1_failure(m, eps) <= 4.0 * (1.0 - eps / 2.0) ** m <= delta


@pytest.mark.parametrize("alpha", [0.4, 0.1, 0.01, 1e-4])
def test_the_turning_point_of_the_gap_example(alpha):
    z_1, z_2 = gap_points(alpha)
    for k in (1, 3):
        r = k * (2.0 - alpha) / (5.0 * alpha)
        assert (k * z_1 + r * z_2) @ z_2 == pytest.approx(0.0, abs=1e-12 * k)
        assert theory.lemma_3_product(alpha, k) == pytest.approx((k * z_1 + r * z_2) @ z_1)
    assert theory.lemma_3_product(alpha) == pytest.approx(0.2, abs=1.2 * alpha)
    w, mistakes = z_1.copy(), 1
    while w @ z_2 <= 0.0:
        assert w @ z_1 > 0.0
        w, mistakes = w + z_2, mistakes + 1
    assert mistakes == theory.lemma_3_mistakes(alpha)


def test_lemma_2_as_printed_says_nothing():
    alpha, eps = 0.01, 0.01
    rounds = theory.lemma_2_rounds(alpha, eps)
    assert math.exp(-eps / 3.0) > 0.99
    assert theory.lemma_2_failure(rounds, eps) < 0.02


def test_lemma_4_forms_agree():
    for alpha, s, v, delta in ((0.1, 1.0, 1.0, 0.05), (0.5, 9.0, 9.0, 0.01)):
        rounds = theory.lemma_4_rounds(alpha, s, v, delta)
        assert theory.lemma_4_tail(rounds, alpha, s, v) <= delta
        assert theory.lemma_4_tail(rounds - 1, alpha, s, v) > delta


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


def test_the_first_step_of_theorem_3s_proof_is_false():
    """(1 - k/m)^n >= 0.99 exp(-kn/m) fails; the union bound gives what is needed."""
    m, k, n = 10_000, 1000, 1000
    assert (1 - k / m) ** n < 0.99 * math.exp(-k * n / m)


def test_theorem_2_sizes():
    assert theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05) < theory.theorem_2_naive_size(
        8, 0.01, 0.005, 0.05
    )
    assert theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05, constant=2.0) == pytest.approx(
        2.0 * theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05)
    )


def test_regret_and_mistakes():
    assert theory.perceptron_mistakes(2.0, 3.0) == 36.0
    assert theory.lemma_5_regret(10, 0.5, 0.0) == pytest.approx(2.0 * math.log(10))
    assert theory.theorem_1_voters(100, 0.49, 0.05) == math.ceil(80 / 1.47 * math.log(4000))
