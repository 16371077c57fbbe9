"""Margins in many dimensions, dense and sparse, and soft margins: beside LIBLINEAR and SGD, on one thread.

The peers have no certificate. They get the smallest budget of iterations, on a grid of a third more each
time, with which they come as near as our certificate promises, and only the fit with that budget is timed.
"""

import warnings
from unittest.mock import patch

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.coresets import classes, margin
from benchmarks.side_by_side import Comparison, alternate
from paperlib.coresets import CoresetSVC
from paperlib.coresets._coordinate import hard as coordinate
from paperlib.experiments import datasets

BUDGET = 2_000  # iterations of a peer at most


def texts(n=20_000, d=100_000, length=80, seed=0):
    """Rows of about `length` words, as frequent as Zipf says, tf-idf, of norm one; labels of a hyperplane."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(1, d + 1) ** 1.05
    lengths = np.maximum(5, rng.poisson(length, n))
    words = rng.permutation(d)[rng.choice(d, size=lengths.sum(), p=frequency / frequency.sum())]
    X = csr_matrix((np.ones(len(words)), words, np.append(0, np.cumsum(lengths))), shape=(n, d))
    X.sum_duplicates()
    rarity = np.log((1 + n) / (1 + np.bincount(X.indices, minlength=d)))
    X.data = (1 + np.log(X.data)) * rarity[X.indices]
    X.data /= np.repeat(np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel()), np.diff(X.indptr))
    return X, np.where(X @ rng.normal(size=d) > 0, 1, -1)


def flipped(X, y, share, seed=0):
    wrong = np.random.default_rng(seed).uniform(size=len(y)) < share
    return X, np.where(wrong, -y, y)


def objective(X, y, w, C):
    return float(w @ w / 2 + C * np.maximum(0.0, 1.0 - y * (X @ w)).sum())


def liblinear(C, budget):
    return LinearSVC(loss="hinge", C=C, fit_intercept=False, max_iter=budget, random_state=0)


def sgd(C, n):
    """SGDClassifier for the same objective, divided by ``n C``."""

    def make(budget):
        alpha = 1.0 / (n * C)
        return SGDClassifier(alpha=alpha, fit_intercept=False, max_iter=budget, tol=None, random_state=0)

    return make


def smallest_budget(make, X, y, enough):
    """The first budget with which ``make(budget)`` is `enough`, and whether there is one, else the last."""
    budget = 2
    while True:
        if enough(make(budget).fit(X, y).coef_[0]):
            return budget, True
        if budget >= BUDGET:
            return budget, False
        budget = int(4 / 3 * budget) + 1


def row(what, clf, peer, peer_name, X, y, enough, note, target=None, repeats=3):
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
        budget, found = smallest_budget(peer, X, y, enough)
        seconds = alternate(lambda: clf.fit(X, y), lambda: peer(budget).fit(X, y), repeats)
    note = f"{note(clf)}; peer after {budget} iterations" + ("" if found else ", and not there yet")
    return Comparison(what, *seconds, peer_name, target, note)


def hard(name, X, y, eps, target=None, peer_C=1e4):
    """`peer_C` is large beside the dual variables of the hard margin, so that LIBLINEAR's is one, too."""
    clf = CoresetSVC(eps, random_state=0)

    def enough(w):
        return w.any() and margin(X, y, w) >= (1.0 - eps) * clf.margin_upper_bound_

    def note(clf):
        share = clf.margin_ / clf.margin_upper_bound_
        return f"certified {share:.4f} of the largest margin, {clf.n_passes_} passes"

    what = f"hard margin, {name}, n={X.shape[0]:,}, d={X.shape[1]:,}, eps={eps:g}"

    def peer(budget):
        return liblinear(peer_C, budget)

    return row(what, clf, peer, f"LinearSVC, hinge, C={peer_C:g}", X, y, enough, note, target)


def soft(name, X, y, C, eps, peer=None, peer_name="LinearSVC, hinge, same C"):
    clf = CoresetSVC(eps, C=C, random_state=0)
    reference = CoresetSVC(eps / 10, C=C, random_state=0).fit(X, y).dual_objective_

    def enough(w):
        value = objective(X, y, w, C)
        return value - reference <= eps * value

    def note(clf):
        return f"certified gap {clf.gap_ / clf.objective_:.4f} of the objective, {clf.n_passes_} passes"

    what = f"soft margin, {name}, n={X.shape[0]:,}, d={X.shape[1]:,}, C={C:g}, eps={eps:g}"
    return row(what, clf, peer or (lambda budget: liblinear(C, budget)), peer_name, X, y, enough, note)


def either_way(n, d, eps=0.1):
    """What a fit chooses, by the number of features, beside the quicker of the two ways that it has."""
    X, y = classes(n, d)

    def fit(wide):
        with patch.object(coordinate, "WIDE", wide), patch.object(coordinate, "MIDDLING", wide):
            CoresetSVC(eps, random_state=0).fit(X, y)

    with threadpool_limits(1):
        hull, steps = alternate(lambda: fit(d + 1), lambda: fit(1), 5)
    chosen, best = (steps if coordinate.suits(X) else hull), min(hull, steps)
    note = f"the hull {hull:.3g} s, coordinate steps {steps:.3g} s"
    what = f"hard margin, Gaussian, n={n:,}, d={d}, eps={eps:g}"
    return Comparison(what, chosen, best, "the quicker of our two ways", 1 / 1.2, note)


def run():
    X, y = classes(4_000, 2_000)
    for eps in (0.1, 0.01, 0.001):
        yield hard("Gaussian", X, y, eps, 4.0)
    yield hard("Gaussian", *classes(10_000, 1_000), 0.1, 4.0)
    for n, d in ((2_000, 450), (5_000, 450), (5_000, 250), (5_000, 100)):
        yield either_way(n, d)
    T, labels = texts()
    for eps in (0.1, 0.01, 0.001):
        yield hard("texts", T, labels, eps, 3.0, 1e6)
    noisy = flipped(T, labels, 0.1)
    for C in (1.0, 10.0):
        yield soft("texts, 10 % flipped", *noisy, C, 0.01)
    yield soft("texts, 10 % flipped", *noisy, 1.0, 0.01, sgd(1.0, len(labels)), "SGDClassifier, hinge")
    yield soft("Gaussian, 5 % flipped", *flipped(X, y, 0.05), 0.01, 0.01)
    narrow = flipped(*classes(20_000, 20), 0.05)
    for C, eps in ((0.01, 0.01), (1.0, 0.01), (1.0, 0.001)):
        yield soft("Gaussian, 5 % flipped", *narrow, C, eps)
    cancer = datasets.load("breast_cancer")
    standard = StandardScaler().fit_transform(cancer.X), np.where(cancer.y > 0, 1, -1)
    for C in (0.1, 10.0):
        yield soft("breast cancer", *standard, C, 0.01)
    skewed = narrow[0] * np.geomspace(1.0, 30.0, 20), narrow[1]
    yield soft("the same, badly scaled", *skewed, 1.0, 0.01)
