"""Checks of the parameters that everything in this wing takes."""

import numpy as np

from paperlib._validation import check_number


def check_values(feature_values, n_features):
    """Return the value of each feature as floats, ones for ``None``, else raise ``ValueError``."""
    if feature_values is None:
        return np.ones(n_features)
    values = np.asarray(feature_values)
    if values.dtype.kind not in "buif":
        raise ValueError(f"feature_values must be real numbers, got dtype {values.dtype}")
    if values.shape != (n_features,):
        raise ValueError(
            f"feature_values must have shape ({n_features},), one entry per feature of X, got {values.shape}"
        )
    values = values.astype(np.float64)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        raise ValueError(f"feature_values must be finite and >= 0, got {values[wrong][0]} among its entries")
    with np.errstate(over="ignore"):
        total = values.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"feature_values must not be all zero, and have a finite sum, got the sum {total}")
    return values


def check_budget(n_deleted, values):
    """Return the budget N in [0, V) as a float, V the sum of `values`, else raise ``ValueError``."""
    budget, total = check_number(n_deleted, "n_deleted", low=0), float(values.sum())
    if budget >= total:
        raise ValueError(
            f"n_deleted must be below {total:g}, the value of all features together, got {n_deleted!r} "
            f"with n_features={values.size}"
        )
    return budget


def check_adversary(n_deleted, feature_values, n_features):
    """Return ``(values, budget)``, both checked."""
    values = check_values(feature_values, n_features)
    return values, check_budget(n_deleted, values)
