"""Rows of the data as the rounds see them: of a dense array, or of one in CSR format.

A row has a last entry more, `bias`. No kernel checks its input.
"""

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from paperlib._common.typing import Floats
from paperlib.max_loss._rounds.linear import add, score
from paperlib.max_loss._tree.sumtree import uncounted


class SparseRows(NamedTuple):
    """The arrays of a CSR matrix.

    Attributes
    ----------
    data : (nnz,) float64
    indices : (nnz,) int32 or int64
        Columns; one that comes twice in a row counts twice.
    indptr : (m + 1,) int32 or int64
    """

    data: Floats
    indices: np.ndarray
    indptr: np.ndarray


@uncounted
def sparse_score(X, i, bias, w):
    """Return ``<w, (x_i, bias)>``."""
    data, indices = X.data, X.indices
    total = bias * w[len(w) - 1]
    for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):  # unsigned: none counts from the end
        total += data[k] * w[np.uint64(indices[k])]
    return total


@uncounted
def sparse_add(X, i, bias, factor, w):
    """``w += factor (x_i, bias)``, in place."""
    data, indices = X.data, X.indices
    for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
        w[np.uint64(indices[k])] += factor * data[k]
    w[len(w) - 1] += factor * bias


def score_of(X, i, bias, w):
    """Return ``<w, (x_i, bias)>`` for rows of either kind."""
    return (sparse_score if isinstance(X, SparseRows) else score)(X, i, bias, w)


def add_row(X, i, bias, factor, w):
    """``w += factor (x_i, bias)`` in place, for rows of either kind."""
    (sparse_add if isinstance(X, SparseRows) else add)(X, i, bias, factor, w)


@overload(score_of, inline="always")
def _score_by_type(X, i, bias, w):
    if isinstance(X, types.NamedTuple):
        return lambda X, i, bias, w: sparse_score(X, i, bias, w)
    return lambda X, i, bias, w: score(X, i, bias, w)


@overload(add_row, inline="always")
def _add_by_type(X, i, bias, factor, w):
    if isinstance(X, types.NamedTuple):
        return lambda X, i, bias, factor, w: sparse_add(X, i, bias, factor, w)
    return lambda X, i, bias, factor, w: add(X, i, bias, factor, w)
