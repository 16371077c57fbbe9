"""Conversion of `random_state`, in every form that scikit-learn and NumPy know, to a Generator."""

import numbers
from typing import Any, TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None


def check_random_state(random_state: Any) -> np.random.Generator:
    """Return the Generator that `random_state` stands for.

    Parameters
    ----------
    random_state : int >= 0, numpy.random.Generator, numpy.random.RandomState or None
        An int seeds a new Generator: the same int gives the same draws. A Generator is returned itself, so
        drawing advances it. From a RandomState the seed is drawn, which advances it, too. None seeds from
        the operating system.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    ValueError
        For anything else.

    Examples
    --------
    >>> int(check_random_state(0).integers(100)) == int(check_random_state(0).integers(100))
    True
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        seed = int(random_state)
        if seed >= 0:
            return np.random.default_rng(seed)
    raise ValueError(
        "random_state must be an integer >= 0, a numpy.random.Generator, a numpy.random.RandomState or None, "
        f"got {random_state!r}"
    )
