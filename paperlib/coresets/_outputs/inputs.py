"""Checks of the inputs and outputs that decoders take."""

import numpy as np
from scipy.sparse import issparse

from paperlib._common.feature_names import check_names, names_of

_LARGEST = np.float64(1e300)  # numbers whose sums are finite


def as_sequence(values, name):
    """Return `values`, of a data frame its rows; raise ``ValueError`` for what has no entries by position."""
    if issparse(values):
        raise ValueError(
            f"{name} must be a sequence as the decoder takes it, got a {type(values).__name__}; "
            "MulticlassCoresetSVC takes sparse matrices"
        )
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):  # whose entries are its columns
        return values.to_numpy()
    if getattr(values, "shape", None) == ():
        raise ValueError(f"{name} must be a sequence as the decoder takes it, got an array of shape ()")
    if isinstance(values, str) or not hasattr(values, "__len__") or not hasattr(values, "__getitem__"):
        raise ValueError(f"{name} must be a sequence as the decoder takes it, got {type(values).__name__}")
    return values


def check_columns(model, X, *, reset=False):
    """Check the names of columns as scikit-learn does, where `X` is a table, or has tables or rows of one."""
    tables = [X] if isinstance(X, np.ndarray) or names_of(X) is not None else X
    found = {None if (names := names_of(table)) is None else tuple(names): table for table in tables}
    for at, table in enumerate(found.values()):
        check_names(model, table, reset=reset and at == 0)


def check_vectors(X, ndim, width=None):
    """Raise ``ValueError`` unless all entries of `X` are arrays of finite numbers, as wide as each other.

    `width`, where it is given, is how wide they are to be.
    """
    for i, x in enumerate(X):
        shape = check_vector(x, ndim, i)
        width = shape[-1] if width is None else width
        if shape[-1] != width:
            raise ValueError(f"X must have {width} features throughout, got {shape[-1]} at position {i}")


def check_vector(x, ndim, i):
    """Return the shape of an array of finite real numbers with `ndim` dimensions, at position `i` of X."""
    what = f"{'vectors (d,)' if ndim == 1 else 'sequences (T, d) with T >= 1'} of finite real numbers"
    try:
        x = np.asarray(x)
        if x.dtype.kind not in "buif":
            x = np.asarray(x, dtype=np.float64) if x.dtype.kind == "O" else None
    except (TypeError, ValueError):
        x = None
    if x is None:
        raise ValueError(f"X must hold {what}, got something else at position {i}")
    if x.ndim != ndim or 0 in x.shape or not (np.abs(x) <= _LARGEST).all():
        with_what = "" if np.isfinite(x).all() else " with NaN or infinity"
        if x.size and np.abs(x).max() > _LARGEST and not with_what:
            with_what = f" with a number beyond {_LARGEST:g}"
        raise ValueError(f"X must hold {what}, got shape {x.shape}{with_what} at position {i}")
    return x.shape


def check_labels(y, shape, n_labels, i):
    """Raise ``ValueError`` unless `y` are labels of `shape`, the output at position `i` of Y."""
    try:
        y = np.asarray(y)
    except ValueError:
        y = np.empty(0, dtype=object)
    if y.shape != shape or y.dtype.kind not in "iu" or (y < 0).any() or (y >= n_labels).any():
        raise ValueError(
            f"Y must hold integers from 0 to {n_labels - 1}, of shape {shape} at position {i}, "
            f"got {y.tolist()!r}"
        )
