"""A certified hard margin against solvers that give one without a certificate, on one thread."""

import time
import warnings

import cvxpy as cp
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from paperlib.coresets import CoresetSVC, MulticlassCoresetSVC


def classes(n, d, gap=0.1, seed=0):
    """Gaussian points, moved away from a hyperplane through the origin by `gap`."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d))
    y = np.where(X @ w > 0, 1, -1)
    return X + gap * y[:, None] * w, y


def margin(X, y, w, b=0.0):
    return float((y * (X @ w + b)).min() / np.linalg.norm(w))


def compare(n, d, eps, peer, name, target, repeats):
    """`peer` returns a normal; with `repeats` 0 it is timed once, as it takes long.

    Where it is a sequence of peers, each works harder than the one before, and the first one counts whose
    margin is within `eps` of the largest too; the last one if none is.
    """
    X, y = classes(n, d)
    clf, found = CoresetSVC(eps, random_state=0), []
    peers = [peer] if callable(peer) else peer

    def ours():
        clf.fit(X, y)

    def theirs():
        found[:] = peers[0](X, y)

    with threadpool_limits(1):
        if repeats:
            seconds = alternate(ours, theirs, repeats)
        else:
            seconds = [alternate(ours, lambda: None)[0]]
            for tried in peers:
                start = time.perf_counter()
                found[:] = tried(X, y)
                seconds[1:] = [time.perf_counter() - start]
                if margin(X, y, *found[:2]) >= (1.0 - eps) * clf.margin_upper_bound_:
                    break
    note = f"margin {clf.margin_:.5f}, certified {clf.margin_ / clf.margin_upper_bound_:.4f} of the largest"
    note += f"; peer's {margin(X, y, *found[:2]):.5f}" + "".join(f", {words}" for words in found[2:])
    return Comparison(f"CoresetSVC, n={n:,}, d={d}, eps={eps:g}", *seconds, name, target, note)


def liblinear(max_iter):
    """LIBLINEAR with a budget: it says by itself that it has not converged long after the margin is there."""

    def peer(X, y):
        svc = LinearSVC(loss="hinge", C=1e4, fit_intercept=False, max_iter=max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svc.fit(X, y)
        return svc.coef_[0], 0.0, f"after {svc.n_iter_} iterations"

    return peer


def libsvm(X, y):
    svc = SVC(kernel="linear", C=1e6, cache_size=1000).fit(X, y)
    return svc.coef_[0], svc.intercept_[0]


def clarabel(X, y):
    w = cp.Variable(X.shape[1])
    cp.Problem(cp.Minimize(cp.sum_squares(w)), [cp.multiply(y, X @ w) >= 1]).solve(cp.CLARABEL)
    return (w.value,)


def passes(n=1_000_000, d=50, eps=0.01, most=12):
    """All of `fit` beside as many readings of the data as it may cost."""
    X, y = classes(n, d)
    clf, w = CoresetSVC(eps, random_state=0), np.ones(d)
    with threadpool_limits(1):
        ours, once = alternate(lambda: clf.fit(X, y), lambda: X @ w)
    note = f"{ours / once:.1f} times X @ w; {clf.n_passes_} passes, {clf.n_iter_} hyperplanes"
    return Comparison(
        f"CoresetSVC, n={n:,}, d={d}, eps={eps:g}", ours, most * once, f"{most} x X @ w", 1.0, note
    )


HARD = 1e3  # C: a hard margin, as far as LIBLINEAR goes


def several_classes(n, d, n_classes, gap=0.5, seed=0):
    """Gaussian points and the class of the largest score, where that leads the second by `gap`."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n_classes, d)) / np.sqrt(d)
    parts, found = [], 0
    while found < n:
        X = rng.normal(size=(n, d))
        scores = np.sort(X @ W.T, axis=1)
        parts.append(X[scores[:, -1] - scores[:, -2] >= gap])
        found += len(parts[-1])
    X = np.concatenate(parts)[:n]
    return X, (X @ W.T).argmax(axis=1)


def margin_of_several(X, y, W):
    scores = X @ W.T
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    return float((own - scores.max(axis=1)).min() / np.linalg.norm(W))


def against_crammer_singer(n, d, n_classes, eps):
    X, y = several_classes(n, d, n_classes)
    clf = MulticlassCoresetSVC(eps)
    peer = LinearSVC(multi_class="crammer_singer", C=HARD, fit_intercept=False, random_state=0)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds = alternate(lambda: clf.fit(X, y), lambda: peer.fit(X, y), 3)
    note = f"margin {clf.margin_:.4f}, certified {clf.margin_ / clf.margin_upper_bound_:.3f} of the largest; "
    note += f"peer's {margin_of_several(X, y, peer.coef_):.4f}"
    what = f"MulticlassCoresetSVC, n={n:,}, d={d}, {n_classes} classes, eps={eps:g}"
    return Comparison(what, *seconds, f"LinearSVC, crammer_singer, C={HARD:g}", 1.0, note)


def run():
    yield passes()
    budgets = [liblinear(most) for most in (50, 100, 200, 400, 1000, 4000)]
    yield compare(1_000_000, 50, 0.01, budgets, "LinearSVC, hinge, C=1e4", 15.0, 0)
    yield compare(100_000, 50, 0.001, libsvm, "SVC, linear, C=1e6", 40.0, 0)
    yield compare(5_000, 50, 0.001, clarabel, "cvxpy, Clarabel", 30.0, 3)
    for eps in (0.1, 0.001):
        yield against_crammer_singer(3_000, 50, 20, eps)
        yield against_crammer_singer(10_000, 100, 10, eps)
