"""Steps of learners with one vector w, on rows ``(x_i, bias)``: the last entry of `w` is for the bias.

No kernel checks its input. A score of zero, and one that has left the floats, is a mistake.
"""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.typing import Floats
from paperlib.max_loss._tree.sumtree import uncounted

FAR = 100  # powers of two from 1 beyond which squares of the data could leave the floats


@uncounted
def score(X, i, bias, w):
    """Return ``<w, (x_i, bias)>``."""
    d = X.shape[1]
    a, b, c, e = bias * w[d], 0.0, 0.0, 0.0  # four sums, for the processor to add side by side
    j = 0
    while j + 4 <= d:
        a += X[i, j] * w[j]
        b += X[i, j + 1] * w[j + 1]
        c += X[i, j + 2] * w[j + 2]
        e += X[i, j + 3] * w[j + 3]
        j += 4
    while j < d:
        a += X[i, j] * w[j]
        j += 1
    return (a + b) + (c + e)


@uncounted
def add(X, i, bias, factor, w):
    """``w += factor (x_i, bias)``, in place."""
    d = X.shape[1]
    for j in range(d):
        w[j] += factor * X[i, j]
    w[d] += factor * bias


@uncounted
def perceptron_step(X, y, i, bias, w):
    """Rosenblatt's rule. Return the zero-one loss of `w` before it, on labels of -1 and +1."""
    # Not "<= 0" for a mistake: a score that is NaN has to count as one.
    if y[i] * score(X, i, bias, w) > 0.0:
        return 0.0
    add(X, i, bias, y[i], w)
    return 1.0


@jit(error_model="numpy")
def logistic_step(X, y, indices, bias, w, velocity, rate, momentum, l2):
    """Learn from a batch, in place, by the mean gradient. Return its zero-one losses before the step.

    This is stochastic gradient descent on the logistic loss, with Nesterov's momentum:
    ``g = mean_i grad log(1 + exp(-y_i <w, x_i>)) + l2 w``, ``velocity = momentum velocity + g`` and
    ``w -= rate (g + momentum velocity)``.
    """
    losses = np.empty(len(indices))
    # All margins are taken before w moves: the losses are those of one iterate, and so is the gradient.
    gradient = l2 * w
    for j, i in enumerate(indices):
        margin = y[i] * score(X, i, bias, w)
        losses[j] = 0.0 if margin > 0.0 else 1.0  # a margin that is NaN is a mistake
        # The logistic function, written so that exp never gets a large positive argument.
        if margin > 0.0:
            slope = math.exp(-margin) / (1.0 + math.exp(-margin))
        else:
            slope = 1.0 / (1.0 + math.exp(margin))
        add(X, i, bias, -y[i] * slope / len(indices), gradient)
    for j in range(len(w)):
        velocity[j] = momentum * velocity[j] + gradient[j]
        w[j] -= rate * (gradient[j] + momentum * velocity[j])
    return losses


def power_near_one(X: Floats) -> float:
    """Return 1, or the power of two that takes data near the ends of the floats to about 1.

    It changes no step of the Perceptron but those that would have left the floats.
    """
    largest = np.abs(X).max(initial=0.0)
    if largest == 0.0 or 2.0**-FAR <= largest <= 2.0**FAR:
        return 1.0
    return 2.0 ** min(-math.frexp(largest)[1], 1000)
