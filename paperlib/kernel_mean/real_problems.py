"""Two-class problems out of the real data sets."""

import math

import numpy as np

from paperlib._common.validation import check_number


def two_digits(dataset, digits, pixels):
    """The images of two digits, averaged down to ``pixels x pixels``.

    Parameters
    ----------
    dataset : Dataset
        Square images as rows, and their digits.
    digits : pair of int
        The first is labelled +1, the second -1.
    pixels : int >= 1
        A divisor of the images' width.

    Returns
    -------
    X : ndarray of shape (n, pixels^2)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> from paperlib.experiments.datasets import load
    >>> X, y = two_digits(load("digits"), (3, 8), 4)
    >>> X.shape, int((y == 1).sum())
    ((357, 16), 183)
    """
    own = np.isin(dataset.y, digits)
    if len(set(digits)) != 2 or len(np.unique(dataset.y[own])) != 2:
        raise ValueError(f"digits must be two that the data hold, got {tuple(digits)}")
    return average_pixels(dataset.X[own], pixels), np.where(dataset.y[own] == digits[0], 1, -1)


def average_pixels(X, pixels):
    """Average square images, given as rows, over square blocks: down to ``pixels x pixels``, as floats.

    >>> average_pixels(np.array([[1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]]), 2).tolist()
    [[1.0, 3.0, 0.0, 2.0]]
    """
    width = math.isqrt(X.shape[1])
    pixels = check_number(pixels, "pixels", low=1, integer=True)
    if width**2 != X.shape[1] or width % pixels:
        raise ValueError(
            f"images must be squares whose width {pixels} divides, got rows of {X.shape[1]} pixels"
        )
    side = width // pixels
    blocks = X.reshape(len(X), pixels, side, pixels, side).astype(float)
    return blocks.mean(axis=(2, 4)).reshape(len(X), -1)
