"""The kernel mean and its sparse approximations against what one would use otherwise, on one thread.

Two peers are no dependencies and are left out, with a line, where they are missing:
`pip install biquality-learn goodpoints`.
"""

import tracemalloc

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from paperlib._common.kernels import bind_kernel
from paperlib.experiments import datasets
from paperlib.kernel_mean import KernelMeanClassifier, flip_labels, sparsify, sparsify_classifier
from paperlib.kernel_mean._sparsify.approximations import project
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first


def decision_function(n, m, d, target, dtype=np.float64, repeats=5):
    rng = np.random.default_rng(0)
    X, T = (rng.normal(size=(rows, d)).astype(dtype) for rows in (n, m))
    y = rng.choice([-1, 1], n)
    clf = KernelMeanClassifier(gamma=1 / d).fit(X, y)
    weights = clf.dual_coef_

    def ours():
        return clf.decision_function(T)

    def peer():
        return rbf_kernel(T, X, gamma=1 / d) @ weights

    matrix = rbf_kernel(T[:50].astype(float), X.astype(float), gamma=1 / d)
    error = np.abs(ours()[:50] - matrix @ weights) / (matrix @ np.abs(weights))
    with threadpool_limits(1):
        seconds = alternate(ours, peer, repeats)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = f"peak {peak:.0f} MB (the matrix: {n * m * 8 / 2**20:.0f} MB); errors below {error.max():.0e}"
    what = f"decision_function, {np.dtype(dtype).name}, n={n:,}, {m:,} test points, d={d}"
    return Comparison(what, *seconds, "rbf_kernel(T, X) @ v", target, note)


def numpy_farthest_first(X, m):
    """One vectorised pass for each centre: squared differences, a minimum, an arg-max."""
    squared, nearest, centres = np.full(len(X), np.inf), np.zeros(len(X), dtype=int), [0]
    while True:
        distance = ((X - X[centres[-1]]) ** 2).sum(axis=1)
        closer = distance < squared
        squared[closer], nearest[closer] = distance[closer], len(centres) - 1
        if len(centres) == m:
            return np.array(centres), nearest
        centres.append(int(squared.argmax()))


def numpy_farthest_first_by_products(X, m):
    """The same by ``|x|^2 - 2 <x, c> + |c|^2``: faster, and without digits for points that lie close."""
    squares, squared = np.einsum("ij,ij->i", X, X), np.full(len(X), np.inf)
    nearest, centres = np.zeros(len(X), dtype=int), [0]
    while True:
        distance = squares - 2.0 * (X @ X[centres[-1]]) + squares[centres[-1]]
        closer = distance < squared
        squared[closer], nearest[closer] = distance[closer], len(centres) - 1
        if len(centres) == m:
            return np.array(centres), nearest
        centres.append(int(squared.argmax()))


def traversal(peer, name, target, n=100_000, m=500, d=20):
    X = np.random.default_rng(0).normal(size=(n, d))
    kernel, points = bind_kernel("rbf", X, 1 / d)

    def ours():
        return farthest_first(kernel, points, np.ones(n), m)

    with threadpool_limits(1):
        (centres, nearest, _), (peers, parts) = ours(), peer(X, m)
        seconds = alternate(ours, lambda: peer(X, m), repeats=3)
    same = f"centres {'the same' if (centres == peers).all() else 'differ'}"
    note = f"{same}, {np.mean(nearest != parts):.1e} of the points in another part"
    return Comparison(f"farthest-first, n={n:,}, m={m}, d={d}", *seconds, name, target, note)


def against_biquality(n=10_000, d=20):
    try:
        from bqlearn.unhinged import KernelUnhinged
    except ImportError as error:
        print(f"biquality-learn: left out, {error}")
        return None
    if not hasattr(KernelUnhinged, "_validate_data"):  # it was written for scikit-learn before 1.6
        KernelUnhinged._validate_data = validate_data
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.choice([0, 1], n)
    with threadpool_limits(1):
        ours = KernelMeanClassifier(gamma=1 / d)
        peer = KernelUnhinged(kernel="rbf", gamma=1 / d)
        seconds = alternate(lambda: ours.fit(X, y).predict(X), lambda: peer.fit(X, y).predict(X), repeats=3)
        same = np.mean(ours.predict(X) == peer.predict(X))
    note = f"{same:.4f} of the predictions agree"
    return Comparison(f"fit and predict, n={n:,}, d={d}", *seconds, "biquality-learn", 5.0, note)


def against_goodpoints(n=4096, m=64, d=4):
    """Kernel thinning, and Compress++ around it, which trades accuracy for time; ours at errors no larger."""
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

    def herded():
        support = sparsify(X, weights, m, gamma=gamma, method="herding").support
        return support, project(kernel, points, weights, support)

    def covering():
        sparse = sparsify(X, weights, m, gamma=gamma, method="project", random_state=0)
        return sparse.support, sparse.weights

    for ours, peer, name, target, repeats in (
        (herded, thinning, "goodpoints, kernel thinning", 5.0, 3),
        (covering, compressing, "goodpoints, Compress++", None, 7),
    ):
        (support, kept), coreset = ours(), peer()
        difference, other = weights.copy(), weights - np.bincount(coreset, minlength=n) / len(coreset)
        difference[support] -= kept
        errors = [expansion_norm(kernel, points, each) for each in (difference, other)]
        with threadpool_limits(1):
            seconds = alternate(ours, peer, repeats)
        note = f"error {errors[0]:.2g} of {len(support)} points, {errors[1]:.2g} of {len(coreset)}"
        yield Comparison(f"sparse mean, n={n:,}, m={m}, d={d}", *seconds, name, target, note)


def thinned_svc(noise=0.2):
    """An SVC from noisy spambase, thinned as far as its test error allows; the mean's own error beside it."""
    try:
        spam = datasets.load("spambase", "full")
    except datasets.DataUnavailableError as error:
        print(f"spambase: left out, {error}")
        return None
    X, T, y, t = train_test_split(spam.X, spam.y, test_size=1 / 3, random_state=0, stratify=spam.y)
    scaler = StandardScaler().fit(X)
    X, T, y = scaler.transform(X), scaler.transform(T), flip_labels(y, noise, random_state=0)
    svc = SVC().fit(X, y)
    error = np.mean(svc.predict(T) != t)
    for m in (256, 384, 512, 768, 1024, len(svc.support_)):
        thin = sparsify_classifier(svc, m, method="project", random_state=0)
        if np.mean(thin.predict(T) != t) <= error:
            break
    balanced = 1 / np.bincount(y > 0)[(y > 0).astype(int)]
    means = [KernelMeanClassifier(gamma=gamma).fit(X, y, balanced) for gamma in (1e-3, 3e-3, 1e-2, 1 / 57)]
    mean = min(np.mean(each.predict(T) != t) for each in means)
    with threadpool_limits(1):
        seconds = alternate(lambda: thin.predict(T), lambda: svc.predict(T))
    note = (
        f"test error {np.mean(thin.predict(T) != t):.3f} of {m} points, {error:.3f} of "
        f"{len(svc.support_)}; the best mean's {mean:.3f}"
    )
    return Comparison(f"predict, spambase, {noise:.0%} noise", *seconds, "SVC(rbf)", 20.0, note)


def run():
    yield decision_function(20_000, 5_000, 50, target=5.0)
    yield decision_function(80_000, 5_000, 50, target=5.0)
    yield decision_function(20_000, 5_000, 10, target=None)
    yield decision_function(50_000, 10_000, 20, target=8.0, repeats=3)
    yield decision_function(50_000, 10_000, 20, target=14.0, dtype=np.float32, repeats=3)
    yield decision_function(50_000, 1, 20, target=1.0)
    yield traversal(numpy_farthest_first, "numpy, differences", 4.0)
    yield traversal(numpy_farthest_first_by_products, "numpy, inner products", None)
    yield from against_goodpoints()
    yield from filter(None, (peer() for peer in (against_biquality, thinned_svc)))
