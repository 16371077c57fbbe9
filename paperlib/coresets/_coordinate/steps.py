"""Dual coordinate steps over the rows of a matrix, and the sums that certify what they found.

The dual of ``min ||w||^2 / 2 + sum_i C_i xi_i`` under ``<w, z_i> >= 1 - xi_i`` is to maximise
``sum_i a_i - ||sum_i a_i z_i||^2 / 2`` over ``0 <= a_i <= C_i``; a hard margin has ``C_i`` infinite. The
steps are those of C.-J. Hsieh et al., "A Dual Coordinate Descent Method for Large-scale Linear
SVM", ICML 2008.

The signed points are ``z_i = factors[i] (x_i, constant)``, and ``w`` (d + 1,) is ``sum_i a_i z_i``. A dense
``X`` (n, d) is C-contiguous, float64 or float32. Row `i` of a CSR matrix has its values, none in a column
twice, at ``starts[i]:starts[i + 1]``. Its columns are read as unsigned numbers, because none of them counts
from the end, and a row is taken as a slice, because numba then reads as fast as C does.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.rounding import TIED


@jit
def along(a, margin, squared, box):
    """Return the best weight of one point, from weight `a`; its squared length is `squared`.

    A margin that is 1 but for rounding leaves it as it is, so that a point that lies there without any weight
    gets none on every processor.
    """
    slope = margin - 1.0
    if abs(slope) <= TIED:
        return a
    if squared > 0.0:
        return min(box, max(0.0, a - slope / squared))
    return box if slope < 0.0 else 0.0


# Inlined, or its sums may be rounded otherwise in a process that loads it than in the one that compiles.
@jit(fastmath={"reassoc", "contract"}, forceinline=True)
def _dot(row, w):
    total = 0.0
    for k in range(len(row)):
        total += np.float64(row[k]) * w[k]
    return total


@jit
def dense_squared_norms(X, constant, out):
    """Fill ``out[i]`` with ``||(x_i, constant)||^2``."""
    for i in range(len(out)):
        total = constant * constant
        for value in X[i]:
            total += np.float64(value) * np.float64(value)
        out[i] = total


@jit
def dense_coordinate_steps(X, order, factors, squared, box, a, w, constant):
    """Maximise the dual over ``a[i]`` alone, for each `i` of `order` in turn; return how many changed.

    ``w = sum_i a_i z_i`` remains true throughout.
    """
    changed = 0
    for i in order:
        row = X[i]
        margin = factors[i] * (_dot(row, w) + constant * w[-1])
        new = along(a[i], margin, squared[i], box[i])
        if new != a[i]:
            step = factors[i] * (new - a[i])
            a[i] = new
            for k in range(len(row)):
                w[k] += step * np.float64(row[k])
            w[-1] += constant * step
            changed += 1
    return changed


@jit
def dense_combination(X, factors, a, w, constant):
    """Fill `w` with ``sum_i a_i z_i``."""
    w[:] = 0.0
    for i in range(len(a)):
        if a[i] > 0.0:
            row, step = X[i], factors[i] * a[i]
            for k in range(len(row)):
                w[k] += step * np.float64(row[k])
            w[-1] += constant * step


@jit
def dense_margins(X, factors, w, constant, out):
    """Fill ``out[i] = <w, z_i>``, infinity where the factor is zero."""
    for i in range(len(out)):
        out[i] = factors[i] * (_dot(X[i], w) + constant * w[-1]) if factors[i] != 0.0 else np.inf


@jit
def sparse_squared_norms(starts, columns, values, constant, out):
    """Fill ``out[i]`` with ``||(x_i, constant)||^2``."""
    for i in range(len(out)):
        total = constant * constant
        for value in values[starts[i] : starts[i + 1]]:
            total += np.float64(value) * np.float64(value)
        out[i] = total


@jit
def sparse_coordinate_steps(starts, columns, values, order, factors, squared, box, a, w, constant):
    """Maximise the dual over ``a[i]`` alone, for each `i` of `order` in turn; return how many changed.

    ``w = sum_i a_i z_i`` remains true throughout.
    """
    changed = 0
    for i in order:
        where, row = columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        score = constant * w[-1]
        for k in range(len(row)):
            score += np.float64(row[k]) * w[np.uint64(where[k])]
        new = along(a[i], factors[i] * score, squared[i], box[i])
        if new != a[i]:
            step = factors[i] * (new - a[i])
            a[i] = new
            for k in range(len(row)):
                w[np.uint64(where[k])] += step * np.float64(row[k])
            w[-1] += constant * step
            changed += 1
    return changed


@jit
def sparse_combination(starts, columns, values, factors, a, w, constant):
    """Fill `w` with ``sum_i a_i z_i``."""
    w[:] = 0.0
    for i in range(len(a)):
        if a[i] > 0.0:
            where, row = columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
            step = factors[i] * a[i]
            for k in range(len(row)):
                w[np.uint64(where[k])] += step * np.float64(row[k])
            w[-1] += constant * step


@jit
def sparse_margins(starts, columns, values, factors, w, constant, out):
    """Fill ``out[i] = <w, z_i>``, infinity where the factor is zero."""
    for i in range(len(out)):
        where, row = columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        score = constant * w[-1]
        for k in range(len(row)):
            score += np.float64(row[k]) * w[np.uint64(where[k])]
        out[i] = factors[i] * score if factors[i] != 0.0 else np.inf


class Kernels(NamedTuple):
    """The kernels for the rows of a dense matrix, ``X``, or of a CSR one, ``starts, columns, values``."""

    squared_norms: Callable[..., None]
    steps: Callable[..., int]
    combination: Callable[..., None]
    margins: Callable[..., None]


DENSE = Kernels(dense_squared_norms, dense_coordinate_steps, dense_combination, dense_margins)
SPARSE = Kernels(sparse_squared_norms, sparse_coordinate_steps, sparse_combination, sparse_margins)
