"""What steps take and return: what they may hold, its digest, and the arrays and tables in it."""

from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd

ARRAYS = (np.ndarray, pd.DataFrame, pd.Series)
RANDOM = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)


def check(value: object, what: str) -> None:
    """Refuse what gives other values at the next call."""
    if isinstance(value, RANDOM):
        kind = type(value).__name__
        raise TypeError(f"{what} must not be or hold a {kind}; give the step a seed, and make it inside")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            check(each, what)


def digests(arguments: object) -> tuple[str, str]:
    """Return the digest of all, and that without arrays and tables, whose last bits a processor decides."""
    return joblib.hash(_ordered(arguments)), joblib.hash(_ordered(arguments, without=ARRAYS))


def _ordered(value: object, without: tuple[type, ...] = ()) -> object:
    """Return a value with its dicts as lists: joblib sorts their keys, and a step may go by their order.

    Of parts of the types `without`, only the type is left.
    """
    if isinstance(value, without):
        return type(value).__name__
    if isinstance(value, dict):
        return ["dict", [(key, _ordered(each, without)) for key, each in value.items()]]
    if isinstance(value, list):
        return [_ordered(each, without) for each in value]
    if isinstance(value, tuple):
        return type(value).__name__, tuple(_ordered(each, without) for each in value)
    return value


def parts(value: object) -> Iterator[Any]:
    """Yield the arrays and tables in a value."""
    if isinstance(value, ARRAYS):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from parts(each)
