"""Measures of the claims on boosting a pair, on small tables whose answers are known."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.boosting2d import claims as claims_sections_1_and_2
from paperlib.experiments.boosting2d import claims_practice, claims_section_3, claims_work

claims = SimpleNamespace(
    **vars(claims_section_3) | vars(claims_work) | vars(claims_practice) | vars(claims_sections_1_and_2)
)


def table(columns, *rows):
    return pd.DataFrame(rows, columns=columns.split())


def test_failures_are_those_of_the_statement_in_its_form():
    found = table(
        "statement form samples smaller cases failures",
        ("lemma-2.5", "printed", "small", 0, 10, 4),
        ("lemma-2.5", "printed", "small", 1, 20, 3),
        ("lemma-2.5", "corrected", "small", 1, 15, 0),
        ("lemma-2.2", "printed", "small", 1, 9, 1),
    )
    assert claims.lemma_2_5(found)[:3] == (7, None, 30)
    assert claims.lemma_2_5_corrected(found)[:3] == (0, None, 15)
    assert claims.lemma_2_2(found)[:3] == (1, None, 9)
    assert claims.lemma_3_4(found).cases == 0


def test_every_statement_is_measured_from_its_own_rows():
    from paperlib.experiments.boosting2d.statements import CHECKS

    for k, statement in enumerate(CHECKS, start=1):
        name = statement.replace("-", "_").replace(".", "_")
        rows = [(each, "printed", 100, k if each == statement else 0) for each in CHECKS]
        assert getattr(claims, name)(table("statement form cases failures", *rows)).value == k


def test_pictures_are_told_apart_by_their_noise():
    drawn = table("noise first second line", (0.0, 0, 0, 1), (0.0, 0, 0, 0), (0.2, 5, 3, 2), (0.2, 2, 9, 1))
    assert claims.introduction_a(drawn)[:3] == (1.0, None, 2)
    assert claims.introduction_b(drawn).value == 1.0 and claims.introduction_b(drawn).cases == 2


def pairs():
    rows = []
    for task, line, better in (("a", 0.1, 0.2), ("b", 0.3, 0.6)):
        for split in (0, 1, 2):
            for weak, more in (("tree", 0.0), ("logistic", 0.1)):
                for name, error in (
                    ("first", 0.7),
                    ("better of the two", better + more * split),
                    ("optimal line", line),
                ):
                    rows.append((task, weak, split, name, 20, 10, error, error))
    return table("task weak split combiner n_train n_test training test", *rows)


def test_pairs_are_of_the_same_split_and_tasks_count_alike():
    assert claims.section_1_training(pairs())[:3] == (0, None, 12)
    lower = pairs()
    lower.loc[lower.index[0], "training"] = 0.05
    assert claims.section_1_training(lower).value == 1
    found = claims.section_1_stronger(pairs())
    # Differences of a: 0.1 + 0.05 split, of b 0.3 + 0.05 split; both kinds of classifiers are one case.
    assert found[:3] == (pytest.approx(0.25), pytest.approx(0.05 * np.sqrt(1 / 3 + 1 / 2) / np.sqrt(2)), 6)


def test_bias_is_of_three_points_and_of_many():
    bias = table(
        "n leave_one_out one_left_out true resulting",
        (3, 0.5, 0, 0.4, 0.2),
        (3, 0.3, 0, 0.4, 0.2),
        (40, 0.1, 0, 9, 9),
        (40, 0.3, 1, 9, 9),
    )
    assert claims.section_1_unbiased(bias).value == pytest.approx(0.2)
    assert claims.section_1_unbiased_corrected(bias).value == pytest.approx(0.0)
    assert claims.section_1_variance(bias).value == pytest.approx(0.5**2 - 0.1**2)


def test_the_largest_samples_count():
    grown = table("n true bayes", (10, 0.9, 0.1), (99, 0.2, 0.1), (99, 0.4, 0.1))
    assert claims.section_1_consistent(grown).value == pytest.approx(0.2)


def test_objects_that_still_meet_are_failures():
    overlaps = table("given_up least meet", (3, 3, False), (4, 3, False), (3, 3, True))
    assert claims.section_1_intersection(overlaps)[:3] == (2, None, 3)


def test_figure_2():
    sets = table("given_up weight margin chosen", ("crosses", 3.0, 1.0, False), ("discs", 2.0, 2.0, True))
    assert claims.figure_2_weights(sets).value == -1.0
    assert claims.figure_2_margins(sets).value == 1
    assert claims.figure_2_chosen(sets).value == 1
    assert claims.figure_2_chosen(sets.assign(chosen=~sets.chosen)).value == 0


def test_lines_and_lists_are_cases():
    divided = table("wrong_line wrong_list", (True, False), (True, True))
    assert claims.theorem_2_3_divided(divided)[:3] == (3, None, 4)
    orders = table("points misplaced", (10, 1), (20, 2))
    assert claims.figure_1_order(orders)[:3] == (3, None, 30)


def counted(**powers):
    """Work of exactly these powers of n and log n, on two samples; a method's ", " is written "__"."""
    rows = [
        (sample, method.replace("__", ", ").replace("_", " "), n, float(n) ** power * np.log2(n) ** log)
        for method, (power, log) in powers.items()
        for sample in (0, 1)
        for n in (64, 128, 256, 512)
    ]
    return table("sample method n work", *rows)


def test_powers_of_the_sweep_are_compared_where_they_are_largest():
    work = counted(pairs=(3, 0), sweep=(2, 0), sweep__few=(1.5, 0), sweep__far_clusters=(2, 1))
    one = counted(sweep__one_centre=(1, 0), sweep__one_centre__far_clusters=(1.2, 1))
    assert claims.lemma_2_6_growth(one).value == pytest.approx(1.2)
    assert claims.section_1_cubic(work).value == pytest.approx(3.0)
    assert claims.theorem_1_4_growth(work)[:3] == (pytest.approx(0.5), None, 1)  # both samples are alike
    assert claims.section_4_speed_up(work).value == pytest.approx(1.0)
    slow = counted(sweep=(2, 0), sweep__few=(1, 0), sweep__far_clusters=(3, 1))
    assert claims.theorem_1_4_growth(slow).value == pytest.approx(1.0)
    slow.loc[slow["sample"] == 1, "work"] *= slow.n**0.2
    assert claims.theorem_1_4_growth(slow)[:3] == (pytest.approx(1.1), pytest.approx(0.1), 2)


def test_powers_of_leave_one_out():
    marking = {"leave-one-out": (2, 1), "leave-one-out, heavy tails": (2.2, 1), "leave-one-out, few": (2, 1)}
    smaller = {"": (2, 2), ", circle": (2.1, 2), ", few": (1.1, 2), ", circle, few": (1, 2)}
    smaller = {f"smaller class{kind}": powers for kind, powers in smaller.items()}
    work = counted(**marking, **smaller, **{"leave-one-out, brute force": (3, 0)})
    sweeps = counted(sweep=(2, 0), sweep__few=(1, 0))
    assert claims.theorem_1_5_growth(work).value == pytest.approx(2.2)
    assert claims.theorem_3_1_time(work).value == pytest.approx(2.0)
    without_logarithm = counted(**{"smaller class": (2.2, 0), "smaller class, circle": (2, 0)})
    assert claims.section_1_complexity(without_logarithm, sweeps).value == pytest.approx(0.2)
    assert claims.section_1_complexity(work, sweeps).value > 0.15  # the logarithms
    assert claims.section_1_complexity_corrected(work, sweeps).value == pytest.approx(0.1)
    assert claims.theorem_3_1_time_corrected(work).value == pytest.approx(1.1)
    assert claims.theorem_1_5_counts(work).value == pytest.approx(2.1)
    assert claims.section_3_brute_force(work, sweeps).value == pytest.approx(1.0)
    fewer = work[work["sample"] == 1]
    assert claims.section_1_complexity(fewer, sweeps).cases == 1


def test_powers_of_margins_and_planes():
    margins = counted(fattest=(2, 0), fattest__few=(1.3, 0), one_centre=(1, 0))
    assert claims.theorem_2_13_growth(margins).value == pytest.approx(0.3)
    assert claims.theorem_2_13_runtime(margins).value == pytest.approx(2.0)
    assert claims.theorem_2_13_runtime_corrected(margins).value == pytest.approx(2.0)
    assert claims.lemma_2_14_growth(margins).value == pytest.approx(1.0)
    assert claims.theorem_4_1_growth(counted(planes=(3, 1), planes__few=(2.1, 1))).value == pytest.approx(0.1)


def test_subsets_of_a_power_do_not_rise():
    rows = [(sample, n, n**3) for sample in (0, 1) for n in (6, 8, 12, 18)]
    assert claims.section_1_exponential(table("sample n tried", *rows)).value == pytest.approx(0.0)
    rows = [(sample, n, 2.0 ** (n / 2)) for sample in (0, 1) for n in (6, 8, 12, 18)]
    assert claims.section_1_exponential(table("sample n tried", *rows)).value > 2


def test_planes_and_hyperplanes_fail_by_weight_margin_or_bound():
    planes = table("weight least is_fat", (1, 1, True), (2, 1, True), (1, 1, False))
    assert claims.theorem_4_1_optimal(planes)[:3] == (2, None, 3)
    tried = table("weight least lower_bound", (1, 1, 1), (2, 1, 1), (1, 1, 2))
    assert claims.hyperplane_optimal(tried)[:3] == (2, None, 3)
    training = pd.DataFrame({"d": [2, 4, 4], "logistic regression": [99, 12, 14], "optimum": [0, 10, 11]})
    assert claims.hyperplane_heuristics(training).value == 2.5


def test_costs_and_situations():
    combiners = (("optimal line", 0.5), ("stacking, weighted", 0.3))
    costs = [("a", split, combiner, 2, 1, cost) for split in (0, 1) for combiner, cost in combiners]
    found = claims.practice_costs(table("task split combiner n_train n_test test", *costs))
    assert found.value == pytest.approx(0.2)
    rows = [
        (situation, trial, combiner, error)
        for situation, gap in (
            ("heavy tails", 1),
            ("confident errors", 2),
            ("near clouds, few points", 3),
            ("shared heavy tails", 4),
        )
        for trial in (0, 1)
        for combiner, error in (
            ("stacking, weighted", 5 + gap),
            ("better of the two", 4 + gap),
            ("optimal line", 5),
        )
    ]
    situations = table("situation trial combiner test", *rows)
    assert claims.practice_heavy_tails(situations).value == 1
    assert claims.practice_confident(situations).value == 2
    assert claims.practice_few_points(situations).value == -3
    assert claims.practice_alone(situations).value == pytest.approx(0.5)
    assert claims.practice_shared(situations).value == 3
    assert claims.voice_optimum(table("errors", (19,)))[:3] == (19.0, None, None)


def test_contributions_and_counters():
    retrained = table("found retrained", (1.0, 1.0), (0.5, 0.75))
    assert claims.theorem_3_1_retraining(retrained)[:3] == (0.25, None, 2)
    printed = table("printed exact", (0.3, 0.2), (0.5, 0.3))
    assert claims.section_3_counters_cost(printed).value == pytest.approx(0.15)
