"""Measures of the claims of Sections 4 to 6, on small tables whose answer is known."""

import pandas as pd
import pytest

from paperlib.experiments.coresets import claims
from paperlib.experiments.verbs import Measured


def table(columns, *rows):
    return pd.DataFrame(rows, columns=columns.split())


def test_the_least_decrease_counts():
    falls = table("case label multiple", (0, -1, 5.0), (0, 1, 4.5), (1, -1, 90.0))
    assert claims.section_4_2_either_label(falls) == Measured(4.5, cases=3)


def test_random_labels_less_those_asked_for_are_a_case_a_run():
    rows = []
    # Two fractions a run. Gaps of the runs: 0.1 and 0.3 in one pool, 0.4 and 0.4 in the other.
    for name, repeat, gaps in (
        ("a", 0, (0.0, 0.2)),
        ("a", 1, (0.3, 0.3)),
        ("b", 0, (0.4, 0.4)),
        ("b", 1, (0.8, 0.0)),
    ):
        for fraction, gap in zip((0.5, 1.0), gaps):
            rows += [(name, repeat, "active", fraction, 0.1), (name, repeat, "passive", fraction, 0.1 + gap)]
    found = claims.section_4_fewer_labels(table("pool repeat learner fraction error", *rows))
    assert found == pytest.approx(Measured(0.3, 0.05, 4, 1, None))
    # The order of the rows does not matter, and learners that are swapped are seen.
    swapped = table("pool repeat learner fraction error", *rows[::-1])
    swapped["learner"] = swapped.learner.map({"active": "passive", "passive": "active"})
    assert claims.section_4_fewer_labels(swapped).value == pytest.approx(-0.3)


def test_labels_that_leave_more_than_three_quarters():
    spaces = table(
        "sample pool label left",
        ("slab", 0, 2, 0.5),
        ("slab", 0, 3, 0.8),
        ("slab", 1, 2, 0.75),
        ("slab", 1, 3, 0.25),
        ("hidden", 2, 1, 0.5),
        ("hidden", 2, 2, 0.99),
    )
    assert claims.section_4_3_halving(spaces) == Measured(0.99, cases=6)
    assert claims.section_4_3_halving_in_practice(spaces) == pytest.approx(Measured(0.5, 0.5, 2, 1, None))


def test_centres_of_balls_by_the_lengths_of_points():
    centres = table(
        "pool lengths angle", (0, "one", 0.0), (0, "uneven", 0.2), (1, "one", 1e-9), (1, "uneven", 0.1)
    )
    assert claims.section_4_3_centre(centres)[:3] == (1e-9, None, 2)
    assert claims.section_4_3_footnote(centres) == Measured(0.1, cases=2)


def test_the_most_that_is_wrong_before_verification():
    assert claims.section_4_1_unverified(table("error", (0.0,), (0.4,))) == Measured(0.4, cases=2)


def test_the_failure_rate_of_the_worst_mistake_bound():
    columns = "mistakes labels runs failures rate error delta"
    learners = table(columns, (1, 47, 5, 1, 0.2, 0.05, 0.1), (2, 120, 5, 4, 0.8, 0.05, 0.1))
    found = claims.lemma_4_1(learners)
    assert found == pytest.approx(Measured(0.7, (0.8 * 0.2 / 4) ** 0.5, 5, None, None))


def test_the_failure_rate_of_the_worst_pool():
    columns = "pool failed error near too_few delta"
    calm, failing = ("a", False, 0.01, 0.01, False, 0.1), ("b", True, 0.2, 0.2, True, 0.1)
    trials = table(columns, calm, calm, failing, ("b", False, 0.01, 0.02, False, 0.1))
    assert claims.lemma_4_2_error(trials) == pytest.approx(Measured(0.4, 0.5, 2, None, None))
    assert claims.section_4_1_stream(trials) == claims.lemma_4_2_error(trials)
    assert claims.section_4_2_approximation_corrected(trials[:2], trials) == claims.lemma_4_2_error(trials)
    # A stream is not the pool of the same name, and only points on the right side are short of a margin.
    calm, short = trials[:2], trials.assign(near=0.3)
    assert claims.section_4_2_approximation(calm, calm).value == -0.1
    assert claims.section_4_2_approximation(trials, calm) == pytest.approx(Measured(0.4, 0.5, 2, None, None))
    assert claims.section_4_2_approximation(calm, short[:2])[:3] == (0.9, 0.0, 2)


def test_labels_and_reads_beside_what_is_allowed():
    counts = table(
        "kind n size labels reads solved labels_bound reads_bound",
        ("pool", 100, 2, 30, 250, 2, 40, 80),
        ("stream", 200, 2, 20, 60, 3, 80, 160),
        ("pool", 100, 5, 300, 400, 5, 100, 200),  # as many labels may be asked for as there are
    )
    assert claims.lemma_4_2_queries(counts) == Measured(0.75, cases=2)
    assert claims.lemma_4_2_time(counts) == Measured(3.125, cases=6)  # of a pool, read again and again
    assert claims.lemma_4_2_time_corrected(counts) == Measured(1.5, cases=6)  # of the runs
    sizes = table("sample ratio eps size bound", ("staircase", 2.0, 0.2, 53, 53), ("star", 2.0, 0.2, 12, 53))
    assert claims.lemma_4_2_size(sizes) == Measured(1.0, cases=2)


def test_needles_in_the_plane_and_lifted():
    needles = table(
        "part lifted n needle separated",
        ("a", False, 4, 0, False),
        ("a", False, 4, 1, True),
        ("a", True, 4, 0, True),
        ("b", True, 4, 0, False),
        ("b", True, 4, 1, True),
    )
    assert claims.figure_3_separable(needles) == Measured(1, cases=2)
    assert claims.figure_3_separable_corrected(needles) == Measured(1, cases=3)


def test_only_learners_that_stopped_before_the_last_label_can_be_wrong():
    nightmare = table(
        "part n learner asked wrong",
        ("a", 8, "active", 3, 5),
        ("a", 8, "active", 8, 0),
        ("b", 8, "random", 7, 0),
    )
    assert claims.section_4_3_a(nightmare) == Measured(0, cases=1)
    assert claims.section_4_3_b(nightmare) == Measured(1, cases=1)
    assert claims.section_4_3_b(nightmare[:2]) == Measured(0, cases=0)


def test_figure_4():
    trials = table("halted missed missed_rest", (True, 0.2, 12.0), (False, 10.0, 10.0), (True, 0.0, 0.0))
    assert claims.lemma_5_2(trials) == Measured(12.0, cases=3)
    assert claims.lemma_5_2_corrected(trials) == Measured(10.0, cases=3)
    assert claims.figure_4_rule(trials) == Measured(1, cases=3)
    assert claims.figure_4_rule(trials[:0]) == Measured(0, cases=0)


def test_searches_for_outliers():
    trials = table(
        "method missed told short",
        ("exhaustive", 0.1, 0.0, -1.0),
        ("doubling", 0.3, 2e-9, 0.0),
        ("branch", 0.5, 0.0, 0.0),
        ("auto", 0.7, 0.0, 0.0),
    )
    assert claims.section_5_subsets(trials) == Measured(0.3, cases=2)
    assert claims.section_5_branch(trials) == Measured(0.5, cases=1)
    assert claims.section_5_auto(trials) == Measured(0.7, cases=1)
    assert claims.section_5_told(trials) == Measured(2e-9, cases=4, resolution=1e-9)
    bounds = table("n k achieved short", (12, 2, 1.0, -0.1), (12, 2, 1.0, 0.25))
    assert claims.section_5_bound(trials, bounds) == Measured(0.25, cases=6, resolution=1e-9)


def test_searches_that_end():
    ruled = table("halted reached", (True, True), (False, True), (True, False), (False, False))
    assert claims.section_5_rule(ruled) == Measured(3, cases=4)
    ended = table("trial exhaustive doubling", (0, True, True), (1, True, False), (2, False, False))
    assert claims.section_5_halts(ended) == Measured(2, cases=3)


def test_planted_outliers_are_counted_one_by_one():
    planted = table("sample planted missed", (0, 4, 0), (1, 4, 2))
    assert claims.section_5_outliers(planted) == pytest.approx(Measured(0.25, 0.25, 8, 1, None))


def test_many_outputs():
    missed = table("missed", (0.5,), (0.75,))
    assert claims.abstract_multiclass(missed) == claims.section_6_struct(missed) == Measured(0.75, cases=2)
