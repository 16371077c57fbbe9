"""Kernel sums of the mean classifier against the kernel matrix of scikit-learn, on one thread."""

import tracemalloc

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from paperlib.kernel_mean import KernelMeanClassifier


def decision_function(n, m, d, target):
    rng = np.random.default_rng(0)
    X, T, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.choice([-1, 1], n)
    clf = KernelMeanClassifier(gamma=1 / d).fit(X, y)
    weights = clf.dual_coef_

    def ours():
        return clf.decision_function(T)

    def peer():
        return rbf_kernel(T, X, gamma=1 / d) @ weights

    scale = rbf_kernel(T[:50], X, gamma=1 / d) @ np.abs(weights)
    error = np.abs(ours()[:50] - rbf_kernel(T[:50], X, gamma=1 / d) @ weights) / scale
    with threadpool_limits(1):
        seconds = alternate(ours, peer)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = f"peak {peak:.0f} MB (the matrix: {n * m * 8 / 2**20:.0f} MB); errors below {error.max():.0e}"
    what = f"decision_function, n={n:,}, {m:,} test points, d={d}"
    return Comparison(what, *seconds, "rbf_kernel(T, X) @ v", target, note)


def run():
    yield decision_function(20_000, 5_000, 50, target=5.0)
    yield decision_function(80_000, 5_000, 50, target=5.0)
    yield decision_function(20_000, 5_000, 10, target=None)
