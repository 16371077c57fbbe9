"""The network of one hidden layer as the w player."""

import numpy as np

from paperlib.experiments.max_loss import convolutions as layers
from paperlib.experiments.max_loss import hidden_layer
from paperlib.experiments.max_loss.gradient_learner import GradientLearner


class HiddenLayerLearner(GradientLearner):
    """A network of one hidden layer as the w player, with the paper's settings.

    Parameters
    ----------
    X : ndarray of shape (m, n_inputs)
        Grey images, in [0, 1].
    y : ndarray of shape (m,)
        Classes 0 and 1.
    weights : HiddenWeights
        Those to start from; they stay as they are.
    learning_rate, momentum, l2, decay : float
        As in `GradientLearner`.

    Notes
    -----
    The same weights, to the last bit, on every x86-64 processor: no library's matrix product, exponential or
    power is used.

    Examples
    --------
    >>> X, weights = np.random.default_rng(0).random((64, 9)), hidden_layer.initial_weights(9, 4)
    >>> learner = HiddenLayerLearner(X, np.arange(64) % 2, weights)
    >>> learner.step(np.arange(64)).shape, learner.n_steps
    ((64,), 1)
    """

    def scores(self, X):
        """Return the outputs (2, n) for `X` (n, n_inputs)."""
        return hidden_layer.outputs(self.weights, np.ascontiguousarray(X, np.float32), np.arange(len(X)))[1]

    def scores_and_gradients(self, chosen):
        """Return the outputs (2, k) for these examples, and the gradient of their mean loss."""
        hidden, scores = hidden_layer.outputs(self.weights, self.X, chosen)
        slopes = layers.slopes_of_losses(scores, self.y[chosen])
        return scores, hidden_layer.gradients(self.weights, self.X, chosen, hidden, slopes)
