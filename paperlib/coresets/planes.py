"""Hyperplanes through the origin of the feature space, and the coresets that they come from."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from paperlib.coresets.minnorm import ORIGIN, min_norm_point

ORIGIN_KERNEL = 1e-6  # a Gram matrix knows lengths to the square root of rounding only
_DEPENDENT = 1e-14  # of its squared length: what a point must add to the span of the others


@dataclass(frozen=True)
class LinearPlane:
    """``<w, x> + b``, with ``||(w, b)|| = 1``; `normal` is ``(w, b)``, or ``w`` where there is no `b`."""

    normal: np.ndarray
    w: np.ndarray
    b: float

    def scores(self, rows):
        return rows @ self.w + self.b


@dataclass(frozen=True)
class KernelPlane:
    """``sum_j weights[j] K(points[j], x)``, of unit norm; `normal` is in coordinates of its coreset."""

    normal: np.ndarray
    kernel: object
    points: np.ndarray
    weights: np.ndarray

    def scores(self, rows):
        return self.kernel.sums(rows, self.points, self.weights)


def distance(plane, other):
    """How far apart two unit normals are; coordinates that one of them lacks are zero."""
    a, b = plane.normal, other.normal
    if len(a) > len(b):
        a, b = b, a
    return float(np.hypot(np.linalg.norm(a - b[: len(a)]), np.linalg.norm(b[len(a) :])))


class Coreset:
    """Points taken so far, and the hyperplane of largest margin to them (``SVM(C)`` in Figure 1).

    Attributes
    ----------
    indices : list of int
    margin : float
        Of the coreset: no hyperplane has a larger one, on these points or on data that hold them.
    separable : bool
        Whether the hull of the signed points keeps off the origin.
    plane : the hyperplane, of the last separable coreset; None before the first.
    path : list of float, the margin after each solving
    """

    origin = ORIGIN

    def __init__(self):
        self.indices, self.path = [], []
        self._members = set()
        self.dual = np.zeros(0)
        self.margin, self.separable, self.plane = np.inf, True, None
        self.radius = 0.0

    def __len__(self):
        return len(self.indices)

    def new(self, indices):
        """Which of these row numbers are not in it yet, as a mask."""
        return np.array([i not in self._members for i in indices.tolist()], dtype=bool)

    def add(self, indices, rows, signs):
        """Take in points that are not in it yet, and find the hyperplane."""
        self.indices += indices.tolist()
        self._members.update(indices.tolist())
        self._append(np.asarray(rows, dtype=np.float64), signs)
        x, self.dual, _ = min_norm_point(self._points(), np.append(self.dual, np.zeros(len(indices))))
        self.margin = float(np.linalg.norm(self.dual @ self._points()))
        self.separable = bool(np.linalg.norm(x) > self.origin * self.radius)
        self.path.append(self.margin)
        if self.separable:
            self.plane = self._plane(x)

    def support(self):
        """Positions, in `indices`, of the points whose hull holds the nearest point."""
        return np.flatnonzero(self.dual > 0)


class _Rows:
    """An array that rows are appended to, with room to spare."""

    def __init__(self, width):
        self._held, self.count = np.zeros((16, width)), 0

    def append(self, rows, width=None):
        count, width = self.count + len(rows), max(width or 0, self._held.shape[1])
        if count > len(self._held) or width > self._held.shape[1]:
            grown = np.zeros((max(len(self._held), 2 * count), width))
            grown[: self.count, : self._held.shape[1]] = self.rows
            self._held = grown
        self._held[self.count : count, : rows.shape[1]] = rows
        self.count = count

    @property
    def rows(self):
        return self._held[: self.count]


class LinearCoreset(Coreset):
    """In the space of the data itself, with a constant feature one where there is an intercept."""

    def __init__(self, n_features, intercept=False):
        super().__init__()
        self.n_features, self.intercept = n_features, intercept
        self._signed = _Rows(n_features + intercept)

    def _append(self, rows, signs):
        rows = np.column_stack([rows, np.ones(len(rows))]) if self.intercept else rows
        self._signed.append(signs[:, None] * rows)
        self.radius = max(self.radius, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())))

    def _points(self):
        return self._signed.rows

    def _plane(self, x):
        normal = x / np.linalg.norm(x)
        w, b = normal[: self.n_features], normal[self.n_features :].sum()
        return LinearPlane(normal, np.ascontiguousarray(w), float(b))

    def norms(self, rows):
        """Of rows of the data, in the space of the normals."""
        return np.sqrt(np.einsum("ij,ij->i", rows, rows) + self.intercept)

    def some_plane(self, found):
        """A hyperplane for data that have none: of a point found, or where that is zero, of all ones."""
        x = (found.signs[:, None] * found.rows).sum(axis=0)
        x = np.append(x, np.zeros(self.intercept))
        return self._plane(x if x.any() else np.ones(len(x)))


class KernelCoreset(Coreset):
    """In the span of the coreset, with coordinates from the Cholesky factor of its Gram matrix."""

    origin = ORIGIN_KERNEL

    def __init__(self, kernel, n_features):
        super().__init__()
        self.kernel = kernel
        self._data, self._signed, self._signs = _Rows(n_features), _Rows(1), np.zeros(0)
        self._basis, self._factor = [], _Rows(1)  # members that span it, and their coordinates

    def _append(self, rows, signs):
        for row, sign in zip(rows, signs):
            point, rank = row[None], len(self._basis)
            squared = float(self.kernel.diagonal(point)[0])
            coordinates = np.zeros(rank + 1)
            if rank:
                products = self.kernel.matrix(point, self._data.rows[self._basis])[0]
                factor = self._factor.rows[:, :rank]
                coordinates[:rank] = solve_triangular(factor, products, lower=True, check_finite=False)
            rest = squared - coordinates @ coordinates
            if rest < -1e-9 * abs(squared):
                raise ValueError(f"kernel must be positive semidefinite, got a squared length of {rest:.3g}")
            if rest > _DEPENDENT * squared:
                coordinates[rank] = np.sqrt(rest)
                self._basis.append(self._data.count)
                self._factor.append(coordinates[None], rank + 1)
            rank = max(1, len(self._basis))
            self._data.append(point)
            self._signed.append(sign * coordinates[None, :rank], rank)
            self._signs = np.append(self._signs, sign)
            self.radius = max(self.radius, float(np.sqrt(squared)))

    def _points(self):
        return np.ascontiguousarray(self._signed.rows[:, : max(1, len(self._basis))])

    def _plane(self, x):
        held = self.support()
        weights = (self.dual * self._signs)[held] / self.margin
        normal = self.dual @ self._points() / self.margin
        return KernelPlane(normal, self.kernel, self._data.rows[held].copy(), weights)

    def norms(self, rows):
        return np.sqrt(self.kernel.diagonal(rows))

    def some_plane(self, found):
        """A hyperplane for data that have none: of no length when the point found has none."""
        length = self.norms(found.rows)
        weights = np.divide(found.signs, length, out=np.zeros(len(length)), where=length > 0)
        return KernelPlane(np.zeros(1), self.kernel, found.rows, weights)


@dataclass(frozen=True)
class WithConstant:
    """A kernel whose feature space has one more coordinate, which is one for every point."""

    kernel: object

    def matrix(self, A, B):
        return self.kernel.matrix(A, B) + 1.0

    def diagonal(self, A):
        return self.kernel.diagonal(A) + 1.0

    def sums(self, A, B, weights):
        return self.kernel.sums(A, B, weights) + weights.sum()
