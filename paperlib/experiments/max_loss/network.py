"""The network of Section 5, a variant of LeNet."""

import math
from typing import NamedTuple

import numpy as np

from paperlib._common.validation import check_number
from paperlib.experiments.max_loss import convolutions as layers
from paperlib.experiments.max_loss.gradient_learner import GradientLearner

CHANNELS = (40, 80, 160)  # of the three convolutions at full width
SIDE = 28  # pixels of an image
PADDING = 2  # of the first two convolutions


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


class NetworkLearner(GradientLearner):
    """The network as the w player, with the paper's settings.

    Parameters
    ----------
    X : ndarray of shape (m, 28, 28)
        Grey images, in [0, 1].
    y : ndarray of shape (m,)
        Classes 0 and 1.
    weights : Weights
        Those to start from; they stay as they are.
    learning_rate, momentum, l2, decay : float
        As in `GradientLearner`.

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

    def scores(self, X):
        """Return the outputs (2, n) for `X` (n, 28, 28)."""
        return activations(self.weights, images_for(self.weights, X)).scores

    def scores_and_gradients(self, chosen):
        """Return the outputs (2, k) for these examples, and the gradient of their mean loss."""
        found = activations(self.weights, images_for(self.weights, self.X[chosen]))
        return found.scores, gradients(self.weights, found, self.y[chosen])
