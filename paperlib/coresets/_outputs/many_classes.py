"""The largest margin among many classes: by a coreset of pairs, or by steps over all of them."""

import math

import numpy as np

from paperlib._common.chunks import is_mapped
from paperlib._common.rounding import first_smallest
from paperlib.coresets._coordinate.hard import LEAST, PATIENCE
from paperlib.coresets._coordinate.pair_ascent import PairAscent
from paperlib.coresets._outputs.pairs import means, most_violated, pair, written_out
from paperlib.coresets._solver.coresets import required
from paperlib.coresets._solver.wolfe import ORIGIN as NEAR
from paperlib.coresets._solver.working_set import WorkingSet

WIDE = 300  # numbers in W, from which on steps were quicker in all that was measured, up to 390 times
SPARE = 2  # pairs to a number in W, of which a hull needs one to it
CERTIFIED, NOT_SEPARABLE = "certified", "not separable"


class Fit:
    """A fit in progress: the best classifier met, the coreset so far, and what bounds every margin.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    codes : ndarray of shape (n,), of 0 to n_classes - 1
    n_classes : int
    weights : ndarray of shape (n,), or None
        Of rows. Where no classifier is right on all, the best one is right on the most weight.
    eps : float in (0, 1)
    limits : Limits

    Attributes
    ----------
    coef : ndarray of shape (n_classes, d), of norm one, or zeros
    margin, bound : float
    rows, rivals : list of int, the pairs of the coreset
    passes : int
    halted : str, "certified", "not separable", or the limit that was reached; empty before
    """

    def __init__(self, X, codes, n_classes, weights, eps, limits):
        self.X, self.codes, self.n_classes, self.weights = X, codes, n_classes, weights
        self.eps, self.limits = eps, limits
        self.coef, self._right, self.margin = np.zeros((n_classes, X.shape[1])), 0, -np.inf
        self.bound, self.rows, self.rivals, self.passes, self.halted = np.inf, [], [], 0, ""

    def suits_steps(self):
        """Return whether steps are the way to begin: in many dimensions, for rows that lie in memory."""
        return self.coef.size >= WIDE and not is_mapped(self.X)

    def by_steps(self):
        """Take steps until the margin is certified, a limit is reached, or a coreset is the quicker way on.

        That `by_coreset` begins with the heaviest pairs. Nothing is decided for rows at the origin.
        """
        ascent = PairAscent(self.X, self.codes, self.n_classes, np.random.default_rng(0))
        if ascent.squared.min() <= NEAR**2 * ascent.squared.max():
            return
        while not self.halted:
            ascent.round()
            halts = self._look(ascent)
            if halts:  # whether it is so by the data themselves, too
                ascent.look()
                halts = self._look(ascent)
            size = np.count_nonzero(ascent.a)
            self.passes = math.ceil(ascent.reads / len(self.codes))
            self.limits.tell(lambda: self.words(size))  # noqa: B023
            if halts:
                self.halted = halts
            elif self.limits.reached(self.passes):
                self.halted = self.limits.why
            elif ascent.steady or ascent.visits > size * max(LEAST, PATIENCE * size):
                break
            else:
                ascent.go_on()
        rows, rivals = ascent.pairs(None if self.halted else SPARE * self.coef.size)
        self.rows, self.rivals = rows.tolist(), rivals.tolist()

    def _look(self, ascent):
        """Note what the steps have come to; return why that is the end, or nothing."""
        lowest, bound = ascent.bounds()
        self._meet(ascent.margins.min(axis=1), ascent.W, lowest)
        if bound <= NEAR / ascent.scale:
            self.bound = 0.0
            return NOT_SEPARABLE
        self.bound = min(self.bound, bound)
        return CERTIFIED if lowest >= required(bound, self.eps) else ""

    def by_coreset(self):
        """Add the most violated pair of each class, and solve for the coreset, until the margin is certified.

        This is the paper's Figure 1 for pairs. It begins with the pairs that it has, or, without any, with
        those that the mean of all pairs violates most.
        """
        work = WorkingSet(self.coef.size)
        for i, rival in zip(self.rows, self.rivals):
            work.add(pair(written_out(self.X, i), self.codes[i], rival, self.n_classes))
            if self.limits.reached(0):  # the time alone: passes are counted below
                self.halted = self.limits.why
                return
        by_class = [np.flatnonzero(self.codes == c) for c in range(self.n_classes)]
        current = means(self.X, self.codes, self.n_classes, self.weights)
        if self.rows:
            work.solve()
            current = work.normal.reshape(self.coef.shape)
        while not self.halted:
            if self.rows and work.margin == 0.0:
                self.halted = NOT_SEPARABLE
                break
            self.passes += 1
            margins, rivals = most_violated(self.X, self.codes, current)
            self._meet(margins, current, float(margins.min()))
            if self.rows and margins.min() >= required(work.margin, self.eps):
                self.halted = CERTIFIED
                break
            for among in by_class:
                i = among[first_smallest(margins[among], work.margin)]
                if not self.rows or margins[i] < required(work.margin, self.eps):
                    work.add(pair(written_out(self.X, i), self.codes[i], rivals[i], self.n_classes))
                    self.rows.append(i)
                    self.rivals.append(rivals[i])
            work.solve()
            self.bound = work.margin
            self.limits.tell(lambda: self.words(len(self.rows)))
            current = work.normal.reshape(self.coef.shape)
            if work.margin > 0.0 and self.limits.reached(self.passes):
                self.halted = self.limits.why
        self.bound = max(work.margin, self.margin * (self.halted == CERTIFIED))

    def _meet(self, margins, coef, lowest):
        """Keep a classifier if it is the best so far: right on more, or else by a larger margin."""
        right = weight_of(margins > 0.0, self.weights)
        if (right, lowest) > (self._right, self.margin):
            length = np.linalg.norm(coef)
            self.coef, self._right, self.margin = coef / (length if length > 0.0 else 1.0), right, lowest

    def words(self, size):
        """Return words on how far it is."""
        margins = f"margin {self.margin:.6g}, upper bound {self.bound:.6g}"
        return f"pass {self.passes}, {size} pairs, {margins}"


def weight_of(right, weights):
    """Return on how many examples a classifier is right, or on which share of their weights."""
    if weights is None:
        return int(np.count_nonzero(right))
    share = float(weights[right].sum() / weights.sum())
    return round(share, 12)  # equal sums may be rounded differently
