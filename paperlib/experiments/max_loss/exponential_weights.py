"""Players of p that look at all m weights in every round; what the sum tree spares."""

import math

import numpy as np

from paperlib._common.jit import jit


@jit(error_model="numpy")
def cumulative_draw(weights, sums, u, uniform_share):
    """Return ``(i, p_i)`` by the cumulative sum of all weights and a search in it."""
    m = len(weights)
    total = 0.0
    for j in range(m):
        total += weights[j]
        sums[j] = total
    if u < uniform_share:
        i = min(np.int64(u / uniform_share * m), m - 1)
    else:
        i = min(
            np.searchsorted(sums, (u - uniform_share) / (1.0 - uniform_share) * total, side="right"), m - 1
        )
    return i, uniform_share / m + (1.0 - uniform_share) * weights[i] / total


@jit(error_model="numpy")
def exp3_draw(logs, weights, u, uniform_share):
    """Return ``(i, p_i)``, drawn from ``(1 - uniform_share) softmax(logs) + uniform_share / m``.

    `weights` (m,) is overwritten by the softmax, up to its sum.
    """
    m = len(logs)
    top = logs.max()  # the largest weight is then 1, and the sum neither overflows nor vanishes
    total = 0.0
    for j in range(m):
        weights[j] = math.exp(logs[j] - top)
        total += weights[j]
    chosen, passed = m - 1, 0.0
    for j in range(m):
        passed += (1.0 - uniform_share) * weights[j] / total + uniform_share / m
        if u < passed:
            chosen = j
            break
    return chosen, (1.0 - uniform_share) * weights[chosen] / total + uniform_share / m


@jit(error_model="numpy")
def exp3_update(i, gain, p, logs, weights, uniform_share, alpha, rounds):
    """EXP3.P: all logarithms grow by ``uniform_share / (3 m) (x_j + alpha / (p_j sqrt(m T)))``.

    There, x_j is the estimated gain, and `weights` is the softmax of `exp3_draw`, not divided by its sum.
    """
    m = len(logs)
    # `weights` are still those that the draw was made with; alpha / p_j is the bonus that makes the regret
    # hold with high probability.
    total = weights.sum()
    spread = alpha / math.sqrt(m * rounds)
    for j in range(m):
        p_j = (1.0 - uniform_share) * weights[j] / total + uniform_share / m
        logs[j] += uniform_share / (3.0 * m) * ((gain / p if j == i else 0.0) + spread / p_j)


@jit(error_model="numpy")
def sublinear_round(X, y, w, logs, us, eta, row_sum):
    """A round of the sublinear perceptron of Clarkson, Hazan and Woodruff, in place.

    `row_sum` holds ``sum of y_i x_i / sqrt(2 T)`` of the rows drawn so far, whose projection on the unit ball
    is w; one coordinate of w, drawn by its square, gives every row an unbiased estimate of its margin,
    clipped at ``1 / eta``.
    """
    m, d = X.shape
    top = logs.max()
    weights = np.exp(logs - top)
    target = us[0] * weights.sum()
    i, passed = m - 1, 0.0
    for j in range(m):
        passed += weights[j]
        if target < passed:
            i = j
            break
    scale = us[2]
    for j in range(d):
        row_sum[j] += y[i] * X[i, j] * scale
    norm = math.sqrt((row_sum * row_sum).sum())
    for j in range(d):
        w[j] = row_sum[j] / max(1.0, norm)
    square = (w * w).sum()
    target = us[1] * square
    c, passed = d - 1, 0.0
    for j in range(d):
        passed += w[j] * w[j]
        if target < passed:
            c = j
            break
    if w[c] == 0.0:
        return
    # Coordinate c has probability w_c^2 / |w|^2, so that x_c |w|^2 / w_c is <w, x> in the mean.
    factor = square / w[c]
    for j in range(m):
        v = min(max(y[j] * X[j, c] * factor, -1.0 / eta), 1.0 / eta)
        logs[j] += math.log(1.0 - eta * v + eta * eta * v * v)
