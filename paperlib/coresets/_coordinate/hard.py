"""The hard margin by coordinate steps, and when they are the quicker way to it.

They go to the nearest point of the hull of the signed points, from within it.
"""

from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.caller_warning import warn_caller
from paperlib._common.chunks import is_mapped
from paperlib.coresets._coordinate.ascent import Ascent, keep_outcome
from paperlib.coresets._search.search import (
    BUDGET,
    CERTIFIED,
    ORIGIN,
    STALLED,
    not_separable,
    sample_size,
    warn_of_no_certificate,
)
from paperlib.coresets._solver.coresets import required
from paperlib.coresets._solver.wolfe import ORIGIN as NEAR

HULL = "hull"  # its algorithm is the quicker way to the end
PATIENCE = 1.0  # epochs to a row of the support, about what the hull takes for it
LEAST = 100  # epochs in any case

WIDE = 500  # features, from which on steps were as quick or quicker in all that was measured, up to 10 times
MIDDLING = 100  # from here on, too, unless rows are so many that reading them outweighs the hull's work
HELD = 1 << 26  # numbers in the points of a hull, for which rows of a CSR matrix are written out: 512 MB


def hard_margin(ascent, eps, limits, hull_allowed, start=None):
    """Return the `Outcome` of steps that go on until the margin is certified to within ``1 - eps``.

    ``w / sum_i a_i`` is a point of the hull of the signed points, so that its norm bounds every margin from
    above, and the smallest margin of its direction is achieved. Before each round `a` is multiplied by what
    is best for the dual, which is then ``1 / (2 bound^2)``: the bound never rises, and where no hyperplane
    separates the data it falls to zero at the rate of the steps.

    Parameters
    ----------
    ascent : Ascent, with `a` zero
    eps : float in (0, 1)
    limits : Limits, of rounds and of time
    hull_allowed : callable, whether the hull of so many points could be held
    start : (rows, weights), to begin with, or None
    """
    path: list[float] = []
    added: list[float] = []
    best = -np.inf, None
    norms = np.sqrt(ascent.squared[ascent.used])
    if norms.min() <= NEAR * ascent.radius * ascent.scale:
        return _of_one_row(ascent, ascent.used[int(norms.argmin())])
    n, count = len(ascent.used), sample_size(*ascent.X.shape)
    if start is not None:
        ascent.begin(*start)
        if ascent.w.any():
            ascent.multiply(ascent.a.sum() / (ascent.w @ ascent.w))
            ascent.shrink()
    elif n > count:
        # The first round is over a sample: the look after it says which of the others matter.
        ascent.active = ascent.used[np.unique(ascent.rng.integers(n, size=count))]
    stop, taken, budget = None, 0, (eps, limits, hull_allowed)
    while stop is None:
        taken += ascent.round()
        bound, lowest = _bounds(ascent)
        stop = _reason(ascent, bound, lowest, len(path) + 1, taken, *budget)
        if stop not in (None, HULL):  # whether it is so by the data themselves, too
            ascent.join_copies()
            ascent.look()
            bound, lowest = _bounds(ascent)
            stop = _reason(ascent, bound, lowest, len(path) + 1, taken, *budget)
        path.append(bound / ascent.scale)
        limits.tell(partial(_words, len(path), ascent, lowest, bound))
        # The certified one in any case, since the weights are its own.
        if lowest > best[0] or stop == CERTIFIED:
            best = lowest, ascent.w.copy()
        if stop is None:
            added.append(lowest / ascent.scale)
            # The best scale t of `a`, where t 1'a - t^2 ||w||^2 / 2 is largest.
            ascent.multiply(ascent.a.sum() / (ascent.w @ ascent.w))
            ascent.shrink()
    lowest, w = best
    if w is None:  # nothing but the origin was met
        lowest, w = _direction_of(ascent, ascent.used[0])
    return ascent.outcome(stop, w, lowest, bound, path, added)


def _bounds(ascent):
    """The norm of the convex combination of the points, and the smallest margin of its direction."""
    length = float(np.linalg.norm(ascent.w))
    return length / float(ascent.a.sum()), float(ascent.margins.min()) / length if length > 0.0 else -np.inf


def _reason(ascent, bound, lowest, rounds, taken, eps, limits, hull_allowed):
    """The reason to stop, None where there is none."""
    support = np.count_nonzero(ascent.a)
    if bound <= NEAR * ascent.radius * ascent.scale:
        return ORIGIN
    if lowest >= required(bound, eps):
        return CERTIFIED
    if limits.reached(rounds):
        return BUDGET
    if hull_allowed(support) and (ascent.steady or taken > support * max(LEAST, PATIENCE * support)):
        return HULL
    return STALLED if ascent.steady else None


def _words(rounds, ascent, lowest, bound):
    margins = f"margin {lowest / ascent.scale:.6g}, upper bound {bound / ascent.scale:.6g}"
    return f"round {rounds}, {np.count_nonzero(ascent.a)} points, {ascent.n_passes} passes, {margins}"


def _of_one_row(ascent, i):
    """The outcome for a row at the origin, which no hyperplane has on its positive side."""
    ascent.a[i] = 1.0
    ascent.look()
    bound = np.linalg.norm(ascent.w)
    lowest, w = _direction_of(ascent, ascent.used[0])
    return ascent.outcome(ORIGIN, w, lowest, bound, [float(bound) / ascent.scale], [])


def _direction_of(ascent, i):
    """The smallest margin to the direction of row `i`, or of ones where that is zero, and the direction."""
    w = ascent.point(i)
    if not w.any():
        w[: None if ascent.constant else -1] = 1.0
    w /= np.linalg.norm(w)
    return ascent.margins_to(w).min(), w


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
    keep_outcome(clf, ascent, found)
    clf.margin_path_, clf.added_margin_path_ = np.array(found.path), np.array(found.added)
    return None, ascent.n_passes
