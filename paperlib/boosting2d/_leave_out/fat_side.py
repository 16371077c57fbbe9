"""The side of the fat line of others that a point is on, decided exactly."""

from fractions import Fraction
from operator import itemgetter

import numpy as np

from paperlib.boosting2d._geometry.hulls import convex_hull, hull_gap

# Of the extent. The length of the shortest vector between two hulls is right up to a relative 1e-15, so by
# convexity its direction is up to 3e-8; what is farther from a tie than this needs no second look.
_CLOSE = 1e-6


def touching(ahead, behind):
    """Return which points may touch the margin of the fat line between two sets.

    Parameters
    ----------
    ahead, behind : ndarray of shape (p, 2), (q, 2)

    Returns
    -------
    i, j : ndarray of int64
        Indices into `ahead` and `behind`: all corners of their hulls without which the line would be another
        one, and perhaps some more. Empty if a set is.
    """
    view = _look(ahead, behind, ahead[:1]) if len(ahead) and len(behind) else None
    if view is None:
        none = np.empty(0, dtype=np.int64)
        return none, none
    hull_a, hull_b, heights_a, heights_b, _, close = view
    return hull_a[heights_a <= heights_a.min() + close], hull_b[heights_b >= heights_b.max() - close]


def fat_side(ahead, behind, point):
    """Return the side of the fat line between two sets that a point is on (Definition 1.3).

    Parameters
    ----------
    ahead, behind : ndarray of shape (p, 2), (q, 2)
        Corrected classes. If one of them is empty, everything is on the side of the other.
    point : ndarray of shape (2,)

    Returns
    -------
    int
        1 on the side of `ahead`, -1 on that of `behind`, 0 on the line; also 0 if there is no line.
    """
    if len(ahead) == 0 or len(behind) == 0:
        return int(len(ahead) > 0) - int(len(behind) > 0)
    view = _look(ahead, behind, point[None])
    if view is None:
        return 0
    hull_a, hull_b, heights_a, heights_b, (height,), close = view
    score = height - (heights_a.min() + heights_b.max()) / 2
    if abs(score) > close:
        return 1 if score > 0 else -1
    near_a, near_b = heights_a <= heights_a.min() + close, heights_b >= heights_b.max() - close
    u, v = _nearest(_segments(ahead[hull_a], near_a), _segments(behind[hull_b], near_b))
    x, y = (Fraction(float(value)) for value in point)
    # Twice the product of u - v and the way from their middle to the point.
    exact = (2 * x - u[0] - v[0]) * (u[0] - v[0]) + (2 * y - u[1] - v[1]) * (u[1] - v[1])
    return (exact > 0) - (exact < 0)


def _look(ahead, behind, points):
    """Return both hulls, and heights along the shortest vector between them; None where they meet."""
    largest = max(np.abs(ahead).max(), np.abs(behind).max(), np.abs(points).max())
    exponent = int(np.frexp(largest)[1])
    ahead, behind, points = (np.ldexp(values, -exponent) for values in (ahead, behind, points))
    hull_a, hull_b = (convex_hull(*np.ascontiguousarray(values.T)) for values in (ahead, behind))
    ahead, behind = ahead[hull_a], behind[hull_b]
    gap = np.array(hull_gap(*np.ascontiguousarray(ahead.T), *np.ascontiguousarray(behind.T)))
    if not gap.any():
        return None
    # Heights are taken from a point at hand: the origin may be far away.
    offsets = [values - ahead[0] for values in (ahead, behind, points)]
    normal = gap / np.hypot(*gap)
    extent = max(np.abs(values).max() for values in offsets)
    return hull_a, hull_b, *(values @ normal for values in offsets), _CLOSE * float(extent)


def _segments(hull, near):
    """Return the edges of a hull between corners that are near, and these corners, as rationals."""
    exact = [tuple(Fraction(float(value)) for value in row) for row in hull]
    corners = [corner if keep else None for corner, keep in zip(exact, near)]
    following = corners[1:] + corners[:1]
    # A nearest point inside an edge has both corners of it at its own height.
    edges = [(p, q) for p, q in zip(corners, following) if p is not None and q is not None]
    return edges + [(p, p) for p in corners if p is not None]


def _nearest(segments_a, segments_b):
    """Return the two nearest points of two sets of segments that do not meet, rational."""
    _, a, b = min(_feet(segments_a, segments_b), key=itemgetter(0))
    return a, b


def _feet(segments_a, segments_b):
    """Yield each corner's squared distance to each segment of the other set, and the two points."""
    # Of two segments that do not meet, a nearest point is the end of one.
    for first, second, swap in ((segments_a, segments_b, False), (segments_b, segments_a, True)):
        # A set, for most corners are on two edges.
        corners = {corner for segment in second for corner in segment}
        for (px, py), (qx, qy) in first:
            ex, ey = qx - px, qy - py
            length = ex * ex + ey * ey
            for vx, vy in corners:
                t = ((vx - px) * ex + (vy - py) * ey) / length if length else Fraction(0)
                t = min(max(t, Fraction(0)), Fraction(1))
                foot = (px + t * ex, py + t * ey)
                distance = (foot[0] - vx) ** 2 + (foot[1] - vy) ** 2
                yield (distance, (vx, vy), foot) if swap else (distance, foot, (vx, vy))
