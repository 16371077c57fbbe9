"""The exponential search of Section 1: remove every possible subset, test what is left for separability."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paperlib._common.jit import jit
from paperlib.boosting2d._inputs.points import check_labels, check_points, check_weights
from paperlib.experiments.boosting2d.exact import conflicts, turns


@jit
def separable(conflicts, removed):
    """Return whether the points outside the bit mask `removed` are strictly linearly separable; exact."""
    for conflict in conflicts:  # noqa: SIM110 - numba compiles no generators
        if conflict & removed == 0:
            return False
    return True


@jit
def _lightest(conflicts, order, totals, slack):
    found, size = np.empty(len(order), dtype=np.int64), 0
    limit, tried = np.inf, 0
    # By weight: the first separable set is the lightest, and the search ends beyond its weight.
    for removed in order:
        if totals[removed] > limit:
            break
        tried += 1
        if separable(conflicts, removed):
            if size == 0:
                limit = totals[removed] + slack
            found[size] = removed
            size += 1
    return found[:size], tried


def _by_weight(weights):
    """Return the bit masks of all subsets, lightest first, and the weight of each subset."""
    totals = np.zeros(1)
    for weight in weights:
        totals = np.concatenate([totals, totals + weight])
    return np.argsort(totals, kind="stable"), totals


def subsets(
    X: ArrayLike, positive: ArrayLike, weights: ArrayLike, slack: float = 0.0
) -> tuple[float, NDArray[np.bool_]]:
    """Find the lightest separator sets (Definition 2.1) among all 2^n subsets, lightest first.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Memory and time grow with 2^n; n is at most 24.
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,), > 0
    slack : float
        How far above the least weight a set may be to be returned.

    Returns
    -------
    best : float
    sets : ndarray of shape (k, n), bool
        True for the points to remove.

    Raises
    ------
    ValueError
        If there are more than 24 rows, or for an argument that `optimal_separator` would not take.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> subsets(X, np.array([True, False, True]), np.ones(3))[1].astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    X = check_points(X)
    n = len(X)
    if n > 24:
        raise ValueError(f"X must have at most 24 rows for all subsets to be tried, got {n}")
    positive, weights = check_labels(positive, n), check_weights(weights, n)
    order, totals = _by_weight(weights)
    found, _ = _lightest(conflicts(X, positive, turns(X)), order, totals, float(slack))
    return float(totals[found[0]]), (found[:, None] >> np.arange(n) & 1).astype(bool)


def subsets_tried(X, positive, weights):
    """Count the subsets that the search removes and tests, by running it.

    Parameters
    ----------
    X, positive, weights : ndarray
        As of `subsets`.

    Returns
    -------
    tried : int
        All subsets of the least weight or less.
    best : float
        ``inf`` if none was separable.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> subsets_tried(X, np.array([True, False, True]), np.ones(3))
    (4, 1.0)
    """
    order, totals = _by_weight(weights)
    found, tried = _lightest(conflicts(X, positive, turns(X)), order, totals, 0.0)
    return tried, float(totals[found].min(initial=np.inf))
