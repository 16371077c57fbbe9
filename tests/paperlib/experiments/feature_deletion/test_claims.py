"""Measures of the claims on deleted features, on small tables whose answers are known."""

import math

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.feature_deletion import claims, claims_section_4


def table(columns, *rows):
    return pd.DataFrame(rows, columns=columns.split())


def test_the_exponent_of_the_size_is_the_largest_of_all():
    rows = [("m", m, 1, m, m**2 if m < 4 else 4 * m, 8) for m in (1, 2, 4)]
    assert claims.section_1_size(table("grows m n variables constraints entries", *rows)).value == 2.0


def test_multiplications_that_are_fewer_than_ten_times_are_counted():
    assert claims.section_1_efficiency(table("solver ten", ("a", True), ("b", False)))[:3] == (1, None, 2)


def test_density_is_a_mean_of_data_sets():
    rows = [
        (data, run, learner, features, 0.0, after)
        for data, more in (("a", 0.0), ("b", 10.0))
        for run in range(2)
        for learner, features, after in (
            ("SVM", 5, 0.2),
            ("L1 SVM", 1, 0.3 + more / 100),
            ("LP", 5 * math.exp(1 + more + run), 0),
            ("LP, no cube", 10, 0),
            ("perceptron", 5 / math.e, 0),
            ("perceptron, no cube", 5 / math.e**3, 0),
        )
    ]
    density = table("data run learner features before after", *rows)
    found = claims.section_1_dense_lp(density)
    assert found.value == pytest.approx(6.5) and found.stderr == pytest.approx(math.sqrt(0.5) / 2)
    assert claims.section_1_dense_cube(density).value == pytest.approx(6.5 - math.log(2))
    assert claims.section_1_dense_perceptron(density).value == pytest.approx(-1.0)
    assert claims.section_1_dense_perceptron_cube(density).value == pytest.approx(2.0)
    assert claims.section_1_sparse(density).value == pytest.approx(0.15)


def test_slacks_of_mistakes_alone_count():
    slacks = table("margin slack mistake violated", (1.0, 2.0, True, -0.1), (3.0, 1.0, False, 0.2))
    assert claims.section_2_1_slack(slacks)[:3] == (0.5, None, 1)
    assert claims.theorem_1_feasible(slacks).value == 0.2
    assert claims.theorem_1_feasible(slacks[:1]).value == 0.0


def test_lemma_1():
    cases = table(
        "whole least programme relaxed value between feasible",
        (True, 1.0, 1.0, 0.75, 1.0, 0, True),
        (False, 1.0, 0.5, 1.5, 0.5, 2, True),
        (False, 1.0, 0.5, 0.5, 0.6, 1, True),
        (False, 1.0, 0.5, 0.5, 0.5, 1, False),
    )
    assert claims.lemma_1_a(cases).value == 0.5
    assert claims.lemma_1_b(cases)[:3] == (0.25, None, 1)
    assert claims.lemma_1_c(cases).value == 3


def test_theorem_1_is_looked_at_by_kind():
    programmes = table(
        "kind difference allowed",
        ("0 or 1, N whole", -1e-8, 0.0),
        ("0 or 1, any N", 0.25, 1.0),
        ("any", 0.1, 0.5),
        ("tight", 0.0, 0.0),
    )
    assert claims.theorem_1_exact(programmes)[:3] == (pytest.approx(0.25), None, 2)
    assert claims.theorem_1_exact_corrected(programmes)[:3] == (pytest.approx(1e-8), None, 1)
    assert claims.theorem_1_difference(programmes)[:3] == (pytest.approx(0.2), None, 2)


def test_shares_of_bounds():
    risks = table("risk loss bound weaker", (0.3, 0.1, 0.5, 0.6), (0.2, 0.2, 0.4, 0.3))
    assert claims.theorem_2(risks).value == pytest.approx(0.5)
    assert claims.theorem_2_weaker(risks).value == 1
    online = table("online fixed allowed", (0.5, 0.25, 1.0), (0.1, 0.2, 1.0))
    assert claims.theorem_4(online).value == 0.25
    excess = table("excess allowed risk loss", (0.1, 0.4, 0.1, 0.8), (0.1, 1.0, 0.3, 0.4))
    assert claims.corollary_1(excess).value == 0.25
    assert claims.corollary_1_risk(excess).value == pytest.approx(0.75)
    steps = table("tau best bound allowed", (1.0, 1.0, 2.0, 2.0), (1.1, 1.0, 2.0, 2.5))
    assert claims.section_3_1_tau(steps).value == pytest.approx(0.2)
    assert claims.section_3_1_tau(steps[:1]).value == 0.0


def test_the_worst_rate_of_coins_is_taken_less_what_is_allowed():
    columns = "constant eps loss draws turned"
    coins = table(
        columns,
        ("printed", 0.05, 0.0, 100, 10),
        ("printed", 0.05, 0.0, 100, 30),
        ("corrected", 0.05, 0.1, 100, 12),
    )
    found = claims.theorem_3(coins)
    assert found.value == pytest.approx(0.25) and found.cases == 100 and found.dof is None
    assert found.stderr == pytest.approx(np.std([1] * 30 + [0] * 70, ddof=1) / 10)
    assert claims.theorem_3_corrected(coins).value == pytest.approx(-0.03)


def test_the_limit_of_many_features():
    rows = [(n, k, 0.5 / math.sqrt(n) * (1 + 0.1 * (k // 5))) for n in (10, 100, 400) for k in range(10)]
    limit = table("n perceptron changed", *rows)
    found = claims.section_2_4_rate(limit)
    assert found.value == pytest.approx(-0.5) and found.cases == 30 and found.stderr < 1e-9
    assert claims.section_2_4_limit(limit).value == pytest.approx(1.05 * 0.5 * (10**-0.5 - 1 / 20))
    # Few features are not what is asked, where there are many.
    flat = limit.assign(changed=limit.changed.where(limit.n > 10, 1e-3))
    assert claims.section_2_4_rate(flat).value == pytest.approx(-0.5)
    assert claims.section_2_4_rate(limit[limit.n < 400]).value == pytest.approx(-0.5)
    assert claims.section_2_4_rate(limit.assign(changed=0.0))[:2] == (0.0, None)


def test_the_sanity_check_is_looked_at_by_what_is_removed():
    trials = table(
        "removed run LP SVM copies", (1, 0, 0.1, 0.0, 0.5), (2, 0, 0.2, 0.4, 0.9), (2, 1, 0.2, 0.6, 1.0)
    )
    assert claims_section_4.sanity_lp_removed_1(trials).value == 0.1
    assert claims_section_4.sanity_svm_removed_1(trials).value == 0.0
    assert claims_section_4.sanity_order(trials).value == pytest.approx(0.3)
    assert claims_section_4.sanity_weights(trials).value == pytest.approx(0.95)


def test_readings_of_a_thousand_examples_count():
    rows = [
        (kind, margin, size, strength, scale, run, 0.2 + 0.01 * run + 0.05 * (margin == 0.0) + size / 1e5)
        for kind in ("a", "b")
        for margin in (0.0, 0.2, 0.4)
        for size, strength, scale in ((1000, 1, 1), (200, 1, 1), (1000, 0.1, 1), (1000, 1, 0.1))
        for run in range(2)
    ]
    readings = table("kind margin size strength scale run LP", *rows)
    assert claims_section_4.sanity_without_margin(readings).value == pytest.approx(0.265 - 0.22)
    found = claims_section_4.sanity_margin(readings)
    assert found.value == pytest.approx(0.05) and found.cases == 4


def random_deletion(*budgets):
    """LP at 0.1, FDROP 0.01 more for each unit of budget, SVM 0.1 more, the perceptron 0.02 less."""
    return table(
        "run learner budget error",
        *[
            (run, learner, budget, 0.1 + 0.001 * run + more)
            for run in range(3)
            for budget in budgets
            for learner, more in (("LP", 0), ("FDROP", 0.01 * budget), ("SVM", 0.1), ("perceptron", -0.02))
        ],
    )


def test_leads_under_random_deletion():
    rows = random_deletion(0, 10, 20, 30)
    assert claims_section_4.figure_1_left_fdrop(rows).value == pytest.approx(0.15)
    assert claims_section_4.figure_1_left_centred(rows).value == pytest.approx(0.15)
    assert claims_section_4.figure_1_right_fdrop(rows).value == pytest.approx(0.15)
    for svm in (claims_section_4.figure_1_left_svm(rows), claims_section_4.figure_1_right_svm(rows)):
        assert svm.value == pytest.approx(0.1) and svm.cases == 3
    level = rows.assign(error=0.2)
    assert claims_section_4.figure_1_perceptron_errors(rows, level)[:3] == (
        pytest.approx(0.01),
        pytest.approx(0.0),
        6,
    )
    both = claims_section_4.section_1_considerably_better(rows, random_deletion(0, 10))
    assert both.value == pytest.approx((0.15 + 0.05) / 2 + 0.01) and both.cases == 6


ERRORS = {
    "LP": 0.1,
    "LP, values one": 0.15,
    "LP, chunks of 100": 0.3,
    "LP, chunks of 500": 0.12,
    "SVM": 0.2,
    "perceptron": 0.13,
    "FDROP": 0.16,
}


def folds(*met):
    """Errors of two folds: as above for the first order, half and a quarter of that for further ones."""
    return table(
        "met fold learner budget error",
        *[
            (order, fold, learner, budget, error / 2**k if budget else 0.9)
            for k, order in enumerate(met)
            for fold in range(2)
            for learner, error in ERRORS.items()
            for budget in (0, 1, 2)
        ],
    )


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("figure_2_left_lp", 0.08),
        ("figure_2_left_whole", 0.1),
        ("figure_2_left_perceptron", 0.07),
        ("figure_2_left_chunks", 0.02),
        ("figure_2_center_lp", 0.08),
        ("figure_2_center_whole", 0.1),
        ("figure_2_center_perceptron", 0.07),
        ("figure_2_center_values", 0.05),
        ("figure_2_center_fdrop", 0.06),
        ("figure_2_center_by_value", 0.05),
        ("figure_2_center_chunks", 0.02),
        ("figure_2_right_lp", 0.08),
        ("figure_2_right_whole", 0.1),
        ("figure_2_right_perceptron", 0.07),
        ("figure_2_right_fdrop", 0.06),
        ("figure_2_right_by_value", 0.05),
        ("figure_2_right_chunks", 0.02),
        ("section_1_price_on_images", 0.01),
        ("section_2_4_programme", 0.025),
        ("breast_cancer_figure_2_left_lp", 0.1),
        ("breast_cancer_figure_2_left_perceptron", 0.07),
        ("breast_cancer_figure_2_center_lp", 0.1),
        ("breast_cancer_figure_2_center_perceptron", 0.07),
    ],
)
def test_leads_under_the_adversary(measure, value):
    found = getattr(claims_section_4, measure)(folds("harm", "value", "noise"))
    assert found.value == pytest.approx(value) and found.cases == 2


def test_the_price_on_spam_is_a_mean_of_both_panels():
    more = folds("harm")
    more = pd.concat([more, more.assign(fold=more.fold + 2, error=0.7)])
    found = claims_section_4.section_1_price_on_spam(folds("harm", "noise"), more)
    assert found.value == pytest.approx((0.01 + 0.005) / 2) and found.cases == 6


def test_the_price_is_a_mean_of_spam_and_images_whatever_their_panels_and_folds():
    level = folds("harm").assign(error=0.7)
    more = pd.concat([folds("harm"), folds("harm").assign(fold=lambda rows: rows.fold + 2)])
    found = claims_section_4.section_1_price(level, level, more)
    assert found.value == pytest.approx((0.0 + 0.01) / 2) and found.cases == 6
    found = claims_section_4.section_1_price(folds("harm"), level, level)
    assert found.value == pytest.approx((0.005 + 0.0) / 2) and found.cases == 4


def test_methods_are_compared_by_data_set_and_deletions():
    rows = [
        (data, run, learner, deleted, error + (0.1 if deleted else 0.0) * (learner != "LP") + 0.01 * run)
        for data in ("a", "b")
        for run in range(2)
        for learner, error in (("LP", 0.1), ("SVM", 0.1), ("FDROP", 0.05), ("adversarial training", 0.2))
        for deleted in (0.0, 0.1, 0.3)
    ]
    methods = table("data run learner deleted error", *rows)
    assert claims_section_4.methods_svm(methods).value == pytest.approx(0.1)
    assert claims_section_4.methods_fdrop(methods).value == pytest.approx(0.05)
    assert claims_section_4.methods_adversarial_training(methods).value == pytest.approx(0.2)
    assert claims_section_4.methods_price(methods)[:3] == (pytest.approx(0.0), pytest.approx(0.0), 4)
