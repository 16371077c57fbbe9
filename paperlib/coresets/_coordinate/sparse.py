"""Dual coordinate steps over the rows of a CSR matrix, and the sums that certify what they found.

Row `i` has its values, none in a column twice, at ``starts[i]:starts[i + 1]``. The signed points are
``z_i = factors[i] (x_i, constant)``, and ``w`` (d + 1,) is ``sum_i a_i z_i``. `dense.py` has the same four
kernels. Columns are read as unsigned numbers, because none of them counts from the end, and a row is taken as
a slice, because numba then reads as fast as C does.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.coresets._coordinate.maximum import along


@jit
def squared_norms(starts, columns, values, constant, out):
    """Fill ``out[i]`` with ``||(x_i, constant)||^2``."""
    for i in range(len(out)):
        total = constant * constant
        for value in values[starts[i] : starts[i + 1]]:
            total += np.float64(value) * np.float64(value)
        out[i] = total


@jit
def steps(starts, columns, values, order, factors, squared, box, a, w, constant):
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
def combination(starts, columns, values, factors, a, w, constant):
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
def margins(starts, columns, values, factors, w, constant, out):
    """Fill ``out[i] = <w, z_i>``, infinity where the factor is zero."""
    for i in range(len(out)):
        where, row = columns[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]
        score = constant * w[-1]
        for k in range(len(row)):
            score += np.float64(row[k]) * w[np.uint64(where[k])]
        out[i] = factors[i] * score if factors[i] != 0.0 else np.inf
