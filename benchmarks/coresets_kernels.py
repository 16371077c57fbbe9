"""A certified hard margin in the space of a Gaussian kernel against LIBSVM, on one thread.

The last two rows read the data with two. LIBSVM says nothing about the margin that it has reached, so it is
measured on the data, and of a few tolerances the loosest is taken with which it is within `eps` of the
largest. Its hyperplanes have an intercept that is no part of their norm, so that its margins differ a little.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.coresets import classes
from benchmarks.side_by_side import Comparison, alternate
from paperlib._common.kernels import Gaussian, quadratic_form
from paperlib.coresets import CoresetSVC
from paperlib.experiments import datasets

TOLERANCES = (0.3, 0.2, 0.1, 0.03, 0.01, 0.003, 0.001)


def reached(svc, X, y, gamma):
    """Margin of a fitted SVC on the data, and its share of the largest at least, by its dual."""
    kernel, points, weights = Gaussian(gamma), X[svc.support_], svc.dual_coef_[0]
    squared = quadratic_form(kernel, points, weights)
    margin = (y * (kernel.sums(X, points, weights) + svc.intercept_[0])).min() / np.sqrt(squared)
    return margin, margin * np.sqrt(2.0 * (np.abs(weights).sum() - squared / 2.0))


def compare(what, X, y, eps, target, repeats, n_jobs=None, gamma=None):
    gamma = gamma or 1.0 / (X.shape[1] * X.var())
    clf = CoresetSVC(eps, kernel="rbf", gamma=gamma, random_state=0, n_jobs=n_jobs)
    for tol in TOLERANCES:
        svc = SVC(C=1e10, gamma=gamma, tol=tol, cache_size=2000).fit(X, y)
        margin, share = reached(svc, X, y, gamma)
        if share >= 1.0 - eps:
            break
    with threadpool_limits(1):
        seconds = alternate(lambda: clf.fit(X, y), lambda: svc.fit(X, y), repeats)
    note = f"margin {clf.margin_:.5f}, certified {clf.margin_ / clf.margin_upper_bound_:.4f} of the largest; "
    note += f"{len(clf.coreset_indices_):,} points bear weight, {clf.n_passes_} passes; "
    note += f"peer's {margin:.5f}, {share:.4f} of its largest, {len(svc.support_):,} points"
    peer = f"SVC, rbf, C=1e10, tol={tol:g}"
    return Comparison(
        f"CoresetSVC, rbf, {what}, n={len(X):,}, d={X.shape[1]}, eps={eps:g}", *seconds, peer, target, note
    )


def mnist(n=10_000):
    """Rows of the full data, odd digits against even ones; None where the data are not there."""
    try:
        images = datasets.load("mnist", data="full")
    except datasets.DataUnavailableError as error:
        print(f"full MNIST: left out, {error}")
        return None
    rows = np.sort(np.random.default_rng(0).choice(len(images.y), n, replace=False))
    return np.asarray(images.X[rows], dtype=float), np.where(
        np.asarray(images.y)[rows].astype(int) % 2, 1, -1
    )


def run():
    digits = load_digits()
    for eps in (0.1, 0.01, 0.001):
        odd = np.where(digits.target % 2, 1, -1)
        yield compare("digits, odd or even", digits.data, odd, eps, 1.0, 25)
    for eps in (0.1, 0.01, 0.001):
        eight = np.where(digits.target == 8, 1, -1)
        yield compare("digits, 8 or not", digits.data, eight, eps, 1.0, 25)
    if (images := mnist()) is not None:
        for eps in (0.1, 0.01):
            yield compare("MNIST, odd or even", *images, eps, 3.0, 3)
    yield compare("made up", *classes(50_000, 20), 0.1, None, 3)
    for eps in (0.1, 0.01):
        yield compare("made up", *classes(4_000, 5), eps, 1.0, 5)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4_000, 5)), rng.choice([-1, 1], 4_000)
    for gamma, eps in ((5.0, 0.1), (5.0, 0.01), (20.0, 0.1)):
        yield compare(f"random labels, gamma={gamma:g}: nearly all support", X, y, eps, 1.0, 5, gamma=gamma)
    yield compare("made up, n_jobs=2", *classes(50_000, 20), 0.1, 2.0, 3, n_jobs=2)
    yield compare("made up, n_jobs=2", *classes(100_000, 20), 0.1, 5.0, 1, n_jobs=2)
