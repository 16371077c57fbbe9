"""Pairs of an example and a wrong label as points, and the error where nothing separates them."""

import math

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller


def means(X, codes, n_classes, weights=None):
    """Return the direction of the mean of all pairs, (n_classes, d) of norm one, or zeros.

    `weights` (n,) are those of the rows, None where all are one.
    """
    coef = np.zeros((n_classes, X.shape[1]))
    if weights is not None:
        weights = np.ldexp(weights, -math.frexp(weights.max())[1])  # by a power of two: nothing is rounded
        X = X.multiply(weights[:, None]).tocsr() if issparse(X) else weights[:, None] * X
    if issparse(X):
        coef += csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))), (n_classes, len(codes))) @ X
    else:
        np.add.at(coef, codes, X)
    # The pairs of an example sum to n_classes times its own block, less x in every block.
    coef -= np.asarray(X.sum(axis=0)).ravel() / n_classes
    length = np.linalg.norm(coef)
    return coef / length if length > 0.0 else coef


def most_violated(X, codes, coef):
    """Return every example's smallest margin over the wrong labels (n,), and that label (n,)."""
    scores = X @ coef.T
    rows = np.arange(len(scores))
    right = scores[rows, codes]
    scores[rows, codes] = -np.inf  # the right label is no rival of itself
    rival = scores.argmax(axis=1)
    return right - scores[rows, rival], rival


def written_out(X, i):
    """Return row `i` of an array or CSR matrix as an array (d,)."""
    return X[[i]].toarray()[0] if issparse(X) else X[i]


def pair(x, label, rival, n_classes):
    """Return ``Phi(x, label) - Phi(x, rival)`` as a vector (n_classes * d,)."""
    point = np.zeros((n_classes, len(x)))
    point[label] += x
    point[rival] -= x
    return point.ravel()


def report(estimator, halted, what):
    """Raise or warn, as `on_nonseparable` says, that there is no classifier with the stated margin.

    `halted` is "not separable", or the limit that was reached.
    """
    if halted == "not separable":
        words = (
            f"no linear classifier without an intercept is right on all of {what}: the hull of its pairs "
            "holds the origin"
        )
        if estimator.on_nonseparable == "raise":
            raise ValueError(f"{words}. Add features or a column of ones, or set on_nonseparable='warn'")
    else:
        words = f"{halted} were used up before the margin was within 1 - eps"
    warn_caller(words, ConvergenceWarning)
