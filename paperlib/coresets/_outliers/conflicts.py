"""Small sets of points of which no hyperplane has a large margin on all: one of each must be left out."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._solver.wolfe import (
    _ROUNDING,
    GAP,
    ORIGIN,
    _nearest,
    _to_affine_minimiser,
    take_in,
)

PRICED = 150  # steps in which prices count


@jit
def _entering(products, norms, price, least, slack, weight):
    """The point of smallest product and price among those below `least`, but for rounding; -1 for none."""
    worst, lowest = -1, np.inf
    for i in range(len(products)):
        if products[i] < least - slack * norms[i] and price[i] < np.inf:
            value = products[i] + weight * price[i]
            if value < lowest:
                worst, lowest = i, value
    return worst


@jit
def conflict(scaled, norms, price, first, limit):
    """Find few points whose hull comes within `limit` of the origin, by Wolfe's algorithm, ended there.

    No unit normal has a margin above the length of a convex combination of points on all of them. Wolfe's
    algorithm takes in a violator of the nearest point so far and its length falls, so that it needs fewer
    points the longer that may be. It is the worst violator, after what it costs to use it.

    Parameters
    ----------
    scaled : ndarray of shape (m, d), float64, C-contiguous, of norms up to one
    norms : ndarray of shape (m,)
    price : ndarray of shape (m,), float64, >= 0
        In units of the squared length; ``inf`` for points that may not be used.
    first : ndarray of shape (s,), int64, s >= 1
        Points to begin with, whatever their price.
    limit : float

    Returns
    -------
    x : ndarray of shape (d,)
        The convex combination. It is the nearest point of all that may be used if it is longer than `limit`,
        but for rounding.
    rows : ndarray of shape (s,), int64, s <= d + 1
    weights : ndarray of shape (s,)
    steps : int
        Times that all points were read.
    """
    d = scaled.shape[1]
    Q, R = np.empty((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    active, held, s = np.empty(d + 1, dtype=np.int64), np.zeros(d + 1), 0
    for i in range(len(first)):
        if s <= d:  # no more than d + 1 are independent
            s = take_in(first[i : i + 1], scaled, Q, R, active, held, s)
    held[:s] = 1.0 / s
    slack = _ROUNDING * (4.0 + math.sqrt(d))
    best, x, steps, last = np.inf, np.zeros(d), 0, PRICED
    rows, weights = active[:s].copy(), held[:s].copy()
    while True:
        s = _to_affine_minimiser(Q, R, active, held, s)
        nearest = _nearest(Q, s)
        squared = np.dot(nearest, nearest)
        if squared >= best:  # rounding: the points before were as good
            if steps > last or last == 0:
                return x, rows, weights, steps
            s, best, last = 0, np.inf, 0  # or a cheap point changed nothing: from there, without prices
            for i in range(len(rows)):
                s = take_in(rows[i : i + 1], scaled, Q, R, active, held, s)
            held[:s] = 1.0 / s
            continue
        best, x = squared, nearest
        rows, weights = active[:s].copy(), held[:s].copy()
        length = math.sqrt(best)
        if length <= max(limit, ORIGIN):
            return x, rows, weights, steps
        products = np.dot(scaled, x)
        steps += 1
        # After `last` steps the worst violator is taken, as in Wolfe's algorithm itself.
        weight = best if steps <= last else 0.0
        worst = _entering(products, norms, price, best * (1.0 - GAP), slack * length, weight)
        if worst < 0 or s > d:
            return x, rows, weights, steps
        before = s
        s = take_in(np.array([worst]), scaled, Q, R, active, held, s)
        if s == before:
            return x, rows, weights, steps
