"""A step of stochastic gradient descent on the logistic loss, with Nesterov's momentum."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib.max_loss.perceptron import add, score


@jit(error_model="numpy")
def logistic_step(X, y, indices, bias, w, velocity, rate, momentum, l2):
    """Learn from a batch, in place, by the mean gradient. Return its zero-one losses before the step.

    ``g = mean_i grad log(1 + exp(-y_i <w, x_i>)) + l2 w``, ``velocity = momentum velocity + g`` and
    ``w -= rate (g + momentum velocity)``.
    """
    losses = np.empty(len(indices))
    gradient = l2 * w
    for j, i in enumerate(indices):
        margin = y[i] * score(X, i, bias, w)
        losses[j] = 0.0 if margin > 0.0 else 1.0  # a margin that is NaN is a mistake
        if margin > 0.0:
            slope = math.exp(-margin) / (1.0 + math.exp(-margin))
        else:
            slope = 1.0 / (1.0 + math.exp(margin))
        add(X, i, bias, -y[i] * slope / len(indices), gradient)
    for j in range(len(w)):
        velocity[j] = momentum * velocity[j] + gradient[j]
        w[j] -= rate * (gradient[j] + momentum * velocity[j])
    return losses
