"""Noise rates, scores and lengths: each check returns them, or raises one clear ``ValueError``."""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number

Lengths = TypeVar("Lengths", bound=ArrayLike)


def check_noise(noise: float, name: str = "noise") -> float:
    """Return a symmetric noise rate in [0, 1/2) as a float, else raise ``ValueError``.

    >>> check_noise(0.5)
    Traceback (most recent call last):
    ValueError: noise must be a finite number >= 0 and < 0.5, got 0.5
    """
    return check_number(noise, name, low=0, high=0.5, open_high=True)


def check_label_noise(noise_negative: float, noise_positive: float | None = None) -> tuple[float, float]:
    """Return ``(sigma_-, sigma_+)`` as floats with a sum below 1, else raise ``ValueError``.

    >>> check_label_noise(0.25)
    (0.25, 0.25)
    """
    if noise_positive is None:
        return check_noise(noise_negative), check_noise(noise_negative)
    negative = check_number(noise_negative, "noise_negative", low=0, high=1)
    positive = check_number(noise_positive, "noise_positive", low=0, high=1)
    if negative + positive >= 1:
        raise ValueError(f"noise_negative + noise_positive must be < 1, got {negative + positive}")
    return negative, positive


def check_contamination(alpha: float, beta: float) -> tuple[float, float]:
    """Return two mixing shares as floats, each in [0, 1] and together below 1, else raise ``ValueError``.

    >>> check_contamination(0.25, 0.75)
    Traceback (most recent call last):
    ValueError: alpha + beta must be < 1, got 1.0
    """
    alpha, beta = check_number(alpha, "alpha", low=0, high=1), check_number(beta, "beta", low=0, high=1)
    if alpha + beta >= 1:
        raise ValueError(f"alpha + beta must be < 1, got {alpha + beta}")
    return alpha, beta


def check_scores(values: ArrayLike, name: str = "scores") -> Floats:
    """Return scores as a vector of floats, not empty and finite, else raise ``ValueError``."""
    numbers = _floats(values)
    if numbers is None or numbers.ndim != 1 or numbers.size == 0 or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be a vector of finite numbers, got {values!r}")
    return numbers


def check_lengths(lengths: Lengths, name: str) -> Lengths:
    """Return lengths if all are finite and at least 0, a list as an array, else raise ``ValueError``."""
    values = _floats(lengths)
    if values is None or not ((values >= 0) & np.isfinite(values)).all():
        raise ValueError(f"{name} must be finite and >= 0, got {lengths!r}")
    return values if isinstance(lengths, list | tuple) else lengths


def _floats(values):
    """Return real numbers as an array, or None for what is none."""
    try:
        if np.asarray(values).dtype.kind in "buifO":
            return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    return None
