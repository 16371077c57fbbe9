"""The variance of all entries of the data, for ``gamma="scale"``."""

import numpy as np

from paperlib._common.chunks import over_chunks, variance
from paperlib._common.weighted_variance import weighted_variance


def variance_of_rows(X, weights=None):
    """Return the variance of all entries of `X`, whose rows have the `weights` (n,), if there are any."""
    found = variance(X) if weights is None else weighted_variance(X, weights)
    return not_lost(found, lambda: over_chunks(lambda start, rows: extremes(rows), X))


def unequal(sample_weight):
    """Return the weights of rows, or None where all that are positive are equal and change no variance."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    positive = weights[weights > 0.0]
    return weights if positive.min() < positive.max() else None


def extremes(block):
    """Return the smallest and the largest entry of a block; none of an empty one."""
    return [block.min(), block.max()] if block.size else []


def not_lost(found, extremes_of_blocks):
    """Return a variance, unless squares underflowed: it is then no measure of the data.

    ``extremes_of_blocks()`` gives the `extremes` of each block of the data.

    >>> not_lost(0.0, lambda: [[2.0, 2.0], [2.0, 2.0]])
    0.0
    """
    if found < np.finfo(np.float64).tiny and len(np.unique(np.concatenate(list(extremes_of_blocks())))) > 1:
        raise ValueError(
            "gamma='scale' needs data whose variance and its inverse are finite, "
            f"got X with the variance {found}, too small for its digits: scale X or give gamma as a number"
        )
    return found
