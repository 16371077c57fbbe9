"""Verbs: known answers, what they refuse, and how often their intervals hold the truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from paperlib.experiments import verbs
from paperlib.experiments.verbs import Measured

NONE = Measured(0.0, cases=0)


def test_extremes_are_those_of_all_cases():
    values = pd.Series([0.25, -3.0, 0.5], index=[7, 7, 7])
    assert verbs.largest(values) == Measured(0.5, cases=3)
    assert verbs.least(values, resolution=1e-9) == Measured(-3.0, cases=3, resolution=1e-9)
    assert verbs.least([np.inf, 1]) == Measured(1.0, cases=2)  # a bound of nothing


def test_a_count_is_whole_and_says_of_how_many():
    counted = verbs.count(pd.Series([True, False, True]))
    assert counted == Measured(2, cases=3)
    assert isinstance(counted.value, int)
    assert verbs.count([0, 1, 1.0]) == Measured(2, cases=3)


def test_a_mean_has_the_error_of_its_values():
    values = np.arange(100.0)
    found = verbs.mean(values)
    assert found == pytest.approx((49.5, values.std(ddof=1) / 10, 100, 99, None))
    assert verbs.mean([2.0]) == Measured(2.0, None, 1, None)
    assert verbs.mean([3, 3, 3]) == Measured(3.0, 0.0, 3, 2)


def test_strata_count_alike_however_many_values_they_have():
    frame = pd.DataFrame({"stratum": [*"aabbbccccc"], "value": [1, 3, 5, 6, 10, 0, 1, 2, 3, 9]})
    groups = frame.groupby("stratum").value.agg(["mean", "sem"])
    squares = groups["sem"] ** 2
    dof = squares.sum() ** 2 / (squares**2 / np.array([1, 2, 4])).sum()  # Satterthwaite's
    expected = groups["mean"].mean(), np.sqrt(squares.sum()) / 3, 10, dof, None
    assert verbs.mean(frame.value, frame.stratum) == pytest.approx(expected)
    mixed = frame.sample(frac=1, random_state=0)  # with an index that is not in order
    assert verbs.mean(mixed.value, mixed.stratum) == pytest.approx(expected)
    one = verbs.mean(frame.value, np.zeros(10))
    assert one == pytest.approx(verbs.mean(frame.value))


def test_degrees_of_freedom_are_those_of_the_strata_whose_error_counts():
    few, many = [0.0, 10.0], [0.0, 1e-9] * 50
    by = np.repeat(["few", "many"], [2, 100])
    assert verbs.mean([*few, *many], by).dof == pytest.approx(1)
    assert verbs.mean([*few, 10.0, 0.0], [*"aabb"]).dof == pytest.approx(2)  # alike: n - k
    assert verbs.mean([1, 1, 5, 5, 5], [*"aabbb"]) == Measured(3.0, 0.0, 5, 3)  # no error at all: n - k


def test_a_share_is_a_mean_of_truths():
    happened, by = [True, True, False, True, False, False, False], [1, 1, 1, 2, 2, 2, 2]
    assert verbs.share(happened) == verbs.mean(np.array(happened, float))
    assert verbs.share(happened, by) == verbs.mean(np.array(happened, float), by)


def test_a_difference_is_row_by_row():
    a, b = pd.Series([3.0, 5.0, 9.0]), pd.Series([1.0, 1.0, 1.0], index=[2, 1, 0])
    assert verbs.difference(a, b) == verbs.mean([2.0, 4.0, 8.0])
    by = ["x", "x", "x"]
    assert verbs.difference(a, b, by) == verbs.mean([2.0, 4.0, 8.0], by)


def test_an_exponent_is_the_fitted_power():
    assert verbs.exponent([1, 2, 4, 4], [3, 12, 48, 48]) == Measured(2.0, cases=3)
    assert verbs.exponent([2, 2], [3, 4]) == NONE


def test_the_worst_stratum_has_its_own_error_and_cases():
    happened = [True, False, False, True, True, False, True, True, False]
    by = ["few", "few", "few", "many", "many", "many", "same", "same", "same"]
    expected = verbs.mean([1, 1, 0])
    assert verbs.worst_share(happened, by) == expected._replace(dof=None)
    rare = [True, False, False, False, False]
    assert verbs.worst_share(rare, [*"aabbb"]) == Measured(0.5, 0.5, 2)


NOTHING = [
    verbs.largest,
    verbs.least,
    verbs.count,
    verbs.mean,
    verbs.share,
    lambda none: verbs.mean(none, none),
    lambda none: verbs.difference(none, none),
    lambda none: verbs.exponent(none, none),
    lambda none: verbs.worst_share(none, none),
]


@pytest.mark.parametrize("verb", NOTHING)
@pytest.mark.parametrize("none", [[], pd.Series([], dtype=object), pd.DataFrame({"a": []}).a])
def test_nothing_is_no_case(verb, none):
    assert verb(none) == NONE


@pytest.mark.parametrize("verb", NOTHING)
@pytest.mark.parametrize("missing", [np.nan, None])
def test_a_missing_value_is_an_error(verb, missing):
    with pytest.raises(ValueError, match="must not be missing, got NaN at 1"):
        verb([1.0, missing])


def test_a_missing_label_is_an_error():
    for verb in (verbs.mean, verbs.share, verbs.worst_share):
        with pytest.raises(ValueError, match="by must have a label for each value, got none at 1"):
            verb([1, 0, 1], ["a", None, "a"])


def test_lengths_that_differ_are_an_error():
    for verb in (verbs.difference, verbs.exponent):
        with pytest.raises(ValueError, match="must be of one length, got 2 and 3"):
            verb([1, 2], [1, 2, 3])
    for verb in (verbs.mean, verbs.share, verbs.worst_share):
        with pytest.raises(ValueError, match="values and by must be of one length, got 2 and 3"):
            verb([1, 0], ["a", "a", "a"])


def test_a_stratum_of_a_single_value_is_an_error():
    for verb in (verbs.mean, verbs.share, verbs.worst_share):
        with pytest.raises(ValueError, match="stratum 'b' has a single value"):
            verb([1, 0, 1], ["a", "a", "b"])


@pytest.mark.parametrize(
    "verb, values, message",
    [
        (verbs.mean, [1.0, np.inf], "values must be finite, got inf at 1"),
        (verbs.exponent, [1.0, -np.inf], "x must be finite, got -inf at 1"),
        (verbs.largest, [[1.0], [2.0]], "values must be of one dimension, got 2"),
        (verbs.largest, 1.0, "values must be of one dimension, got 0"),
        (verbs.mean, ["a", "b"], r"values must be numbers, got \['a', 'b'\]"),
        (verbs.count, [0, 2], "failed must be true or false, got 2"),
        (verbs.share, [0.5, 1], "happened must be true or false, got 0.5"),
        (verbs.exponent, [1.0, 0.0], "x must be > 0, got 0"),
    ],
)
def test_what_makes_no_sense_is_an_error(verb, values, message):
    arguments = [values, values] if verb is verbs.exponent else [values]
    with pytest.raises(ValueError, match=message):
        verb(*arguments)


@pytest.mark.parametrize("resolution", [0, -1e-9, np.nan])
def test_a_resolution_is_positive(resolution):
    with pytest.raises(ValueError, match="resolution must be > 0"):
        verbs.largest([1.0], resolution)


def test_numbers_shift_the_value_and_scale_its_error():
    measured = Measured(3.0, 0.5, 10, 9, 1e-3)
    assert measured + 1 == 1 + measured == Measured(4.0, 0.5, 10, 9, 1e-3)
    assert measured - np.float64(1) == Measured(2.0, 0.5, 10, 9, 1e-3)
    assert np.float64(1) - measured == Measured(-2.0, 0.5, 10, 9, 1e-3)
    assert -2 * measured == measured * np.int64(-2) == Measured(-6.0, 1.0, 10, 9, 2e-3)
    assert measured / 2 == Measured(1.5, 0.25, 10, 9, 5e-4)
    assert Measured(3) * 2 == Measured(6)


@pytest.mark.parametrize("other", [Measured(1.0), "1", None, (1.0,), np.ones(2)])
def test_what_was_measured_is_not_shifted_by_anything_else(other):
    measured = Measured(3.0, 0.5)
    for operation in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__"):
        with pytest.raises(TypeError, match="shifted and scaled by numbers, got "):
            getattr(measured, operation)(other)
    with pytest.raises(TypeError):
        measured + other  # and is no longer tuple than it was


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_was_measured_is_not_shifted_beyond_all_numbers(number):
    for operation in (Measured.__add__, Measured.__rsub__, Measured.__mul__, Measured.__truediv__):
        with pytest.raises(ValueError, match="shifted and scaled by finite numbers, got "):
            operation(Measured(3.0), number)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.floats(-100, 100), st.floats(-100, 100))
def test_scaling_the_values_scales_what_is_measured(values, factor, shift):
    values = np.array(values)
    direct, after = verbs.mean(factor * values + shift), factor * verbs.mean(values) + shift
    assert direct[:4] == pytest.approx(after[:4], rel=1e-6, abs=1e-6)


EXPERIMENTS = 2000
TAIL = norm.sf(2.0)  # on either side: at the verdicts' 4 standard errors nothing would be missed here
STRATA = {
    "alike": ([6, 6, 6], [1.0, 1.0, 1.0]),
    "of other sizes": ([5, 10, 20], [1.0, 1.0, 1.0]),
    "of other sizes and spreads": ([10, 20, 40], [1.0, 1.4, 2.0]),
    "the smallest the widest": ([5, 20, 60], [3.0, 1.0, 0.5]),
    "many small ones": ([3] * 12, [1.0] * 12),
}
# Four standard errors of a share of so many. In 200,000 experiments the rates of these strata are 0.037 to
# 0.051, so what Satterthwaite's approximation leaves is within it, and 0.107, with n - k, is not.
ALLOWANCE = 4 * np.sqrt(2 * TAIL * (1 - 2 * TAIL) / EXPERIMENTS)


def missed(found, truth, dof=lambda each: each.dof):
    """Return the share of experiments whose interval, which should hold all but two tails, has no truth."""
    return np.mean([abs(each.value - truth) > t.isf(TAIL, dof(each)) * each.stderr for each in found])


@pytest.mark.parametrize("n", [3, 5, 30])
def test_intervals_of_means_hold_the_truth_as_often_as_they_say(n):
    rng = np.random.default_rng(0)
    found = [verbs.mean(rng.normal(7.0, 3.0, n)) for _ in range(EXPERIMENTS)]
    assert abs(missed(found, 7.0) - 2 * TAIL) < ALLOWANCE


def over_strata(kind):
    sizes, spreads = STRATA[kind]
    centres = np.arange(len(sizes)) * 10.0
    by = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(1)
    found = [verbs.mean(rng.normal(centres[by], np.array(spreads)[by]), by) for _ in range(EXPERIMENTS)]
    return found, centres.mean()


@pytest.mark.drawn(1)
@pytest.mark.parametrize("kind", STRATA)
def test_intervals_over_strata_hold_the_truth_as_often_as_they_say(kind):
    found, truth = over_strata(kind)
    assert abs(missed(found, truth) - 2 * TAIL) < ALLOWANCE


def test_with_the_degrees_of_freedom_of_all_values_they_would_not():
    found, truth = over_strata("the smallest the widest")
    rate = missed(found, truth, lambda each: each.cases - 3)
    assert rate - 2 * TAIL > 2 * ALLOWANCE


def test_intervals_of_shares_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(2)
    found = [verbs.share(rng.random(400) < 0.3) for _ in range(EXPERIMENTS)]
    assert abs(missed(found, 0.3) - 2 * TAIL) < ALLOWANCE


def test_without_strata_the_error_would_be_that_of_other_numbers():
    rng = np.random.default_rng(3)
    by = np.repeat([0, 1], 50)
    stratified = [verbs.mean(rng.normal(100.0 * by), by) for _ in range(200)]
    spread = np.std([each.value for each in stratified])
    assert np.isclose(np.mean([each.stderr for each in stratified]), spread, rtol=0.2)
