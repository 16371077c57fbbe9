"""Measures of the claims, on small tables whose answers are known."""

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.kernel_mean import claims, claims_section_7, claims_sections_5_and_6
from paperlib.experiments.verbs import Measured, deviation


def test_a_statement_is_measured_by_its_own_cases():
    statements = pd.DataFrame(
        {
            "statement": ["lemma-4", "lemma-4", "lemma-10", *["section-4.3.4.auc"] * 2],
            "value": [0.0, 2e-9, 0.5, 0.1, 0.3],
            "resolution": [1e-9, 1e-9, 1e-9, 1e-6, 1e-6],
        }
    )
    assert claims.lemma_4(statements) == Measured(2e-9, cases=2, resolution=1e-9)
    assert claims.lemma_10(statements).value == 0.5
    assert claims.section_4_3_4_auc(statements)[:4] == (pytest.approx(0.2), pytest.approx(0.1), 2, 1)


def test_a_ratio_is_the_largest_of_all_settings_and_counts_their_draws():
    bounds = pd.DataFrame({"statement": ["theorem-5", "theorem-5", "lemma-9"], "ratio": [0.2, 0.3, 0.9]})
    exact = bounds.assign(ratio=[0.5, 0.1, 0.8])
    assert claims.theorem_5(bounds.assign(draws=100), exact) == Measured(0.5, cases=202)
    assert claims.lemma_9(bounds.assign(draws=100), exact) == Measured(0.9, cases=101)


def test_squared_errors_are_a_mean_over_settings():
    rows = {"statement": "theorem-21", "squared": [1.0, 1.2, None], "squared_stderr": [0.3, 0.4, None]}
    found = claims_sections_5_and_6.theorem_21_squared(pd.DataFrame(rows | {"draws": 10}))
    assert found[:4] == (pytest.approx(1.1), pytest.approx(0.25), 20, None)


def test_losses_that_disagree_are_counted():
    orders = pd.DataFrame(
        {
            "loss": ["0-1", "hinge", "linear"],
            "keeps_order": [True, False, False],
            "equivalent": [True, True, False],
            "constant_sum": [True, True, True],
            "known": [True, False, True],
        }
    )
    random = orders[["keeps_order", "equivalent", "constant_sum"]][:2]
    assert claims.theorem_14(orders, random)[:3] == (2, None, 5)
    assert claims.theorem_15(orders, random).value == 3
    assert claims.section_4_3_3_zero_one(orders)[:3] == (0, None, 1)


def test_statements_that_a_score_of_zero_breaks_are_counted():
    names = ["section-2.zero, a", "section-2.zero, b", "corollary-8"]
    examples = pd.DataFrame({"statement": names, "value": [0.5, 0.0, 1.0]})
    assert claims.section_2_zero(examples)[:3] == (1, None, 2)
    statements = pd.DataFrame({"statement": ["definition-1", "lemma-3"], "value": 0.0, "resolution": 1e-9})
    calibration = pd.DataFrame({"slope": [-1.0, 1.0], "eta": 0.5, "regret": [0.0, 1.0]})
    orders = pd.DataFrame({"loss": ["0-1"], "keeps_order": [True]})
    labels = pd.DataFrame({"loss": ["a", "a", "b"], "negative": [1, 2, 1], "positive": [1, 1, 1]})
    assert claims.section_2_zero_corrected(statements, calibration, orders, labels)[:3] == (1, None, 5)
    worse = claims.section_2_zero_corrected(statements.assign(value=1), calibration[1:], orders, labels)
    assert worse.value == 3


def test_the_linear_loss_is_above_errors_where_it_is_not_beyond_one():
    rows = [("linear", 0.5, 1.5, 0.5), ("linear", 2.0, 3.0, -1.0), ("0-1", 0.5, 1, 0.75), ("0-1", 2.0, 1, 0)]
    labels = pd.DataFrame(rows, columns=["loss", "score", "negative", "positive"])
    assert claims.section_3_below(labels)[:3] == (0.25, None, 2)


def test_a_printed_form_is_measured_in_its_counterexample_and_the_corrected_one_by_itself():
    names = [
        "section-4.3.long-servedio",
        "consistency",
        "theorem-16",
        "theorem-18",
        "lemma-19",
        "lemma-19.zero",
    ]
    examples = pd.DataFrame({"statement": names, "value": [0.25, 0.1, 2.0, 3.0, 4.0, 5.0]})
    cases = pd.DataFrame({"statement": [f"{each}.corrected" for each in names[3:]], "value": [0.5, 0.75, 1]})
    cases = cases.assign(resolution=1e-9)
    assert claims.theorem_16(examples)[:3] == (2.0, None, None)
    assert claims.theorem_16_corrected(pd.DataFrame({"bend": [0.5]})).value == 0.5
    assert (claims.theorem_18(examples).value, claims.theorem_18_corrected(cases).value) == (3.0, 0.5)
    assert (claims.lemma_19(examples).value, claims.lemma_19_corrected(cases).value) == (4.0, 0.75)
    assert (claims.lemma_19_zero(examples).value, claims.lemma_19_zero_corrected(cases).value) == (5.0, 1)
    bounds = pd.DataFrame({"statement": ["theorem-5.uniform"], "ratio": 0.3, "draws": 9})
    assert (claims.consistency(examples).value, claims.consistency_corrected(bounds, bounds).value) == (
        0.1,
        0.3,
    )
    assert claims_section_7.section_4_3_long_servedio(examples).value == 0.25
    broken = pd.DataFrame({"risk": [0.5, 0.75]})
    assert claims_section_7.section_4_3_long_servedio_corrected(broken)[:3] == (0.5, None, 2)
    code = pd.DataFrame({"inputs": ["printed", "meant"], "unset": [3, 1]})
    assert claims_sections_5_and_6.algorithm_2_printed(code).value == 3
    assert claims_sections_5_and_6.algorithm_2_printed_corrected(code).value == 1
    kept = pd.DataFrame({"loop": ["while |S| < m", "while |S| <= m"], "points": [7, 8]})
    assert claims_section_7.figure_2_sparsity(kept).value == 8


def test_the_exponent_is_a_mean_over_draws():
    sizes = pd.DataFrame({"draw": [0, 0, 1, 1], "size": [1, 4, 1, 4], "error": [1.0, 0.5, 1.0, 0.25]})
    found = claims_sections_5_and_6.section_5_random(sizes)
    assert found[:4] == (pytest.approx(-0.75), pytest.approx(0.25), 2, 1)


def test_ratios_of_best_points_are_geometric_means():
    rows = {"data": "a", "size": [1, 2] * 2, "method": [*["greedy"] * 2, *["herding"] * 2]}
    curves = pd.DataFrame(rows | {"error": [0.1, 0.2, 0.4, 0.2]})
    assert claims_sections_5_and_6.section_5_greedy_points(curves)[:3] == (pytest.approx(0.5), None, 2)
    assert claims_sections_5_and_6.section_5_greedy_points(curves.assign(error=0.0)).value == 1


def trials(cells):
    """Table 1 with the given risks in each cell."""
    rows = [
        (noise, learner, wrong, risk, count)
        for (noise, learner), kinds in cells.items()
        for wrong, risk, count in kinds
    ]
    return pd.DataFrame(rows, columns=["noise", "learner", "wrong", "risk", "trials"])


PRINTED = pd.DataFrame(
    [
        ("Hinge", 0.0, 0.0, 0.0),
        ("Hinge", 0.1, 0.15, 0.27),
        ("t-logistic", 0.2, 0.0, 0.0),
        ("t-logistic", 0.3, 0.22, 0.08),
    ],
    columns=["learner", "noise", "mean", "std"],
)


def test_cells_without_a_printed_deviation_are_means_of_all_trials():
    table = trials({(0.0, "Hinge"): [("none", 0.0, 3), ("south", 0.5, 1)]})
    assert claims_section_7.table_1_hinge_sigma_0(table)[:3] == (0.125, 0.125, 4)
    assert claims_section_7.table_1_linear_sigma_0(table).cases == 0
    others = trials(
        {(0.1, "Hinge"): [("none", 0.0, 3), ("north", 0.2, 1)], (0.2, "Hinge"): [("far", 0.2, 9)]}
    )
    assert claims_section_7.table_1_hinge_reason(others)[:3] == (1.0, None, 13)


def test_the_standard_error_of_a_standard_deviation():
    samples = np.random.default_rng(0).choice([0.0, 0.5, 1.0], size=(4000, 125), p=[0.5, 0.3, 0.2])
    errors = [deviation(each).stderr for each in samples[:200]]
    assert np.isclose(np.mean(errors), samples.std(axis=1, ddof=1).std(), rtol=0.05)
    assert deviation(np.full(9, 0.3))[:2] == (0.0, 0.0)


def test_a_cell_is_as_far_off_as_the_farther_of_mean_and_deviation():
    mean_off = trials({(0.1, "Hinge"): [("south", 0.9, 1), ("north", 0.63, 1), ("none", 0.36, 1)]})
    found = claims_section_7.table_1_hinge_sigma_0_1(mean_off, PRINTED)
    assert np.isclose(found.value, (0.63 - 0.15) / (0.005 + 4 * 0.27 / np.sqrt(125)))
    std_off = trials({(0.1, "Hinge"): [("south", 0.1, 3), ("none", 0.3, 1)]})
    found = claims_section_7.table_1_hinge_sigma_0_1(std_off, PRINTED)
    # Of 1/4 and 3/4 the variance is 3/16 and the fourth moment 21/256, in squares of the gap of 0.2.
    of_one = 0.2 * np.sqrt((21 / 256 - 9 / 256) / (4 * 3 / 16))
    assert np.isclose(found.value, 0.17 / (0.005 + 4 * of_one / np.sqrt(125)))
    std_off = trials({(0.1, "Hinge"): [("south", 0.15, 4)]})  # that has none has no error
    assert np.isclose(claims_section_7.table_1_hinge_sigma_0_1(std_off, PRINTED).value, 0.27 / 0.005)
    assert claims_section_7.table_1_hinge_sigma_0_2(std_off, PRINTED).cases == 0


def test_a_column_is_as_far_off_as_its_farthest_cell_and_the_nearest_solver_counts():
    cells = {(0.3, name): [("south", risk, 4)] for name, risk in (("BFGS", 0.9), ("CG", 0.22))}
    cells |= {(0.2, name): [("south", 0.9, 4)] for name in ("BFGS", "CG")}  # prints no deviation
    cells |= {(0.3, name): [("south", 0.8, 4)] for name in ("L-BFGS-B", "TNC")}
    found = claims_section_7.table_1_solvers_t_logistic(trials(cells), PRINTED)
    assert np.isclose(found.value, 0.08 / 0.005) and found.cases == 4
    assert claims_section_7.table_1_solvers_hinge(trials(cells), PRINTED).cases == 0


def test_of_cells_that_are_all_to_be_near_the_least_certain_may_be_the_farthest():
    printed = pd.DataFrame([("Hinge", 0.1, 0.5, 0.3), ("Hinge", 0.2, 0.5, 0.3)], columns=PRINTED.columns)
    few = {(0.1, "LIBLINEAR"): [("south", 0.2, 2), ("none", 0.8, 2)]}
    many = {(0.2, "LIBLINEAR"): [("south", 0.1, 2000), ("none", 0.75, 2000)]}
    found = claims_section_7.table_1_solvers_hinge(trials(few | many), printed)
    assert found.cases == 4
    assert (
        claims_section_7._column(trials(few | many), printed, "LIBLINEAR", "Hinge", of=["mean"]).cases == 4000
    )
    deviation = claims_section_7.table_1_solvers_hinge_deviations(trials(few | many), printed)
    assert np.isclose(
        deviation.value, (0.2 * np.sqrt(3) - 0.3) / 0.005
    )  # two values, equally often: no error


def test_samples_that_have_the_column_are_counted():
    rows = [(b, 0.2, 0.0, 0.0, erring) for b, erring in ((1, 0.05), (2, 0.05), (3, 0.2))]
    rows += [(b, 0.3, mean, 0.08, 0.9) for b, mean in ((1, 0.23), (2, 0.3), (3, 0.22))]
    samples = pd.DataFrame(rows, columns=["second", "noise", "mean", "std", "erring"]).assign(std_error=0.1)
    samples = samples.assign(learner="t-logistic", far=1.0, masses="x")
    assert claims_section_7.table_1_samples(samples, PRINTED)[:3] == (1, None, 3)


def test_trials_that_are_neither_all_right_nor_all_wrong():
    table = trials({(0.49, "Linear"): [("none", 0.0, 5), ("south north far", 1.0, 3), ("north", 0.2, 2)]})
    assert claims_section_7.table_1_linear_all_or_nothing(table)[:3:2] == (0.2, 10)


def test_the_least_lead_is_of_the_cells_that_print_an_error():
    table = trials(
        {
            (0.1, "Hinge"): [("south", 0.5, 4)],
            (0.1, "Linear"): [("none", 0.0, 4)],
            (0.2, "t-logistic"): [("none", 0.0, 4)],  # prints none
            (0.3, "t-logistic"): [("south", 0.4, 2), ("none", 0.2, 2)],
            (0.3, "Linear"): [("none", 0.0, 4)],
        }
    )
    found = claims_section_7.table_1_linear_ahead(table, PRINTED)
    assert found[:2] == (pytest.approx(0.3), pytest.approx(0.2 / np.sqrt(3) / 2))
    assert claims_section_7.table_1_linear_ahead(table[table.noise > 1], PRINTED).cases == 0


def test_rates_are_held_against_those_of_clustered_draws():
    rows = [("a", "clustered", draw, *each) for draw in (0, 1) for each in ((1, 1.0), (4, 0.5))]
    rows += [("a", "herding", 0, 1, 1.0), ("a", "herding", 0, 4, 0.25)]
    rows += [("a", "Frank-Wolfe", 0, 1, 1.0), ("a", "Frank-Wolfe", 0, 4, 1.0)]
    rates = pd.DataFrame(rows, columns=["data", "method", "draw", "size", "error"])
    found = claims_sections_5_and_6.section_5_5_2_in_reality(rates)
    assert found[:4] == (pytest.approx(-0.5), pytest.approx(0.0), 2, 1)  # herding, the faster of the two
    other = rates.assign(data="b", error=rates.error.where(rates.method != "clustered", rates.error**2))
    assert claims_sections_5_and_6.section_5_5_2_in_reality(pd.concat([other, rates])) == found
    boundary = pd.DataFrame({"kernel": ["Gaussian", "linear"], "n": [100, 400], "d": [0.02, 0.5]})
    assert claims_sections_5_and_6.section_5_5_2_d(boundary)[:3] == (0.0, None, 1)
    assert claims_sections_5_and_6.section_5_5_2_d(boundary.assign(n=10**4)).value == pytest.approx(1.0)


def test_beyond_the_inner_products_herding_grows_as_algorithm_1_does():
    rows = [("farthest_first", n, 16, 17 * n) for n in (100, 200)]
    rows += [("herding", n, 16, n**2 + 17 * n) for n in (100, 200)]
    values = pd.DataFrame(rows, columns=["method", "n", "m", "values"])
    assert claims_sections_5_and_6.section_5_5_2_complexity(values).value > 0.8
    assert claims_sections_5_and_6.section_5_5_2_complexity_corrected(values).value == pytest.approx(0.0)


def test_the_svm_is_held_against_the_mean_at_the_largest_noise():
    rows = [
        ("a", split, noise, name, value)
        for split in (0, 1)
        for noise, svm in ((0.0, 0.1), (0.4, 0.5))
        for name, value in (("SVM, linear", svm), ("mean, linear", 0.2 + 0.1 * split))
    ]
    errors = pd.DataFrame(rows, columns=["data", "split", "noise", "classifier", "zero_one"])
    found = claims_section_7.section_7_real_data_intercept(errors)
    assert found[:3] == (pytest.approx(0.25), pytest.approx(0.05), 2)
    renamed = errors.replace({"SVM, linear": "SVM, no intercept"})
    assert claims_section_7.section_7_real_data(renamed) == found
    gaussian = errors.replace({"SVM, linear": "mean, Gaussian", "mean, linear": "SVM, Gaussian"})
    assert claims_section_7.section_7_real_data_gaussian(gaussian).value == pytest.approx(0.05)


def test_the_gap_of_widths_is_over_data_sets_and_splits_that_both_have_seen():
    rows = [
        ("a", 0, 0.0, "x", 0.3),
        ("a", 0, 0.0, "y", 0.1),
        ("a", 1, 0.0, "x", 0.9),
        ("a", 1, 0.0, "y", 0.5),
    ]
    rows += [("b", split, 0.0, *each) for split in (0, 1) for each in (("x", 0.4), ("y", 0.3))]
    curves = pd.DataFrame(rows, columns=["data", "split", "noise", "learner", "zero_one"])
    late = pd.DataFrame([("a", 0, 0.4, "x", 9.0), ("a", 0, 0.4, "y", 0.0)], columns=curves.columns)
    found = claims_section_7._excess(pd.concat([curves, late]), "x", "y")
    assert found[:4] == (pytest.approx(0.2), pytest.approx(0.05), 4, 1)
