"""The soft margin by coordinate steps, or an interior point, with a duality gap computed from the data.

Steps along the coordinates of the dual know the rows by their products alone, so that scaling the columns
does not help them: a column that is large beside the others, or far from zero, makes all products alike. A
step of the interior point (Mehrotra) solves a least-squares problem in the variables ``w = units * u`` of
columns of equal length, by a QR factor, which bears any such columns. Nothing else changes: ``||w||^2 / 2``
remains the penalty, and units are those of the data in all that goes in and out.

With multipliers ``a`` of the margins ``Z w + xi - s = 1`` and ``c - a`` of ``xi >= 0`` a point is optimal
where ``w = Z' a``, ``a s = 0``, ``(c - a) xi = 0``; a step aims at products that are equal and small.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from paperlib._common.typing import Floats
from paperlib.coresets._coordinate.ascent import Ascent, keep_outcome
from paperlib.coresets._search.search import BUDGET, CERTIFIED, STALLED, warn_of_no_certificate

WRITTEN = 1 << 23  # entries of the rows of an interior point: 64 MB, and three times as much beside them
WORK = 5e9  # multiplications in one of its steps: about a second
PATIENCE, LEAST = 2, 100  # epochs of steps before it takes over: for each feature, and in any case
GOAL = 1e-9  # share of the objective to which it goes on, since its last steps are few
LARGEST = 1e300  # sum of penalties: the losses that they multiply are of the order of one

# Of the interior point.
MOST_STEPS = 100  # 15 to 40 are usual
KEPT = 0.995  # share of the way to the nearest bound that a step goes
CUTS = (1e-6, 1e-9)  # shares of the largest weight, and of a weight's bound, that count as nothing


def soft_margin(ascent, penalties, eps, limits, start=None):
    """Return the `Outcome` of steps that go on until the gap is `eps` of the objective, and both objectives.

    Every ``w`` has the objective ``||w||^2 / 2 + sum_i C_i max(0, 1 - <w, z_i>)``, and every `a` in its box
    the dual one, which no objective is below. The objective is strongly convex, so that the best ``w`` is no
    farther away than ``sqrt(2 gap)``, which bounds its margin ``1 / ||w||``.

    Parameters
    ----------
    ascent : Ascent, with `a` zero
    penalties : ndarray (n,), the ``C_i``
    eps : float in (0, 1)
    limits : Limits, of rounds and of time
    start : (rows, weights), to begin with, or None
    """
    ascent.box[:] = penalties / ascent.scale**2
    if start is not None:
        ascent.begin(*start)
        ascent.shrink()
    path: list[float] = []
    stop, unit, taken = None, ascent.scale**2, 0
    m, d = len(ascent.used), ascent.X.shape[1] + 1
    patience, fits = max(LEAST, PATIENCE * d) * m, m * d <= WRITTEN and (m + d) * d * d <= WORK
    while stop is None:
        taken += ascent.round()
        half, primal, dual = _objectives(ascent)
        last = ascent.steady or limits.reached(len(path) + 1)
        if last or primal - dual <= eps * primal:  # whether it is so by the data themselves, too
            ascent.look()
            half, primal, dual = _objectives(ascent)
        gap = max(0.0, primal - dual)
        path.append(gap * unit)
        limits.tell(partial(_words, len(path), ascent, primal * unit, gap * unit))
        if gap <= eps * primal:
            stop = CERTIFIED
        elif fits and not limits.why and (ascent.steady or taken > patience):
            half, primal, dual = _by_interior_point(ascent, eps, limits, path)
            gap = max(0.0, primal - dual)
            stop = CERTIFIED if gap <= eps * primal else BUDGET if limits.why else STALLED
        elif last:
            stop = STALLED if ascent.steady else BUDGET
        else:
            ascent.shrink()
    length = math.sqrt(2.0 * half)
    least = length - math.sqrt(2.0 * gap)
    margin, bound = (1.0 / each if each > 0.0 else math.inf for each in (length, least))
    return ascent.outcome(stop, ascent.w, margin, bound, path, []), primal * unit, dual * unit


def _by_interior_point(ascent, eps, limits, path):
    """Leave the best of an interior point's ``w`` and `a` in `ascent`, and return their objectives.

    Where rows are long beside the margin, ``w`` is known to more digits than the sum of the rows by `a`
    gives: the bound holds for whatever `a` there is, and the objective is that of ``w``.
    """
    Z, box, unit = ascent.written_out(), ascent.box[ascent.used], ascent.scale**2
    best = _pair(Z, box, ascent.w, ascent.a[ascent.used])
    with np.errstate(all="ignore"):
        for w, a in interior_point(Z, box):
            found, ascent.reads = _pair(Z, box, w, a), ascent.reads + len(box)
            best = min(best, found, key=_share)
            path.append(max(0.0, found.primal - found.dual) * unit)
            limits.tell(partial(_words, len(path), ascent, found.primal * unit, path[-1]))
            if _share(best) <= min(eps, GOAL) or limits.reached(len(path)):
                break
        enough = max(2.0 * _share(best), 10.0 * min(eps, GOAL))
        few = [vertex(Z, box, best.w, best.a, cut) for cut in CUTS]
        # First those of which ``w`` is the combination itself; then the ``w`` that is known better.
        pairs = [_pair(Z, box, a @ Z, a) for a in few] + [_pair(Z, box, best.w, a) for a in few]
    best = next((pair for pair in pairs if _share(pair) <= enough), best)
    ascent.a[ascent.used], ascent.w = best.a, best.w
    path[-1] = max(0.0, best.primal - best.dual) * unit
    return float(best.w @ best.w) / 2.0, best.primal, best.dual


class _Pair(NamedTuple):
    w: Floats
    a: Floats
    primal: float
    dual: float


def _pair(Z, box, w, a):
    combined, short = a @ Z, np.maximum(0.0, 1.0 - Z @ w)
    return _Pair(w, a, float(w @ w / 2.0 + box @ short), float(a.sum() - combined @ combined / 2.0))


def _share(pair):
    """The gap as a share of the objective; infinite where it is no number."""
    share = (pair.primal - pair.dual) / pair.primal if pair.primal > 0.0 else math.inf
    return share if math.isfinite(share) else math.inf


def _words(rounds, ascent, objective, gap):
    size = f"round {rounds}, {np.count_nonzero(ascent.a)} points, {ascent.n_passes} passes"
    return f"{size}, objective {objective:.6g}, gap {gap:.3g}"


def _objectives(ascent):
    """Half the squared norm of ``w``, the objective, and the dual one, for scaled rows."""
    half = float(ascent.w @ ascent.w) / 2.0
    short = np.maximum(0.0, 1.0 - ascent.margins)
    return half, half + float(ascent.box @ short), float(ascent.a.sum()) - half


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
    keep_outcome(clf, ascent, found)
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


def interior_point(Z, box):
    """Yield pairs ``(w, a)`` that come nearer to the optimum, the weights `a` inside of their bounds.

    Parameters
    ----------
    Z : ndarray of shape (m, d)
        The signed rows.
    box : ndarray of shape (m,)
        The bounds, > 0.
    """
    lengths = np.linalg.norm(Z, axis=0)
    units = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    Z = Z * units
    # With w = 0 these have Z w + xi - s = 1, and `a` is in the middle of its bounds.
    u, a, s, xi = np.zeros(len(units)), box / 2.0, np.ones(len(box)), np.full(len(box), 2.0)
    for _ in range(MOST_STEPS):
        rest = box - a
        products, others = a * s, rest * xi
        mu = (products.sum() + others.sum()) / (2 * len(box))
        newton = _Newton(Z, units, u, a, rest, s, xi)
        # The predictor aims at products of zero. How near it comes says how much to centre.
        du, da, ds, dxi = newton.step(-products, -others)
        length = _longest(a, da, rest, s, ds, xi, dxi)
        after = ((a + length * da) @ (s + length * ds) + (rest - length * da) @ (xi + length * dxi)) / (
            2 * len(box)
        )
        aim = (after / mu) ** 3 * mu
        # The corrector, with the second order of the predictor. `rest` moves by -da, hence its other sign.
        du, da, ds, dxi = newton.step(aim - products - da * ds, aim - others + da * dxi)
        length = min(1.0, KEPT * _longest(a, da, rest, s, ds, xi, dxi))
        u, a, s, xi = u + length * du, a + length * da, s + length * ds, xi + length * dxi
        if not (np.isfinite(u).all() and np.isfinite(a).all() and min(a.min(), s.min(), xi.min()) > 0.0):
            return
        a = np.minimum(a, box)
        yield units * u, a
        if not (a < box).all():  # `rest` would be zero, and is divided by
            return


class _Newton:
    """The equations of Newton's step at a point, with the step's own weights eliminated."""

    def __init__(self, Z, units, u, a, rest, s, xi):
        self._at = a, rest, s, xi
        self._Z, self._over = Z, 1.0 / (s / a + xi / rest)
        # Its transpose times itself is the matrix of `du`, and R the Cholesky factor of that. To form the
        # product would square the spread of the columns.
        self._stack = np.vstack([np.sqrt(self._over)[:, None] * Z, np.diag(units)])
        self._R = np.linalg.qr(self._stack, mode="r")
        self._short = 1.0 + s - xi - Z @ u
        self._slope = Z.T @ a - units * (units * u)

    def step(self, products, others):
        """Return the step for which the two kinds of products change by `products` and `others`."""
        a, rest, s, xi = self._at
        right = self._short - others / rest + products / a
        du = self._solve(self._slope + self._Z.T @ (self._over * right))
        da = self._over * (right - self._Z @ du)
        return du, da, (products - s * da) / a, (others + xi * da) / rest

    def _solve(self, right):
        found = np.zeros(len(right))
        for _ in range(2):  # the second time for the rounding of the first
            left = right - self._stack.T @ (self._stack @ found)
            half = solve_triangular(self._R, left, trans="T", check_finite=False)
            found += solve_triangular(self._R, half, check_finite=False)
        return found


def _longest(a, da, rest, s, ds, xi, dxi):
    """Return the longest step, 1 at most, that keeps all of them from being negative."""
    falls = [(a, da), (rest, -da), (s, ds), (xi, dxi)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return min(1.0, *(np.min(np.where(dx < 0.0, -x / dx, 1.0)) for x, dx in falls))


def vertex(Z, box, w, a, cut):
    """Return `a` with few weights that are not at a bound, so that ``Z' a`` is still as near to `w`."""
    small = cut * np.minimum(box, a.max())
    near = np.where(a <= small, 0.0, np.where(a >= box - small, box, a))
    free = (near > 0.0) & (near < box)
    if free.any():
        near[free] += np.linalg.lstsq(Z[free].T, w - Z.T @ near, rcond=None)[0]
    return np.clip(near, 0.0, box)
