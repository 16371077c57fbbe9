"""Section 2.4, features that are corrupted and not deleted: Theorem 3, and the limit of many features."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.feature_deletion import FeatureDeletionLP, FeatureDeletionPerceptron, theory

N_TRAIN = 1000  # examples for a perceptron of the limit
N_PERCEPTRONS = 60  # of each size, each with a sample of its own: what they learn differs, too
N_NOISES = 2  # draws of noise for each example
BLOCK = 1000  # examples at a time, so that 5,000 features fit into memory


@step
def theorem_3(
    budgets: Sequence[int],
    eps: float,
    n_draws: int,
    n_kept: int = 20,
    *,
    seed: int,
) -> pd.DataFrame:
    """Share of predictions that noise in N features turns, for a classifier that withstands their deletion.

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
    seed : int

    Returns
    -------
    DataFrame with a row per N and constant: n_deleted, constant, eps, margin, loss, draws, turned
    """
    rng, rows = stream(seed, "Theorem 3"), []
    y = np.array([1.0, -1.0])
    for n_deleted in budgets:
        n = n_deleted + n_kept
        coins = 2.0 * rng.binomial(n_deleted, 0.5, size=n_draws) - n_deleted
        for constant in ("printed", "corrected"):
            margin = theory.theorem_3(n_deleted, eps, printed=constant == "printed")
            s = margin / n_kept * (1 + 1e-6)
            X = np.repeat(s * y[:, None], n, axis=1)
            w = FeatureDeletionLP(n_deleted, margin=margin, tol=1e-9).fit(X, y).coef_[0]
            loss = theory.margin_loss(w, X, y, n_deleted, margin).max()
            turned = int((n_kept * s * w.mean() + w.mean() * coins < 0).sum())
            rows.append((n_deleted, constant, eps, margin, loss, n_draws, turned))
    return pd.DataFrame(rows, columns=["n_deleted", "constant", "eps", "margin", "loss", "draws", "turned"])


@step
def corruption_limit(
    sizes: Sequence[int],
    share: float,
    n_examples: int,
    n_perceptrons: int = N_PERCEPTRONS,
    *,
    seed: int,
) -> pd.DataFrame:
    """Share of outcomes that noise in place of deletion changes, as features become many (Section 2.4).

    Each example has a quality q, uniform in [0, 1]; ``y x_j`` is 1 with probability ``(1 + q) / 2``, else -1,
    for every feature. The weights are a perceptron's, of 1,000 examples, prepared for the deletion of a
    `share` of the features; several perceptrons, each with examples of its own, so that their spread tells
    how far the result hangs on what one of them has learnt. The adversary picks as many features, of those
    that carry the margin the weightiest, and they are deleted, or replaced by noise uniform in [-1, 1], drawn
    twice.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of features.
    share : float in (0, 1)
    n_examples : int >= n_perceptrons
        For each size, in equal parts for its perceptrons.
    n_perceptrons : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per size and perceptron: n, perceptron, deletion, corruption (errors), changed
    """
    rng, rows, each = stream(seed, "limit of many features"), [], n_examples // n_perceptrons
    for n, perceptron in progress(list(itertools.product(sizes, range(n_perceptrons))), "perceptrons"):
        n_deleted = round(share * n)
        agrees, y = _agreements(N_TRAIN, n, rng)
        # Scaled as Theorem 4 has it: |x|_1 = 1.
        X = y[:, None] * np.where(agrees, 1.0, -1.0) / n
        clf = FeatureDeletionPerceptron(n_deleted, C=1.0, shuffle=False).fit(X, y)
        w, b = clf.coef_[0], n * float(clf.intercept_[0])  # of features of -1 and 1, as they are tested
        order = np.argsort(-np.abs(w), kind="stable")
        found = np.empty((3, each))
        for first in range(0, each, BLOCK):
            block = slice(first, min(first + BLOCK, each))
            agrees, y = _agreements(block.stop - first, n, rng)
            left, noisy = _margins(w[order], b, agrees, y, n_deleted, rng)
            deleted, corrupted = left <= 0, noisy <= 0
            found[:, block] = deleted, corrupted.mean(axis=0), (deleted != corrupted).mean(axis=0)
        rows.append((n, perceptron, *found.mean(axis=1)))
    return pd.DataFrame(rows, columns=["n", "perceptron", "deletion", "corruption", "changed"])


def _agreements(m, n, rng):
    """Draw which features agree with the label, and the labels, of m examples."""
    quality = rng.uniform(size=(m, 1))
    return rng.random((m, n), dtype=np.float32) < (1 + quality) / 2, rng.choice([-1.0, 1.0], size=m)


def _margins(w, b, agrees, y, n_deleted, rng):
    """Margins with features deleted, and with each draw of noise, for weights by decreasing size."""
    helps = agrees == (w > 0)
    gone = helps & (np.cumsum(helps, axis=1, dtype=np.int32) <= n_deleted) & (w != 0)
    profits = np.where(agrees, w, -w)
    left = profits.sum(axis=1) - (profits * gone).sum(axis=1) + y * b
    reach = w * gone
    noise = [(rng.uniform(-1, 1, size=reach.shape) * reach).sum(axis=1) for _ in range(N_NOISES)]
    return left, left + np.array(noise)
