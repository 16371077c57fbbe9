"""Points merged into distinct locations, in coordinates where the predicates are exact."""

from typing import NamedTuple

import numpy as np
from numba import njit

_NEGLIGIBLE = 2.0**-460  # of the extent; far below, products would underflow


class Locations(NamedTuple):
    """The distinct locations of a sample, in lexicographic order.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        Coordinates, each axis scaled by its own power of two: no sign of an orientation changes.
    wp, wn : ndarray of shape (k,)
        Weight of the positive and of the negative points there.
    points : ndarray of shape (k, 2)
        In the units of X.
    of_row : ndarray of shape (n,), int64
        The location of each row of X.
    """

    x: np.ndarray
    y: np.ndarray
    wp: np.ndarray
    wn: np.ndarray
    points: np.ndarray
    of_row: np.ndarray


def merge(X, positive, weights):
    """Merge the rows of `X` into `Locations`.

    Parameters
    ----------
    X : ndarray of shape (n, 2), finite, n >= 1
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,), > 0

    Returns
    -------
    Locations
    """
    x, y = _in_range(X[:, 0]), _in_range(X[:, 1])
    order = np.argsort(x)
    _sort_ties(x, y, order)
    places = _merge(X, x, y, positive, weights, order)
    k = places[0]
    return Locations(*(part[:k] for part in places[1:6]), places[6])


@njit(cache=True, nogil=True)
def _sort_ties(x, y, order):
    """Sort runs of equal x by y."""
    start = 0
    for i in range(1, len(order) + 1):
        if i == len(order) or x[order[i]] != x[order[start]]:
            if i - start > 1:
                run = order[start:i].copy()
                order[start:i] = run[np.argsort(y[run], kind="mergesort")]
            start = i


@njit(cache=True, nogil=True)
def _merge(X, x, y, positive, weights, order):
    n = len(order)
    xs, ys, wp, wn = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    points = np.empty((n, 2))
    of_row = np.empty(n, dtype=np.int64)
    last = -1
    for i in order:
        if last < 0 or xs[last] != x[i] or ys[last] != y[i]:
            last += 1
            xs[last], ys[last], wp[last], wn[last] = x[i], y[i], 0.0, 0.0
            points[last] = X[i]
        of_row[i] = last
        if positive[i]:
            wp[last] += weights[i]
        else:
            wn[last] += weights[i]
    return last + 1, xs, ys, wp, wn, points, of_row


def tolerance(weights):
    """Return how far apart sums of these weights may be by rounding alone; 0 where they are exact.

    They are exact if all weights are multiples of one power of two, and their sum is below 2**53 of it.
    """
    mantissas, exponents = np.frexp(weights)
    integers = np.ldexp(mantissas, 53).astype(np.int64)
    unit = (np.frexp((integers & -integers).astype(np.float64))[1] + exponents).min() - 54
    total = float(weights.sum())
    return 0.0 if np.frexp(total)[1] - unit <= 53 else 1e-12 * total


def _in_range(values):
    low, high = values.min(), values.max()
    extent = high / 2 - low / 2
    scaled = np.ldexp(values, -int(np.frexp(extent or high)[1]))
    return np.where(np.abs(scaled) < _NEGLIGIBLE, 0.0, scaled)
