"""Subgradient descent on the hinge loss of a linear model, of examples that have lost features."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.experiments.feature_deletion.block_frank_wolfe import robust_hinge


@jit
def descend(X, signs, order, count, kept, step, w, total):
    """Pass over the rows in `order`, a subgradient step of the hinge loss for each; add every `w` to `total`.

    The `count` worst features are deleted, or, with `kept` (m, n) not None, those where it is 0. The bias is
    the last entry of `w`.
    """
    n = X.shape[1]
    worth, left, others = np.empty(n), np.empty(n), np.empty(n)
    for j in range(n):
        left[j] = 1.0
    for i in order:
        if kept is None:
            loss = robust_hinge(X[i], signs[i], w, count, worth, left)
        else:
            row = np.empty(n)
            for j in range(n):
                left[j] = kept[i, j]
                row[j] = X[i, j] * left[j]
            loss = robust_hinge(row, signs[i], w, 0, worth, others)
        if loss > 0.0:
            for j in range(n):
                w[j] += step * signs[i] * X[i, j] * left[j]
            w[n] += step * signs[i]
        for j in range(n + 1):
            total[j] += w[j]
