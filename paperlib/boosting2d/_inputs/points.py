"""Validation of points, labels and weights; each function raises one clear ``ValueError``.

A ``TypeError`` in scikit-learn's words where something is sparse.
"""

import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_vector
from paperlib.boosting2d._geometry.locations import tolerance

_MOST_APART = 1e120  # extents of two columns


def _as_array(values: ArrayLike, name: str) -> NDArray[Any]:
    if issparse(values):
        raise TypeError(
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be an array, its rows of one length: {error}") from None


def check_points(X: ArrayLike, d: int | None = 2, name: str = "X") -> Floats:
    """Return `X` as a C-contiguous float64 array (n, d) of finite numbers, n >= 1; None is any d >= 1."""
    X = _as_array(X, name)
    if d is None and (X.ndim != 2 or X.size == 0):
        raise ValueError(f"{name} must have shape (n, d) with n >= 1 and d >= 1, got {X.shape}")
    if d is not None and (X.ndim != 2 or X.shape[1] != d or len(X) == 0):
        where = "the plane" if d == 2 else "space"
        raise ValueError(f"{name} must have shape (n, {d}) with n >= 1, points in {where}, got {X.shape}")
    if X.dtype.kind not in "buif":
        raise ValueError(f"{name} must be real numbers, got dtype {X.dtype}")
    X = np.ascontiguousarray(X, dtype=np.float64)
    if not np.isfinite(X).all():
        raise ValueError(f"{name} must be finite, got {X[~np.isfinite(X)][0]} among its entries")
    return X


def check_scales(X: Floats, name: str = "X") -> None:
    """Refuse columns whose extents differ so much that no vector of doubles is orthogonal to a line there.

    Squares of its components underflow beyond a ratio of about 1e137. A constant column has no extent.
    """
    halves = X.max(axis=0) / 2 - X.min(axis=0) / 2
    halves = halves[halves > 0]
    if len(halves) and halves.min() < halves.max() / _MOST_APART:
        raise ValueError(
            f"{name} must have columns of extents within a factor of {_MOST_APART:g} of each other, got "
            f"{2 * halves.min():g} and {2 * halves.max():g}; scale them"
        )


def check_places(X: Floats, normal: Floats, name: str = "X") -> Floats:
    """Return ``X @ normal`` (n,), else raise ``ValueError`` where a product is beyond the floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        places = X @ normal
    if not np.isfinite(places).all():
        row = int(np.argmin(np.isfinite(places)))
        raise ValueError(
            f"{name} must have entries so small that sums of a row's are finite, got {X[row]} in row {row}"
        )
    return places


def check_labels(y: ArrayLike, n: int) -> Flags:
    """Return a mask (n,) of the rows of the positive class: the larger of at most two labels.

    A single label is positive unless it is a number that is not above zero.
    """
    y = _as_array(y, "y")
    if y.shape != (n,):
        raise ValueError(f"y must have shape ({n},), one label per row of X, got {y.shape}")
    if y.dtype.kind == "c":
        raise ValueError(f"y must hold labels that can be ordered, got dtype {y.dtype}")
    if y.dtype.kind in "fmM" and not np.isfinite(y).all():
        raise ValueError(f"y must be finite labels, got {y[~np.isfinite(y)][0]} among them")
    try:
        labels = np.unique(y)
    except TypeError as error:
        raise ValueError(f"y must hold labels of one type, that can be ordered: {error}") from None
    if len(labels) > 2:
        raise ValueError(f"y must have at most two distinct labels, got {len(labels)}: {labels[:5].tolist()}")
    label = labels[-1]
    if np.ndim(label) > 0:
        raise ValueError(f"y must hold labels that are no sequences, got {label!r} among them")
    a_number = isinstance(label, numbers.Real | np.bool_)
    if len(labels) == 1 and a_number and not label > 0:
        return np.zeros(n, dtype=bool)
    return np.asarray(y == label, dtype=bool)


def check_weights(sample_weight: ArrayLike | None, n: int) -> Floats:
    """Return weights (n,) as float64, positive, finite and with a finite sum; None is ones.

    Weights that would be lost in the rounding of sums are refused, too.
    """
    if sample_weight is None:
        return np.ones(n)
    weights = check_vector(sample_weight, "sample_weight", n)
    if not (weights > 0).all():
        raise ValueError(f"sample_weight must be > 0, got {weights.min()} among its entries")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise ValueError(f"sample_weight must have a finite sum, got {total}")
    if weights.min() <= 2.0 * tolerance(weights):
        raise ValueError(
            f"sample_weight must be above 2e-12 of its sum, got {weights.min()} of {total}: so light a point "
            "would be lost in the rounding of sums (which are exact for multiples of one power of two)"
        )
    return weights
