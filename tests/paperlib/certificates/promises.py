"""What each public name promises: the numbers that it gives out, between what was computed in another way.

`TABLE` names, of each class that a public function returns or that is fitted, the attributes that say how
good something is, and cases over its settings. A case has what came out, and of each attribute the least and
the largest value that is right.
"""

from typing import Any, NamedTuple

import numpy as np

SMALL = 1e-3  # a number below it need not be right to more digits than this one


class Case(NamedTuple):
    """One result, with ``{attribute: (least, largest)}``; arrays are meant entry by entry."""

    label: str
    found: Any
    promised: dict


class Promise(NamedTuple):
    """The attributes of a class that are certificates, and the function of a seed that yields its cases."""

    attributes: set
    cases: Any
    rounding: float = 1e-9


def exactly(value):
    return value, value


def at_most(value):
    return -np.inf, value


def at_least(value):
    return value, np.inf


def holds(found, least, largest, rounding):
    """Whether a number, or an array, is between two, but for rounding, a share of what it should be."""
    found, least, largest = (np.asarray(each, dtype=float) for each in (found, least, largest))
    if found.shape != np.broadcast_shapes(least.shape, largest.shape):
        return False
    size = rounding * np.maximum(
        SMALL, np.fmax(*(np.where(np.isfinite(each), abs(each), 0.0) for each in (least, largest)))
    )
    inside = (found >= least - size) & (found <= largest + size)
    return bool((inside | (np.isnan(found) & np.isnan(least) & np.isnan(largest))).all())
