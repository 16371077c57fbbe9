"""Both sides of the certificate: Equation (4)'s value at a classifier, and a bound below all values."""

from typing import Any, NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.feature_deletion._deletion.knapsack import fractional


class Solution(NamedTuple):
    """A classifier with its value of Equation (4), and a bound that no classifier's value is below."""

    w: np.ndarray
    b: float
    objective: float
    bound: float
    n_iter: int
    converged: bool
    ended: Any = None  # what a later run may start from


@jit
def objective(pairs, w, b):
    """Return the weighted sum of the losses of Equation (4), by the exact fractional knapsack of each row."""
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    budget, price = pairs.budget, pairs.price
    widest = 0
    for i in range(signs.size):
        widest = max(widest, start[i + 1] - start[i])
    profits, values, taken = np.empty(widest), np.empty(widest), np.empty(widest)
    total = 0.0
    for i in range(signs.size):
        size = start[i + 1] - start[i]
        loss, reach = price * pairs.total_value - signs[i] * b, 0.0
        for k in range(size):
            j = column[start[i] + k]
            x = g[start[i] + k] * w[j]
            loss -= x
            values[k] = v[j]
            profits[k] = x - price * v[j]
            reach += 0.0 if profits[k] <= 0.0 else profits[k]
        # The knapsack is solved only where deleting every profitable feature would leave a loss.
        # Not "> 0": a loss that is NaN is not one of zero.
        if not loss + reach <= 0.0:
            loss += fractional(profits[:size], values[:size], budget, taken[:size])
            total += 0.0 if loss <= 0.0 else loss * pairs.weights[i]
    return total


@jit
def within(x, high):
    """Return the number in [0, high] that is nearest to `x`, and 0 for NaN."""
    return min(x, high) if x > 0.0 else 0.0


@jit
def lower_bound(pairs, box, alpha, e):
    """Return a value that the weighted sum of the losses is not below for any w in the box and any b.

    For any shares ``0 <= alpha <= 1`` of the examples with ``sum y alpha = 0``, and fractions ``0 <= e <=
    alpha`` with ``sum v e <= N alpha`` in each row, the losses are together at least ``price (V sum alpha -
    sum v e) - sum_j C_j |sum_i g (alpha - e)|``, all sums over the examples weighted. What is given, NaN
    included, is made to satisfy that first, on the fly.
    """
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    budget, weights = pairs.budget, pairs.weights
    # Both classes are scaled to the smaller of their sums, so that sum y alpha = 0 and b drops out.
    plus, minus = 0.0, 0.0
    for i in range(signs.size):
        share = within(alpha[i], 1.0)
        if signs[i] > 0.0:
            plus += share * weights[i]
        else:
            minus += share * weights[i]
    smaller = min(plus, minus)
    if smaller <= 0.0:
        return 0.0
    slope = np.zeros(v.size)
    total = 0.0
    for i in range(signs.size):
        share = within(alpha[i], 1.0)
        side = smaller / (plus if signs[i] > 0.0 else minus)
        # To scale a row by `side` does not change whether it keeps to its budget: `fit` is found without it.
        spent = 0.0
        for k in range(start[i], start[i + 1]):
            spent += v[column[k]] * within(e[k], share)
        fit = 1.0 if spent <= budget * share else budget * share / spent
        total += side * (pairs.total_value * share - fit * spent) * weights[i]
        for k in range(start[i], start[i + 1]):
            j = column[k]
            # What costs nothing of the budget need not shrink with the rest.
            part = within(e[k], share) * (fit if v[j] > 0.0 else 1.0)
            slope[j] += g[k] * side * (share - part) * weights[i]
    most = 0.0
    for j in range(v.size):
        # The w in the box that gains most from the slope.
        most += box[j] * abs(slope[j])
    return pairs.price * total - most
