"""Which passes suit which form of data."""

import numpy as np
from scipy.sparse import issparse

from paperlib._common.chunks import is_dask, is_mapped
from paperlib.coresets._kernel_solver.pool import HeldRows, KernelPool
from paperlib.coresets._search.rows import ArrayRows, ChunkedRows
from paperlib.coresets._search.sparse_rows import SparseRows


def dtypes(X, C):
    """Return the types of numbers that need no conversion: for a hard margin any that a memory map holds."""
    own = [X.dtype] if C is None and is_mapped(X) and X.dtype.kind in "buif" else []
    return [np.float64, np.float32, *own]


def rows_of(X, signs, coreset, constant):
    """Return the rows of `X` (n, d) for a search that grows `coreset`.

    `signs` (n,), of int8, are -1, +1, or 0 for a row that is left out, and are taken over; `constant` is what
    the space of the normals adds to the squared norm of a row.
    """
    if is_dask(X):
        return ChunkedRows(X, signs)
    if issparse(X):
        return SparseRows(X, signs)
    if isinstance(coreset, KernelPool):
        return HeldRows(X, signs, coreset)
    return ArrayRows(X, signs, coreset, constant)
