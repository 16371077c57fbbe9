"""Theorems 2 and 4 and Corollary 1, the bounds on the risk, tried on random samples.

Every trial draws some samples of each of the `sizes` (numbers of examples), ten features of which two may go,
and returns a table with a row per sample. A bound may fail with probability `delta`.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from paperlib._common.random_state import RandomState
from paperlib.experiments.feature_deletion.losses import mean_loss
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron, theory

N_FEATURES, N_DELETED = 10, 2
MARGIN = 0.3  # of Theorem 2's programme, where C is 1
LARGEST = 10.0  # C of Corollary 1's perceptron, where margin is 1


def theorem_2(
    sizes: Sequence[int],
    n_runs: int,
    *,
    delta: float = 0.05,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The risk bound for the LP's weights, beside the risk itself on 20,000 further examples.

    Returns
    -------
    DataFrame with a row per size and run: m, run, loss (mean of Equation 10), risk, bound, weaker
    """
    rng, rows = np.random.default_rng(random_state), []
    X_test, y_test = redundant_sample(20_000, N_FEATURES, rng)
    for m, run in itertools.product(sizes, range(n_runs)):
        X, y = redundant_sample(m, N_FEATURES, rng)
        w = FeatureDeletionLP(N_DELETED, margin=MARGIN, tol=1e-4).fit(X, y).coef_[0]
        loss = float(theory.margin_loss(w, X, y, N_DELETED, MARGIN).mean())
        risk = float(theory.margin_loss(w, X_test, y_test, N_DELETED, 0.0).mean())
        found = theory.theorem_2(loss, m, N_DELETED, MARGIN, 1.0, delta, np.ones(N_FEATURES))
        rows.append((m, run, loss, risk, found.bound, found.weaker))
    return pd.DataFrame(rows, columns=["m", "run", "loss", "risk", "bound", "weaker"])


def theorem_4(
    n_sequences: int,
    sizes: Sequence[int],
    *,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The perceptron's mean loss on sequences, beside that of the best fixed hypothesis and the bound.

    `n_sequences` of each size and order.

    Returns
    -------
    DataFrame with a row per sequence: order, m, C, online, fixed, allowed
        In the order "random" examples are independent; in "sorted" all of one label come first; in
        "turning" the labels of the second half are turned round.
    """
    rng, rows = np.random.default_rng(random_state), []
    for order, m, _ in itertools.product(("random", "sorted", "turning"), sizes, range(n_sequences)):
        X, y = redundant_sample(m, N_FEATURES, rng)
        if order == "sorted":
            at = np.argsort(y, kind="stable")
            X, y = X[at], y[at]
        elif order == "turning":
            y[m // 2 :] *= -1
        X /= np.abs(X).sum(axis=1).max()
        C = float(rng.choice([1.0, 3.0, 10.0]))
        online = FeatureDeletionPerceptron(N_DELETED, C=C, shuffle=False).fit(X, y).mean_loss_
        # Its bias is not bounded by C, which can only make it better.
        fixed = FeatureDeletionLP(N_DELETED, C=C, tol=1e-4).fit(X, y)
        fixed = fixed.objective_ - fixed.dual_gap_
        rows.append((order, m, C, online, fixed, theory.theorem_4(N_FEATURES, m, C)))
    return pd.DataFrame(rows, columns=["order", "m", "C", "online", "fixed", "allowed"])


def corollary_1(
    sizes: Sequence[int],
    n_runs: int,
    *,
    delta: float = 0.05,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """The averaged perceptron's expected loss less the least one, beside the bound on that.

    Returns
    -------
    DataFrame with a row per size and run: m, run, excess, allowed
        Losses over 20,000 further examples; the least loss is that of the LP on those, with a bias
        that is free, so that the excess is too large rather than too small.
    """
    rng, rows = np.random.default_rng(random_state), []
    X_test, y_test = redundant_sample(20_000, N_FEATURES, rng)
    X_test /= N_FEATURES
    least = FeatureDeletionLP(N_DELETED, C=LARGEST, tol=1e-3).fit(X_test, y_test)
    least = least.objective_ - least.dual_gap_
    for m, run in itertools.product(sizes, range(n_runs)):
        X, y = redundant_sample(m, N_FEATURES, rng)
        clf = FeatureDeletionPerceptron(N_DELETED, C=LARGEST, shuffle=False).fit(X / N_FEATURES, y)
        w, b = clf.coef_[0], float(clf.intercept_[0])
        excess = mean_loss(w, b, X_test, y_test, N_DELETED) - least
        rows.append((m, run, excess, theory.corollary_1(N_FEATURES, m, delta, N_DELETED, C=LARGEST)))
    return pd.DataFrame(rows, columns=["m", "run", "excess", "allowed"])
