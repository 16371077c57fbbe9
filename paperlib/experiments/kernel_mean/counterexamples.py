"""The statements that fail as printed, each with an example that shows it."""

import itertools

import numpy as np
import pandas as pd

from paperlib.experiments.kernel_mean import sections_3_and_4, theory_mean, theory_noise
from paperlib.experiments.kernel_mean.populations import Population
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, LONG_SERVEDIO_PROBABILITIES
from paperlib.experiments.kernel_mean.section_4_3_orders import (
    SCORES,
    calibration_errors,
    order_violation,
)
from paperlib.experiments.steps import step
from paperlib.kernel_mean import KernelMeanClassifier, losses, theory

SIGMAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.49)
FAR = 300.0  # of Long and Servedio's far point, as in `figure_3_and_table_1.broken_potentials`


def lemma_3():
    """A score of 0 is an error for both labels, and so it fails for every eta but 0 and 1.

    Its 0-1 regret is ``max(eta, 1 - eta)``, its linear regret ``|1 - 2 eta|``: 1/2 and 0 at ``eta = 1/2``.
    """
    sides = [theory_mean.lemma_3([eta], [0.0]) for eta in np.linspace(0.01, 0.99, 99)]
    return "0-1 regret less linear regret, least of 99 etas", min(each.left - each.right for each in sides)


def definition_1():
    """Score 0 where the labels are equally likely: the logistic loss has its least risk there alone.

    ``[[y v <= 0]]`` makes its 0-1 risk 1, and 1/2 is the least.
    """
    scores = np.linspace(-5.0, 5.0, 201)
    risks, errors = (
        (loss(1, scores) + loss(-1, scores)) / 2.0 for loss in (losses.logistic, losses.zero_one)
    )
    return "0-1 regret of the minimiser of the logistic loss", float(errors[risks.argmin()] - errors.min())  # type: ignore[index]


def consistency():
    """Gaussian kernel, infinite sample: nine negatives at 0 outvote one positive at 1/2, which is wrong.

    The kernel is universal, and the labels have no noise.
    """
    X, y, p = np.array([[0.0], [0.5]]), np.array([-1, 1]), np.array([0.9, 0.1])
    scores = KernelMeanClassifier(gamma=0.5).fit(X, y, p).decision_function(X)
    risk = float(p @ losses.zero_one(y, scores))
    return "0-1 risk of the mean of an infinite sample, where the least is zero", risk


def section_3_1_potentials():
    """Two orthonormal examples with probabilities 3/4 and 1/4: no ball is small enough for equality.

    The mean points to (3, 1). The minimisers over a ball of radius r are off by a multiple of r.
    """
    uneven = Population(np.eye(2), np.array([1.0, 1.0]), np.array([0.75, 0.25]))
    radii = sections_3_and_4.RADII
    apart = sections_3_and_4.potential_distances(uneven, radii).min(axis=1)
    return "distance from the mean over the ball's radius, least of three radii", float(min(apart / radii))


def section_3_3():
    """``g(x) K(x, x') g(x')`` with a logistic g: the two classes have other normalisers.

    The integrals are bounded, one example each at -1 and 1; at x = -0.1 the two rules disagree.
    """

    def g(x):
        return 1.0 / (1.0 + np.exp(-3.0 * x))

    X, y, T, grid = np.array([-1.0, 1.0]), [1, -1], np.array([[-0.1]]), np.linspace(-12.0, 12.0, 20_001)
    masses = np.trapezoid(g(grid) * np.exp(-((grid - X[:, None]) ** 2) / 2), grid, axis=1) * g(X)
    left, right = theory_mean.section_3_3(g(T) * np.exp(-((T - X) ** 2) / 2) * g(X), y, masses)
    return "instances that the two rules label otherwise", float((np.sign(left) != np.sign(right)).sum())


def corollary_8():
    """An example that the mean has wrong by a hair: a little more of it, mixed in, puts it right.

    Two unit vectors, both positive, with probabilities 0.9 and 0.1; Q is the second alone, sigma is 0.05.
    """
    x = np.array([[1.0, 0.0], [-1 / 9 - 0.01, 0.0]])
    x[1, 1] = np.sqrt(1.0 - x[1, 0] ** 2)
    K, y, p, q, sigma = x @ x.T, np.array([1, 1]), np.array([0.9, 0.1]), np.array([0.0, 1.0]), 0.05
    clean = K @ (p * y)
    distance = float(np.linalg.norm((p - q) * y @ x))
    if not sigma < theory.corollary_8(theory.margin_for_error(y, clean, p), distance):
        raise AssertionError("the example must meet the corollary's condition")
    mixed = K @ (theory_noise.contaminate(p, q, sigma) * y)
    return "size of the difference of the two risks", float(
        abs(p @ losses.zero_one(y, clean) - p @ losses.zero_one(y, mixed))
    )


def theorem_15_condition():
    """Both losses that the paper applies it to break its condition ``l(1, v) != l(-1, v)`` at v = 0."""
    equal = [loss(1, 0.0) == loss(-1, 0.0) for loss in (losses.linear, losses.zero_one)]
    return "of linear and misclassification loss, those that break the condition", float(sum(equal))


def section_4_3_3_zero_one():
    """``[[y v <= 0]]`` is 1 at zero whatever the label: noise then changes an order."""
    found = order_violation(losses.zero_one, [0.0, 1.0], 0.2)
    return "pairs of distributions found that noise reorders", float(found is not None)


def theorem_16_calibrated():
    """Score 0 where the labels are equally likely: least linear risk, and wrong for both labels.

    ``[[y v <= 0]]`` makes its 0-1 risk 1, and 1/2 is the least.
    """
    found = calibration_errors([-1.0], [0.5], zeros="error")
    return "largest 0-1 regret of a minimiser of the linear loss", found.regret.item()


def section_4_3_long_servedio():
    """Two hinges, at 1 and at four times the far point: no minimiser under noise has any point wrong.

    Long and Servedio have a distribution for each potential, the paper one for all.
    """
    points = LONG_SERVEDIO_POINTS.copy()
    points[2, 0] = FAR
    risks = [worst_of_two_hinges(points, 4.0 * FAR, sigma) for sigma in SIGMAS]
    return "1/2 less the 0-1 risk of a potential's worst minimiser, least of seven noise rates", 0.5 - max(
        risks
    )


def worst_of_two_hinges(points, bend, sigma):
    """Return the largest 0-1 risk of a minimiser of ``[1 - u]_+ + sigma / (1 - 2 sigma) [bend - u]_+``.

    The noisy risk is linear between the lines on which a margin is 1 or `bend`, for either label. So the
    minimisers are the convex hull of those of their crossings that have the least risk, and where a point's
    score is least among them, it is at such a crossing.

    Parameters
    ----------
    points : ndarray of shape (3, 2)
        All positive, with the probabilities of Long and Servedio.
    bend : float > 1
    sigma : float in (0, 1/2)
    """
    p, scores = LONG_SERVEDIO_PROBABILITIES, []
    for i, j in itertools.combinations(range(len(points)), 2):
        ends = itertools.product((-bend, -1.0, 1.0, bend), repeat=2)
        scores += [points @ np.linalg.solve(points[[i, j]], each) for each in ends]
    scores = np.array(scores)  # type: ignore[assignment]

    def psi(u):
        return np.maximum(0.0, 1.0 - u) + sigma / (1.0 - 2.0 * sigma) * np.maximum(0.0, bend - u)

    risks = ((1.0 - sigma) * psi(scores) + sigma * psi(-scores)) @ p  # type: ignore[operator]
    least = scores[risks <= risks.min() * (1.0 + 1e-12)].min(axis=0)
    return float(p @ (least <= 1e-9))


def _square(y, v):
    """Ignore the label: noise changes nothing in it."""
    return np.asarray(v, dtype=float) ** 2 + 0.0 * np.asarray(y)


def theorem_16():
    """``v^2`` ignores the label: it is robust and convex, and no line."""
    if any(order_violation(_square, SCORES, sigma) is not None for sigma in SIGMAS):
        raise AssertionError("noise must leave the order of v^2 as it is")
    return "second difference of v^2, which is robust", float(np.diff(_square(1, [-1.0, 0.0, 1.0]), 2).item())


def theorem_18():
    """``v^2`` again: with one score for both classes its balanced error is ``v^2`` whatever the mixture.

    So C would have to be 0 for a score of 0, and 2 for a score of 1.
    """
    alpha = beta = 0.25
    wanted = []
    for score in (0.0, 1.0):
        alike = [score], [score]
        mixed = theory_noise.theorem_18(_square, *alike, alpha, beta).left
        clean = theory_noise.balanced_error(_square, *alike)
        wanted.append(2.0 * (mixed - (1.0 - alpha - beta) * clean) / (alpha + beta))
    return "difference of the two sides that the best C leaves", (alpha + beta) / 4.0 * abs(np.ptp(wanted))


def lemma_19():
    """``-y v`` is robust and negative: a risk below zero divided by ``1 - 2 sigma`` is lower than the least.

    One positive instance, one function with a score of 1, and sigma = 1/4.
    """

    def loss(y, v):
        return -np.asarray(y, dtype=float) * v

    if order_violation(loss, SCORES, 0.25) is not None:
        raise AssertionError("noise must leave the order of -y v as it is")
    risk = float(loss(1, 1.0))
    return "risk less the printed bound on it", risk - risk / (1.0 - 2.0 * 0.25)


def lemma_19_zero():
    """``-y v`` again: a function without risk is left for one that is right where labels are noisy no more.

    Two positive instances, noise 0 and 0.4, and two functions: zero, and (0.5, -0.6).
    """
    p, sigma, classes = np.array([0.5, 0.5]), np.array([0.0, 0.4]), np.array([[0.0, 0.0], [0.5, -0.6]])
    clean = -classes @ p
    noisy = -classes @ (p * (1.0 - 2.0 * sigma))
    if clean.min() != 0.0:
        raise AssertionError("the best function must have no risk")
    risk = float(clean[noisy.argmin()])
    return "clean risk of the minimiser under noise, where some function has none", risk


COUNTEREXAMPLES = {
    "section-2.zero, Definition 1": definition_1,
    "section-2.zero, Lemma 3": lemma_3,
    "consistency": consistency,
    "section-3.1.potentials": section_3_1_potentials,
    "section-3.3": section_3_3,
    "corollary-8": corollary_8,
    "section-2.zero, Theorem 15": theorem_15_condition,
    "section-2.zero, Section 4.3.3": section_4_3_3_zero_one,
    "section-2.zero, Theorem 16": theorem_16_calibrated,
    "section-4.3.long-servedio": section_4_3_long_servedio,
    "theorem-16": theorem_16,
    "theorem-18": theorem_18,
    "lemma-19": lemma_19,
    "lemma-19.zero": lemma_19_zero,
}


@step
def counterexample_table():
    """Evaluate each statement as printed on its counterexample.

    Returns
    -------
    DataFrame with a row per statement: statement, what, value
        Zero, or less for an inequality, is what the statement says.

    Examples
    --------
    >>> bool((counterexample_table().value > 0).all())
    True
    """
    rows = [(name, *example()) for name, example in COUNTEREXAMPLES.items()]
    return pd.DataFrame(rows, columns=["statement", "what", "value"])
