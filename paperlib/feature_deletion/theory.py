"""Bounds of the paper's theorems as functions, with the conditions that their printed form lacks."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.feature_names import check_same_names
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_flag, check_number, check_real, check_vector
from paperlib.feature_deletion._deletion.validation import (
    check_adversary,
    check_budget,
    check_labels,
    check_matrix,
    check_size,
    check_values,
)
from paperlib.feature_deletion.adversary import worst_case_deletion


def theorem_1(
    n_deleted: float,
    margin: float = 1.0,
    C: float = 1.0,
    feature_values: ArrayLike | None = None,
    *,
    n_features: int | None = None,
) -> float:
    """Largest excess of Equation (4) over Equation (3), at the optimum of each, for ``|x|_inf <= 1``.

    ``max_j (C - margin v_j / P)_+`` over the features that are not free, and 0 where all values are 0 or 1
    and N is an integer. The integer is missing in the paper: with two features of value 1 and N = 1/2 the
    adversary of Equation (3) can delete nothing, that of Equation (4) half a feature.

    Proof: the relaxed adversary deletes at most one feature in part (Lemma 1 c). Without it he has a whole
    set, so he gains at most that feature's ``(y w_j x_j - margin v_j / P)_+ <= (C - margin v_j / P)_+``;
    this bounds the difference for each example and classifier, so for the means and for their minima. It is
    tight: with n ones, N = 1 - eps, examples ``x = y e_1``, P = n - 1 + eps and ``margin / P < C <
    margin n / P`` both optima have ``w_1 = C``, and they differ by ``(1 - eps)(C - margin / P)``, as long as
    the loss is positive.

    Parameters
    ----------
    n_deleted : float in [0, V)
    margin : float in [1e-100, 1e100]
        The paper's gamma.
    C : float in [1e-100, 1e100]
    feature_values : array-like of shape (n,), optional
    n_features : int, optional
        Needed without `feature_values`; with them it is their number.

    Returns
    -------
    float

    Examples
    --------
    >>> theorem_1(1.0, n_features=4), theorem_1(0.5, n_features=4)
    (0.0, 0.7142857142857143)
    """
    if n_features is not None:
        count = check_number(n_features, "n_features", low=1, integer=True)
    elif feature_values is not None:
        count = np.size(check_real(feature_values, "feature_values"))
    else:
        raise ValueError("give feature_values or n_features, got neither")
    values = check_values(feature_values, count)
    budget = check_budget(n_deleted, values)
    margin, C = check_size(margin, "margin"), check_size(C, "C")
    if np.isin(values, (0.0, 1.0)).all() and budget == int(budget):
        return 0.0
    # The cheapest of these has the largest C - margin v / P.
    costly = values[values > 0]
    return float(max(0.0, C - margin * costly.min() / (values.sum() - budget)))


def margin_loss(
    w: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    n_deleted: float,
    margin: float = 1.0,
    feature_values: ArrayLike | None = None,
) -> Floats:
    """Equation (10) for each example: 1 where some J leaves ``y sum_J w_j x_j <= margin V(J) / P``, else 0.

    Parameters
    ----------
    w : array-like of shape (n,)
    X : array-like of shape (m, n)
    y : array-like of shape (m,), of -1 and 1
    n_deleted : float in [0, V)
    margin : float >= 0, default=1.0
        The paper's gamma. With 0 this is a mistake after the worst deletion, and its mean the empirical risk.
    feature_values : array-like of shape (n,), optional

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> margin_loss([1.0, 1.0], [[1.0, 0.5], [1.0, 1.0]], [1, 1], 1, margin=0.6).tolist()
    [1.0, 0.0]
    """
    signs = check_binary_signs(check_labels(y))
    check_same_names(X=X, w=w, feature_values=feature_values)
    X = check_matrix(X, signs)
    w = np.asarray(check_vector(w, "w", X.shape[1], "feature of X"))
    values, budget = check_adversary(n_deleted, feature_values, X.shape[1])
    price = check_number(margin, "margin", low=0) / (values.sum() - budget)
    # A further feature of the size of the price, for each feature: y w x - price v is a margin again.
    with np.errstate(over="ignore"):  # which is refused below
        shifted = signs[:, None] * X * w - price * values
    margins, _ = worst_case_deletion(
        np.ones(X.shape[1]), 0.0, shifted, np.ones(len(X)), n_deleted, feature_values
    )
    return (margins <= 0).astype(float)


class RiskBound(NamedTuple):
    """Theorem 2.

    Attributes
    ----------
    bound : float
        Largest risk that the KL divergence allows.
    weaker : float
        The looser form, with a square root.
    beta : float
        The logarithms.

    Examples
    --------
    A tenth of 1,000 training examples within the margin, five features, one of them deleted:

    >>> risk = theorem_2(0.1, 1000, 1, 1.0, 1.0, 0.05, [1.0] * 5)
    >>> round(risk.bound, 3), round(risk.weaker, 3), round(risk.beta, 2)
    (0.178, 0.217, 23.77)
    """

    bound: float
    weaker: float
    beta: float


def theorem_2(
    mean_loss: float,
    m: int,
    n_deleted: float,
    margin: float,
    C: float,
    delta: float,
    feature_values: ArrayLike,
) -> RiskBound:
    """Bound on the risk of every w in the cube at once, with probability ``1 - delta`` (Theorem 2).

    ``sup {eps: KL(mean_loss || eps) <= beta / (m - 1)}`` with ``beta = ln(m / delta) + sum_j ln(4 P C /
    (margin v_j))``. A logarithm below 0 stands for a box that is the whole cube along j, and counts as 0.

    Parameters
    ----------
    mean_loss : float in [0, 1]
        Of `margin_loss` over m independent examples with ``|x|_inf <= 1``.
    m : int >= 2
    n_deleted : float in [0, V)
    margin : float in [1e-100, 1e100]
        The paper's gamma.
    C : float in [1e-100, 1e100]
    delta : float in (0, 1)
    feature_values : array-like of shape (n,), positive

    Returns
    -------
    RiskBound

    Examples
    --------
    >>> round(theorem_2(0.1, 1000, 1, 1.0, 1.0, 0.05, [1.0, 1.0, 1.0]).bound, 6)
    0.162353
    """
    p = check_number(mean_loss, "mean_loss", low=0, high=1)
    m = check_number(m, "m", low=2, integer=True)
    margin, C = check_size(margin, "margin"), check_size(C, "C")
    delta = check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    values, budget = check_adversary(
        n_deleted, feature_values, np.size(check_real(feature_values, "feature_values"))
    )
    if values.min() <= 0:
        raise ValueError("feature_values must be positive here, got 0 among its entries")
    P = values.sum() - budget
    beta = math.log(m / delta) + np.maximum(0.0, np.log(4 * P * C / (margin * values))).sum()
    rate = float(beta) / (m - 1)
    # By bisection, since KL(p || q) grows with q above p.
    low, high = p, 1.0
    while high - low > 1e-15 and low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if divergence(p, middle) <= rate else (low, middle)
    return RiskBound(high, p + math.sqrt(2 * p * rate) + 2 * rate, float(beta))


def divergence(p: float, q: float) -> float:
    """Kullback-Leibler divergence between coins of bias p and q, both in [0, 1].

    Examples
    --------
    >>> divergence(0.5, 0.5), divergence(0.5, 1.0)
    (0.0, inf)
    """
    p, q = check_number(p, "p", low=0, high=1), check_number(q, "q", low=0, high=1)
    if (p > 0 and q <= 0) or (p < 1 and q >= 1):
        return math.inf
    heads = p * math.log(p / q) if p > 0 else 0.0
    return heads + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def theorem_3(n_deleted: int, eps: float, C: float = 1.0, *, printed: bool = False) -> float:
    """Least margin with which Theorem 3 turns a classifier that stands deletion into one that stands noise.

    ``C sqrt(2 N ln(1 / eps))``: N independent terms ``w_j f_j`` of mean zero lie in intervals of length 2C,
    so Hoeffding has ``exp(-2 margin^2 / (N (2C)^2)) = eps``. The paper's ``C sqrt(N ln(1 / eps) / 2)`` is
    that of intervals of length C; with coins f_j = -1, 1, C = 1 and N = 100 it leaves a chance of 0.067 for
    eps = 0.01.

    Parameters
    ----------
    n_deleted : int >= 1
    eps : float in (0, 1)
    C : float in [1e-100, 1e100], default=1.0
    printed : bool, default=False
        Give the paper's, half as large.

    Returns
    -------
    float

    Examples
    --------
    >>> theorem_3(2, math.exp(-4)), theorem_3(2, math.exp(-4), printed=True)
    (4.0, 2.0)
    """
    n_deleted = check_number(n_deleted, "n_deleted", low=1, integer=True)
    eps = check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)
    C, printed = check_size(C, "C"), check_flag(printed, "printed")
    return C * math.sqrt(n_deleted * math.log(1 / eps) * (0.5 if printed else 2.0))


def theorem_4(n: int, m: int, C: float = 1.0) -> float:
    """Excess of the perceptron's mean loss over that of any (w, b) in the cube: ``C sqrt(2 (n + 1) / m)``.

    For ``|x|_1 <= 1``, m examples in any order, and ``tau = C sqrt((n + 1) / (2 m))``: projected subgradient
    steps have a regret of at most ``|u|^2 / (2 tau m) + tau |(x, 1)|^2 / 2``, with ``|u|^2 <= C^2 (n + 1)``.

    Parameters
    ----------
    n, m : int >= 1
    C : float in [1e-100, 1e100], default=1.0

    Returns
    -------
    float

    Examples
    --------
    >>> theorem_4(7, 100)
    0.4
    """
    n, m = check_number(n, "n", low=1, integer=True), check_number(m, "m", low=1, integer=True)
    return check_size(C, "C") * math.sqrt(2 * (n + 1) / m)


def corollary_1(
    n: int,
    m: int,
    delta: float,
    n_deleted: float,
    margin: float = 1.0,
    C: float = 1.0,
    feature_values: ArrayLike | None = None,
) -> float:
    """Excess risk of the averaged perceptron: ``(3 C + phi) sqrt(2 (n + 1 + ln(2 / delta)) / m)``.

    With probability ``1 - delta`` its risk is not above the least expected loss in the cube by more than
    this, for ``|x|_1 <= 1``; ``phi = margin V / P`` is the largest margin asked for. A loss lies in
    ``[0, L]`` with ``L = phi + 2 C``; Theorem 4, and ``L sqrt(ln(2 / delta) / (2 m))`` once for the
    martingale and once for the fixed competitor, come to
    ``C sqrt(2 (n + 1) / m) + L sqrt(2 ln(2 / delta) / m)``, which is less.

    Parameters
    ----------
    n, m : int >= 1
    delta : float in (0, 1)
    n_deleted : float in [0, V)
    margin : float in [1e-100, 1e100]
        The paper's gamma.
    C : float in [1e-100, 1e100]
    feature_values : array-like of shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> round(corollary_1(3, 1000, 0.05, 1), 4)
    0.558
    """
    excess, C = theorem_4(n, m, C), check_size(C, "C")
    delta = check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    margin = check_size(margin, "margin")
    values, budget = check_adversary(n_deleted, feature_values, n)
    phi = margin * float(values.sum()) / float(values.sum() - budget)
    # excess / C is sqrt(2 (n + 1) / m), into which the root takes the logarithm.
    return (3 * C + phi) * excess / C * math.sqrt(1 + math.log(2 / delta) / (n + 1))
