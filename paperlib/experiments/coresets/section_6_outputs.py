"""The abstract's many classes and structured outputs, of which the printed text lacks Section 6."""

from typing import Any, Literal

import numpy as np
import pandas as pd

from paperlib.coresets import ChainDecoder, MulticlassCoresetSVC, StructuredCoresetSVM
from paperlib.experiments import datasets
from paperlib.experiments.coresets.measures import best_hyperplane, share_missed
from paperlib.experiments.coresets.samples import digit_sequences
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step

N_DIGITS = 10
RESOLUTION = 1e-9  # of the share of eps that is missed, which is zero at the largest margin
RULES: tuple[Literal["worst", "first", "mean"], ...] = ("worst", "first", "mean")


@step
def multiclass_digits(epsilons, n_train, *, data):
    """Learn all classes of digits at once from the first examples, and test on the others.

    Parameters
    ----------
    epsilons : list of float in (0, 1)
    n_train : int
        Fewer than there are.
    data : {"bundled", "full"}

    Returns
    -------
    DataFrame with a row per eps
        eps, pairs, size, passes, certificate (margin on all pairs over the largest on those of the coreset),
        missed (share of eps that it misses), test_error
    """
    digits = datasets.load("digits", data)
    X, y = np.column_stack([digits.X / digits.X.max(), np.ones(len(digits.X))]), digits.y
    rows = []
    for eps in epsilons:
        fit = MulticlassCoresetSVC(eps, solver="coreset").fit(X[:n_train], y[:n_train])
        wrong = float((fit.predict(X[n_train:]) != y[n_train:]).mean())
        pairs = n_train * (len(fit.classes_) - 1)
        certificate = _multiclass_certificate(fit, X[:n_train], y[:n_train])
        certified = certificate, _missed(certificate, eps)
        rows.append((eps, pairs, len(fit.coreset_indices_), fit.n_iter_, *certified, wrong))
    columns = ["eps", "pairs", "size", "passes", "certificate", "missed", "test_error"]
    return pd.DataFrame(rows, columns=columns)


def _missed(certificate, eps):
    return to_resolution(share_missed(certificate, 1.0, eps), RESOLUTION)


@step
def chain_labelling(n, length, eps, *, seed):
    """Label sequences of digits with every rule of `StructuredCoresetSVM`, and image by image.

    Parameters
    ----------
    n, length : int
        Sequences for training, as many for testing, and their length.
    eps : float in (0, 1)
    seed : int

    Returns
    -------
    DataFrame with a row per rule
        rule, size, passes, certificate (margin over all outputs over the largest on the coreset's; of means,
        on those of the other rules), missed (share of eps that it misses), test_error
    """
    rng = stream(seed, "chains")
    X, Y = digit_sequences(n, length, noise=0.3, random_state=rng)
    X_test, Y_test = digit_sequences(n, length, noise=0.3, part="test", random_state=rng)
    fits = {
        rule: StructuredCoresetSVM(ChainDecoder(N_DIGITS), eps, selection=rule).fit(list(X), list(Y))
        for rule in RULES
    }
    points = {rule: _coreset_points(fits[rule], X, Y) for rule in ("worst", "first")}
    largest = {rule: best_hyperplane(each).margin for rule, each in points.items()}
    largest["mean"] = min(largest.values())
    rows: list[tuple[Any, ...]] = []
    for rule, fit in fits.items():
        margin = min(chain_margin(fit.coef_, x, y) for x, y in zip(X, Y)) / np.linalg.norm(fit.coef_)
        wrong = float((np.array(fit.predict(list(X_test))) != Y_test).mean())
        size = len(fit.coreset_indices_)
        certified = margin / largest[rule], _missed(margin / largest[rule], eps)
        rows.append((rule, size, fit.n_iter_, *certified, wrong))
    width = X.shape[2]
    images, digits = X.reshape(-1, width), Y.ravel()
    single = MulticlassCoresetSVC(eps, solver="coreset").fit(images, digits)
    wrong = float((single.predict(X_test.reshape(-1, width)) != Y_test.ravel()).mean())
    certificate = _multiclass_certificate(single, images, digits)
    certified = certificate, _missed(certificate, eps)
    rows.append(("image by image", len(single.coreset_indices_), single.n_iter_, *certified, wrong))
    return pd.DataFrame(rows, columns=["rule", "size", "passes", "certificate", "missed", "test_error"])


def _multiclass_certificate(fit, X, y):
    """Margin of a fitted classifier on all pairs, over the largest that there is on those of its coreset."""
    codes = np.searchsorted(fit.classes_, y)
    scores = X @ fit.coef_.T
    right = scores[np.arange(len(X)), codes]
    scores[np.arange(len(X)), codes] = -np.inf
    achieved = float((right - scores.max(axis=1)).min()) / np.linalg.norm(fit.coef_)
    rivals = np.searchsorted(fit.classes_, fit.coreset_rivals_)
    pairs = np.zeros((len(rivals), len(fit.classes_), X.shape[1]))
    for pair, row, rival in zip(pairs, fit.coreset_indices_, rivals):
        pair[codes[row]] += X[row]
        pair[rival] -= X[row]
    return achieved / best_hyperplane(pairs.reshape(len(pairs), -1)).margin


def _coreset_points(fit, X, Y):
    """Return the pairs in the coreset of a fitted `StructuredCoresetSVM` as points (k, D)."""
    pairs = zip(fit.coreset_indices_, fit.coreset_outputs_)
    return np.array([_chain(X[i], Y[i]) - _chain(X[i], wrong) for i, wrong in pairs])


def _chain(x, labels):
    """Feature vector of a labelled sequence, one position after the other."""
    emitted, followed = np.zeros((N_DIGITS, x.shape[1])), np.zeros((N_DIGITS, N_DIGITS))
    for t, label in enumerate(labels):
        emitted[label] += x[t]
        if t:
            followed[labels[t - 1], label] += 1.0
    return np.append(emitted, followed)


def chain_margin(w, x, y):
    """Find the smallest margin of a sequence over all its wrong labellings, by their maxima from both ends.

    The best labelling with label b at position t has the best beginning up to there and the best end, and the
    best wrong one has another label than y somewhere.

    Parameters
    ----------
    w : ndarray of shape (10 d + 100,)
        Of a `ChainDecoder` of ten labels.
    x : ndarray of shape (T, d)
    y : ndarray of shape (T,)

    Returns
    -------
    float
    """
    followed = w[-(N_DIGITS**2) :].reshape(N_DIGITS, N_DIGITS)
    emitted = x @ w[: -(N_DIGITS**2)].reshape(N_DIGITS, -1).T
    beginnings, ends = emitted.copy(), np.zeros_like(emitted)
    for t in range(1, len(x)):
        beginnings[t] += (beginnings[t - 1][:, None] + followed).max(axis=0)
    for t in range(len(x) - 2, -1, -1):
        ends[t] = (followed + emitted[t + 1] + ends[t + 1]).max(axis=1)
    best = beginnings + ends
    best[np.arange(len(x)), y] = -np.inf
    right = emitted[np.arange(len(x)), y].sum() + followed[y[:-1], y[1:]].sum()
    return float(right - best.max())
