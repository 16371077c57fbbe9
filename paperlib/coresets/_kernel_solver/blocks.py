"""Blocks of the Gaussian kernel's matrix by a matrix product, for points not far from each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from paperlib._common.kernels import Gaussian
from paperlib._common.typing import Floats
from paperlib.coresets._solver.coresets import WithConstant

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
    for here in _blocks(len(A), 0, len(B)):
        out[:, here] = kernel.matrix(A, B[here])


def fill_gram(kernel: Any, rows: Floats, signs: Floats, before: int, gram: Floats) -> None:
    """Fill the rest of the Gram matrix of signed points, of which it has that of the first.

    Parameters
    ----------
    rows, signs : ndarrays of shapes (k, d) and (k,)
    before : int
        How many points it has.
    gram : ndarray of shape (k, k)
        Is exactly symmetric then: what is right of a block's diagonal is a copy of what is below.
    """
    k = len(rows)
    for here in (*_blocks(k, 0, before), *_blocks(k - before, before, k)):
        first = max(before, here.start)
        below = kernel.matrix(rows[first:], rows[here]) * signs[here]
        below *= signs[first:, None]
        if here.start >= before:
            corner = below[: here.stop - here.start]
            corner[:] = (corner + corner.T) / 2.0
        gram[first:, here], gram[here, first:] = below, below.T


def _blocks(a: int, start: int, stop: int) -> Iterator[slice]:
    """Parts of some columns of a matrix with `a` rows."""
    step = max(1, BLOCK // max(1, a))
    return (slice(each, min(stop, each + step)) for each in range(start, stop, step))
