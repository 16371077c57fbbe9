"""The update rules of the learners that the paper compares with, one pass at a time or one point at a time.

All of them look for a hyperplane through the origin with all signed points ``z_i = y_i x_i`` on its positive
side. None of them checks its input; `baselines` does.
"""

import math

import numpy as np

from paperlib._common.jit import jit


@jit
def perceptron_pass(points, w):
    """Rosenblatt's rule, in place: ``w += z`` where ``<w, z> <= 0``. Return the number of updates.

    Each adds at most ``||z||^2`` to ``||w||^2`` and at least rho to ``<w, optimum>``: few can be made.
    """
    updates = 0
    for i in range(len(points)):
        if np.dot(w, points[i]) <= 0.0:
            w += points[i]
            updates += 1
    return updates


@jit
def nearest_on_segment(w, z):
    """Move w, in place, to the point of the segment from w to z that is nearest to the origin.

    So w stays in the hull of the points, and ``||w||`` is never below the largest margin.
    """
    difference = w - z
    squared = np.dot(difference, difference)
    if squared > 0.0:
        step = min(1.0, max(0.0, np.dot(w, difference) / squared))
        w -= step * difference


@jit
def romma_pass(points, squares, w, eps):
    """Aggressive ROMMA, in place: where ``<w, z> < 1 - eps``, the shortest w with ``<w, z> >= 1`` and
    ``<w_old, w> >= ||w_old||^2``.

    The old constraint stands for all points before, so that ``||w||`` rises and never passes ``1 / rho``.
    Return the number of updates, or -1 where no such w is left: the points are not separable.
    """
    updates = 0
    for i in range(len(points)):
        z, square = points[i], squares[i]
        product = np.dot(w, z)
        if product >= 1.0 - eps:
            continue
        if square == 0.0:
            return -1
        length = np.dot(w, w)
        if product >= length * square:  # z alone: its own shortest w meets the old constraint
            for j in range(len(w)):
                w[j] = z[j] / square
        else:
            apart = square * length - product * product
            if apart <= 1e-15 * square * length:
                return -1
            w *= (square * length - product) / apart
            w += (length * (1.0 - product) / apart) * z
        updates += 1
    return updates


@jit
def alma_pass(points, w, alpha, k):
    """ALMA_2 of Gentile, in place, on points of norm at most 1. Return k, one more than the updates so far.

    Where ``<w, z> <= (1 - alpha) B / sqrt(k)`` it adds ``sqrt(2 / k) z`` and pulls w back into the unit ball;
    ``B = sqrt(8) / alpha``. The margin that is asked for falls with k, until every point has it.
    """
    for i in range(len(points)):
        if np.dot(w, points[i]) <= (1.0 - alpha) * math.sqrt(8.0 / k) / alpha:
            w += math.sqrt(2.0 / k) * points[i]
            length = math.sqrt(np.dot(w, w))
            if length > 1.0:
                w /= length
            k += 1
    return k
