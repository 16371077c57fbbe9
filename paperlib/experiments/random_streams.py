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
    >>> [int(stream(0, name).integers(100)) for name in ("growth", "growth", "orders")]
    [60, 60, 41]
    """
    # Not `hash`, which gives a text another number in each process.
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),)))
