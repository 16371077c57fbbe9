"""Rows that are kept beyond the call that they were given to."""

import numpy as np
from scipy.sparse import issparse

from paperlib._common.chunks import is_mapped


def own(rows, given):
    """Return `rows`, a copy of them where they may lie in memory that the caller will write to again.

    Parameters
    ----------
    rows : ndarray or CSR matrix
        What scikit-learn's validation made of `given`: the same memory, unless it had to be converted.
    given : object

    Examples
    --------
    >>> X = np.zeros((2, 1))
    >>> own(X, X) is X, own(X, [[0.0], [0.0]]) is X
    (False, True)
    """
    if rows is given or (not issparse(rows) and rows.base is not None and not is_mapped(rows)):
        return rows.copy() if issparse(rows) else np.copy(rows)  # in the order of memory that they have
    return rows
