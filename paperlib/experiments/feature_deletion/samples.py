"""Samples that an experiment or a theorem is tried on."""

import numpy as np

from paperlib._common.typing import Floats

N_NOISY, COPY_VALUE, FLIPS = 20, 10.0, 0.2  # the data of the sanity check


def sanity_sample(n_samples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The data of the sanity check: 20 features, two copies of the label, and a fifth of the labels flipped.

    Parameters
    ----------
    n_samples : int >= 1
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n_samples, 22)
        Uniform in ``[-1, 1]^20``, then the label twice.
    y : ndarray of shape (n_samples,), of -1.0 and 1.0
        The side of a random hyperplane through the origin; each flipped with probability 0.2.
    """
    points = rng.uniform(-1, 1, size=(n_samples, N_NOISY))
    y = np.where(points @ rng.normal(size=N_NOISY) > 0, 1.0, -1.0)
    y[rng.uniform(size=n_samples) < FLIPS] *= -1
    return np.column_stack([points, y, y]), y


def sanity_values() -> Floats:
    """One for each of the 20 features, ten for each copy of the label."""
    return np.array([1.0] * N_NOISY + [COPY_VALUE] * 2)


def redundant_sample(m: int, n: int, rng: np.random.Generator, flips: float = 0.05) -> tuple[Floats, Floats]:
    """Examples of which every feature tells something: ``y x_j`` is uniform in [-0.4, 1].

    Parameters
    ----------
    m, n : int >= 1
    rng : numpy.random.Generator
    flips : float in [0, 1]
        Share of the labels that are wrong.

    Returns
    -------
    X : ndarray of shape (m, n), and y : ndarray of shape (m,), of -1.0 and 1.0
    """
    y = rng.choice([-1.0, 1.0], size=m)
    y[:2] = 1.0, -1.0
    X = y[:, None] * rng.uniform(-0.4, 1.0, size=(m, n))
    y[2:][rng.uniform(size=max(m - 2, 0)) < flips] *= -1
    return X, y
