"""The lemmas, and what the theorems are compared with, against counting, simulation and each other."""

import itertools
import math

import pytest

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import gap_points
from paperlib.max_loss import theory


def test_lemma_1_by_counting():
    eps, m = 0.3, 6
    chance = {True: eps, False: 1.0 - eps}
    missing = sum(
        math.prod(chance[rare] for rare in kinds)
        for kinds in itertools.product((True, False), repeat=m)
        if len(set(kinds)) < 2
    )
    assert theory_lemmas.lemma_1_failure(m, eps) == pytest.approx(missing)
    for eps in (0.3, 0.05, 0.001):
        for delta in (0.5, 0.05, 1e-6):
            m = theory_lemmas.lemma_1_size(eps, delta)
            assert theory_lemmas.lemma_1_failure(m, eps) <= 4.0 * (1.0 - eps / 2.0) ** m <= delta


@pytest.mark.parametrize("alpha", [0.4, 0.1, 0.01, 1e-4])
def test_the_turning_point_of_the_gap_example(alpha):
    z_1, z_2 = gap_points(alpha)
    for k in (1, 3):
        r = k * (2.0 - alpha) / (5.0 * alpha)
        assert (k * z_1 + r * z_2) @ z_2 == pytest.approx(0.0, abs=1e-12 * k)
        assert theory_lemmas.lemma_3_product(alpha, k) == pytest.approx((k * z_1 + r * z_2) @ z_1)
    assert theory_lemmas.lemma_3_product(alpha) == pytest.approx(0.2, abs=1.2 * alpha)
    w, mistakes = z_1.copy(), 1
    while w @ z_2 <= 0.0:
        assert w @ z_1 > 0.0
        w, mistakes = w + z_2, mistakes + 1
    assert mistakes == theory_lemmas.lemma_3_mistakes(alpha)


def test_lemma_2_as_printed_says_nothing():
    alpha, eps = 0.01, 0.01
    rounds = theory_lemmas.lemma_2_rounds(alpha, eps)
    assert math.exp(-eps / 3.0) > 0.99
    assert theory_lemmas.lemma_2_failure(rounds, eps) < 0.02


def test_lemma_4_forms_agree():
    for alpha, s, v, delta in ((0.1, 1.0, 1.0, 0.05), (0.5, 9.0, 9.0, 0.01)):
        rounds = theory_lemmas.lemma_4_rounds(alpha, s, v, delta)
        assert theory_lemmas.lemma_4_tail(rounds, alpha, s, v) <= delta
        assert theory_lemmas.lemma_4_tail(rounds - 1, alpha, s, v) > delta


def test_theorem_1_as_stated_stands_on_the_limit_of_the_losses():
    """Lemma 5 has what is told of an example at most 4 C + 2 m log m, and C / T is eps / 8."""
    slope = 1.0 - math.exp(-0.4)
    assert 0.4 / slope < 1.22 and 2.0 / slope < 6.1
    for m, eps, delta in ((1000, 0.49, 0.05), (20, 0.01, 0.5)):
        rounds = 62.0 * m * math.log(m / delta) / eps
        limit = theory_lemmas.concentration_limit(rounds * eps / 2.0 + 2.0 * m * math.log(m), m, delta)
        assert limit / rounds < 0.75 * eps < theory.theorem_1_loss(m, rounds * eps / 8.0, rounds, delta)


def test_theorem_1_needs_one_over_eps_where_its_proof_needs_the_square():
    stated = [theory.theorem_1_rounds(1000, 50.0, eps, 0.05) for eps in (0.4, 0.04)]
    proved = [theory_lemmas.theorem_1_proof_rounds(1000, 50.0, eps, 0.05) for eps in (0.4, 0.04)]
    assert stated[1] / stated[0] == pytest.approx(10.0, rel=1e-3)
    assert proved[1] / proved[0] == pytest.approx(100.0, rel=1e-3)
    assert stated[0] < proved[0]


def test_theorem_2_sizes():
    assert theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05) < theory_lemmas.theorem_2_naive_size(
        8, 0.01, 0.005, 0.05
    )
    assert theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05, constant=2.0) == pytest.approx(
        2.0 * theory.theorem_2_size(8, 3, 0.01, 0.125, 0.005, 0.05)
    )


def test_appendix_d_fails_as_printed_and_bernoulli_holds():
    for n in (1, 2, 30):
        printed, bernoulli = theory_lemmas.appendix_d_margins(0.1, n)
        assert (printed >= 0.0) == (0.9**n >= 0.99 * math.exp(-0.1 * n)) == (n == 1)
        assert bernoulli == pytest.approx(0.9**n - 1.0 + 0.1 * n) and bernoulli >= -1e-12


def test_nonsense_is_one_clear_error():
    with pytest.raises(ValueError, match=r"alpha must be a finite number > 0, got 0\.0"):
        theory_lemmas.lemma_4_rounds(0.0, 1.0, 1.0, 0.1)
