"""Margins of many rows to one hyperplane, in one reading of each row.

The data are read as they lie: signed points are never formed. Sums run in the order that fills the vector
registers; their error is that of any order, at most d roundings of ``||w|| ||x||``.
"""

import math

import numpy as np

from paperlib._common.jit import jit


@jit(fastmath={"reassoc", "contract"})
def margins_and_norms(X, signs, w, b, margins, norms):
    """Fill ``margins[i] = +-(<w, X[i]> + b)``, infinity for sign 0, and ``norms[i] = ||X[i]||``.

    Of a number in `signs` only the sign matters, here and below.
    """
    for i in range(X.shape[0]):
        score, squared = 0.0, 0.0
        for k in range(X.shape[1]):
            value = np.float64(X[i, k])
            score += value * w[k]
            squared += value * value
        margins[i] = (score + b if signs[i] > 0 else -(score + b)) if signs[i] != 0 else np.inf
        norms[i] = math.sqrt(squared)


@jit(fastmath={"reassoc", "contract"})
def margins_of(X, rows, signs, w, b, out):
    """Fill ``out[j]`` with the margin of row ``rows[j]``, infinity for sign 0."""
    for j in range(len(rows)):
        i = rows[j]
        score = 0.0
        for k in range(X.shape[1]):
            score += np.float64(X[i, k]) * w[k]
        out[j] = (score + b if signs[i] > 0 else -(score + b)) if signs[i] != 0 else np.inf


@jit
def step_of(share):
    """Return a whole number from 1 to 127 that never falls as `share` grows: eight steps to a power of two.

    A share up to 2^-14 is 1, one from 4 on 127; NaN is 1.
    """
    if not share > 2.0**-14:
        return 1
    if share >= 4.0:
        return 127
    # The mantissa is from 1/2 up to 1, so that int(16 mantissa) is from 8 to 15; the least exponent is -13.
    mantissa, exponent = math.frexp(share)
    return min(127, 8 * (exponent + 13) + int(16.0 * mantissa) - 7)


@jit
def keep_steps(margins, norms, ceiling, codes, counts):
    """Keep in ``|codes[i]|`` how far the unit normal may move before row `i` comes down to `ceiling`.

    The sign of a code is that of its row; `counts` (128,) is how many rows have each step.
    """
    for i in range(len(codes)):
        if codes[i] != 0:
            above = margins[i] - ceiling
            # Compared before it is divided, as a norm may be zero.
            step = 127 if above >= 4.0 * norms[i] and above > 0.0 else 1
            if step == 1 and above > 0.0:
                step = step_of(above / norms[i])
            counts[step] += 1
            codes[i] = step if codes[i] > 0 else -step


@jit
def up_to_step(codes, step, rows):
    """Put into `rows` the positions of codes from 1 to `step` in size; return how many."""
    count = 0
    for i in range(len(codes)):
        # `step_of` never falls, so that a row that may have come down has a step up to that of the move.
        if codes[i] != 0 and -step <= codes[i] <= step:
            rows[count] = i
            count += 1
    return count
