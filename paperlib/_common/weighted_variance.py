"""The variance of the entries of a data matrix whose rows count by weights."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from paperlib._common.chunks import over_chunks, pooled_variance


def weighted_variance(X: Any, weight: ArrayLike) -> float:
    """Return the variance of all entries of `X`, where a row counts as often as its weight says.

    Parameters
    ----------
    X : ndarray, memmap, dask array or CSR matrix of shape (n, d)
        Of a CSR matrix in canonical format, with one entry in a place.
    weight : array-like of shape (n,)
        Finite, >= 0, not all of them zero. A row of weight zero is not looked at.

    Returns
    -------
    float
        Exactly 0 where all entries are equal; inf or NaN where squares overflow. Weights of any size do: only
        their ratios matter.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> weighted_variance(X, [1, 3]), float(np.var(np.repeat(X, [1, 3], axis=0)))
    (1.0, 1.0)
    """
    weights = np.asarray(weight, dtype=np.float64)
    weights = np.ldexp(weights, -math.frexp(weights.max())[1])  # by a power of two, so that the sum is finite
    weights = weights / weights.sum()
    if not issparse(X):
        return pooled_variance(over_chunks(lambda start, rows, its: _moments(rows, its), X, weights))
    stored = np.diff(X.indptr)
    of_zeros: Any = float(weights @ (X.shape[1] - stored)), 0.0, 0.0
    return pooled_variance([_moments(X.data[:, None], np.repeat(weights, stored)), of_zeros])


def _moments(rows, weights):
    """Return what entries weigh, their mean, and the weighted sum of squared deviations from it."""
    used = weights > 0.0
    rows, weights = rows[used], weights[used]
    if not rows.size:
        return 0.0, 0.0, 0.0
    first, total = np.float64(rows.flat[0]), weights.sum() * rows.shape[1]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        centred = np.subtract(
            rows, first, dtype=np.float64
        )  # as in `chunks.moments`: exact for equal entries
        mean = (weights @ centred).sum() / total
        centred -= mean
        squares = (weights @ np.square(centred, out=centred)).sum()
    return float(total), float(first + mean), float(squares)
