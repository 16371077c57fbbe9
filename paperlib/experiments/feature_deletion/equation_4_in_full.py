"""Equation (4) with all its variables, as a library is given it: its size, and what its solutions do."""

import math

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paperlib.experiments.feature_deletion.losses import every_set
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion._solver.linear_programme import equation_4

N_EXAMPLES, N_FEATURES, FLIPS = 41, 5, 0.3  # of the samples for the slacks: a third of them are mistakes
PASSED = ((100, 20), (300, 20), (1000, 20), (300, 100))  # m and n of the programmes whose passes are counted
SIZES = (("m", 20, 10), ("m", 40, 10), ("m", 80, 10), ("n", 40, 5), ("n", 40, 10), ("n", 40, 20))


@step
def sizes() -> pd.DataFrame:
    """Count the variables, constraints and entries of Equation (4), first as m doubles, then as n does.

    Returns
    -------
    DataFrame with a row per size: grows ("m" or "n"), m, n, variables, constraints, entries

    Examples
    --------
    >>> sizes().iloc[0, 1:].astype(int).tolist()
    [20, 10, 251, 220, 860]
    """
    rng, rows = np.random.default_rng(0), []  # no feature is zero, whatever is drawn
    for grows, m, n in SIZES:
        X, y = redundant_sample(m, n, rng)
        cost, A, _, _ = equation_4(X, y, np.ones(n), 1.0, 1.0, 1.0)
        rows.append((grows, m, n, cost.size, A.shape[0], A.nnz))
    return pd.DataFrame(rows, columns=["grows", "m", "n", "variables", "constraints", "entries"])


@step
def passes(*, seed: int) -> pd.DataFrame:
    """Say whether the programme takes ten times the multiplications of the perceptron, or more.

    The perceptron makes one pass, of a multiplication for each entry. An iteration by gradients makes such a
    pass, too; one of the interior point multiplies each example with itself, n for each entry.

    Returns
    -------
    DataFrame with a row per solver and size: solver, m, n, ten, about
        To a gap of a hundredth. How many iterations they are exactly depends on a processor's rounding, so
        that `about` is the nearest power of ten.
    """
    rng, rows = stream(seed, "passes"), []
    for m, n in PASSED:
        X, y = redundant_sample(m, n, rng, flips=FLIPS)
        for solver in ("auto", "first_order"):
            clf = FeatureDeletionLP(n // 5, C=5.0 / n, solver=solver, tol=1e-2).fit(X, y)
            times = clf.n_iter_ * (n if solver == "auto" else 1)
            rows.append((solver, m, n, times >= 10, 10 ** round(math.log10(times))))
    return pd.DataFrame(rows, columns=["solver", "m", "n", "ten", "about"])


@step
def solutions(n_programmes: int, *, seed: int) -> pd.DataFrame:
    """Solve Equation (4) by HiGHS, and try every set of features on each example of what it returns.

    Parameters
    ----------
    n_programmes : int >= 1
        Each of 41 examples with five features, of random values.
    seed : int

    Returns
    -------
    DataFrame with a row per example: programme, margin (gamma), slack (xi), mistake, violated
        Whether some deletion turns it (Equation 1); and by how much w, b and xi violate, at worst, a
        constraint of Equation (3) on it or on the weights, below zero where none is.
    """
    rng, rows = stream(seed, "Equation 4 in full"), []
    for programme in range(n_programmes):
        X, y = redundant_sample(N_EXAMPLES, N_FEATURES, rng, flips=FLIPS)
        values = rng.choice([0.5, 1.0, 1.7, 3.0], size=N_FEATURES)
        budget, margin = rng.uniform(0.1, 0.6) * values.sum(), rng.uniform(0.1, 2.0)
        cost, A, limits, bounds = equation_4(X, y, values, budget, margin, 1.0)
        z = linprog(cost, A, limits, bounds=bounds, method="highs").x
        w, b, xi = z[:N_FEATURES], z[N_FEATURES], z[N_FEATURES + 1 :][:N_EXAMPLES]
        kept = every_set(values, budget)
        left = y[:, None] * ((X * w) @ kept.T + b)
        asked = margin * (kept @ values) / (values.sum() - budget)
        violated = np.maximum((asked - left).max(axis=1) - xi, -xi)
        violated = np.maximum(violated, np.abs(w).max() - 1.0)  # C is 1
        rows += [(programme, margin, *each) for each in zip(xi, left.min(axis=1) <= 0, violated)]
    return pd.DataFrame(rows, columns=["programme", "margin", "slack", "mistake", "violated"])
