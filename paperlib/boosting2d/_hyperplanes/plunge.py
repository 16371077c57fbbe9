"""Depth first search of one box, as far as an amount of work allows."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._hyperplanes.boxes import copy, lower_bound, narrow, widest
from paperlib.boosting2d._hyperplanes.vertices import finish, no_crowd

NARROW = 1e-7  # mean width of the products below which a box is not split
DEEPEST = 30  # halvings of one coordinate: 2**-30 is below NARROW


class Boxes(NamedTuple):
    """Boxes that are left, each with the active points of the box that it was cut from.

    Attributes
    ----------
    centers, halves : ndarray of shape (s, D)
    bases : ndarray of shape (s,)
        Weight that is misclassified all over the box, active points aside.
    bounds : ndarray of shape (s,)
    begin, end : ndarray of shape (s,), int64
        The active points in `arena`.
    arena : ndarray of int32
    """

    centers: np.ndarray
    halves: np.ndarray
    bases: np.ndarray
    bounds: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    arena: np.ndarray


class Best(NamedTuple):
    """The best hyperplane of a search.

    Attributes
    ----------
    weight : float
    plane : ndarray of shape (D,)
    touches : bool
        Whether the points on it, at most d, count as correct.
    """

    weight: float
    plane: np.ndarray
    touches: bool


@jit
def _push(boxes, top, parent, kept, bound, base):
    """Put the halves of a box, `parent`, on the stack, the upper one on top if `upward`."""
    center, half, j, upward = parent
    for turn in range(2):
        sign = 1.0 if upward == (turn == 1) else -1.0
        copy(center, boxes.centers[top])
        copy(half, boxes.halves[top])
        boxes.centers[top, j] += sign * 0.5 * half[j]
        boxes.halves[top, j] *= 0.5
        boxes.bases[top], boxes.bounds[top] = base, bound
        boxes.begin[top], boxes.end[top] = kept
        top += 1
    return top


@jit
def _stack(center, half, base, items):
    """Return boxes of which the first is there."""
    # Depth first, each halving leaves one box behind.
    D, size = len(center), DEEPEST * len(center) + 2
    arena = np.empty(len(items) * 4 + 1024, dtype=np.int32)
    copy(items, arena)
    begin, end = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    boxes = Boxes(np.empty((size, D)), np.empty((size, D)), np.empty(size), np.empty(size), begin, end, arena)
    copy(center, boxes.centers[0])
    copy(half, boxes.halves[0])
    boxes.bases[0], boxes.bounds[0], boxes.begin[0], boxes.end[0] = base, base, 0, len(items)
    return boxes


@jit
def _with_room(boxes, size):
    if size <= len(boxes.arena):
        return boxes
    arena = np.empty(2 * size, dtype=np.int32)
    copy(boxes.arena, arena)
    return Boxes(boxes.centers, boxes.halves, boxes.bases, boxes.bounds, boxes.begin, boxes.end, arena)


@jit
def plunge(sample, items, box, best, gain, leaf, most):
    """Search a box for hyperplanes that misclassify less than `best` by at least `gain`.

    Parameters
    ----------
    sample : Sample
    items : ndarray of int32
        The points that are active in the box, and maybe others that no hyperplane of it misclassifies.
    box : (center, half, base)
        `base` is what all hyperplanes of it misclassify, `items` aside.
    best : Best
        Its weight must be above zero.
    gain : float
    leaf : int
        So few active points are finished by looking at their vertices.
    most : int
        Products of vectors after which the search ends.

    Returns
    -------
    best : Best
        It was met, or is what was given.
    boxes : Boxes
        What is left to search, the first `left` of them.
    left : int
    crowded : Crowded
        Hyperplanes through more than d points that have to be looked at.
    """
    weight, touches, D = best.weight, best.touches, len(best.plane)
    boxes, top, work, crowded = _stack(*box, items), 1, 0, no_crowd(D)
    plane, vertex, center, half = np.empty(D), np.empty(D), np.empty(D), np.empty(D)
    products = np.empty((len(items), 2))
    copy(best.plane, plane)
    while top > 0 and work < most:
        top -= 1
        if boxes.bounds[top] > weight - gain:
            continue
        copy(boxes.centers[top], center)
        copy(boxes.halves[top], half)
        begin, end = boxes.begin[top], boxes.end[top]
        hear(10 * (end - begin + 1) * D)
        boxes = _with_room(boxes, 2 * end - begin)
        active = narrow(sample, boxes.arena[begin:end], center, half, boxes.arena[end:], products)
        base, work = boxes.bases[top] + active.base, work + end - begin
        # The center is a hyperplane like any other.
        if base + active.at_center <= weight - gain:
            weight, touches = base + active.at_center, False
            copy(center, plane)
        # What the active points may cost for a hyperplane of the box to be of interest.
        limit = weight - gain - base
        if limit < 0.0:
            continue
        inner = boxes.arena[end : end + active.kept]
        bound, slope = lower_bound(sample, inner, products, center, half, limit)
        if bound > limit:
            continue
        j, width = widest(sample, inner, half)
        if active.kept <= leaf or width <= NARROW:
            found, crowded, tried = finish(sample, inner, center, half, limit, vertex, crowded)
            work += tried
            if found <= limit:
                weight, touches = base + found, True
                copy(vertex, plane)
            continue
        # First the half into which the bound falls: a better hyperplane found soon drops more boxes.
        kept = (end, end + active.kept)
        top = _push(boxes, top, (center, half, j, slope[j] <= 0.0), kept, base + bound, base)
    return Best(weight, plane, touches), boxes, top, crowded
