"""The hyperplane of least misclassified weight, for any number of scores or columns."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.deadline import Deadline
from paperlib._common.typing import Flags, Floats
from paperlib.boosting2d._geometry.gaps import (
    best_threshold,
    directions,
    outer_offset,
    settle_offset,
)
from paperlib.boosting2d._hyperplanes.solve import solve
from paperlib.boosting2d._inputs.points import check_labels, check_places, check_points, check_weights


class OptimalHyperplane(NamedTuple):
    """A hyperplane of least misclassified weight; it predicts the sign of ``X @ normal + offset``.

    Attributes
    ----------
    normal : ndarray of shape (d,)
        Of length one; points into the half space of the positive class.
    offset : float
    weight : float
        Weight of the points that this very hyperplane misclassifies.
    misclassified : ndarray of shape (n,), bool
        Points on the wrong side, or on the hyperplane.
    lower_bound : float
        No hyperplane misclassifies less, but for those that tell points apart by next to nothing
        (see the notes of `optimal_hyperplane`). It is `weight` unless the time was up.
    status : {"optimal", "time limit"}
        Whether the search was finished.

    Examples
    --------
    >>> plane = optimal_hyperplane([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> plane.weight, plane.lower_bound, plane.status, int(plane.misclassified.sum())
    (1.0, 1.0, 'optimal', 1)
    """

    normal: Floats
    offset: float
    weight: float
    misclassified: Flags
    lower_bound: float
    status: Literal["optimal", "time limit"]


def optimal_hyperplane(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    time_limit: float | None = None,
) -> OptimalHyperplane:
    """Find the hyperplane that misclassifies the least weight of points, exactly, and prove it.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite, n >= 1, d >= 1. Points may coincide, and lie in a space of fewer dimensions.
    y : array-like of shape (n,)
        At most two distinct labels of any one type; the larger one is positive. A single label is positive
        unless it is a number that is not above zero.
    sample_weight : array-like of shape (n,), optional
        Positive and finite, with a finite sum; ones by default. Leave out the rows of weight zero.
    time_limit : float > 0, optional
        Seconds after which the search ends, with the best hyperplane that was met and a bound on all others.
        The clock is looked at about every tenth of a second.

    Returns
    -------
    OptimalHyperplane
        `weight` and `misclassified` are of the returned hyperplane as floating point evaluates it.

    Raises
    ------
    TypeError
        If `X` is sparse.
    ValueError
        If an argument has a wrong shape, a value that is not finite, a weight that is not positive, more
        than two labels, or a time limit that is not above zero.

    Notes
    -----
    With up to eight columns, branch and bound over boxes of hyperplanes, the least bound first. In a box,
    most points are on one side of all hyperplanes; of the others, what they cost at least is a convex
    function, whose tangents bound it from below. A box with few points left is finished by looking at the
    hyperplanes through d of them; where more are on one, turning it about them is the same problem with one
    dimension less.

    From six columns on, a search over the points that are given up comes first, and above eight it is all
    there is. Of each subset of points that is not separable one must be; HiGHS finds the lightest choice for
    the subsets that were met, until what is left is separable. That is quick, for any d, where few points are
    misclassified: 300 points in twenty columns with three labels turned take a hundredth of a second.

    How long it takes else depends on how much the classes overlap, and grows steeply with d: on two Gaussian
    clouds with a tenth of the points misclassified, 10,000 points take half a second for d = 3 and five for
    d = 4, and 1,000 points one for d = 5 and twenty for d = 6. Labels without any pattern take longest.
    For d = 2, `optimal_separator` is exact in every digit, and much faster for many points.

    `lower_bound` is computed in floating point: sums of weights within 1e-12 of the total are taken to tie,
    and points closer to a hyperplane than about 1e-9 of the extent of all points, once these are stretched
    to spread alike in all directions, count as on it. Gaps that are as narrow as that may be missed. From six
    columns on these two are 3e-6, which is HiGHS's own tolerance, and 1e-7.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Section 4, which has O(m n^(d-1) log n) time for d dimensions, m points in the smaller class.

    M. Parker, J. Ryan, "Finding the minimum weight IIS cover of an infeasible system of linear inequalities",
    1996: the search over what is given up.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = optimal_hyperplane(X[50:], y[50:])
    >>> plane.weight, plane.lower_bound, plane.status
    (1.0, 1.0, 'optimal')
    """
    X = check_points(X, None)
    positive = check_labels(y, len(X))
    weights = check_weights(sample_weight, len(X))
    found = solve(X, positive, weights, Deadline(time_limit))
    planes = list(_settled(X, positive, found))
    best = min((_as_it_is(X, positive, weights, plane) for plane in planes), key=_rank, default=None)
    if best is None or best.weight > found.weight * (
        1.0 + 1e-12
    ):  # it is on a point by rounding, or by chance
        planes = _substitutes(X, positive, weights, found.normal)
        best = min(
            [_as_it_is(X, positive, weights, plane) for plane in planes] + [best] * bool(best), key=_rank
        )
    return best._replace(
        lower_bound=min(found.lower_bound, best.weight),
        status="optimal" if found.finished else "time limit",
    )


def _rank(plane):
    return plane.weight


def _settled(X, positive, found):
    """Yield the hyperplane that was found, with an offset in the middle of the gap."""
    ahead, behind = found.held & positive, found.held & ~positive
    if found.normal is None or not ahead.any() or not behind.any():
        yield _outer(X, 1 if ahead.any() else -1)
        return
    scores = check_places(X, found.normal)
    offset = settle_offset(scores[behind].max(), scores[ahead].min())
    if offset is not None:
        yield found.normal, offset


def _substitutes(X, positive, weights, normal):
    """Yield the best thresholds along a few directions, and what predicts all alike."""
    yield _outer(X, 1)
    yield _outer(X, -1)
    for direction in [*([] if normal is None else [normal]), *directions(X)]:
        for each in (direction, -direction):
            offset = best_threshold(X @ each, positive, weights)
            if offset is not None:
                yield each, offset


def _outer(X, sign):
    normal = np.zeros(X.shape[1])
    normal[0] = 1.0
    return normal, outer_offset(X, sign)


def _as_it_is(X, positive, weights, plane):
    """Return the result that states what a hyperplane does."""
    normal, offset = plane
    scores = X @ normal + offset
    misclassified = np.where(positive, scores <= 0, scores >= 0)
    weight = math.fsum(weights[misclassified])
    return OptimalHyperplane(normal, offset, weight, misclassified, weight, "optimal")
