"""What several tests of kernel means compute by hand."""

from functools import partial

import numpy as np

from paperlib.kernel_mean import sparsify

clustered = partial(sparsify, method="farthest_first", random_state=0)


def gaussian(X, gamma, T=None):
    """The Gaussian kernel of rows, entry by entry."""
    return np.exp(-gamma * (((X if T is None else T)[:, None] - X) ** 2).sum(axis=2))


def population():
    """A finite distribution in the plane with a Gaussian kernel: true means are exact sums."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], 12)
    p = rng.random(12)
    return gaussian(X, 0.5), y, p / p.sum()


def error_of(K, weights, sparse):
    """The distance of a sparse expansion from the whole one, by the kernel matrix."""
    left = np.array(weights, dtype=float)
    left[sparse.support] -= sparse.weights
    return np.sqrt(max(left @ K @ left, 0))
