"""Points merged into distinct locations, in coordinates where the predicates are exact."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.stable_sort import sort_by

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
    exponents = [_exponent(X[:, 0]), _exponent(X[:, 1])]
    rows = np.zeros((len(X), 4))
    _in_range(X, positive, weights, *exponents, rows)
    x, y = rows[:, 0].copy(), rows[:, 1].copy()
    order = np.argsort(x)
    sort_ties(x, y, order)
    k, *columns, of_row = _merge(rows, order)
    x, y, wp, wn = (column[:k] for column in columns)
    points = np.column_stack([np.ldexp(x, -exponents[0]), np.ldexp(y, -exponents[1])])
    return Locations(x, y, wp, wn, points, of_row)


@jit
def sort_ties(x, y, order):
    """Sort runs of equal x by y."""
    start = 0
    for i in range(1, len(order) + 1):
        if i == len(order) or x[order[i]] != x[order[start]]:
            if i - start > 1:
                sort_by(y, order[start:i])
            start = i


@jit
def _merge(rows, order):
    n = len(order)
    x, y, wp, wn = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    of_row = np.empty(n, dtype=np.int64)
    last = -1
    for i in order:
        row = rows[i]
        if last < 0 or x[last] != row[0] or y[last] != row[1]:
            last += 1
            x[last], y[last], wp[last], wn[last] = row[0], row[1], 0.0, 0.0
        of_row[i] = last
        wp[last] += row[2]
        wn[last] += row[3]
    return last + 1, x, y, wp, wn, of_row


def tolerance(weights):
    """Return how far apart sums of these weights may be by rounding alone; 0 where they are exact.

    They are exact if all weights are multiples of one power of two, and their sum is below 2**53 of it.
    """
    mantissas, exponents = np.frexp(weights)
    integers = np.ldexp(mantissas, 53).astype(np.int64)
    # `integers & -integers` is the lowest bit that is set; `unit` becomes the exponent of the lowest of all.
    unit = (np.frexp((integers & -integers).astype(np.float64))[1] + exponents).min() - 54
    total = float(weights.sum())
    return 0.0 if np.frexp(total)[1] - unit <= 53 else 1e-12 * total


def _exponent(values):
    """Return the exponent of the power of two that brings the extent of `values` to about one."""
    low, high = values.min(), values.max()
    # Halves, for the difference may overflow. A constant column is scaled by its own size.
    return -int(np.frexp(high / 2 - low / 2 or high)[1])


@jit
def _in_range(X, positive, weights, ex, ey, rows):
    """Write scaled coordinates and the weights of each class side by side: taken in another order."""
    # In two steps, for the power itself may be out of range.
    x_unit, x_rest = 2.0 ** (ex // 2), 2.0 ** (ex - ex // 2)
    y_unit, y_rest = 2.0 ** (ey // 2), 2.0 ** (ey - ey // 2)
    for i in range(len(X)):
        x, y = X[i, 0] * x_unit * x_rest, X[i, 1] * y_unit * y_rest
        rows[i, 0] = x if abs(x) >= _NEGLIGIBLE else 0.0
        rows[i, 1] = y if abs(y) >= _NEGLIGIBLE else 0.0
        rows[i, 2 if positive[i] else 3] = weights[i]
