"""The gap between two finite sets: the shortest vector across it, and the lines and planes in it.

The vector is that of Definition 1.3 and Fact 1.7. A line in the gap must hold as floating point evaluates it;
where rounding spoils it, one next to it is taken.
"""

from itertools import product

import numpy as np
from scipy.optimize import nnls

from paperlib.boosting2d._geometry.hulls import block_extremes, convex_hull, hull_gap

_MANY = 2_000  # points from which on their hulls are avoided
_ROUNDS = 60  # far more than are needed, unless rounding goes in circles
_NARROW = 1e-9  # times the largest coordinate
_MOST_PAIRS = 1_000  # points in space, taken in pairs
_SCALINGS = 6
_TRIES = 16  # cuts that rounding may spoil before a direction is given up


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
            # The first of each are extreme among all points: if both were kept before, nothing is nearer.
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


def widest_gap(xa, xb):
    """Return ``(unit normal, width)`` of the widest slab between two sets, or None if none was found.

    The shortest vector between the hulls, by adding the pair of points that is nearest across the present
    slab until it is there already.

    Parameters
    ----------
    xa, xb : ndarray of shape (p, 3), (q, 3), p and q >= 1

    Returns
    -------
    tuple or None
        The normal points towards `xa`. The width is what the projections to the normal leave.
    """
    exponent = int(np.frexp(max(np.abs(xa).max(), np.abs(xb).max()))[1])
    xa, xb = np.ldexp(xa, -exponent), np.ldexp(xb, -exponent)
    normal = _unit(xa.mean(axis=0) - xb.mean(axis=0))
    widest, best, met, pairs = 0.0, None, set(), []
    for _ in range(_MOST_PAIRS):
        over, under = xa @ normal, xb @ normal
        pair = int(over.argmin()), int(under.argmax())
        width = float(over[pair[0]] - under[pair[1]])
        # The slab of any unit normal is a valid one: the widest counts, however the loop ends.
        if width > widest:
            widest, best = width, normal
        if pair in met:
            break
        met.add(pair)
        pairs.append(xa[pair[0]] - xb[pair[1]])
        normal = _towards(np.array(pairs))
    with np.errstate(over="ignore"):
        return None if best is None else (best, float(np.ldexp(widest, exponent)))


def _towards(pairs):
    """Return the direction (3,) of the shortest vector in the hull of some vectors (k, 3).

    Least distance programming: non-negative least squares finds those that it is a combination of (Lawson and
    Hanson, "Solving Least Squares Problems", Chapter 23). It is well posed for a scale near its length. The
    vector is orthogonal to their differences, which gives a small one more accurately.
    """
    target = np.array([0.0, 0.0, 0.0, 1.0])
    # The vector is no longer than the shortest of them: the scale comes down to its length from above.
    scale = np.linalg.norm(pairs, axis=1).min()
    parts = np.zeros(len(pairs))
    for _ in range(_SCALINGS):
        try:
            found = nnls(np.vstack([pairs.T, np.full(len(pairs), scale)]), target)[0]
        except RuntimeError:  # too many iterations
            break
        if not found.any():
            break
        parts = found
        length = np.linalg.norm(parts @ pairs) / parts.sum()
        if length > scale / 4:
            break
        scale = max(length, scale * 2.0**-13)
    if not parts.any():
        return _unit(pairs[-1])
    support = pairs[parts > 0]
    differences = support[1:] - support[0]
    _, sizes, axes = np.linalg.svd(differences, full_matrices=True)
    # All of the support have the same part orthogonal to their differences: the shortest vector.
    free = axes[np.count_nonzero(sizes > 1e-13 * np.abs(support).max()) :]
    polished = (free @ support[0]) @ free
    return _unit(polished if polished.any() else parts @ pairs)


def _unit(vector):
    length = np.linalg.norm(vector)
    # For a zero vector any direction will do: only what turns out to have a width is kept.
    return vector / length if length > 0 else np.array([1.0, 0.0, 0.0])


def settle_offset(low, high):
    """Return an offset for which ``low + offset < 0 < high + offset`` holds in floating point, or None.

    The rounded middle of two doubles is strictly between them if any double is: there is no other to try.
    """
    # Halves, for the sum may overflow.
    offset = -(low / 2 + high / 2)
    return float(offset) if low + offset < 0 < high + offset else None


def adjacent_normals(normal):
    """Yield a unit vector, then the adjacent vectors of doubles, for when rounding spoils the first."""
    yield normal
    # The components of a unit vector are within -1 and 1, so -2 and 2 are on either side of them.
    steps = [[np.nextafter(v, -2.0), v, np.nextafter(v, 2.0)] for v in normal]
    for picks in product((1, 0, 2), repeat=len(normal)):
        if any(pick != 1 for pick in picks):
            yield np.array([step[pick] for step, pick in zip(steps, picks)])


def settle_plane(xa, xb, normal):
    """Return ``(normal, offset)``, or one next to it, that separates the sets in floating point, or None."""
    for candidate in adjacent_normals(normal):
        offset = settle_offset((xb @ candidate).max(), (xa @ candidate).min())
        if offset is not None:
            return candidate, offset
    return None


def outer_offset(points, sign):
    """Return the offset of a line ``x + offset = 0``, left of all points for ``sign = 1``, right for -1.

    Its distance is the larger side of their bounding box, or, where that is small, a millionth of their
    largest coordinate.
    """
    first = points[:, 0]
    extent = float(np.ptp(points / 2, axis=0).max()) * 2
    distance = max(extent, float(np.abs(points).max()) * 2.0**-20) or 1.0
    return float(distance - first.min() if sign > 0 else -distance - first.max())


def directions(X):
    """Return unit vectors (d + 1, d): the principal axis of the points (n, d) and all coordinate axes."""
    centred = X - X.mean(axis=0)
    # Without this, products of large coordinates could overflow.
    centred /= np.abs(centred).max() or 1.0
    principal = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return np.vstack([principal / np.linalg.norm(principal), np.eye(len(principal))])


def best_threshold(scores, positive, weights):
    """Return the offset for which ``scores + offset`` has the lightest misclassified weight, or None.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)

    Returns
    -------
    float or None
        None if no two of the scores have room between them.
    """
    # No cut comes between equal scores, so their order matters for rounding alone.
    order = np.argsort(scores)
    ordered = scores[order]
    # A cut after the first k predicts these negative: it adds their positive weight and saves the negative.
    gain = np.cumsum(np.where(positive, weights, -weights)[order])[:-1]
    cuts = np.flatnonzero(np.diff(ordered) > 0)
    for cut in cuts[np.argsort(gain[cuts], kind="stable")[:_TRIES]]:
        offset = settle_offset(ordered[cut], ordered[cut + 1])
        if offset is not None:
            return offset
    return None
