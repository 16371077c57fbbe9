"""Losses under the fractional adversary of Equation (4)."""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.typing import Floats
from paperlib.feature_deletion._deletion.knapsack import fractional


@jit
def hinge_losses(X, signs, w, b, values, budget, price, losses, fractions):
    """Fill in each example's loss of Equation (4), by the fractional adversary, and what that deletes.

    Keeping a feature raises the margin that is asked for by `price` times its value. A row of `fractions` is
    zero where the loss is.
    """
    total_value = values.sum()
    for i in range(X.shape[0]):
        contributions = signs[i] * w * X[i]
        gain = fractional(contributions - price * values, values, budget, fractions[i])
        loss = price * total_value - contributions.sum() - signs[i] * b + gain
        losses[i] = max(loss, 0.0)
        if loss <= 0.0:
            fractions[i] = 0.0


def mean_loss(w: Floats, b: float, X: Floats, y: Floats, n_deleted: int, margin: float = 1.0) -> float:
    """Mean of Equation (12) for values of one and an integer N."""
    n = X.shape[1]
    losses, fractions = np.empty(len(X)), np.empty(X.shape)
    hinge_losses(X, y, w, b, np.ones(n), float(n_deleted), margin / (n - n_deleted), losses, fractions)
    return float(losses.mean())
