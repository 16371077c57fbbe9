"""Scores of the examples by the mean of the others: exact, since a mean is a sum."""

from typing import Any

import numpy as np

from paperlib._common.rounding import TIED
from paperlib._common.typing import Floats

_HEAVY = 1e-6  # weight of the others below which a difference has lost too many digits


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
    is alone in its class is scored by the other class. Where nearly all weight is left out, the rest is added
    up by itself: as a difference it would be rounding.
    """
    points = points.astype(np.float64, copy=False) if points.dtype.kind == "f" else points
    positive = dual_coef > 0
    sums = [kernel.sums(points, points, np.where(side, dual_coef, 0.0)) for side in (~positive, positive)]
    # For each example the sum over its own class, with itself, and over the other.
    same, other = np.where(positive, sums[::-1], sums)
    # The weight of what stays: of the example's own class, or of all.
    others = (0.5 if balanced else 1.0) - np.abs(dual_coef)
    left = same - dual_coef * kernel.diagonal(points)
    for i in np.flatnonzero(others < _HEAVY):
        rest = positive == positive[i] if balanced else np.ones(len(positive), dtype=bool)
        rest[i] = False
        others[i] = np.abs(dual_coef[rest]).sum()
        mates = np.where(rest & (positive == positive[i]), dual_coef, 0.0)
        left[i] = kernel.sums(points[[i]], points, mates)[0]
    if balanced:
        # The own class is scaled back to its share of 1/2.
        scores = other + np.divide(0.5 * left, others, out=np.zeros_like(left), where=others > 0.0)
    else:
        scores = (left + other) / others
    scores[np.abs(scores) <= TIED * (np.abs(same) + np.abs(other))] = 0.0
    return scores
