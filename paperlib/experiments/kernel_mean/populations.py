"""Finite distributions whose true means are exact sums: what the bounds and equalities are tried on."""

from typing import NamedTuple

import numpy as np

from paperlib._common.validation import check_number
from paperlib.kernel_mean import KernelMeanClassifier


class Population(NamedTuple):
    """A distribution over k labelled instances.

    Attributes
    ----------
    features : ndarray of shape (k, r)
        ``phi(x)`` in coordinates, none longer than 1.
    y : ndarray of shape (k,), of -1 and +1
    p : ndarray of shape (k,)
        Probabilities.
    """

    features: np.ndarray
    y: np.ndarray
    p: np.ndarray

    @property
    def gram(self):
        """Kernel matrix of the instances, shape (k, k)."""
        return self.features @ self.features.T

    def mean(self, p=None):
        """``Phi``, in coordinates (r,), under the probabilities `p`, the population's own by default."""
        return ((self.p if p is None else p) * self.y) @ self.features


def learned_mean(features, y, p):
    """Return the mean vector (r,) that `KernelMeanClassifier` learns: its scores of the unit vectors.

    An estimator needs two classes. One class alone gets an example of the other at the origin, which adds
    nothing to the mean but its weight.

    >>> learned_mean(np.eye(2), [1, -1], [0.75, 0.25]).tolist()
    [0.75, -0.25]
    """
    features, y, p = (np.asarray(each, dtype=float) for each in (features, y, p))
    present, size = np.unique(y[p > 0]), p.sum()
    if len(present) == 1:
        features = np.vstack([features, np.zeros(features.shape[1])])
        y, p = np.append(y, -present), np.append(p, size)
    mean = KernelMeanClassifier("linear").fit(features, y, p)
    return mean.decision_function(np.eye(features.shape[1])) * (p.sum() / size)


def gaussian_features(X, gamma):
    """Coordinates (n, r) whose inner products are ``exp(-gamma ||x - x'||^2)``, up to rounding.

    >>> features = gaussian_features(np.array([[0.0], [1.0]]), 0.5)
    >>> round(float(features[0] @ features[1]), 6), round(float(np.exp(-0.5)), 6)
    (0.606531, 0.606531)
    """
    X = np.asarray(X, dtype=float)
    values, vectors = np.linalg.eigh(np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=-1)))
    features = vectors * np.sqrt(np.maximum(values, 0.0))
    return features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1.0)


def random_population(size, rng, *, gamma=0.5):
    """Normal points in the plane under a Gaussian kernel, with random labels and probabilities.

    Both labels occur.

    >>> population = random_population(5, np.random.default_rng(0))
    >>> bool(np.allclose(np.diag(population.gram), 1.0)), sorted(set(population.y.tolist()))
    (True, [-1.0, 1.0])
    """
    size = check_number(size, "size", low=2, integer=True)
    y = rng.permutation(np.concatenate([[1.0, -1.0], rng.choice([-1.0, 1.0], size - 2)]))
    return Population(gaussian_features(rng.normal(size=(size, 2)), gamma), y, rng.dirichlet(np.ones(size)))


def coin():
    """One instance whose label is a fair coin: its mean is zero, and a sample's is as far off as it gets.

    >>> coin().mean().tolist()
    [0.0]
    """
    return Population(np.ones((2, 1)), np.array([1.0, -1.0]), np.array([0.5, 0.5]))


def orthonormal(size):
    """`size` equally likely positive instances at right angles to each other, as in Theorem 20.

    >>> orthonormal(4).mean().tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    size = check_number(size, "size", low=1, integer=True)
    return Population(np.eye(size), np.ones(size), np.full(size, 1.0 / size))
