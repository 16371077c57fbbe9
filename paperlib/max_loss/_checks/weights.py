"""Weights of examples, and the copies that they stand for."""

import math

import numpy as np

from paperlib._common.class_weights import copies_of_rows
from paperlib._common.validation import check_sample_weight
from paperlib.max_loss._rounds import copies

MOST_COPIES = 100_000_000  # of 40 bytes each
ROUNDING = 1e-6  # of a sum of weights


def rows_left(X, y, sample_weight):
    """Return ``(X, y, weights)`` without the rows of weight zero; weights are None if none were given."""
    if sample_weight is None:
        return X, y, None
    weights = check_sample_weight(sample_weight, X.shape[0])
    kept = weights > 0.0
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def copies_of(weights, factors=None):
    """Return the copies that `weights` > 0 stand for, or None where each row is one.

    Each copy of a row counts by the weight of its class, where `factors` (m,) has it.
    """
    if weights is None or (factors is None and (weights == 1.0).all()):
        return None
    total = np.ceil(weights).sum() if factors is None else np.ceil(weights) @ np.ceil(factors)
    if total > MOST_COPIES:
        raise ValueError(
            f"sample_weight times class_weight must sum to at most {MOST_COPIES:,}, got {total:.3g}: a row "
            "of weight k is played as k copies, so divide the weights by a number"
        )
    if factors is None:
        return copies.allocate(weights)
    rows, own = copies_of_rows(weights, factors)
    found = copies.allocate(own)
    return found._replace(rows=rows[found.rows])


def size_of(weights, copies, m):
    """Return how many examples `m` rows count as: the sum of their weights, and not less than m.

    Nor less than the copies that they stand for where classes have weights, but for the rounding of sums.
    """
    if weights is None:
        return m
    return math.ceil(max(m, weights.sum(), copies.total if copies else 0.0) - ROUNDING)
