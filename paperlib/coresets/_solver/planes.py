"""Hyperplanes through the origin of a feature space, and the kernel of a space with a constant feature."""

from dataclasses import dataclass
from typing import Any

from paperlib._common.typing import Floats


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
