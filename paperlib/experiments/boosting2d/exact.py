"""Geometry for exhaustive search: integers where signs count, brute force where lengths do.

It shares no code with the library, so that what judges an algorithm does not err where the algorithm errs.
"""

from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import combinations

import numpy as np
from scipy.spatial import ConvexHull, QhullError

_MANY = 12  # points from which on those inside of the hull are left out
# Of the squared extent. Where squared distances are off by rounding, the shortest vector between two hulls is
# off by the root of that, 1e-8; beyond a hundred times this the sign of a score is certain.
_DOUBT = 1e-6


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


def wrong_side(line, X, positive):
    """Return which points (n,) a line or plane misclassifies, those on it included, as floating point has it.

    `line` begins with its normal and its offset.
    """
    normal, offset = line[:2]
    scores = X @ normal + offset
    return np.where(positive, scores <= 0, scores >= 0)


def lightest_divisions(X, positive, weights):
    """Find what the lines of least weight misclassify, for samples too large for all triples: O(n^2 log n).

    A line off all points can be shifted until it touches one, and turned a little about the end of what it
    touches, so that nothing else is on it. So each way to divide the points is that of a line through one of
    them and no others, with this one on either side; or all are on one side.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers.

    Returns
    -------
    best : float
    sets : ndarray of shape (s, n), bool
        Without repeats; misclassified points are True.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> lightest_divisions(X, np.array([True, False, True]), np.ones(3))[1].astype(int).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """
    places, of_row = np.unique(np.asarray(X) + 0.0, axis=0, return_inverse=True)
    of_row, k = of_row.reshape(-1), len(places)
    wp, wn = (np.bincount(of_row, weights * own, minlength=k) for own in (positive, ~positive))
    half, order, level = _around(places)
    rows = np.arange(k)[:, None]
    # The line before all others has the points ahead on its left; each that it passes changes its side.
    ahead = half > 0
    first = np.where(ahead, wn, wp)
    first[rows, rows] = 0.0
    passed = (half * (wp - wn))[rows, order]
    left = np.cumsum(np.column_stack([first.sum(axis=1), passed]), axis=1)
    others = (wp + wn).sum() - (wp + wn)[:, None]
    between = np.column_stack([~level, np.ones(k, dtype=bool)])  # not among points that are level
    both = np.where(between, np.stack([left, others - left]), np.inf) + np.minimum(wp, wn)[:, None]
    best = min(both.min(), wp.sum(), wn.sum())
    found = [np.full(k, side) for side, total in ((True, wn.sum()), (False, wp.sum())) if total == best]
    for right, a, position in np.argwhere(both == best):
        side = ahead[a].copy()
        side[order[a, :position]] ^= True
        side ^= bool(right)
        for own in (True, False):
            if (wn if own else wp)[a] == min(wp[a], wn[a]):
                side[a] = own
                found.append(side.copy())
    return float(best), np.unique(np.array(found)[:, of_row] != positive, axis=0)


def _around(places):
    """Sort distinct points about each of them, as a line that turns meets them.

    Returns ``half`` (k, k), -1 for what it meets from behind; ``order`` (k, k - 1); and ``level`` of the same
    shape: whether a point is met together with the one before it.
    """
    x, y = (_integers(column) for column in places.T)
    dx, dy = x - x[:, None], y - y[:, None]
    half = np.where((dy > 0) | ((dy == 0) & (dx > 0)), 1, -1)
    dx, dy = dx * half, dy * half
    angle = np.arctan2(dy.astype(np.float64), dx.astype(np.float64))
    np.fill_diagonal(angle, np.inf)
    order = np.argsort(angle, axis=1, kind="stable")[:, :-1]
    for _ in range(2):
        rows = np.arange(len(places))[:, None]
        u, v = dx[rows, order], dy[rows, order]
        turn = np.sign(u[:, :-1] * v[:, 1:] - v[:, :-1] * u[:, 1:]).astype(np.int64)
        for a in np.flatnonzero((turn < 0).any(axis=1)):  # what rounded angles have wrong
            order[a] = sorted(order[a].tolist(), key=cmp_to_key(partial(_later, dx[a], dy[a])))
    return half, order, np.column_stack([np.zeros(len(places), dtype=bool), turn == 0])[:, : order.shape[1]]


def _later(dx, dy, b, c):
    """Return a number of the sign in which b is behind c by their angles in the upper half plane."""
    return dy[b] * dx[c] - dx[b] * dy[c]


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

    Exact. Where a set is empty, everything is on the side of the other.

    Examples
    --------
    >>> side(np.array([[2.0, 0.0]]), np.array([[0.0, 0.0]]), np.array([1.0, 7.0]))
    0
    """
    if len(xa) == 0 or len(xb) == 0:
        return int(len(xa) > 0) - int(len(xb) > 0)
    u, v = nearest_points(xa, xb)
    score = (2 * point - u - v) @ (u - v)
    reach = max(np.abs(each - point).max() for each in (xa, xb))
    return int(np.sign(score)) if abs(score) > _DOUBT * reach**2 else _exact_side(xa, xb, point)


def _exact_side(xa, xb, point):
    every = np.concatenate([xa, xb, point[None]])
    whole = [tuple(row) for row in _integers(every.ravel()).astype(object).reshape(-1, 2).tolist()]
    hulls = _hull(whole[: len(xa)]), _hull(whole[len(xa) : -1])
    # The vector between the nearest points, from the second set to the first, and their sum.
    _, (dx, dy), (sx, sy) = min(
        _rational_foot(p, q, vertex, sign)
        for corners, others, sign in ((hulls[0], hulls[1], 1), (hulls[1], hulls[0], -1))
        for p, q in zip(corners, corners[1:] + corners[:1])
        for vertex in others
    )
    score = (2 * whole[-1][0] - sx) * dx + (2 * whole[-1][1] - sy) * dy
    return (score > 0) - (score < 0)


def _hull(points):
    """Return the corners of the convex hull of points of integers, in order (monotone chain)."""
    chains = []
    for ordered in (sorted(set(points)), sorted(set(points), reverse=True)):
        chain: list[tuple[int, int]] = []
        for x, y in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                    break
                chain.pop()
            chain.append((x, y))
        chains += chain[:-1] or chain
    return chains


def _rational_foot(p, q, vertex, sign):
    """Return a point's squared distance to a segment, the vector times `sign`, and the sum of both ends."""
    ex, ey = q[0] - p[0], q[1] - p[1]
    along = Fraction((vertex[0] - p[0]) * ex + (vertex[1] - p[1]) * ey, ex * ex + ey * ey or 1)
    along = min(max(along, Fraction(0)), Fraction(1))
    x, y = p[0] + along * ex, p[1] + along * ey
    dx, dy = x - vertex[0], y - vertex[1]
    return dx * dx + dy * dy, (sign * dx, sign * dy), (x + vertex[0], y + vertex[1])
