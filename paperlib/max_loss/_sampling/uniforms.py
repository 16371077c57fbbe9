"""Uniform numbers that are found by their place: a stream for each seed and epoch.

Philox computes its numbers from a key and a counter, so a run that goes on in the middle of an epoch needs no
state but where it is.
"""

import numpy as np

PER_COUNT = 4  # numbers that Philox computes from one value of its counter


def stream(seed: int, epoch: int, start: int) -> np.random.Generator:
    """Return the stream of this seed and epoch, of which the next number is number `start`."""
    key, counter = np.array([seed, epoch], dtype=np.uint64), np.zeros(4, dtype=np.uint64)
    counter[0] = start // PER_COUNT
    found = np.random.Generator(np.random.Philox(key=key, counter=counter))
    found.random(start % PER_COUNT)
    return found
