"""Weights of examples, and the copies that they stand for."""

import math

import numpy as np

from paperlib._common.validation import check_sample_weight
from paperlib.max_loss._rounds import copies

MOST_COPIES = 100_000_000  # of 40 bytes each


def rows_left(X, y, sample_weight):
    """Return ``(X, y, weights)`` without the rows of weight zero; weights are None if none were given."""
    if sample_weight is None:
        return X, y, None
    weights = check_sample_weight(sample_weight, X.shape[0])
    kept = weights > 0.0
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def copies_of(weights):
    """Return the copies that `weights` > 0 stand for, or None where each row is one."""
    if weights is None or (weights == 1.0).all():
        return None
    total = np.ceil(weights).sum()
    if total > MOST_COPIES:
        raise ValueError(
            f"sample_weight times class_weight must sum to at most {MOST_COPIES:,}, got {total:.3g}: a row "
            "of weight k is played as k copies, so divide the weights by a number"
        )
    return copies.allocate(weights)


def size_of(weights, m):
    """Return how many examples `m` rows of these weights count as: their sum, and not less than m."""
    return m if weights is None else math.ceil(max(weights.sum(), m))
