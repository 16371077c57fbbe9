"""The statements that fail as printed, each with an example that shows it."""

import numpy as np
import pandas as pd

from paperlib.experiments.kernel_mean import sections_3_and_4, theory_mean, theory_noise
from paperlib.experiments.kernel_mean.populations import Population
from paperlib.experiments.kernel_mean.section_4_3_orders import calibration_errors, order_violation
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


def theorem_16_calibrated():
    """Score 0 where the labels are equally likely: least linear risk, and wrong for both labels.

    ``[[y v <= 0]]`` makes its 0-1 risk 1, and 1/2 is the least.
    """
    found = calibration_errors([-1.0], [0.5], zeros="error")
    return "largest 0-1 regret of a minimiser of the linear loss", found.regret.item()


COUNTEREXAMPLES = {
    "section-2.zero, Lemma 3": lemma_3,
    "section-3.1.potentials": section_3_1_potentials,
    "section-3.3": section_3_3,
    "corollary-8": corollary_8,
    "section-2.zero, Theorem 15": theorem_15_condition,
    "section-2.zero, Section 4.3.3": section_4_3_3_zero_one,
    "section-2.zero, Theorem 16": theorem_16_calibrated,
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
