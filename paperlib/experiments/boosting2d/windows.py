"""The lightest separator sets that hold each point, by windows of the classes of lines about a centre.

The lines about a centre that have a point wrong are a window of half a turn. As the point's direction grows,
the window moves on, and with a queue of what may yet be its least weight each step is short.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.experiments.boosting2d.interval_tree import _interval_weights

OWN, OTHER = 0, 1  # the class of the centres, and the other one


class Sample(NamedTuple):
    """Locations, and what is to be known of them.

    Attributes
    ----------
    x, y : ndarray of shape (k,)
        For exact predicates.
    px, py : ndarray of shape (k,)
        The same, both axes in one unit.
    weights : ndarray of shape (2, k)
        Of `OWN` and `OTHER`.
    alone : ndarray of shape (k,), bool
        Whether one point only is there.
    keys : ndarray of shape (k,), uint64
        Random: sets are told apart by the exclusive or of what they predict to be of the centres' class.
    """

    x: np.ndarray
    y: np.ndarray
    px: np.ndarray
    py: np.ndarray
    weights: np.ndarray
    alone: np.ndarray
    keys: np.ndarray


class Fan(NamedTuple):
    """The classes of lines about a centre, 4 g of them as `_interval_weights` has them, and scratch.

    Attributes
    ----------
    at : ndarray of shape (k,), int64
        Direction of each location, of 2 g.
    ring : ndarray of shape (k - 1,), int64
        The other locations by their directions.
    weights : ndarray of shape (4 k,)
    half, packed, spare, order, level, of, queue, least : ndarray
    """

    at: np.ndarray
    ring: np.ndarray
    weights: np.ndarray
    half: np.ndarray
    packed: np.ndarray
    spare: np.ndarray
    order: np.ndarray
    level: np.ndarray
    of: np.ndarray
    queue: np.ndarray
    least: np.ndarray


@jit
def scratch(n):
    whole, half = np.empty((8, 8 * n + 8), dtype=np.int64), np.ones(n, dtype=np.int64)
    packed, level = np.empty((2, n), dtype=np.uint64), np.empty(n - 1, dtype=np.bool_)
    real = np.empty((2, 4 * n))
    at, ring, order, queue = whole[0, :n], whole[1, : n - 1], whole[2, : n - 1], whole[3]
    of = np.empty((2, 2 * n))
    return Fan(at, ring, real[0], half, packed[0], packed[1], order, level, of, queue, real[1])


@jit
def fan_about(sample, a, fan):
    """Sort and weigh the classes of lines about a centre; return g, and the steps taken."""
    order, half = fan.order, fan.half
    steps = mirrored_order(sample.x, sample.y, a, half, fan.packed, fan.spare, order, fan.level)
    own, other = sample.weights[OWN], sample.weights[OTHER]
    groups = _interval_weights(order, half, fan.level, own, other, fan.at, other[a], fan.of, fan.weights)
    # The mirrored order once for each half turn is the order all around, without another sort.
    size = 0
    for sign in (1, -1):
        for b in order:
            if half[b] == sign:
                fan.ring[size] = b
                size += 1
    return groups, steps + 4 * groups + 2 * size


@jit
def window(groups, kind):
    """Return where the classes of lines begin that misclassify a point in direction 0, and how many they are.

    Of the centres' class those that have it on their other side; of the other class the rest.
    """
    # What is on a line is predicted to be of the centres' class: classes 0 and 2 g are in the second window.
    return (1, 2 * groups - 1) if kind == OWN else (2 * groups, 2 * groups + 1)


@jit
def _least_in_windows(weights, size, begin, length, queue, least):
    """Fill ``least`` (size / 2,): the least weight in windows that begin two classes further each.

    The queue has what may yet be the least, lightest first. Returns the steps taken.
    """
    # Fewer than 6 g classes enter in all, so that the queue need not go round.
    head, tail, steps = 0, 0, 0
    for k in range(begin, begin + length + size - 2):
        weight = weights[k % size]
        # An earlier class that is no lighter leaves sooner: it cannot be the least any more.
        while tail > head and weights[queue[tail - 1] % size] >= weight:
            tail -= 1
            steps += 1
        queue[tail] = k
        tail += 1
        steps += 1
        first = k - length + 1
        if first < begin or (first - begin) % 2:
            continue
        # It ends at class k, which has just entered, and is in the window.
        while queue[head] < first:
            head += 1
        least[(first - begin) // 2] = weights[queue[head] % size]
    return steps


@jit
def lightest_holding(sample):
    """Find the lightest of the sets that hold each class at each location, of lines through other locations.

    Returns
    -------
    lowest : ndarray of shape (2, k)
        ``inf`` if there is none.
    best : float
        The least weight of all.
    steps : int
        Of the sorts about the centres, as of `mirrored_order`; classes weighed and windows moved.
    """
    n = len(sample.x)
    lowest, best, steps, fan = np.full((2, n), np.inf), np.inf, 0, scratch(n)
    for a in range(n):
        if sample.weights[OWN, a] == 0.0 or n == 1:
            continue
        groups, work = fan_about(sample, a, fan)
        size, steps = 4 * groups, steps + work
        # Both classes from the same centres: for those of the other class O(m n log n) has no time.
        for kind in (OWN, OTHER):
            begin, length = window(groups, kind)
            steps += _least_in_windows(fan.weights, size, begin, length, fan.queue, fan.least)
            for b in fan.ring:
                if sample.weights[kind, b] > 0.0:
                    lowest[kind, b] = min(lowest[kind, b], fan.least[fan.at[b]])
        least = fan.weights[:size].min()
        best = min(best, least)
        if sample.weights[OTHER, a] > 0.0:  # on every line about a
            lowest[OTHER, a] = min(lowest[OTHER, a], least)
    return lowest, best, steps
