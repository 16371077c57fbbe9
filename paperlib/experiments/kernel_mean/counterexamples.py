"""The statements that fail as printed, each with an example that shows it."""

import numpy as np
import pandas as pd

from paperlib.experiments.kernel_mean import sections_3_and_4, theory_mean, theory_noise
from paperlib.experiments.kernel_mean.populations import Population
from paperlib.experiments.kernel_mean.section_4_3_orders import SCORES, calibration_errors, order_violation
from paperlib.experiments.steps import step
from paperlib.kernel_mean import losses, theory


def lemma_3():
    """A score of 0 is an error for both labels, and so it fails for every eta but 0 and 1.

    Its 0-1 regret is ``max(eta, 1 - eta)``, its linear regret ``|1 - 2 eta|``: 1/2 and 0 at ``eta = 1/2``.
    """
    sides = [theory_mean.lemma_3([eta], [0.0]) for eta in np.linspace(0.01, 0.99, 99)]
    return "0-1 regret less linear regret, least of 99 etas", min(each.left - each.right for each in sides)


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


def _square(y, v):
    return v**2 + 0.0 * y


def theorem_16():
    """``l(y, v) = v^2`` is convex, and noise cannot change it as it ignores the label; it is not linear."""

    if order_violation(_square, SCORES, 0.3) is not None:
        raise AssertionError("the example must be robust")
    return "deviation of v^2 from any lambda y v + g(y)", theory_noise.theorem_16(_square, SCORES).deviation


def lemma_19():
    """Linear loss at scores of 3: its risk is -2, the bound ``-2 / (1 - 2 sigma)`` is lower."""
    sigma, y = 0.25, np.array([1.0, -1.0])
    classes = np.array([[3.0, -3.0], [1.0, -1.0]])
    clean = np.array([losses.linear(y, f).mean() for f in classes])
    noisy = [((1 - sigma) * losses.linear(y, f) + sigma * losses.linear(-y, f)).mean() for f in classes]
    return "risk of the noisy minimiser less its bound", float(
        clean[np.argmin(noisy)] - clean.min() / (1.0 - 2.0 * sigma)
    )


def theorem_16_calibrated():
    """Score 0 where the labels are equally likely: least linear risk, and wrong for both labels.

    ``[[y v <= 0]]`` makes its 0-1 risk 1, and 1/2 is the least.
    """
    found = calibration_errors([-1.0], [0.5], zeros="error")
    return "largest 0-1 regret of a minimiser of the linear loss", found.regret.item()


def section_4_3_4_conditional():
    """``l(y, v) = v^2`` is convex and no constant, and noise of any rates leaves it as it is."""
    rates = [(0.0, 0.3), (0.3, 0.1), (0.45, 0.35)]
    kept = all(theory_noise.same_order(_square, SCORES, *each) for each in rates)
    return "convex losses found that noise of unequal rates leaves in order", float(kept)


def lemma_19_zero():
    """Linear loss, two functions on two positive examples: noise on one favours the one with a risk.

    The scores are (1, 1), without risk, and (-1, 2.9), with 0.05. Under noise of 0.49 on the first example
    their risks are 0.49 and -0.44.
    """
    sigma, classes = np.array([0.49, 0.0]), np.array([[1.0, 1.0], [-1.0, 2.9]])
    clean = np.array([losses.linear(1, f).mean() for f in classes])
    noisy = [((1 - sigma) * losses.linear(1, f) + sigma * losses.linear(-1, f)).mean() for f in classes]
    return "clean risk of the noisy minimiser", float(clean[np.argmin(noisy)])


COUNTEREXAMPLES = {
    "lemma-3": lemma_3,
    "section-3.1.potentials": section_3_1_potentials,
    "section-3.3": section_3_3,
    "corollary-8": corollary_8,
    "theorem-15.condition": theorem_15_condition,
    "section-4.3.3.zero-one": section_4_3_3_zero_one,
    "theorem-16": theorem_16,
    "theorem-16.calibrated": theorem_16_calibrated,
    "section-4.3.4.conditional": section_4_3_4_conditional,
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
