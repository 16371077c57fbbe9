"""Section 2.4, features that are corrupted and not deleted: Theorem 3, and the limit of many features."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paperlib._common.random_state import RandomState
from paperlib.feature_deletion import FeatureDeletionLP, theory


def theorem_3(
    budgets: Sequence[int],
    eps: float,
    n_draws: int,
    *,
    n_kept: int = 20,
    random_state: RandomState = None,
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
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per N and constant: n_deleted, constant, margin, loss, rate, stderr
    """
    rng, rows = np.random.default_rng(random_state), []
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
            turned = n_kept * s * w.mean() + w.mean() * coins < 0
            rate = turned.mean()
            rows.append((n_deleted, constant, margin, loss, rate, turned.std(ddof=1) / np.sqrt(n_draws)))
    return pd.DataFrame(rows, columns=["n_deleted", "constant", "margin", "loss", "rate", "stderr"])


def corruption_limit(
    sizes: Sequence[int], share: float, n_examples: int, random_state: RandomState = None
) -> pd.DataFrame:
    """Share of outcomes that noise in place of deletion changes, as features become many (Section 2.4).

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
