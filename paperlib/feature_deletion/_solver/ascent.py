"""The dual's step of `first_order`: a pass over the rows, each of which is projected by itself."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.feature_deletion._solver.pairs import Pairs
from paperlib.feature_deletion._solver.row_projection import project


class Dual(NamedTuple):
    """The weights of the examples, and of their features, for each pair; or the sums of both."""

    alpha: np.ndarray
    r: np.ndarray


class Problem(NamedTuple):
    """Data of a pass over the rows."""

    pairs: Pairs
    kept: np.ndarray  # of each row, the value that the budget does not cover
    unused: np.ndarray  # of each row, the value of the features that are zero


class Primal(NamedTuple):
    """A classifier."""

    w: np.ndarray
    b: float


@jit(error_model="numpy")
def ascend(first, last, problem, to, step, dual, sums, lam, slope):
    """Take the dual's step in the rows from `first` to `last`, for the classifier `to`.

    Adds the new point to `sums` and, times the rows' weights, to `slope`; returns the weighted ``sum_i y_i
    alpha_i``.
    """
    pairs = problem.pairs
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    weights, widest = pairs.weights, 0
    for i in range(first, last):
        widest = max(widest, start[i + 1] - start[i])
    values = np.empty(widest)
    balance = 0.0
    for i in range(first, last):
        size = start[i + 1] - start[i]
        # A view: step and projection change the dual itself.
        row = dual.r[start[i] : start[i + 1]]
        for k in range(size):
            j = column[start[i] + k]
            values[k] = v[j]
            row[k] += step * (pairs.price * v[j] - g[start[i] + k] * to.w[j])
        alpha = dual.alpha[i] + step * (pairs.price * problem.unused[i] - signs[i] * to.b)
        alpha, lam[i] = project(alpha, row, values[:size], problem.kept[i], lam[i])
        dual.alpha[i] = alpha
        sums.alpha[i] += alpha
        balance += signs[i] * alpha * weights[i]
        for k in range(size):
            sums.r[start[i] + k] += row[k]
            slope[column[start[i] + k]] += g[start[i] + k] * row[k] * weights[i]
    return balance
