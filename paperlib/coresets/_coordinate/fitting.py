"""Fits of `CoresetSVC` by coordinate steps: when they are the quicker way, and what they leave behind."""

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib._common.chunks import is_mapped
from paperlib.coresets._coordinate.ascent import Ascent
from paperlib.coresets._coordinate.hard import HULL, hard_margin
from paperlib.coresets._coordinate.soft import soft_margin
from paperlib.coresets._search.search import BUDGET, ORIGIN, STALLED, not_separable, warn_of_no_certificate
from paperlib.coresets._solver.coresets import LinearPlane

WIDE = 500  # features, from which on steps were as quick or quicker in all that was measured, up to 10 times
MIDDLING = 100  # from here on, too, unless rows are so many that reading them outweighs the hull's work
LARGEST = 1e300  # sum of penalties: the losses that they multiply are of the order of one
HELD = 1 << 26  # numbers in the points of a hull, for which rows of a CSR matrix are written out: 512 MB


def suits(X):
    """Whether steps are the way to begin: for many features, in memory, since rows are read in any order."""
    n, d = X.shape
    return (d >= WIDE or (d >= MIDDLING and n <= d * d)) and not is_mapped(X)


def fit_hard(clf, X, signs, rng, limits, start=None):
    """Fit `clf` as far as steps are the quicker way.

    Returns the rows that a hull should begin with, None where `clf` is fitted, and the passes so far.
    """
    ascent = Ascent(X, signs, float(clf.fit_intercept), rng)

    def hull_allowed(size):
        return not issparse(X) or size * X.shape[1] <= HELD

    found = hard_margin(ascent, clf.eps, limits, hull_allowed, start)
    if found.stop == HULL:
        return found.indices, ascent.n_passes
    if found.stop == ORIGIN:
        largest = int(found.indices[found.weights.argmax()])
        words = not_separable(len(found.indices), found.bound, ascent.radius, largest)
        if clf.on_nonseparable == "raise":
            raise ValueError(words)
        warn_caller(words, ConvergenceWarning)
    if found.stop in (BUDGET, STALLED):
        what = f"margin {found.margin:.6g} and upper bound {found.bound:.6g}"
        warn_of_no_certificate(found.stop, limits, what, clf.eps)
    _keep(clf, ascent, found)
    clf.margin_path_, clf.added_margin_path_ = np.array(found.path), np.array(found.added)
    return None, ascent.n_passes


def fit_soft(clf, X, signs, weights, rng, limits, start=None):
    """Fit the soft margin of `clf`, whose `C` is multiplied by the weights of the rows."""
    ascent = Ascent(X, signs, float(clf.fit_intercept), rng)
    penalties = _penalties(clf.C, weights, ascent.scale)
    found, clf.objective_, clf.dual_objective_ = soft_margin(ascent, penalties, clf.eps, limits, start)
    if found.stop in (BUDGET, STALLED):
        what = f"objective {clf.objective_:.6g} and dual objective {clf.dual_objective_:.6g}"
        helps = (
            f"; columns of X of equal spread, as of StandardScaler, a C below {clf.C:g}, or a larger eps help"
        )
        warn_of_no_certificate(found.stop, limits, what, clf.eps, helps=helps)
    _keep(clf, ascent, found)
    clf.gap_ = max(0.0, clf.objective_ - clf.dual_objective_)
    clf.gap_path_, clf.dual_coef_ = np.array(found.path), found.weights


def _penalties(C, weights, scale):
    """Return the ``C_i``, if their sum is finite for rows multiplied by `scale`, and so any objective."""
    with np.errstate(over="ignore"):
        penalties = float(C) * weights  # which may be the bytes of signs
        total = (penalties / scale**2).sum()
    if total > LARGEST:
        raise ValueError(
            f"C must be so small that the sum of C ||x||^2 over all rows x, times their weights, is at most "
            f"{LARGEST:g}, got {C!r}; C=None is a hard margin"
        )
    return penalties


def _keep(clf, ascent, found):
    clf._sign, clf._plane = 1.0, LinearPlane(np.append(found.normal, found.b), found.normal, found.b)
    clf.coef_, clf.intercept_ = found.normal[None], np.array([found.b])
    clf.coreset_indices_, clf.hull_weights_ = found.indices, found.weights / found.weights.sum()
    clf.margin_, clf.margin_upper_bound_ = found.margin, max(found.bound, found.margin)
    clf.n_iter_, clf.n_passes_ = len(found.path), ascent.n_passes
