"""Convex hulls in the plane, and the nearest points of two of them, decided exactly."""

import numpy as np

from paperlib._common.jit import jit, uncompiled
from paperlib._common.stable_sort import sort_by
from paperlib.boosting2d._geometry.locations import sort_ties
from paperlib.boosting2d._geometry.predicates import cross, cross_sign, orientation

_BLOCKS = 64
_FEW = 64  # below this, looking for points to leave out costs more than sorting them


@jit
def _outside_octagon(x, y):
    """Return which points are not strictly inside the octagon of extreme points (Akl, Toussaint)."""
    n = len(x)
    corners = np.zeros(8, dtype=np.int64)
    for i in range(n):
        # Counter-clockwise from the lowest; the diagonal sums only propose corners, any points would do.
        if y[i] < y[corners[0]]:
            corners[0] = i
        if x[i] - y[i] > x[corners[1]] - y[corners[1]]:
            corners[1] = i
        if x[i] > x[corners[2]]:
            corners[2] = i
        if x[i] + y[i] > x[corners[3]] + y[corners[3]]:
            corners[3] = i
        if y[i] > y[corners[4]]:
            corners[4] = i
        if x[i] - y[i] < x[corners[5]] - y[corners[5]]:
            corners[5] = i
        if x[i] < x[corners[6]]:
            corners[6] = i
        if x[i] + y[i] < x[corners[7]] + y[corners[7]]:
            corners[7] = i
    ring, size = np.empty(8, dtype=np.int64), 0
    for k in range(8):
        # A point that is extreme in several directions comes once, so that no edge has length zero.
        c, d = corners[k], corners[(k + 1) % 8]
        if x[c] != x[d] or y[c] != y[d]:
            ring[size] = c
            size += 1
    kept, count = np.empty(n, dtype=np.int64), 0
    for i in range(n):
        # A closed chain winds around whatever is to the left of all its edges. The test is exact, so that no
        # vertex of the hull is left out.
        inside = size > 2
        for k in range(size):
            c, d = ring[k], ring[(k + 1) % size]
            if orientation(x[c], y[c], x[d], y[d], x[i], y[i]) <= 0:
                inside = False
                break
        if not inside:
            kept[count] = i
            count += 1
    return kept[:count]


@jit
def outline(x, y):
    """Return the points (m,) that may be vertices of the hull, all where they are few."""
    return np.arange(len(x)) if len(x) < _FEW else _outside_octagon(x, y)


def convex_hull(x, y):
    """Return the hull's vertices, as `hull_among`; what many points need is compiled for many points."""
    return hull_among(x, y, uncompiled(outline)(x, y))


@jit
def hull_among(x, y, order):
    """Return the hull's vertices, counter-clockwise from the lexicographically smallest (monotone chain).

    Parameters
    ----------
    x, y : ndarray of shape (n,), n >= 1
    order : ndarray of shape (m,), int64
        Those that may be vertices, in their order; it is sorted.

    Returns
    -------
    ndarray of shape (h,), int64
        No three in line: one index for coinciding points, two for points in line.
    """
    sort_by(x, order)
    sort_ties(x, y, order)
    m = len(order)
    hull, size = np.empty(2 * m + 1, dtype=np.int64), 0
    floor = 1
    for step in range(2 * m - 1):
        i = order[step] if step < m else order[2 * m - 2 - step]
        if step == m:
            floor = size
        if size > 0 and x[hull[size - 1]] == x[i] and y[hull[size - 1]] == y[i]:
            continue
        # Every kept vertex is a strict left turn; `floor` keeps the lower chain from the upper one's pops.
        while size > floor:
            a, b = hull[size - 2], hull[size - 1]
            if orientation(x[a], y[a], x[b], y[b], x[i], y[i]) > 0:
                break
            size -= 1
        hull[size] = i
        size += 1
    if size > 1:  # the chain has come back to where it began
        size -= 1
    return hull[:size].copy()


@jit
def _second_half(px, py, qx, qy):
    """Return whether the way from p to q leads left, or straight down, as the edges of an upper hull do."""
    return qx < px or (qx == px and qy < py)


@jit
def _edge_to_point(px, py, qx, qy, vx, vy):
    """Return the vector from the segment p q to the point v, strictly to the right of its line."""
    ex, ey = qx - px, qy - py
    length = np.hypot(ex, ey)
    ex, ey = ex / length, ey / length
    if ex * (vx - px) + ey * (vy - py) <= 0.0:
        return vx - px, vy - py
    if ex * (vx - qx) + ey * (vy - qy) >= 0.0:
        return vx - qx, vy - qy
    # By the cross product, which is right to the last digits even where v is next to the line.
    distance = -cross(px, py, qx, qy, px, py, vx, vy) / length
    return ey * distance, -ex * distance


@jit
def hull_gap(ax, ay, bx, by):
    """Return the shortest vector from one convex polygon to another, (0, 0) where they meet.

    Whether they meet is decided exactly. One walk around the Minkowski difference, in O(h_a + h_b): the
    polygons are apart exactly if a vertex of one is strictly outside an edge of the other that is extreme in
    the same direction.

    Parameters
    ----------
    ax, ay : ndarray of shape (h_a,)
    bx, by : ndarray of shape (h_b,)
        Vertices as `convex_hull` orders them.

    Returns
    -------
    dx, dy : float
        From the second polygon to the first.
    """
    m, k = len(ax), len(bx)
    edges_a, edges_b = (m if m > 1 else 0), (k if k > 1 else 0)
    # The walk about b begins at its largest point: then the edges of -b come by the same angles as those
    # of a, which begins at its smallest.
    last = 0
    for j in range(k):
        if bx[j] > bx[last] or (bx[j] == bx[last] and by[j] > by[last]):
            last = j
    i, j = 0, 0
    dx, dy, nearest = 0.0, 0.0, np.inf
    in_line = True
    while i < edges_a or j < edges_b:
        a, a_next = i % m, (i + 1) % m
        b, b_next = (last + j) % k, (last + j + 1) % k
        if i == edges_a or j == edges_b:
            take_a = j == edges_b
        else:
            half_a = _second_half(ax[a], ay[a], ax[a_next], ay[a_next])
            half_b = _second_half(bx[b_next], by[b_next], bx[b], by[b])
            # An edge of a lower chain comes before one of an upper chain.
            if half_a != half_b:
                take_a = half_b
            else:
                take_a = (
                    cross_sign(ax[a], ay[a], ax[a_next], ay[a_next], bx[b_next], by[b_next], bx[b], by[b]) > 0
                )
        # The edges of both, merged by angle, are those of the difference; each is held against the vertex of
        # the other polygon that is extreme in the direction of its normal.
        if take_a:
            side = orientation(ax[a], ay[a], ax[a_next], ay[a_next], bx[b], by[b])
            if side < 0:
                gx, gy = _edge_to_point(ax[a], ay[a], ax[a_next], ay[a_next], bx[b], by[b])
                gx, gy = -gx, -gy
            i += 1
        else:
            side = orientation(bx[b], by[b], bx[b_next], by[b_next], ax[a], ay[a])
            if side < 0:
                gx, gy = _edge_to_point(bx[b], by[b], bx[b_next], by[b_next], ax[a], ay[a])
            j += 1
        in_line = in_line and side == 0
        if side < 0 and np.hypot(gx, gy) < nearest:
            dx, dy, nearest = gx, gy, np.hypot(gx, gy)
    # With no vertex strictly outside (dx, dy) is still zero: the polygons meet.
    if not in_line:
        return dx, dy
    # Everything is on one line, where the order along it decides; hulls begin at their smallest point.
    end_a = m - 1 if m < 3 else 0
    if _second_half(ax[0], ay[0], bx[last], by[last]):
        return ax[0] - bx[last], ay[0] - by[last]
    if _second_half(bx[0], by[0], ax[end_a], ay[end_a]):
        return ax[end_a] - bx[0], ay[end_a] - by[0]
    return 0.0, 0.0


@jit
def block_extremes(points, ahead, behind, dx, dy):
    """Find the extreme points of two sets in a direction, of all points and of each block of them.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    ahead, behind : ndarray of shape (n,), bool
    dx, dy : float

    Returns
    -------
    least, most : ndarray of int64
        Indices of the least advanced point ahead, and of the most advanced one behind: first of all points,
        then of each block that has any.
    """
    n = len(points)
    least, most = np.full(_BLOCKS + 1, -1), np.full(_BLOCKS + 1, -1)
    lowest, highest = np.inf, -np.inf
    dx, dy = 0.25 * dx, 0.25 * dy  # the largest doubles must not overflow
    for block in range(_BLOCKS):
        low, high = np.inf, -np.inf
        for i in range(block * n // _BLOCKS, (block + 1) * n // _BLOCKS):
            advance = points[i, 0] * dx + points[i, 1] * dy
            if ahead[i] and advance < low:
                low, least[block + 1] = advance, i
            if behind[i] and advance > high:
                high, most[block + 1] = advance, i
        if low < lowest:
            lowest, least[0] = low, least[block + 1]
        if high > highest:
            highest, most[0] = high, most[block + 1]
    return least[least >= 0], most[most >= 0]
