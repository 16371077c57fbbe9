"""The paper's bounds as plain functions, named after its statements: each returns the number that bounds.

Where a statement as printed fails, the function says so and how it holds.

===============  ==========================================================================================
statement        function
===============  ==========================================================================================
Theorem 5        `theorem_5`: distance of a sample's mean to the true one
Theorem 6        `theorem_6`: the same for several kernels at once; the choice itself is `select_kernel`
Section 4.1      `margin_for_error`: how far a classifier's scores may move before it errs
Corollary 8      `corollary_8`: how much contamination the mean bears
Lemma 9          `lemma_9`: Theorem 5 under label noise
Lemma 19         `lemma_19`: risk after noise that depends on the instance; needs a loss that is not negative
Theorem 20       `theorem_20`: how well any few points can do
Theorem 21       `theorem_21`: error of clustered sub-sampling
Lemma 22         `lemma_22`: error of a mean of approximations
Section 5.5      `section_5_5_1`, `section_5_5_3`; the rates of herding (5.5.2) have no stated constants
Corollary 23     `corollary_23`: sample, noise and sparsity together; the sparse mean has to be divided by
                 ``1 - 2 sigma``
===============  ==========================================================================================
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.validation import check_binary_signs, check_number, check_sample_weight
from paperlib.kernel_mean._sparsify.approximations import clustered_error
from paperlib.kernel_mean._validation.parameters import check_lengths, check_noise, check_scores


def _check_n(n: int) -> int:
    return check_number(n, "n", low=1, integer=True)


def _check_m(m):
    return check_number(m, "m", low=1, integer=True)


def _check_delta(delta: float) -> float:
    return check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)


def theorem_5(n: int, delta: float) -> float:
    """Distance of the sample mean to the true one, ``2/sqrt(n) + sqrt(2 log(1/delta) / n)``.

    Holds with probability at least ``1 - delta`` over `n` draws when ``||phi(x)|| <= 1``.

    >>> round(theorem_5(800, 0.05), 3)
    0.157
    """
    n, delta = _check_n(n), _check_delta(delta)
    return 2.0 / math.sqrt(n) + math.sqrt(2.0 * math.log(1.0 / delta) / n)


def theorem_6(n: int, k: int, delta: float) -> float:
    """Excess of the true linear risk over the sample's, at most, for the means of `k` kernels at once.

    ``2/sqrt(n) + sqrt(2 (log(1/delta) + log k) / n)``; all `k` bounds hold together with probability at least
    ``1 - delta``.

    >>> theorem_6(800, 1, 0.05) == theorem_5(800, 0.05)
    True
    """
    n, k, delta = _check_n(n), check_number(k, "k", low=1, integer=True), _check_delta(delta)
    return 2.0 / math.sqrt(n) + math.sqrt(2.0 * (math.log(1.0 / delta) + math.log(k)) / n)


def margin_for_error(y: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """``Gamma(P, f)``: the largest margin whose loss is the misclassification loss (Section 4.1).

    Parameters
    ----------
    y : array-like of shape (n,), of -1 and +1
    scores : array-like of shape (n,)
    weights : array-like of shape (n,), optional
        Probability of each example, up to a factor.

    Returns
    -------
    float
        The smallest positive ``y f(x)``; infinity where no example is right.

    Examples
    --------
    >>> margin_for_error([1, -1, 1], [0.5, -0.2, -3.0])
    0.2
    """
    signs, values = check_binary_signs(y), check_scores(scores)
    if values.shape != signs.shape:
        raise ValueError(f"scores must hold one for each of the {signs.size} labels, got {values.size}")
    margins = signs * values
    weights = check_sample_weight(weights, len(signs), "weights", "label of y")
    right = margins[(weights > 0) & (margins > 0)]
    return float(right.min()) if right.size else float("inf")


def corollary_8(margin_for_error: float, distance: float = 2.0) -> float:
    """Contamination below which the mean makes no new errors: ``Gamma / ||Phi(P) - Phi(Q)||``.

    Parameters
    ----------
    margin_for_error : float >= 0
        ``Gamma(P, Phi(P))``.
    distance : float in (0, 2], default=2.0
        ``||Phi(P) - Phi(Q)||``; 2 covers every Q.

    Returns
    -------
    float in [0, 1]

    Notes
    -----
    The paper concludes that the two risks are equal. Theorem 7 gives only that the contaminated one is not
    larger, and it may be smaller: an example that the mean has wrong by a hair may come right.

    Examples
    --------
    >>> corollary_8(0.5)
    0.25
    """
    margin = math.inf  # that of a classifier with nothing right
    if not (isinstance(margin_for_error, float) and margin_for_error == margin):
        margin = check_number(margin_for_error, "margin_for_error", low=0)
    distance = check_number(distance, "distance", low=0, high=2, open_low=True)
    return min(margin / distance, 1.0)


def lemma_9(n: int, delta: float, noise: float) -> float:
    """Theorem 5 under symmetric label noise: larger by ``1 / (1 - 2 noise)``, for noise in [0, 1/2).

    It bounds ``||Phi(P) - Phi(S) / (1 - 2 noise)||`` for a sample of noisy labels.

    >>> round(lemma_9(800, 0.05, 0.25) / theorem_5(800, 0.05), 3)
    2.0
    """
    return theorem_5(n, delta) / (1.0 - 2.0 * check_noise(noise))


def lemma_19(risk: float, max_noise: float) -> float:
    """Bound on the clean risk of the best classifier for noisy data, ``risk / (1 - 2 max_noise)``.

    Parameters
    ----------
    risk : float >= 0
        Least clean risk in the function class, for a robust loss that is not negative: the paper does not
        ask for the latter, and for ``l(y, v) = -y v`` its statement fails.
    max_noise : float in [0, 1/2)
        Largest noise rate of any pair of an instance and a label.

    Examples
    --------
    >>> lemma_19(0.1, 0.25)
    0.2
    """
    return check_number(risk, "risk", low=0) / (1.0 - 2.0 * check_noise(max_noise, "max_noise"))


def theorem_20(k: int, n: int) -> float:
    """Least error of `k` of `n` orthonormal points for the mean of all, by weights that sum to one.

    It is ``sqrt(1/k - 1/n)``, attained by the plain mean of any `k` of them.

    >>> theorem_20(4, 4), round(theorem_20(1, 4), 3)
    (0.0, 0.866)
    """
    n = _check_n(n)
    k = check_number(k, "k", low=1, high=n, integer=True)
    return math.sqrt((n - k) / (n * k))


def theorem_21(diameter: float, m: int, delta: float) -> float:
    """Error of clustered sub-sampling, ``D (1/sqrt(m) + sqrt(log(1/delta) / m))``.

    `diameter` is that of the partition into `m` parts, in the units of the feature space. Holds with
    probability at least ``1 - delta`` over the draws. With ``diameter = 2 D*(S, m)`` it is the guarantee of
    Algorithm 1.

    >>> round(theorem_21(0.5, 16, 0.05), 3)
    0.341
    """
    m, delta = _check_m(m), _check_delta(delta)
    return clustered_error(check_lengths(diameter, "diameter"), m, delta)


def lemma_22(shares: ArrayLike, errors: ArrayLike) -> float:
    """Bound on the error of a mean of approximations: ``sum_i lambda_i errors[i]``, at most the largest.

    >>> lemma_22([1.0, 3.0], [0.5, 0.1])
    0.2
    """
    errors = check_scores(np.asarray(check_lengths(errors, "errors"), dtype=float), "errors")
    weights = check_sample_weight(shares, errors.size, "shares", "entry of errors")
    return float((weights / weights.sum()) @ errors)


def section_5_5_1(diameter: float, k: int, delta: float) -> float:
    """Guarantee of Algorithm 1 with `k` points, ``2 sqrt(2) D*(S, k/2) (1 + sqrt(log(1/delta))) / sqrt(k)``.

    Theorem 21 with ``m = k / 2`` parts and ``2 D*`` for the diameter; `k` is even.

    >>> round(section_5_5_1(0.25, 32, 0.05) / theorem_21(0.5, 16, 0.05), 12)
    1.0
    """
    k = check_number(k, "k", low=2, integer=True)
    if k % 2:
        raise ValueError(f"k must be even, got {k}")
    return 2.0 * math.sqrt(2.0) * theorem_21(diameter, k, delta)


def section_5_5_3(diameter: float, m: int, n: int) -> float:
    """Guarantee of projecting a plain mean on `m` farthest-first centres, ``(1 - m/n) D*(S, m)``.

    >>> section_5_5_3(0.5, 50, 100)
    0.25
    """
    n = _check_n(n)
    return (1.0 - check_number(m, "m", low=1, high=n, integer=True) / n) * check_lengths(diameter, "diameter")


def corollary_23(n: int, m: int, delta: float, noise: float, diameter: float) -> float:
    """Distance of the true mean to a sparse one from noisy labels: Lemma 9 and Theorem 21 together.

    ``(theorem_5(n, delta/2) + theorem_21(2 D*, m, delta/2)) / (1 - 2 noise)`` bounds, with probability at
    least ``1 - delta``, ``||Phi(P) - w / (1 - 2 noise)||`` for the output ``w`` of Algorithm 1. The paper
    prints ``||Phi(P) - w||``, which tends to ``2 noise ||Phi(P)||`` while the bound tends to zero: as in
    Lemma 9 the sparse mean has to be scaled.

    Parameters
    ----------
    n, m : int >= 1
        Examples and parts.
    delta : float in (0, 1)
    noise : float in [0, 1/2)
    diameter : float >= 0
        ``D*(S, m)``, the least diameter of a partition into `m` parts, or a number that is not below it:
        ``D*(+-S, m)``, which noise does not change, or a `SparseExpansion`'s own `diameter`.

    Examples
    --------
    >>> corollary_23(100, 16, 0.1, 0.0, 0.0) == theorem_5(100, 0.05)
    True
    """
    noise, delta = check_noise(noise), _check_delta(delta)
    with np.errstate(over="ignore"):
        both = theorem_5(n, delta / 2) + theorem_21(2.0 * check_lengths(diameter, "diameter"), m, delta / 2)
    return both / (1.0 - 2.0 * noise)
