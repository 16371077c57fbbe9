"""Samples that an experiment or a theorem is tried on."""

import numpy as np

from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_number
from paperlib.experiments.random_streams import stream

N_NOISY, COPY_VALUE, FLIPS = 20, 10.0, 0.2  # the data of the sanity check

# Distributions of the sanity check's features: how to draw them, their mean, and their standard deviation.
KINDS = {
    "uniform in [-1, 1]": (lambda rng, shape: rng.uniform(-1.0, 1.0, size=shape), 0.0, 1 / np.sqrt(3)),
    "uniform in [0, 1]": (lambda rng, shape: rng.uniform(0.0, 1.0, size=shape), 0.5, 1 / np.sqrt(12)),
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0, 1.0),
    "-1 or 1": (lambda rng, shape: rng.choice([-1.0, 1.0], size=shape), 0.0, 1.0),
}
KIND, MARGIN = "uniform in [-1, 1]", 0.2  # what the sanity check takes; the paper states neither


def sanity_sample(
    n_samples: int, rng: np.random.Generator, kind: str = KIND, margin: float = MARGIN
) -> tuple[Floats, Floats]:
    """The data of the sanity check: 20 features, two copies of the label, and a fifth of the labels flipped.

    Parameters
    ----------
    n_samples : int >= 1
    rng : numpy.random.Generator
    kind : str
        Distribution of the 20 features, one of `KINDS`; they are independent.
    margin : float in [0, 2]
        Distance from the hyperplane within which there are no examples, in standard deviations of the
        distance.

    Returns
    -------
    X : ndarray of shape (n_samples, 22)
        The 20 features, then the label twice.
    y : ndarray of shape (n_samples,), of -1.0 and 1.0
        The side of a random hyperplane through the mean; each flipped with probability 0.2.
    """
    check_choice(kind, "kind", tuple(KINDS))
    check_number(margin, "margin", low=0.0, high=2.0)
    draw, mean, deviation = KINDS[kind]
    normal = rng.normal(size=N_NOISY)
    normal /= np.sqrt((normal**2).sum())
    points, distances = np.empty((0, N_NOISY)), np.empty(0)
    while len(points) < n_samples:
        drawn = draw(rng, (n_samples, N_NOISY))
        distance = (drawn - mean) @ normal
        far = np.abs(distance) > margin * deviation
        points, distances = np.vstack([points, drawn[far]]), np.append(distances, distance[far])
    points, y = points[:n_samples], np.where(distances[:n_samples] > 0, 1.0, -1.0)
    y[rng.uniform(size=n_samples) < FLIPS] *= -1
    return np.column_stack([points, y, y]), y


def sanity_values() -> Floats:
    """One for each of the 20 features, ten for each copy of the label."""
    return np.array([1.0] * N_NOISY + [COPY_VALUE] * 2)


def three_features(m: int, *, seed: int) -> tuple[Floats, Floats]:
    """Examples for the toy: the first feature is the label, in the two others it is with noise.

    Parameters
    ----------
    m : int >= 1
    seed : int

    Returns
    -------
    X : ndarray of shape (m, 3), within [-1, 1], and y : ndarray of shape (m,), of -1.0 and 1.0

    Examples
    --------
    >>> X, y = three_features(100, seed=0)
    >>> ((y[:, None] * X).mean(axis=0) > 0.2).tolist(), (X[:, 0] == y).all().item()
    ([True, True, True], True)
    """
    rng = stream(seed, "toy")
    y = rng.choice([-1.0, 1.0], size=m)
    return y[:, None] * np.column_stack([np.ones(m), rng.uniform(-0.4, 1.0, size=(m, 2))]), y


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


def corner_sample(m: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Examples of which every feature is the label, as `redundant_sample` returns them."""
    y = rng.choice([-1.0, 1.0], size=m)
    y[:2] = 1.0, -1.0
    return np.repeat(y[:, None], n, axis=1), y


def coin_sample(m: int, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Examples uniform in ``[-1, 1]^n`` whose labels are fair coins, as `redundant_sample` returns them."""
    y = rng.choice([-1.0, 1.0], size=m)
    y[:2] = 1.0, -1.0
    return rng.uniform(-1.0, 1.0, size=(m, n)), y
