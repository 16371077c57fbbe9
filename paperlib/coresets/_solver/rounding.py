"""Decisions that do not hang on the last bit, which differs between processors.

A margin that is short of what is required by less than `TIED` of it is enough, and values that differ by less
than `TIED` of the largest are equal: the first of them is taken.
"""

import numpy as np

# Relative; far above the rounding of a sum, far below any eps. No round number, since quotients of margins
# often are, and would lie on the edge between two ranks.
TIED = 7.390851332e-12


def required(margin, eps):
    """Return the margin that is within ``1 - eps`` of `margin`, less what rounding may take."""
    return (1.0 - TIED) * (1.0 - eps) * margin


def ranks(values, scale):
    """Return numbers in the order of `values` (n,), equal for those that differ by rounding only.

    Parameters
    ----------
    scale : float >= 0
        Size of the numbers that the values were computed from.
    """
    unit = TIED * scale
    return np.rint(values / unit) if unit >= np.finfo(float).tiny else values


def ascending(values):
    """Return the positions of `values` (n,) from the smallest on, ties in order of position."""
    return np.argsort(ranks(values, np.abs(values).max(initial=0.0)), kind="stable")


def first_smallest(values):
    """Return the position of the smallest of `values` (n,), infinite ones allowed; of ties the first."""
    finite = np.abs(values[np.isfinite(values)])
    return int(np.argmin(ranks(values, finite.max(initial=0.0))))
