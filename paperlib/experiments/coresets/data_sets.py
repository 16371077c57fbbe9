"""The samples that several steps run on: points beside a slab, two pairs of MNIST digits, a star."""

import numpy as np

from paperlib.experiments import datasets
from paperlib.experiments.coresets import samples
from paperlib.experiments.random_streams import stream

PAIRS = {"digits 0, 1": (0, 1), "digits 6, 7": (6, 7)}

Samples = dict[str, tuple[np.ndarray, np.ndarray]]
Slab = tuple[int, int, float]


def usual(slab: Slab, most: int, *, data: str, seed: int) -> Samples:
    """Make the samples that are not made to be slow: points beside a slab, and two pairs of digits.

    Parameters
    ----------
    slab : (int, int, float)
        Points, dimension and half-width, as for `samples.half_spaces`. They are drawn from a stream of their
        own, so that all steps run on the same ones.
    most : int
        Images of a pair, at most.
    data : {"bundled", "full"}
        Which MNIST.
    seed : int
        The notebook's.

    Returns
    -------
    dict of name -> (X, y)

    Examples
    --------
    >>> {name: X.shape for name, (X, y) in usual((50, 3, 0.2), 30, data="bundled", seed=0).items()}
    {'slab': (50, 3), 'digits 0, 1': (30, 784), 'digits 6, 7': (30, 784)}
    """
    images = datasets.load("mnist", data)
    pairs = {name: samples.two_digits(images, *pair, most) for name, pair in PAIRS.items()}
    return {"slab": samples.half_spaces(*slab, random_state=stream(seed, "slab"))} | pairs


def with_star(slab: Slab, most: int, *, data: str, seed: int) -> Samples:
    """Make the same and a star of 700 points, whose ``R / rho*`` is 2.

    >>> list(with_star((50, 3, 0.2), 30, data="bundled", seed=0))
    ['slab', 'digits 0, 1', 'digits 6, 7', 'star']
    """
    return usual(slab, most, data=data, seed=seed) | {"star": samples.star(700, 2.0)}
