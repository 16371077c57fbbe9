"""Beyond the methods of Section 5: the error against the size where every point has its best weight."""

from typing import Any

import numpy as np
import pandas as pd

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.validation import check_number
from paperlib.kernel_mean.sparse_expansion import sparsify

METHODS: dict[str, dict[str, Any]] = {
    "herding": {"method": "herding"},
    "random, best weights": {"method": "random", "reweight": True},
    "herding, best weights": {"method": "herding", "reweight": True},
    "k-means": {"method": "kmeans"},
    "greedy": {"method": "greedy"},
    "moved": {"method": "moved"},
}
_DECIMALS = 6  # of a relative error, which has three digits at most
_LEAST = 10.0**-_DECIMALS  # relative errors below this count as this


def best_point_curves(expansions, sizes, random_state=None):
    """Error of sparse approximations, relative to the expansion's length, by data, method and size.

    Parameters
    ----------
    expansions : dict
        By the name of the data: points (n, d), weights (n,), and the Gaussian kernel's gamma.
    sizes : sequence of int >= 1
        Points that an approximation may keep, at most n.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per data, method and size: data, method, size, points, error (of three digits, and of
        six decimals: what a hundred steps of L-BFGS make of the last bits of an exponential differs between
        processors, by a hundredth where next to nothing is left)

    Examples
    --------
    >>> two = {"two points": (np.array([[0.0], [1.0]]), np.array([0.5, 0.5]), 1.0)}
    >>> best_point_curves(two, [2], 0).error.round(6).tolist()[3:]
    [0.0, 0.0, 0.0]
    """
    rng, rows = np.random.default_rng(random_state), []
    for data, (X, weights, gamma) in expansions.items():
        kernel, points = bind_kernel("rbf", X, gamma)
        length = np.sqrt(quadratic_form(kernel, points, weights))
        for size in sizes:
            check_number(size, "every one of sizes", low=1, high=len(X), integer=True)
            seed = int(rng.integers(2**31))  # the same for all: points are moved from these k-means centres
            for name, options in METHODS.items():
                sparse = sparsify(X, weights, size, gamma=gamma, random_state=seed, **options)
                rows.append((data, name, size, len(sparse.points), _told(sparse.error / length)))
    return pd.DataFrame(rows, columns=["data", "method", "size", "points", "error"])


def _told(error):
    return round(float(f"{error:.3g}"), _DECIMALS)


def mean_ratio(curves, method, peer):
    """Geometric mean, over data and sizes, of one method's error over another's.

    >>> curves = {"data": "a", "size": [1, 2] * 2, "method": [*"xxyy"], "error": [0.1, 0.2, 0.4, 0.2]}
    >>> float(mean_ratio(pd.DataFrame(curves), "x", "y"))
    0.5
    """
    errors = curves.pivot(index=["data", "size"], columns="method", values="error").clip(lower=_LEAST)
    return np.exp(np.log(errors[method] / errors[peer]).mean())
