"""The exponential search of Section 1: remove every possible subset, test what is left for separability."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.hulls import convex_hull, hull_gap
from paperlib.boosting2d._inputs.points import check_labels, check_points, check_weights


@jit
def separable(x, y, positive, removed):
    """Return whether the points outside the bit mask `removed` are strictly linearly separable; exact."""
    n = len(x)
    chosen, size = np.empty((2, n), dtype=np.int64), np.zeros(2, dtype=np.int64)
    for i in range(n):
        if removed >> i & 1 == 0:
            k = np.int64(positive[i])
            chosen[k, size[k]] = i
            size[k] += 1
    if size[0] == 0 or size[1] == 0:
        return True
    a, b = chosen[1, : size[1]], chosen[0, : size[0]]
    hull_a, hull_b = a[convex_hull(x[a], y[a])], b[convex_hull(x[b], y[b])]
    dx, dy = hull_gap(x[hull_a], y[hull_a], x[hull_b], y[hull_b])
    return dx != 0.0 or dy != 0.0


@jit
def _lightest(x, y, positive, order, totals, slack):
    found, size = np.empty(len(order), dtype=np.int64), 0
    limit = np.inf
    # By weight: the first separable set is the lightest, and the search ends beyond its weight.
    for removed in order:
        if totals[removed] > limit:
            break
        if separable(x, y, positive, removed):
            if size == 0:
                limit = totals[removed] + slack
            found[size] = removed
            size += 1
    return found[:size]


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
    totals = np.zeros(1)
    for weight in weights:
        totals = np.concatenate([totals, totals + weight])
    order = np.argsort(totals, kind="stable")
    x, y = (np.ascontiguousarray(X[:, k], dtype=np.float64) for k in range(2))
    found = _lightest(x, y, np.asarray(positive, dtype=np.bool_), order, totals, float(slack))
    return float(totals[found[0]]), (found[:, None] >> np.arange(n) & 1).astype(bool)
