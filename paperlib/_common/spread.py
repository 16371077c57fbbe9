"""The variance of all entries of the data, for ``gamma="scale"``."""

import numpy as np
from scipy.sparse import issparse

from paperlib._common.chunks import moments, over_chunks, pooled_variance
from paperlib._common.weighted_variance import weighted_variance


def spread(X, weights=None, signs=None):
    """Return the variance of all entries of `X`, where a row counts as often as its weight says.

    Parameters
    ----------
    X : ndarray, memmap, dask array or CSR matrix of shape (n, d)
        Of a CSR matrix in canonical format, with one entry in a place.
    weights : array-like of shape (n,), optional
        Finite, >= 0, not all of them zero. Equal ones give the bits of none.
    signs : ndarray of shape (n,), optional
        Zero where a row is left out, as one of weight zero is.

    Returns
    -------
    float
        Exactly 0 where all entries are equal; inf or NaN where squares overflow.

    Raises
    ------
    ValueError
        Where squares underflow.

    Examples
    --------
    >>> X = np.array([[0.0], [4.0]])
    >>> spread(X), spread(X, [3.0, 1.0])
    (4.0, 3.0)
    """
    weights = None if weights is None else np.asarray(weights, dtype=np.float64)
    if weights is not None and issparse(X):
        X, weights = X[weights > 0.0], weights[weights > 0.0]

    used = weights if signs is None and weights is not None and not weights.all() else signs

    def over_used(function):
        if issparse(X):
            return [function(X)]
        if used is None:
            return over_chunks(lambda start, rows: function(rows), X)
        return over_chunks(lambda start, rows, its: function(rows[its != 0]), X, used)

    if weights is not None and np.ptp(weights[weights > 0.0]) > 0.0:
        found = weighted_variance(X, weights)
    else:
        found = sparse_variance(X) if issparse(X) else pooled_variance(over_used(moments))
    return not_lost(found, lambda: over_used(extremes))


def sparse_variance(X):
    """Return the variance of all entries of a CSR matrix, zeros included.

    >>> from scipy.sparse import csr_matrix
    >>> sparse_variance(csr_matrix([[2.0, 0.0], [0.0, 0.0]]))
    0.75
    """
    return pooled_variance([moments(X.data), (X.shape[0] * X.shape[1] - X.nnz, 0.0, 0.0)])


def extremes(block):
    """Return the smallest and the largest entry of a block; none of an empty one."""
    return [block.min(), block.max()] if block.shape[0] else []


def not_lost(found, extremes_of_blocks):
    """Return a variance, unless squares underflowed: it is then no measure of the data.

    ``extremes_of_blocks()`` gives the `extremes` of each block of the data.

    >>> not_lost(0.0, lambda: [[2.0, 2.0], [2.0, 2.0]])
    0.0
    """
    if found < np.finfo(np.float64).tiny and len(np.unique(np.concatenate([[], *extremes_of_blocks()]))) > 1:
        raise ValueError(
            "gamma='scale' needs data whose variance and its inverse are finite, "
            f"got X with the variance {found}, too small for its digits: scale X or give gamma as a number"
        )
    return found
