"""Equation (4) by a primal-dual interior point that never forms its mn inner variables.

Mehrotra's predictor and corrector with Gondzio's further correctors. Every iterate is feasible, on both
sides, so that the sum of all products is the gap. Newton's equations of an example and its pairs are
eliminated (`pair_passes`), and one system in the weights and the bias is left: O(m n^2) an iteration, by one
matrix product of which rows that no longer matter are left out.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

from paperlib.feature_deletion._solver.certificate import lower_bound, objective
from paperlib.feature_deletion._solver.newton_passes import (
    Pairs,
    Point,
    Step,
    Targets,
    aim,
    centre,
    expand,
    fill,
    linearise,
    right_side,
)

BLOCK = 256  # dense rows that are held at a time
TINY = 1e-12  # of the weights' system, scaled to a unit diagonal: rows below it are left out
ROUNDED = 1e-18  # relative gap that rounding has made up: what is left of the products may be zero
BACK = 0.995  # of the way to the boundary
MIDDLE = (
    0.03  # relative gap of the point that a later run starts from: nearer the end it is too near the walls
)
NO_BUDGET = 1e-13  # share of a feature that cannot be told from none
WIDEST = 1e8  # box of a scaled weight, in units of gamma: beyond it the rounding of the data decides
NARROWEST = 1e-200  # and below it a weight does not count
DEAREST = 1e3  # part of the gap at the start that comes from the box, in units of the value at zero
WARM = 0.03  # share of the cold start in a warm one


class Solution(NamedTuple):
    """A classifier with its value of Equation (4), and a bound that no classifier's value is below."""

    w: np.ndarray
    b: float
    objective: float
    bound: float
    n_iter: int
    converged: bool
    end: tuple


def make_pairs(X, signs, values, budget, price):
    """The entries of the data that can matter: deleting a zero is never worth anything."""
    mask = X != 0
    start = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    column = np.nonzero(mask)[1].astype(np.int32)
    g = (signs[:, None] * X)[mask]
    return Pairs(start, column, g, values, signs, budget, price, float(values.sum()))


def solve(X, signs, values, budget, gamma, C, tol, max_iter, warm=None):
    """Minimise Equation (4).

    Parameters
    ----------
    X : ndarray of shape (m, n)
    signs : ndarray of shape (m,), of -1.0 and 1.0, both of them there
    values : ndarray of shape (n,)
    budget, gamma, C : float
    tol : float
        Stop once value and bound differ by at most `tol` times the value, or `tol` thousandths of the value
        at zero where that is more.
    max_iter : int
    warm : Solution, optional
        Where another run ended, for other parameters; used if it was on the same data.

    Returns
    -------
    Solution
    """
    m, total = signs.size, float(values.sum())
    if budget < NO_BUDGET * values[values > 0].min():
        budget = 0.0
    price = 1.0 / (total - budget)  # in units of gamma: only C / gamma matters
    scale = np.abs(X).max(axis=0)
    with np.errstate(over="ignore"):
        box = np.minimum(C / gamma * scale, WIDEST)
    used = np.flatnonzero(box > NARROWEST)
    scale, box = scale[used], box[used]
    pairs = make_pairs(X[:, used] / scale, signs, values[used], budget, price)._replace(total_value=total)
    run = _Run(pairs, box)
    least = 1e-3 * price * total * m
    end = warm.end if warm is not None and _is_near(warm.end[0], pairs) else None
    weights, point = run.start() if end is None else run.restart(*end)
    # Near the walls slacks round to zero. The run then ends by itself, with the best that it has seen.
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        n_iter, converged = run.go(weights, point, tol, least, max_iter)
    w = np.zeros(values.size)
    with np.errstate(over="ignore"):
        w[used] = np.clip(gamma * (run.best_w / scale), -C, C)
    b, value, bound = (gamma * each for each in (run.best_b, run.objective / m, run.bound / m))
    end = pairs, *(run.middle or (run.best_w, run.best_b, point.alpha, point.lam, point.e))
    return Solution(w, b, value, bound, n_iter, converged, end)


def _is_near(before, pairs):
    """Whether a run was on the same data, and either both or none had a budget."""
    same = (np.array_equal(a, b) for a, b in zip(before[:5], pairs[:5]))
    return (before.budget > 0) == (pairs.budget > 0) and all(same)


class _Weights(NamedTuple):
    """w within its box, b, and the multipliers of the box."""

    w: np.ndarray
    b: float
    upper: np.ndarray
    lower: np.ndarray


class _Run:
    def __init__(self, pairs, box):
        self.pairs, self.box = pairs, box
        m, n, size = pairs.signs.size, pairs.v.size, pairs.g.size
        self.inverse, self.rows = np.empty(size), np.empty((m, 3))
        self.steps = [Step(*np.zeros((5, m)), *np.zeros((2, size))) for _ in range(2)]
        self.targets = [Targets(*np.zeros((2, size)), *np.zeros((5, m))) for _ in range(2)]
        self.P, self.Q = np.empty((BLOCK, n + 1)), np.empty((BLOCK, n))
        # The dearer the matrix product beside a pass over the pairs, the more correctors pay.
        self.n_correctors = int(np.clip(m * n * n / (200.0 * max(size, 1)), 1, 4))
        # Of the classifier that is zero.
        self.objective, self.bound = m * pairs.price * pairs.total_value, 0.0
        self.best_w, self.best_b = np.zeros(n), 0.0
        self.middle = None

    def start(self):
        """A point with all slacks positive on both sides."""
        pairs, box = self.pairs, self.box
        m, size = pairs.signs.size, pairs.g.size
        row, v = np.repeat(np.arange(m), np.diff(pairs.start)), pairs.v[pairs.column]
        ratio = (pairs.signs > 0).sum() / (pairs.signs < 0).sum()
        alpha = 0.5 * np.where(pairs.signs > 0, min(1.0, 1.0 / ratio), min(1.0, ratio))
        value = np.bincount(row, weights=v, minlength=m)
        share = np.minimum(0.5, 0.5 * pairs.budget / np.maximum(value, 1e-300))
        mu = 0.01 * pairs.price * pairs.total_value
        e = alpha[row] * np.where(v > 0, share[row], 0.5)
        slope = np.bincount(pairs.column, weights=pairs.g * (alpha[row] - e), minlength=box.size)
        # In a wide box a slope costs so much that the start would lie far from the middle.
        less = min(1.0, DEAREST * m * pairs.price * pairs.total_value / max(box @ np.abs(slope), 1e-300))
        alpha, e, slope = less * alpha, less * e, less * slope
        a = np.where(e > 0, mu / (alpha[row] - e), 0.0)
        left = pairs.budget * alpha - np.bincount(row, weights=v * e, minlength=m)
        lam = np.divide(mu, left, out=np.zeros(m), where=(value > pairs.budget) & (left > 0))
        xi = mu / alpha + pairs.price * pairs.total_value + pairs.budget * lam
        xi += np.bincount(row, weights=a, minlength=m)
        upper, lower = mu / box + np.maximum(slope, 0), mu / box + np.maximum(-slope, 0)
        weights = _Weights(np.zeros(box.size), 0.0, upper, lower)
        (t, q), (s, r) = np.zeros((2, m)), np.zeros((2, size))
        return weights, Point(alpha, lam, xi, t, q, e, a, s, r)

    def restart(self, before, w, b, alpha, lam, e):
        """A point between the cold start and where another run ended, with the primal slacks to match."""
        pairs, box, share = self.pairs, self.box, WARM
        _, point = self.start()
        row, v = np.repeat(np.arange(pairs.signs.size), np.diff(pairs.start)), pairs.v[pairs.column]
        w = (1 - share) * np.clip(w, -box, box)
        point.alpha[:] = share * point.alpha + (1 - share) * alpha
        fit = min(1.0, pairs.budget / before.budget) if before.budget > 0 else 1.0
        live = point.a > 0
        point.e[live] = (share * point.e + (1 - share) * e * np.where(v > 0, fit, 1.0))[live]
        mu = share * 0.1 * pairs.price * pairs.total_value
        left = pairs.budget * point.alpha - np.bincount(row, weights=v * point.e, minlength=row[-1] + 1)
        np.copyto(
            point.lam, lam + np.divide(mu, left, out=np.zeros(left.size), where=left > 0), where=point.lam > 0
        )
        x = pairs.g * w[pairs.column]
        point.a[live] = _softly_positive(x - v * (point.lam[row] + pairs.price), mu)[live]
        short = pairs.price * pairs.total_value + pairs.budget * point.lam - pairs.signs * b
        short += np.bincount(row, weights=point.a - x, minlength=short.size)
        point.xi[:] = _softly_positive(short, mu)
        slope = np.bincount(pairs.column, weights=pairs.g * (point.alpha[row] - point.e), minlength=box.size)
        upper, lower = mu / box + np.maximum(slope, 0), mu / box + np.maximum(-slope, 0)
        return _Weights(w, b, upper, lower), point

    def go(self, weights, point, tol, least, max_iter):
        """Iterate from a point; returns how often, and whether value and bound have met."""
        pairs = self.pairs
        n_products = 2 * np.count_nonzero(point.a) + np.count_nonzero(point.lam)
        n_products += 2 * pairs.signs.size + 2 * pairs.v.size
        for n_iter in range(max_iter + 1):
            gap, residual, factor = self.system(weights, point)
            if not gap > ROUNDED * max(point.xi.sum(), least):
                break
            if self.middle is None and gap <= MIDDLE * point.xi.sum():
                self.middle = weights.w, weights.b, point.alpha.copy(), point.lam.copy(), point.e.copy()
            if gap <= 30.0 * tol * max(point.xi.sum(), least) or n_iter == max_iter or factor is None:
                self.look(weights, point)
                if self.objective - self.bound <= tol * max(self.objective, least):
                    return n_iter, True
            if n_iter == max_iter or factor is None:
                break
            move, primal, dual = self.direction(weights, point, gap, n_products, residual, factor)
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
        """The gap, what is off in the dual's equations, and the factored system of the weights."""
        pairs, n = self.pairs, self.pairs.v.size
        above, below = self.box - weights.w, self.box + weights.w
        diagonal = np.append(weights.upper / above + weights.lower / below, 0.0)
        slope = np.zeros(n)
        gap = linearise(pairs, point, weights.w, weights.b, self.inverse, self.rows, diagonal, slope)
        gap += above @ weights.upper + below @ weights.lower
        residual = np.append(slope - weights.upper + weights.lower, pairs.signs @ point.alpha)
        if not (diagonal > 0.0).all() or not np.isfinite(diagonal).all():
            return gap, residual, None
        H, minus = np.zeros((n + 1, n + 1), order="F"), np.zeros((n, n), order="F")
        first, scale = 0, np.sqrt(diagonal)
        while first < pairs.signs.size:
            first, p, q = fill(first, pairs, point, self.inverse, self.rows, scale, TINY, self.P, self.Q)
            if p:
                dsyrk(1.0, self.P[:p].T, beta=1.0, c=H, overwrite_c=1, lower=1)
            if q:
                dsyrk(1.0, self.Q[:q].T, beta=1.0, c=minus, overwrite_c=1, lower=1)
        H[:n, :n] -= minus
        return gap, residual, _factor(H, diagonal)

    def direction(self, weights, point, gap, n_products, residual, factor):
        """Predictor, corrector, and as many further correctors as lengthen the step."""
        pairs, (step, spare), (targets, others) = self.pairs, self.steps, self.targets
        above, below = self.box - weights.w, self.box + weights.w
        targets.e[:], targets.a[:] = point.s * -point.e, point.a * -point.r
        np.copyto(targets.e, 0.0, where=point.a == 0)
        targets.t[:], targets.xi[:] = point.t * -point.alpha, point.xi * (point.alpha - 1.0)
        targets.lam[:] = point.lam * -point.q
        sides = -weights.upper * above, -weights.lower * below
        move, primal, dual, rise, kept = self.newton(weights, point, targets, sides, residual, factor, step)
        fall = pairs.price * kept - self.box @ (move.upper + move.lower)
        after = max(gap + primal * rise - dual * fall, 0.0)
        mu = (after / gap) ** 3 * gap / n_products
        aim(pairs, point, step, move.w, mu, targets)
        sides = (
            mu - weights.upper * above + move.w * move.upper,
            mu - weights.lower * below - move.w * move.lower,
        )
        move, primal, dual, _, _ = self.newton(weights, point, targets, sides, residual, factor, step)
        for _ in range(self.n_correctors):
            far = min(1.0, primal + 0.5), min(1.0, dual + 0.5)
            low, high = 0.5 * mu, 2.0 * mu
            centre(pairs, point, step, move.w, *far, low, high, targets, others)
            upper = (above - far[0] * move.w) * (weights.upper + far[1] * move.upper)
            lower = (below + far[0] * move.w) * (weights.lower + far[1] * move.lower)
            new_sides = sides[0] + _outside(upper, low, high), sides[1] + _outside(lower, low, high)
            new, new_primal, new_dual, _, _ = self.newton(
                weights, point, others, new_sides, residual, factor, spare
            )
            if new_primal + new_dual < primal + dual + 0.01:
                break
            move, primal, dual, sides = new, new_primal, new_dual, new_sides
            step, spare, targets, others = spare, step, others, targets
            if min(primal, dual) > 0.95:
                break
        self.steps, self.targets = [step, spare], [targets, others]
        return move, primal, dual

    def newton(self, weights, point, targets, sides, residual, factor, step):
        """Solve for given targets: the step of the weights, and how far it may go; `step` gets the rest."""
        pairs = self.pairs
        above, below = self.box - weights.w, self.box + weights.w
        right = residual.copy()
        right[:-1] -= sides[0] / above - sides[1] / below
        right_side(pairs, point, self.inverse, self.rows, targets, right)
        d = factor(right)
        dw, db = d[:-1], d[-1]
        primal, dual, rise, kept = expand(pairs, point, self.inverse, self.rows, targets, dw, db, step)
        upper, lower = (sides[0] + weights.upper * dw) / above, (sides[1] - weights.lower * dw) / below
        for x, dx in ((above, -dw), (below, dw)):
            primal = _shorten(primal, x, dx)
        for x, dx in ((weights.upper, upper), (weights.lower, lower)):
            dual = _shorten(dual, x, dx)
        return _Weights(dw, db, upper, lower), primal, dual, rise, kept

    def advance(self, weights, point, move, primal, dual):
        primal, dual = min(primal, 1.0), min(dual, 1.0)
        step = self.steps[0]
        for name in ("lam", "xi", "a"):
            _add(getattr(point, name), primal, getattr(step, name))
        for name in ("alpha", "e"):
            _add(getattr(point, name), dual, getattr(step, name))
        return _Weights(
            weights.w + primal * move.w,
            weights.b + primal * move.b,
            weights.upper + dual * move.upper,
            weights.lower + dual * move.lower,
        )


def _softly_positive(x, mu):
    """The larger root z of ``z (z - x) = mu``: above both 0 and x."""
    root = np.hypot(x, 2.0 * np.sqrt(mu))
    return np.where(x > 0, (x + root) / 2.0, 2.0 * mu / (root - np.minimum(x, 0.0)))


def _add(x, step, dx):
    dx *= step
    x += dx


def _outside(products, low, high):
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
    for lift in (0.0, 1e-12, 1e-9):
        H[np.arange(n), np.arange(n)] = 1.0 + lift
        try:
            factor = cho_factor(H, lower=True, check_finite=False)
        except LinAlgError:
            continue
        return lambda right: scale * cho_solve(factor, scale * right, check_finite=False)
    return None
