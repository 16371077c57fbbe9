"""Independent random streams, one for each name, so that no two experiments share a generator."""

import zlib

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the generator of one experiment.

    What one experiment draws changes nothing for another, and a new name changes none of the old ones.

    Parameters
    ----------
    seed : int >= 0
        The notebook's.
    name : str

    Examples
    --------
    >>> stream(0, "growth").integers(100) == stream(0, "growth").integers(100)
    True
    >>> stream(0, "growth").integers(10**9) == stream(0, "orders").integers(10**9)
    False
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),)))
