"""Points that are no rows of the sample: k-means centres, and points moved to where the error is least."""

import warnings

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.exceptions import ConvergenceWarning

from paperlib.kernel_mean._sparsify.greedy import draws

_FULL = 5_000  # rows above which k-means starts from batches
_PASSES = 5  # over all rows after the batches, which alone leave errors of up to a third more
_STARTS = 4  # of k-means over all rows, of which the best is taken: one alone often misses a cluster
SAMPLE = 16_384  # rows that stand for the expansion while points are moved
_ROWS = 1024  # of them at a time
_STEPS = 100
_LEAST = 1e-14  # improvement of a step, and slope, below which it stops: what is left is a small difference
_JITTER = 1e-9  # added to the diagonal: points that meet have a finite best weight


def kmeans_centres(points, weights, m, rng):
    """Centres (k, d), k <= m, of scikit-learn's k-means, rows counted by their absolute weight."""
    heavy = weights != 0
    rows, mass = points[heavy], np.abs(weights[heavy])
    with np.errstate(over="ignore"):
        scale = np.abs(rows).max() or 1.0
    rows, mass = rows / scale, mass / mass.mean()
    options = {"n_clusters": min(m, len(rows)), "random_state": int(rng.integers(2**31))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than centres: no harm
        if len(rows) > _FULL:
            start = MiniBatchKMeans(n_init=1, compute_labels=False, **options).fit(rows, sample_weight=mass)
            model = KMeans(init=start.cluster_centers_, n_init=1, max_iter=_PASSES, **options)
        else:
            model = KMeans(n_init=_STARTS, **options)
        return model.fit(rows, sample_weight=mass).cluster_centers_ * scale


def moved(gamma, start, points, weights, rng):
    """Move points (k, d) by L-BFGS to where their best expansion under a Gaussian kernel is closest.

    Of more than `SAMPLE` rows as many draws stand for all. Time O(k n d + k^3) a step, memory O(n + k^2).
    """
    if len(weights) > SAMPLE:
        rows = draws(np.cumsum(np.abs(weights)), SAMPLE, rng)
        # Drawn in proportion to its weight, a row counts by its sign alone.
        points, weights = points[rows], np.where(weights[rows] < 0, -1.0, 1.0)
    scale = np.sqrt(gamma)
    shift = start.mean(axis=0)
    loss = _loss((points - shift) * scale, weights / np.abs(weights).sum(), start.shape)
    options = {"maxiter": _STEPS, "maxcor": 20, "ftol": _LEAST, "gtol": _LEAST}
    first = (start - shift) * scale
    best = minimize(loss, first.ravel(), jac=True, method="L-BFGS-B", options=options)
    return best.x.reshape(start.shape) / scale + shift


def _loss(points, weights, shape):
    """Minus the squared length of the projection, and its gradient, in units in which gamma is 1.

    With best weights ``a = K^-1 t`` the projection of the expansion has the squared length ``a' t``; as `a`
    is the best there is, only ``K`` and ``t`` have to be differentiated.
    """
    weighted = np.column_stack([weights, weights[:, None] * points])

    def loss(flat):
        moved = flat.reshape(shape)
        sums = np.zeros((shape[0], shape[1] + 1))
        for start in range(0, len(points), _ROWS):
            here = slice(start, start + _ROWS)
            sums += np.exp(-cdist(moved, points[here], "sqeuclidean")) @ weighted[here]
        target, pull = sums[:, 0], sums[:, 1:]
        matrix = np.exp(-cdist(moved, moved, "sqeuclidean"))
        a = cho_solve(cho_factor(matrix + _JITTER * np.eye(len(matrix))), target)
        outward = matrix @ (a[:, None] * moved) - moved * (matrix @ a)[:, None]
        # This is -2 a' dt + a' dK a, since d(K^-1) = -K^-1 dK K^-1; the slope of K(x, z) is -2 (x - z) K.
        gradient = 4.0 * a[:, None] * (outward - pull + moved * target[:, None])
        return -(a @ target), gradient.ravel()

    return loss
