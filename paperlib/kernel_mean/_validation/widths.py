"""The width of ``gamma="scale"``, for rows that count by their weights."""

from functools import partial

import numpy as np
from scipy.sparse import issparse

from paperlib._common.chunks import over_chunks, variance
from paperlib._common.kernels import bind_kernel, resolve_gamma, sparse_variance, summed
from paperlib._common.weighted_variance import weighted_variance

_LEAST = np.finfo(float).smallest_subnormal


def bind_weighted(kernel, X, weights, gamma=None, degree=3, coef0=1.0, n_jobs=1):
    """As `bind_kernel`, but that for ``"scale"`` a row of `X` counts as often as its weight says.

    Parameters
    ----------
    weights : ndarray of shape (n,), or None
        At least 0, with a positive sum; all rows count alike for None.
    """
    by_scale = isinstance(gamma, str) and gamma == "scale"
    if by_scale and isinstance(kernel, str) and kernel in ("rbf", "poly", "polynomial"):
        X = summed(X)
        gamma = resolve_gamma(gamma, X.shape[1], partial(spread, X, weights))
    return bind_kernel(kernel, X, gamma, degree, coef0, n_jobs)


def spread(X, weights=None):
    """Return the variance of all entries of `X`, those of a row counting by its weight.

    Where it underflows though the entries differ it is the least float, which `resolve_gamma` refuses as too
    small. With equal weights it is the unweighted variance, to the last bit.

    Parameters
    ----------
    X : ndarray, CSR matrix without entries in parts, or without weights a dask array

    Examples
    --------
    >>> X = np.array([[0.0], [4.0]])
    >>> spread(X), spread(X, np.array([3.0, 1.0])), spread(1e-200 * X)
    (4.0, 3.0, 5e-324)
    """
    if weights is not None and not weights.all():
        X, weights = X[weights > 0], weights[weights > 0]
    if weights is not None and (weights != weights[0]).any():
        found = weighted_variance(X, weights)
    else:
        found = sparse_variance(X) if issparse(X) else variance(X)
    return float(_LEAST) if found < np.finfo(float).tiny and _differ(X) else found


def _differ(X):
    """Whether not all entries of `X` are equal."""
    if issparse(X):
        ends = [(X.min(), X.max())]
    else:
        ends = over_chunks(lambda start, block: (block.min(), block.max()), X)
    return min(low for low, _ in ends) < max(high for _, high in ends)
