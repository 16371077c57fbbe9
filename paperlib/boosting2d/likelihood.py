"""Weights under which the lightest line is the most likely one (Section 1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Flags, Floats


class LikelihoodWeights(NamedTuple):
    """Weights of labels that are correct with known probabilities.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        ``|log(p / (1 - p))|``, natural logarithm.
    flip : ndarray of shape (n,), bool
        Labels that are more likely wrong than right (p < 1/2), to be replaced by the other one.
    keep : ndarray of shape (n,), bool
        Points that carry information (p != 1/2); the others have weight 0 and must be dropped.

    Examples
    --------
    >>> weights, flip, keep = likelihood_weights([0.25, 0.5])
    >>> weights.round(3).tolist(), flip.tolist(), keep.tolist()
    ([1.099, 0.0], [True, False], [True, False])
    """

    weights: Floats
    flip: Flags
    keep: Flags


def likelihood_weights(p: ArrayLike) -> LikelihoodWeights:
    """Return the weights that turn the line of least weight into the maximum-likelihood line.

    Parameters
    ----------
    p : array-like of shape (n,)
        Probability that each label is correct, in (0, 1).

    Returns
    -------
    LikelihoodWeights
        For labels in {-1, +1} the classifier of greatest likelihood comes from
        ``optimal_separator(X[keep], np.where(flip, -y, y)[keep], weights[keep])``.

    Raises
    ------
    ValueError
        If `p` is not a vector of numbers in (0, 1).

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Section 1.

    Examples
    --------
    >>> found = likelihood_weights([0.9, 0.1, 0.5])
    >>> found.weights.round(3).tolist(), found.flip.tolist(), found.keep.tolist()
    ([2.197, 2.197, 0.0], [False, True, False], [True, True, False])
    """
    p = np.asarray(p)
    if p.ndim != 1 or p.dtype.kind not in "buif":
        raise ValueError(f"p must be a vector of numbers in (0, 1), got shape {p.shape} and dtype {p.dtype}")
    p = p.astype(np.float64)
    outside = ~((p > 0) & (p < 1))
    if outside.any():
        raise ValueError(f"p must be in (0, 1), both ends excluded, got {p[outside][0]} among its entries")
    return LikelihoodWeights(np.abs(np.log(p) - np.log1p(-p)), p < 0.5, p != 0.5)
