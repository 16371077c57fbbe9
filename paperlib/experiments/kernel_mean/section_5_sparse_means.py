"""Section 5 at work: error against size, subsets of the checkerboard, parallel means."""

import dask.array
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.bound_failures import gaussian_matrix, squared_lengths
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.least_squares import least_squares
from paperlib.kernel_mean.sparse_expansion import Method, sparsify

OURS: dict[str, Method] = {
    "clustered": "farthest_first",
    "random": "random",
    "herding": "herding",
    "project": "project",
}
PEERS = ("Nyström", "k-means")  # landmarks at random and cluster centres, both with the best weights


def error_curves(X, weights, sizes, *, gamma, n_seeds, random_state=None):
    """Error of sparse approximations of a kernel expansion against their size, relative to its length.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    weights : ndarray of shape (n,)
    sizes : sequence of int >= 2
        Points that an approximation may keep; Algorithm 1 gets half as many parts, rounded down.
    gamma : float
        Of the Gaussian kernel.
    n_seeds : int >= 1
        Draws of each method but herding, in which nothing is random.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per method, size and seed: method, size, points, error
        The peers choose `size` rows at random (Nyström landmarks) or `size` cluster centres, which are no
        points of the sample, and give them the best weights.
    """
    n_seeds = check_number(n_seeds, "n_seeds", low=1, integer=True)
    for size in sizes:
        check_number(size, "every one of sizes", low=2, high=len(X), integer=True)
    rng, (kernel, points) = np.random.default_rng(random_state), bind_kernel("rbf", X, gamma)
    length, rows = np.sqrt(quadratic_form(kernel, points, weights)), []
    # Grey values are whole numbers, so that centres are often equally far: rounding would choose one.
    apart = X + 1e-7 * X.std() * np.random.default_rng(0).normal(size=X.shape)
    for size in sizes:
        for name, method in OURS.items():
            for _ in range(1 if name == "herding" else n_seeds):
                m = size // 2 if name == "clustered" else size
                sparse = sparsify(X, weights, m, method=method, gamma=gamma, random_state=rng)
                rows.append((name, size, len(sparse.support), sparse.error / length))
        for _ in range(n_seeds):
            seed = int(rng.integers(2**31))
            landmarks = points[rng.choice(len(X), size=size, replace=False)]
            centres = KMeans(size, n_init=1, random_state=seed).fit(apart).cluster_centers_
            for name, chosen in zip(PEERS, (landmarks, centres)):
                kept = least_squares(kernel, chosen, points, weights)
                error = expansion_norm(kernel, np.vstack([points, chosen]), np.concatenate([weights, -kept]))
                rows.append((name, size, size, error / length))
    return pd.DataFrame(rows, columns=["method", "size", "points", "error"])


def subset_success(n, m, *, gamma, n_seeds, random_state=None):
    """Clustered, random and herded subsets of ``2 m`` points of the checkerboard, a new sample each time.

    Parameters
    ----------
    n : int >= 1
        Points on the checkerboard.
    m : int >= 1
    gamma : float
    n_seeds : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per method and seed: method, seed, points, missed (clusters of the sample that are
        without a point), zero_one (0-1 risk on the sample), error
    """
    n_seeds = check_number(n_seeds, "n_seeds", low=1, integer=True)
    rng, rows = np.random.default_rng(random_state), []
    for seed in range(n_seeds):
        X, y, cluster = checkerboard(n, random_state=rng)
        for name, budget in (("clustered", m), ("random", 2 * m), ("herding", 2 * m)):
            sparse = sparsify(X, y / n, budget, method=OURS[name], gamma=gamma, random_state=rng)
            missed = len(np.unique(cluster)) - len(np.unique(cluster[sparse.support]))
            risk = np.mean(y * sparse.decision_function(X) <= 0)
            rows.append((name, seed, len(sparse.support), missed, risk, sparse.error))
    columns = ["method", "seed", "points", "missed", "zero_one", "error"]
    return pd.DataFrame(rows, columns=columns)


def random_misses(n, m, *, n_boards, n_draws, random_state=None):
    """Count how often `m` random points of a checkerboard miss a cluster, beside how often they should.

    Parameters
    ----------
    n, m : int >= 1
        Points on a board, and of a subset.
    n_boards, n_draws : int >= 1
        Boards, and subsets of each.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per board: missed (share of its subsets), chance (of `chance_of_missing`)
    """
    rng, rows = np.random.default_rng(random_state), []
    for _ in range(n_boards):
        X, y, cluster = checkerboard(n, random_state=rng)
        clusters, sizes = np.unique(cluster, return_counts=True)
        subsets = (sparsify(X, y / n, m, method="random", random_state=rng).support for _ in range(n_draws))
        missed = [len(np.unique(cluster[subset])) < len(clusters) for subset in subsets]
        rows.append((np.mean(missed), chance_of_missing(sizes, m)))
    return pd.DataFrame(rows, columns=["missed", "chance"])


def random_exponents(X, weights, sizes, *, gamma, n_draws, random_state=None):
    """Fit the exponent with which the error of random sub-sampling falls, from one draw at each size.

    Returns
    -------
    ndarray of shape (n_draws,)
        Slopes of the logarithm of the error over that of the size; errors come from the kernel matrix.
    """
    rng, K, errors = np.random.default_rng(random_state), gaussian_matrix(X, gamma), []
    for size in sizes:
        left = np.tile(weights, (n_draws, 1))
        for row in left:
            sparse = sparsify(X, weights, size, method="random", gamma=gamma, random_state=rng)
            row[sparse.support] -= sparse.weights
        errors.append(np.sqrt(squared_lengths(K, left)))
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


def kernel_values(method, n, m, random_state=None):
    """Count the kernel values that an approximation of `n` random points of the plane by `m` asks for.

    A row of the kernel matrix for each of five centres, and the diagonal:

    >>> kernel_values("farthest_first", 100, 5, random_state=0)
    600
    """
    rng, count = np.random.default_rng(random_state), 0

    def counted(A, B):
        nonlocal count
        count += len(A) * len(B)
        return np.exp(-((A[:, None] - B) ** 2).sum(axis=-1))

    sparsify(rng.normal(size=(n, 2)), np.full(n, 1.0 / n), m, kernel=counted, method=method, random_state=rng)
    return count


def growth_of_kernel_values(method, sizes=(250, 500, 1000, 2000), m=16, random_state=None):
    """Exponent of the number of points in `kernel_values`, fitted over samples of these `sizes`.

    >>> round(growth_of_kernel_values("farthest_first", (50, 100), 5, random_state=0), 9)
    1.0
    """
    counts = [kernel_values(method, n, m, random_state) for n in sizes]
    return float(np.polyfit(np.log(sizes), np.log(counts), 1)[0])


def herding_exponents(sizes, *, n_samples, d=5, n=400, random_state=None):
    """Exponents with which the error of herding falls where it is fast.

    The mean of normal points in a space of few dimensions, under the linear kernel, lies well inside their
    convex hull, which is what the faster rate needs.

    Parameters
    ----------
    sizes : sequence of int
        Points kept.
    n_samples, d, n : int >= 1
        Samples, their dimension, and their points.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    rng, found = np.random.default_rng(random_state), []
    for _ in range(n_samples):
        X, weights, errors = rng.normal(size=(n, d)), np.full(n, 1.0 / n), []
        for size in sizes:
            sparse = sparsify(X, weights, size, method="herding", kernel="linear", random_state=rng)
            errors.append(np.linalg.norm(sparse.weights @ X[sparse.support] - weights @ X))
        found.append(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
    return np.array(found)


def herding_ahead(curves):
    """How far herding is ahead of Algorithm 1 at equal size: mean logarithm of the ratio of their errors.

    Parameters
    ----------
    curves : DataFrame
        As `error_curves` makes it, with a column `data` beside.

    Returns
    -------
    tuple of (float, float)
        Below zero where herding has the smaller errors; the standard error is that of Algorithm 1's draws.
    """
    clustered, herding = (curves[curves.method == name] for name in ("clustered", "herding"))
    logs = np.log(clustered.set_index(["data", "size"]).error)
    cells = logs.groupby(level=[0, 1]).agg(["mean", "sem"]).fillna(0.0)
    own = np.log(herding.set_index(["data", "size"]).error)
    return float((own - cells["mean"]).mean()), float(np.sqrt((cells["sem"] ** 2).sum()) / len(cells))


def chance_of_missing(sizes, draws):
    """Probability that draws with replacement miss a cluster, by inclusion and exclusion; up to 16 clusters.

    Parameters
    ----------
    sizes : array-like of shape (c,), c <= 16
        Of the clusters.
    draws : int >= 0

    Returns
    -------
    float

    Examples
    --------
    >>> chance_of_missing([1, 1], 2)
    0.5
    >>> round(chance_of_missing([50] * 16, 32), 4)
    0.9266
    """
    sizes = np.asarray(sizes, dtype=float)
    check_number(sizes.size, "number of clusters", low=1, high=16, integer=True)
    left_out, signs = np.zeros(1), np.ones(1)  # over all sets of clusters
    for share in sizes / sizes.sum():
        left_out, signs = np.concatenate([left_out, left_out + share]), np.concatenate([signs, -signs])
    return float(1.0 - signs @ np.maximum(1.0 - left_out, 0.0) ** draws)


def parallel_ratios(X, weights, tol, *, gamma, n_chunks, n_draws, random_state=None):
    """Lemma 22: errors of the chunks' approximations and of their sum, over what they may be.

    Every chunk of a dask array is approximated within its share of `tol` (Algorithm 2), without a second
    round.

    Returns
    -------
    DataFrame with a row per draw: chunks (largest error of a chunk, over its share of `tol`), total (error of
        the sum, over the mean of the chunks' errors, which bounds it)
    """
    rng, K, rows = np.random.default_rng(random_state), gaussian_matrix(X, gamma), []
    chunk = np.arange(len(X)) * n_chunks // len(X)
    chunked = dask.array.from_array(X, chunks=(tuple(np.bincount(chunk).tolist()), X.shape[1]))
    own = chunk == np.arange(n_chunks)[:, None]
    shares = own @ np.abs(weights)
    for _ in range(n_draws):
        sparse = sparsify(
            chunked,
            weights,
            tol=tol,
            gamma=gamma,
            second_round=False,
            random_state=rng,
            method="farthest_first",
        )
        left = weights.copy()
        np.subtract.at(left, sparse.support, sparse.weights)
        *errors, total = np.sqrt(squared_lengths(K, np.vstack([own * left, left])))
        relative = np.divide(errors, shares, out=np.zeros(n_chunks), where=shares > 0)
        bound = shares.sum() * theory.lemma_22(shares, relative)
        rows.append((relative.max() * shares.sum() / tol, total / bound if total else 0.0))
    return pd.DataFrame(rows, columns=["chunks", "total"])


def two_chunks(second_round):
    """Section 5.4's example: {1, 1, 0, 0} in two chunks with a copy of 1 and of 0 each, thinned with m = 2.

    Returns
    -------
    points, error : int, float
        Of the sum of the two approximations, or of what a second round makes of it.

    Examples
    --------
    >>> two_chunks(False), two_chunks(True)
    ((4, 0.0), (2, 0.0))
    """
    x, weights = np.array([[1.0], [0.0], [1.0], [0.0]]), np.full(4, 0.25)
    X = dask.array.from_array(x, chunks=(2, 1))
    sparse = sparsify(
        X, weights, 2, kernel="linear", second_round=second_round, random_state=0, method="farthest_first"
    )
    np.subtract.at(weights, sparse.support, sparse.weights)
    return len(sparse.support), abs(float(weights @ x[:, 0]))
