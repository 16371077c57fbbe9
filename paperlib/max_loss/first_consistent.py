"""Loops that look at the iterates as they come: the first that is consistent, and the mean loss of them all.

`points` are the distinct signed rows ``y_i (x_i, bias)`` that a consistent w has on its positive side. All
loops play the rounds of `us` and return how many they played.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.max_loss.perceptron import add, score
from paperlib.max_loss.sumtree import COMPILED, draw, probability, update


@jit(**COMPILED)
def is_consistent(points, w):
    """Return whether all products are above zero."""
    for i in range(len(points)):
        product = 0.0
        for j in range(len(w)):
            product += points[i, j] * w[j]
        if product <= 0.0:
            return False
    return True


@jit(error_model="numpy")
def focused_until(us, eta, gamma, X, y, bias, w, tree, points, mistakes):
    """Rounds of FOL with the Perceptron, until w is consistent. `mistakes` (1,) is counted up."""
    nodes, logs, order, place, counts, scales = tree
    for t in range(len(us)):
        i = draw(us[t], gamma, nodes, order, counts, scales)
        if y[i] * score(X, i, bias, w) > 0.0:
            continue
        mistakes[0] += 1
        add(X, i, bias, y[i], w)
        if gamma < 1.0:
            p = probability(i, gamma, nodes, order, place, counts, scales)
            update(i, eta / p, nodes, logs, order, place, counts, scales)
        if is_consistent(points, w):
            return t + 1
    return len(us)


@jit(error_model="numpy")
def hinge_until(us, rate, X, y, bias, w, points):
    """Rounds of stochastic gradient descent on the hinge loss, uniform draws, until w is consistent."""
    m = len(X)
    for t in range(len(us)):
        i = min(np.int64(us[t] * m), m - 1)
        if y[i] * score(X, i, bias, w) < 1.0:
            add(X, i, bias, rate * y[i], w)
            if is_consistent(points, w):
                return t + 1
    return len(us)


@jit(error_model="numpy")
def focused_losses(us, eta, gamma, X, y, bias, w, tree, losses):
    """Rounds of FOL with the Perceptron. Add to `losses` (m,) those of every iterate before its round.

    The iterate changes with a mistake only, so that all examples are looked at once for each.
    """
    nodes, logs, order, place, counts, scales = tree
    since, mistakes = 0, 0
    for t in range(len(us)):
        i = draw(us[t], gamma, nodes, order, counts, scales)
        if y[i] * score(X, i, bias, w) > 0.0:
            continue
        for j in range(len(X)):
            if y[j] * score(X, j, bias, w) <= 0.0:
                losses[j] += t + 1 - since
        since = t + 1
        mistakes += 1
        add(X, i, bias, y[i], w)
        p = probability(i, gamma, nodes, order, place, counts, scales)
        update(i, eta / p, nodes, logs, order, place, counts, scales)
    for j in range(len(X)):
        if y[j] * score(X, j, bias, w) <= 0.0:
            losses[j] += len(us) - since
    return mistakes
