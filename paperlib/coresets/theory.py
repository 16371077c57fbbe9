"""The paper's statements as plain functions, with the constants that its O(.) leave out.

Those of Section 3 follow from one step. Let ``x`` be the nearest point of the coreset's hull to the origin,
``||x|| = rho``, and ``z`` a signed point that joins, of norm at most `R`, whose margin is ``alpha`` below
``rho``. The new hull holds the segment from ``x`` to ``z``, and the foot of the perpendicular on it has a
squared distance of ``rho^2 - (rho alpha)^2 / ||x - z||^2`` from the origin, where ``||x - z|| <= 2 R``. (When
the foot lies beyond ``z``, then ``||z||^2 <= rho^2 - rho alpha``, which is less still.) More points at a time
only help.

Those of Sections 4 and 5 the paper states with O(.) or without proof. Their ``ratio`` is ``R / rho``: the
largest norm of a point over the optimal margin, at least 1.
"""

import math
from typing import TypeVar

import numpy as np

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number, check_real

FloatOrFloats = TypeVar("FloatOrFloats", float, Floats)

_LONGEST = 1e100  # a ratio above it is none that doubles can square, and multiply
_SHORTEST = 1e-50  # an `eps` below it is none that doubles can square, and divide such a square by
_DIGITS = 1e6  # binary ones of a number of hyperplanes


def equation_1(margin: FloatOrFloats, violation: FloatOrFloats, radius: float) -> FloatOrFloats:
    """Largest margin that the coreset can have after a point joined, ``(1 - alpha^2 / (8 R^2)) rho``.

    `violation` is ``alpha = rho - rho(h, x)``, how far the margin of that point was below the coreset's;
    `radius` is ``R``, the largest norm of a point, and `margin` the coreset's before. The first two may be
    arrays.

    >>> equation_1(1.0, 1.0, 2.0)
    0.96875
    """
    radius = _check_radius(radius)
    margin = _check_each(margin, "margin", 0.0, _LONGEST)
    most = _LONGEST * min(1.0, radius)
    violation = _check_each(violation, "violation", -most, most)
    return (1.0 - violation**2 / (8.0 * radius**2)) * margin


def equation_1_sharp(margin: float, violation: float, radius: float) -> float:
    """Largest margin that the coreset can have, with nothing rounded up.

    It is ``rho sqrt(1 - alpha^2 / (R^2 - rho^2 + 2 rho alpha))``.

    ``||x - z||^2 = ||z||^2 - rho^2 + 2 rho alpha``; at most `equation_1`. When the foot may lie beyond ``z``
    the norm of ``z`` bounds the margin instead.

    >>> round(equation_1_sharp(1.0, 1.0, 2.0), 3)
    0.894
    """
    radius = _check_radius(radius)
    margin = check_number(margin, "margin", low=0, high=radius)
    violation = check_number(violation, "violation", low=0, high=_LONGEST)
    apart = radius**2 - margin**2 + 2.0 * margin * violation
    on_segment = margin**2 * (1.0 - violation**2 / apart) if violation > 0 else margin**2
    beyond = margin**2 - margin * violation
    return math.sqrt(max(on_segment, beyond, 0.0))


def lemma_3_1(radius: float, margin: float, eps: float) -> int:
    """Points that a coreset has at most when the worst violator joins: ``1 + 2 ceil(8 (R / rho*)^2 / eps)``.

    The paper states ``O((R / rho*)^2 / eps)``. With ``D = rho_i - rho*`` a step leaves at most
    ``D - rho* D^2 / (8 R^2)``, as the worst point is at least `D` below: so ``D <= eps rho*`` after ``8 R^2 /
    (eps rho*^2)`` of them. From there every step that is not the last has ``alpha > eps rho*`` and takes
    ``eps^2 rho*^3 / (8 R^2)`` from `D`, which lasts for as many again.

    >>> lemma_3_1(2.0, 1.0, 0.1)
    641
    """
    ratio = _ratio_of(radius, margin)
    _check_eps(eps)
    # A quotient that is whole but for rounding is not to become the next number.
    return 1 + 2 * math.ceil(8.0 * ratio**2 / eps * (1.0 - 1e-12))


def corollary_3_2(radius: float, margin: float, eps: float) -> int:
    """Points that a coreset has at most when any violator joins: ``1 + floor(4 ((R/rho*)^2 - 1) / eps^2)``.

    The paper states ``O((R / rho*)^2 / eps^2)``. As ``alpha >= eps rho_i``, each step adds at least ``eps^2 /
    4`` to ``(R / rho_i)^2``, which begins at 1 or above and never passes ``(R / rho*)^2``.

    >>> corollary_3_2(2.0, 1.0, 0.1), corollary_3_2(2.0, 1.0, 0.5)
    (1201, 49)
    """
    ratio = _ratio_of(radius, margin)
    _check_eps(eps)
    # A whole number is not to be rounded down to the one before: this is an upper bound.
    return 1 + math.floor(4.0 * max(0.0, ratio**2 - 1.0) / eps**2 * (1.0 + 1e-12))


def draws_per_hypothesis(error: float, delta: float, n_hypotheses: int = 1) -> int:
    """Number of draws that find a mistake of each of several hypotheses of error above `error`.

    A hypothesis that errs on more than a fraction `error` gets through T draws with probability below
    ``(1 - error)^T``. With ``T = ln(n_hypotheses / delta) / -ln(1 - error)`` not one of them does, with
    probability at least ``1 - delta``.

    Parameters
    ----------
    error, delta : float in (0, 1)
    n_hypotheses : int, >= 1

    Returns
    -------
    int

    Examples
    --------
    >>> draws_per_hypothesis(0.05, 0.05), draws_per_hypothesis(0.05, 0.05, 100)
    (59, 149)
    """
    _check_share(error, "error")
    _check_share(delta, "delta")
    check_number(n_hypotheses, "n_hypotheses", low=1, integer=True)
    return math.ceil(math.log(n_hypotheses / delta) / -math.log1p(-error))


def draws_of_round(i: int, error: float, delta: float) -> int:
    """Number of draws of the i-th verification, when nobody knows how many there will be.

    Round i may fail with probability ``delta / (i (i + 1))``; over all rounds that sums to `delta`.

    Parameters
    ----------
    i : int, >= 1
    error, delta : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> [draws_of_round(i, 0.05, 0.05) for i in (1, 2, 3, 50)]
    [72, 94, 107, 212]
    """
    i = check_number(i, "i", low=1, integer=True)
    return draws_per_hypothesis(error, delta, i * (i + 1))


def draws_from_pool(i: int, n_unknown: int, n_wrong: int, n: int, error: float, delta: float) -> int:
    """Number of draws of the i-th verification, from the points of a pool whose labels are not known.

    As `draws_of_round`, but exact for a finite pool. A hyperplane that is wrong on more than ``error n``
    points, of which `n_wrong` are known (none, unless answers are left out), makes ``K = floor(error n) + 1 -
    n_wrong`` mistakes or more among the `n_unknown` others. Of m draws without replacement none is a mistake
    with probability ``prod_{t < m} (1 - K / (n_unknown - t))`` at most, whatever was asked before, since the
    draws are made after the hyperplane. The least m is returned with which that is at most ``delta / (i (i +
    1))``. With ``n_wrong = 0`` it never exceeds `draws_of_round`, as ``K / n_unknown > error``, unless
    ``error n < 1``: where no further mistake is allowed all labels are wanted, and nothing is left to chance.

    Parameters
    ----------
    i : int, >= 1
    n_unknown, n_wrong : int, >= 0
        Together at most `n`.
    n : int, >= 1
        Points in the pool.
    error, delta : float in (0, 1)

    Returns
    -------
    int
        Zero where so few labels are unknown that they may all be mistakes.

    Examples
    --------
    >>> [draws_from_pool(1, n - 50, 0, n, 0.05, 0.05) for n in (100, 200, 1000, 100_000)]
    [22, 42, 65, 72]
    >>> draws_from_pool(1, 50, 0, 60, 0.01, 0.05), draws_from_pool(1, 3, 0, 60, 0.05, 0.05)
    (50, 0)
    """
    i = check_number(i, "i", low=1, integer=True)
    n = check_number(n, "n", low=1, integer=True)
    n_unknown = check_number(n_unknown, "n_unknown", low=0, high=n, integer=True)
    n_wrong = check_number(n_wrong, "n_wrong", low=0, high=n - n_unknown, integer=True)
    _check_share(error, "error")
    _check_share(delta, "delta")
    mistakes = math.floor(error * n * (1.0 + 1e-12)) + 1 - n_wrong
    if mistakes <= 1:
        return n_unknown
    if mistakes > n_unknown:
        return 0
    # Each draw takes one of those that are right; when these run out, the next one is a mistake for sure.
    wanted = math.log(delta / (i * (i + 1)))
    # No factor is above the first, so that this many draws do, and no more are summed.
    enough = 2.0 + wanted / math.log1p(-mistakes / n_unknown) if mistakes < n_unknown else 0.0
    missed = np.cumsum(
        np.log1p(-mistakes / np.arange(n_unknown, max(mistakes, n_unknown - math.ceil(enough)), -1.0))
    )
    return 1 + int(np.searchsorted(-missed, -wanted * (1.0 - 1e-12)))


def lemma_4_1(n_mistakes: int, error: float, delta: float) -> int:
    """Number of labels that turn a conservative learner's mistake bound into a PAC bound.

    At most ``M + 1`` hypotheses, ``ln((M + 1) / delta) / error`` draws each: ``(M + 1)/error *
    (ln(M + 1) + ln(1/delta))``. Read with ``ln(1/delta)`` outside the product, ``M/error ln M +
    ln(1/delta)``, the lemma would be false: for M = 1 the number would not depend on `error`.

    Parameters
    ----------
    n_mistakes : int
        The mistake bound M, >= 0.
    error, delta : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> lemma_4_1(1, 0.01, 0.1)
    598
    """
    n_mistakes = check_number(n_mistakes, "n_mistakes", low=0, integer=True)
    return (n_mistakes + 1) * draws_per_hypothesis(error, delta, n_mistakes + 1)


def lemma_4_2(ratio: float, eps: float, error: float, delta: float) -> int:
    """Greatest number of labels that `ActiveCoresetSVC` asks for.

    With ``c = corollary_3_2(ratio, 1, eps)`` points in the coreset at most, every verification but the last
    ends with one more: ``c + sum_{i <= c} draws_of_round(i)`` labels at most, where the sum of logarithms is
    ``ln c! + ln (c + 1)! - c ln delta`` and each draw is rounded up by at most one.

    Parameters
    ----------
    ratio : float
        ``R / rho``, >= 1.
    eps, error, delta : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> lemma_4_2(1.0, 0.1, 0.05, 0.05)
    73
    """
    ratio = _check_ratio(ratio)
    _check_share(error, "error")
    _check_share(delta, "delta")
    size = corollary_3_2(ratio, 1.0, eps)
    logarithms = math.lgamma(size + 1) + math.lgamma(size + 2) - size * math.log(delta)
    return 2 * size + math.floor(logarithms / -math.log1p(-error) * (1.0 + 1e-12))


def lemma_5_2_size(ratio: float, eps: float) -> int:
    """Number c of points, of which some c or fewer have a hyperplane of margin (1 - eps) rho on all.

    The coreset of Lemma 3.1, adding the worst point each time: ``8 ratio^2 / eps`` points until the margin of
    the coreset is within ``1 + eps`` of the optimum, and as many until the algorithm stops. The paper's
    figure has the constant 32, where 16 is enough.

    Parameters
    ----------
    ratio : float
        ``R / rho``, >= 1.
    eps : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> lemma_5_2_size(1.0, 0.5)
    33
    """
    ratio = _check_ratio(ratio)
    _check_eps(eps)
    steps = 8.0 * ratio**2 / eps
    return 1 + math.ceil(steps) + math.floor(steps)


def lemma_5_2_ratio(size: int, eps: float) -> float:
    """Largest ``R / rho`` that `size` points are enough for: the inverse of `lemma_5_2_size`.

    Parameters
    ----------
    size : int
    eps : float in (0, 1)

    Returns
    -------
    float
        Zero when they are enough for none.

    Examples
    --------
    >>> round(lemma_5_2_ratio(34, 0.5), 3)
    1.0
    """
    size = check_number(size, "size", low=0, integer=True)
    _check_share(eps, "eps")
    return math.sqrt(max(0.0, (size - 2) * eps / 16.0))


def branching_nodes(n_outliers: int, dimension: int) -> int:
    """Greatest number of hyperplanes that the search over supports looks at: ``sum_j (d + 1)^j, j <= k``.

    Parameters
    ----------
    n_outliers, dimension : int

    Returns
    -------
    int

    Examples
    --------
    >>> branching_nodes(3, 2)
    40
    """
    n_outliers = check_number(n_outliers, "n_outliers", low=0, integer=True)
    dimension = check_number(dimension, "dimension", low=1, integer=True)
    if n_outliers * math.log2(dimension + 1) > _DIGITS:
        raise ValueError(
            f"n_outliers and dimension must give a number of {_DIGITS:g} binary digits at most, got "
            f"{n_outliers} and {dimension}"
        )
    return ((dimension + 1) ** (n_outliers + 1) - 1) // dimension


def _check_share(value, name):
    check_number(value, name, low=0, high=1, open_low=True, open_high=True)


def _check_eps(eps):
    _check_share(eps, "eps")
    check_number(eps, "eps", low=_SHORTEST)


def _check_each(values, name, low, high):
    """Return a float, or an array of them, if every entry is from `low` to `high`."""
    array = check_real(values, name).astype(np.float64)
    if not ((array >= low) & (array <= high)).all():
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {values!r}")
    return array if array.ndim else float(array)


def _check_radius(radius):
    return check_number(radius, "radius", low=1.0 / _LONGEST, high=_LONGEST)


def _check_ratio(ratio):
    return check_number(ratio, "ratio", low=1, high=_LONGEST)


def _ratio_of(radius, margin):
    """Return ``radius / margin``, if both are finite and above zero."""
    radius = check_number(radius, "radius", low=0, open_low=True)
    margin = check_number(margin, "margin", low=0, open_low=True)
    if radius > _LONGEST * margin:
        raise ValueError(f"radius must be at most {_LONGEST:g} times margin, got {radius!r} and {margin!r}")
    return radius / margin
