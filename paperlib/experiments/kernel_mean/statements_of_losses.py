"""Checks of statements on losses, noise rates and kernels, beside those in `sections_3_and_4`."""

import numpy as np
from scipy.optimize import minimize_scalar, nnls

from paperlib.experiments.kernel_mean import theory_noise
from paperlib.experiments.kernel_mean.checks import EQUALITIES, INEQUALITIES, check
from paperlib.experiments.kernel_mean.figure_3_and_table_1 import random_potential
from paperlib.experiments.kernel_mean.populations import gaussian_features
from paperlib.kernel_mean import losses
from paperlib.kernel_mean.noise import flip_by_label

_FAR = 60.0  # scores among which a least risk is looked for
_LABELS = 20_000


def bayes_scores(loss, etas):
    """Return the score of least ``eta loss(1, v) + (1 - eta) loss(-1, v)`` for each eta."""
    found = []
    for eta in etas:
        risk = lambda v, eta=eta: eta * loss(1.0, v) + (1.0 - eta) * loss(-1.0, v)  # noqa: E731
        found.append(minimize_scalar(risk, bounds=(-_FAR, _FAR), method="bounded").x)
    return np.array(found)


@check(
    EQUALITIES,
    "definition-1",
    "0-1 regret where a random convex potential has least risk, a score of zero counting half; eta 1/2, too.",
)
def _definition_1(population, rng):
    psi, _ = random_potential(rng)
    etas = np.concatenate([rng.uniform(0.02, 0.48, 3), [0.5], rng.uniform(0.52, 0.98, 3)])
    scores = bayes_scores(lambda y, v: psi(y * v), etas)
    risks = etas * (1.0 - np.sign(scores)) / 2.0 + (1.0 - etas) * (1.0 + np.sign(scores)) / 2.0
    return (risks - np.minimum(etas, 1.0 - etas)).max()


@check(
    EQUALITIES,
    "section-4.3.2.rich",
    "Labels of noisy distributions that hinge, logistic, squared or a random potential gets otherwise than "
    "linear loss, over all functions.",
)
def _section_4_3_2_rich(population, rng):
    psi, _ = random_potential(rng)
    etas = np.concatenate([rng.uniform(0.02, 0.48, 3), rng.uniform(0.52, 0.98, 3)])
    sigma = rng.choice([0.1, 0.3, 0.45])
    noisy = (1.0 - 2.0 * sigma) * etas + sigma
    others = [losses.hinge, losses.logistic, lambda y, v: losses.linear(y, v) ** 2, lambda y, v: psi(y * v)]
    # Over the scores in [-1, 1] the least linear risk is at an end.
    linear = [eta * losses.linear(1, np.array([-1.0, 1.0])) for eta in etas]
    linear = [each + (1 - eta) * losses.linear(-1, np.array([-1.0, 1.0])) for each, eta in zip(linear, etas)]
    labels = np.array([-1.0, 1.0])[np.argmin(linear, axis=1)]
    return float(sum((np.sign(bayes_scores(each, noisy)) != labels).sum() for each in others))


@check(
    INEQUALITIES,
    "section-3.4.dense",
    "1/10 less the distance of random labels from all functions of the unit ball, on points whose features "
    "are independent.",
)
def _section_3_4_dense(population, rng):
    y = rng.permutation([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
    signed = y[:, None] * gaussian_features(2.0 * rng.normal(size=(8, 2)), 0.5)
    if np.linalg.matrix_rank(signed) < len(y):
        raise AssertionError("features of distinct points are independent")
    # A function of the ball is within t of the labels where all margins are at least 1 - t, and the largest
    # margin is the distance of the hull of the signed points from the origin.
    design, target = np.vstack([signed.T, np.ones(len(y))]), np.append(np.zeros(signed.shape[1]), 1.0)
    u, _ = nnls(design, target)
    return 0.1 - (1.0 - np.linalg.norm(u / u.sum() @ signed))


@check(
    EQUALITIES,
    "section-4.3.4.rates",
    "Shares of contamination, computed from noise rates and back, and counted among flipped labels.",
    resolution=1e-9,
)
def _section_4_3_4_rates(population, rng):
    share, (negative, positive) = rng.uniform(0.2, 0.8), rng.uniform(0.0, 0.45, 2)
    alpha, beta, noisy_share = theory_noise.contamination_of_rates(negative, positive, share)
    back = theory_noise.rates_of_contamination(alpha, beta, noisy_share)
    y = np.where(rng.random(_LABELS) < share, 1, -1)
    flipped = flip_by_label(y, negative, positive, random_state=rng)
    found = np.array([np.mean(y[flipped > 0] < 0), np.mean(y[flipped < 0] > 0)])
    wanted = np.array([alpha, beta])
    # Counted shares count where they are beyond six standard errors.
    sizes = np.array([(flipped > 0).sum(), (flipped < 0).sum()])
    off = np.abs(found - wanted) - 6.0 * np.sqrt(np.maximum(wanted * (1 - wanted), 1e-4) / sizes)
    return max(np.abs(np.subtract(back, (negative, positive))).max(), off.max(), 0.0)


@check(EQUALITIES, "lemma-25", "Scores below zero that are within epsilon of one not below epsilon.")
def _lemma_25(population, rng):
    eps, v = rng.random(), rng.normal(size=200)
    near = v + eps * rng.uniform(-1.0, 1.0, 200)
    return float(((near < 0) & (v >= eps)).sum())


@check(EQUALITIES, "section-5.5.4", "Points that the linear loss with a squared norm leaves out.")
def _section_5_5_4(population, rng):
    signed, strength = population.y[:, None] * population.features, 0.01
    weights = weights_of_least_risk(losses.linear, signed, strength)
    return float((np.abs(weights) * len(signed) * strength < 1e-6).sum())


def weights_of_least_risk(loss, signed, strength):
    """Return the weights of signed points at the minimum of the mean loss plus ``strength / 2 ||w||^2``.

    By coordinate ascent on the dual, for a loss that is piecewise linear in the margin with a bend at 1 or
    none, found by its values at -100, 1 and 100.

    Parameters
    ----------
    loss : callable
    signed : ndarray of shape (n, r)
        ``y phi(x)``.
    strength : float > 0

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    The hinge loss leaves out what is beyond the margin, linear loss nothing:

    >>> signed = np.array([[1.0, 0.0], [3.0, 0.0]])
    >>> [weights_of_least_risk(loss, signed, 0.1).round(6).tolist() for loss in (losses.hinge, losses.linear)]
    [[1.0, 0.0], [5.0, 5.0]]
    """
    n, K = len(signed), signed @ signed.T
    steep = (loss(1.0, -100.0) - loss(1.0, 1.0)) / 101.0 / (n * strength)
    flat = (loss(1.0, 1.0) - loss(1.0, 100.0)) / 99.0 / (n * strength)
    weights = np.full(n, steep)
    for _ in range(2000):
        before = weights.copy()
        for i in range(n):
            weights[i] = np.clip(weights[i] + (1.0 - K[i] @ weights) / K[i, i], flat, steep)
        if np.abs(weights - before).max() < 1e-10 * steep:
            break
    return weights
