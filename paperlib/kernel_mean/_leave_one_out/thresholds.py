"""The threshold of least error."""

import numpy as np

from paperlib._common.rounding import TIED, ranks
from paperlib._common.typing import Floats


def best_threshold(scores: Floats, signs: Floats, weights: Floats) -> float:
    """Return the threshold of least weighted error, the one nearest to zero where several are equally good.

    A score above the threshold is positive. Thresholds are zero, half-way between two scores, and beyond all.

    Parameters
    ----------
    scores, signs, weights : ndarrays of shape (n,)

    Examples
    --------
    >>> best_threshold(np.array([1.0, 2.0, 4.0]), np.array([-1, -1, 1]), np.ones(3))
    3.0
    """
    largest, signed = np.abs(scores).max(), signs * weights
    order = np.argsort(scores, kind="stable")
    found, below = scores[order], np.cumsum(signed[order])
    # Scores that differ by rounding only are equal: no threshold is between them.
    apart = np.diff(ranks(found, largest)) > 0
    thresholds = [[0.0, found[0] - largest, found[-1] + largest], (found[:-1] + found[1:])[apart] / 2.0]
    # Weight of the positives below, less that of the negatives there: the error but for a constant.
    errors = [[signed[scores <= 0].sum(), 0.0, below[-1]], below[:-1][apart]]
    candidates, lost = np.concatenate(thresholds), np.concatenate(errors)
    tied = candidates[lost <= lost.min() + TIED * weights.sum()]
    return float(tied[np.argmin(np.abs(tied))])
