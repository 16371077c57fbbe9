"""The maximum-margin plane between two finite sets in space (Definition 1.3, Fact 1.7)."""

import numpy as np
from scipy.optimize import nnls

from paperlib.boosting2d.fat_line import neighbours, settle_offset

_SCALES = 2.0 ** -np.arange(0, 53, 13)


def widest_gap(xa, xb):
    """Return ``(unit normal, width)`` of the widest slab between two sets, or None if none was found.

    Least distance programming: the shortest w with ``w (a - b) >= t`` for all pairs, as a non-negative least
    squares problem (Lawson and Hanson, "Solving Least Squares Problems", Chapter 23). It is well posed for t
    near the width, which is unknown: several are tried.

    Parameters
    ----------
    xa, xb : ndarray of shape (p, 3), (q, 3), p and q >= 1

    Returns
    -------
    tuple or None
        The normal points towards `xa`. The width is what the projections to the normal leave.
    """
    pairs = (xa[:, None] / 2 - xb[None] / 2).reshape(-1, 3)
    exponent = int(np.frexp(np.abs(pairs).max())[1])
    pairs = np.ldexp(pairs, -exponent)
    best = None
    for scale in _SCALES:
        normal, width = _shortest(pairs, scale)
        if width > 0:
            best = max((best, (normal, width), _shortest(pairs, width)), key=lambda gap: gap[1] if gap else 0)
            break
    return None if best is None else (best[0], float(np.ldexp(best[1], exponent + 1)))


def _shortest(pairs, scale):
    """Return the direction found for one t, and the width that it leaves; not positive if it fails."""
    target = np.array([0.0, 0.0, 0.0, 1.0])
    rows = np.vstack([pairs.T, np.full(len(pairs), scale)])
    try:
        residual = rows @ nnls(rows, target)[0] - target
    except RuntimeError:  # too many iterations
        return target[:3], 0.0
    length = np.linalg.norm(residual[:3])
    if length == 0:
        return target[:3], 0.0
    normal = residual[:3] / length
    return normal, float((pairs @ normal).min())


def settle_plane(xa, xb, normal):
    """Return ``(normal, offset)``, or one next to it, that separates the sets in floating point, or None."""
    for candidate in neighbours(normal):
        offset = settle_offset((xb @ candidate).max(), (xa @ candidate).min())
        if offset is not None:
            return candidate, offset
    return None
