"""Bounds on all hyperplanes of a box: those whose normal and offset lie between two vectors.

A point x with label y in {-1, 1} is the vector ``y (x, 1)``, and a hyperplane the vector w of its normal and
offset: it classifies the point correctly if their product is positive. So w matters up to its length, and the
faces of a cube hold all hyperplanes; a box is a part of a face: all w with ``|w - center| <= half`` in each
coordinate, `half` being zero across the face.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit

SURE = 1e-12  # far above the rounding errors of a product of vectors of length one
ON = 1e-9  # a point with a smaller product counts as on the hyperplane
ROUNDS = 4  # of improving a bound; more are dearer than the boxes that they save, up to six dimensions


class Sample(NamedTuple):
    """The points: `vectors` (n, D) of length one, and their `weights` (n,)."""

    vectors: np.ndarray
    weights: np.ndarray


class Active(NamedTuple):
    """What a box leaves open.

    Attributes
    ----------
    kept : int
        Number of active points: those that some hyperplane of the box has on it, or nearly.
    base : float
        Weight that all hyperplanes of the box misclassify, active points aside.
    at_center : float
        Weight of the active points that the center has on the wrong side or on it.
    """

    kept: int
    base: float
    at_center: float


@jit
def copy(source, target):
    """Write `source` over the first entries of `target`; a loop compiles in a tenth of a slice's time."""
    for j in range(len(source)):
        target[j] = source[j]


@jit
def scale(vector, factor):
    for j in range(len(vector)):
        vector[j] *= factor


@jit
def narrow(sample, items, center, half, out, products):
    """Write the active ones of `items` into `out`, and their products in (center, least of the box).

    It is safe to have `items` and `out` overlap where `out` does not begin after `items`.
    """
    vectors, weights = sample
    kept, base, at_center = 0, 0.0, 0.0
    for item in items:
        middle, spread = 0.0, 0.0
        for j in range(len(center)):
            middle += vectors[item, j] * center[j]
            spread += abs(vectors[item, j]) * half[j]
        if middle - spread > SURE:
            continue
        if middle + spread < -SURE:
            base += weights[item]
            continue
        out[kept] = item
        products[kept, 0], products[kept, 1] = middle, middle - spread
        kept += 1
        # What is on the center counts as wrong, so that the center misclassifies no more than this.
        if middle <= ON:
            at_center += weights[item]
    return Active(kept, base, at_center)


@jit
def lower_bound(sample, items, products, center, half, enough):
    """Return a weight that every hyperplane of the box misclassifies of the active `items`, and a slope.

    A point whose product is at least ``low < 0`` costs no less than ``weight max(0, product / low)``, which
    is convex. Of a sum of convex functions any tangent, and any mean of tangents, is a lower bound, and
    linear: its least value is in a corner of the box. The first tangent is that at the center, each other one
    where the mean of those before is least, or on the way there. It ends where the bound is above `enough`.
    """
    vectors, weights = sample
    D = len(center)
    mean, slope, at, best = np.zeros(D), np.zeros(D), np.zeros(D), 0.0
    for turn in range(ROUNDS):
        scale(slope, 0.0)
        for k in range(len(items)):
            middle, low = products[k]
            # It is on its right side, but for rounding, wherever the hyperplane is in the box.
            if low >= -SURE:
                continue
            item = items[k]
            if turn > 0:
                middle = 0.0
                for j in range(D):
                    middle += vectors[item, j] * at[j]
            if middle < 0.0:
                # The cost is linear along each ray: a tangent has no constant, and the slope is all of it.
                share = weights[item] / low
                for j in range(D):
                    slope[j] += share * vectors[item, j]
        least, steepest = 0.0, 0.0
        for j in range(D):
            mean[j] += (slope[j] - mean[j]) / (turn + 1.0)
            least += mean[j] * center[j] - abs(mean[j]) * half[j]
            steepest = max(steepest, abs(mean[j]) * half[j])
        # Less its rounding: a bound that is a little too high would drop the box of the best.
        best = max(best, least * (1.0 - SURE))
        if best > enough or steepest == 0.0:
            break
        for j in range(D):
            at[j] = center[j] - half[j] * min(max(2.0 * mean[j] * half[j] / steepest, -1.0), 1.0)
    return best, mean


@jit
def widest(sample, items, half):
    """Return the coordinate that leaves the products of the active points widest, and their mean width."""
    spreads = np.zeros(len(half))
    for item in items:
        for j in range(len(half)):
            spreads[j] += abs(sample.vectors[item, j]) * half[j]
    # Across the face `half` is zero: it is not chosen as long as there is any width at all.
    longest = 0
    for j in range(1, len(half)):
        if spreads[j] > spreads[longest]:
            longest = j
    return longest, spreads[longest] / max(len(items), 1)
