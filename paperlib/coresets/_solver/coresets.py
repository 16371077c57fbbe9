"""Hyperplanes, and coresets with the one of largest margin, in the space of the data or of a kernel."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpstrf

from paperlib._common.rounding import TIED
from paperlib._common.typing import Floats
from paperlib.coresets._search.inputs import SMALLEST
from paperlib.coresets._solver.hull import GrowingHull
from paperlib.coresets._solver.wolfe import ORIGIN

ORIGIN_KERNEL = 1e-6  # a Gram matrix knows lengths to the square root of rounding only
_DEPENDENT = 1e-14  # of the largest squared length: what a point must add to the span of the others
_KNOWN = 2e-8  # square root of rounding


@dataclass(frozen=True)
class LinearPlane:
    """``<w, x> + b``, with ``||(w, b)|| = 1``; `normal` is ``(w, b)``, or ``w`` where there is no `b`."""

    normal: Floats
    w: Floats
    b: float

    def scores(self, rows):
        return rows @ self.w + self.b


@dataclass(frozen=True)
class KernelPlane:
    """``sum_j weights[j] K(points[j], x)``, of unit norm; `normal` is ``(alpha_j)`` over its coreset."""

    normal: Floats
    kernel: Any
    points: Floats
    weights: Floats

    def scores(self, rows):
        return self.kernel.sums(rows, self.points, self.weights)


@dataclass(frozen=True)
class WithConstant:
    """A kernel whose feature space has one more coordinate, which is one for every point."""

    kernel: Any

    def matrix(self, A, B):
        return self.kernel.matrix(A, B) + 1.0

    def diagonal(self, A):
        return self.kernel.diagonal(A) + 1.0

    def sums(self, A, B, weights):
        return self.kernel.sums(A, B, weights) + weights.sum()


def required(margin, eps):
    """Return the margin that is within ``1 - eps`` of `margin`, less what rounding may take."""
    return (1.0 - TIED) * (1.0 - eps) * margin


class Coreset(ABC):
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

    def __init__(self) -> None:
        self.indices: list[int] = []
        self.path: list[float] = []
        self._members: set[int] = set()
        self._hull, self.dual = GrowingHull(), np.zeros(0)
        self.margin, self.separable = np.inf, True
        self.plane: LinearPlane | KernelPlane | None = None
        self.radius = 0.0

    def __len__(self):
        return len(self.indices)

    def new(self, indices):
        """Mask of the row numbers that are not in it yet."""
        return np.array([i not in self._members for i in indices.tolist()], dtype=bool)

    def add(self, indices, rows, signs):
        """Take in points that are not in it yet, and find the hyperplane."""
        self.indices += indices.tolist()
        self._members.update(indices.tolist())
        self._append(np.asarray(rows, dtype=np.float64), signs)
        x, self.dual, _ = self._hull.nearest(self._points())
        self.margin = self._length()
        # The nearest point by its coordinates, and by its weights: rounded in two ways, both must be off.
        self.separable = min(float(np.linalg.norm(x)), self.margin) > self.origin * self.radius
        self.path.append(self.margin)
        if self.separable:
            self.plane = self._plane(x)

    @abstractmethod
    def check_size(self):
        """Raise ``ValueError`` where lengths were too small to be squared."""

    def support(self):
        """Positions, in `indices`, of the points whose hull holds the nearest point."""
        return np.flatnonzero(self.dual > 0)

    @abstractmethod
    def norms(self, rows):
        """Norms of rows of the data, in the space of the normals."""

    @abstractmethod
    def distances(self, plane, others):
        """Distances of the unit normal of `plane` from those of earlier hyperplanes."""

    @abstractmethod
    def some_plane(self, found):
        """A hyperplane for data that have none."""

    @abstractmethod
    def _append(self, rows, signs):
        """Keep more points."""

    @abstractmethod
    def _points(self):
        """All signed points so far, (k, any), with their true distances from each other."""

    @abstractmethod
    def _length(self):
        """Norm of the combination of the points by `dual`."""

    @abstractmethod
    def _plane(self, x):
        """The hyperplane whose normal is x, in the coordinates of the points."""


class _Rows:
    """An array that rows are appended to, in place until it is full."""

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

    def _length(self):
        return float(np.linalg.norm(self.dual @ self._points()))

    def _plane(self, x):
        normal = x / np.linalg.norm(x)
        w, b = normal[: self.n_features], normal[self.n_features :].sum()
        return LinearPlane(normal, np.ascontiguousarray(w), float(b))

    def check_size(self):
        if self.radius < SMALLEST and self._points().any():
            raise ValueError(
                f"X is too small in size: the lengths of the rows that the hyperplane rests on, such as row "
                f"{self.indices[0]}, must be at least {SMALLEST:g}, so that squares keep their digits; "
                "multiply X by a constant"
            )

    def distances(self, plane, others):
        """Distances of the unit normal of `plane` from those of earlier hyperplanes."""
        apart = np.array([other.normal for other in others]) - plane.normal
        return np.sqrt(np.einsum("ij,ij->i", apart, apart))

    def norms(self, rows):
        """Norms of rows of the data, in the space of the normals."""
        return np.sqrt(np.einsum("ij,ij->i", rows, rows) + self.intercept)

    def some_plane(self, found):
        """A hyperplane for data that have none: of a point found, or where that is zero, of all ones."""
        x = (found.signs[:, None] * found.rows).sum(axis=0)
        x = np.append(x, np.zeros(int(self.intercept)))
        return self._plane(x if x.any() else np.ones(len(x)))


class KernelCoreset(Coreset):
    """In the span of the coreset, with coordinates from the pivoted Cholesky factor of its Gram matrix."""

    origin = ORIGIN_KERNEL

    def __init__(self, kernel, n_features):
        super().__init__()
        self.kernel = kernel
        self._data, self._signs = np.zeros((0, n_features)), np.zeros(0)
        self._gram = np.zeros((0, 0))  # of the signed points

    def _append(self, rows, signs):
        self.radius = max(self.radius, float(self.norms(rows).max()))
        cross = self._signs[:, None] * self.kernel.matrix(self._data, rows) * signs
        own = signs[:, None] * self.kernel.matrix(rows, rows) * signs
        self._gram = np.block([[self._gram, cross], [cross.T, (own + own.T) / 2.0]])
        self._data, self._signs = np.concatenate([self._data, rows]), np.append(self._signs, signs)

    def _points(self):
        size = np.diagonal(self._gram).max()
        # LAPACK counts rows from one, and leaves what was there above the diagonal and right of the rank.
        factor, order, rank, _ = dpstrf(self._gram, tol=_DEPENDENT * size, lower=1)
        points = np.zeros((len(factor), max(1, rank)))
        points[order - 1, :rank] = np.tril(factor)[:, :rank]
        rest = (np.diagonal(self._gram) - np.einsum("ij,ij->i", points, points)).min()
        # It ends where no diagonal entry is left above `tol`. One far below zero is more than rounding.
        if rest < -1e-6 * size:
            raise ValueError(f"kernel must be positive semidefinite, got a squared length of {rest:.3g}")
        self._hull = GrowingHull(self.dual)  # the coordinates are other ones each time
        return points

    def _length(self):
        return float(np.sqrt(max(0.0, float(self.dual @ self._gram @ self.dual))))

    def _plane(self, x):
        held, normal = self.support(), self.dual / self.margin
        return KernelPlane(normal, self.kernel, self._data[held], (normal * self._signs)[held])

    def check_size(self):
        """No row is refused: kernel values are what is relied on here, not the lengths of rows."""

    def distances(self, plane, others):
        """Distances of the unit normal of `plane` from those of earlier hyperplanes."""
        k = len(plane.normal)
        # Points join at the end: those that came later have weight zero in the normals before.
        apart = plane.normal - np.array(
            [np.pad(other.normal, (0, k - len(other.normal))) for other in others]
        )
        # Scans skip rows by these distances, so that they must not be too short: rounding is added to them.
        squared = np.einsum("ij,ij->i", apart @ self._gram[:k, :k], apart)
        return np.sqrt(np.maximum(squared, 0.0)) + _KNOWN * self.radius * np.abs(apart).sum(axis=1)

    def norms(self, rows):
        """Norms of rows of the data, in the feature space."""
        with np.errstate(over="ignore"):
            squared = self.kernel.diagonal(rows)
        if not np.isfinite(squared).all():
            raise ValueError("kernel must have finite values on the data, got K(x, x) = inf; scale X down")
        if squared.min() < 0:
            raise ValueError(f"kernel must be positive semidefinite, got K(x, x) = {squared.min():.3g}")
        return np.sqrt(squared)

    def some_plane(self, found):
        """A hyperplane for data that have none: of no length when the point found has none."""
        length = self.norms(found.rows)
        weights = np.divide(found.signs, length, out=np.zeros(len(length)), where=length > 0)
        return KernelPlane(np.zeros(0), self.kernel, found.rows, weights)
