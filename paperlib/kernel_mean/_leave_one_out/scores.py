"""Scores of the examples by the mean of the others: exact, since a mean is a sum."""

from typing import Any

import numpy as np

from paperlib._common.rounding import TIED
from paperlib._common.typing import Floats


def leave_one_out_scores(kernel: Any, points: np.ndarray, dual_coef: Floats, balanced: bool) -> Floats:
    """Return the score (n,) of each example by the mean classifier of all others.

    Parameters
    ----------
    kernel, points : as `bind_kernel` returns them
    dual_coef : ndarray of shape (n,)
        Of the classifier of all examples; absolute values sum to 1.
    balanced : bool
        Whether the classes' shares stay 1/2 when an example is left out; else those of all others grow.

    Notes
    -----
    O(n^2 d) time, two kernel sums, and O(n d) memory. A score that may be rounding only is 0. An example that
    is alone in its class is scored by the other class.
    """
    points = points.astype(np.float64, copy=False) if points.dtype.kind == "f" else points
    positive = dual_coef > 0
    sums = [kernel.sums(points, points, np.where(side, dual_coef, 0.0)) for side in (~positive, positive)]
    same, other = np.where(positive, sums[::-1], sums)
    others = (0.5 if balanced else 1.0) - np.abs(dual_coef)
    left = same - dual_coef * kernel.diagonal(points)
    if balanced:
        scores = other + np.divide(0.5 * left, others, out=np.zeros_like(left), where=others > TIED)
    else:
        scores = (left + other) / others
    scores[np.abs(scores) <= TIED * (np.abs(same) + np.abs(other))] = 0.0
    return scores
