"""Hulls of the points in any range of directions about a centre, and the fat line between two ranges.

Hulls that forget their points in the reverse of the order in which they were added (Facts 2.9, 2.10) follow a
line that turns, but cannot do without a point in the middle. Here a balanced tree over the directions has the
hull of each of its nodes: a range is some log n nodes, and a range without a point is two ranges.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._fattest.turning_hulls import _nearest_to_origin
from paperlib.boosting2d._geometry.predicates import orientation

_MOST = 100  # steps of a search; far more than are needed, unless rounding goes in circles
_SAME = 1.0 - 1e-14  # of the distance: a search that gains less than this has ended
_ROUNDING = 2.0**-48  # above the rounding of a distance, in units of the coordinates about the centre


class Places(NamedTuple):
    """Locations: `x`, `y` for exact predicates; `px`, `py` the same about a centre, both axes in one unit."""

    x: np.ndarray
    y: np.ndarray
    px: np.ndarray
    py: np.ndarray


class RangeHulls(NamedTuple):
    """The hulls of one class about a centre.

    Attributes
    ----------
    chains, lengths : ndarray of shape (2, levels, size), int64
        Upper and lower hulls from left to right, and their lengths, of the nodes of each level; those of a
        node stand where its range begins. The first level has the points in their order about the centre.
    counters : ndarray of shape (2,), int64
        Points, and the steps taken: points compared, moved or looked up.
    """

    chains: np.ndarray
    lengths: np.ndarray
    counters: np.ndarray


class Range(NamedTuple):
    """Positions from `begin` up to `end`, going round behind the last, without `out`, with location `extra`.

    The last two may be -1.
    """

    begin: int
    end: int
    out: int
    extra: int


class FatLine(NamedTuple):
    """The fat line between two sets: where the height along (fx, fy), towards what is ahead, is `height`.

    Attributes
    ----------
    kind : int
        0 for a line; 1 or -1 where there are points ahead, or behind, alone: everything is on that side.
    fx, fy, height : float
    doubt : float
        Heights that differ less than this from that of the line are uncertain; ``inf`` if the distance is
        rounding alone.
    gap : float
        The distance.
    p, q, r, s : int
        Two points ahead and two behind; without any other the line is the same, but for less than `doubt`.
        -1 where there is no line.
    """

    kind: int
    fx: float
    fy: float
    height: float
    doubt: float
    gap: float
    p: int
    q: int
    r: int
    s: int


@jit
def empty_hulls(n):
    """Return `RangeHulls` with room for n points."""
    size, levels = 1, 1
    while size < n:
        size, levels = 2 * size, levels + 1
    chains, lengths = np.empty((2, levels, size), dtype=np.int64), np.ones((2, levels, size), dtype=np.int64)
    return RangeHulls(chains, lengths, np.zeros(2, dtype=np.int64))


@jit
def build(places, hulls):
    """Make the hulls of all nodes from the points of the first level."""
    count = hulls.counters[0]
    hulls.chains[1, 0, :count] = hulls.chains[0, 0, :count]
    for lower in range(2):
        level, half = 1, 1
        while 2 * half <= count:
            # Full nodes alone: `top` cuts its ranges at the number of points, and takes no others.
            for begin in range(0, count - 2 * half + 1, 2 * half):
                _merge(places, hulls, lower, level, begin, half)
            level, half = level + 1, 2 * half


@jit
def _merge(places, hulls, lower, level, begin, half):
    """Make one hull of a node from those of its halves, by a scan of their points from left to right."""
    x, y, up = places.x, places.y, 1 - 2 * lower
    parts, to = hulls.chains[lower, level - 1], hulls.chains[lower, level]
    i, j = begin, begin + half
    end_i, end_j = i + hulls.lengths[lower, level - 1, i], j + hulls.lengths[lower, level - 1, j]
    size = begin
    while i < end_i or j < end_j:
        take = j == end_j
        if not take and i < end_i:
            b, c = parts[i], parts[j]
            # Of equal x the outer one comes second: the scan drops the inner one, but at the left end.
            take = x[b] < x[c] or (x[b] == x[c] and up * y[b] < up * y[c])
        c = parts[i] if take else parts[j]
        i, j = i + take, j + (not take)
        while size > begin + 1:
            a, b = to[size - 2], to[size - 1]
            hulls.counters[1] += 1
            # Strict and exact: without points in line, heights along a chain have one peak.
            if up * orientation(x[a], y[a], x[b], y[b], x[c], y[c]) < 0:
                break
            size -= 1
        to[size] = c
        size += 1
        hulls.counters[1] += 1
    hulls.lengths[lower, level, begin] = size - begin


@jit
def _top_of_node(places, hulls, level, begin, fx, fy):
    """Return the point of a node that is highest in a direction: heights rise along a chain, and fall."""
    lower = 1 if fy < 0.0 else 0
    chain = hulls.chains[lower, level]
    low, high = begin, begin + hulls.lengths[lower, level, begin] - 1
    while low < high:
        middle = (low + high) // 2
        c, d = chain[middle], chain[middle + 1]
        hulls.counters[1] += 2
        if (places.px[d] - places.px[c]) * fx + (places.py[d] - places.py[c]) * fy > 0.0:
            low = middle + 1
        else:
            high = middle
    return chain[low]


@jit
def top(places, hulls, of, fx, fy):
    """Return the location in a `Range` that is highest in a direction, or -1."""
    best, highest, count = of.extra, -np.inf, hulls.counters[0]
    if best >= 0:
        highest = places.px[best] * fx + places.py[best] * fy
    # Without the point that is out, and cut where they go round, these are four ranges at most.
    stop = of.out if of.out >= 0 else of.end
    for begin, end in ((of.begin, stop), (stop + 1, of.end)):
        for shift in (0, count):
            left, right, level = max(begin - shift, 0), min(end - shift, count), 0
            while left < right:
                for side in range(2):
                    # A node at the end is taken at this level if its parent sticks out of the range.
                    at = left if side == 0 else right - 1
                    if at % 2 != (1 - side):
                        continue
                    c = _top_of_node(places, hulls, level, at << level, fx, fy)
                    height = places.px[c] * fx + places.py[c] * fy
                    hulls.counters[1] += 1
                    if height > highest:
                        best, highest = c, height
                left, right, level = (left + 1) // 2, right // 2, level + 1
    return best


@jit
def fat_line(places, ahead, of_ahead, behind, of_behind, extent):
    """Find the fat line between two sets of points that a line through the centre separates.

    The nearest point of some differences between both sides, the extreme difference in its direction, and so
    on (Gilbert, Johnson and Keerthi): each is found by a search in the tree.

    Parameters
    ----------
    places : Places
    ahead, of_ahead, behind, of_behind : RangeHulls, Range, RangeHulls, Range
    extent : float
        The largest coordinate about the centre.

    Returns
    -------
    FatLine
    """
    px, py = places.px, places.py
    p, r = top(places, ahead, of_ahead, 0.0, 1.0), top(places, behind, of_behind, 0.0, -1.0)
    if p < 0 or r < 0:
        kind = int(p >= 0) - int(r >= 0)
        return FatLine(kind, 0.0, 1.0, -np.inf * kind, 0.0, np.inf, -1, -1, -1, -1)
    q, s, ux, uy = p, r, px[p] - px[r], py[p] - py[r]
    vx, vy, near_x, near_y, near = ux, uy, ux, uy, np.hypot(ux, uy)
    for _ in range(_MOST):
        if near == 0.0:
            break
        fx, fy = near_x / near, near_y / near
        c, d = top(places, ahead, of_ahead, -fx, -fy), top(places, behind, of_behind, fx, fy)
        wx, wy = px[c] - px[d], py[c] - py[d]
        # No difference goes less far along (fx, fy) than w: the distance is between that and `near`.
        if (c == p and d == r) or (c == q and d == s) or wx * fx + wy * fy >= near * _SAME:
            break
        # Of the two differences before, the one stays that is on the other side of the nearest point.
        first_x, first_y = _nearest_to_origin(ux, uy, wx, wy)
        other_x, other_y = _nearest_to_origin(vx, vy, wx, wy)
        if np.hypot(other_x, other_y) < np.hypot(first_x, first_y):
            p, r, ux, uy = q, s, vx, vy
            first_x, first_y = other_x, other_y
        # Nearer at each step, or rounding would go in circles.
        if not np.hypot(first_x, first_y) < near:
            break
        q, s, vx, vy, near_x, near_y = c, d, wx, wy, first_x, first_y
        near = np.hypot(near_x, near_y)
    # By rounding alone: the line, shifted a little, has the two strictly apart (Lemma 2.8).
    if near <= _ROUNDING * extent:
        return FatLine(0, 0.0, 1.0, 0.0, np.inf, near, p, q, r, s)
    fx, fy = near_x / near, near_y / near
    low = min(px[p] * fx + py[p] * fy, px[q] * fx + py[q] * fy)
    high = max(px[r] * fx + py[r] * fy, px[s] * fx + py[s] * fy)
    # A distance that is right up to a share has a direction that is right up to the share's root.
    doubt = 4.0 * extent * np.sqrt(1e-14 + _ROUNDING * extent / near)
    return FatLine(0, fx, fy, 0.5 * (low + high), doubt, near, p, q, r, s)
