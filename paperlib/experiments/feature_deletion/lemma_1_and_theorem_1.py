"""Lemma 1 and Theorem 1, how far Equation (4) is from Equation (3), tried on random cases."""

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paperlib._common.typing import Floats
from paperlib.experiments.feature_deletion import theory_lemma_1
from paperlib.experiments.feature_deletion.losses import every_set, relaxed_losses
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step
from paperlib.feature_deletion import FeatureDeletionLP, theory

SOLVED = 1e-8  # two solvers may differ by as much


@step
def lemma_1(n_cases: int, *, seed: int) -> pd.DataFrame:
    """Equations (5) to (7) for single examples, by trying all sets J and by a linear programme.

    Parameters
    ----------
    n_cases : int >= 1
        Half of them with values of 0 and 1 and an integer N.
    seed : int

    Returns
    -------
    DataFrame with a row per case
        whole (values are 0 or 1, and N an integer); least (of Equation 6, over all J) and programme (Equation
        7, by a linear programme), without the library; by its adversary, relaxed (Equation 7), and of the
        minimiser the value, how many of its entries lie strictly between 0 and 1, and whether it is feasible.
    """
    rng, rows = stream(seed, "Lemma 1"), []
    for case in range(n_cases):
        n, whole = int(rng.integers(2, 8)), case % 2 == 0
        w, x, b = rng.uniform(-1, 1, size=n), rng.uniform(-1, 1, size=n), rng.uniform(-1, 1)
        y, margin = rng.choice([-1, 1]), rng.uniform(0.1, 2.0)
        values = (
            rng.integers(0, 2, size=n).astype(float) if whole else rng.choice([0.5, 1.0, 1.7, 3.0], size=n)
        )
        values[0] = 1.0
        budget = float(rng.integers(0, values.sum())) if whole else rng.uniform(0, 0.95) * values.sum()
        worth = y * w * x - margin * values / (values.sum() - budget)
        P = values.sum() - budget
        least = y * b + (every_set(values, budget) @ worth).min()
        programme = y * b + linprog(worth, -values[None], [-P], bounds=(0, 1)).fun
        found = theory_lemma_1.lemma_1(w, b, x, y, budget, margin, values)
        tau = found.kept
        between = int(((tau > 1e-12) & (tau < 1 - 1e-12)).sum())
        feasible = values @ tau >= P - 1e-9
        rows.append((whole, least, programme, found.relaxed, y * b + worth @ tau, between, feasible))
    columns = ["whole", "least", "programme", "relaxed", "value", "between", "feasible"]
    return pd.DataFrame(rows, columns=columns)


def equation_3(
    X: Floats,
    y: Floats,
    n_deleted: float,
    margin: float = 1.0,
    C: float = 1.0,
    values: Floats | None = None,
) -> float:
    """The least value of Equation (3), by a linear programme with a row for every set of features.

    Parameters
    ----------
    X : ndarray of shape (m, n)
        n of 10 at most is wise: the rows are up to ``2^n m``.
    y : ndarray of shape (m,), of -1.0 and 1.0
    n_deleted, margin, C : float
    values : ndarray of shape (n,), optional

    Returns
    -------
    float
    """
    m, n = X.shape
    values = np.ones(n) if values is None else values
    rows, limits = [], []
    for kept in every_set(values, n_deleted):
        rows.append(np.column_stack([-y[:, None] * X * kept, -y, -np.eye(m)]))
        limits.append(np.full(m, -margin * kept @ values / (values.sum() - n_deleted)))
    cost = np.concatenate([np.zeros(n + 1), np.full(m, 1.0 / m)])
    bounds = [(-C, C)] * n + [(None, None)] + [(0, None)] * m
    return float(linprog(cost, np.vstack(rows), np.concatenate(limits), bounds=bounds).fun)


def equation_4(
    X: Floats,
    y: Floats,
    n_deleted: float,
    margin: float = 1.0,
    C: float = 1.0,
    values: Floats | None = None,
) -> float:
    """Value of Equation (4) at what `FeatureDeletionLP` finds: computed from the data, not as reported.

    Parameters
    ----------
    X, y, n_deleted, margin, C, values
        As in `equation_3`.

    Returns
    -------
    float
    """
    clf = FeatureDeletionLP(n_deleted, margin=margin, C=C, feature_values=values, tol=1e-8).fit(X, y)
    w, b = clf.coef_[0], float(clf.intercept_[0])
    return float(relaxed_losses(w, b, X, y, n_deleted, margin, values).mean())


@step
def theorem_1(n_cases: int, *, seed: int) -> pd.DataFrame:
    """Values of Equations (3) and (4) on small random samples, and where they differ most.

    Parameters
    ----------
    n_cases : int >= 1
        Of each kind: values of 0 and 1 with an integer N, with any N, and other values.
    seed : int

    Returns
    -------
    DataFrame with a row per case: kind, equation_3, equation_4, difference, allowed
        Of the kind "tight" are five more, of which the difference is 99 % of what is allowed (see
        `theory.theorem_1`): N is 0.99 of the least value, that of the one feature that tells anything. Their
        values are neither 0 nor 1, as the statement has it.
    """
    rng, rows = stream(seed, "Theorem 1"), []
    for kind in ("0 or 1, N whole", "0 or 1, any N", "any"):
        for _ in range(n_cases):
            m, n = int(rng.integers(4, 12)), int(rng.integers(2, 6))
            X, y = redundant_sample(m, n, rng, flips=0.3)
            values = np.ones(n) if kind.startswith("0") else rng.choice([0.5, 1.0, 1.7, 3.0], size=n)
            if kind.startswith("0"):
                values[rng.integers(n)] = rng.integers(0, 2)
            budget = rng.uniform(0, 0.9) * values.sum()
            if kind.endswith("whole"):
                budget = float(int(budget))
            C = rng.choice([0.5, 1.0, 3.0])
            by_4 = equation_4(X, y, budget, C=C, values=values)
            by_3 = equation_3(X, y, budget, C=C, values=values)
            allowed = theory.theorem_1(budget, C=C, feature_values=values)
            rows.append((kind, by_3, by_4, to_resolution(by_4 - by_3, SOLVED), allowed))
    for n in range(2, 7):
        X, y = np.zeros((2, n)), np.array([1.0, -1.0])
        X[:, 0] = y
        values = np.append(0.5, rng.choice([0.7, 1.7, 3.0], size=n - 1))
        budget = 0.99 * values[0]
        C = 0.5 * (values.sum() + values[0]) / (values.sum() - budget)  # half-way between what makes it tight
        by_4, by_3 = (solve(X, y, budget, C=C, values=values) for solve in (equation_4, equation_3))
        allowed = theory.theorem_1(budget, C=C, feature_values=values)
        rows.append(("tight", by_3, by_4, to_resolution(by_4 - by_3, SOLVED), allowed))
    return pd.DataFrame(rows, columns=["kind", "equation_3", "equation_4", "difference", "allowed"])


def half_a_feature() -> tuple[float, float]:
    """Equations (3) and (4) where N = 1/2: the counterexample to Theorem 1's equality for values of one.

    Examples
    --------
    >>> by_3, by_4 = half_a_feature()
    >>> round(by_3, 6), round(by_4, 6)
    (0.333333, 0.5)
    """
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    return equation_3(X, y, 0.5), equation_4(X, y, 0.5)
