"""The lemmas and theorems tried on random cases; each returns a table of what was measured and allowed."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from paperlib._common.typing import Floats, RandomState
from paperlib.feature_deletion import theory
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.knapsack import hinge_losses
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron


def redundant_sample(m: int, n: int, rng: np.random.Generator, flips: float = 0.05) -> tuple[Floats, Floats]:
    """Examples of which every feature tells something: ``y x_j`` is uniform in [-0.4, 1].

    Parameters
    ----------
    m, n : int >= 1
    rng : numpy.random.Generator
    flips : float in [0, 1]
        Share of the labels that are wrong.

    Returns
    -------
    X : ndarray of shape (m, n), and y : ndarray of shape (m,), of -1.0 and 1.0
    """
    y = rng.choice([-1.0, 1.0], size=m)
    y[:2] = 1.0, -1.0
    X = y[:, None] * rng.uniform(-0.4, 1.0, size=(m, n))
    y[2:][rng.uniform(size=max(m - 2, 0)) < flips] *= -1
    return X, y


def mean_loss(w: Floats, b: float, X: Floats, y: Floats, n_deleted: int, gamma: float = 1.0) -> float:
    """Mean of Equation (12) for values of one and an integer N."""
    n = X.shape[1]
    losses, fractions = np.empty(len(X)), np.empty(X.shape)
    hinge_losses(X, y, w, b, np.ones(n), float(n_deleted), gamma / (n - n_deleted), losses, fractions)
    return float(losses.mean())


def lemma_1(n_cases: int, random_state: RandomState = None) -> pd.DataFrame:
    """Equations (5) to (7) for single examples, by trying all sets J and by a linear programme.

    Parameters
    ----------
    n_cases : int >= 1
        Half of them with values of 0 and 1 and an integer N.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per case
        whole (values are 0 or 1, and N an integer), least (of Equation 6, over all J), relaxed (Equation 7,
        by a linear programme), and of `theory.lemma_1`'s minimiser the value, how many of its entries lie
        strictly between 0 and 1, and whether it is feasible.
    """
    rng, rows = np.random.default_rng(random_state), []
    for case in range(n_cases):
        n, whole = int(rng.integers(2, 8)), case % 2 == 0
        w, x, b = rng.uniform(-1, 1, size=n), rng.uniform(-1, 1, size=n), rng.uniform(-1, 1)
        y, gamma = rng.choice([-1, 1]), rng.uniform(0.1, 2.0)
        values = (
            rng.integers(0, 2, size=n).astype(float) if whole else rng.choice([0.5, 1.0, 1.7, 3.0], size=n)
        )
        values[0] = 1.0
        budget = float(rng.integers(0, values.sum())) if whole else rng.uniform(0, 0.95) * values.sum()
        worth = y * w * x - gamma * values / (values.sum() - budget)
        P = values.sum() - budget
        kept = np.array(list(itertools.product([0.0, 1.0], repeat=n)))
        kept = kept[kept @ values >= P - 1e-12]
        least = y * b + (kept @ worth).min()
        relaxed = y * b + linprog(worth, -values[None], [-P], bounds=(0, 1)).fun
        tau = theory.lemma_1(w, b, x, y, budget, gamma, values).kept
        between = int(((tau > 1e-12) & (tau < 1 - 1e-12)).sum())
        feasible = values @ tau >= P - 1e-9
        rows.append((whole, least, relaxed, y * b + worth @ tau, between, feasible))
    return pd.DataFrame(rows, columns=["whole", "least", "relaxed", "value", "between", "feasible"])


def equation_3(
    X: Floats,
    y: Floats,
    n_deleted: float,
    gamma: float = 1.0,
    C: float = 1.0,
    values: Floats | None = None,
) -> float:
    """The least value of Equation (3), by a linear programme with a row for every set of features.

    Parameters
    ----------
    X : ndarray of shape (m, n)
        n of 10 at most is wise: the rows are up to ``2^n m``.
    y : ndarray of shape (m,), of -1.0 and 1.0
    n_deleted, gamma, C : float
    values : ndarray of shape (n,), optional

    Returns
    -------
    float
    """
    m, n = X.shape
    values = np.ones(n) if values is None else values
    rows, limits = [], []
    for kept in np.array(list(itertools.product([0.0, 1.0], repeat=n))):
        if (1.0 - kept) @ values <= n_deleted + 1e-12:
            rows.append(np.column_stack([-y[:, None] * X * kept, -y, -np.eye(m)]))
            limits.append(np.full(m, -gamma * kept @ values / (values.sum() - n_deleted)))
    cost = np.concatenate([np.zeros(n + 1), np.full(m, 1.0 / m)])
    bounds = [(-C, C)] * n + [(None, None)] + [(0, None)] * m
    return float(linprog(cost, np.vstack(rows), np.concatenate(limits), bounds=bounds).fun)


def theorem_1(n_cases: int, random_state: RandomState = None) -> pd.DataFrame:
    """Values of Equations (3) and (4) on small random samples.

    Parameters
    ----------
    n_cases : int >= 1
        Of each kind: values of 0 and 1 with an integer N, with any N, and other values.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per case: kind, equation_3, equation_4, difference, allowed
    """
    rng, rows = np.random.default_rng(random_state), []
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
            by_4 = FeatureDeletionLP(budget, C=C, feature_values=values, tol=1e-8).fit(X, y).objective_
            by_3 = equation_3(X, y, budget, C=C, values=values)
            allowed = theory.theorem_1(budget, C=C, feature_values=values)
            rows.append((kind, by_3, by_4, by_4 - by_3, allowed))
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
    by_4 = FeatureDeletionLP(0.5, C=1.0, tol=1e-9).fit(X, y).objective_
    return equation_3(X, y, 0.5), float(by_4)


def theorem_2(
    sizes: Sequence[int],
    n_runs: int,
    *,
    n: int = 10,
    n_deleted: int = 2,
    gamma: float = 0.3,
    C: float = 1.0,
    delta: float = 0.05,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The risk bound for the LP's weights, beside the risk itself on 20,000 further examples.

    Parameters
    ----------
    sizes : sequence of int
        Training examples.
    n_runs : int >= 1
        For each size.
    n, n_deleted : int
    gamma, C, delta : float
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size and run: m, run, loss (mean of Equation 10), risk, bound, weaker
    """
    rng, rows = np.random.default_rng(random_state), []
    X_test, y_test = redundant_sample(20_000, n, rng)
    for m, run in itertools.product(sizes, range(n_runs)):
        X, y = redundant_sample(m, n, rng)
        w = FeatureDeletionLP(n_deleted, gamma=gamma, C=C, tol=1e-4).fit(X, y).coef_[0]
        loss = float(theory.gamma_loss(w, X, y, n_deleted, gamma).mean())
        risk = float(theory.gamma_loss(w, X_test, y_test, n_deleted, 0.0).mean())
        found = theory.theorem_2(loss, m, n_deleted, gamma, C, delta, np.ones(n))
        rows.append((m, run, loss, risk, found.bound, found.weaker))
    return pd.DataFrame(rows, columns=["m", "run", "loss", "risk", "bound", "weaker"])


def theorem_3(
    budgets: Sequence[int],
    eps: float,
    n_draws: int,
    *,
    n_kept: int = 20,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """How often noise in N features turns the prediction of a classifier that stands their deletion.

    Examples ``y s (1, ..., 1)``, s such that the programme's only solution without a loss is the corner of
    the cube: then Equation (10) is 0, and the theorem allows mistakes with probability `eps`. The noise is a
    fair coin of -1 and 1.

    Parameters
    ----------
    budgets : sequence of int
        N; there are `n_kept` features more.
    eps : float in (0, 1)
    n_draws : int >= 2
    n_kept : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per N and constant: n_deleted, constant, gamma, loss, rate, stderr
    """
    rng, rows = np.random.default_rng(random_state), []
    y = np.array([1.0, -1.0])
    for n_deleted in budgets:
        n = n_deleted + n_kept
        coins = 2.0 * rng.binomial(n_deleted, 0.5, size=n_draws) - n_deleted
        for constant in ("printed", "corrected"):
            gamma = theory.theorem_3(n_deleted, eps, printed=constant == "printed")
            s = gamma / n_kept * (1 + 1e-6)
            X = np.repeat(s * y[:, None], n, axis=1)
            w = FeatureDeletionLP(n_deleted, gamma=gamma, tol=1e-9).fit(X, y).coef_[0]
            loss = theory.gamma_loss(w, X, y, n_deleted, gamma).max()
            turned = n_kept * s * w.mean() + w.mean() * coins < 0
            rate = turned.mean()
            rows.append((n_deleted, constant, gamma, loss, rate, turned.std(ddof=1) / np.sqrt(n_draws)))
    return pd.DataFrame(rows, columns=["n_deleted", "constant", "gamma", "loss", "rate", "stderr"])


def theorem_4(
    n_sequences: int,
    sizes: Sequence[int],
    *,
    n: int = 10,
    n_deleted: int = 2,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The perceptron's mean loss on sequences, beside that of the best fixed hypothesis and the bound.

    Parameters
    ----------
    n_sequences : int >= 1
        For each size and order.
    sizes : sequence of int
        Lengths.
    n, n_deleted : int
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sequence: order, m, C, online, fixed, allowed
        In the order "random" examples are independent; in "sorted" all of one label come first; in
        "turning" the labels of the second half are turned round.
    """
    rng, rows = np.random.default_rng(random_state), []
    for order, m, _ in itertools.product(("random", "sorted", "turning"), sizes, range(n_sequences)):
        X, y = redundant_sample(m, n, rng)
        if order == "sorted":
            at = np.argsort(y, kind="stable")
            X, y = X[at], y[at]
        elif order == "turning":
            y[m // 2 :] *= -1
        X /= np.abs(X).sum(axis=1).max()
        C = float(rng.choice([1.0, 3.0, 10.0]))
        online = FeatureDeletionPerceptron(n_deleted, C=C, shuffle=False).fit(X, y).mean_loss_
        # Its bias is not bounded by C, which can only make it better.
        fixed = FeatureDeletionLP(n_deleted, C=C, tol=1e-4).fit(X, y)
        fixed = fixed.objective_ - fixed.dual_gap_
        rows.append((order, m, C, online, fixed, theory.theorem_4(n, m, C)))
    return pd.DataFrame(rows, columns=["order", "m", "C", "online", "fixed", "allowed"])


def corollary_1(
    sizes: Sequence[int],
    n_runs: int,
    *,
    n: int = 10,
    n_deleted: int = 2,
    C: float = 10.0,
    delta: float = 0.05,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The averaged perceptron's expected loss less the least one, beside the bound on that.

    Parameters
    ----------
    sizes : sequence of int
    n_runs : int >= 1
        For each size.
    n, n_deleted : int
    C, delta : float
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size and run: m, run, excess, allowed
        Losses over 20,000 further examples; the least loss is that of the LP on those, with a bias
        that is free, so that the excess is too large rather than too small.
    """
    rng, rows = np.random.default_rng(random_state), []
    X_test, y_test = redundant_sample(20_000, n, rng)
    X_test /= n
    least = FeatureDeletionLP(n_deleted, C=C, tol=1e-3).fit(X_test, y_test)
    least = least.objective_ - least.dual_gap_
    for m, run in itertools.product(sizes, range(n_runs)):
        X, y = redundant_sample(m, n, rng)
        clf = FeatureDeletionPerceptron(n_deleted, C=C, shuffle=False).fit(X / n, y)
        w, b = clf.coef_[0], float(clf.intercept_[0])
        excess = mean_loss(w, b, X_test, y_test, n_deleted) - least
        rows.append((m, run, excess, theory.corollary_1(n, m, delta, n_deleted, C=C)))
    return pd.DataFrame(rows, columns=["m", "run", "excess", "allowed"])


def corruption_limit(
    sizes: Sequence[int], share: float, n_examples: int, random_state: RandomState = None
) -> pd.DataFrame:
    """How often noise in place of deletion changes the outcome, as features become many (Section 2.4).

    Each example has a quality q, uniform in [0, 1]; ``y x_j`` is 1 with probability ``(1 + q) / 2``, else -1,
    for every feature, and all weights are equal. The adversary picks a `share` of the features among those
    that agree, and they are deleted, or replaced by noise uniform in [-1, 1].

    Parameters
    ----------
    sizes : sequence of int
        Numbers of features.
    share : float in (0, 1)
    n_examples : int >= 2
        For each size.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size: n, deletion, corruption (errors), changed, stderr (of changed)
    """
    rng, rows = np.random.default_rng(random_state), []
    for n in sizes:
        agreeing = rng.binomial(n, (1 + rng.uniform(size=n_examples)) / 2)
        gone = np.minimum(agreeing, round(share * n))
        margin = 2.0 * agreeing - n - gone
        noise = np.array([rng.uniform(-1, 1, size=k).sum() for k in gone])
        deleted, corrupted = margin <= 0, margin + noise <= 0
        changed = deleted != corrupted
        stderr = changed.std(ddof=1) / np.sqrt(n_examples)
        rows.append((n, deleted.mean(), corrupted.mean(), changed.mean(), stderr))
    return pd.DataFrame(rows, columns=["n", "deletion", "corruption", "changed", "stderr"])
