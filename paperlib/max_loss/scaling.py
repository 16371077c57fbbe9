"""A factor for data near the ends of the floats."""

import math

import numpy as np

from paperlib._common.typing import Floats

FAR = 100  # powers of two from 1 beyond which squares of the data could leave the floats


def power_near_one(X: Floats) -> float:
    """Return 1, or the power of two that takes data near the ends of the floats to about 1.

    It changes no step of the Perceptron but those that would have left the floats.
    """
    largest = np.abs(X).max()
    if largest == 0.0 or 2.0**-FAR <= largest <= 2.0**FAR:
        return 1.0
    return 2.0 ** min(-math.frexp(largest)[1], 1000)
