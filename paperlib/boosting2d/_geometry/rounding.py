"""Lines and planes in doubles: offsets that hold as floating point evaluates them, and substitutes."""

from itertools import product

import numpy as np

_TRIES = 16  # cuts that rounding may spoil before a direction is given up


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
