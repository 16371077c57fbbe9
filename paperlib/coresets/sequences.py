"""A small task of labelling sequences, made from the bundled digits."""

from typing import Literal

import numpy as np

from paperlib._common.typing import Floats, Integers, RandomState
from paperlib._common.validation import check_number
from paperlib.experiments import datasets


def digit_sequences(
    n: int = 100,
    length: int = 6,
    *,
    follow: float = 0.9,
    noise: float = 0.0,
    part: Literal["train", "test"] = "train",
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Make sequences of digit images in which one digit tends to follow another.

    The first digit is drawn at random; each next one is the one before plus one, modulo 10, with probability
    `follow`, and any digit otherwise. Its image is a random one of that digit: of the first half of the
    bundled 8x8 images for training, of the second half for testing.

    Parameters
    ----------
    n : int, >= 1
        Number of sequences.
    length : int, >= 1
        Images a sequence.
    follow : float in [0, 1]
    noise : float, >= 0
        Standard deviation of Gaussian noise on the pixels, which are between 0 and 1.
    part : {"train", "test"}
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, length, 65)
        Pixels between 0 and 1 before the noise, and a last entry of one.
    Y : ndarray of shape (n, length)
        The digits.

    Examples
    --------
    >>> X, Y = digit_sequences(3, 4, follow=1.0, random_state=0)
    >>> X.shape, Y.tolist()
    ((3, 4, 65), [[8, 9, 0, 1], [6, 7, 8, 9], [5, 6, 7, 8]])
    """
    n = check_number(n, "n", low=1, integer=True)
    length = check_number(length, "length", low=1, integer=True)
    check_number(follow, "follow", low=0, high=1)
    check_number(noise, "noise", low=0)
    if part not in ("train", "test"):
        raise ValueError(f"part must be 'train' or 'test', got {part!r}")
    rng = np.random.default_rng(random_state)
    images = datasets.load("digits")
    half = len(images.y) // 2
    rows = np.arange(half) if part == "train" else np.arange(half, len(images.y))
    Y = np.empty((n, length), dtype=np.int64)
    Y[:, 0] = rng.integers(10, size=n)
    for t in range(1, length):
        jumps = rng.random(n) >= follow
        Y[:, t] = np.where(jumps, rng.integers(10, size=n), (Y[:, t - 1] + 1) % 10)
    chosen = np.empty_like(Y)
    for digit in range(10):
        at = np.equal(Y, digit)
        chosen[at] = rng.choice(rows[images.y[rows] == digit], at.sum())
    pixels = images.X[chosen] / images.X.max()
    if noise > 0.0:
        pixels = pixels + rng.normal(scale=noise, size=pixels.shape)
    return np.concatenate([pixels, np.ones((n, length, 1))], axis=2), Y
