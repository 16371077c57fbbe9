"""The hinge loss after the worst K deletions with an L2 norm, one example of the dual at a time."""

import numpy as np

from paperlib._common.jit import jit
from paperlib.feature_deletion._deletion.projected_perceptron import drop_largest


@jit
def robust_hinge(x, y, w, count, worth, kept):
    """Return ``[1 - y (b + sum over what is kept of w x)]_+``, b last in `w`; fill `kept` with 1.0 or 0.0."""
    n = x.size
    loss = 1.0 - y * w[n]
    for j in range(n):
        worth[j] = y * w[j] * x[j]
        loss -= worth[j]
    if count > 0:
        loss += drop_largest(worth, count, kept)
    return max(loss, 0.0)


@jit
def sweep(X, signs, order, count, strength, w, parts, levels):
    """Make a step for each example: exact line search towards its worst corner (Lacoste-Julien et al.).

    The objective is ``strength / 2 |w|^2 + mean loss``, and w the sum of the rows of `parts`.
    """
    m, n = X.shape
    worth, kept, corner = np.empty(n), np.ones(n), np.empty(n + 1)
    for i in order:
        loss = robust_hinge(X[i], signs[i], w, count, worth, kept)
        height = 1.0 / m if loss > 0.0 else 0.0
        factor = signs[i] / (strength * m) if loss > 0.0 else 0.0
        for j in range(n):
            corner[j] = factor * X[i, j] * kept[j]
        corner[n] = factor
        slope, square = height - levels[i], 0.0
        for j in range(n + 1):
            d = parts[i, j] - corner[j]
            slope += strength * d * w[j]
            square += strength * d * d
        if square <= 0.0:
            continue
        step = min(max(slope / square, 0.0), 1.0)
        for j in range(n + 1):
            d = step * (corner[j] - parts[i, j])
            parts[i, j] += d
            w[j] += d
        levels[i] += step * (height - levels[i])


@jit
def mean_loss(X, signs, count, w):
    """Return the mean of `robust_hinge` over all rows."""
    worth, kept, total = np.empty(X.shape[1]), np.ones(X.shape[1]), 0.0
    for i in range(X.shape[0]):
        total += robust_hinge(X[i], signs[i], w, count, worth, kept)
    return total / X.shape[0]
