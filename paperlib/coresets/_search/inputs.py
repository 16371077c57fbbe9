"""Checks of the data of a fit, and the signs of its rows."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_consistent_length

from paperlib._common.chunks import n_rows
from paperlib._common.validation import check_binary_labels, check_sample_weight


def check_dask(X, y):
    """Check what can be known before the data are read, as `validate_data` does; return `y` as an array."""
    if not hasattr(X, "chunks"):
        raise ValueError(f"X must be a dask array, got a dask {type(X).__name__}; it has to_dask_array()")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got shape {X.shape}")
    if X.dtype.kind not in "buif":
        raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
    y, n = np.asarray(y), n_rows(X)
    if n == 0 or X.shape[1] == 0:
        raise ValueError(f"X must have 1 row and 1 column at least, got shape ({n}, {X.shape[1]})")
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one label per row of X, got {y.shape}")
    return y


def labels(y, sample_weight):
    """Return the two classes, and +1, -1, or 0 for a row of weight zero; integers are not sorted."""
    if sample_weight is None and y.ndim == 1 and y.dtype.kind in "iu":
        low, high = y.min(), y.max()
        positive = y == high
        if low < high and (positive | (y == low)).all():
            return np.array([low, high]), np.where(positive, 1.0, -1.0)
    check_consistent_length(y, sample_weight)
    weights = check_sample_weight(sample_weight, len(y))
    classes, signs = check_binary_labels(y, weights)
    return classes, signs * (weights > 0)


def without_repeats(X):
    """Return `X` itself, or, of a CSR matrix with several entries in one place, a copy with their sums."""
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
