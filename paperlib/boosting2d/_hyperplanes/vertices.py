"""The hyperplanes of a box through d of its active points: one of them is next to the best of the box.

Every set of hyperplanes that classify alike has one on its border that goes through d points in general
position, d being the dimension that the points span. Turned and shifted a little, this one has those d points
on any sides that are wanted; so they cost nothing. Where it goes through more points than d, what they cost
is a problem of one dimension less, which is left to the caller.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._hyperplanes.boxes import ON, copy, scale


class Crowded(NamedTuple):
    """Hyperplanes through more than d points, `size` of them.

    Attributes
    ----------
    planes : ndarray of shape (c, D)
    weights : ndarray of shape (c,)
        What each misclassifies of the points that are not on it.
    size : int
    """

    planes: np.ndarray
    weights: np.ndarray
    size: int


@jit
def no_crowd(D):
    return Crowded(np.empty((16, D)), np.empty(16), 0)


@jit
def _remember(crowded, plane, weight):
    """Append a hyperplane unless it is there."""
    planes, weights, size = crowded
    for k in range(size):
        apart = 0.0
        for j in range(len(plane)):
            apart = max(apart, abs(planes[k, j] - plane[j]))
        if apart <= ON:
            return crowded
    if size == len(weights):
        planes, weights = np.empty((2 * size, len(plane))), np.empty(2 * size)
        for k in range(size):
            copy(crowded.planes[k], planes[k])
        copy(crowded.weights, weights)
    copy(plane, planes[size])
    weights[size] = weight
    return Crowded(planes, weights, size + 1)


@jit
def _make_orthogonal(vector, basis, size):
    """Subtract from `vector` its part in the span of the first rows of `basis`; return the length left."""
    for _ in range(2):  # once would leave what rounding left
        for q in range(size):
            product = 0.0
            for j in range(len(vector)):
                product += basis[q, j] * vector[j]
            for j in range(len(vector)):
                vector[j] -= product * basis[q, j]
    total = 0.0
    for j in range(len(vector)):
        total += vector[j] * vector[j]
    return np.sqrt(total)


@jit
def _complete(basis):
    """Fill the last two rows of an orthonormal `basis` (D, D)."""
    D = len(basis)
    for row in (D - 2, D - 1):
        # The axis of which most is orthogonal to the rows so far: a shorter rest has fewer right digits.
        longest, axis = -1.0, 0
        for j in range(D):
            left = 1.0
            for q in range(row):
                left -= basis[q, j] * basis[q, j]
            if left > longest:
                longest, axis = left, j
        scale(basis[row], 0.0)
        basis[row, axis] = 1.0
        scale(basis[row], 1.0 / _make_orthogonal(basis[row], basis, row))


@jit
def _through(vector, basis, face, upward, plane):
    """Write the unit vector orthogonal to `vector` and all rows but the last two into `plane`.

    Return False where `vector` depends on these rows. `plane` is positive in coordinate `face` if `upward`.
    """
    D = len(vector)
    p, q = 0.0, 0.0
    for j in range(D):
        p += vector[j] * basis[D - 2, j]
        q += vector[j] * basis[D - 1, j]
    length = np.sqrt(p * p + q * q)
    if length <= ON:
        return False
    # The part of `vector` that the other rows leave, turned by a quarter in the plane of the last two.
    if (p * basis[D - 1, face] > q * basis[D - 2, face]) != upward:
        length = -length
    for j in range(D):
        plane[j] = (p * basis[D - 1, j] - q * basis[D - 2, j]) / length
    return True


@jit
def _face(half):
    """Return the coordinate that is the same all over a box."""
    for j in range(len(half)):
        if half[j] == 0.0:
            return j
    # Not reached: each box is a part of a face, and its other coordinates are halved, never zero.
    return -1


@jit
def _is_in(plane, center, half, face):
    # The box, where this coordinate is 1 or -1, is brought to the plane: `size` may be zero.
    size = abs(plane[face])
    outside = 0.0
    for j in range(len(plane)):
        outside = max(outside, abs(plane[j] - center[j] * size) - half[j] * size)
    return outside <= ON


@jit
def _weigh(sample, items, plane, limit):
    """Return what `plane` misclassifies of `items`, up to `limit`, and how many are on it."""
    vectors, weights = sample
    weight, on = 0.0, 0
    for item in items:
        product = 0.0
        for j in range(len(plane)):
            product += vectors[item, j] * plane[j]
        if abs(product) <= ON:
            on += 1
        elif product < 0.0:
            weight += weights[item]
            # `on` may be too low then; nobody reads it for a plane that is too heavy.
            if weight > limit:
                break
    return weight, on


@jit
def finish(sample, items, center, half, limit, plane, crowded):
    """Look at all hyperplanes of the box through d of `items`.

    Parameters
    ----------
    sample : Sample
    items : ndarray of int32
        The active points.
    center, half : ndarray of shape (D,)
    limit : float
        Only what misclassifies at most this much of `items` is of interest.
    plane : ndarray of shape (D,)
        The best hyperplane through just d points goes here, if there is one.
    crowded : Crowded

    Returns
    -------
    weight : float
        Of `plane`; inf if there is none.
    crowded : Crowded
        With the hyperplanes through more points.
    tried : int
    """
    D, count = len(center), len(items)
    basis, current, chosen = np.zeros((D, D)), np.empty(D), np.zeros(D, dtype=np.int64)
    chosen[0], face = -1, _face(half)
    best, depth, last, tried, ready, first = np.inf, 0, D - 2, 0, False, True
    while depth >= 0:
        chosen[depth] += 1
        hear(10 * count * D)
        # Too few are left for the places behind this one.
        if chosen[depth] >= count - (last - depth):
            depth -= 1
            # A row in front of the last place changes next.
            ready = False
            continue
        vector = sample.vectors[items[chosen[depth]]]
        if depth < last:
            copy(vector, basis[depth])
            length = _make_orthogonal(basis[depth], basis, depth)
            # A vector in the span of those before fixes nothing: the next one takes its place.
            if length > ON:
                scale(basis[depth], 1.0 / length)
                depth += 1
                chosen[depth] = chosen[depth - 1]
            continue
        if not ready:
            # Once for all vectors that may come last, for the rows before are the same.
            _complete(basis)
            ready = True
        tried += 1
        if not _through(vector, basis, face, center[face] > 0.0, current):
            continue
        if first and _weigh(sample, items, current, np.inf)[1] == count:
            depth = -1  # they are all on one hyperplane, which any d of them would give again
        first = False
        if not _is_in(current, center, half, face):
            continue
        weight, on = _weigh(sample, items, current, limit)
        if weight > limit:
            continue
        if on > D - 1:
            crowded = _remember(crowded, current, weight)
        else:
            # Others are of interest only if they are lighter, crowded ones too: what is on these can but add.
            best, limit = weight, np.nextafter(weight, -np.inf)
            copy(current, plane)
    return best, crowded, tried
