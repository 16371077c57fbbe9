"""Equation (4) by a primal-dual interior point that never forms its mn inner variables.

Mehrotra's predictor and corrector with Gondzio's further correctors. Every iterate is feasible, on both
sides, so that the sum of all products is the gap. Newton's equations of an example and its pairs are
eliminated (`elimination`), and one system in the weights and the bias is left: O(m n^2) an iteration, by one
matrix product of which rows that no longer matter are left out.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from paperlib.feature_deletion._solver.certificate import Solution, lower_bound, objective
from paperlib.feature_deletion._solver.elimination import expand, fill, linearise, right_side
from paperlib.feature_deletion._solver.pairs import Eliminated, Step, Targets, make_pairs
from paperlib.feature_deletion._solver.starts import Ended, Weights, start
from paperlib.feature_deletion._solver.targets import aim, centre

BLOCK = 256  # dense rows that are held at a time
TINY = 1e-12  # of the weights' system, scaled to a unit diagonal: rows below it are left out
ROUNDED = 1e-18  # relative gap that rounding has made up: what is left of the products may be zero
KEPT = 1e-9  # relative gap from which on every point is looked at: far beyond it, rounding may spoil the next
BACK = 0.9  # of the way to the boundary; nearer to it, the next step is short
MIDDLE = 0.03  # relative gap of the point that a later run starts from: nearer the end, slacks are tiny
NO_BUDGET = 1e-13  # share of a feature that cannot be told from none
WIDEST = 1e8  # box of a scaled weight, in units of margin: beyond it the rounding of the data decides
NARROWEST = 1e-200  # and below it a weight does not count


class System(NamedTuple):
    """Newton's equations at a point, with all but the weights eliminated."""

    gap: float  # the sum of all products
    residual: np.ndarray  # of the dual's equations
    solve: Callable[[np.ndarray], np.ndarray] | None  # None where the system is not definite


def solve(X, signs, values, budget, margin, C, stop, weights=None, warm=None):
    """Minimise Equation (4).

    Parameters
    ----------
    X : ndarray of shape (m, n)
    signs : ndarray of shape (m,), of -1.0 and 1.0, both of them there
    values : ndarray of shape (n,)
    budget, margin, C : float
    stop : Stopping
    weights : ndarray of shape (m,), optional
        Of the examples, > 0: how often each counts. Ones without.
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
    price = 1.0 / (total - budget)  # in units of margin: only C / margin matters
    # Columns are scaled to a largest entry of 1, and the box of a weight with them: w_j x_j stays as it is.
    scale = np.abs(X).max(axis=0)
    with np.errstate(over="ignore"):
        box = np.minimum(C / margin * scale, WIDEST)
    # A column of zeros has a box of zero, and must not be divided by its scale.
    used = np.flatnonzero(box > NARROWEST)
    scale, box = scale[used], box[used]
    pairs = make_pairs(X[:, used] / scale, signs, values[used], budget, price, weights)
    # Features that are not used still count in V: the margin that is asked for depends on all values.
    run = _Run(pairs._replace(total_value=total), box)
    first, point = start(run.pairs, box, warm)
    # Near the boundary slacks round to zero. The run then ends by itself, with the best that it has seen.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        n_iter, converged = run.go(first, point, stop)
    w = np.zeros(values.size)
    with np.errstate(over="ignore"):
        # To scale back may round a weight past C.
        w[used] = np.clip(margin * (run.best_w / scale), -C, C)
    b, value, bound = (margin * each for each in (run.best_b, run.objective / m, run.bound / m))
    ended = run.middle or Ended(run.pairs, run.best_w, run.best_b, *_rows(point))
    return Solution(w, b, value, bound, n_iter, converged, ended)


class _Run:
    """A run of the method: arrays reused in every iteration, and the best classifier and bound so far."""

    def __init__(self, pairs, box):
        self.pairs, self.box = pairs, box
        (m,), n, size = pairs.signs.shape, pairs.v.size, pairs.g.size
        self.eliminated = Eliminated(np.empty(size), *np.empty((3, m)))
        self.steps = [Step(*np.zeros((5, m)), *np.zeros((2, size))) for _ in range(2)]
        self.targets = [Targets(*np.zeros((2, size)), *np.zeros((5, m))) for _ in range(2)]
        # The bias has a column in P only: to eliminate `lam`, for which Q is subtracted, concerns features
        # alone.
        self.P, self.Q = np.empty((BLOCK, n + 1)), np.empty((BLOCK, n))
        # The dearer the matrix product beside a pass over the pairs, the more correctors pay.
        self.n_correctors = int(np.clip(m * n * n / (200.0 * max(size, 1)), 2, 4))
        # Value and bound of the classifier that is zero.
        self.objective, self.bound = float(pairs.weights.sum()) * pairs.price * pairs.total_value, 0.0
        self.best_w, self.best_b = np.zeros(n), 0.0
        self.middle = None
        self.signs = pairs.signs * pairs.weights  # as they count in a sum over rows

    def go(self, weights, point, stop):
        """Iterate from a point; returns how often, and whether value and bound have met."""
        tol, n_products = stop.tol, _count_products(self.pairs, point)
        # Gaps are relative to the value, and to this where the value is less: the least one may be zero.
        least = 1e-3 * self.pairs.price * self.pairs.total_value * self.pairs.weights.sum()
        for n_iter in range(stop.max_iter + 1):
            system = self.system(weights, point)
            gap, value = system.gap, (point.xi * self.pairs.weights).sum()
            last = n_iter == stop.max_iter or system.solve is None or stop.is_over()
            # Not "<=": a gap that is NaN ends the run, too.
            if not gap > ROUNDED * max(value, least):
                break
            if self.middle is None and gap <= MIDDLE * value:
                self.middle = Ended(self.pairs, weights.w, weights.b, *_rows(point))
            # Value and bound lie within the gap of their point, so they may meet while that is still above
            # tol. To look at them takes a pass with a sort for each row, so it is not done from the start.
            if gap <= max(30.0 * tol, KEPT) * max(value, least) or last:
                self.look(weights, point)
                if self.objective - self.bound <= tol * max(self.objective, least):
                    return n_iter, True
            if last:
                break
            stop.tell(n_iter, value, gap)
            move, primal, dual = self.direction(weights, point, system, n_products)
            # Neither side can move: rounding has spoilt the direction.
            if max(primal, dual) < 1e-8 or not np.isfinite(move.w).all():
                break
            weights = self.advance(weights, point, move, BACK * primal, BACK * dual)
        self.look(weights, point)
        return n_iter, False

    def look(self, weights, point):
        """Keep the best classifier and the best bound so far."""
        value = objective(self.pairs, weights.w, weights.b)
        if value < self.objective:
            self.objective, self.best_w, self.best_b = value, weights.w, weights.b
        self.bound = max(self.bound, lower_bound(self.pairs, self.box, point.alpha, point.e))

    def system(self, weights, point):
        """Eliminate all but the weights at a point, and factor what is left."""
        pairs, n = self.pairs, self.pairs.v.size
        above, below = self.box - weights.w, self.box + weights.w
        diagonal = np.append(weights.upper / above + weights.lower / below, 0.0)
        slope = np.zeros(n)
        gap = linearise(pairs, point, weights.w, weights.b, self.eliminated, diagonal, slope)
        gap += above @ weights.upper + below @ weights.lower
        # Zero but for rounding, as each iterate is feasible; on the right side it keeps that from growing.
        residual = np.append(slope - weights.upper + weights.lower, self.signs @ point.alpha)
        if not (diagonal > 0.0).all() or not np.isfinite(diagonal).all():
            return System(gap, residual, None)
        # In Fortran's order, or BLAS would add to a copy: what `dsyrk` returns is not looked at.
        H, minus = np.zeros((n + 1, n + 1), order="F"), np.zeros((n, n), order="F")
        first, scale = 0, np.sqrt(diagonal)
        while first < pairs.signs.size:
            first, p, q = fill(first, pairs, point, self.eliminated, scale, TINY, self.P, self.Q)
            if p:
                dsyrk(1.0, self.P[:p].T, beta=1.0, c=H, overwrite_c=1, lower=1)
            if q:
                dsyrk(1.0, self.Q[:q].T, beta=1.0, c=minus, overwrite_c=1, lower=1)
        H[:n, :n] -= minus
        return System(gap, residual, _factor(H, diagonal))

    def direction(self, weights, point, system, n_products):
        """Predictor, corrector, and as many further correctors as lengthen the step."""
        pairs, (step, spare), (targets, others) = self.pairs, self.steps, self.targets
        above, below = self.box - weights.w, self.box + weights.w
        # The predictor asks all products to become zero.
        targets.e[:], targets.a[:] = point.s * -point.e, point.a * -point.r
        np.copyto(targets.e, 0.0, where=point.a == 0)
        targets.t[:], targets.xi[:] = point.t * -point.alpha, point.xi * (point.alpha - 1.0)
        targets.lam[:] = point.lam * -point.q
        sides = -weights.upper * above, -weights.lower * below
        move, reach = self.newton(weights, point, system, targets, sides, step)
        # Both objectives are linear, so the gap after the predictor's step follows from how they change.
        fall = pairs.price * reach.kept - self.box @ (move.upper + move.lower)
        after = max(system.gap + reach.primal * reach.rise - reach.dual * fall, 0.0)
        # Mehrotra's rule, with the fourth power of what the predictor leaves of the gap, not the third.
        mu = (after / system.gap) ** 4 * system.gap / n_products
        aim(pairs, point, step, move.w, mu, targets)
        sides = (
            mu - weights.upper * above + move.w * move.upper,
            mu - weights.lower * below - move.w * move.lower,
        )
        move, reach = self.newton(weights, point, system, targets, sides, step)
        for _ in range(self.n_correctors):
            # Gondzio's: what would the products be further on than the step can reach? Those that would be
            # far from mu are asked to come back.
            far = min(1.0, reach.primal + 0.5), min(1.0, reach.dual + 0.5)
            low, high = 0.5 * mu, 2.0 * mu
            centre(pairs, point, step, move.w, *far, low, high, targets, others)
            upper = (above - far[0] * move.w) * (weights.upper + far[1] * move.upper)
            lower = (below + far[0] * move.w) * (weights.lower + far[1] * move.lower)
            new_sides = sides[0] + _outside(upper, low, high), sides[1] + _outside(lower, low, high)
            new, further = self.newton(weights, point, system, others, new_sides, spare)
            if further.primal + further.dual < reach.primal + reach.dual + 0.01:
                break
            move, reach, sides = new, further, new_sides
            # The arrays change places, so that the next try does not overwrite the step that is kept so far.
            step, spare, targets, others = spare, step, others, targets
            if min(reach.primal, reach.dual) > 0.95:
                break
        # `advance` takes the first one.
        self.steps, self.targets = [step, spare], [targets, others]
        return move, reach.primal, reach.dual

    def newton(self, weights, point, system, targets, sides, step):
        """Solve for given targets: the step of the weights, and its reach; `step` gets the rest."""
        pairs = self.pairs
        above, below = self.box - weights.w, self.box + weights.w
        right = system.residual.copy()
        right[:-1] -= sides[0] / above - sides[1] / below
        right_side(pairs, point, self.eliminated, targets, right)
        d = system.solve(right)
        dw, db = d[:-1], d[-1]
        reach = expand(pairs, point, self.eliminated, targets, dw, db, step)
        upper, lower = (sides[0] + weights.upper * dw) / above, (sides[1] - weights.lower * dw) / below
        primal = _shorten(_shorten(reach.primal, above, -dw), below, dw)
        dual = _shorten(_shorten(reach.dual, weights.upper, upper), weights.lower, lower)
        return Weights(dw, db, upper, lower), reach._replace(primal=primal, dual=dual)

    def advance(self, weights, point, move, primal, dual):
        """Move the point in place, and return the new weights."""
        primal, dual = min(primal, 1.0), min(dual, 1.0)
        step = self.steps[0]
        # Slacks are not moved: `linearise` computes them from these, so that their equations hold to
        # rounding.
        for name in ("lam", "xi", "a"):
            _add(getattr(point, name), primal, getattr(step, name))
        for name in ("alpha", "e"):
            _add(getattr(point, name), dual, getattr(step, name))
        return Weights(
            weights.w + primal * move.w,
            weights.b + primal * move.b,
            weights.upper + dual * move.upper,
            weights.lower + dual * move.lower,
        )


def _rows(point):
    return point.alpha.copy(), point.lam.copy(), point.e.copy()


def _count_products(pairs, point):
    """How many products make up the gap, those of a row as often as its weight says."""
    of_row = np.diff(np.append(0, np.cumsum(point.a > 0.0))[pairs.start])
    return pairs.weights @ (2 * of_row + (point.lam > 0.0) + 2) + 2 * pairs.v.size


def _add(x, step, dx):
    dx *= step
    x += dx


def _outside(products, low, high):
    # As `targets.outside`, for the products of the box.
    return np.where(products < low, low - products, np.maximum(np.minimum(high - products, 0.0), -high))


def _shorten(longest, x, dx):
    falling = x + longest * dx < 0
    return min(longest, (-x[falling] / dx[falling]).min(initial=longest))


def _factor(H, diagonal):
    """A solver of the system with the lower triangle of `H` off the diagonal; None if it is not definite."""
    n = len(diagonal)
    scale = 1.0 / np.sqrt(diagonal)
    H *= scale[:, None]
    H *= scale
    # The diagonal is that of `linearise`, which is positive by construction: taken from the difference of the
    # two Gram matrices it would have lost digits. Off it rounding may still make the system indefinite; a
    # little more on the diagonal then mends it.
    for lift in (0.0, 1e-12, 1e-9):
        H[np.arange(n), np.arange(n)] = 1.0 + lift
        try:
            factor = cho_factor(H, lower=True, check_finite=False)
        except LinAlgError:
            continue
        return lambda right: scale * cho_solve(factor, scale * right, check_finite=False)
    return None
