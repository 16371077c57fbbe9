"""Section 5 at work: error against size, what it costs, parallel means."""

import dask
import dask.array
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.bound_failures import gaussian_matrix, squared_lengths
from paperlib.experiments.kernel_mean.expansions import all_expansions, on_board
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
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


@step
def error_curves(board, sizes, n_seeds, *, data, seed):
    """Error of sparse approximations of kernel expansions against their size, relative to their length.

    Parameters
    ----------
    board : Board
    sizes : sequence of int >= 2
        Points that an approximation may keep; Algorithm 1 gets half as many parts, rounded down.
    n_seeds : int >= 1
        Draws of each method but herding, in which nothing is random.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per data, method, size and draw: data, method, size, draw, points, error
        The peers choose `size` rows at random (Nyström landmarks) or `size` cluster centres, which are no
        points of the sample, and give them the best weights.
    """
    curves = [
        curves_of(expansion, sizes, n_seeds, stream(seed, f"error curves, {name}")).assign(data=name)
        for name, expansion in all_expansions(board, data=data, seed=seed).items()
    ]
    columns = ["data", "method", "size", "draw", "points", "error"]
    # Of the smallest, roots of differences of sums, the further digits depend on the processor.
    return pd.concat(curves, ignore_index=True)[columns].round({"error": 8})


def curves_of(expansion, sizes, n_seeds, rng):
    """Return the rows of one `Expansion` in `error_curves`."""
    X, weights, gamma = expansion
    n_seeds = check_number(n_seeds, "n_seeds", low=1, integer=True)
    for size in sizes:
        check_number(size, "every one of sizes", low=2, high=len(X), integer=True)
    kernel, points = bind_kernel("rbf", X, gamma)
    length, rows = np.sqrt(quadratic_form(kernel, points, weights)), []
    # Grey values are whole numbers, so that centres are often equally far: rounding would choose one.
    apart = X + 1e-7 * X.std() * np.random.default_rng(0).normal(size=X.shape)
    for size in sizes:
        for name, method in OURS.items():
            for draw in range(1 if name == "herding" else n_seeds):
                m = size // 2 if name == "clustered" else size
                sparse = sparsify(X, weights, m, method=method, gamma=gamma, random_state=rng)
                rows.append((name, size, draw, len(sparse.support), sparse.error / length))
        for draw in range(n_seeds):
            seed = int(rng.integers(2**31))
            landmarks = points[rng.choice(len(X), size=size, replace=False)]
            centres = KMeans(size, n_init=1, random_state=seed).fit(apart).cluster_centers_
            for name, chosen in zip(PEERS, (landmarks, centres)):
                kept = least_squares(kernel, chosen, points, weights)
                error = expansion_norm(kernel, np.vstack([points, chosen]), np.concatenate([weights, -kept]))
                rows.append((name, size, draw, size, error / length))
    return pd.DataFrame(rows, columns=["method", "size", "draw", "points", "error"])


@step
def random_draws(board, sizes, n_draws, *, seed):
    """Thin the mean of the checkerboard to random points; the errors come from the kernel matrix.

    Returns
    -------
    DataFrame with a row per draw and size: draw, size, error
    """
    X, weights, gamma = on_board(board, seed=seed)
    rng, K, tables = stream(seed, "random draws"), gaussian_matrix(X, gamma), []
    for size in sizes:
        left = np.tile(weights, (n_draws, 1))
        for row in left:
            sparse = sparsify(X, weights, size, method="random", gamma=gamma, random_state=rng)
            row[sparse.support] -= sparse.weights
        errors = np.sqrt(squared_lengths(K, left))
        tables.append(pd.DataFrame({"draw": range(n_draws), "size": size, "error": errors}))
    return pd.concat(tables, ignore_index=True)


@step
def kernel_value_counts(*, seed):
    """Count the kernel values that Algorithm 1 and herding ask for.

    Returns
    -------
    DataFrame with a row per method, n and m: method, n, m, values
    """
    kinds = [("farthest_first", m) for m in (4, 16, 64)] + [("herding", 16)]
    rows = [
        (method, n, m, kernel_values(method, n, m, stream(seed, f"{n} points")))
        for method, m in kinds
        for n in (250, 500, 1000, 2000)
    ]
    return pd.DataFrame(rows, columns=["method", "n", "m", "values"])


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


@step
def parallel_means(board, tol, n_chunks, n_draws, *, seed):
    """Lemma 22: errors of the chunks' approximations and of their sum, over what they may be.

    Every chunk of a dask array is approximated within its share of `tol` (Algorithm 2), without a second
    round.

    Returns
    -------
    DataFrame with a row per draw: draw, chunks (largest error of a chunk, over its share of `tol`), total
        (error of the sum, over the mean of the chunks' errors, which bounds it)
    """
    X, weights, gamma = on_board(board, seed=seed)
    rng, K, rows = stream(seed, "parallel means"), gaussian_matrix(X, gamma), []
    chunk = np.arange(len(X)) * n_chunks // len(X)
    chunked = dask.array.from_array(X, chunks=(tuple(np.bincount(chunk).tolist()), X.shape[1]))
    own = chunk == np.arange(n_chunks)[:, None]
    shares = own @ np.abs(weights)
    asked = {"tol": tol, "gamma": gamma, "method": "farthest_first", "second_round": False}
    for draw in range(n_draws):
        with dask.config.set(scheduler="synchronous"):  # a trace does not see threads that are there already
            sparse = sparsify(chunked, weights, **asked, random_state=rng)
        left = weights.copy()
        np.subtract.at(left, sparse.support, sparse.weights)
        *errors, total = np.sqrt(squared_lengths(K, np.vstack([own * left, left])))
        relative = np.divide(errors, shares, out=np.zeros(n_chunks), where=shares > 0)
        bound = shares.sum() * theory.lemma_22(shares, relative)
        rows.append((draw, relative.max() * shares.sum() / tol, total / bound if total else 0.0))
    return pd.DataFrame(rows, columns=["draw", "chunks", "total"])


@step
def two_rounds():
    """Return `two_chunks` without and with a second round: a row each, second_round, points, error."""
    rows = [(second, *two_chunks(second)) for second in (False, True)]
    return pd.DataFrame(rows, columns=["second_round", "points", "error"])


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
    asked = {"kernel": "linear", "method": "farthest_first", "second_round": second_round}
    with dask.config.set(scheduler="synchronous"):
        sparse = sparsify(X, weights, 2, **asked, random_state=0)
    np.subtract.at(weights, sparse.support, sparse.weights)
    return len(sparse.support), abs(float(weights @ x[:, 0]))
