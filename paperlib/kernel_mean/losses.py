"""Losses ``l(y, v)`` of a label y in {-1, +1} and a score v (Sections 2 to 4), elementwise over arrays."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number, check_real

Loss: TypeAlias = Callable[[Any, Any], Any]  # of labels and scores, elementwise
Values: TypeAlias = Floats | np.float64  # an array, or a number where all that came in were numbers


def zero_one(y: ArrayLike, v: ArrayLike) -> Values:
    """Misclassification, 1 where ``y v <= 0``: a score of zero is always an error (Section 2).

    >>> zero_one(1, np.array([-1.0, 0.0, 2.0])).tolist()
    [1.0, 1.0, 0.0]
    """
    return margin(y, v, 0.0)


def margin(y: ArrayLike, v: ArrayLike, threshold: float) -> Values:
    """Margin loss, 1 where ``y v <= threshold``, the paper's gamma (Section 4.1); NaN where the score is.

    >>> margin(-1, np.array([-1.0, 0.5]), 0.5).tolist()
    [0.0, 1.0]
    """
    margins, threshold = _margins(y, v), check_number(threshold, "threshold")
    return np.where(np.isnan(margins), np.nan, margins <= threshold)[()]


def linear(y: ArrayLike, v: ArrayLike) -> Values:
    """``1 - y v`` (Section 3); of convex losses that look at the label only such bear noise (Theorem 16).

    >>> float(linear(-1, 0.25))
    1.25
    """
    return 1.0 - _margins(y, v)


def hinge(y: ArrayLike, v: ArrayLike) -> Values:
    """``max(0, 1 - y v)``.

    >>> float(hinge(1, 3.0))
    0.0
    """
    return np.maximum(0.0, linear(y, v))


def hinge_slope(margin: ArrayLike) -> Floats:
    """Derivative of the hinge loss in the margin ``y v``; 0 at its kink.

    >>> hinge_slope(np.array([0.5, 1.0])).tolist()
    [-1.0, 0.0]
    """
    return np.where(check_real(margin, "margin") < 1.0, -1.0, 0.0)


def logistic(y: ArrayLike, v: ArrayLike) -> Values:
    """``log(1 + exp(-y v))``, without overflow.

    >>> float(logistic(1, -1000.0))
    1000.0
    """
    return np.logaddexp(0.0, -_margins(y, v))


def t_logistic(y: ArrayLike, v: ArrayLike) -> Values:
    """The t-logistic loss for t = 2 (Ding and Vishwanathan 2010), ``log(1 + sqrt(1 + v^2/4) - y v/2)``.

    It is ``-log p`` with ``p = exp_t(y v/2 - G)``, ``exp_2(x) = 1 / (1 - x)``; ``p(1) + p(-1) = 1`` gives
    ``1 + G = 1 + sqrt(1 + v^2/4)``. It grows like ``log |v|`` on the wrong side: not convex, and bent less by
    outliers.

    >>> bool(np.isclose(t_logistic(1, 0.0), np.log(2)))
    True
    """
    return np.log1p(_roots(_margins(y, v) / 2.0)[1])


def t_logistic_slope(margin: ArrayLike) -> Values:
    """Derivative of the t-logistic loss in the margin ``y v``.

    >>> float(t_logistic_slope(0.0))
    -0.25
    """
    return _slope(*_roots(_floats(margin, "margin") / 2.0))


def _t_logistic_with_slope(margins: Floats) -> tuple[Floats, Floats]:
    """Both of an array of margins, of which the root, the dearest part, is taken once.

    >>> _t_logistic_with_slope(np.zeros(1))[1].tolist()
    [-0.25]
    """
    roots = _roots(margins / 2.0)
    return np.log1p(roots[1]), _slope(*roots)


def _roots(half):
    """Return ``r = sqrt(1 + half^2)``, ``r - half`` and ``r + half``, none of which cancels or overflows."""
    size = np.abs(half)
    # hypot, which squares no large number, takes several times as long.
    root = np.sqrt(1.0 + half * half) if np.max(size, initial=0.0) < 1e150 else np.hypot(1.0, half)
    far = root + size
    near = 1.0 / far
    return root, np.where(half > 0, near, far)[()], np.where(half > 0, far, near)[()]


def _slope(root, _, total):
    return -0.5 / root / (1.0 + total)


def _margins(y, v):
    """Return ``y v``; raise ``ValueError`` where one of them does not hold real numbers."""
    with np.errstate(over="ignore"):  # infinity is what a loss makes of it
        return _floats(y, "y") * _floats(v, "v")


def _floats(values, name):
    """Return real numbers as floats: products of small integers would wrap around."""
    return check_real(values, name).astype(np.float64, copy=False)
