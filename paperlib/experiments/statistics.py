"""Statistics of repeated experiments."""

import numpy as np
from numpy.typing import ArrayLike


def to_resolution(value: float, resolution: float) -> float:
    """Return `value` as a whole multiple of `resolution` > 0, never as -0.0.

    For differences that would be zero but for rounding or a solver's tolerance: their digits depend on the
    processor.

    Examples
    --------
    >>> to_resolution(3.3e-16, 1e-9), to_resolution(-0.0, 1e-9)
    (0.0, 0.0)

    Raises
    ------
    ValueError
        If `resolution` is not positive.
    """
    if not resolution > 0:
        raise ValueError(f"resolution must be > 0, got {resolution!r}")
    return round(value / resolution) * resolution + 0.0  # -0.0 + 0.0 is 0.0


def mean_and_stderr(values: ArrayLike) -> tuple[float, float | None]:
    """Return the mean of `values` and its standard error, None for a single value.

    Parameters
    ----------
    values : array-like of numbers
        Independent repetitions, at least one; the order does not matter.

    Returns
    -------
    mean : float
    stderr : float or None

    Raises
    ------
    ValueError
        If there are no values.

    Examples
    --------
    >>> mean_and_stderr([1.0, 3.0])
    (2.0, 1.0)
    """
    values = np.asarray(values, dtype=float)
    if values.size == 0:
        raise ValueError("values must not be empty, got no numbers")
    mean = float(values.mean())
    return mean, float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None


def error_of_std(values: ArrayLike) -> float:
    """Return the standard error of the standard deviation of n values, times the root of n.

    From their fourth moment: values near 0, 1/4, ..., 1 have another than normal ones.

    Examples
    --------
    >>> error_of_std([0.0, 0.0, 1.0, 1.0]), error_of_std([0.0, 0.0, 0.0, 1.0])
    (0.0, 0.25)
    """
    values = np.asarray(values)
    squares = (values - values.mean()) ** 2
    return float(np.std(squares) / (2.0 * np.sqrt(squares.mean()))) if squares.any() else 0.0
