"""A w player that takes Section 5's steps of gradient descent; each network says what its gradient is."""

import math
from abc import ABC, abstractmethod

import numpy as np

from paperlib.experiments.max_loss import convolutions as layers
from paperlib.max_loss._checks.inputs import checked_indices

EVALUATED = 256  # examples at a time where nothing is learned


class GradientLearner(ABC):
    """Gradient descent on the logistic loss of a network with two outputs, with Nesterov's momentum.

    Parameters
    ----------
    X : ndarray of shape (m, ...)
    y : ndarray of shape (m,)
        Classes 0 and 1.
    weights : NamedTuple of ndarray
        Those to start from; they stay as they are.
    learning_rate : float > 0
        At step t it is ``learning_rate (1 + decay t)^-0.75``.
    momentum : float in [0, 1)
    l2 : float >= 0
        The term ``l2 / 2 ||w||^2``.
    decay : float >= 0
    """

    def __init__(self, X, y, weights, *, learning_rate=0.01, momentum=0.9, l2=5e-4, decay=1e-4):
        self.X, self.y = np.ascontiguousarray(X, np.float32), np.asarray(y)
        self.weights = type(weights)(*(each.copy() for each in weights))
        self.velocity = type(weights)(*(np.zeros_like(each) for each in weights))
        self.learning_rate, self.decay = learning_rate, decay
        self.momentum, self.l2 = np.float32(momentum), np.float32(l2)
        self.n_steps = 0

    @abstractmethod
    def scores(self, X):
        """Return the outputs (2, n) for `X`."""

    @abstractmethod
    def scores_and_gradients(self, chosen):
        """Return the outputs (2, k) for these examples, and the gradient of their mean loss."""

    def step(self, indices):
        """Return the zero-one losses of these examples, shape (k,), and learn from them."""
        chosen = np.atleast_1d(checked_indices(indices, len(self.y)))
        scores, slopes = self.scores_and_gradients(chosen)
        # x**-0.75 by roots, which are exact to the last bit everywhere; a power is not.
        root = math.sqrt(1.0 + self.decay * self.n_steps)
        rule = np.float32(self.learning_rate / (root * math.sqrt(root))), self.momentum, self.l2
        for each, velocity, slope in zip(self.weights, self.velocity, slopes, strict=True):
            layers.nesterov_step(each.reshape(-1), velocity.reshape(-1), slope.reshape(-1), *rule)
        self.n_steps += 1
        losses = (_classes(scores) != self.y[chosen]).astype(float)
        return losses if np.ndim(indices) else losses[0]

    def loss(self, i):
        """Return the zero-one loss on example `i`."""
        i = int(checked_indices(i, len(self.y)))
        return float(self.predict(self.X[i : i + 1])[0] != self.y[i])

    def hardness(self, indices):
        """Return the score of the wrong class less the right one, shape (k,); it grows with the loss."""
        chosen = checked_indices(indices, len(self.y))
        scores, y = self.scores(self.X[chosen]), self.y[chosen]
        return np.where(y == 1, scores[0] - scores[1], scores[1] - scores[0])

    def predict(self, X):
        """Return the classes of `X`, shape (n,)."""
        parts = [X[start : start + EVALUATED] for start in range(0, len(X), EVALUATED)]
        return np.concatenate([_classes(self.scores(part)) for part in parts])

    def errors(self, X=None, y=None):
        """Return the number of mistakes, on the examples that it learns from by default."""
        X, y = (self.X, self.y) if X is None else (X, y)
        return int((self.predict(X) != y).sum())

    def snapshot(self):
        """Return a copy of the weights, for `restore`."""
        return type(self.weights)(*(each.copy() for each in self.weights))

    def restore(self, weights):
        """Put weights in that `snapshot` gave."""
        for mine, each in zip(self.weights, weights, strict=True):
            mine[:] = each


def _classes(scores):
    # The first of equal scores, as argmax has it.
    return (scores[1] > scores[0]).astype(int)
