"""Decisions that do not hang on the last bit, which differs between processors.

Numbers that differ by less than `TIED` of the scale at which a decision is taken are equal: the first of them
is taken.
"""

import numpy as np

# Relative; far above the rounding of a sum, far below what anybody asks for. No round number, since quotients
# often are, and would lie on the edge between two ranks.
TIED = 7.390851332e-12


def ranks(values, scale):
    """Return whole numbers in the order of `values` (n,), equal for those that differ by rounding only.

    Values that are tied lie in one cell of a grid: quick, for many values that are no larger than `scale`.
    """
    unit = TIED * scale
    return np.rint(values / unit) if unit >= np.finfo(float).tiny else values


def ascending(values, scale=0.0):
    """Return the positions of `values` (n,) from the smallest on, ties in order of position.

    Two that follow each other are tied if they differ by no more than `TIED` of their size, or of `scale`.
    """
    order = np.argsort(values, kind="stable")
    found = values[order]
    with np.errstate(invalid="ignore"):  # of two infinite ones
        apart = np.diff(found) > TIED * np.maximum(np.abs(found[:-1]), scale)
    return order[np.lexsort((order, np.append(0, np.cumsum(apart))[: len(order)]))]


def first_smallest(values, scale=0.0):
    """Return the first position of a value that is tied with the smallest of `values` (n,), n >= 1."""
    least = values.min()
    return int(np.argmax(values <= least + TIED * max(abs(least), scale)))
