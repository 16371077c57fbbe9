"""Separator sets, each written as a line through two locations that was turned and shifted a little.

A witness is ``(a, b, side, turn)``. The line runs from location a to location b; it is turned about a by an
infinitesimal angle, counter-clockwise for ``turn = 1``, clockwise for -1, not at all for 0; and then shifted
so that what still lies on it is predicted positive (Definition 2.4, Lemma 2.8). Apart from that the left side
is predicted positive for ``side = 1``, the right one for -1. With ``b = -1`` there is no line: every location
is predicted to be of the sign `side`.

The two witnesses without a line are needed: Lemma 2.5 moves a line up to its nearest correctly classified
positive point, and a line that predicts every point negative has none.

How many witnesses there will be is not known beforehand: they are written into arrays that grow.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import orientation


@jit
def ray(x, y, a, b, c):
    """Return 1 if location c, on the line through a and b, is on b's side of a; -1 beyond a; 0 if it is a."""
    if x[a] != x[b]:
        towards, there = x[b] > x[a], x[c] > x[a]
        here = x[c] == x[a]
    else:
        towards, there = y[b] > y[a], y[c] > y[a]
        here = y[c] == y[a]
    if here:
        return 0
    return 1 if towards == there else -1


@jit
def predicted_positive(x, y, a, b, side, turn):
    """Return the prediction of a witness for every location, exactly.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Distinct locations.
    a, b, side, turn : int
        The witness.

    Returns
    -------
    ndarray of shape (n,), bool
    """
    n = len(x)
    predicted = np.empty(n, dtype=np.bool_)
    for c in range(n):
        if b < 0:
            predicted[c] = side > 0
            continue
        where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
        if where == 0:
            # Turned counter-clockwise, the line has what is on b's side of a to its right, and what is beyond
            # a to its left.
            where = -turn * ray(x, y, a, b, c)
        predicted[c] = where == 0 or where == side
    return predicted


@jit
def grown(array, used, needed):
    """Return the same array (m,) with room for `needed` entries; `used` of them are kept."""
    if len(array) >= needed:
        return array
    # Twice as large, so that n appended entries cost O(n) copies in all.
    larger = np.empty(2 * needed, dtype=array.dtype)
    for i in range(used):
        larger[i] = array[i]
    return larger


@jit
def grown_rows(array, used, needed):
    """As `grown`, for the rows of an array (m, k)."""
    if len(array) >= needed:
        return array
    larger = np.empty((2 * needed, array.shape[1]), dtype=array.dtype)
    # Entry by entry: an assignment of slices takes a second to compile, most of it for its error message.
    for i in range(used):
        for j in range(array.shape[1]):
            larger[i, j] = array[i, j]
    return larger


@jit
def bit(row, c):
    """Return bit c of a row that `numpy.packbits` wrote."""
    return row[c >> 3] >> (7 - (c & 7)) & 1


@jit
def _pack(x, y, witnesses, packed):
    """Write predictions as bits into rows of zeros."""
    for i in range(len(witnesses)):
        a, b, side, turn = witnesses[i, 0], witnesses[i, 1], witnesses[i, 2], witnesses[i, 3]
        predicted = predicted_positive(x, y, a, b, side, turn)
        for c in range(len(x)):
            if predicted[c]:
                packed[i, c >> 3] |= np.uint8(128 >> (c & 7))


def distinct_sets(x, y, witnesses):
    """Group witnesses that predict the same, exactly.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
    witnesses : ndarray of shape (k, 4), int64

    Returns
    -------
    first : ndarray of shape (s,), int64
        The first witness of each distinct prediction, in the order met.
    packed : ndarray of shape (s, ceil(n / 8)), uint8
        The predictions, as `numpy.packbits` writes them. Where a location holds both classes the prediction
        says which of them is misclassified, so distinct predictions and distinct separator sets are the same.
    """
    packed = np.zeros((len(witnesses), (len(x) + 7) // 8), dtype=np.uint8)
    _pack(x, y, np.asarray(witnesses), packed)
    _, first = np.unique(packed.view(f"V{packed.shape[1]}")[:, 0], return_index=True)
    first.sort()
    return first, packed[first]
