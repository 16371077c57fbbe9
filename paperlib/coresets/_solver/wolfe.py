"""Wolfe's algorithm: the point of smallest norm in a convex hull, exactly, by an active set.

It is the black box of the coreset algorithm. The hard-margin hyperplane through the origin of signed points
``z_i = y_i x_i`` has the normal ``x``, the point of their hull that is nearest to the origin, and the margin
``||x||``; where the hull holds the origin nothing separates them.

The active points stay affinely independent. Each is written as a column ``a = (1, z / scale)``, and the
columns are kept as ``A = Q R``. The part of the first unit vector that is orthogonal to all columns points
from the origin away from their affine hull, and ``R v = Q' e`` gives the weights of the nearest point in it.
Nothing is squared, so margins are found down to rounding in the points themselves, not its square root.

``np.dot`` is given the array for its result, and arrays are changed in loops: both compile faster.
"""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear

ORIGIN = 1e-12  # of the largest norm: a hull that comes as near to the origin as this holds it
TOGETHER = 8  # one in so many of the active points may be new
GAP = 1e-12  # relative; a point has to lie closer than the hyperplane by more than this to be taken in
TIES = 10  # steps in a row that may leave the norm as it is
_ROUNDING = 4e-16
_DEPENDENT = 1e-14


@jit
def _append(column, Q, R, s, length, first):
    """Add a column to ``A = Q R``, of which the columns are kept as rows; False when it depends on them.

    `length` is the column's own. It may be orthogonal to the first `first` rows of Q already; row `s` of R
    then has what it took.
    """
    before = math.sqrt(np.dot(column, column))
    rest, shares = before, np.empty(len(column))
    for i in range(first, s + 1):
        R[s, i] = 0.0
    # Gram-Schmidt. Where it cancels much, what is left is no longer orthogonal to Q, and it is done again.
    for attempt in range(3):
        since = first if attempt == 0 else 0
        if since == s:  # the first column, or the first of those that `take_in` has made orthogonal
            break
        along = np.empty(s - since)
        np.dot(Q[since:s], column, along)
        np.dot(along, Q[since:s], shares)
        for k in range(len(column)):
            column[k] -= shares[k]
        for i in range(since, s):
            R[s, i] += along[i - since]
        rest = math.sqrt(np.dot(column, column))
        if rest > 0.7 * before or rest <= _DEPENDENT * length:  # nothing was lost to rounding, or all
            break
        before = rest
    if rest <= _DEPENDENT * length:
        return False
    R[s, s] = rest
    for k in range(len(column)):
        Q[s, k] = column[k] / rest
    return True


@jit
def take_in(rows, scaled, Q, R, active, held, s):
    """Append points to the active ones, except those that depend on them; return how many are active then.

    Q is read for all of them at a time, twice, as the second time removes what rounding left of the first.
    """
    columns = np.empty((len(rows), Q.shape[1]))
    lengths = np.empty(len(rows))
    for j in range(len(rows)):
        columns[j, 0] = 1.0
        for k in range(scaled.shape[1]):
            columns[j, 1 + k] = scaled[rows[j], k]
        lengths[j] = math.sqrt(np.dot(columns[j], columns[j]))
    first = s if len(rows) > 1 else 0
    taken = np.zeros((len(rows), first))
    if first:
        along, shares = np.empty((len(rows), first)), np.empty((len(rows), Q.shape[1]))
        for _ in range(2):
            np.dot(columns, Q[:first].T, along)
            np.dot(along, Q[:first], shares)
            for j in range(len(rows)):
                for k in range(Q.shape[1]):
                    columns[j, k] -= shares[j, k]
                for i in range(first):
                    taken[j, i] += along[j, i]
    for j in range(len(rows)):
        for i in range(first):
            R[s, i] = taken[j, i]
        if _append(columns[j], Q, R, s, lengths[j], first):
            active[s], held[s] = rows[j], 0.0
            s += 1
    return s


@jit
def _remove(at, Q, R, s):
    """Take column `at` of `s` out of ``A = Q R``, by rotations.

    Each column after it has one entry below the diagonal then. A rotation of two rows of R removes it, and
    the same one of two columns of Q keeps their product.
    """
    for j in range(at, s - 1):
        for i in range(j + 2):
            R[j, i] = R[j + 1, i]
        r = math.hypot(R[j, j], R[j, j + 1])
        c, sine = (R[j, j] / r, R[j, j + 1] / r) if r > 0.0 else (1.0, 0.0)
        R[j, j], R[j, j + 1] = r, 0.0
        for k in range(j + 2, s):  # columns that are still to be moved
            upper, lower = R[k, j], R[k, j + 1]
            R[k, j], R[k, j + 1] = c * upper + sine * lower, c * lower - sine * upper
        first, second = Q[j], Q[j + 1]
        for k in range(Q.shape[1]):
            upper, lower = first[k], second[k]
            first[k], second[k] = c * upper + sine * lower, c * lower - sine * upper


@jit(error_model="numpy")
def _affine_weights(Q, R, s):
    """Weights, of sum one, of the nearest point in the affine hull of the active points."""
    # The solution of R v = Q' e. Its sum is ||Q' e||^2, which is not zero, as each column begins with one.
    v = np.empty(s)
    for i in range(s):
        v[i] = Q[i, 0]
    for i in range(s - 1, -1, -1):
        row = R[i]
        v[i] /= row[i]
        weight = v[i]
        for j in range(i):
            v[j] -= row[j] * weight
    total = 0.0
    for i in range(s):
        total += v[i]
    for i in range(s):
        v[i] /= total
    return v


@jit
def _nearest(Q, s):
    """The nearest point of the affine hull of the active points itself, in units of the scale."""
    along, p, shares = np.empty(s), np.empty(Q.shape[1]), np.empty(Q.shape[1])
    for i in range(s):
        along[i] = Q[i, 0]
    np.dot(along, Q[:s], p)
    for k in range(len(p)):
        p[k] = -p[k]
    p[0] += 1.0
    np.dot(Q[:s], p, along)  # once more, for what rounding left of the columns
    np.dot(along, Q[:s], shares)
    for k in range(len(p)):
        p[k] -= shares[k]
    # The point is -p[1:] / (1 - p_0). As norms are up to one, p_0 is 1/2 at most, and its length no more than
    # twice the root of `squared`.
    squared = np.dot(p[1:], p[1:])
    nearest = np.zeros(len(p) - 1)
    if squared <= ORIGIN**2 / 4.0:
        return nearest
    # |p|^2 = p_0 where it is exact; a small p_0 is known better by the rest of p.
    # It is then the smaller root of p_0^2 - p_0 + squared = 0, written without a difference.
    first = p[0] if p[0] > 1e-3 else 2.0 * squared / (1.0 + math.sqrt(max(0.0, 1.0 - 4.0 * squared)))
    longer = first / squared
    for k in range(len(nearest)):
        nearest[k] = -p[1 + k] * longer
    return nearest


@jit
def _to_affine_minimiser(Q, R, active, held, s):
    """Move `held` towards the weights of the nearest point, dropping points whose weights would be negative.

    Returns how many are still active. `held` remains a convex combination throughout, of a norm that never
    rises: each move is towards the minimiser, as far as the first weight that reaches zero. The last column
    is taken out first, so that the positions of the others stay true.
    """
    while True:
        target = _affine_weights(Q, R, s)
        step, leaves = 1.0, -1
        for i in range(s):
            if target[i] <= 0.0:
                # Weights are not negative: else this is a point of weight zero that is to have none.
                fraction = held[i] / (held[i] - target[i]) if held[i] > target[i] else 0.0
                if leaves < 0 or fraction < step:
                    step, leaves = fraction, i
        if leaves < 0 or s == 1:
            for i in range(s):
                held[i] = target[i]
            return s
        for i in range(s):
            held[i] += step * (target[i] - held[i])
        held[leaves] = 0.0
        for i in range(s - 1, -1, -1):
            # A point just taken in has no weight, either, but is to have some: it stays.
            if held[i] <= 0.0 and target[i] <= 0.0 and s > 1:
                _remove(i, Q, R, s)
                for j in range(i, s - 1):
                    active[j], held[j] = active[j + 1], held[j + 1]
                s -= 1
        total = 0.0
        for i in range(s):
            total += held[i]
        for i in range(s):
            held[i] = np.maximum(held[i], 0.0) / total


@jit
def wolfe(scaled, norms, Q, R, active, held, s, weights):
    """Wolfe's algorithm on points of norms up to one, from `s` active ones that are factored already.

    At the head of each round the active points are independent and `held` are their weights. After it the
    nearest point is that of their affine hull, with positive weights. Its norm falls in all rounds but a few
    ties, so no set of active points comes twice, and the rounds end.

    Fills `weights`. Returns the point in units of the scale, how many points were taken in, and how many are
    active: zero when the factorisation is not that of the point.
    """
    # Rounding of a point's product with x, beside the product of their norms.
    slack = _ROUNDING * (4.0 + math.sqrt(scaled.shape[1]))
    best, x, steps, together, ties = np.inf, np.zeros(scaled.shape[1]), 0, 1, 0
    products = np.empty(len(scaled))
    while True:
        hear(2 * scaled.size + 2 * s * s)
        s = _to_affine_minimiser(Q, R, active, held, s)
        nearest = _nearest(Q, s)
        squared = np.dot(nearest, nearest)
        falls = squared < best
        # A point closer than the hyperplane by less than the root of rounding turns it, at the same norm.
        turns = together == 1 and ties < TIES and squared <= best * (1.0 + 4.0 * _ROUNDING)
        if falls or turns:
            ties = 0 if falls else ties + 1
            best, x = min(best, squared), nearest
            for i in range(len(weights)):
                weights[i] = 0.0
            for i in range(s):
                weights[active[i]] = held[i]
            together = max(1, s // TOGETHER)
        elif together > 1:  # none of them could stay: one at a time, which must help
            together = 1
        else:  # rounding: the points before were as good
            return x, steps, 0
        length = math.sqrt(best)
        if length <= ORIGIN:
            return np.zeros(len(x)), steps, 0
        np.dot(scaled, x, products)
        # There is no room left where all points are active, or d + 1 of them; then x is optimal.
        rows, new = np.empty(min(together, len(Q) - s), dtype=np.int64), 0
        while new < len(rows):
            worst = np.argmin(products)
            if products[worst] >= best * (1.0 - GAP) - slack * length * norms[worst]:
                break
            products[worst] = np.inf
            rows[new], new = worst, new + 1
        before = s
        s = take_in(rows[:new], scaled, Q, R, active, held, s)
        # No violator, or only such as lie in the affine hull of the active points, but for rounding.
        if s == before:
            return x, steps, s
        steps += s - before


@jit
def from_nearest(points):
    """Nearest point of a hull, as by `min_norm_point` without a start, for other kernels to call."""
    k, d = points.shape
    norms, weights = np.empty(k), np.zeros(k)
    for i in range(k):
        norms[i] = math.sqrt(np.dot(points[i], points[i]))
    scale = norms.max()
    if scale == 0.0:
        weights[0] = 1.0
        return np.zeros(d), weights, 0
    room = min(k, d + 1)
    Q, R = np.empty((room, d + 1)), np.zeros((room, room))
    active, held = np.empty(room, dtype=np.int64), np.zeros(room)
    scaled = np.empty((k, d))
    for i in range(k):
        norms[i] /= scale
        for j in range(d):
            scaled[i, j] = points[i, j] / scale
    first = np.empty(1, dtype=np.int64)
    first[0] = np.argmin(norms)
    s = take_in(first, scaled, Q, R, active, held, 0)
    held[0] = 1.0
    x, steps, _ = wolfe(scaled, norms, Q, R, active, held, s, weights)
    for j in range(d):
        x[j] *= scale
    return x, weights, steps
