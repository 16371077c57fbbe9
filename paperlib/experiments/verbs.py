"""What the measures of claims are written with: each verb takes columns of tables and gives a `Measured`.

A column is a list, an array or a column of a DataFrame, of one dimension; its order and its index do not
matter but where two columns go together row by row. An empty one is no case: its value 0 stands for nothing,
and the claim is inconclusive. A value that is missing is an error.
"""

import math
from collections.abc import Callable, Sequence
from numbers import Real
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib.experiments.statistics import error_of_std, mean_and_stderr

_DIGITS_OF_SLOPE = 12  # after the point: what a fit of logarithms leaves of a double


class Measured(NamedTuple):
    """What was measured for a claim.

    Numbers are added to and subtracted from the value; multiplied and divided by one, its error and its
    resolution are, too.

    Attributes
    ----------
    value : float or int
    stderr : float or None
        Standard error of the value.
    cases : int or None
        How many were tried; with 0 the claim is inconclusive.
    dof : float or None
        Degrees of freedom of the standard error.
    resolution : float or None
        What the value is recorded in multiples of.

    Examples
    --------
    >>> rate = Measured(0.04, 0.01, cases=400)
    >>> (rate - 0.5).value, (2 * rate).stderr, (1 - rate).value
    (-0.46, 0.02, 0.96)
    """

    value: float
    stderr: float | None = None
    cases: int | None = None
    dof: float | None = None
    resolution: float | None = None

    def __add__(self, number: float) -> "Measured":  # type: ignore[override]
        return self._replace(value=self.value + _number(number))

    def __radd__(self, number: float) -> "Measured":
        return self + number

    def __sub__(self, number: float) -> "Measured":
        return self._replace(value=self.value - _number(number))

    def __rsub__(self, number: float) -> "Measured":
        return self * -1 + number

    def __mul__(self, number: float) -> "Measured":  # type: ignore[override]
        return self._scaled(lambda each: each * _number(number))

    def __rmul__(self, number: float) -> "Measured":  # type: ignore[override]
        return self * number

    def __truediv__(self, number: float) -> "Measured":
        return self._scaled(lambda each: each / _number(number))

    def _scaled(self, scaled: Callable[[float], float]) -> "Measured":
        stderr, resolution = (
            None if each is None else abs(scaled(each)) for each in (self.stderr, self.resolution)
        )
        return self._replace(value=scaled(self.value), stderr=stderr, resolution=resolution)


# numpy's numbers leave the arithmetic to the class; mypy knows no such attribute of a named tuple.
Measured.__array_ufunc__ = None  # type: ignore[attr-defined]


def largest(values: ArrayLike, resolution: float | None = None) -> Measured:
    """Return the largest of all cases.

    Parameters
    ----------
    values : array-like of numbers, shape (n,)
    resolution : float > 0, optional
        What the value is recorded in multiples of, as `Recorder.measure` says.

    Raises
    ------
    ValueError
        If a value is missing, or if `values` is not of one dimension.

    Examples
    --------
    >>> largest([0.25, 0.5])
    Measured(value=0.5, stderr=None, cases=2, dof=None, resolution=None)
    >>> largest([]).cases
    0
    """
    return _extreme(values, np.max, resolution)


def least(values: ArrayLike, resolution: float | None = None) -> Measured:
    """Return the smallest of all cases, as `largest` does.

    >>> least([0.25, 0.5]).value
    0.25
    """
    return _extreme(values, np.min, resolution)


def count(failed: ArrayLike) -> Measured:
    """Return how many are true, of how many cases.

    Raises
    ------
    ValueError
        If a value is neither true nor false (or 1 nor 0).

    Examples
    --------
    >>> count([True, False, True])
    Measured(value=2, stderr=None, cases=3, dof=None, resolution=None)
    """
    truths = _truths(failed, "failed")
    return Measured(int(truths.sum()), cases=len(truths))


def mean(values: ArrayLike, by: ArrayLike | Sequence[object] | None = None) -> Measured:
    """Return the mean of independent values with its standard error.

    Parameters
    ----------
    values : array-like of numbers, shape (n,)
        A single one has no standard error.
    by : array-like of labels, shape (n,), optional
        Strata: the mean is that of the strata's means, each of them with the error of its own values.

    Returns
    -------
    Measured
        With ``n - 1`` degrees of freedom; over strata with Satterthwaite's, which are fewer where the error
        of one outweighs the others.

    Raises
    ------
    ValueError
        If a value or label is missing, the lengths differ, or a stratum has a single value, whose error
        nobody knows.

    Examples
    --------
    >>> mean([1.0, 3.0])
    Measured(value=2.0, stderr=1.0, cases=2, dof=1, resolution=None)
    >>> mean([1.0, 3.0, 10.0, 10.0, 10.0], by=["a", "a", "b", "b", "b"])
    Measured(value=6.0, stderr=0.5, cases=5, dof=1.0, resolution=None)
    """
    column = _finite(values, "values")
    n = len(column)
    if n == 0:
        return Measured(0.0, cases=0)
    if by is None:
        value, stderr = mean_and_stderr(column)
        return Measured(value, stderr, n, n - 1 if n > 1 else None)
    strata = _strata(column, by).values()
    # All strata have the same weight, whatever their sizes; errors that are independent add in squares.
    means, errors = zip(*map(mean_and_stderr, strata))
    sizes = [len(stratum) for stratum in strata]
    k = len(means)
    return Measured(math.fsum(means) / k, math.hypot(*errors) / k, n, _satterthwaite(errors, sizes))


def deviation(values: ArrayLike) -> Measured:
    """Return the standard deviation of independent values, its standard error from their fourth moment.

    Parameters
    ----------
    values : array-like of numbers, shape (n,), n >= 2

    Returns
    -------
    Measured

    Raises
    ------
    ValueError
        If a value is missing.

    Examples
    --------
    >>> deviation([0.0, 2.0, 4.0, 4.0, 0.0]).cases
    5
    """
    numbers = _finite(values, "values")
    stderr = error_of_std(numbers) / math.sqrt(len(numbers))
    return Measured(float(numbers.std(ddof=1)), stderr, len(numbers))


def share(happened: ArrayLike, by: ArrayLike | Sequence[object] | None = None) -> Measured:
    """Return the share of cases that are true, as `mean` does.

    >>> share([True, False]).value
    0.5
    """
    return mean(_truths(happened, "happened"), by)


def difference(a: ArrayLike, b: ArrayLike, by: ArrayLike | Sequence[object] | None = None) -> Measured:
    """Return the mean of ``a - b``, row by row, as `mean` does.

    >>> difference([3.0, 5.0], [1.0, 1.0])
    Measured(value=3.0, stderr=1.0, cases=2, dof=1, resolution=None)
    """
    one, other = _finite(a, "a"), _finite(b, "b")
    _same_length(one, other, "a", "b")
    return mean(one - other, by)


def exponent(x: ArrayLike, y: ArrayLike) -> Measured:
    """Return the power of `x` that `y` grows with: the slope of its logarithm against that of `x`.

    Parameters
    ----------
    x, y : array-like of numbers > 0, shape (n,)

    Returns
    -------
    Measured
        The cases are the different values of `x`; with fewer than two there is none.

    Examples
    --------
    >>> exponent([1, 2, 4], [3, 12, 48]).value, exponent([2], [3]).cases
    (2.0, 0)
    """
    of, power = _finite(x, "x"), _finite(y, "y")
    _same_length(of, power, "x", "y")
    for name, values in (("x", of), ("y", power)):
        if (values <= 0).any():
            raise ValueError(f"{name} must be > 0, got {values.min():g}: it has no logarithm")
    different = len(np.unique(of))
    if different < 2:
        return Measured(0.0, cases=0)
    along = np.log(of)
    # The slope by least squares: centred logarithms sum to zero, so those of `y` need no centring.
    along -= along.mean()
    slope = float(along @ np.log(power) / (along @ along))
    return Measured(round(slope, _DIGITS_OF_SLOPE), cases=different)


def worst_share(happened: ArrayLike, by: ArrayLike | Sequence[object]) -> Measured:
    """Return the share of the stratum where it is largest, with its own standard error and cases.

    Parameters
    ----------
    happened : array-like of bool, shape (n,)
    by : array-like of labels, shape (n,)
        Strata; among equal ones the first counts.

    Raises
    ------
    ValueError
        As `mean` does.

    Examples
    --------
    >>> worst_share([True, True, False, False], by=["a", "a", "b", "b"])
    Measured(value=1.0, stderr=0.0, cases=2, dof=None, resolution=None)
    """
    truths = _truths(happened, "happened")
    if len(truths) == 0:
        return Measured(0.0, cases=0)
    return max((mean(each) for each in _strata(truths, by).values()), key=itemgetter(0))._replace(dof=None)


def _satterthwaite(errors: Sequence[float], sizes: Sequence[int]) -> float:
    """Return the degrees of freedom of a sum whose terms have these standard errors, from so many values."""
    squares = [error**2 for error in errors]
    # A factor that all errors have in common, as that of a mean of k terms, cancels. Without any error there
    # is nothing to weigh by: the degrees of freedom are those of all values together.
    of_each = math.fsum(square**2 / (size - 1) for square, size in zip(squares, sizes))
    return math.fsum(squares) ** 2 / of_each if of_each else float(sum(sizes) - len(sizes))


def _extreme(values: ArrayLike, of: Callable[[Floats], np.float64], resolution: float | None) -> Measured:
    if resolution is not None and not resolution > 0:
        raise ValueError(f"resolution must be > 0, got {resolution!r}")
    cases = _column(values, "values")
    return Measured(float(of(cases)) if cases.size else 0.0, cases=len(cases), resolution=resolution)


def _strata(values: Floats, by: ArrayLike | Sequence[object]) -> dict[object, Floats]:
    """Return the values of each stratum, two or more, in the order in which the strata appear."""
    codes, labels = pd.factorize(pd.Series(by, dtype=object))
    _same_length(values, codes, "values", "by")
    if (codes < 0).any():
        raise ValueError(f"by must have a label for each value, got none at {int(np.argmin(codes))}")
    strata = {label: values[codes == i] for i, label in enumerate(labels)}
    for label, stratum in strata.items():
        if len(stratum) == 1:
            raise ValueError(
                f"stratum {label!r} has a single value, whose standard error nobody knows: it takes two"
            )
    return strata


def _column(values: ArrayLike, name: str) -> Floats:
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {_shown(values)}") from None
    if column.ndim != 1:
        raise ValueError(f"{name} must be of one dimension, got {column.ndim}")
    if (missing := np.isnan(column)).any():
        raise ValueError(f"{name} must not be missing, got NaN at {int(np.argmax(missing))}")
    return column


def _finite(values: ArrayLike, name: str) -> Floats:
    column = _column(values, name)
    if not (finite := np.isfinite(column)).all():
        raise ValueError(f"{name} must be finite, got {column[~finite][0]} at {int(np.argmin(finite))}")
    return column


def _truths(values: ArrayLike, name: str) -> Floats:
    column = _column(values, name)
    if (neither := (column != 0) & (column != 1)).any():
        raise ValueError(f"{name} must be true or false, got {column[neither][0]:g}")
    return column


def _same_length(a: Floats, b: np.ndarray, its_name: str, other_name: str) -> None:
    if len(a) != len(b):
        raise ValueError(f"{its_name} and {other_name} must be of one length, got {len(a)} and {len(b)}")


def _number(number: float) -> float:
    if not isinstance(number, Real):
        raise TypeError(f"what was measured is shifted and scaled by numbers, got {_shown(number)}")
    if not math.isfinite(number):
        raise ValueError(f"what was measured is shifted and scaled by finite numbers, got {number}")
    return number


def _shown(value: object) -> str:
    return " ".join(repr(value).split())[:60]
