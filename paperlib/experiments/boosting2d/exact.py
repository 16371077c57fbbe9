"""Geometry for exhaustive search: integers where signs count, brute force where lengths do.

It shares no code with the library, so that what judges an algorithm does not err where the algorithm errs.
"""

from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

_MANY = 12  # points from which on those inside of the hull are left out
_TIE = 1e-9  # of the lengths involved: far above rounding, far below what samples have without a tie


def turns(X):
    """Return the exact orientation of every three points.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Finite doubles.

    Returns
    -------
    ndarray of shape (n, n, n), int8
        1 where the third is to the left of the line from the first to the second, -1 to the right, 0 on it.

    Examples
    --------
    >>> turns(np.array([[0.0, 0.0], [0.1, 0.1], [0.3, 0.3], [0.0, 1.0]]))[0, 1].tolist()
    [0, 0, 0, 1]
    """
    x, y = (_integers(column) for column in np.asarray(X, dtype=np.float64).T)
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]  # of point [a, b]: from a to b
    products = dx[:, :, None] * dy[:, None, :]
    return np.sign(products - products.transpose(0, 2, 1)).astype(np.int8)


def _integers(values):
    """Return doubles as integers in one unit; Python's own where products of 64 bits might overflow."""
    ratios = [value.as_integer_ratio() for value in values.tolist()]
    unit = max(denominator for _, denominator in ratios)
    whole = [numerator * (unit // denominator) for numerator, denominator in ratios]
    return np.array(whole, dtype=np.int64 if max(map(abs, whole)) < 2**29 else object)


def conflicts(X, positive, turn):
    """Find the smallest sets of points whose classes no line separates strictly.

    Two sets are separable if every four of their points are (Kirchberger), so these decide.

    Parameters
    ----------
    X : ndarray of shape (n, 2), n <= 62
    positive : ndarray of shape (n,), bool
    turn : ndarray of shape (n, n, n)
        The `turns` of X.

    Returns
    -------
    ndarray of shape (k,), int64
        Bit masks: a set of rows is a separator set exactly if it has a bit in common with each.
    """
    places = [tuple(row) for row in X.tolist()]
    found = []
    for size in (2, 3, 4):
        for rows in combinations(range(len(X)), size):
            few = [i for i in rows if positive[i]]
            many = [i for i in rows if not positive[i]]
            few, many = sorted((few, many), key=len)
            if few and _meet(few, many, places, turn):
                found.append(sum(1 << i for i in rows))
    return np.array(found, dtype=np.int64)


def _meet(few, many, places, turn):
    """Return whether the hulls of two sets of one and one to three, or two and two, points meet."""
    p = few[0]
    if len(few) == 2:
        a, b = many
        return turn[p, few[1], a] * turn[p, few[1], b] < 0 and turn[a, b, p] * turn[a, b, few[1]] < 0
    if len(many) == 1:
        return places[p] == places[many[0]]
    if len(many) == 2:
        a, b = sorted(places[i] for i in many)
        return turn[many[0], many[1], p] == 0 and a <= places[p] <= b
    a, b, c = many
    around = (turn[a, b, p], turn[b, c, p], turn[c, a, p])
    return turn[a, b, c] != 0 and not (1 in around and -1 in around)


def nearest_points(xa, xb):
    """Return a point of each of two hulls, such that no others are nearer: every point against every segment.

    Parameters
    ----------
    xa, xb : ndarray of shape (p, 2), (q, 2), p and q >= 1
        Hulls that do not meet.

    Returns
    -------
    u, v : ndarray of shape (2,)

    Examples
    --------
    >>> nearest_points(np.array([[1.0, 2.0]]), np.array([[0.0, 0.0], [4.0, 0.0]]))[1].tolist()
    [1.0, 0.0]
    """
    xa, xb = _corners(xa), _corners(xb)
    first, second = _foot(xa, xb), _foot(xb, xa)
    if first[0] <= second[0]:
        return first[1], first[2]
    return second[2], second[1]


def _corners(points):
    """Return the corners of the hull of many points, and few points or those in line as they are."""
    if len(points) <= _MANY:
        return points
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        return points


def _foot(points, others):
    """Return the least squared distance of a point to a segment of two others, the point, and its foot."""
    i, j = np.triu_indices(len(others))
    start, edge = others[i], others[j] - others[i]
    length = (edge**2).sum(axis=1)
    towards = points[:, None] - start
    along = np.clip((towards * edge).sum(axis=2) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    feet = start + along[:, :, None] * edge
    distance = ((points[:, None] - feet) ** 2).sum(axis=2)
    k, m = np.unravel_index(distance.argmin(), distance.shape)
    return distance[k, m], points[k], feet[k, m]


def margin(xa, xb):
    """Return half the distance of two hulls that do not meet; ``inf`` where a set is empty."""
    if len(xa) == 0 or len(xb) == 0:
        return np.inf
    u, v = nearest_points(xa, xb)
    return float(np.hypot(*(u - v))) / 2


def side(xa, xb, point):
    """Return the side of the fat line between two sets that a point is on: 1 for that of `xa`, 0 on the line.

    Where a set is empty, everything is on the side of the other.
    """
    if len(xa) == 0 or len(xb) == 0:
        return int(len(xa) > 0) - int(len(xb) > 0)
    u, v = nearest_points(xa, xb)
    score = (2 * point - u - v) @ (u - v)
    scale = np.hypot(*(u - v)) * (np.abs(point - u).max() + np.abs(point - v).max())
    return 0 if abs(score) <= _TIE * scale else int(np.sign(score))
