"""Sparse rows like those of documents: few of many words, the first ones in most rows."""

import numpy as np
from scipy.sparse import csr_matrix


def words(n, d, each):
    """Return `n` rows of length 1 with `each` entries in `d` columns, and a plane's labels, 1 % wrong."""
    rng = np.random.default_rng(0)
    indices, data = np.empty((n, each), dtype=np.int32), np.empty((n, each))
    for start in range(0, n, 10_000):  # a block at a time, beside which little else is in memory
        rows = slice(start, min(n, start + 10_000))
        indices[rows] = d * rng.random(indices[rows].shape) ** 2
        data[rows] = rng.random(data[rows].shape)
        data[rows] /= np.linalg.norm(data[rows], axis=1, keepdims=True)
    X = csr_matrix((data.ravel(), indices.ravel(), np.arange(0, n * each + 1, each)), shape=(n, d))
    y = X @ rng.normal(size=d) > 0.0
    return X, np.where(rng.random(n) < 0.01, ~y, y)
