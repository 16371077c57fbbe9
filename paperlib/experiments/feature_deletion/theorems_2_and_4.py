"""Theorems 2 and 4 and Corollary 1, the bounds on the risk, tried on random samples.

Every trial draws some samples of each of the `sizes` (numbers of examples), and returns a table. A bound may
fail with probability `delta`. Losses and risks are computed without the library (`losses`).
"""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from paperlib._common.typing import Floats
from paperlib.experiments.feature_deletion.losses import relaxed_losses, risk
from paperlib.experiments.feature_deletion.samples import coin_sample, corner_sample, redundant_sample
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron, theory
from paperlib.feature_deletion._deletion.projected_perceptron import Average, make_adversary, online_pass

N_FEATURES, N_DELETED = 10, 2
MARGIN = 0.3  # of Theorem 2's programme, where C is 1
THIN = 0.01  # margin of which Equation 10 hardly exceeds a mistake
VALUES = np.array([0.5, 1.0, 1.5] * 3 + [1.0])  # of Theorem 2's features
N_OVERFITTED, M_OVERFITTED = 100, 300  # features and examples of its trial with random labels
LARGEST = 3.0  # C of Corollary 1's perceptron, where margin is 1
CORNER_SIZES = (20, 200)  # examples of its second trial, where C is 1


@step
def theorem_2(
    sizes: Sequence[int],
    n_runs: int,
    delta: float = 0.05,
    *,
    seed: int,
) -> pd.DataFrame:
    """The risk bound for the LP's weights, beside the risk itself on 20,000 further examples.

    Ten features of which the adversary may delete the value 2 of 10; and then a hundred features, one of them
    deleted, with labels that are coins, so that what is learnt is nothing but overfitting.

    Returns
    -------
    DataFrame: sample, m, run, margin, loss (mean of Equation 10), risk, bound, weaker
        "redundant": two rows per size and run. First for the margin and the weights of the programme. There
        the loss is far above the risk. Then for a thin margin and the same weights stretched to the cube's
        surface: the loss is about the risk in training, and only the rest of the bound keeps it above the
        risk itself. "random labels": a row per run, 300 examples and a thin margin.
    """
    rng, rows = stream(seed, "Theorem 2"), []
    coins = rng.spawn(1)[0]
    X_test, y_test = redundant_sample(20_000, N_FEATURES, rng)
    for m, run in itertools.product(sizes, range(n_runs)):
        X, y = redundant_sample(m, N_FEATURES, rng)
        w = FeatureDeletionLP(N_DELETED, margin=MARGIN, feature_values=VALUES, tol=1e-4).fit(X, y).coef_[0]
        mistakes = risk(w, 0.0, X_test, y_test, N_DELETED, VALUES)  # the same for any multiple of w
        for margin, weights in ((MARGIN, w), (THIN, _stretched(w))):
            found = _bounded(weights, X, y, N_DELETED, margin, VALUES, delta)
            rows.append(("redundant", m, run, margin, mistakes, *found))
    ones = np.ones(N_OVERFITTED)
    X_test, y_test = coin_sample(20_000, N_OVERFITTED, coins)
    for run in range(n_runs):
        X, y = coin_sample(M_OVERFITTED, N_OVERFITTED, coins)
        w = _stretched(FeatureDeletionLP(1, tol=1e-2).fit(X, y).coef_[0])
        mistakes = float((relaxed_losses(w, 0.0, X_test, y_test, 1, 0.0) > 0).mean())
        found = _bounded(w, X, y, 1, THIN, ones, delta)
        rows.append(("random labels", M_OVERFITTED, run, THIN, mistakes, *found))
    return pd.DataFrame(rows, columns=["sample", "m", "run", "margin", "risk", "loss", "bound", "weaker"])


def hypotheses(clf: FeatureDeletionPerceptron, X: Floats, y: Floats) -> Iterator[tuple[Floats, float]]:
    """Yield the ``(w, b)`` that a perceptron meets each example with, in one pass in the examples' own order.

    `clf` was fitted to them, with values of one; its step and its parameters are used, none of its losses.
    """
    m, n = X.shape
    average = Average(np.zeros(n), np.zeros(n), np.zeros(3))
    adversary = make_adversary(np.ones(n), float(clf.n_deleted), clf.margin / (n - clf.n_deleted))
    for i in range(m):
        yield average.w.copy(), float(average.bias[0])
        online_pass(X[i : i + 1], y[i : i + 1], np.zeros(1, np.int64), average, adversary, clf.C, clf.tau_)


@step
def theorem_4(
    n_sequences: int,
    sizes: Sequence[int],
    *,
    seed: int,
) -> pd.DataFrame:
    """The perceptron's mean loss on sequences, beside that of a good fixed hypothesis and the bound.

    `n_sequences` of each size and order.

    Returns
    -------
    DataFrame with a row per sequence: order, m, C, online, fixed, allowed
        In the order "random" examples are independent; in "sorted" all of one label come first; in
        "turning" the labels of the second half are turned round. The fixed hypothesis is the LP's, with its
        bias cut off at C: hardly another one in the cube has a smaller loss.
    """
    rng, rows = stream(seed, "Theorem 4"), []
    for order, m, _ in itertools.product(("random", "sorted", "turning"), sizes, range(n_sequences)):
        X, y = redundant_sample(m, N_FEATURES, rng)
        if order == "sorted":
            at = np.argsort(y, kind="stable")
            X, y = X[at], y[at]
        elif order == "turning":
            y[m // 2 :] *= -1
        X /= np.abs(X).sum(axis=1).max()
        C = float(rng.choice([1.0, 3.0, 10.0]))
        online = FeatureDeletionPerceptron(N_DELETED, C=C, shuffle=False).fit(X, y)
        weights, biases = zip(*hypotheses(online, X, y))
        met = relaxed_losses(np.array(weights), np.array(biases), X, y, N_DELETED)
        fixed = _mean_loss_of_the_programme(X, y, C, 1e-4)
        rows.append((order, m, C, met.mean(), fixed, theory.theorem_4(N_FEATURES, m, C)))
    return pd.DataFrame(rows, columns=["order", "m", "C", "online", "fixed", "allowed"])


@step
def step_sizes() -> pd.DataFrame:
    """The perceptron's step beside the one that makes the bound on its losses least.

    For any step tau that bound is ``(n + 1) C^2 / (2 tau m) + tau``: the farthest that a hypothesis of the
    cube can be from zero, and the longest step, as ``|x|_1 <= 1``.

    Returns
    -------
    DataFrame with a row per n, m and C: n, m, C, tau (the library's), best, bound (with that), allowed
        (Theorem 4)
    """
    rows = []
    for n, m, C in itertools.product((1, 10, 300), (20, 1000), (0.3, 5.0)):
        X, y = redundant_sample(m, n, np.random.default_rng(0))
        tau = FeatureDeletionPerceptron(0, C=C).fit(X / n, y).tau_

        def bound(logarithm, ratio=(n + 1) * C**2 / (2 * m)):
            return ratio / np.exp(logarithm) + np.exp(logarithm)

        least = minimize_scalar(bound, bounds=(-20.0, 20.0), method="bounded", options={"xatol": 1e-9})
        # Where a minimum lies is known to half of the digits of what it is.
        best = float(np.exp(round(least.x, 6)))
        rows.append((n, m, C, tau, best, float(least.fun), theory.theorem_4(n, m, C)))
    return pd.DataFrame(rows, columns=["n", "m", "C", "tau", "best", "bound", "allowed"])


@step
def corollary_1(
    sizes: Sequence[int],
    n_runs: int,
    delta: float = 0.05,
    *,
    seed: int,
) -> pd.DataFrame:
    """The averaged perceptron's expected loss less the least one, beside the bound on that.

    Returns
    -------
    DataFrame with a row per sample, size and run: sample, m, run, loss, risk, excess, idle, allowed
        Losses, and the risk under deletion, over 20,000 further examples; `excess` is that of the loss. For
        the least one stands that of the LP on those, with its bias cut off at C. `idle` is the excess of a
        perceptron that never moves. "redundant" samples have the `sizes`, and C = 3. "corner" samples are
        small, with C = 1: each feature is the label, so that the best weights lie in the corner that is the
        farthest from where the perceptron starts.
    """
    rng, rows = stream(seed, "Corollary 1"), []
    draws = rng.spawn(1)[0]
    kinds = (
        ("redundant", redundant_sample, LARGEST, sizes, rng),
        ("corner", corner_sample, 1.0, CORNER_SIZES, draws),
    )
    for kind, draw, C, some, source in kinds:
        X_test, y_test = draw(20_000, N_FEATURES, source)
        X_test /= N_FEATURES
        least = _mean_loss_of_the_programme(X_test, y_test, C, 1e-3)
        idle = N_FEATURES / (N_FEATURES - N_DELETED) - least
        for m, run in itertools.product(some, range(n_runs)):
            X, y = draw(m, N_FEATURES, source)
            clf = FeatureDeletionPerceptron(N_DELETED, C=C, shuffle=False).fit(X / N_FEATURES, y)
            w, b = clf.coef_[0], float(clf.intercept_[0])
            loss = float(relaxed_losses(w, b, X_test, y_test, N_DELETED).mean())
            mistakes = risk(w, b, X_test, y_test, N_DELETED, np.ones(N_FEATURES))
            allowed = theory.corollary_1(N_FEATURES, m, delta, N_DELETED, C=C)
            rows.append((kind, m, run, loss, mistakes, loss - least, idle, allowed))
    return pd.DataFrame(rows, columns=["sample", "m", "run", "loss", "risk", "excess", "idle", "allowed"])


def _stretched(w):
    """Return the multiple of some weights that reaches the surface of the cube."""
    return w / max(np.abs(w).max(), 1e-300)


def _bounded(w, X, y, n_deleted, margin, values, delta):
    """Return the mean of Equation (10) in training, and Theorem 2's bound in both forms."""
    loss = float(theory.margin_loss(w, X, y, n_deleted, margin, values).mean())
    found = theory.theorem_2(loss, len(y), n_deleted, margin, 1.0, delta, values)
    return loss, found.bound, found.weaker


def _mean_loss_of_the_programme(X, y, C, tol):
    """Loss of the LP's classifier with its bias in the cube, from the data."""
    clf = FeatureDeletionLP(N_DELETED, C=C, tol=tol).fit(X, y)
    w, b = clf.coef_[0], float(np.clip(clf.intercept_[0], -C, C))
    return float(relaxed_losses(w, b, X, y, N_DELETED).mean())
