"""Checks of the data of a fit, the signs of its rows, and what it keeps of the fit before."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from paperlib._common.chunks import ROWS, check_dask_array, is_dask, is_mapped, n_rows
from paperlib._common.class_weights import weigh_classes
from paperlib._common.sklearn_checks import assert_all_finite
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_sample_weight, without_strides

SMALLEST = 1e-152  # length of the largest row: margins below it, too, can still be squared
# What not every fit leaves.
OPTIONAL = (
    *("coef_", "feature_names_in_", "margin_path_", "added_margin_path_"),
    *("objective_", "dual_objective_", "gap_", "gap_path_", "dual_coef_"),
)


def dtypes(X, C):
    """Return the types of numbers that need no conversion: for a hard margin any that a memory map holds."""
    own = [X.dtype] if C is None and is_mapped(X) and X.dtype.kind in "buif" else []
    return [np.float64, np.float32, *own]


def check_dask(X, y):
    """Check what can be known before the data are read, as `validate_data` does; return `y`, an array too."""
    check_dask_array(X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, got shape {X.shape}")
    if X.dtype.kind not in "buif":
        raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
    y, n = y if hasattr(y, "chunks") else np.asarray(y), n_rows(X)
    if n == 0 or X.shape[1] == 0:
        raise ValueError(f"X must have 1 row and 1 column at least, got shape ({n}, {X.shape[1]})")
    shape = (n_rows(y), *y.shape[1:])
    if shape != (n,):
        raise ValueError(f"y must have shape ({n},), one label per row of X, got {shape}")
    return y


def labels(y, sample_weight):
    """Return the two classes, and, a byte a row, +1, -1, or 0 for a row of weight zero."""
    if is_dask(y):
        classes, signs = labels(_gathered(y), sample_weight)
        return classes.astype(y.dtype), signs
    classes = _classes(y)
    weights = None if sample_weight is None else check_sample_weight(sample_weight, len(y))
    if len(classes) != 2:
        weights = np.ones(len(y)) if weights is None else weights
        classes, signs = check_binary_labels(y, weights)
        signs = signs.astype(np.int8)
    else:
        signs = np.empty(len(y), dtype=np.int8)
        for start in range(0, len(y), ROWS):
            here = slice(start, start + ROWS)
            signs[here] = np.where(y[here] == classes[1], 1, -1)
    if weights is not None:
        signs[weights == 0.0] = 0
        if signs.min() >= 0 or signs.max() <= 0:
            check_binary_labels(y, weights)  # says which class has none
    return classes, signs


def class_weighted(clf, signs, sample_weight):
    """Return the weights (n,) by which the `C` of `clf` is multiplied; None for a hard margin.

    `signs` are 0 for rows of weight zero.
    """
    if clf.C is None:  # whatever they are, they change nothing
        weigh_classes(clf.class_weight, clf.classes_, np.arange(2), np.ones(2))
        return None
    weights = np.abs(signs) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return weigh_classes(clf.class_weight, clf.classes_, (signs > 0).astype(int), weights)


def weighted_labels(y, sample_weight, class_weight):
    """Return the two classes, the signs (n,), and the weights (n,), None where all are one."""
    weights = None if sample_weight is None else check_sample_weight(sample_weight, len(y))
    classes, signs = check_binary_labels(y, weights)
    if class_weight is not None:
        weights = np.ones(len(y)) if weights is None else weights
        weights = weigh_classes(class_weight, classes, (signs > 0.0).astype(int), weights)
    return classes, signs, weights


def _classes(y):
    """Return the distinct labels of `y` in order, if they are two, from which no list of all is sorted."""
    if y.ndim != 1 or y.dtype.kind not in "biufSU":
        return ()
    classes = y[:0]
    for start in range(0, len(y), ROWS):
        block = y[start : start + ROWS]
        known = (
            np.isin(block, classes) if len(classes) != 2 else (block == classes[0]) | (block == classes[1])
        )
        if not known.all():
            classes = np.unique(np.append(classes, block[~known]))
        if len(classes) > 2:
            return ()
    check_classification_targets(classes)
    return classes


def _gathered(y):
    """Return the labels of a dask array, integers in the smallest type that has those of each chunk."""
    if y.dtype.kind not in "iu":
        return np.asarray(y)
    import dask

    narrow = dask.delayed(_narrow, pure=False)
    return np.concatenate(dask.compute(*[narrow(block) for block in y.to_delayed()]))


def _narrow(block):
    return (
        block.astype(np.result_type(*map(np.min_scalar_type, (block.min(), block.max()))))
        if len(block)
        else block
    )


def forget(clf):
    """Drop what not every fit leaves in `clf`, before the next one."""
    for name in OPTIONAL:
        clf.__dict__.pop(name, None)


def rows_before(clf):
    """Return the rows of the last fit that a warm start begins with, and their dual weights, or None."""
    if not clf.warm_start or not hasattr(clf, "coreset_indices_"):
        return None
    if hasattr(clf, "dual_coef_"):
        return clf.coreset_indices_, clf.dual_coef_
    bound = clf.margin_upper_bound_  # the best weights of a hard margin
    return (clf.coreset_indices_, clf.hull_weights_ / bound**2) if bound > 0.0 else None


def still_there(before, signs):
    """Return those of `rows_before` that these data have, too; whatever they are worth, any are allowed."""
    if before is None:
        return None
    rows, weights = before
    held = rows < len(signs)
    held[held] = signs[rows[held]] != 0
    return (rows[held], weights[held]) if held.any() else None


def without_repeats(X):
    """Return `X` itself, or, of a CSR matrix with several entries in one place, a copy with their sums."""
    X = without_strides(X)
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def check_rows(rows):
    """Raise ``ValueError`` unless all of `rows` are finite, and their squares too."""
    rows = np.asarray(rows)
    with np.errstate(over="ignore", invalid="ignore"):
        squared = np.einsum("ij,ij->", rows, rows, dtype=np.float64, casting="same_kind")
    if not np.isfinite(squared):
        raise_for_size(rows)


def raise_for_size(X):
    """Raise ``ValueError`` for rows whose norms are not finite."""
    if not is_dask(X):
        assert_all_finite(X, input_name="X")
    raise ValueError("X is too large in size: lengths of its rows must be below about 1e150, to be squared")


def check_size(X: Any) -> Floats:
    """Return `X` (n, d), held in memory, if its squares can be relied on, else raise ``ValueError``."""
    check_rows(X)
    largest = np.abs(X).max(initial=0.0)  # of a sparse matrix there may be no entries
    if 0.0 < largest < SMALLEST:
        raise ValueError(
            f"X is too small in size: its largest entry must be at least {SMALLEST:g}, so that squares keep "
            f"their digits, got {largest:.3g}; multiply X by a constant"
        )
    return X
