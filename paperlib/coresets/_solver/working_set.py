"""A coreset that grows: its points, and the hyperplane of largest margin on them."""

import numpy as np

from paperlib._common.rounding import TIED
from paperlib.coresets._solver.hull import GrowingHull

_NEW = 1e-14  # of a point's length: what sticks out of the span of the others by less is rounding


class WorkingSet:
    """The coreset C of the paper's figures, with SVM(C) by Wolfe's algorithm from where it last stood.

    Points are kept by their coordinates in an orthonormal basis of their span, so that solving for k points
    costs the same in any dimension, and only the basis, at most k vectors, is as long as the points are.

    Parameters
    ----------
    dimension : int

    Attributes
    ----------
    normal : ndarray of shape (dimension,)
        Of length one, or zero when the hull of the points holds the origin: then no hyperplane through the
        origin has all of them on its positive side.
    margin : float
        Smallest ``<normal, point>`` over the set, the largest that any unit normal has.
    weights : ndarray of shape (k,)
        The convex combination of the points that gives ``margin * normal``.

    Examples
    --------
    >>> work = WorkingSet(2)
    >>> work.add([3.0, 0.0])
    >>> work.add([0.0, 4.0])
    >>> work.solve()
    >>> round(work.margin, 3), work.normal.round(3).tolist(), work.weights.round(2).tolist()
    (2.4, [0.8, 0.6], [0.64, 0.36])
    """

    def __init__(self, dimension):
        self._basis = np.empty((4, dimension))
        self._coordinates = np.zeros((4, 4))
        self._size = self._rank = 0
        self._hull, self.weights = GrowingHull(), np.zeros(0)
        self.normal, self.margin = np.zeros(dimension), 0.0

    @classmethod
    def of(cls, points):
        """Return the solved set of the rows of `points` (k, dimension)."""
        work = cls(points.shape[1])
        for point in points:
            work.add(point)
        work.solve()
        return work

    def __len__(self):
        return self._size

    def add(self, point):
        """Add a point (dimension,), which must be finite; `solve` takes it into account."""
        rest = np.array(point, dtype=np.float64)
        length = np.linalg.norm(rest)
        if self._size == len(self._coordinates):
            self._coordinates = np.pad(self._coordinates, ((0, self._size), (0, 0)))
        row = self._coordinates[self._size]
        basis = self._basis[: self._rank]
        for _ in range(2):  # the second time removes what rounding left of the first
            along = basis @ rest
            rest -= along @ basis
            row[: self._rank] += along
        remains = np.linalg.norm(rest)
        if remains > _NEW * length and self._rank < len(rest):
            if self._rank == len(self._basis):
                self._basis = np.pad(self._basis, ((0, self._rank), (0, 0)))
                self._coordinates = np.pad(self._coordinates, ((0, 0), (0, self._rank)))
                row = self._coordinates[self._size]  # `pad` has made a copy
            self._basis[self._rank] = rest / remains
            row[self._rank] = remains
            self._rank += 1
        self._size += 1
        self.weights = np.append(self.weights, 0.0)

    def solve(self):
        """Bring `normal`, `margin` and `weights` up to date."""
        if self._rank == 0:  # nothing but the origin
            self.normal[:], self.margin = 0.0, 0.0
            self.weights[0] = 1.0
            return
        points = np.ascontiguousarray(self._coordinates[: self._size, : self._rank])
        nearest, self.weights, _ = self._hull.nearest(points)
        self.margin = float(np.linalg.norm(nearest))
        if self.margin > 0.0:
            self.normal = (nearest / self.margin) @ self._basis[: self._rank]
            self.normal /= np.linalg.norm(self.normal)  # the basis is orthonormal but for rounding
        else:
            self.normal = np.zeros(len(self.normal))

    def core(self):
        """Return the positions (s,) of the points that bear weight; the others change nothing."""
        return np.flatnonzero(self.weights > TIED)
