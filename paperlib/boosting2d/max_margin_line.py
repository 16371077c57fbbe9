"""The maximum-margin line between two finite sets (Definition 1.3, Fact 1.7)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from paperlib._common.feature_names import check_same_names
from paperlib._common.typing import Floats
from paperlib.boosting2d._geometry.gaps import adjacent_normals, outer_offset, settle_offset, shortest_vector
from paperlib.boosting2d._inputs.points import check_places, check_points


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
    TypeError
        If a set is sparse.
    ValueError
        If a set has a wrong shape, or values that are not finite real numbers, or if both sets are empty.

    Examples
    --------
    >>> max_margin_line([[0.0, 3.0], [1.0, 2.0]], [[0.0, 0.0], [5.0, 0.0]])
    FatLine(normal=array([0., 1.]), offset=-1.0, margin=1.0)
    """
    check_same_names(xa=xa, xb=xb)
    xa, xb = _checked(xa, "xa"), _checked(xb, "xb")
    if len(xa) == 0 and len(xb) == 0:
        raise ValueError("xa and xb must hold at least one point together, got none")
    if len(xb) == 0:
        return FatLine(np.array([1.0, 0.0]), outer_offset(xa, 1), np.inf)
    if len(xa) == 0:
        return FatLine(np.array([1.0, 0.0]), outer_offset(xb, -1), np.inf)
    gap = shortest_vector(xa, xb)
    if gap is None:
        return None
    unit, margin = gap
    for normal in adjacent_normals(unit):
        ahead, behind = check_places(xa, normal, "xa"), check_places(xb, normal, "xb")
        offset = settle_offset(behind.max(), ahead.min())
        if offset is not None:
            return FatLine(normal, offset, margin)
    return None


def _checked(points: ArrayLike, name: str) -> Floats:
    """Return points as an array (n, 2), of which there may be none."""
    try:
        empty = np.size(points) == 0 and not issparse(points)  # whose size is that of its entries
    except ValueError:  # rows of several lengths
        empty = False
    return np.empty((0, 2)) if empty else check_points(points, name=name)
