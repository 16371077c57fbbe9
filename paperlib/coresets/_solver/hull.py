"""The point of smallest norm in a convex hull that grows, by Wolfe's algorithm."""

import numpy as np

from paperlib.coresets._solver.wolfe import take_in, wolfe

REFRESH = 100  # times that a factorisation is used


def min_norm_point(points, start=None):
    """Find the point of smallest norm in the convex hull of the rows of `points`.

    Parameters
    ----------
    points : ndarray of shape (k, d), float64, C-contiguous, finite
    start : ndarray of shape (k,), float64, optional
        Weights to begin with, such as those before points were added, with zeros for the new ones. By default
        all weight is on the point of smallest norm.

    Returns
    -------
    x : ndarray of shape (d,)
        The point. All points have ``<x, z> >= ||x||^2`` up to a relative `GAP` and rounding: it is optimal.
        Zero when the hull comes within `ORIGIN` of the origin, relative to the largest norm.
    weights : ndarray of shape (k,)
        Of a convex combination of the rows that gives `x`; at most ``d + 1`` are above zero.
    steps : int
        Points that were taken in. It ends when the norm no longer falls, so it always ends.
    """
    return GrowingHull(start).nearest(points)


class GrowingHull:
    """A hull that points are added to, and its point nearest to the origin, as by `min_norm_point`.

    The factorisation of the active points is kept from one time to the next, so that a point more costs what
    it changes. It is made anew where the largest norm grows, and now and then, for the rounding in it.

    Parameters
    ----------
    weights : ndarray of shape (k,), float64, optional
        To begin with, as `start` of `min_norm_point`.
    """

    def __init__(self, weights=None):
        self.weights = np.zeros(0) if weights is None else weights
        self._scale, self._size, self._age = 0.0, 0, 0

    def nearest(self, points):
        """Return what `min_norm_point` does of `points` (k, d): those before, in order, and then new ones.

        There may also be more columns than before, zero in the rows before.
        """
        k, d = points.shape
        norms = np.sqrt(np.einsum("ij,ij->i", points, points))
        scale, start = norms.max(), np.append(self.weights, np.zeros(k - len(self.weights)))
        if not start.any():
            start[norms.argmin()] = 1.0
        if scale == 0.0:
            self.weights = start
            return np.zeros(d), start, 0
        scaled, room = points / scale, min(k, d + 1)
        # `_size` is zero at first, and where the search before ended by rounding, or at the origin.
        if self._size == 0 or scale != self._scale or self._age == REFRESH:
            self._factor(scaled, start, room)
        elif room > len(self._Q) or d + 1 > self._Q.shape[1]:
            self._make_room(min(2 * room, d + 1), d + 1)  # twice as much as needed, to copy less often
        self._scale, self._age = scale, self._age + 1
        weights = np.zeros(k)
        state = self._Q, self._R, self._active, self._held, self._size
        x, steps, self._size = wolfe(scaled, norms / scale, *state, weights)
        self.weights = weights
        return x * scale, weights, steps

    def _factor(self, scaled, start, room):
        wanted = np.flatnonzero(start > 0.0)[: scaled.shape[1] + 1]  # more are never independent
        self._size = self._age = 0
        self._Q, self._R = np.zeros((0, 0)), np.zeros((0, 0))
        self._active, self._held = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._make_room(room, scaled.shape[1] + 1)
        columns = np.column_stack([np.ones(len(wanted)), scaled[wanted]])
        factor, triangle = np.linalg.qr(columns.T)
        s = len(wanted)
        # LAPACK is quick, but leaves out no column that depends on the others.
        if np.abs(np.diagonal(triangle)).min() > 1e-7:
            self._Q[:s], self._R[:s, :s], self._active[:s] = factor.T, triangle.T, wanted
        else:  # nearly dependent: those that add nothing are left out
            s = 0
            for i in wanted:
                s = take_in(np.array([i]), scaled, self._Q, self._R, self._active, self._held, s)
        self._size = s
        self._held[:s] = start[self._active[:s]]
        self._held[:s] /= self._held[:s].sum()

    def _make_room(self, room, width):
        more = room - len(self._Q)
        self._Q = np.pad(self._Q, ((0, more), (0, width - self._Q.shape[1])))
        self._R = np.pad(self._R, (0, more))
        self._active, self._held = np.pad(self._active, (0, more)), np.pad(self._held, (0, more))
