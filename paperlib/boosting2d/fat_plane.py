"""The maximum-margin plane between two finite sets in space (Definition 1.3, Fact 1.7)."""

import numpy as np
from scipy.optimize import nnls

from paperlib.boosting2d.fat_line import neighbours, settle_offset

_ROUNDS = 1_000
_SCALINGS = 6


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
    for _ in range(_ROUNDS):
        over, under = xa @ normal, xb @ normal
        pair = int(over.argmin()), int(under.argmax())
        width = float(over[pair[0]] - under[pair[1]])
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
    free = axes[np.count_nonzero(sizes > 1e-13 * np.abs(support).max()) :]
    polished = (free @ support[0]) @ free
    return _unit(polished if polished.any() else parts @ pairs)


def _unit(vector):
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else np.array([1.0, 0.0, 0.0])


def settle_plane(xa, xb, normal):
    """Return ``(normal, offset)``, or one next to it, that separates the sets in floating point, or None."""
    for candidate in neighbours(normal):
        offset = settle_offset((xb @ candidate).max(), (xa @ candidate).min())
        if offset is not None:
            return candidate, offset
    return None
