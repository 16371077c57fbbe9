"""The largest margin over several classes beside LIBLINEAR's solver of Crammer and Singer, on one thread."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Comparison, alternate
from paperlib.coresets import MulticlassCoresetSVC

LARGE = 1e3  # C: a hard margin, as far as LIBLINEAR goes


def sample(n, d, n_classes, gap=0.5, seed=0):
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


def margin(X, y, W):
    scores = X @ W.T
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    return float((own - scores.max(axis=1)).min() / np.linalg.norm(W))


def compare(n, d, n_classes, eps=0.1):
    X, y = sample(n, d, n_classes)
    clf = MulticlassCoresetSVC(eps)
    peer = LinearSVC(multi_class="crammer_singer", C=LARGE, fit_intercept=False, random_state=0)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds = alternate(lambda: clf.fit(X, y), lambda: peer.fit(X, y), 3)
    note = f"margin {clf.margin_:.4f}, certified {clf.margin_ / clf.margin_upper_bound_:.3f} of the largest; "
    note += f"peer's {margin(X, y, peer.coef_):.4f}"
    what = f"MulticlassCoresetSVC, n={n:,}, d={d}, {n_classes} classes, eps={eps:g}"
    return Comparison(what, *seconds, f"LinearSVC, crammer_singer, C={LARGE:g}", 1.0, note)


def run():
    yield compare(3_000, 50, 20)
    yield compare(10_000, 100, 10)
