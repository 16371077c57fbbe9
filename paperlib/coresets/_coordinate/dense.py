"""Dual coordinate steps over the rows of a dense matrix, and the sums that certify what they found.

``X`` (n, d) is C-contiguous, float64 or float32. The signed points are ``z_i = factors[i] (x_i, constant)``,
and ``w`` (d + 1,) is ``sum_i a_i z_i``. `sparse.py` has the same four kernels.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._coordinate.maximum import along


# Inlined, or its sums may be rounded otherwise in a process that loads it than in the one that compiles.
@jit(fastmath={"reassoc", "contract"}, forceinline=True)
def _dot(row, w):
    total = 0.0
    for k in range(len(row)):
        total += np.float64(row[k]) * w[k]
    return total


@jit
def squared_norms(X, constant, out):
    """Fill ``out[i]`` with ``||(x_i, constant)||^2``."""
    for i in range(len(out)):
        total = constant * constant
        for value in X[i]:
            total += np.float64(value) * np.float64(value)
        out[i] = total


@jit
def steps(X, order, factors, squared, box, a, w, constant):
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
def combination(X, factors, a, w, constant):
    """Fill `w` with ``sum_i a_i z_i``."""
    w[:] = 0.0
    for i in range(len(a)):
        if a[i] > 0.0:
            row, step = X[i], factors[i] * a[i]
            for k in range(len(row)):
                w[k] += step * np.float64(row[k])
            w[-1] += constant * step


@jit
def margins(X, factors, w, constant, out):
    """Fill ``out[i] = <w, z_i>``, infinity where the factor is zero."""
    for i in range(len(out)):
        out[i] = factors[i] * (_dot(X[i], w) + constant * w[-1]) if factors[i] != 0.0 else np.inf
