"""Sparse approximations of kernel means: the error of as many points, and the time, on one thread.

A peer that is no dependency is left out, with a line, where it is missing: `pip install goodpoints`.
"""

import math
import statistics

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib.experiments import datasets
from paperlib.experiments.kernel_mean.real_data import average_pixels
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm

SIZES = (32, 64, 128, 256, 512)


def expansions():
    """Five of them by name: points, weights and a width by scikit-learn's rule "scale"."""
    rng = np.random.default_rng(0)
    gaussian = rng.normal(size=(4096, 8))
    clusters = 2 * rng.normal(size=(20, 5))[rng.integers(20, size=5000)] + 0.5 * rng.normal(size=(5000, 5))
    cancer, digits, mnist = (datasets.load(name) for name in ("breast_cancer", "digits", "mnist"))
    found = {
        "Gaussian": (gaussian, np.ones(4096)),
        "20 clusters": (clusters, np.ones(5000)),
        "breast cancer": (StandardScaler().fit_transform(cancer.X), cancer.y),
        "digits, odd or even": (digits.X, np.where(digits.y % 2, 1, -1)),
        "MNIST, 7 x 7": (average_pixels(mnist.X, 7), np.ones(len(mnist.y))),
    }
    return {name: (X, y / len(y), 1 / (X.shape[1] * X.var())) for name, (X, y) in found.items()}


def relative_errors():
    """Error over the expansion's length by method, data and size; Algorithm 1 gets half as many parts."""
    methods = ("farthest_first", "herding", "kmeans", "greedy", "moved")
    errors = {method: {} for method in methods}
    for name, (X, weights, gamma) in expansions().items():
        length = math.sqrt(quadratic_form(*bind_kernel("rbf", X, gamma), weights))
        for size in SIZES:
            for method in methods:
                m = size // 2 if method == "farthest_first" else size
                sparse = sparsify(X, weights, m, method=method, gamma=gamma, random_state=0)
                errors[method][name, size] = sparse.error / length
    return errors


def error_rows():
    with threadpool_limits(1):
        errors = relative_errors()
    means = {method: statistics.geometric_mean(found.values()) for method, found in errors.items()}
    what = f"error of {{}}, {SIZES[0]} to {SIZES[-1]} points, five data sets"
    unit = "of the length"
    for ours, peer, share in (
        ("greedy", "herding", 0.6),
        ("greedy", "farthest_first", 0.35),
        ("moved", "herding", 0.45),
    ):
        ratios = {key: errors[ours][key] / errors[peer][key] for key in errors[ours]}
        worst = max(ratios, key=ratios.get)
        note = f"geometric means; at worst {ratios[worst]:.2f} of it: {worst[0]}, {worst[1]} points"
        yield Comparison(what.format(ours), means[ours], means[peer], peer, 1 / share, note, unit)
    worst = max(errors["moved"], key=lambda key: errors["moved"][key] / errors["kmeans"][key])
    note = f"where it gains least: {worst[0]}, {worst[1]} points; both with the best weights"
    least = errors["moved"][worst], errors["kmeans"][worst]
    yield Comparison(what.format("moved"), *least, "k-means", 1.0, note, unit)


def large(n=1_000_000, d=20):
    X, weights = np.random.default_rng(0).normal(size=(n, d)), np.full(n, 1 / n)
    for m in (32, 128, 512):

        def ours(m=m):
            return sparsify(X, weights, m, method="greedy", random_state=0)

        def peer(m=m):
            return sparsify(X, weights, m, method="farthest_first", random_state=0)

        with threadpool_limits(1):
            seconds = alternate(ours, peer, repeats=3)
        draws = X[np.random.default_rng(1).choice(n, 20_000, replace=False)]
        errors = [_against_draws(draws, each()) for each in (ours, peer)]
        note = f"error {errors[0]:.3f} of the length, its {errors[1]:.3f}"
        yield Comparison(f"greedy, n={n:,}, m={m}, d={d}", *seconds, "farthest_first", 0.5, note)


def _against_draws(draws, sparse):
    """Error over the length, both from all pairs of different draws of the sample."""
    n, kernel = len(draws), sparse._kernel
    square = (quadratic_form(kernel, draws, np.ones(n)) - n) / (n * (n - 1))
    along = sparse.weights @ kernel.sums(sparse.points, draws, np.full(n, 1 / n))
    own = sparse.weights @ kernel.sums(sparse.points, sparse.points, sparse.weights)
    return math.sqrt(max(square - 2 * along + own, 0.0) / square)


def against_goodpoints(n=4096, m=64, d=4):
    """Kernel thinning, and Compress++ around it: at equal size, and in the time that Compress++ takes."""
    try:
        from goodpoints import compress, kt
    except ImportError as error:
        print(f"goodpoints: left out, {error}")
        return
    X, gamma = np.random.default_rng(0).normal(size=(n, d)), 1 / (2 * d)
    weights = np.full(n, 1 / n)
    kernel, points = bind_kernel("rbf", X, gamma)

    def values(x, others):
        return np.exp(-gamma * ((others - x) ** 2).sum(axis=1))

    def thinning():
        return kt.thin(X, (n // m).bit_length() - 1, values, values, seed=0)

    def compressing():
        return compress.compresspp_kt(X, b"gaussian", k_params=np.array([1 / gamma]), seed=0)

    def ours(**options):
        return lambda: sparsify(X, weights, gamma=gamma, random_state=0, **options)

    what = f"{{}}, n={n:,}, m={m}, d={d}"
    greedy, quick = ours(m=m), ours(m=m, method="random", reweight=True)
    for name, made, peer_name, peer, repeats in (
        ("greedy", greedy, "goodpoints, kernel thinning", thinning, 3),
        ("greedy", greedy, "goodpoints, Compress++", compressing, 7),
        ("draws with the best weights", quick, "goodpoints, Compress++", compressing, 15),
    ):
        with threadpool_limits(1):
            seconds = alternate(made, peer, repeats)
        sparse, coreset = made(), peer()
        other = weights - np.bincount(coreset, minlength=n) / len(coreset)
        errors = sparse.error, expansion_norm(kernel, points, other)
        sizes = f"{len(sparse.support)} points against {len(coreset)}"
        yield Comparison("time of " + what.format(name), *seconds, peer_name, None, sizes)
        yield Comparison("error of " + what.format(name), *errors, peer_name, 1.0, sizes, "RKHS norm")


def against_minibatches(d, n=10_000, m=64):
    """As many free points: k-means from small batches, with the best weights for its centres."""
    X, gamma, weights = np.random.default_rng(0).normal(size=(n, d)), 1 / (2 * d), np.full(n, 1 / n)
    kernel, points = bind_kernel("rbf", X, gamma)

    def ours():
        return sparsify(X, weights, m, method="kmeans", gamma=gamma, random_state=0)

    def peer():
        centres = MiniBatchKMeans(m, n_init=1, random_state=0).fit(X).cluster_centers_
        return centres, np.linalg.lstsq(kernel.matrix(centres, centres), kernel.sums(centres, X, weights))[0]

    with threadpool_limits(1):
        seconds = alternate(ours, peer, 3)
    (centres, best), square = peer(), quadratic_form(kernel, points, weights)
    left = square - best @ kernel.sums(centres, X, weights)
    length, default = math.sqrt(square), sparsify(X, weights, m, gamma=gamma, random_state=0)
    note = f"errors {ours().error / length:.4f} and {math.sqrt(max(left, 0.0)) / length:.4f} of the length; "
    note += f"rows of the sample, the default, {default.error / length:.4f}"
    name = "MiniBatchKMeans, best weights"
    return Comparison(f"kmeans, n={n:,}, m={m}, d={d}", *seconds, name, 1.0, note)


def run():
    yield from error_rows()
    yield from large()
    yield from against_goodpoints()
    for d in (20, 100):
        yield against_minibatches(d)
