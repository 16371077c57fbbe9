"""Equation (4) by a primal-dual hybrid gradient method, for sparse data of many features.

With the multipliers of `pairs` and r = alpha - e the programme is, m times over and in units of the margin::

    min_{w, b} max_{alpha, r}  price sum_i [(V - V_i) alpha_i + sum_j v_j r_ij]
                               - sum_ij g_ij w_j r_ij - b sum_i y_i alpha_i

V_i is the value of example i's features that are not zero, |w_j| <= C, and each row of (alpha, r) lies in the
set of `row_projection`. An iteration is one pass over the non-zero entries, in memory that grows with them.
Averages of the iterates, restarts from the better of average and last, and a balance of the two step sizes
that is set anew at each restart are those of PDLP (Applegate and others, Practical Large-Scale Linear
Programming using Primal-Dual Hybrid Gradient, 2021). Value and bound are computed from the data, as for the
other solvers.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import config

from paperlib.feature_deletion._solver.ascent import Dual, Primal, Problem, ascend
from paperlib.feature_deletion._solver.certificate import Solution, lower_bound, objective
from paperlib.feature_deletion._solver.pairs import Pairs, make_pairs

WIDEST = 1e8  # box of a scaled weight, in units of margin
NO_BUDGET = 1e-13  # share of a feature that cannot be told from none
EVERY = 40  # iterations between two looks at value and bound
LARGE = 100_000  # non-zero entries from which parts of the rows are worth a thread each
PARTS = 4  # however many cores there are: the sums are then the same everywhere
ENOUGH, STALLED, LONG = 0.3, 0.8, 0.36  # falls of the gap that restart it, and the share of all iterations


class Ended(NamedTuple):
    """State at the end of a run, for a later one to start from."""

    pairs: Pairs
    primal: Primal
    dual: Dual
    lam: np.ndarray
    ratio: float

    def is_near(self, pairs):
        """Return whether the run was on the same data; any other difference it can start from."""
        names = ("start", "column", "g")
        return all(np.array_equal(getattr(self.pairs, name), getattr(pairs, name)) for name in names)


def solve(X, signs, values, budget, margin, C, stop, weights=None, warm=None):
    """Minimise Equation (4).

    Parameters
    ----------
    X : csr_array of shape (m, n), without repeated entries
    signs, values, budget, margin, C, stop, weights
        As for `interior_point.solve`.
    warm : Ended, optional
        Of another run, for other parameters; used if it was on the same data.

    Returns
    -------
    Solution
    """
    m, total = signs.size, float(values.sum())
    weights = np.ones(m) if weights is None else weights
    m = float(weights.sum())
    if budget < NO_BUDGET * values[values > 0].min():
        budget = 0.0
    scale = abs(X).max(axis=0).toarray().ravel()
    # Columns without entries stay: they cost nothing here.
    scale[scale == 0.0] = 1.0
    with np.errstate(over="ignore"):
        box = np.minimum(C / margin * scale, WIDEST)
    scaled = sp.csr_array((X.data / scale[X.indices], X.indices, X.indptr), shape=X.shape)
    run = _Run(make_pairs(scaled, signs, values, budget, 1.0 / (total - budget), weights), box)
    near = isinstance(warm, Ended) and warm.is_near(run.pairs)
    n_iter, converged, ended = run.go(stop, warm if near else None)
    with np.errstate(over="ignore"):
        w = np.clip(margin * (run.best.w / scale), -C, C)
    b, value, bound = (margin * each for each in (run.best.b, run.value / m, run.bound / m))
    return Solution(w, b, value, bound, n_iter, converged, ended)


class _Run:
    """A run of the method, with the best classifier and the best bound so far."""

    def __init__(self, pairs, box):
        self.pairs, self.box = pairs, box
        m, n = pairs.signs.size, pairs.v.size
        row = np.repeat(np.arange(m), np.diff(pairs.start))
        own = np.bincount(row, weights=pairs.v[pairs.column], minlength=m)
        self.problem = Problem(pairs, own - pairs.budget, pairs.total_value - own)
        self.row = row
        self.often = pairs.weights[row]  # how often a pair counts in a sum over rows
        # The diagonal of K'K, where K couples the classifier with the dual; see `steps`.
        squares = np.bincount(pairs.column, weights=pairs.g * pairs.g * self.often, minlength=n)
        count = float(pairs.weights.sum())
        # Each entry of r meets one weight, and each of alpha the bias. So K'K is diagonal, and with its
        # inverse for the primal's steps, and ones for the dual's, the steps are as long as the method allows,
        # whatever their ratio.
        self.steps = Primal(1.0 / np.maximum(squares, 1e-12), 1.0 / count)
        self.ratio = 1.0  # of the dual's step sizes to the primal's
        self.lam = np.zeros(m)
        # Value and bound of the classifier that is zero.
        self.best, self.bound = Primal(np.zeros(n), 0.0), 0.0
        self.value = count * pairs.price * pairs.total_value
        parts = PARTS if pairs.g.size >= LARGE else 1
        # Parts of whole rows, with about as many entries each.
        at = np.searchsorted(pairs.start, np.linspace(0, pairs.g.size, parts + 1)[1:-1])
        self.limits = [0, *at.tolist(), m]
        self.slopes = np.zeros((parts, n))

    def go(self, stop, warm):
        """Iterate; return how often, whether value and bound have met, and the `Ended` of the run."""
        least, start = 1e-3 * self.value, (self.best, self.zero_dual())
        if warm is not None:
            start = self.near(warm)
        # Where numba is kept to one thread there is one core for us, too.
        if len(self.slopes) == 1 or config.NUMBA_NUM_THREADS == 1:
            return self.iterate(stop, least, *start, map)
        with ThreadPoolExecutor(len(self.slopes)) as pool:
            return self.iterate(stop, least, *start, pool.map)

    def near(self, warm):
        """Return the point where another run ended, and take over what that had learnt."""
        self.lam[:], self.ratio = warm.lam, warm.ratio
        # The box may be narrower than it was.
        start = Primal(np.clip(warm.primal.w, -self.box, self.box), warm.primal.b), self.copied(warm.dual)
        self.look(*start)
        return start

    def iterate(self, stop, least, primal, dual, apply):
        # `here` is where the last restart was, after `begun` iterations, and `total` and `sums` are the sums
        # of the iterates since; `ahead` is the classifier that the dual's step is taken for.
        here, ahead, begun = (primal, self.copied(dual)), primal, 0
        n_iter, total, sums, gap_then, gap_before = 0, self.best, self.zero_dual(), math.inf, math.inf
        while True:
            n_iter += 1
            primal, ahead = self.step(primal, ahead, dual, sums, apply)
            total = Primal(total.w + primal.w, total.b + primal.b)
            last = n_iter == stop.max_iter or stop.is_over()
            if n_iter % EVERY and not last:
                continue
            count = n_iter - begun
            # After a warm start the first mean has that besides, and so may lie outside of the box.
            w = np.clip(total.w / count, -self.box, self.box)
            mean = Primal(w, total.b / count), Dual(sums.alpha / count, sums.r / count)
            gap, (primal_there, dual_there) = min(
                ((self.look(*point), point) for point in ((primal, dual), mean)), key=lambda found: found[0]
            )
            met = self.value - self.bound <= stop.tol * max(self.value, least)
            if met or last:
                ended = Ended(self.pairs, primal_there, self.copied(dual_there), self.lam, self.ratio)
                return n_iter, met, ended
            stop.tell(n_iter, self.value, self.value - self.bound)
            # PDLP's reasons to restart: much was gained; something was, but the gap rises again; or it was
            # long ago.
            shrunk = gap <= ENOUGH * gap_then or (gap <= STALLED * gap_then and gap > gap_before)
            if shrunk or count >= LONG * n_iter:
                # A copy each: `ascend` changes the dual in place.
                primal, dual = primal_there, self.copied(dual_there)
                self.rebalance(here, (primal, dual))
                here, ahead, begun = (primal, self.copied(dual)), primal, n_iter
                total, sums, gap_then = Primal(0.0 * primal.w, 0.0), self.zero_dual(), gap
            gap_before = gap

    def step(self, primal, ahead, dual, sums, apply):
        """Take a step of both players; return the classifier, and the one that the next step is taken for."""

        def ascend_in(part):
            self.slopes[part] = 0.0
            rows = self.limits[part], self.limits[part + 1]
            return ascend(*rows, self.problem, ahead, self.ratio, dual, sums, self.lam, self.slopes[part])

        # Each part has a slope of its own, and these are added in their order, so threads change no bit.
        balance = sum(apply(ascend_in, range(len(self.slopes))))
        w = primal.w + self.steps.w / self.ratio * self.slopes.sum(axis=0)
        w = np.clip(w, -self.box, self.box)
        b = primal.b + self.steps.b / self.ratio * balance
        return Primal(w, b), Primal(2.0 * w - primal.w, 2.0 * b - primal.b)

    def look(self, primal, dual):
        """Return value less bound at a point, and keep what is better than before."""
        value = objective(self.pairs, primal.w, primal.b)
        bound = lower_bound(self.pairs, self.box, dual.alpha, dual.alpha[self.row] - dual.r)
        if value < self.value:
            self.best, self.value = primal, value
        self.bound = max(self.bound, bound)
        return value - bound

    def rebalance(self, before, after):
        """Move the ratio of the step sizes halfway, in logarithms, to that of the ways both players went."""
        (primal, dual), (primal_now, dual_now) = before, after
        way = ((primal_now.w - primal.w) ** 2 / self.steps.w).sum()
        way += (primal_now.b - primal.b) ** 2 / self.steps.b
        way_of_dual = ((dual_now.alpha - dual.alpha) ** 2 * self.pairs.weights).sum()
        way_of_dual += ((dual_now.r - dual.r) ** 2 * self.often).sum()
        if way > 0.0 and way_of_dual > 0.0:
            # The ways are squared lengths, hence the inner root.
            self.ratio = math.sqrt(self.ratio * math.sqrt(way_of_dual / way))

    def zero_dual(self):
        return Dual(np.zeros(self.pairs.signs.size), np.zeros(self.pairs.g.size))

    @staticmethod
    def copied(dual):
        return Dual(dual.alpha.copy(), dual.r.copy())
