"""Checks of statements on random finite distributions, in groups by what is measured."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.populations import random_population
from paperlib.experiments.statistics import mean_and_stderr, to_resolution

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


def check_all(checks, n_cases, *, size=8, random_state=None):
    """Try every check on `n_cases` random distributions of its own.

    Parameters
    ----------
    checks : dict of str to Check
        `EQUALITIES`, `INEQUALITIES` or `AVERAGES`.
    n_cases : int >= 1
    size : int >= 2
        Instances of a distribution.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per check: statement, says, cases, mean, stderr (of
        the mean, zero for a single case), largest, resolution

    Examples
    --------
    >>> odd = Check("How far one half is from one.", lambda population, rng: 0.5, 1e-9)
    >>> check_all({"a-half": odd}, 3, random_state=0).largest.tolist()
    [0.5]
    """
    n_cases = check_number(n_cases, "n_cases", low=1, integer=True)
    rows = []
    for (name, check), rng in zip(checks.items(), np.random.default_rng(random_state).spawn(len(checks))):
        found = [
            to_resolution(float(check.measure(random_population(size, rng), rng)), check.resolution)
            for _ in range(n_cases)
        ]
        mean, stderr = mean_and_stderr(found)
        rows.append((name, check.says, n_cases, mean, stderr or 0.0, np.max(found), check.resolution))
    columns = ["statement", "says", "cases", "mean", "stderr", "largest", "resolution"]
    return pd.DataFrame(rows, columns=columns)
