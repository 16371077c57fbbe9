"""Blocks of the Gaussian kernel's matrix by a matrix product, for points not far from each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from paperlib._common.kernels import Gaussian
from paperlib._common.typing import Floats
from paperlib.coresets._solver.planes import WithConstant

NEAR = 64.0  # ``gamma ||x - centre||^2``: above it the product loses digits, and differences are formed
BLOCK = 1 << 18  # numbers of a block: 2 MB


@dataclass(frozen=True)
class NearGaussian:
    """The matrix of `kernel`, a `Gaussian`, to within 1e-15 times one and the largest of ``NEAR``."""

    kernel: Gaussian
    centre: Floats

    def matrix(self, A, B):
        gamma = self.kernel.gamma
        with np.errstate(over="ignore", invalid="ignore"):
            a, b = A - self.centre, B - self.centre
            of_a, of_b = (gamma * np.einsum("ij,ij->i", each, each) for each in (a, b))
        if not max(of_a.max(initial=0.0), of_b.max(initial=0.0)) <= NEAR:
            return self.kernel.matrix(A, B)
        b *= 2.0 * gamma
        values = a @ b.T
        values -= of_a[:, None]
        values -= of_b
        np.minimum(values, 0.0, out=values)  # of a distance of zero rounding may leave less
        return np.exp(values, out=values)


def with_products(kernel, rows):
    """Return an object with the ``matrix`` of `kernel`, faster where it can be; `rows` (m, d) are data."""
    if isinstance(kernel, WithConstant):
        return WithConstant(with_products(kernel.kernel, rows))
    return NearGaussian(kernel, rows.mean(axis=0)) if isinstance(kernel, Gaussian) else kernel


def fill(kernel: Any, A: Floats, B: Floats, out: Floats) -> None:
    """Fill `out` (a, b) with the kernel matrix of `A` (a, d) and `B` (b, d), a block at a time."""
    step = max(1, BLOCK // max(1, len(A)))
    for start in range(0, len(B), step):
        here = slice(start, start + step)
        out[:, here] = kernel.matrix(A, B[here])
