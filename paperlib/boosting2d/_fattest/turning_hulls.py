"""Convex hulls on both sides of a line that turns about a point, and their distance (Lemma 2.14).

The points ahead of the line are sorted by angle about the centre. Those that the line has still to pass leave
in that order, and others come in behind them. So there are two chains for each side: one was built from its
far end and forgets its points in the reverse of the order in which they were added (Fact 2.10), the other one
grows (Fact 2.9). Each is a stack; a point that was pushed knows what it overwrote.

Of the points ahead, hulled together with the centre, the chain is what Graham's scan keeps. Of the points
behind it is the part of their hull that faces the centre: a line between the hulls has the centre on the
other side, so nothing else can touch it.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import orientation

# The stacks: those ahead that leave and that come, those behind that leave and that come.
AHEAD_LEAVING, AHEAD_COMING, BEHIND_LEAVING, BEHIND_COMING = range(4)
_ROUNDING = 2.0**-48  # above the rounding of a distance, in units of the coordinates about the centre
_STEPS = 100  # far more than are needed, unless rounding goes in circles
_SAME = 1.0 - 1e-14  # of the distance: a search that gains less than this has ended


class Hulls(NamedTuple):
    """The four chains of a centre.

    Attributes
    ----------
    x, y : ndarray of shape (n,)
        Locations, for exact predicates.
    dx, dy : ndarray of shape (n,)
        The same about the centre, both axes in the same unit.
    stacks : ndarray of shape (4, n), int64
    sizes : ndarray of shape (5,), int64
        Of the stacks; then the steps that were taken: points compared, moved, or looked up.
    covered, before : ndarray of shape (2, n), int64
        For each point that will leave, ahead and behind: the entry it overwrote, and the size before.
    """

    x: np.ndarray
    y: np.ndarray
    dx: np.ndarray
    dy: np.ndarray
    stacks: np.ndarray
    sizes: np.ndarray
    covered: np.ndarray
    before: np.ndarray


class Pairs(NamedTuple):
    """Two pairs of points, p and q ahead and r and s behind, and bounds on the distance of both sides.

    Wherever these four are on their sides, the sides are within `most`; `least` is of those that were asked.
    """

    p: int
    q: int
    r: int
    s: int
    least: float
    most: float


@jit
def no_hulls(x, y):
    """Return `Hulls` of these locations, without a centre yet."""
    n = len(x)
    return Hulls(
        x,
        y,
        np.empty(n),
        np.empty(n),
        np.empty((4, n), dtype=np.int64),
        np.zeros(5, dtype=np.int64),
        np.empty((2, n), dtype=np.int64),
        np.empty((2, n), dtype=np.int64),
    )


@jit
def push(hulls, which, c):
    """Add a location that comes after all others of its chain, by angle and then by distance."""
    x, y, stack = hulls.x, hulls.y, hulls.stacks[which]
    # Ahead, a chain turns left where angles grow; behind, right. What will leave is added backwards.
    turn = 1 if which in (AHEAD_COMING, BEHIND_LEAVING) else -1
    size = hulls.sizes[which]
    kept = size
    while kept > 1:
        e, f = stack[kept - 2], stack[kept - 1]
        hulls.sizes[4] += 1
        if orientation(x[e], y[e], x[f], y[f], x[c], y[c]) == turn:
            break
        kept -= 1
    if which in (AHEAD_LEAVING, BEHIND_LEAVING):
        hulls.before[which // 2, c], hulls.covered[which // 2, c] = size, stack[kept]
    stack[kept] = c
    hulls.sizes[which] = kept + 1
    hulls.sizes[4] += 1


@jit
def pop(hulls, which, c):
    """Remove the location that was added last to a chain of those that leave."""
    kept = hulls.sizes[which] - 1
    hulls.stacks[which, kept] = hulls.covered[which // 2, c]
    hulls.sizes[which] = hulls.before[which // 2, c]
    hulls.sizes[4] += 1


@jit
def _lowest_ahead(hulls, which, fx, fy, at_the_start):
    """Return the location of a chain ahead that is lowest in a direction, -1 of an empty chain.

    Only what is lower than the centre matters: it is at the start of the chain, by angle, or at its end.
    """
    stack, size = hulls.stacks[which], hulls.sizes[which]
    low, high = 0, size - 1
    backwards = which == AHEAD_LEAVING
    # Below the centre heights fall and rise again; above it the search goes back to where they are below.
    while low < high:
        middle = (low + high) // 2
        c = stack[size - 1 - middle] if backwards else stack[middle]
        d = stack[size - 2 - middle] if backwards else stack[middle + 1]
        here = hulls.dx[c] * fx + hulls.dy[c] * fy
        falls = hulls.dx[d] * fx + hulls.dy[d] * fy < here
        hulls.sizes[4] += 2
        if (here < 0.0 and falls) or (here >= 0.0 and not at_the_start):
            low = middle + 1
        else:
            high = middle
    if size == 0:
        return -1
    return stack[size - 1 - low] if backwards else stack[low]


@jit
def _highest_behind(hulls, which, fx, fy):
    """Return the location of a chain behind that is highest in a direction, -1 of an empty chain.

    Where the direction is that of no line between the hulls, one that is not below the centre is found.
    """
    stack, size = hulls.stacks[which], hulls.sizes[which]
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        c, d = stack[middle], stack[middle + 1]
        hulls.sizes[4] += 2
        if hulls.dx[d] * fx + hulls.dy[d] * fy > hulls.dx[c] * fx + hulls.dy[c] * fy:
            low = middle + 1
        else:
            high = middle
    if size == 0:
        return -1
    best = stack[low]
    # Such a chain turns by less than half a turn: heights may fall and rise, and then an end is highest.
    for c in (stack[0], stack[size - 1]):
        if hulls.dx[c] * fx + hulls.dy[c] * fy > hulls.dx[best] * fx + hulls.dy[best] * fy:
            best = c
    return best


@jit
def _touching(hulls, a, fx, fy, along):
    """Return the locations that both sides touch lines across the direction (fx, fy) with; -1 for none.

    `along` is that direction times the turning line's: above zero, what is low ahead is at the end.
    """
    lowest, p = 0.0, a
    for which in (AHEAD_LEAVING, AHEAD_COMING):
        c = _lowest_ahead(hulls, which, fx, fy, along < 0.0)
        if c >= 0 and hulls.dx[c] * fx + hulls.dy[c] * fy < lowest:
            lowest, p = hulls.dx[c] * fx + hulls.dy[c] * fy, c
    highest, r = -np.inf, -1
    for which in (BEHIND_LEAVING, BEHIND_COMING):
        c = _highest_behind(hulls, which, fx, fy)
        if c >= 0 and hulls.dx[c] * fx + hulls.dy[c] * fy > highest:
            highest, r = hulls.dx[c] * fx + hulls.dy[c] * fy, c
    return p, r


@jit
def _nearest_to_origin(ux, uy, vx, vy):
    """Return the point of the segment between two vectors that is nearest to the origin."""
    ex, ey = vx - ux, vy - uy
    square = ex * ex + ey * ey
    t = 0.0 if square == 0.0 else min(max(-(ux * ex + uy * ey) / square, 0.0), 1.0)
    # From the nearer end, so that the part added is small, and its rounding.
    if t <= 0.5:
        return ux + t * ex, uy + t * ey
    return vx - (1.0 - t) * ex, vy - (1.0 - t) * ey


@jit
def distance(hulls, a, line_x, line_y, enough):
    """Find how near the two sides of a line through the centre a are to each other.

    The nearest point of some of the differences between both sides, the extreme difference in its direction,
    and so on (Gilbert, Johnson and Keerthi): each is found by a search in the chains, in O(log n).

    Parameters
    ----------
    hulls : Hulls
    a : int
    line_x, line_y : float
        Direction of the line; what is to its left is ahead.
    enough : float
        The search may end once they are known to be nearer than this.

    Returns
    -------
    Pairs
        `least` and `most` differ by rounding alone where `most` is not below `enough`.
    """
    dx, dy = hulls.dx, hulls.dy
    # Across the line itself nothing ahead is below the centre, which p is to begin with, but for rounding.
    p, r = _touching(hulls, a, -line_y, line_x, 0.0)
    if r < 0:
        return Pairs(a, a, a, a, np.inf, np.inf)
    q, s, ux, uy = p, r, dx[p] - dx[r], dy[p] - dy[r]
    vx, vy, near_x, near_y = ux, uy, ux, uy
    size = abs(dx[p]) + abs(dy[p]) + abs(dx[r]) + abs(dy[r])
    for _ in range(_STEPS):
        near = np.hypot(near_x, near_y)
        # Each `near` is the length of a difference of both sides, so that they are no farther apart.
        if near + _ROUNDING * size < enough or near == 0.0:
            break
        fx, fy = near_x / near, near_y / near
        c, d = _touching(hulls, a, fx, fy, fx * line_x + fy * line_y)
        wx, wy = dx[c] - dx[d], dy[c] - dy[d]
        if (c == p and d == r) or (c == q and d == s) or wx * fx + wy * fy >= near * _SAME:
            break
        size = max(size, abs(dx[c]) + abs(dy[c]) + abs(dx[d]) + abs(dy[d]))
        # Of the two differences before, the one stays that is on the other side of the nearest point.
        first_x, first_y = _nearest_to_origin(ux, uy, wx, wy)
        other_x, other_y = _nearest_to_origin(vx, vy, wx, wy)
        if np.hypot(other_x, other_y) < np.hypot(first_x, first_y):
            p, r, ux, uy = q, s, vx, vy
            first_x, first_y = other_x, other_y
        if not np.hypot(first_x, first_y) < near:
            break
        q, s, vx, vy, near_x, near_y = c, d, wx, wy, first_x, first_y
    near = np.hypot(near_x, near_y)
    return Pairs(p, q, r, s, near * _SAME - _ROUNDING * size, near + _ROUNDING * size)
