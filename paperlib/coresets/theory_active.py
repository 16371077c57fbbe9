"""Statements of Sections 4 and 5 as plain functions, with the constants that proofs give.

The paper states them with O(.) or without proof. ``ratio`` is everywhere ``R / rho``: the largest norm of a
point over the optimal margin, at least 1.
"""

import math

from paperlib.coresets.theory import corollary_3_2


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
    return draws_per_hypothesis(error, delta, i * (i + 1))


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
    return sum((dimension + 1) ** j for j in range(n_outliers + 1))
