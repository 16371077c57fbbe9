"""Each statement fails where it should, and sees what is wrong with the algorithm."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d import samples, section_3, section_3_error, sections_1_and_2
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample
from paperlib.experiments.boosting2d.statements import CHECKS, SLIPS, by_slip, in_words, statements

# The x-axis has all three points on it.
ON_THE_LINE = (np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([True, False, True]), np.ones(3))
# The line through the first point that misclassifies the second one alone has its right side negative.
OPENED_BELOW = (np.array([[0.0, 0.0], [2.0, 1.0], [1.0, -3.0]]), np.array([True, True, False]), np.ones(3))


# The only line through two points has the negative one on it.
MIXED = (np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([True, False]), np.ones(2))


@pytest.mark.parametrize(
    "sample, check",
    [
        (samples.LONELY, sections_1_and_2.lemma_2_5),
        (samples.COINCIDING, sections_1_and_2.lemma_2_5),
        (samples.LONELY, sections_1_and_2.optimal),
        (samples.LONELY, sections_1_and_2.fattest),
        (ON_THE_LINE, sections_1_and_2.both_separable),
        (OPENED_BELOW, section_3.opening_angles),
        (samples.UNLABELLED, section_3.lemma_3_9),
        (samples.LONELY, section_3.marking),
        (MIXED, sections_1_and_2.through_pairs),
        (samples.WEIGHTED, section_3.error_of_members),
        (samples.FIVE, section_3.manifest),
        (samples.FIVE, section_3_error.counters),
    ],
)
def test_a_counterexample_fails_the_printed_statement_and_holds_the_corrected_one(sample, check):
    sample, rng = Sample(*sample), np.random.default_rng(0)
    assert not all(check(sample, rng))
    assert all(check(sample, rng, corrected=True))


def test_the_lonely_point_is_given_up():
    sample = Sample(*samples.LONELY)
    assert sample.sets.tolist() == [[True, False, False, False, False]]
    assert sample.shares[0] == 1.0
    # Without it one class is alone, and what is said of fat lines says nothing.
    assert sample.leave_both_classes(0).tolist() == [False]
    assert sample.leave_both_classes(1).tolist() == [False, True, True]
    assert list(section_3.lemma_3_5(sample, None)) == []
    # But Lemma 3.2 has it always misclassified, and the marking leaves it unmarked.
    assert not next(section_3.marking(sample, None))
    assert next(section_3.marking(sample, None, corrected=True))


def sums(n_samples, seed):
    found = statements(n_samples, seed=seed)
    return found, found.groupby(["statement", "form"], sort=False)[["cases", "failures"]].sum()


def test_nothing_fails_that_should_hold():
    found, table = sums(25, 3)
    assert list(dict.fromkeys(found.statement)) == list(CHECKS) and (table.cases > 0).all()
    corrected = table.xs("corrected", level="form")
    printed = table.xs("printed", level="form")
    assert (corrected.failures == 0).all()
    assert (printed.failures > 0).reindex(corrected.index).all()
    assert (printed.failures.drop(corrected.index) == 0).all()


def test_failures_are_told_by_the_points_of_the_smaller_class():
    found, table = sums(12, 0)
    of_slips = by_slip(found)
    corrected = table.xs("corrected", level="form").index
    assert sorted(of_slips.index.get_level_values("statement")) == sorted(corrected)
    assert sorted(each for statements in SLIPS.values() for each in statements) == sorted(corrected)
    lonely = of_slips.xs("theorem-2.3.optimal", level="statement")["one point"].item().split(" of ")
    assert int(lonely[0]) > 0  # the counterexample
    words = in_words(found)
    assert words.loc["lemma-2.2", ("corrected", "cases")] == ""
    assert words.loc["lemma-2.5", ("printed", "failures")] == table.loc[("lemma-2.5", "printed"), "failures"]


SABOTAGE = [
    (
        "optimal_separator",
        sections_1_and_2,
        ["section-1.likelihood", "theorem-2.3.optimal", "theorem-2.13.fattest"],
    ),
    ("fat_sweep", sections_1_and_2, ["lemma-2.14.fattest", "theorem-2.13.fattest"]),
    ("sweep", sections_1_and_2, ["lemma-2.6"]),
    ("mark", section_3, ["section-3.angles"]),
    ("fat_side", section_3_error, ["section-3.counters"]),
    ("n_line_classes", sections_1_and_2, ["lemma-2.7"]),
    ("leave_one_out", sections_1_and_2, ["corollary-3.3", "corollary-3.3.bound", "theorem-3.1.exact"]),
]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name, module, claims", SABOTAGE, ids=[name for name, *_ in SABOTAGE])
def test_a_check_sees_what_is_wrong(monkeypatch, name, module, claims):
    right = getattr(module, name)

    def wrong(X, *args, **kwargs):
        if name == "n_line_classes":
            return right(X) - 3  # two of the lemma's classes are there twice
        found = right(X, *args, **kwargs)
        if name in ("sweep", "mark"):
            return found[0] + 1, *found[1:]
        if name == "fat_sweep":
            return found[0]._replace(known=1.5 * found[0].known), found[1]
        if name == "fat_side":
            return -found
        if name == "leave_one_out":
            return found._replace(error=-1.0, contribution=found.contribution + 0.5)
        return found._replace(normal=-found.normal, offset=-found.offset)

    monkeypatch.setattr(module, name, wrong)
    failures = sums(10, 0)[1].failures.unstack("form")
    should_hold = failures.corrected.fillna(failures.printed)
    assert (should_hold[claims] > 0).all()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: statements(0, seed=0), "n_samples must be an integer >= 1, got 0"),
        (lambda: statements(1, largest=13, seed=0), "largest must be .* got 13"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
