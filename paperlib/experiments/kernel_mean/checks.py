"""Checks of statements on random finite distributions, in groups by what is measured."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.populations import random_population
from paperlib.experiments.statistics import to_resolution

# Row of the ledger -> its check.
EQUALITIES, AVERAGES, INEQUALITIES = {}, {}, {}  # type: dict[str, Check], dict[str, Check], dict[str, Check]


class Check(NamedTuple):
    """A statement in words, and how far it is from holding on a `Population`, with a generator for the rest.

    The words are shown beside what is measured; as they are no docstrings, no docstring changes a result.
    Distances below `resolution` are rounding, or what the solver leaves.
    """

    says: str
    measure: Callable
    resolution: float


def check(group, name, says, resolution=1e-9):
    def add(measure):
        group[name] = Check(says, measure, resolution)
        return measure

    return add


def check_cases(check, n_cases, rng, *, size=8):
    """Try a check on `n_cases` random distributions.

    Parameters
    ----------
    check : Check
    n_cases : int >= 1
    rng : numpy.random.Generator
    size : int >= 2
        Instances of a distribution.

    Returns
    -------
    ndarray of shape (n_cases,), in multiples of the check's resolution

    Examples
    --------
    >>> odd = Check("How far one half is from one.", lambda population, rng: 0.5, 1e-9)
    >>> check_cases(odd, 3, np.random.default_rng(0)).tolist()
    [0.5, 0.5, 0.5]
    """
    n_cases = check_number(n_cases, "n_cases", low=1, integer=True)
    found = (float(check.measure(random_population(size, rng), rng)) for _ in range(n_cases))
    return np.array([to_resolution(value, check.resolution) for value in found])
