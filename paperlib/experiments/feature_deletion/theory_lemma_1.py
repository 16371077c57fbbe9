"""Lemma 1: the adversary's problem for one example, whole and relaxed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_number, check_vector
from paperlib.feature_deletion._deletion.knapsack import fractional, subset
from paperlib.feature_deletion._deletion.validation import check_adversary


class Inner(NamedTuple):
    """The adversary's problem for one example, whole and relaxed.

    Attributes
    ----------
    integer, relaxed : float
        Values of Equations (6) and (7), from the margin down: the second is not above the first.
    kept : ndarray of shape (n,)
        A minimiser of Equation (7), at most one entry strictly between 0 and 1.

    Examples
    --------
    Half a feature may go. Of whole ones that is none, in part it is half of the first:

    >>> found = lemma_1([1.0, 1.0], 0.0, [1.0, 0.5], 1, 0.5, margin=0.0)
    >>> found.integer, found.relaxed, found.kept.tolist()
    (1.5, 1.0, [0.5, 1.0])
    """

    integer: float
    relaxed: float
    kept: Floats


def lemma_1(
    w: ArrayLike,
    b: float,
    x: ArrayLike,
    y: int,
    n_deleted: float,
    margin: float = 1.0,
    feature_values: ArrayLike | None = None,
) -> Inner:
    """Equations (6) and (7): the least of ``y b + sum_j tau_j (y w_j x_j - margin v_j / P)`` for one example.

    Over tau in {0, 1} and in [0, 1], both with ``sum_j tau_j v_j >= P``. The example's constraint in Equation
    (3) holds with slack xi where the first is at least -xi. The lemma: (a) so it is where the second is at
    least -xi; (b) for values of 0 and 1 and an integer N the two are equal, so that this is necessary too;
    (c) the second has a minimiser with at most one entry in (0, 1).

    Parameters
    ----------
    w, x : array-like of shape (n,)
    b : float
    y : {-1, 1}
    n_deleted : float in [0, V)
    margin : float >= 0, default=1.0
    feature_values : array-like of shape (n,), optional

    Returns
    -------
    Inner

    Raises
    ------
    ValueError
        As `worst_case_deletion`.

    Examples
    --------
    >>> lemma_1([1.0, 1.0], 0.0, [1.0, 0.5], 1, 0.5, margin=0.0)[:2]
    (1.5, 1.0)
    """
    x = np.asarray(check_vector(x, "x", np.size(x), "feature"))
    w, b = np.asarray(check_vector(w, "w", x.size, "feature")), check_number(b, "b")
    (y,) = check_binary_signs([y])
    values, budget = check_adversary(n_deleted, feature_values, x.size)
    price = check_number(margin, "margin", low=0) / (values.sum() - budget)
    profits = y * w * x - price * values
    gone, parts = np.empty(x.size, dtype=bool), np.empty(x.size)
    everything = y * b + profits.sum()
    integer = everything - subset(profits, values, budget, gone, True)[0]
    relaxed = everything - fractional(profits, values, budget, parts)
    return Inner(float(integer), float(relaxed), 1.0 - parts)
