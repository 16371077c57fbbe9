"""Equation (4) with all its variables, as a library is given it: its size, and what its solutions do."""

import itertools

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paperlib._common.random_state import RandomState
from paperlib.experiments.feature_deletion.losses import every_set
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.feature_deletion._solver.linear_programme import equation_4

N_EXAMPLES, N_FEATURES, FLIPS = 41, 5, 0.3  # of the samples for the slacks: a third of them are mistakes
SIZES = (("m", 20, 10), ("m", 40, 10), ("m", 80, 10), ("n", 40, 5), ("n", 40, 10), ("n", 40, 20))


def sizes(random_state: RandomState = None) -> pd.DataFrame:
    """Count the variables, constraints and entries of Equation (4), first as m doubles, then as n does.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None
        Of the data, none of which are zero.

    Returns
    -------
    DataFrame with a row per size: grows ("m" or "n"), m, n, variables, constraints, entries

    Examples
    --------
    >>> sizes(0).iloc[0, 1:].astype(int).tolist()
    [20, 10, 251, 220, 860]
    """
    rng, rows = np.random.default_rng(random_state), []
    for grows, m, n in SIZES:
        X, y = redundant_sample(m, n, rng)
        cost, A, _, _ = equation_4(X, y, np.ones(n), 1.0, 1.0, 1.0)
        rows.append((grows, m, n, cost.size, A.shape[0], A.nnz))
    return pd.DataFrame(rows, columns=["grows", "m", "n", "variables", "constraints", "entries"])


def largest_exponent(counts: pd.DataFrame) -> float:
    """Return the largest exponent with which a count grows where m or n doubles.

    Examples
    --------
    >>> largest_exponent(sizes(0))
    1.0
    """
    found = []
    for _, rows in counts.groupby("grows"):
        for before, after in itertools.pairwise(rows.drop(columns=["grows", "m", "n"]).to_numpy(dtype=float)):
            found.append(np.log2(after / before).max())
    return float(max(found))


def solutions(n_programmes: int, random_state: RandomState = None) -> pd.DataFrame:
    """Solve Equation (4) by HiGHS, and try every set of features on each example of what it returns.

    Parameters
    ----------
    n_programmes : int >= 1
        Each of 41 examples with five features, of random values.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per example: programme, margin (gamma), slack (xi), mistake, violated
        Whether some deletion turns it (Equation 1); and by how much w, b and xi violate, at worst, a
        constraint of Equation (3) on it or on the weights, below zero where none is.
    """
    rng, rows = np.random.default_rng(random_state), []
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
