"""Section 5.5.2: how fast the error of herding falls."""

import numpy as np
import pandas as pd

from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean.sparse_expansion import sparsify


@step
def errors_inside_the_hull(sizes, n_samples, *, d=5, n=400, seed):
    """Errors of herding where they fall fast.

    The mean of normal points in a space of few dimensions, under the linear kernel, lies well inside their
    convex hull, which is what the faster rate needs.

    Parameters
    ----------
    sizes : sequence of int
        Points kept.
    n_samples, d, n : int >= 1
        Samples, their dimension, and their points.
    seed : int

    Returns
    -------
    DataFrame with a row per sample and size: draw, size, error
    """
    rng, rows = stream(seed, "herding inside the hull"), []
    for draw in range(n_samples):
        X, weights = rng.normal(size=(n, d)), np.full(n, 1.0 / n)
        for size in sizes:
            sparse = sparsify(X, weights, size, method="herding", kernel="linear", random_state=rng)
            rows.append((draw, size, np.linalg.norm(sparse.weights @ X[sparse.support] - weights @ X)))
    return pd.DataFrame(rows, columns=["draw", "size", "error"])
