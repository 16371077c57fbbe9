"""Section 4 as functions: margins, contamination, and what label noise does to losses and risks.

As in `theory_mean`.

==================  =======================================================================================
statement           function, or why there is none
==================  =======================================================================================
Theorem 7           `theorem_7`: both risks; Gamma is `theory.margin_for_error`
Section 4.2         `contaminate`: the mixture of two distributions that Corollary 8 is about
Lemma 10            `lemma_10`: both risks
Proposition 11      `proposition_11`: both Bayes classifiers
Definitions 12, 13  `section_4_3_orders.order_violation` searches for what they exclude
Theorem 14          `theorem_14`: deviation of the corrected loss from an affine function of the loss
Theorem 15          `theorem_15`: range of ``l(1, v) + l(-1, v)``; its condition is too strong as printed
Theorem 16          `section_4_3_orders.convex_robust_bend` searches all convex losses on a grid
Theorem 17          `theorem_17`: both sides
Theorem 18          `theorem_18`: both sides, from `balanced_error`
Section 4.3.4       `auc_under_contamination`: what becomes of `area_under_curve`
==================  =======================================================================================
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_binary_signs, check_number, check_sample_weight
from paperlib.experiments.kernel_mean.theory_mean import Sides, check_gram
from paperlib.kernel_mean import KernelMeanClassifier
from paperlib.kernel_mean._validation.parameters import (
    check_contamination,
    check_label_noise,
    check_noise,
    check_scores,
)
from paperlib.kernel_mean.losses import Loss, margin, zero_one
from paperlib.kernel_mean.noise import corrected_loss


def contaminate(weights: ArrayLike, others: ArrayLike, sigma: float) -> Floats:
    """Weights of ``(1 - sigma) P + sigma Q``, two distributions over the same examples (Section 4.2).

    Examples
    --------
    >>> contaminate([1.0, 1.0], [0.0, 3.0], 0.5).tolist()
    [0.25, 0.75]
    """
    sigma = check_number(sigma, "sigma", low=0, high=1)
    p, q = (check_sample_weight(each, len(np.atleast_1d(each))) for each in (weights, others))
    if p.shape != q.shape:
        raise ValueError(f"weights and others must have one shape, got {p.shape} and {q.shape}")
    return (1.0 - sigma) * p / p.sum() + sigma * q / q.sum()


def balanced_error(loss: Loss, positive_scores: ArrayLike, negative_scores: ArrayLike) -> float:
    """``BER``, half the mean loss of the positive scores plus half that of the negative (Section 4.3.4).

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import zero_one
    >>> balanced_error(zero_one, [1.0, -1.0], [-1.0])
    0.25
    """
    positive = check_scores(positive_scores, "positive_scores")
    negative = check_scores(negative_scores, "negative_scores")
    return float((np.mean(loss(1, positive)) + np.mean(loss(-1, negative))) / 2)


def area_under_curve(
    positive_scores: ArrayLike,
    negative_scores: ArrayLike,
    positive_shares: ArrayLike | None = None,
    negative_shares: ArrayLike | None = None,
) -> float:
    """Probability that a positive score is above a negative one, ties counting half.

    Parameters
    ----------
    positive_scores, negative_scores : array-like of shapes (p,), (q,)
    positive_shares, negative_shares : array-like of the same shapes, optional
        How likely each score is in its class; equally by default.

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> area_under_curve([1.0, 0.0], [0.0])
    0.75
    """
    positive = check_scores(positive_scores, "positive_scores")
    negative = check_scores(negative_scores, "negative_scores")
    p = check_sample_weight(positive_shares, len(positive))
    q = check_sample_weight(negative_shares, len(negative))
    order = np.argsort(negative, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(q[order])])
    least, most = (np.searchsorted(negative[order], positive, side=side) for side in ("left", "right"))
    return float(p @ (below[least] + below[most]) / (2 * p.sum() * q.sum()))


class AffineFit(NamedTuple):
    """The best ``slope * x + constant`` for what depends on x, and how good it is.

    Attributes
    ----------
    slope, constant : float
    deviation : float
        The largest, in absolute value.

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import linear
    >>> fit = theorem_14(linear, [-1.0, 0.5, 2.0], 0.25)
    >>> round(fit.slope, 6), round(fit.constant, 6), round(fit.deviation, 6)
    (2.0, -1.0, 0.0)
    """

    slope: float
    constant: float
    deviation: float


def _grid(scores):
    scores = check_scores(scores)
    return np.repeat([1, -1], scores.size), np.tile(scores, 2)


def theorem_7(
    y: ArrayLike, f: ArrayLike, approximation: ArrayLike, weights: ArrayLike | None = None
) -> Sides[float]:
    """0-1 risk of an approximation, and margin risk of the classifier at margin ``sup |f - f~|``: no larger.

    >>> theorem_7([1, 1], [0.5, 0.1], [0.4, -0.1])
    Sides(left=0.5, right=0.5)
    """
    signs = check_binary_signs(y)
    f, approximation = (np.asarray(each, dtype=float) for each in (f, approximation))
    if f.shape != signs.shape or approximation.shape != signs.shape:
        raise ValueError(
            f"f and approximation must hold one score for each label, got {f.shape} and {approximation.shape}"
        )
    p = check_sample_weight(weights, signs.size)
    eps = np.abs(f - approximation).max() * (1 + 4 * np.finfo(float).eps)
    risk, margin_risk = (
        p @ each / p.sum() for each in (zero_one(signs, approximation), margin(signs, f, eps))
    )
    return Sides(float(risk), float(margin_risk))


def lemma_10(K: ArrayLike, y: ArrayLike, noise: float, weights: ArrayLike | None = None) -> Sides[float]:
    """0-1 risk, on a clean finite distribution, of its own mean and of the mean of its noisy labels: equal.

    Both means are `KernelMeanClassifier`'s.

    >>> lemma_10([[1.0, 0.9], [0.9, 1.0]], [1, -1], 0.3, [3.0, 1.0])
    Sides(left=0.25, right=0.25)
    """
    K, y, p = check_gram(K, y, weights)
    noise = check_noise(noise)
    clean = KernelMeanClassifier("precomputed").fit(K, y, p).decision_function(K)
    # The noisy distribution spelt out: each instance with both labels.
    both, shares = np.concatenate([y, -y]), np.concatenate([p * (1.0 - noise), p * noise])
    noisy = KernelMeanClassifier("precomputed").fit(np.tile(K, (2, 2)), both, shares)
    scores = noisy.decision_function(np.tile(K, (1, 2)))
    return Sides(float(p @ zero_one(y, clean)), float(p @ zero_one(y, scores)))


def proposition_11(eta: ArrayLike, noise: float) -> Sides[Integers]:
    """Labels of the Bayes classifier without and with symmetric noise: the same; 0 where either is optimal.

    >>> [side.tolist() for side in proposition_11([0.2, 0.5, 0.9], 0.4)]
    [[-1, 0, 1], [-1, 0, 1]]
    """
    eta, noise = np.asarray(eta, dtype=float), check_noise(noise)
    if not ((eta >= 0) & (eta <= 1)).all():
        raise ValueError("eta must be probabilities in [0, 1]")
    # eta and 1 - eta under noise, each on its own, so that a tie stays one.
    noisy = ((1.0 - noise) * eta + noise * (1.0 - eta)) - ((1.0 - noise) * (1.0 - eta) + noise * eta)
    noisy[np.abs(noisy) < 1e-15] = 0.0
    return Sides(np.sign(eta - (1.0 - eta)).astype(int), np.sign(noisy).astype(int))


def theorem_14(loss: Loss, scores: ArrayLike, noise: float) -> AffineFit:
    """Fit a loss's correction by an affine function of it: no deviation exactly where it is robust.

    Two losses order all distributions alike if and only if one is affine, with a positive slope, in the other
    (Proposition 26); a loss is robust if and only if this holds for it and its corrected form.

    Parameters
    ----------
    loss : callable
    scores : array-like of shape (k,)
    noise : float in [0, 1/2)

    Returns
    -------
    AffineFit
        Of the corrected loss over the pairs of a label and one of the scores.

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import hinge, linear
    >>> theorem_14(linear, [-1.0, 0.5, 2.0], 0.25).deviation < 1e-12
    True
    >>> theorem_14(hinge, [-1.0, 0.5, 2.0], 0.25).deviation > 0.1
    True
    """
    y, v = _grid(scores)
    x, corrected = np.asarray(loss(y, v), dtype=float), corrected_loss(loss, noise)(y, v)
    return affine_fit(x, corrected)


def affine_fit(x, target):
    """Least-squares fit of `target` by ``slope x + constant``, an `AffineFit`.

    >>> round(affine_fit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0])).slope, 9)
    2.0
    """
    design = np.column_stack([x, np.ones(x.size)])
    slope, constant = np.linalg.lstsq(design, target, rcond=None)[0]
    return AffineFit(float(slope), float(constant), float(np.abs(design @ [slope, constant] - target).max()))


def theorem_15(loss: Loss, scores: ArrayLike) -> Sides[float]:
    """Least and largest value of ``l(1, v) + l(-1, v)`` over the scores: equal, a constant C, if robust.

    The paper asks that ``l(1, v) != l(-1, v)`` for all v, which its own linear loss breaks at 0; its proof
    needs only that they differ at some v. With ``[[y v <= 0]]`` the sum is 2 at zero and 1 elsewhere, so
    misclassification loss is robust among scores that are not zero.

    >>> from paperlib.kernel_mean.losses import hinge, linear
    >>> theorem_15(linear, [-3.0, 0.0, 7.0])
    Sides(left=2.0, right=2.0)
    >>> theorem_15(hinge, [0.0, 3.0])
    Sides(left=2.0, right=4.0)
    """
    _, v = _grid(scores)
    total = np.asarray(loss(1, v), dtype=float) + np.asarray(loss(-1, v), dtype=float)
    return Sides(float(total.min()), float(total.max()))


def same_order(loss: Loss, scores: ArrayLike, noise_negative: float, noise_positive: float) -> bool:
    """Whether label-conditional noise leaves the order of a loss as it is, by Proposition 26.

    That is so if and only if the loss under noise is ``alpha l + beta`` with ``alpha > 0``.

    Parameters
    ----------
    loss : callable
    scores : array-like of shape (k,)
    noise_negative, noise_positive : float
        Probabilities that a negative and a positive label is flipped, together below 1.

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import linear
    >>> same_order(linear, [-1.0, 0.5], 0.2, 0.2), same_order(linear, [-1.0, 0.5], 0.2, 0.3)
    (True, False)
    """
    negative, positive = check_label_noise(noise_negative, noise_positive)
    y, v = _grid(scores)
    rate = np.where(y > 0, positive, negative)
    plain = np.asarray(loss(y, v), dtype=float)
    noisy = (1.0 - rate) * plain + rate * np.asarray(loss(-y, v), dtype=float)
    columns = np.column_stack([plain, np.ones_like(plain)])
    (alpha, beta), *_ = np.linalg.lstsq(columns, noisy)
    return bool(alpha > 0 and np.abs(alpha * plain + beta - noisy).max() < 1e-9 * np.abs(plain).max())


def theorem_17(loss: Loss, scores: ArrayLike, noise_negative: float, noise_positive: float) -> Sides[Floats]:
    """The loss corrected for label-conditional noise, and ``(l - C) / (1 - sigma_- - sigma_+)``: equal.

    Under the theorem's condition that ``sigma_+ l(-1, v) + sigma_- l(1, v) = C`` for all v.

    Returns
    -------
    Sides of arrays (2 k,)
        Over all scores with label +1, then with label -1.

    Raises
    ------
    ValueError
        If the condition fails for the scores.

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import linear
    >>> sides = theorem_17(linear, [0.5], 0.25, 0.25)
    >>> sides.left.tolist() == sides.right.tolist() == [0.0, 2.0]
    True
    """
    negative, positive = check_label_noise(noise_negative, noise_positive)
    y, v = _grid(scores)
    mixed = positive * np.asarray(loss(-1, v), dtype=float) + negative * np.asarray(loss(1, v), dtype=float)
    if np.ptp(mixed) > 1e-9 * max(1.0, np.abs(mixed).max()):
        raise ValueError(
            "the loss must have sigma_+ l(-1, v) + sigma_- l(1, v) constant in v, got values from "
            f"{mixed.min():g} to {mixed.max():g}"
        )
    plain = (np.asarray(loss(y, v), dtype=float) - mixed[0]) / (1.0 - negative - positive)
    return Sides(corrected_loss(loss, negative, positive)(y, v), plain)


def theorem_18(
    loss: Loss, positive_scores: ArrayLike, negative_scores: ArrayLike, alpha: float, beta: float
) -> Sides[float]:
    """Balanced error of contaminated classes, and ``(1 - alpha - beta) BER + (alpha + beta) C / 2``: equal.

    For losses with ``l(1, v) + l(-1, v) = C``, for others C is the least sum and the sides differ; each score
    is equally likely in its class.

    >>> from paperlib.kernel_mean.losses import linear
    >>> theorem_18(linear, [1.0], [-0.5], 0.25, 0.25)
    Sides(left=0.625, right=0.625)
    """
    alpha, beta = check_contamination(alpha, beta)
    both = np.concatenate([positive_scores, negative_scores])
    least, _ = theorem_15(loss, both)
    positive, negative = (np.asarray(scores, dtype=float) for scores in (positive_scores, negative_scores))
    classes = ((1, positive), (-1, negative))
    mean = {(y, own): np.mean(loss(y, scores)) for y in (1, -1) for own, scores in classes}
    contaminated = (
        (1 - alpha) * mean[1, 1] + alpha * mean[1, -1] + beta * mean[-1, 1] + (1 - beta) * mean[-1, -1]
    ) / 2
    clean = balanced_error(loss, positive, negative)
    return Sides(float(contaminated), float((1 - alpha - beta) * clean + (alpha + beta) * least / 2))


def contamination_of_rates(negative: float, positive: float, share: float) -> tuple[float, float, float]:
    """Return alpha, beta, and the share of positive labels after noise (Section 4.3.4, after Menon et al.).

    Parameters
    ----------
    negative, positive : float
        Probabilities that a negative and that a positive label is flipped.
    share : float in (0, 1)
        Of the positive class.

    Examples
    --------
    >>> contamination_of_rates(0.25, 0.0, 0.5)
    (0.2, 0.0, 0.625)
    """
    noisy = share * (1 - positive) + (1 - share) * negative
    return (1 - share) * negative / noisy, share * positive / (1 - noisy), noisy


def rates_of_contamination(alpha: float, beta: float, noisy: float) -> tuple[float, float]:
    """Return the noise rates of negative and of positive labels: the inverse of `contamination_of_rates`.

    >>> [round(rate, 12) for rate in rates_of_contamination(0.2, 0.0, 0.625)]
    [0.25, 0.0]
    """
    share = (1 - alpha) * noisy + beta * (1 - noisy)
    return alpha * noisy / (1 - share), beta * (1 - noisy) / share


def auc_under_contamination(auc: float, alpha: float, beta: float) -> float:
    """Area under the curve under contamination, ``(1 - alpha - beta) AUC + (alpha + beta) / 2``.

    Corollary 3 of Menon et al. (2015), which Section 4.3.4 quotes: the order of classifiers is kept.

    >>> auc_under_contamination(1.0, 0.25, 0.25)
    0.75
    """
    auc = check_number(auc, "auc", low=0, high=1)
    alpha, beta = check_contamination(alpha, beta)
    return (1 - alpha - beta) * auc + (alpha + beta) / 2
