"""The kernel mean against what one would use otherwise, on one thread.

Sparse approximations have a benchmark of their own, `sparse_means`. A peer that is no dependency is left out,
with a line, where it is missing: `pip install biquality-learn`.
"""

import tracemalloc

import numpy as np
from scipy import sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KernelDensity
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from benchmarks.words import words
from paperlib._common.kernels import bind_kernel
from paperlib.experiments import datasets
from paperlib.kernel_mean import (
    KernelMeanClassifier,
    TLogisticRegression,
    flip_labels,
    gaussian_sums,
    sparsify_classifier,
)
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean.losses import t_logistic_slope


def decision_function(n, m, d, target, dtype=np.float64, repeats=5, scale=1.0):
    rng = np.random.default_rng(0)
    X, T = ((scale * rng.normal(size=(rows, d))).astype(dtype) for rows in (n, m))
    y = rng.choice([-1, 1], n)
    clf = KernelMeanClassifier(gamma=1 / d).fit(X, y)
    weights = clf.dual_coef_

    def ours():
        return clf.decision_function(T)

    def peer():
        return rbf_kernel(T, X, gamma=1 / d) @ weights

    matrix = rbf_kernel(T[:50].astype(float), X.astype(float), gamma=1 / d)
    size = np.maximum(matrix @ np.abs(weights), np.finfo(float).tiny)
    error = np.abs(ours()[:50] - matrix @ weights) / size
    with threadpool_limits(1):
        seconds = alternate(ours, peer, repeats)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    note = f"peak {peak:.0f} MB (the matrix: {n * m * 8 / 2**20:.0f} MB); errors below {error.max():.0e}"
    what = f"decision_function, {np.dtype(dtype).name}, n={n:,}, {m:,} test points, d={d}"
    if scale != 1.0:
        what += f", unscaled (deviation {scale:,.0f})"
    return Comparison(what, *seconds, "rbf_kernel(T, X) @ v", target, note)


def two_threads(n=50_000, m=10_000, d=20):
    """The same sums with ``n_jobs=2`` and with one thread, in time on the clock."""
    rng = np.random.default_rng(0)
    X, T, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.choice([-1, 1], n)
    both, alone = (KernelMeanClassifier(gamma=1 / d, n_jobs=n_jobs).fit(X, y) for n_jobs in (2, 1))
    same = (both.decision_function(T) == alone.decision_function(T)).all()
    with threadpool_limits(1):
        seconds = alternate(lambda: both.decision_function(T), lambda: alone.decision_function(T))
    note = f"the same bytes: {'yes' if same else 'no'}"
    what = f"decision_function, two threads, n={n:,}, {m:,} test points, d={d}"
    return Comparison(what, *seconds, "one thread", 1.8, note)


def against_a_tree(d, width, n=100_000, m=2_000, tol=None):
    """Sums of a Gaussian of standard deviation `width`, which a k-d tree need not compute pair by pair.

    With `tol` both may be off by that share of the total weight.
    """
    rng, gamma = np.random.default_rng(0), 1 / (2 * width**2)
    X, T, weights = rng.normal(size=(n, d)), rng.normal(size=(m, d)), np.full(n, 1 / n)
    kernel, unit = bind_kernel("rbf", X, gamma)[0], (2 * np.pi * width**2) ** (d / 2)
    allowed = {"rtol": 1e-6} if tol is None else {"rtol": 0.0, "atol": tol / unit}
    tree = KernelDensity(bandwidth=width, algorithm="kd_tree", **allowed).fit(X)

    def peer():
        return np.exp(tree.score_samples(T)) * unit

    exact = kernel.sums(T, X, weights)
    if tol is not None:
        return within(f"n={n:,}, {m:,} test points", (T, X, weights, gamma, tol), width, exact, peer, "atol")
    held = exact > 1e-200
    error = (np.abs(peer() - exact)[held] / exact[held]).max()
    with threadpool_limits(1):
        seconds = alternate(lambda: kernel.sums(T, X, weights), peer, repeats=3)
    what = f"Gaussian sums, n={n:,}, {m:,} test points, d={d}, width {width:g}"
    return Comparison(what, *seconds, "KernelDensity, rtol=1e-6", None, f"its errors below {error:.0e}")


def within(rows, given, width, exact, peer, name):
    """Our sums with a tolerance against a peer's, and the errors of both as shares of the total weight."""
    T, X, weights, gamma, tol = given
    errors = [np.abs(sums - exact).max() for sums in (gaussian_sums(*given[:4], tol=tol), peer())]
    with threadpool_limits(1):
        seconds = alternate(lambda: gaussian_sums(T, X, weights, gamma, tol=tol), peer)
    what = f"gaussian_sums, tol={tol:g}, {rows}, d={X.shape[1]}, width {width:g}"
    note = f"of the total weight: errors below {errors[0]:.0e}, its {errors[1]:.0e}"
    peer_name, target = ("KernelDensity, the same atol", 1.0) if name == "atol" else (name, 0.2)
    return Comparison(what, *seconds, peer_name, target, note)


def against_fourier(d, width, n=20_000, tol=None):
    """The same by a nonuniform fast Fourier transform, which knows sums to a share of the weights' total.

    With `tol` ours are known to that share, too.
    """
    try:
        import finufft
    except ImportError as error:
        print(f"finufft: left out, {error}")
        return None
    rng, gamma = np.random.default_rng(0), 1 / (2 * width**2)
    X, T, weights = rng.normal(size=(n, d)), rng.normal(size=(n, d)), np.full(n, 1 / n)
    kernel = bind_kernel("rbf", X, gamma)[0]
    low, high = np.minimum(X.min(axis=0), T.min(axis=0)), np.maximum(X.max(axis=0), T.max(axis=0))
    size = (high - low).max() + width * np.sqrt(2 * np.log(1e12))  # so far that copies add nothing
    most = int(np.ceil(size / (2 * np.pi * width) * np.sqrt(2 * np.log(1e12))))
    one = np.exp(-2.0 * (np.pi * width * np.arange(-most, most + 1) / size) ** 2)
    factors = one * (np.sqrt(2 * np.pi) * width / size)
    for _ in range(d - 1):
        factors = factors[..., None] * one * (np.sqrt(2 * np.pi) * width / size)
    there, back = (getattr(finufft, f"nufft{d}d{kind}") for kind in (1, 2))

    def places(points):
        return [np.ascontiguousarray(each) for each in (2 * np.pi * (points - low) / size - np.pi).T]

    def peer():
        modes = there(*places(X), weights.astype(complex), factors.shape, eps=1e-9, nthreads=1)
        return back(*places(T), modes * factors, eps=1e-9, isign=-1, nthreads=1).real

    exact = kernel.sums(T, X, weights)
    if tol is not None:
        given = T, X, weights, gamma, tol
        return within(f"{n:,} x {n:,}", given, width, exact, peer, "finufft, eps=1e-9")
    error = np.abs(peer() - exact).max()
    with threadpool_limits(1):
        seconds = alternate(lambda: kernel.sums(T, X, weights), peer, repeats=3)
    what = f"Gaussian sums, {n:,} x {n:,}, d={d}, width {width:g}"
    note = f"its errors below {error:.0e} of the total weight, ours 1e-15 of each kernel value"
    return Comparison(what, *seconds, "finufft, eps=1e-9", 0.2, note)


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


def rows_of_words(n=800_000, d=47_000, each=75):
    """The linear mean of as many sparse rows as RCV1 has, its threshold and the length of its vector."""
    X, y = words(n, d, each)
    ours = KernelMeanClassifier("linear", class_weight="balanced", threshold="error")
    peer = MultinomialNB()

    def play():
        return ours.fit(X, y).norm_, ours.predict(X)

    with threadpool_limits(1):
        seconds = alternate(play, lambda: peer.fit(X, y).predict(X), repeats=3)
    tracemalloc.start()
    play()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    held = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20
    note = f"peak {peak:.0f} MB beside the data's {held:.0f} MB; accuracies {ours.score(X, y):.3f}, "
    note += f"{peer.score(X, y):.3f}"
    return Comparison(f"fit, norm_, predict, CSR {n:,} x {d:,}", *seconds, "MultinomialNB", None, note)


def t_logistic(n=20_000, d=50, is_sparse=False):
    """The convex losses' usual one for the same rows; the t-logistic loss bears labels that are wrong.

    Of a few tolerances the peer has the loosest with which its gradient is as small a share of that at zero.
    """
    rng = np.random.default_rng(0)
    X = (
        sp.random_array((n, d), density=50 / d, format="csr", rng=rng)
        if is_sparse
        else rng.normal(size=(n, d))
    )
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1, -1)

    def left(fitted, slope):
        def gradient(w, b):
            pulls = y * slope(y * (X @ w + b))
            return np.linalg.norm(np.append(w + pulls @ X, pulls.sum()))

        return gradient(fitted.coef_[0], fitted.intercept_[0]) / gradient(np.zeros(d), 0.0)

    ours = TLogisticRegression().fit(X, y)
    share = left(ours, t_logistic_slope)
    for tol in 10.0 ** -np.arange(4, 9):
        peer = LogisticRegression(max_iter=500, tol=tol).fit(X, y)
        if (own := left(peer, lambda margins: -expit(-margins))) <= share:
            break
    with threadpool_limits(1):
        seconds = alternate(lambda: ours.fit(X, y), lambda: peer.fit(X, y), 3)
    note = f"accuracies {ours.score(X, y):.3f}, {peer.score(X, y):.3f}; "
    note += (
        f"shares of the gradient left {share:.0e}, {own:.0e}; iterations {ours.n_iter_}, {peer.n_iter_[0]}"
    )
    what = f"TLogisticRegression, {'CSR ' if is_sparse else ''}{n:,} x {d:,}"
    return Comparison(what, *seconds, f"LogisticRegression, tol={tol:g}", 0.8, note)


def run():
    yield decision_function(20_000, 5_000, 50, target=5.0)
    yield decision_function(80_000, 5_000, 50, target=5.0)
    yield decision_function(20_000, 5_000, 10, target=None)
    yield decision_function(50_000, 10_000, 20, target=8.0, repeats=3)
    yield decision_function(50_000, 10_000, 20, target=14.0, dtype=np.float32, repeats=3)
    yield decision_function(50_000, 1, 20, target=1.0)
    yield decision_function(20_000, 5_000, 256, target=2.0, repeats=3)
    yield decision_function(20_000, 5_000, 20, target=1.0, repeats=3, scale=1000.0)
    yield two_threads()
    for d, width in ((1, 0.01), (1, 1.0), (2, 0.01), (2, 0.1), (3, 0.1)):
        yield against_a_tree(d, width)
    for d, width in ((2, 0.01), (2, 0.1), (3, 0.01), (3, 0.1)):
        yield against_a_tree(d, width, tol=1e-9)
    for tol in (None, 1e-9):
        yield from filter(None, (against_fourier(d, width, tol=tol) for d in (1, 2) for width in (0.1, 1.0)))
    yield rows_of_words()
    yield t_logistic()
    yield t_logistic(d=5_000, is_sparse=True)
    yield traversal(numpy_farthest_first, "numpy, differences", 4.0)
    yield traversal(numpy_farthest_first_by_products, "numpy, inner products", None)
    yield from filter(None, (peer() for peer in (against_biquality, thinned_svc)))
