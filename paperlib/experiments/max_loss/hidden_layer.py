"""A network of one hidden layer, and its gradient, with the hidden units innermost.

Every inner loop runs over the hidden units, whose sums are independent of each other: LLVM turns it into
vector instructions without changing the order of a sum, so results are the same bits on every processor.
Nothing here may use fastmath, for the same reason. Pixels that are zero, most of a digit, cost nothing.
All numbers are of single precision.
"""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.validation import check_number


class HiddenWeights(NamedTuple):
    """Weights of the network, or gradients by them, of single precision.

    Attributes
    ----------
    hidden : ndarray of shape (n_inputs, n_hidden)
    hidden_bias : ndarray of shape (n_hidden,)
    last : ndarray of shape (2, n_hidden)
    last_bias : ndarray of shape (2,)
    """

    hidden: np.ndarray
    hidden_bias: np.ndarray
    last: np.ndarray
    last_bias: np.ndarray


def initial_weights(n_inputs=196, n_hidden=48, *, seed=0):
    """Return random weights, uniform within one over the root of the number of inputs, as PyTorch has them.

    Parameters
    ----------
    n_inputs, n_hidden : int >= 1
    seed : int

    Returns
    -------
    HiddenWeights

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> sum(each.size for each in initial_weights())
    9554
    """
    n_inputs = check_number(n_inputs, "n_inputs", low=1, integer=True)
    n_hidden = check_number(n_hidden, "n_hidden", low=1, integer=True)
    rng = np.random.default_rng(seed)

    def uniform(shape, n):
        return ((2.0 * rng.random(shape) - 1.0) / math.sqrt(n)).astype(np.float32)

    return HiddenWeights(
        uniform((n_inputs, n_hidden), n_inputs),
        uniform(n_hidden, n_inputs),
        uniform((2, n_hidden), n_hidden),
        uniform(2, n_hidden),
    )


@jit
def outputs(weights, X, chosen):
    """Return the rectified hidden units (k, n_hidden) and the scores (2, k) of the rows that are `chosen`."""
    hidden = np.empty((len(chosen), weights.hidden.shape[1]), np.float32)
    scores = np.empty((2, len(chosen)), np.float32)
    # A plain 0.0 is a double to numba, and would make doubles of the units that are compared with it.
    lit, zero = np.empty(X.shape[1], np.int64), np.float32(0.0)
    for k in range(len(chosen)):
        row, units = X[chosen[k]], hidden[k]
        for h in range(len(units)):
            units[h] = weights.hidden_bias[h]
        add_rows(units, row, weights.hidden, lit, nonzero(row, lit))
        # The only sums along the units: in order, not in vectors, and as doubles with little rounding.
        first, second = np.float64(weights.last_bias[0]), np.float64(weights.last_bias[1])
        for h in range(len(units)):
            units[h] = units[h] if units[h] > zero else zero
            first += weights.last[0, h] * units[h]
            second += weights.last[1, h] * units[h]
        scores[0, k], scores[1, k] = first, second
    return hidden, scores


@jit
def gradients(weights, X, chosen, hidden, slopes):
    """Return the gradient of the mean loss by all weights, given that by the scores (2, k)."""
    found = HiddenWeights(
        np.zeros_like(weights.hidden),
        np.zeros_like(weights.hidden_bias),
        np.zeros_like(weights.last),
        np.zeros_like(weights.last_bias),
    )
    zero = np.float32(0.0)
    lit, slope = np.empty(X.shape[1], np.int64), np.empty_like(weights.hidden_bias)
    for k in range(len(chosen)):
        # Slopes are those of the mean loss: no sum below is divided by the batch.
        row, first, second = X[chosen[k]], slopes[0, k], slopes[1, k]
        for h in range(len(slope)):
            unit = hidden[k, h]
            found.last[0, h] += first * unit
            found.last[1, h] += second * unit
            through = first * weights.last[0, h] + second * weights.last[1, h]
            # Rectified units are above zero just where something passed them.
            slope[h] = through if unit > zero else zero
            found.hidden_bias[h] += slope[h]
        found.last_bias[0] += first
        found.last_bias[1] += second
        for at in lit[: nonzero(row, lit)]:
            value, target = row[at], found.hidden[at]
            for h in range(len(slope)):
                target[h] += value * slope[h]
    return found


@jit
def nonzero(row, places):
    """Write the places of the entries of `row` that are not zero into `places`, and return how many."""
    n = 0
    for j in range(len(row)):
        # No branch: the place of a zero is written, too, but not counted. As n <= j, there is room.
        places[n] = j
        n += row[j] != 0
    return n


@jit
def add_rows(target, factors, rows, places, n):
    """``target += sum_j factors[j] * rows[j]`` over the first n `places` j."""
    # Four at a time, so that `target` is read and written less often.
    i = 0
    while i + 4 <= n:
        a, b, c, d = places[i], places[i + 1], places[i + 2], places[i + 3]
        fa, fb, fc, fd = factors[a], factors[b], factors[c], factors[d]
        ra, rb, rc, rd = rows[a], rows[b], rows[c], rows[d]
        for h in range(len(target)):
            # The four are summed before `target` is: another order would give other bits.
            target[h] += ((fa * ra[h] + fb * rb[h]) + fc * rc[h]) + fd * rd[h]
        i += 4
    while i < n:
        factor, row = factors[places[i]], rows[places[i]]
        for h in range(len(target)):
            target[h] += factor * row[h]
        i += 1
