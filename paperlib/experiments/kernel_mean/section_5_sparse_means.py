"""Section 5 at work: error against size, subsets of the checkerboard, parallel means."""

import dask.array
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.approximations import best_weights
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
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
    for size in sizes:
        for name, method in OURS.items():
            for _ in range(1 if name == "herding" else n_seeds):
                m = size // 2 if name == "clustered" else size
                sparse = sparsify(X, weights, m, method=method, gamma=gamma, random_state=rng)
                rows.append((name, size, len(sparse.support), sparse.error / length))
        for _ in range(n_seeds):
            seed = int(rng.integers(2**31))
            landmarks = points[rng.choice(len(X), size=size, replace=False)]
            centres = KMeans(size, n_init=1, random_state=seed).fit(X).cluster_centers_
            for name, chosen in zip(PEERS, (landmarks, centres)):
                kept = best_weights(kernel, chosen, points, weights)
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
        without a point), zero_one (0-1 risk on the sample), error, chance (that ``2 m`` random draws miss a
        cluster of this sample)
    """
    n_seeds = check_number(n_seeds, "n_seeds", low=1, integer=True)
    rng, rows = np.random.default_rng(random_state), []
    for seed in range(n_seeds):
        X, y, cluster = checkerboard(n, random_state=rng)
        chance = chance_of_missing(np.unique(cluster, return_counts=True)[1], 2 * m)
        for name, budget in (("clustered", m), ("random", 2 * m), ("herding", 2 * m)):
            sparse = sparsify(X, y / n, budget, method=OURS[name], gamma=gamma, random_state=rng)
            missed = len(np.unique(cluster)) - len(np.unique(cluster[sparse.support]))
            risk = np.mean(y * sparse.decision_function(X) <= 0)
            rows.append((name, seed, len(sparse.support), missed, risk, sparse.error, chance))
    columns = ["method", "seed", "points", "missed", "zero_one", "error", "chance"]
    return pd.DataFrame(rows, columns=columns)


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


def parallel_excesses(X, weights, m, *, gamma, n_groups, n_draws, random_state=None):
    """Lemma 22: error of a sum of approximations of `n_groups` random groups, less its bound.

    Returns
    -------
    ndarray of shape (n_draws,)
        Not above zero, says the lemma.
    """
    rng, (kernel, points) = np.random.default_rng(random_state), bind_kernel("rbf", X, gamma)
    found = []
    for _ in range(n_draws):
        group, kept, shares, errors = rng.permutation(len(X)) % n_groups, weights.copy(), [], []
        for i in range(n_groups):
            own = np.flatnonzero(group == i)
            sparse = sparsify(X[own], weights[own], m, gamma=gamma, random_state=rng)
            kept[own[sparse.support]] -= sparse.weights
            share = np.abs(weights[own]).sum()
            shares.append(share)
            errors.append(sparse.error / share)
        bound = np.sum(shares) * theory.lemma_22(shares, errors)
        found.append(expansion_norm(kernel, points, kept) - bound)
    return np.array(found)


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
    X = dask.array.from_array(np.array([[1.0], [0.0], [1.0], [0.0]]), chunks=(2, 1))
    options = {"kernel": "linear", "second_round": second_round, "random_state": 0}
    sparse = sparsify(X, np.full(4, 0.25), 2, **options)
    return len(sparse.support), sparse.error
