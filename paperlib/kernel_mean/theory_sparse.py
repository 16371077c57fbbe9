"""Sections 5 and 6 as functions: how close a few points come to an expansion."""

import math

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.validation import check_number, check_sample_weight
from paperlib.kernel_mean.noise_checks import check_noise
from paperlib.kernel_mean.theory_mean import check_delta, check_n, theorem_5


def _check_m(m):
    return check_number(m, "m", low=1, integer=True)


def _check_lengths(lengths, name):
    values = np.asarray(lengths, dtype=float)
    if not ((values >= 0) & np.isfinite(values)).all():
        raise ValueError(f"{name} must be finite and >= 0, got {lengths!r}")
    return lengths


def theorem_20(k: int, n: int) -> float:
    """Least error of `k` of `n` orthonormal points for the mean of all, ``sqrt(1/k - 1/n)``.

    Attained by the plain mean of any `k` of them.

    >>> theorem_20(4, 4), round(theorem_20(1, 4), 3)
    (0.0, 0.866)
    """
    n = check_n(n)
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
    m, delta = _check_m(m), check_delta(delta)
    return _check_lengths(diameter, "diameter") * (1.0 + math.sqrt(math.log(1.0 / delta))) / math.sqrt(m)


def lemma_22(shares: ArrayLike, errors: ArrayLike) -> float:
    """Bound on the error of a mean of approximations: ``sum_i lambda_i errors[i]``, at most the largest.

    >>> lemma_22([1.0, 3.0], [0.5, 0.1])
    0.2
    """
    errors = np.asarray(_check_lengths(errors, "errors"), dtype=float)
    weights = check_sample_weight(shares, errors.size)
    return float(weights @ errors / weights.sum())


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
    noise, delta = check_noise(noise), check_delta(delta)
    both = theorem_5(n, delta / 2) + theorem_21(2.0 * _check_lengths(diameter, "diameter"), m, delta / 2)
    return both / (1.0 - 2.0 * noise)


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
    n = check_n(n)
    return (1.0 - check_number(m, "m", low=1, high=n, integer=True) / n) * _check_lengths(
        diameter, "diameter"
    )
