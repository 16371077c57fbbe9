"""Margins of many rows to one hyperplane, in one reading of each row.

The data are read as they lie: signed points are never formed. Sums run in the order that fills the vector
registers; their error is that of any order, at most d roundings of ``||w|| ||x||``.
"""

import math

import numpy as np

from paperlib._common.jit import jit


@jit(fastmath={"reassoc", "contract"})
def margins_and_norms(X, signs, w, b, margins, norms):
    """Fill ``margins[i] = signs[i] (<w, X[i]> + b)``, infinity for sign 0, and ``norms[i] = ||X[i]||``."""
    for i in range(X.shape[0]):
        score, squared = 0.0, 0.0
        for k in range(X.shape[1]):
            value = np.float64(X[i, k])
            score += value * w[k]
            squared += value * value
        margins[i] = signs[i] * (score + b) if signs[i] != 0.0 else np.inf
        norms[i] = math.sqrt(squared)


@jit(fastmath={"reassoc", "contract"})
def margins_of(X, rows, signs, w, b, out):
    """Fill ``out[j]`` with the margin of row ``rows[j]``, infinity for sign 0."""
    for j in range(len(rows)):
        i = rows[j]
        score = 0.0
        for k in range(X.shape[1]):
            score += np.float64(X[i, k]) * w[k]
        out[j] = signs[i] * (score + b) if signs[i] != 0.0 else np.inf


@jit
def may_be_below(margins, norms, stamps, moved, ceiling, rows):
    """Put into `rows` those whose margin may have fallen to `ceiling`; return how many.

    ``margins[i]`` is that to hyperplane number ``stamps[i]``, and ``moved[j]`` is at least how far the unit
    normal has moved since hyperplane `j`: a margin changes by at most the norm of its row times that.
    """
    count = 0
    for i in range(len(margins)):
        if margins[i] - moved[stamps[i]] * norms[i] <= ceiling:
            rows[count] = i
            count += 1
    return count
