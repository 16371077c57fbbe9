"""Shared input validation: valid input passes, and the error says what was wrong."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from paperlib._common.validation import (
    check_binary_labels,
    check_binary_signs,
    check_choice,
    check_number,
    check_sample_weight,
    check_vector,
)


@pytest.mark.parametrize("value", [1, 0.5, np.float32(0.5), np.float64(2), np.int64(3), Fraction(1, 2)])
def test_a_number_comes_back_as_a_float(value):
    checked = check_number(value, "gamma", low=0, open_low=True)
    assert type(checked) is float
    assert checked == value


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_an_integer_comes_back_as_an_int(value):
    assert type(check_number(value, "m", low=1, integer=True)) is int


@pytest.mark.parametrize(
    "value",
    [
        *(None, "1", 1j, [1], np.ones(1), Decimal(1), pd.NA),
        *(True, np.bool_(False)),
        *(np.nan, -np.inf, np.float32("inf"), pytest.param(10**400, id="10**400")),
    ],
)
def test_what_is_no_finite_number_is_shown(value):
    with pytest.raises(ValueError, match="gamma must be a finite number, got ") as caught:
        check_number(value, "gamma")
    assert str(caught.value).endswith(repr(value))


@pytest.mark.parametrize("value", [1.0, np.float64(2), "1", None, True, Fraction(1, 2)])
def test_what_is_no_integer_is_shown(value):
    with pytest.raises(ValueError, match="m must be an integer >= 1, got "):
        check_number(value, "m", low=1, integer=True)


@pytest.mark.parametrize(
    "limits, inside, outside, words",
    [
        ({"low": 0}, [0, 1e300], [-1e-300], ">= 0"),
        ({"low": 0, "open_low": True}, [5e-324], [0, -0.0], "> 0"),
        ({"high": 1}, [1, -5], [1.0000001], "<= 1"),
        ({"low": 0, "high": 0.5, "open_high": True}, [0, 0.499], [0.5, 0.6], ">= 0 and < 0.5"),
        ({"low": 0, "high": 1, "open_low": True, "open_high": True}, [0.5], [0, 1], "> 0 and < 1"),
    ],
)
def test_limits_hold_and_are_told(limits, inside, outside, words):
    for value in inside:
        assert check_number(value, "delta", **limits) == value
    for value in outside:
        with pytest.raises(ValueError) as caught:
            check_number(value, "delta", **limits)
        assert str(caught.value) == f"delta must be a finite number {words}, got {value!r}"


def test_a_choice_is_one_of_them():
    assert check_choice("b", "method", ("a", "b")) == "b"
    for value in ("c", None, 0, ["a"], ""):
        with pytest.raises(ValueError) as caught:
            check_choice(value, "method", ("a", "b"))
        assert str(caught.value) == f"method must be one of 'a', 'b', got {value!r}"


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2], dtype=np.uint8),
        [True, False],
        pd.Series([1.0, 2.0], index=[5, 6]),
    ],
)
def test_a_vector_comes_back_as_floats(values):
    checked = check_vector(values, "weights", 2)
    assert checked.dtype == np.float64
    assert checked.tolist() == [float(value) for value in values]


@pytest.mark.parametrize(
    "values, words",
    [
        ([1.0, 2.0, 3.0], r"weights must have shape \(2,\), one entry per row of X, got \(3,\)"),
        ([[1.0, 2.0]], r"weights must have shape \(2,\), one entry per row of X, got \(1, 2\)"),
        (1.0, r"weights must have shape \(2,\), one entry per row of X, got \(\)"),
        ([1.0, np.nan], "weights must be finite, got nan among its entries"),
        ([1.0, -np.inf], "weights must be finite, got -inf among its entries"),
        (["a", "b"], "weights must be real numbers, got dtype <U1"),
        ([1.0, None], "weights must be real numbers, got dtype object"),
        ([1.0, 1j], "weights must be real numbers, got dtype complex128"),
    ],
)
def test_another_vector_is_refused_with_the_reason(values, words):
    with pytest.raises(ValueError, match=words):
        check_vector(values, "weights", 2)


def test_a_vector_is_not_the_callers_array():
    values = np.ones(2)
    check_vector(values, "weights", 2)[:] = 7
    assert values.tolist() == [1.0, 1.0]


def test_sample_weights_are_ones_unless_given():
    assert check_sample_weight(None, 3).tolist() == [1.0, 1.0, 1.0]
    assert check_sample_weight([0, 2], 2).tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    "weights, words",
    [
        ([1.0, -0.5], "sample_weight must be >= 0, got -0.5 among its entries"),
        ([0.0, 0.0], "sample_weight must not be all zero, and have a finite sum, got the sum 0.0"),
        ([1e308, 1e308], "sample_weight must not be all zero, and have a finite sum, got the sum inf"),
        ([1.0, np.nan], "sample_weight must be finite"),
        ([1.0], r"sample_weight must have shape \(2,\)"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_weights_that_weigh_nothing_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        check_sample_weight(weights, 2)


@pytest.mark.parametrize(
    "y, classes",
    [
        ([3, 1, 3], [1, 3]),
        ([0.0, -1.0, 0.0], [-1.0, 0.0]),
        ([True, False, True], [False, True]),
        (["b", "a", "b"], ["a", "b"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
    ],
)
def test_the_larger_of_two_labels_is_positive(y, classes):
    found, signs = check_binary_labels(y, np.ones(3))
    assert found.tolist() == classes
    assert signs.tolist() == [1.0, -1.0, 1.0]


@pytest.mark.parametrize(
    "y, weights, words",
    [
        ([1, 1, 1], [1, 1, 1], "y must have two classes of positive weight, got one class only: 1$"),
        (["a", "a", "b"], [1, 1, 0], "got one class only: 'a'$"),
        ([0, 1, 2], [1, 1, 1], "multiclass: y must have two classes, got 3"),
        ([0, 1, 2], [1, 1, 0], "y must have two classes, got 3"),
        ([0.5, 1.5, 0.5], [1, 1, 1], "Unknown label type: continuous"),
    ],
)
def test_other_than_two_classes_are_refused(y, weights, words):
    with pytest.raises(ValueError, match=words):
        check_binary_labels(y, np.array(weights, dtype=float))


def test_signs_are_minus_one_and_plus_one():
    assert check_binary_signs([1, -1]).tolist() == [1.0, -1.0]
    assert check_binary_signs([1, 1]).tolist() == [1.0, 1.0]
    for y, shown in (([0, 1], "0"), ([1.0, np.nan], "nan"), ([2, -1], "2"), ([True, False], "False")):
        with pytest.raises(ValueError) as caught:
            check_binary_signs(y)
        assert str(caught.value) == f"y must hold the labels -1 and +1 only, got {shown} too"
