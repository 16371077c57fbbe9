"""The paper's synthetic samples (Section 7), and checks of the noise rates and counts they are drawn with."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.kernel_mean._validation.parameters import check_noise
from paperlib.kernel_mean.noise import flip_labels

LONG_SERVEDIO_POINTS = np.array([[1.0, -1.0], [1.0, 3.0], [30.0, 0.0]])
LONG_SERVEDIO_PROBABILITIES = np.array([0.5, 0.25, 0.25])


def checkerboard(
    n: int = 800, *, cells: int = 4, spread: float = 0.4, random_state: RandomState = None
) -> tuple[Floats, Integers, Integers]:
    """Draw `n` points in ``cells x cells`` clusters whose labels alternate as on a checkerboard (Figure 1).

    Parameters
    ----------
    n : int >= 1
        Points, each in a cluster drawn at random.
    cells : int >= 1
        Clusters along each side; 4 gives the paper's 16.
    spread : float in (0, 1]
        Width of a cluster, in units of the distance between adjacent centres; points are uniform
        in a square of that width.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1
    cluster : ndarray of shape (n,), of 0 to cells^2 - 1

    Examples
    --------
    >>> X, y, cluster = checkerboard(160, random_state=0)
    >>> X.shape, len(set(cluster.tolist()))
    ((160, 2), 16)
    """
    n = check_number(n, "n", low=1, integer=True)
    cells = check_number(cells, "cells", low=1, integer=True)
    spread = check_number(spread, "spread", low=0, high=1, open_low=True)
    rng = np.random.default_rng(random_state)
    cluster = rng.integers(cells**2, size=n)
    row, column = np.divmod(cluster, cells)
    centres = np.column_stack([column, row]) + 0.5
    X = centres + spread * (rng.random((n, 2)) - 0.5)
    return X, np.where((row + column) % 2 == 0, 1, -1), cluster


def long_servedio(
    n: int, *, noise: float = 0.0, random_state: RandomState = None
) -> tuple[Floats, NDArray[Any]]:
    """Draw the distribution of Long and Servedio with symmetric label noise (Section 7.2, Figure 3).

    Three points in the plane, ``(1, -1)`` with probability 1/2, ``(1, 3)`` and ``(30, 0)`` with 1/4 each, all
    labelled +1 before the noise.

    Parameters
    ----------
    n : int >= 1
    noise : float in [0, 1]
        Probability that a label is flipped.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> X, y = long_servedio(1000, noise=0.2, random_state=0)
    >>> X.shape, bool(abs((y == -1).mean() - 0.2) < 0.05)
    ((1000, 2), True)
    """
    n = check_number(n, "n", low=1, integer=True)
    rng = np.random.default_rng(random_state)
    X = LONG_SERVEDIO_POINTS[rng.choice(3, size=n, p=LONG_SERVEDIO_PROBABILITIES)]
    return X, flip_labels(np.ones(n, dtype=int), noise, random_state=rng)


def check_noise_rates(noise_rates):
    """Return distinct noise rates in [0, 1/2) as a list of floats, else raise ``ValueError``."""
    rates = [check_noise(noise, "every one of noise_rates") for noise in noise_rates]
    if not rates or len(set(rates)) < len(rates):
        raise ValueError(f"noise_rates must be distinct numbers, at least one, got {rates}")
    return rates


def check_counts(**counts):
    for name, count in counts.items():
        check_number(count, name, low=1, integer=True)
