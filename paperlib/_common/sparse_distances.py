"""Gaussian kernel values of sparse rows, whose squared distances keep their digits wherever the rows lie.

``||a||^2 + ||b||^2 - 2 <a, b>`` is one sparse product, and loses what the norms have in common: of two rows
with a Unix time among their entries, everything. The few columns that make norms large are then written out
and subtracted, and pairs that lose too much all the same are added up by differences, entry by entry.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from paperlib._common.row_differences import add_up

NEAR = 1000.0  # gamma times two squared norms, up to which the expansion is right to 1e-12 of a kernel value
NOTHING = 746.0  # the negative exponential of more is zero
MOST = 64  # columns that are written out


def gaussian_of_sparse(A, B, gamma):
    """Return ``exp(-gamma ||a - b||^2)`` for the rows of `A` (a, d) and `B` (b, d), of which one is sparse.

    A sparse one is a CSR matrix in canonical format.

    >>> rows = csr_array(np.array([[1e9, 1.0], [1e9, 2.0]]))
    >>> gaussian_of_sparse(rows, rows, 1.0).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponents, lost = _expanded(A, B, gamma)
        if lost is not None and lost.any():
            A, B = csr_array(A), csr_array(B)
            large = _large_columns(A, B, gamma)
            others = np.setdiff1d(np.arange(A.shape[1]), large)
            exponents, lost = gamma * cdist(A[:, large].toarray(), B[:, large].toarray(), "sqeuclidean"), None
            if len(others):
                rest, lost = _expanded(A[:, others], B[:, others], gamma)
                exponents += rest
            if lost is not None:
                add_up(*_parts(A), *_parts(B), lost, gamma, exponents)
        return np.exp(-exponents)


def _expanded(A, B, gamma):
    """Return ``gamma ||a - b||^2`` by norms and a product, and which of them are rounding; None: of none."""
    exponents = gamma * euclidean_distances(A, B, squared=True)
    of_a, of_b = (gamma * row_norms(rows, squared=True) for rows in (A, B))
    if of_a.max(initial=0.0) + of_b.max(initial=0.0) <= NEAR:
        return exponents, None
    # Not lost are small norms, and pairs so far apart that the kernel is zero whatever rounding did.
    size = of_a[:, None] + of_b
    return exponents, ~(size <= NEAR) & ~(exponents - 1e-14 * size > NOTHING)  # NaN is lost, too


def _large_columns(A, B, gamma):
    """Return the columns with the largest entries, of those without which norms would be small enough."""
    entries = max(1, np.diff(A.indptr).max(), np.diff(B.indptr).max())
    largest = np.maximum(*(abs(rows).max(axis=0).toarray().ravel() for rows in (A, B)))
    columns = np.argsort(-largest, kind="stable")[:MOST]
    # Where no entry is larger, gamma ||a||^2 is at most NEAR / 4, of either row.
    return columns[gamma * largest[columns] ** 2 > NEAR / (4 * entries)]


def _parts(rows):
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data.astype(np.float64)
