"""Checks that squared lengths of the data are finite, and keep all their digits."""

from typing import Any

import numpy as np

from paperlib._common.chunks import is_dask
from paperlib._common.sklearn_checks import assert_all_finite
from paperlib._common.typing import Floats

SMALLEST = 1e-152  # length of the largest row: margins below it, too, can still be squared


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
