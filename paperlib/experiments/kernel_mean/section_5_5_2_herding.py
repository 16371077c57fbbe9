"""Section 5.5.2: how fast herding and Frank-Wolfe come near a mean, and the distance d behind their rates."""

import numpy as np
import pandas as pd
from scipy.spatial import ConvexHull
from sklearn.preprocessing import StandardScaler

from paperlib._common.kernels import Linear, bind_kernel
from paperlib.experiments.kernel_mean.expansions import Expansion, all_expansions
from paperlib.experiments.kernel_mean.real_data import problems
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step
from paperlib.kernel_mean.sparse_expansion import sparsify

_RIDGE = 1e-12  # on a kernel matrix whose inverse nobody could compute: distances can only grow by it
_DIMENSION, _POINTS = 5, 400  # of samples whose mean lies well inside their hull


@step
def errors_inside_the_hull(sizes, n_samples, *, seed):
    """Errors of herding and of line-search Frank-Wolfe where they fall fast.

    The mean of normal points in a space of few dimensions, under the linear kernel, lies well inside their
    convex hull, which is what the faster rates need.

    Parameters
    ----------
    sizes : sequence of int
        Points kept.
    n_samples : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per method, sample and size: method, draw, size, error
    """
    rng, rows = stream(seed, "inside the hull"), []
    for draw in range(n_samples):
        X, weights = rng.normal(size=(_POINTS, _DIMENSION)), np.full(_POINTS, 1.0 / _POINTS)
        for size in sizes:
            sparse = sparsify(X, weights, size, method="herding", kernel="linear", random_state=rng)
            error = np.linalg.norm(sparse.weights @ X[sparse.support] - weights @ X)
            rows.append(("herding", draw, size, error))
        found = frank_wolfe(Linear(), X, weights, sizes)
        rows += [("Frank-Wolfe", draw, size, error) for size, error in zip(sizes, found)]
    return pd.DataFrame(rows, columns=["method", "draw", "size", "error"])


def frank_wolfe(kernel, points, weights, sizes):
    """Approximate a kernel expansion by Frank-Wolfe's method with line search: errors after so many steps.

    In each step one more signed point is mixed in, that of the largest inner product with what is left, by
    the share that leaves the least error.

    Parameters
    ----------
    kernel : kernel object
    points : ndarray of shape (n, d)
    weights : ndarray of shape (n,)
    sizes : sequence of int >= 1

    Returns
    -------
    list of float
        For each of `sizes`, in units of the total weight. Below 1e-8 or so they are rounding.

    Examples
    --------
    >>> triangle = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0]])
    >>> [round(error, 3) for error in frank_wolfe(Linear(), triangle, np.full(3, 1 / 3), [1, 2])]
    [1.491, 0.667]
    """
    signs, alpha = np.where(weights < 0, -1.0, 1.0), np.abs(weights) / np.abs(weights).sum()
    target = signs * kernel.sums(points, points, signs * alpha)
    diagonal, length = kernel.diagonal(points), alpha @ target
    mixed, taken, errors = np.zeros(len(alpha)), np.zeros(len(alpha)), {}
    for k in range(1, max(sizes) + 1):
        gain = target - taken if k > 1 else target - diagonal / 2.0
        chosen = int((gain.max() - gain <= 1e-12).argmax())  # of several the first, on every processor
        row = signs * signs[chosen] * kernel.matrix(points[chosen][None], points)[0]
        own = mixed @ taken
        apart = diagonal[chosen] - 2.0 * taken[chosen] + own
        left = target[chosen] - mixed @ target - taken[chosen] + own
        share = min(max(left / apart, 0.0), 1.0) if k > 1 and apart > 0 else float(k == 1)
        mixed *= 1.0 - share
        mixed[chosen] += share
        taken = (1.0 - share) * taken + share * row
        errors[k] = float(np.sqrt(max(length - 2.0 * (mixed @ target) + mixed @ taken, 0.0)))
    return [errors[size] for size in sizes]


@step
def rates(board, sizes, n_draws, *, data, seed):
    """Errors of Algorithm 1, herding and Frank-Wolfe on kernel expansions, at sizes far apart.

    On those of Section 5, and on the real problems of Section 7 that have more points than are kept.

    Parameters
    ----------
    board : Board
    sizes : sequence of int >= 2
        Points that are kept; Algorithm 1 gets half as many parts.
    n_draws : int >= 1
        Of Algorithm 1; nothing in the others is random.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per data, method, draw and size: data, method, draw, size, error (over the
        expansion's length)
    """
    rows = []
    expansions = all_expansions(board, data=data, seed=seed) | _of_problems(data, 1.2 * max(sizes))
    for name, (X, weights, gamma) in expansions.items():
        (kernel, points), rng = bind_kernel("rbf", X, gamma), stream(seed, f"rates, {name}")
        total = np.abs(weights).sum()
        sums = kernel.sums(points, points, weights)
        length = np.sqrt(weights @ sums)
        found = frank_wolfe(kernel, points, weights, sizes)
        rows += [(name, "Frank-Wolfe", 0, size, total * each / length) for size, each in zip(sizes, found)]
        for size in sizes:
            herded = sparsify(X, weights, size, method="herding", gamma=gamma, random_state=rng)
            rows.append((name, "herding", 0, size, herded.error / length))
            parts = {"m": max(1, size // 2), "gamma": gamma, "random_state": rng}
            for draw in range(n_draws):
                sparse = sparsify(X, weights, method="farthest_first", **parts)
                rows.append((name, "clustered", draw, size, _error(sparse, kernel, points, sums, length)))
    return pd.DataFrame(rows, columns=["data", "method", "draw", "size", "error"])


def _of_problems(data, least):
    """Return the means of the real two-class problems of more than `least` points, as `all_expansions` does.

    Images as they are, tables standardised.
    """
    found = {}
    for name, (X, y) in problems(data).items():
        if len(y) > least and name != "spambase":
            X = X if name.startswith(("digits", "mnist")) else StandardScaler().fit_transform(X)
            found[name] = Expansion(X, y / len(y), 1 / (X.shape[1] * X.var()))
    return found


def _error(sparse, kernel, points, sums, length):
    """Return ``sparse.error / length`` where the expansion's own sums are known, which take the time."""
    kept, w = points[sparse.support], sparse.weights
    square = length**2 - 2.0 * (w @ sums[sparse.support]) + w @ kernel.matrix(kept, kept) @ w
    return float(np.sqrt(max(square, 0.0)) / length)


@step
def boundary_distances(board, *, data, seed):
    """Distance d of a mean from the boundary of the convex hull of its points, which the fast rates hang on.

    Gaussian features of distinct points are independent, so the hull is a simplex, and the mean is the share
    of a point times its distance from the affine hull of the others away from a face. Beside these,
    normal points in five dimensions under the linear kernel, whose hull has room inside.

    Returns
    -------
    DataFrame with a row per data: data, kernel, n, d (in units of the longest point)
    """
    rows: list[tuple[str, str, int, float]] = []
    for name, (X, weights, gamma) in all_expansions(board, data=data, seed=seed).items():
        signs, alpha = np.where(weights < 0, -1.0, 1.0), np.abs(weights) / np.abs(weights).sum()
        kernel, points = bind_kernel("rbf", X, gamma)
        K = np.outer(signs, signs) * kernel.matrix(points, points)
        d = float((alpha * altitudes(K)).min())
        rows.append((name, "Gaussian", len(X), to_resolution(d, 1e-6)))
    X = stream(seed, "inside the hull").normal(size=(_POINTS, _DIMENSION))
    faces = ConvexHull(X).equations
    d = -(faces[:, :-1] @ X.mean(axis=0) + faces[:, -1]).max() / np.linalg.norm(X, axis=1).max()
    rows.append(("normal points", "linear", _POINTS, float(d)))
    return pd.DataFrame(rows, columns=["data", "kernel", "n", "d"])


def altitudes(K):
    """Return the distance of each of n independent points from the affine hull of the others.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Their inner products.

    Returns
    -------
    ndarray of shape (n,)
        Not less than the true distances: where these are below 1e-6, that is what is returned.

    Examples
    --------
    An equilateral triangle with sides of the square root of two:

    >>> altitudes(np.eye(3)).round(6).tolist()
    [1.224745, 1.224745, 1.224745]
    """
    inverse = np.linalg.inv(K + _RIDGE * np.eye(len(K)))
    ones = inverse.sum(axis=1)
    return 1.0 / np.sqrt(np.diag(inverse) - ones**2 / ones.sum())
