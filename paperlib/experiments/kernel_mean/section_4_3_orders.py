"""Losses that order classifiers alike with and without label noise (Definition 12, Theorems 14 to 16)."""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.linalg import null_space
from scipy.optimize import linprog

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_choice, check_number
from paperlib.experiments.kernel_mean import theory_noise
from paperlib.kernel_mean import losses
from paperlib.kernel_mean._validation.parameters import check_noise, check_scores
from paperlib.kernel_mean.losses import Loss

# None of them zero, where [[y v <= 0]] ignores the label.
SCORES = np.array([-2.0, -0.7, -0.1, 0.4, 1.0, 3.0])
_AFFINE = 1e-9

LOSSES = {
    "linear": losses.linear,
    "0-1": losses.zero_one,
    "ramp": lambda y, v: np.clip(losses.linear(y, v), 0.0, 2.0),
    "sigmoid": lambda y, v: 1.0 - np.tanh(y * v),
    "hinge": losses.hinge,
    "logistic": losses.logistic,
    "exponential": lambda y, v: np.exp(-y * v),
    "squared": lambda y, v: losses.linear(y, v) ** 2,
    "t-logistic": losses.t_logistic,
}
# The robust ones by the paper and by Ghosh et al. (2015): l(1, v) + l(-1, v) is constant on SCORES.
ROBUST = ("linear", "0-1", "ramp", "sigmoid")


class OrderViolation(NamedTuple):
    """Two distributions over (label, score) pairs that a loss orders otherwise once labels are noisy.

    Attributes
    ----------
    labels, scores : ndarrays of shape (k,)
    first, second : ndarrays of shape (k,)
        Probabilities of the pairs under ``Q`` and ``Q'``.
    clean, noisy : float
        Expected loss of ``Q`` less that of ``Q'``; of opposite sign, or one of them zero and the other not.

    Examples
    --------
    >>> found = order_violation(losses.hinge, [-1.0, 0.5, 3.0], 0.2)
    >>> found.clean * found.noisy <= 0 and found.clean != found.noisy
    True
    """

    labels: Integers
    scores: Floats
    first: Floats
    second: Floats
    clean: float
    noisy: float


def order_violation(
    loss: Loss, scores: ArrayLike, noise: float, *, tol: float = 1e-9
) -> OrderViolation | None:
    """Search for two distributions whose order under `loss` is changed by symmetric noise (Definition 12).

    All distributions on the given scores are searched at once, by a linear programme in the difference
    ``Q - Q'``: with none found, the loss is robust as far as these scores go.

    Parameters
    ----------
    loss : callable
    scores : array-like of shape (k,)
    noise : float in [0, 1/2)
    tol : float > 0
        Differences of the expected loss, relative to the largest loss, that count as rounding.

    Returns
    -------
    OrderViolation or None

    Examples
    --------
    >>> order_violation(losses.linear, [-1.0, 0.5, 3.0], 0.2) is None
    True
    >>> order_violation(losses.hinge, [-1.0, 0.5, 3.0], 0.2) is None
    False
    """
    noise, values = check_noise(noise), check_scores(scores)
    labels, v = np.repeat([1, -1], values.size), np.tile(values, 2)
    clean = np.asarray(loss(labels, v), dtype=float)
    noisy = (1.0 - noise) * clean + noise * np.asarray(loss(-labels, v), dtype=float)
    found = ordered_otherwise(clean, noisy, tol)
    if found is None:
        return None
    first, second = found
    step = first - second
    return OrderViolation(labels, v, first, second, float(clean @ step), float(noisy @ step))


def ordered_otherwise(one, other, tol=1e-9):
    """Return two distributions that one loss puts in an order that the other does not, or None.

    `one` and `other` are the losses of the same k pairs of a label and a score.
    """
    size = max(np.abs(one).max(), np.abs(other).max())
    if size == 0:
        return None
    for up, down in ((other, one), (one, other)):
        split = linprog(
            np.concatenate([-up, up]) / size,
            A_ub=np.concatenate([down, -down])[None] / size,
            b_ub=[0.0],
            A_eq=np.kron(np.eye(2), np.ones(one.size)),
            b_eq=[1.0, 1.0],
            method="highs",
        )
        if split.status == 0 and -split.fun > tol:
            return split.x.reshape(2, -1)
    return None


def equivalent_in_order(fit, size=1.0):
    """Return whether an `AffineFit` of losses up to `size` says that they are: exact, and its slope positive.

    Proposition 26 (Blackwell and Girshick) for two losses of which neither is constant.

    >>> equivalent_in_order(theory_noise.AffineFit(slope=-1.0, constant=0.0, deviation=0.0))
    False
    """
    return bool(fit.deviation <= _AFFINE * size and fit.slope > 0)


def proposition_26_pairs(n_pairs, rng):
    """Judge pairs of losses by a linear programme over all distributions, and by Proposition 26.

    A pair are random values at twelve pairs of a label and a score, and one of three others in turn: an
    affine function of them with a positive slope, with a negative one, and with one value moved by a tenth.

    Returns
    -------
    DataFrame with a row per pair: other, alike (the search found no two distributions that the two order
        otherwise), affine (one is affine in the other, with a positive slope)

    Examples
    --------
    >>> proposition_26_pairs(3, np.random.default_rng(0)).alike.tolist()
    [True, False, False]
    """
    kinds, rows = ("rising", "falling", "moved"), []
    for pair in range(check_number(n_pairs, "n_pairs", low=1, integer=True)):
        kind = kinds[pair % 3]
        one, slope = rng.uniform(0.0, 1.0, 12), rng.uniform(0.5, 2.0)
        other = (-slope if kind == "falling" else slope) * one + rng.normal()
        other[0] += 0.1 * (kind == "moved")
        fit = theory_noise.affine_fit(one, other)
        rows.append((kind, ordered_otherwise(one, other) is None, equivalent_in_order(fit)))
    return pd.DataFrame(rows, columns=["other", "alike", "affine"])


def order_table(noise, scores=SCORES, candidates=None):
    """Table of what Definition 12 and Theorems 14 and 15 say of each loss, each column found on its own.

    Parameters
    ----------
    noise : float in (0, 1/2)
    scores : array-like of shape (k,)
    candidates : dict of str to loss, optional
        `LOSSES` by default.

    Returns
    -------
    DataFrame with a row per loss: loss, keeps_order (the search for two distributions whose order noise
        changes found none), equivalent (the corrected loss is affine, with a positive slope, in the loss:
        Theorem 14), constant_sum (Theorem 15), known (the literature calls it robust), least_sum, largest_sum
        (of ``l(1, v) + l(-1, v)``)
    """
    rows = []
    for name, loss in (candidates or LOSSES).items():
        fit, sums = theory_noise.theorem_14(loss, scores, noise), theory_noise.theorem_15(loss, scores)
        size = max(1.0, abs(sums.right))
        rows.append(
            {
                "loss": name,
                "keeps_order": order_violation(loss, scores, noise) is None,
                "equivalent": equivalent_in_order(fit, size),
                "constant_sum": bool(sums.right - sums.left <= _AFFINE * size),
                "known": name in ROBUST,
                "least_sum": sums.left,
                "largest_sum": sums.right,
            }
        )
    return pd.DataFrame(rows)


def order_changes(loss, noise, n_pairs, scores=SCORES, random_state=None):
    """Count the random pairs of distributions over (label, score) that a loss orders otherwise under noise.

    A difference that is rounding counts as equal.

    >>> order_changes(losses.linear, 0.4, 1000, random_state=0)
    0
    >>> order_changes(losses.hinge, 0.4, 1000, random_state=0) > 0
    True
    """
    n_pairs = check_number(n_pairs, "n_pairs", low=1, integer=True)
    y, v = np.repeat([1, -1], len(scores)), np.tile(scores, 2)
    pairs = np.random.default_rng(random_state).dirichlet(np.full(len(v), 0.3), size=(n_pairs, 2))
    clean = np.asarray(loss(y, v), dtype=float)
    noisy = (1.0 - noise) * clean + noise * np.asarray(loss(-y, v), dtype=float)
    before, after = ((pairs[:, 0] - pairs[:, 1]) @ np.column_stack([clean, noisy])).T
    before, after = (np.where(np.abs(each) < 1e-12, 0.0, each) for each in (before, after))
    return int((np.sign(before) != np.sign(after)).sum())


def reversals(loss, noise, scores=SCORES):
    """All pairs of a (label, score) each that a loss orders strictly one way, and under noise the other way.

    Parameters
    ----------
    loss : callable
    noise : float in (0, 1/2)
    scores : array-like of shape (k,)

    Returns
    -------
    DataFrame with a row per pair, the plainest first: label, score, other_label, other_score, clean,
        clean_other, noisy, noisy_other
        ``clean < clean_other`` are the losses, ``noisy > noisy_other`` those expected under noise.

    Examples
    --------
    >>> len(reversals(losses.linear, 0.2))
    0
    >>> reversals(losses.hinge, 0.2)[["label", "score", "other_label", "other_score"]].to_numpy()[0].tolist()
    [1.0, 3.0, -1.0, -0.7]
    """
    y, v = np.repeat([1, -1], len(scores)), np.tile(scores, 2)
    clean = np.asarray(loss(y, v), dtype=float)
    noisy = (1.0 - noise) * clean + noise * np.asarray(loss(-y, v), dtype=float)
    better, worse = clean[None] - clean[:, None], noisy[:, None] - noisy[None]
    gap = np.minimum(better, worse)
    first, second = np.nonzero(gap > 1e-9)
    order = np.argsort(-gap[first, second], kind="stable")
    first, second = first[order], second[order]
    return pd.DataFrame(
        {
            "label": y[first],
            "score": v[first],
            "other_label": y[second],
            "other_score": v[second],
            "clean": clean[first],
            "clean_other": clean[second],
            "noisy": noisy[first],
            "noisy_other": noisy[second],
        }
    )


def convex_robust_bend(scores):
    """Largest bend of a convex loss with ``l(1, v) + l(-1, v) = C`` on the scores (Theorem 16).

    A linear programme over the values of all such losses, none of them above 1 in size: the largest second
    difference that any of them has. Zero leaves ``lambda y v + g(y)`` alone.

    Parameters
    ----------
    scores : array-like of shape (k,), k >= 3

    Returns
    -------
    float

    Examples
    --------
    >>> bool(abs(convex_robust_bend([-1.0, 0.0, 0.5, 2.0])) < 1e-9)
    True
    """
    v = np.unique(np.asarray(scores, dtype=float))
    check_number(v.size, "number of distinct scores", low=3, integer=True)
    k = v.size
    bend = np.zeros((k - 2, k))  # slope after each inner score less the slope before it
    for i in range(k - 2):
        before, after = 1.0 / (v[i + 1] - v[i]), 1.0 / (v[i + 2] - v[i + 1])
        bend[i, i : i + 3] = before, -before - after, after
    none = np.zeros_like(bend)
    # Unknowns: l(1, v), l(-1, v), C.
    convex = np.hstack(
        [np.vstack([np.hstack([bend, none]), np.hstack([none, bend])]), np.zeros((2 * k - 4, 1))]
    )
    sums = np.hstack([np.eye(k), np.eye(k), -np.ones((k, 1))])
    solution = linprog(
        -convex.sum(axis=0),
        A_ub=-convex,
        b_ub=np.zeros(len(convex)),
        A_eq=sums,
        b_eq=np.zeros(k),
        bounds=[(-1.0, 1.0)] * (2 * k) + [(None, None)],
        method="highs",
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear programme over convex losses was not solved: {solution.message}")
    return float(-solution.fun)


def calibration_errors(slopes, etas, zeros="half"):
    """Largest 0-1 regret of the scores in [-1, 1] that minimise the mean of ``lambda y v``, for each lambda.

    Without any such regret the loss is classification calibrated on these distributions (Definition 2).

    Parameters
    ----------
    slopes : sequence of float
        Values of lambda.
    etas : array-like of shape (k,)
        Probabilities ``P(Y = 1 | x)``, each of a distribution of its own.
    zeros : {"half", "error"}, default="half"
        What a score of zero costs. The paper's ``[[y v <= 0]]`` makes it an error for either label.

    Returns
    -------
    DataFrame with a row per lambda: slope, regret

    Examples
    --------
    >>> calibration_errors([-1.0, 2.0], [0.25, 0.5]).regret.tolist()
    [0.0, 0.5]
    >>> calibration_errors([-1.0], [0.25, 0.5], zeros="error").regret.tolist()
    [0.5]
    """
    check_choice(zeros, "zeros", ("half", "error"))
    eta, grid = np.asarray(etas, dtype=float)[:, None], np.linspace(-1.0, 1.0, 201)

    def cost(y):
        error = losses.zero_one(y, grid)
        return error if zeros == "error" else (error + 1.0 - losses.zero_one(-y, grid)) / 2.0

    regret = eta * cost(1) + (1.0 - eta) * cost(-1) - np.minimum(eta, 1.0 - eta)
    rows = []
    for slope in slopes:
        # lambda y v is linear loss times -lambda, up to a constant.
        risk = -slope * (eta * losses.linear(1, grid) + (1.0 - eta) * losses.linear(-1, grid))
        least = risk <= risk.min(axis=1, keepdims=True) + 1e-12
        rows.append((slope, float(regret[least].max())))
    return pd.DataFrame(rows, columns=["slope", "regret"])


def kept_under_both(one, other, n_scores=6):
    """Count the ways in which a loss of label and score can keep its order under two conditional noises.

    By Proposition 26 it does if its mean under noise is ``alpha l + beta`` with ``alpha > 0``. For a given
    alpha of each noise these are linear equations in the values of the loss, and a solution that changes with
    the label and one that changes with the score add up to one that changes with both. Only where alpha is
    an eigenvalue of the noise is there more than a constant for each label; others are tried beside them.

    Parameters
    ----------
    one, other : pairs of float
        Probabilities that a negative and that a positive label is flipped, together below 1.
    n_scores : int >= 2

    Returns
    -------
    int

    Examples
    --------
    The linear loss survives any two noises of equal rates, a tilted one those of equal ratio.

    >>> kept_under_both((0.1, 0.1), (0.3, 0.3)), kept_under_both((0.1, 0.3), (0.15, 0.45))
    (1, 1)
    >>> kept_under_both((0.1, 0.3), (0.3, 0.1))
    0
    """
    k = check_number(n_scores, "n_scores", low=2, integer=True)
    noises = []
    for negative, positive in (one, other):
        mixing = np.array([[1.0 - positive, positive], [negative, 1.0 - negative]])
        noises.append((mixing, [1.0, 1.0 - negative - positive, 0.25, 0.5, 0.75, 1.25]))
    (first, alphas), (second, betas) = noises
    # Unknowns: l(1, v) and l(-1, v) for each score in turn, and the constant of each noise.
    by_score = np.hstack([np.kron(np.diff(np.eye(k), axis=0), np.eye(2)), np.zeros((2 * k - 2, 2))])
    by_label = np.hstack([np.kron(np.eye(k), [[1.0, -1.0]]), np.zeros((k, 2))])
    ways = 0
    for alpha, beta in itertools.product(alphas, betas):
        equations = [
            np.hstack([np.kron(np.eye(k), each - factor * np.eye(2)), -np.tile(constant, (2 * k, 1))])
            for each, factor, constant in ((first, alpha, [1.0, 0.0]), (second, beta, [0.0, 1.0]))
        ]
        found = null_space(np.vstack(equations), rcond=1e-9)
        ways += all(np.abs(change @ found).max(initial=0.0) > 1e-9 for change in (by_score, by_label))
    return ways
