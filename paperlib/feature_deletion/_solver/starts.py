"""Starting points of the interior point: a cold one, and one near the end of another run."""

from typing import NamedTuple

import numpy as np

from paperlib.feature_deletion._solver.certificate import lower_bound, objective
from paperlib.feature_deletion._solver.pairs import Pairs, Point

DEAREST = 1e2  # part of the gap at the start that comes from the box, in units of the value at zero
WARM = 0.03  # share of the cold start in a warm one
FAR = 0.2  # relative gap of a warm start for another budget, above which the cold one ends sooner


class Weights(NamedTuple):
    """w within its box, b, and the multipliers of the box."""

    w: np.ndarray
    b: float
    upper: np.ndarray
    lower: np.ndarray


class Ended(NamedTuple):
    """State at the end of a run, for a later one to start from."""

    pairs: Pairs
    w: np.ndarray
    b: float
    alpha: np.ndarray
    lam: np.ndarray
    e: np.ndarray

    def is_near(self, pairs):
        """Return whether the run was on the same data and weights, and either both or none had a budget."""
        before, names = self.pairs, ("start", "column", "g", "v", "signs", "weights")
        same = (np.array_equal(getattr(before, name), getattr(pairs, name)) for name in names)
        return (before.budget > 0) == (pairs.budget > 0) and all(same)


def start(pairs, box, ended):
    """Return a start from where another run ended, if that is near enough, else a cold one."""
    if not (isinstance(ended, Ended) and ended.is_near(pairs)):
        return cold_start(pairs, box)
    weights, point = warm_start(pairs, box, ended)
    if pairs.budget != ended.pairs.budget:  # the adversary's part of the point was made for that one
        value = objective(pairs, weights.w, weights.b)
        if value - lower_bound(pairs, box, point.alpha, point.e) > FAR * value:
            return cold_start(pairs, box)
    return weights, point


def cold_start(pairs, box):
    """Return weights and a point with all slacks positive on both sides."""
    m, size, count = pairs.signs.size, pairs.g.size, pairs.weights.sum()
    row, v = _rows_and_values(pairs)
    # The weighted sums of alpha are the same for both classes, so sum y alpha = 0.
    ratio = pairs.weights[pairs.signs > 0].sum() / pairs.weights[pairs.signs < 0].sum()
    alpha = 0.5 * np.where(pairs.signs > 0, min(1.0, 1.0 / ratio), min(1.0, ratio))
    value = np.bincount(row, weights=v, minlength=m)
    # At most half of a row's budget is spent, and at most half of a feature deleted.
    share = np.minimum(0.5, 0.5 * pairs.budget / np.maximum(value, 1e-300))
    mu = 0.01 * pairs.price * pairs.total_value
    e = alpha[row] * np.where(v > 0, share[row], 0.5)
    slope = _slope(pairs, row, alpha, e)
    # In a wide box a slope costs so much that the start would lie far from the middle.
    less = min(1.0, DEAREST * count * pairs.price * pairs.total_value / max(box @ np.abs(slope), 1e-300))
    alpha, e, slope = less * alpha, less * e, less * slope
    a = np.where(e > 0, mu / (alpha[row] - e), 0.0)
    left = pairs.budget * alpha - np.bincount(row, weights=v * e, minlength=m)
    lam = np.divide(mu, left, out=np.zeros(m), where=(value > pairs.budget) & (left > 0))
    # With w and b at zero this leaves t = mu / alpha.
    xi = mu / alpha + pairs.price * pairs.total_value + pairs.budget * lam
    xi += np.bincount(row, weights=a, minlength=m)
    (t, q), (s, r) = np.zeros((2, m)), np.zeros((2, size))
    weights = Weights(np.zeros(box.size), 0.0, *_sides(slope, mu, box))
    return weights, Point(alpha, lam, xi, t, q, e, a, s, r)


def warm_start(pairs, box, ended):
    """Return a point between the cold start and where another run ended, and primal slacks to match."""
    _, point = cold_start(pairs, box)
    row, v = _rows_and_values(pairs)
    m, before = pairs.signs.size, ended.pairs
    # The factor takes the weights off the sides of the box, where the other run may have left them.
    w = (1 - WARM) * np.clip(ended.w, -box, box)
    point.alpha[:] = WARM * point.alpha + (1 - WARM) * ended.alpha
    # What was deleted has to fit into a smaller budget, too.
    fit = min(1.0, pairs.budget / before.budget) if before.budget > 0 else 1.0
    live = point.a > 0
    point.e[live] = (WARM * point.e + (1 - WARM) * ended.e * np.where(v > 0, fit, 1.0))[live]
    mu = WARM * 0.1 * pairs.price * pairs.total_value
    left = pairs.budget * point.alpha - np.bincount(row, weights=v * point.e, minlength=m)
    lam = ended.lam + np.divide(mu, left, out=np.zeros(m), where=left > 0)
    np.copyto(point.lam, lam, where=point.lam > 0)
    x = pairs.g * w[pairs.column]
    # s is a less this argument, and below t is xi less `short`: both of each pair become positive, with the
    # product mu. a needs `lam`, and xi needs both, hence the order.
    point.a[live] = _softly_positive(x - v * (point.lam[row] + pairs.price), mu)[live]
    short = pairs.price * pairs.total_value + pairs.budget * point.lam - pairs.signs * ended.b
    short += np.bincount(row, weights=point.a - x, minlength=m)
    point.xi[:] = _softly_positive(short, mu)
    return Weights(w, ended.b, *_sides(_slope(pairs, row, point.alpha, point.e), mu, box)), point


def _rows_and_values(pairs):
    return np.repeat(np.arange(pairs.signs.size), np.diff(pairs.start)), pairs.v[pairs.column]


def _slope(pairs, row, alpha, e):
    """The derivative by each weight, which the multipliers of its box have to balance."""
    kept = pairs.g * (alpha[row] - e) * pairs.weights[row]
    return np.bincount(pairs.column, weights=kept, minlength=pairs.v.size)


def _sides(slope, mu, box):
    return mu / box + np.maximum(slope, 0), mu / box + np.maximum(-slope, 0)


def _softly_positive(x, mu):
    """The larger root z of ``z (z - x) = mu``: above both 0 and x."""
    root = np.hypot(x, 2.0 * np.sqrt(mu))
    # Below zero x + root would cancel; the second form is the same root.
    return np.where(x > 0, (x + root) / 2.0, 2.0 * mu / (root - np.minimum(x, 0.0)))
