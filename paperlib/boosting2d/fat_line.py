"""The maximum-margin line between two finite sets (Definition 1.3, Fact 1.7)."""

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib.boosting2d.checks import check_points
from paperlib.boosting2d.hulls import block_extremes, convex_hull, hull_gap

_MANY = 2_000  # points from which on their hulls are avoided
_ROUNDS = 60  # far more than are needed, unless rounding goes in circles
_NARROW = 1e-9  # times the largest coordinate


class FatLine(NamedTuple):
    """A line that predicts the sign of ``X @ normal + offset``.

    Attributes
    ----------
    normal : ndarray of shape (2,)
        Of length one.
    offset : float
    margin : float
        Distance from the line to the nearest point, in the units of X; ``inf`` if one set is empty.

    Examples
    --------
    >>> line = max_margin_line([[0.0, 4.0]], [[0.0, 1.0], [2.0, 0.0]])
    >>> line.margin, line.normal.tolist(), line.offset
    (1.5, [0.0, 1.0], -2.5)
    """

    normal: Floats
    offset: float
    margin: float


def shortest_vector(xa, xb):
    """Return the shortest vector from the hull of `xb` to that of `xa`, or None where they meet.

    Parameters
    ----------
    xa, xb : ndarray of shape (p, 2), (q, 2), p and q >= 1

    Returns
    -------
    unit : ndarray of shape (2,)
        Its direction.
    half : float
        Half its length; ``inf`` where that overflows.
    """
    largest = max(np.abs(xa).max(), np.abs(xb).max())
    exponent = int(np.frexp(largest)[1])
    hulls = []
    for points in (xa, xb):
        points = np.ldexp(points, -exponent)  # a power of two: exact, and out of the way of overflow
        x, y = np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])
        hull = convex_hull(x, y)
        hulls += [x[hull], y[hull]]
    gap = np.array(hull_gap(*hulls))
    if not gap.any():
        return None
    length = np.hypot(*gap)
    with np.errstate(over="ignore"):
        return gap / length, float(np.ldexp(length / 2, exponent))


def shortest_vector_among(points, ahead, behind, guess=None):
    """Return the `shortest_vector` from the points of one mask to those of another, quickly for many points.

    A few points are kept, and those that are extreme in the direction of the shortest vector between these
    are added until none is new (as Gilbert, Johnson and Keerthi do). A gap too narrow for that is left to
    `shortest_vector`, which is exact. Sorted points make it quick: then blocks of them are strips, and the
    extreme points of all strips outline the hull.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
    ahead, behind : ndarray of shape (n,), bool
        Neither without a point.
    guess : ndarray of shape (2,), optional
        A direction to begin with.
    """
    if len(points) > _MANY:
        unit = points[np.argmax(ahead)] - points[np.argmax(behind)] if guess is None else guess
        kept_ahead, kept_behind = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        half = 0.0
        for _ in range(_ROUNDS):
            some_ahead, some_behind = block_extremes(points, ahead, behind, *unit)
            if some_ahead[0] in kept_ahead and some_behind[0] in kept_behind:
                scale = max(np.abs(points[kept_ahead]).max(), np.abs(points[kept_behind]).max())
                if half > _NARROW * scale:
                    return unit, half
                break
            kept_ahead, kept_behind = np.union1d(kept_ahead, some_ahead), np.union1d(kept_behind, some_behind)
            found = shortest_vector(points[kept_ahead], points[kept_behind])
            if found is None:
                break
            unit, half = found
    return shortest_vector(points[ahead], points[behind])


def settle_offset(low, high):
    """Return an offset for which ``low + offset < 0 < high + offset`` holds in floating point, or None."""
    offset = -(low / 2 + high / 2)
    for candidate in (offset, np.nextafter(offset, -np.inf), np.nextafter(offset, np.inf)):
        if low + candidate < 0 < high + candidate:
            return float(candidate)
    return None


def neighbours(normal):
    """Yield a unit vector, then those next to it, for when rounding spoils the first."""
    yield normal
    steps = [[np.nextafter(v, -2.0), v, np.nextafter(v, 2.0)] for v in normal]
    for picks in product((1, 0, 2), repeat=len(normal)):
        if any(pick != 1 for pick in picks):
            yield np.array([step[pick] for step, pick in zip(steps, picks)])


def outer_line(points, sign):
    """Return a line off all of `points`, on their left for ``sign = 1``, on their right for -1.

    Its distance is the larger side of their bounding box, or, where that is small, a millionth of their
    largest coordinate.
    """
    first = points[:, 0]
    extent = float(np.ptp(points / 2, axis=0).max()) * 2
    distance = max(extent, float(np.abs(points).max()) * 2.0**-20) or 1.0
    offset = distance - first.min() if sign > 0 else -distance - first.max()
    return FatLine(np.array([1.0, 0.0]), float(offset), np.inf)


def max_margin_line(xa: ArrayLike, xb: ArrayLike) -> FatLine | None:
    """Separate two finite sets by the line farthest from both.

    Parameters
    ----------
    xa : array-like of shape (p, 2)
        To be predicted positive.
    xb : array-like of shape (q, 2)
        To be predicted negative. One of the sets may be empty: then the margin is ``inf`` and the line
        x = const, off all points by about their extent.

    Returns
    -------
    FatLine or None
        None if no line separates the sets strictly, which is decided exactly; and also if none was found
        whose ``X @ normal + offset`` separates them in floating point, which happens when the gap is below
        the rounding of the coordinates. `margin` is half the distance of the hulls, up to a relative error
        of 1e-15; where the offset is rounded, points may be nearer by about ``1e-16 * abs(X).max()``.

    Raises
    ------
    ValueError
        If a set has a wrong shape, or values that are not finite real numbers, or if both sets are empty.

    Examples
    --------
    >>> max_margin_line([[0.0, 3.0], [1.0, 2.0]], [[0.0, 0.0], [5.0, 0.0]])
    FatLine(normal=array([0., 1.]), offset=-1.0, margin=1.0)
    """
    xa, xb = (
        check_points(points, name=name) if np.size(points) else np.empty((0, 2))
        for points, name in ((xa, "xa"), (xb, "xb"))
    )
    if len(xa) == 0 and len(xb) == 0:
        raise ValueError("xa and xb must hold at least one point together, got none")
    if len(xb) == 0:
        return outer_line(xa, 1)
    if len(xa) == 0:
        return outer_line(xb, -1)
    gap = shortest_vector(xa, xb)
    if gap is None:
        return None
    unit, margin = gap
    for normal in neighbours(unit):
        offset = settle_offset((xb @ normal).max(), (xa @ normal).min())
        if offset is not None:
            return FatLine(normal, offset, margin)
    return None
