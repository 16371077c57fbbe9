"""The examples of one call of a classifier, and what a game needs of them."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from paperlib._common.typing import Floats, Integers
from paperlib.max_loss._rounds.copies import Copies
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss._rounds.rows import SparseRows
from paperlib.max_loss._tree import sumtree


class Given(NamedTuple):
    """Examples, without those of weight zero.

    Attributes
    ----------
    X : (m, d) float64, dense or CSR
    codes : (m,) integers
        The numbers of their classes.
    weights : (m,) float64, or None
    copies : Copies, or None where each row is one example
    size : int
        How many examples they count as.
    """

    X: Any
    codes: Integers
    weights: Floats | None
    copies: Copies | None
    size: int


def sample_of(given, n_vectors, scale, bias):
    """Return the examples as the kernels take them."""
    rows = given.X if scale == 1.0 else given.X * scale
    if issparse(rows):
        rows = SparseRows(rows.data, rows.indices, rows.indptr)
    y = given.codes.astype(np.float64)
    return Sample(rows, 2.0 * y - 1.0 if n_vectors == 1 else y, bias)


def tree_of(copies, m):
    """Return the p player's tree: of `m` rows, or of their copies, which enter it with their masses."""
    if copies is None:
        return sumtree.allocate(m)
    n, broken = len(copies.rows), len(copies.fractions)
    tree = sumtree.allocate(n)
    sumtree.update_many(np.arange(n - broken, n), np.log(copies.fractions), *tree)
    return tree


def share_of(wrong, weights):
    """Return the share of the examples that are wrong, by their weights."""
    return float(wrong.mean() if weights is None else weights @ wrong / weights.sum())
