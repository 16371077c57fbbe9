"""The network of Section 5, a variant of LeNet."""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.validation import check_number
from paperlib.experiments.max_loss import convolutions as layers
from paperlib.max_loss._checks.inputs import checked_indices

CHANNELS = (40, 80, 160)  # of the three convolutions at full width
SIDE = 28  # pixels of an image
PADDING = 2  # of the first two convolutions
EVALUATED = 256  # images at a time where nothing is learned


class Weights(NamedTuple):
    """Weights of the network, or gradients by them, of single precision.

    Attributes
    ----------
    first, second, third : ndarray of shape (outputs, channels, height, width)
        Filters of the convolutions.
    last : ndarray of shape (2, channels)
    first_bias, second_bias, last_bias : ndarray of shape (outputs,)
    """

    first: np.ndarray
    first_bias: np.ndarray
    second: np.ndarray
    second_bias: np.ndarray
    third: np.ndarray
    last: np.ndarray
    last_bias: np.ndarray


class Activations(NamedTuple):
    """What the layers of the network gave for a batch, of shape (channels, rows, columns, images).

    Attributes
    ----------
    first, second, third : ndarray
        Of the convolutions.
    small, smaller : ndarray
        After the first and the second, rectified, the largest of each two by two.
    scores : ndarray of shape (2, images)
    """

    images: np.ndarray
    first: np.ndarray
    small: np.ndarray
    second: np.ndarray
    smaller: np.ndarray
    third: np.ndarray
    scores: np.ndarray


def initial_weights(width=1.0, n_channels=3, *, seed=0):
    """Return random weights, uniform within one over the root of the number of inputs, as PyTorch has them.

    The paper's 710,642 weights come out with three input channels, a padding of 2 in the first two
    convolutions, no bias in the third, and two outputs; it states none of these four.

    Parameters
    ----------
    width : float > 0, default=1.0
        Factor on the channels of each layer, at least one of which is left.
    n_channels : int >= 1, default=3
        Of the images.
    seed : int

    Returns
    -------
    Weights

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Section 5.

    Examples
    --------
    >>> n_weights(initial_weights())
    710642
    """
    width = check_number(width, "width", low=0, open_low=True)
    n_channels = check_number(n_channels, "n_channels", low=1, integer=True)
    a, b, c = (max(1, round(width * each)) for each in CHANNELS)
    shapes = {
        "first": (a, n_channels, 5, 5),
        "first_bias": (a,),
        "second": (b, a, 5, 5),
        "second_bias": (b,),
        "third": (c, b, 7, 7),
        "last": (2, c),
        "last_bias": (2,),
    }
    rng = np.random.default_rng(seed)
    found = {}
    for name, shape in shapes.items():
        n_inputs = math.prod(shapes[name.removesuffix("_bias")][1:])
        found[name] = ((2.0 * rng.random(shape) - 1.0) / math.sqrt(n_inputs)).astype(np.float32)
    return Weights(**found)


def n_weights(weights):
    """Return the number of weights of a network."""
    return sum(each.size for each in weights)


def images_for(weights, X):
    """Return grey images `X` (n, 28, 28) as the network wants them: centred, a copy for each channel."""
    n_channels = weights.first.shape[1]
    centred = (np.asarray(X, np.float32) - np.float32(0.5)) * np.float32(4.0)
    each = np.moveaxis(centred, 0, -1)
    return np.ascontiguousarray(np.broadcast_to(each, (n_channels, *each.shape)))


def activations(weights, images):
    """Return what the layers give for `images`, of shape (n_channels, 28, 28, n)."""
    first = layers.convolve(images, weights.first, weights.first_bias, PADDING)
    small = layers.rectified_maxima(first)
    second = layers.convolve(small, weights.second, weights.second_bias, PADDING)
    smaller = layers.rectified_maxima(second)
    third = layers.convolve(smaller, weights.third, np.zeros(len(weights.third), np.float32), 0)
    scores = layers.convolve(np.maximum(third, 0), weights.last[..., None, None], weights.last_bias, 0)
    return Activations(images, first, small, second, smaller, third, scores[:, 0, 0])


def gradients(weights, found, labels):
    """Return the gradient of the mean logistic loss of a batch.

    Parameters
    ----------
    weights : Weights
    found : Activations
        Of the batch.
    labels : ndarray of shape (n,)
        Of 0 and 1.

    Returns
    -------
    Weights
    """
    of_scores = layers.slopes_of_losses(found.scores, labels)[:, None, None]
    last = weights.last[..., None, None]
    of_third = layers.gradient_of_inputs(of_scores, last, 0)
    of_third[found.third <= 0] = 0
    of_smaller = layers.gradient_of_inputs(of_third, weights.third, 0)
    of_second = layers.gradient_of_maxima(of_smaller, found.second, found.smaller)
    of_small = layers.gradient_of_inputs(of_second, weights.second, PADDING)
    of_first = layers.gradient_of_maxima(of_small, found.first, found.small)
    of_last = layers.gradient_of_filters(of_scores, np.maximum(found.third, 0), 0)
    return Weights(
        layers.gradient_of_filters(of_first, found.images, PADDING),
        layers.gradient_of_bias(of_first),
        layers.gradient_of_filters(of_second, found.small, PADDING),
        layers.gradient_of_bias(of_second),
        layers.gradient_of_filters(of_third, found.smaller, 0),
        of_last[..., 0, 0],
        layers.gradient_of_bias(of_scores),
    )


class NetworkLearner:
    """The network as the w player: gradient descent on the logistic loss, with the paper's settings.

    Parameters
    ----------
    X : ndarray of shape (m, 28, 28)
        Grey images, in [0, 1].
    y : ndarray of shape (m,)
        Classes 0 and 1.
    weights : Weights
        Those to start from; they stay as they are.
    learning_rate, momentum, l2, decay : float
        As in `paperlib.max_loss.LogisticSGD`.

    Notes
    -----
    The same weights, to the last bit, on every x86-64 processor: no library's convolution, exponential or
    power is used.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> learner = NetworkLearner(rng.random((64, 28, 28)), np.arange(64) % 2, initial_weights(0.05, 1))
    >>> learner.step(np.arange(64)).shape, learner.n_steps
    ((64,), 1)
    """

    def __init__(self, X, y, weights, *, learning_rate=0.01, momentum=0.9, l2=5e-4, decay=1e-4):
        self.X, self.y = np.asarray(X, np.float32), np.asarray(y)
        self.weights = Weights(*(each.copy() for each in weights))
        self.velocity = Weights(*(np.zeros_like(each) for each in weights))
        self.learning_rate, self.decay = learning_rate, decay
        self.momentum, self.l2 = np.float32(momentum), np.float32(l2)
        self.n_steps = 0

    def step(self, indices):
        """Return the zero-one losses of these examples, shape (k,), and learn from them."""
        chosen = np.atleast_1d(checked_indices(indices, len(self.y)))
        labels = self.y[chosen]
        found = activations(self.weights, images_for(self.weights, self.X[chosen]))
        slopes = gradients(self.weights, found, labels)
        # x**-0.75 by roots, which are exact to the last bit everywhere; a power is not.
        root = math.sqrt(1.0 + self.decay * self.n_steps)
        rule = np.float32(self.learning_rate / (root * math.sqrt(root))), self.momentum, self.l2
        for each, velocity, slope in zip(self.weights, self.velocity, slopes, strict=True):
            layers.nesterov_step(each.reshape(-1), velocity.reshape(-1), slope.reshape(-1), *rule)
        self.n_steps += 1
        losses = (_classes(found.scores) != labels).astype(float)
        return losses if np.ndim(indices) else losses[0]

    def loss(self, i):
        """Return the zero-one loss on example `i`."""
        i = int(checked_indices(i, len(self.y)))
        return float(self.predict(self.X[i : i + 1])[0] != self.y[i])

    def predict(self, X):
        """Return the classes of `X`, shape (n,)."""
        parts = [X[start : start + EVALUATED] for start in range(0, len(X), EVALUATED)]
        scores = [activations(self.weights, images_for(self.weights, part)).scores for part in parts]
        return np.concatenate([_classes(each) for each in scores])

    def errors(self, X=None, y=None):
        """Return the number of mistakes, on the examples that it learns from by default."""
        X, y = (self.X, self.y) if X is None else (X, y)
        return int((self.predict(X) != y).sum())

    def snapshot(self):
        """Return a copy of the weights, for `restore`."""
        return Weights(*(each.copy() for each in self.weights))

    def restore(self, weights):
        """Put weights in that `snapshot` gave."""
        for mine, each in zip(self.weights, weights, strict=True):
            mine[:] = each


def _classes(scores):
    # The first of equal scores, as argmax has it.
    return (scores[1] > scores[0]).astype(int)
