"""Measures of the claims on the maximal loss, on small tables whose answers are known."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.max_loss import claims as claims_sections_3_and_4
from paperlib.experiments.max_loss import claims_section_2, claims_section_5, powers

claims = SimpleNamespace(**vars(claims_section_2) | vars(claims_sections_3_and_4) | vars(claims_section_5))


def table(columns, *rows):
    return pd.DataFrame(rows, columns=columns.split())


def test_powers_are_of_each_run_and_stratum():
    rows = [
        (run, alpha, eps, (1 + run) * alpha**-2 / eps)
        for run in range(3)
        for alpha in (0.1, 0.2)
        for eps in (0.01, 0.1)
    ]
    runs = table("run alpha eps rounds", *rows)
    assert powers.of_runs(runs, "alpha", ["eps"]).tolist() == pytest.approx([2.0] * 3)
    assert powers.of_runs(runs, "eps", ["alpha"]).tolist() == pytest.approx([1.0] * 3)
    runs["rounds"] *= np.log(1 / runs.eps)
    assert powers.of_runs(runs, "eps", ["alpha"], log=1).tolist() == pytest.approx([1.0] * 3)
    assert claims.lemma_2_eps(runs[:0]).cases == 0


def test_fol_beside_sgd_on_the_gap_is_of_the_same_samples():
    rows = [
        (learner, run, eps, eps, eps ** -(power + run / 10))
        for learner, power in (("FOL", 1.0), ("SGD, hinge", 2.0), ("Perceptron", 9.0))
        for run in range(2)
        for eps in (0.1, 0.01)
    ]
    runs = table("learner run alpha eps rounds", *rows)
    found = claims.section_3_1_gap(runs)
    assert found.value == pytest.approx(1.0) and found.cases == 2 and found.stderr < 1e-9


def test_only_the_three_smallest_alpha_count_for_lemma_3():
    rows = [(run, e, e, -math.log(e) / e) for run in (0, 1) for e in (0.001, 0.01, 0.1)] + [(0, 0.2, 0.2, 1)]
    found = claims.lemma_3(table("run alpha eps rounds", *rows))
    assert found.value == pytest.approx(1.0) and found.cases == 6


def test_games_of_fol_alone_count():
    games = table(
        "method eps drawn_iterates majority_errors",
        ("FOL", 0.1, 0.05, 0),
        ("FOL", 0.1, 0.2, 3),
        ("uniform", 0.1, 0.9, 9),
    )
    assert claims.theorem_1(games)[:3] == (0.5, 0.5, 2)
    assert claims.corollary_1(games).value == 0.5
    first = table(
        "method rounds granted", ("FOL", 5, 10), ("FOL", 9, 10), ("uniform", 20, 10), ("uniform", 3, 10)
    )
    assert claims.theorem_1_uniform(first).value == 0.5
    assert claims.theorem_1_constants(first).value == 0.9


def test_the_worst_tail_is_taken_with_its_own_error():
    tails = table(
        "martingale alpha trials reached bound", ("a", 0.1, 100, 10, 0.5), ("a", 0.2, 100, 20, 0.25)
    )
    game = table("martingale alpha trials reached bound", ("game", 0.1, 4, 0, 0.1))
    found = claims.lemma_4(tails, game)
    assert found.value == pytest.approx(0.8) and found.cases == 104
    assert found.stderr == pytest.approx(np.std([1] * 20 + [0] * 80, ddof=1) / 10 / 0.25)
    printed = pd.concat([tails, tails[:1].assign(martingale="not adapted", reached=50)])
    assert claims.lemma_4(printed, game).value == pytest.approx(1.0)
    assert claims.lemma_4_corrected(printed, game).value == found.value


def test_rounds_over_the_sum_of_m_and_c():
    columns = "sample method m mistake_bound rounds"
    runs = table(
        columns, ("a", "FOL", 100, 20, 60), ("a", "FOL", 100, 40, 200), ("a", "uniform", 100, 30, 1e9)
    )
    gap = table("learner m mistake_bound rounds", ("FOL", 10, 0, 10))
    crossing = table("spread m mistake_bound FOL", (0.1, 10, 90, 20), (0.1, 10, 90, 40))
    assert claims.example_2_rounds(runs, gap, crossing).value == pytest.approx(1 / math.log(10))
    gap["rounds"] = 1
    assert claims.example_2_rounds(runs, gap, crossing).value == pytest.approx(1 / math.log(100))
    crossing["FOL"] *= 10
    assert claims.example_2_rounds(runs, gap, crossing).value == pytest.approx(3 / math.log(10))


def test_the_power_of_the_sum_that_is_farther_from_one():
    rows = [
        (varied, learner, run, m, c, (m + c) ** power)
        for varied, power, pairs in (("m", 0.8, [(10, 5), (100, 5)]), ("C", 1.1, [(10, 5), (10, 500)]))
        for learner in ("AdaBoost", "FOL")
        for run in (0, 1)
        for m, c in pairs
    ]
    work = table("varied learner run m mistake_bound rounds", *rows)
    found = claims.section_2_4_adaboost(work)
    assert found.value == pytest.approx(0.8) and found.cases == 8
    assert claims.section_2_4_adaboost(work[:0]).cases == 0


def test_samples_on_the_side_that_has_fewer():
    rows = [
        (s, m, w)
        for s, f, o in (("a", 1, 2), ("b", 1, 2), ("c", 2, 1))
        for m, w in (("FOL", f), ("sublinear", o))
    ]
    assert claims.section_2_4_sublinear(table("sample method work", *rows))[:3] == (1.0, None, 3)


def test_geometric_means_of_margins():
    rows = [(10, 0.01, 4, 1, 1), (10, 0.01, 16, 1, 1), (10, 0.3, 2, 1, 1), (10, 0.3, 2, 1, 1)]
    runs = table("m margin uniform FOL mistake_bound", *rows)
    assert claims.example_2_uniform_gaussian(runs).value == pytest.approx(0.8)
    assert claims.example_2_uniform(runs.rename(columns={"margin": "spread"})).value == pytest.approx(0.2)
    assert claims.example_2_narrow(runs).value == pytest.approx(8.0)
    assert claims.example_2_narrow(runs).stderr == pytest.approx(8.0 * math.log(4) / 2)
    assert claims.example_2_wide(runs)[:2] == (pytest.approx(2.0), 0.0)
    assert claims.example_2_wide(runs[:2]).cases == 0


def test_lemma_1_takes_the_surest_rate_of_both():
    rows = [(0.1, 400, 40, 120, 80, 10, 1), (0.2, 400, 8, 160, 20, 10, 0), (0.9, 400, 200, 400, 400, 10, 0)]
    seen = table("eps trials missing missing_few missing_four learned wrong", *rows)
    found = claims.lemma_1_corrected(seen)
    assert found.value == pytest.approx(0.1) and found.cases == 800
    assert claims.lemma_1(seen).value == 0.5 and claims.lemma_1(seen).cases == 1200
    assert claims.lemma_1_points(seen).value == 1.0 and claims.lemma_1_points_corrected(seen).value == 0.2
    assert claims.lemma_3_size(seen).value == 0.1


def test_draws_of_sgd_over_the_examples_of_lemma_1():
    sizes = table("eps m", (0.1, 88), (0.5, 18))
    rows = (0.01, 0.01, 9000), (0.01, 0.01, 27000), (0.001, 0.001, 1e9), (0.1, 0.1, 1), (0.1, 0.01, 1)
    found = claims.section_3_1_samples(table("alpha eps rounds", *rows), sizes)
    assert found[:3] == (pytest.approx(20.0), None, 3)


def test_what_draws_tell_over_its_variance():
    told = table("square variance_printed variance", (1.0, 30.0, 2.0), (3.0, 50.0, 2.0))
    assert claims.appendix_a_variance(told)[:3] == (0.05, 1 / 40, 2)
    assert claims.appendix_a_variance_corrected(told).value == 1.0


def test_lemma_2_is_over_what_each_row_allows():
    rows = [(0.01, 0.5, 100, 10), (0.01, 0.1, 100, 5)]
    early = table("eps allowed runs solved", *rows)
    assert claims.lemma_2_probability(early).value == pytest.approx(10.0)
    assert claims.lemma_2_probability_corrected(early).value == pytest.approx(0.5)


def test_hypotheses_between_eps_and_c():
    errors = table("typical rare", (0.0, 0.1), (0.0, 0.2), (0.0, 0.25), (0.5, 0.2))
    terms = table("eps c delta size", (0.1, 0.25, 0.05, 40))
    assert claims.theorem_2_maximum(errors, terms)[:3] == (2, None, 3)
    assert claims.theorem_2_maximum_corrected(errors, terms).value == 1
    drawn = table("m failed average_rare_error", (40, True, 0.3), (40, False, 0.2), (80, True, 0.2))
    assert claims.theorem_2(drawn, terms).value == 0.5
    assert claims.section_3_2_average(drawn, terms).value == pytest.approx(0.1)


def test_bad_sub_samples_over_the_bound():
    rows = [(10, 1000, 1, 100, 5, 80, 0.1), (20, 100, 1, 100, 50, 100, 2.0)]
    found = table("n m outliers trials bad bad_as_printed bound", *rows)
    assert claims.theorem_3(found).value == pytest.approx(8.0)
    assert claims.theorem_3_corrected(found).value == pytest.approx(0.5)
    assert claims.theorem_3_example(found)[:3:2] == (pytest.approx(0.8), 100)
    assert claims.theorem_3_example_corrected(found).value == pytest.approx(0.05)


def test_the_best_remedy_is_held_against_uniform_sampling():
    errors = {
        "FOL, slack l1, average": 0.02,
        "FOL, slack l2, average": 0.1,
        "uniform, average": 0.01,
        "FOL, majority": 0.4,
        "uniform, majority": 0.03,
        "FOL, average": 0.38,
    }
    runs = table("run method test_error", *((run, *each) for run in (0, 1) for each in errors.items()))
    assert claims.section_4_uniform(runs).value == pytest.approx(-0.01)
    assert claims.section_4_outliers(runs)[:3] == (pytest.approx(0.37), 0.0, 2)
    assert claims.section_4_single_fol(runs).value == pytest.approx(0.37)
    assert claims.section_4_single(table("loss trivial", (1.0, True), (0.0, False))).value == 0.5


def test_a_thousand_of_all_are_held_against_all():
    rows = [
        (run, n, 9000, average, last)
        for run in (0, 1)
        for n, average, last in ((200, 9, 9), (1000, 0.1, 0.2), (9000, 0.4, 0.7))
    ]
    runs = table("run n m average_error last_error", *rows)
    assert claims.section_4_1(runs).value == pytest.approx(0.3)
    assert claims.section_4_1_last(runs).value == pytest.approx(0.5)


def test_rare_examples_over_the_bound_and_over_typical_ones():
    rows = (
        [("rare", 500, n, True) for n in range(1, 21)]
        + [("rare", 0, 150, False)]
        + [("typical", 0, 4, True)] * 3
    )
    needed, terms = table("kind typical needed enough", *rows), table("vc eps delta", (8, 0.05, 0.05))
    assert claims.section_3_2_few(needed, terms).value == pytest.approx(20 / 160)
    assert claims.section_3_2_hope(needed, terms).value == pytest.approx(5.0)
    assert claims.section_3_2_alone(needed)[:3] == (0, None, 1)
    never = needed.assign(enough=needed.kind == "typical")
    assert math.isinf(claims.section_3_2_few(never, terms).value)


def test_a_half_of_uniform_draws_beside_the_best_share():
    rows = [
        (eps, share, factor * share / eps)
        for eps, factor in ((0.1, 1), (0.01, 2))
        for share in (0.25, 0.5, 0.9)
    ]
    assert claims.section_2_half(table("eps share rounds", *rows))[:3] == (pytest.approx(2.0), None, 6)


def test_majorities_of_the_most_rounds_of_fol():
    rows = [("FOL", 2, 9), ("FOL", 10, 0), ("FOL", 10, 1), ("uniform", 10, 5)]
    assert claims.example_2_majority(table("method factor majority_errors", *rows)).value == 0.5


ENDS = table(
    "task run method epochs test_end at_fol train_end reached useful uniform over_vote over_drawn "
    "start_errors",
    *(
        (task, run, method, epochs + run, at / 10, at, 0.01, run == 0, useful, 0.5 * run, 0.5, 4.0, 7)
        for task in ("faces", "8 against the rest", "8, without ℓ2")
        for run in (0, 1)
        for method, epochs, at, useful in (
            ("FOL", 10, 0.1, 2.0),
            ("SGD", 30, 0.3, np.nan),
            ("AdaBoost", 8, 0.2, np.nan),
        )
    ),
)


def test_epochs_are_compared_by_the_share_of_their_sum():
    found = claims.experiment_1_faster(ENDS)
    assert found.value == pytest.approx((20 / 40 + 20 / 42) / 2) and found.cases == 2
    assert claims.experiment_2_adaboost_digits(ENDS).value == pytest.approx((2 / 18 + 2 / 20) / 2)
    more = ENDS.assign(train_end=ENDS.train_end.where(ENDS.task != "8, without ℓ2", 0.002))
    assert claims.experiment_1_l2(more).value == pytest.approx(0.008)
    assert claims.experiment_1_ratio(ENDS).value == pytest.approx((3 + 31 / 11) / 2)
    slower = ENDS.assign(epochs=ENDS.epochs.where((ENDS.task == "faces") | (ENDS.method == "FOL"), 60))
    assert claims.experiment_1_ratio_no_l2(slower).value == pytest.approx((6 + 60 / 11) / 2)
    assert claims.experiment_1_test_then(ENDS).value == pytest.approx(0.2)


def test_rivals_of_the_hard_svm():
    found = table("sample strength rivals better", (0, 0.5, 7, 0), (1, 0.9, 8, 2), (1, 2.0, 8, 5))
    assert claims.section_1_hard_svm(found)[:3] == (2.0, None, 15)


def test_crops_of_all_sizes_by_the_papers_rule():
    rows = [
        (width, 100, run, rule, method, epochs, error)
        for width, run, rule, more in (
            (0.1, 0, "as in the paper", 0),
            (0.1, 1, "as in the paper", 4),
            (0.1, 0, "other", 50),
        )
        for method, epochs, error in (("FOL", 6 + more, 0.01), ("SGD", 18, 0.02), ("AdaBoost", 10, 0.0))
    ]
    ends = table("width n run rule method epochs test_end", *rows)
    assert claims.experiment_1_fol_epochs(ends).value == 10
    assert claims.experiment_2_adaboost_crops(ends).value == pytest.approx(-0.125)
    assert claims.experiment_1_test_crops(ends)[:3:2] == (pytest.approx(0.01), 2)


def test_informative_examples_at_either_error():
    useful = table("error rounds informative", (0.004, 4, 984.0), (0.0013, 12, 323.0))
    assert claims.experiment_1_informative_examples(useful).value == 323.0
    assert claims.experiment_1_informative_examples_corrected(useful).value == 984.0


def test_what_is_left_at_the_end():
    fallen = ENDS.assign(fall_early=0.5 + ENDS.run, fall_late=0.25)
    assert claims.experiment_1_improving(fallen)[:3] == (0.25, 0.0, 2)
    assert claims.experiment_1_plateau(fallen).value == 0.75
    assert claims.experiment_1_train_error(ENDS).value == pytest.approx(0.005)  # of the run that did not end
    assert claims.experiment_1_test_digits(ENDS).value == pytest.approx(0.02)
    assert claims.experiment_1_test_no_l2(ENDS).value == pytest.approx(-0.02)
    assert claims.experiment_2_slower(ENDS).value == 4.25


def test_a_vote_may_be_quicker_or_slower():
    assert claims.section_5_last(ENDS).value == 2.0 and claims.section_5_last_drawn(ENDS).value == 4.0


def test_the_map_of_rules():
    rows = [
        (alpha, 0.01, rule, run, method, epochs)
        for alpha, sgd in ((0.1, 10), (0.5, 300))
        for rule, slower in (("as in the paper", 1), ("rate 1", 0.1))
        for run in (0, 1)
        for method, epochs in (("FOL", 10), ("SGD", sgd * slower))
    ]
    found = table("alpha eps rule run method epochs", *rows)
    assert claims.rule_map(found)[:3] == (pytest.approx(9.0), None, 8)
    assert claims.rule_spread(found)[:3] == (pytest.approx(30.0), None, 4)


def test_useful_draws_where_uniform_ones_show_none():
    assert claims.experiment_1_informative(ENDS).value == 2.0
    assert claims.experiment_1_informative_more(ENDS).value == pytest.approx((1.0 + 4.0) / 2)
    assert claims.experiment_1_same_weights(ENDS)[:3] == (0.0, None, 6)


def test_rare_digits_are_the_means_of_two_looks():
    columns = "share run method epoch confused typical_error rare_train_errors n_rare rare_error missed"
    rows = [
        (share, run, method, epoch, base + epoch / 1000 + share, base, 1, 4, share * base, -base)
        for share in (0.01, 0.05)
        for run in (0, 1)
        for method, base in (("FOL", 0.1), ("SGD", 0.2), ("hard examples", 0.05))
        for epoch in (8, 16, 64)
    ]
    runs = table(columns, *rows)
    assert claims.rare_digits_fewest(runs).value == pytest.approx(0.001)
    assert claims.rare_digits_rarer(runs).value == pytest.approx(0.005)
    assert claims.rare_digits_rare(runs[runs.share == 0.05]).value == pytest.approx(0.005)
    assert claims.rare_digits_missed(runs).value == pytest.approx(-0.1)
    assert claims.rare_digits_share(runs).value == pytest.approx(-0.04)
    assert claims.rare_digits_typical(runs).value == pytest.approx(0.1)
    assert claims.rare_digits_learned(runs).value == 0.25
    assert claims.rare_digits_mining(runs).value == pytest.approx(0.05)


def test_epochs_on_crops_by_size():
    rows = [
        (width, n, run, rule, method, epochs * (1 + run))
        for width, n, sgd in ((0.1, 100, 30), (0.1, 200, 50), (0.2, 100, 20), (0.2, 200, 50), (0.3, 200, 90))
        for run in (0, 1)
        for rule, times in (("as in the paper", 1), ("without ℓ2", 9))
        for method, epochs in (("FOL", 10), ("SGD", sgd * times), ("AdaBoost", 7))
    ]
    ends = table("width n run rule method epochs", *rows)
    shares = 20 / 40 + 40 / 60 + 10 / 30 + 40 / 60 + 80 / 100
    assert claims.experiment_1_crops(ends)[::2] == (pytest.approx(shares / 5), 10, None)
    assert claims.experiment_1_crops_more(ends)[:3] == (pytest.approx(2.0), None, 10)


def test_races_at_the_papers_size():
    rows = [
        (seed, rule, method, epoch, int(epoch < last))
        for seed in (0, 1)
        for rule in ("as in the paper", "without ℓ2")
        for method, last, stop in (("FOL", 10 + seed, 15), ("SGD", 999, 100))
        for epoch in range(1, stop + 1)
    ]
    found = table("seed rule method epoch train_errors", *rows)
    assert claims.experiment_1_papers_size(found)[:3] == (pytest.approx(100 / 11), None, 2)
