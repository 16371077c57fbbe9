"""Beyond the methods of Section 5: the error against the size where every point has its best weight."""

from typing import Any

import numpy as np
import pandas as pd

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.expansions import all_expansions
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean.sparse_expansion import sparsify

METHODS: dict[str, dict[str, Any]] = {
    "herding": {"method": "herding"},
    "random, best weights": {"method": "random", "reweight": True},
    "herding, best weights": {"method": "herding", "reweight": True},
    "k-means": {"method": "kmeans"},
    "greedy": {"method": "greedy"},
    "moved": {"method": "moved"},
}


@step
def best_point_curves(board, sizes, *, data, seed):
    """Error of sparse approximations, relative to the expansion's length, by data, method and size.

    Parameters
    ----------
    board : Board
    sizes : sequence of int >= 1
        Points that an approximation may keep, at most n.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per data, method and size: data, method, size, points, error (of three digits, and of
        six decimals: what a hundred steps of L-BFGS make of the last bits of an exponential differs between
        processors, by a hundredth where next to nothing is left)
    """
    curves = [
        curves_of(expansion, sizes, stream(seed, f"best points, {name}")).assign(data=name)
        for name, expansion in all_expansions(board, data=data, seed=seed).items()
    ]
    return pd.concat(curves, ignore_index=True)[["data", "method", "size", "points", "error"]]


def curves_of(expansion, sizes, rng):
    """Return the rows of one `Expansion` in `best_point_curves`.

    >>> from paperlib.experiments.kernel_mean.expansions import Expansion
    >>> two = Expansion(np.array([[0.0], [1.0]]), np.array([0.5, 0.5]), 1.0)
    >>> curves_of(two, [2], np.random.default_rng(0)).error.round(6).tolist()[3:]
    [0.0, 0.0, 0.0]
    """
    X, weights, gamma = expansion
    (kernel, points), rows = bind_kernel("rbf", X, gamma), []
    length = np.sqrt(quadratic_form(kernel, points, weights))
    for size in sizes:
        check_number(size, "every one of sizes", low=1, high=len(X), integer=True)
        seed = int(rng.integers(2**31))  # the same for all: points are moved from these k-means centres
        for name, options in METHODS.items():
            sparse = sparsify(X, weights, size, gamma=gamma, random_state=seed, **options)
            rows.append((name, size, len(sparse.points), _told(sparse.error / length)))
    return pd.DataFrame(rows, columns=["method", "size", "points", "error"])


def _told(error):
    return round(float(f"{error:.3g}"), 6)
