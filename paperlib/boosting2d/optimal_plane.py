"""The plane of least misclassified weight for points in space: three classifiers (Theorem 4.1)."""

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.deadline import Deadline
from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_choice
from paperlib.boosting2d._geometry.gaps import (
    best_threshold,
    directions,
    outer_offset,
    settle_plane,
    widest_gap,
)
from paperlib.boosting2d._geometry.locations import tolerance
from paperlib.boosting2d._hyperplanes.solve import solve
from paperlib.boosting2d._inputs.points import (
    check_labels,
    check_places,
    check_points,
    check_scales,
    check_weights,
)
from paperlib.boosting2d._search.axis_sweep import axis_sweep, collect_planes

MOST_PLANES = 100_000  # planes next to lines that are written down at most
_MOST_MARGINS = 1_000  # separator sets of which the margin is compared, or that are tried in floating point
_SWEPT = 1_000_000  # m n^2 up to which the sweep takes a fifth of a second
_PART = 1_000_000  # locations about the lines that are turned between two looks at the clock
_NEGLIGIBLE = 2.0**-200  # of the extent; far below, products of three would underflow


class OptimalPlane(NamedTuple):
    """A plane of least misclassified weight; it predicts the sign of ``X @ normal + offset``.

    Attributes
    ----------
    normal : ndarray of shape (3,)
        Of length one; points into the half space of the positive class.
    offset : float
    weight : float
        Weight of the points that this very plane misclassifies.
    margin : float
        Distance to the nearest of the points that it classifies correctly, in the units of X; ``inf`` if all
        points are predicted alike.
    misclassified : ndarray of shape (n,), bool
        Points on the wrong side, or on the plane.
    n_optimal : int
        Number of distinct optimal separator sets; 1 where branch and bound found one of them.
    lower_bound : float
        No plane misclassifies less. It is `weight`, but for rounding, unless the time was up.
    status : {"optimal", "time limit"}
        Whether the search was finished.

    Examples
    --------
    >>> plane = optimal_plane([[0.0, 0.0, 1.0], [0.0, 2.0, 5.0], [3.0, 0.0, 2.0]], [-1, 1, -1])
    >>> plane.weight, plane.misclassified.tolist()
    (0.0, [False, False, False])
    """

    normal: Floats
    offset: float
    weight: float
    margin: float
    misclassified: Flags
    n_optimal: int
    lower_bound: float
    status: Literal["optimal", "time limit"]


def optimal_plane(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    method: Literal["auto", "branch", "sweep"] = "auto",
    time_limit: float | None = None,
) -> OptimalPlane:
    """Find the plane that misclassifies the least weight of points in space, exactly.

    Parameters
    ----------
    X : array-like of shape (n, 3)
        Finite, n >= 1. Points may coincide, be in line or in one plane. A coordinate below 1e-60 of its
        column's extent counts as zero.
    y : array-like of shape (n,)
        At most two distinct labels of any one type; the larger one is positive. A single label is positive
        unless it is a number that is not above zero.
    sample_weight : array-like of shape (n,), optional
        Positive and finite, with a finite sum; ones by default. Leave out the rows of weight zero.
    method : {"auto", "branch", "sweep"}, default="auto"
        ``"sweep"`` is the paper's: a turn around every line through two points. ``"branch"`` is the search of
        `optimal_hyperplane`, with the rounding that is said there: half a second for 10,000 points of two
        overlapping clouds. ``"auto"`` sweeps where that takes less than about a fifth of a second.
    time_limit : float > 0, optional
        Seconds after which the search ends, with the best plane that was met and a bound on all others.

    Returns
    -------
    OptimalPlane
        Of several optimal separator sets that were met, one of largest margin, misclassified points being
        left out (Definition 1.3); ``"sweep"`` meets all, ``"branch"`` one. `weight` and `misclassified` are
        of the returned plane as floating point evaluates it. `weight` is the optimum, unless no optimal
        separator set could be written as a plane of doubles (gaps near the rounding of the coordinates);
        then the plane is one of those with wider gaps. If all points are predicted alike, the
        plane is x = const, off the points.

    Raises
    ------
    TypeError
        If `X` is sparse.
    ValueError
        If an argument has a wrong shape, a value that is not finite, a weight that is not positive, more
        than two labels, an unknown method, or a time limit that is not above zero; or if the extents of two
        columns differ by more than a factor of 1e120.

    Notes
    -----
    The sweep takes O(m n^2 log n) time and O(n^2) memory, m points in the smaller class. Its comparisons of
    points are exact, so degenerate input is no exception. Sums of weights that are multiples of a power of
    two, integers for one, are exact; others within 1e-12 of the total weight are taken to tie. Of at most
    1,000 tied sets the margin is compared, and planes beyond 100,000 are left out of `n_optimal`. Margins are
    those of floating point, good to about 1e-15 of the coordinates.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Theorem 4.1.

    Examples
    --------
    >>> X = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 3.0], [1.0, 0.0, 4.0]]
    >>> plane = optimal_plane(X, [-1, -1, -1, 1, 1])
    >>> plane.weight, plane.n_optimal, round(plane.margin, 3)
    (0.0, 1, 1.118)
    """
    X = check_points(X, 3)
    check_scales(X)
    positive = check_labels(y, len(X))
    weights = check_weights(sample_weight, len(X))
    check_choice(method, "method", ("auto", "branch", "sweep"))
    deadline, places = Deadline(time_limit), _merge(X)
    smaller = min(np.count_nonzero(positive), np.count_nonzero(~positive))
    if method == "branch" or (method == "auto" and smaller * len(X) ** 2 > _SWEPT):
        sets = _by_branch(X, positive, weights, places, deadline)
    else:
        sets = _by_sweep(positive, weights, places, deadline)
    found = _first_that_holds(X, positive, weights, places, sets, deadline)
    if found.weight > sets.weight + tolerance(weights) and method != "branch":
        # The gaps are too narrow for doubles; the search keeps to wider ones.
        kept_wide = _by_branch(X, positive, weights, places, deadline)
        wider = _first_that_holds(X, positive, weights, places, kept_wide, deadline)
        found = min(found, wider, key=lambda plane: (plane.weight, -plane.margin))
    return found._replace(
        n_optimal=len(sets.sides),
        lower_bound=min(sets.lower_bound, found.weight),
        status="optimal" if sets.finished else "time limit",
    )


class _Sets(NamedTuple):
    """Separator sets as rows of what is predicted positive (s, n); their weight, and what none is below."""

    sides: Flags
    weight: float
    lower_bound: float
    finished: bool


def _by_branch(X, positive, weights, places, deadline):
    found = solve(X, positive, weights, deadline)
    _, first, of_row = places
    ahead, behind = found.held & positive, found.held & ~positive
    # Without a plane all are predicted alike, as those that are right.
    side = np.full(len(first), ahead.any())
    if found.normal is not None and ahead.any() and behind.any():
        scores = check_places(X[first], found.normal)
        low, high = scores[of_row[behind]].max(), scores[of_row[ahead]].min()
        side = scores > low / 2 + high / 2  # decides where points of both classes coincide
    side[of_row[ahead]], side[of_row[behind]] = True, False
    return _Sets(side[of_row][None, :], found.weight, found.lower_bound, found.finished)


def _by_sweep(positive, weights, places, deadline):
    points, _, of_row = places
    wp = np.bincount(of_row[positive], weights[positive], minlength=len(points))
    wn = np.bincount(of_row[~positive], weights[~positive], minlength=len(points))
    sides, best, finished = _optimal_sides(points, wp, wn, tolerance(weights), deadline)
    return _Sets(sides[:, of_row], best, best if finished else 0.0, finished)


def _first_that_holds(X, positive, weights, places, sets, deadline):
    """Turn sets into planes, the fattest first, until floating point gives one the weight it should have."""
    points, first, of_row = places
    enough = sets.weight + tolerance(weights)

    def gap(side):
        ahead, behind = np.unique(of_row[side & positive]), np.unique(of_row[~side & ~positive])
        if not len(ahead) or not len(behind):
            return None, np.inf
        return widest_gap(X[first[ahead]], X[first[behind]]) or (None, 0.0)

    gaps: list[Any] = []
    for each in sets.sides[:_MOST_MARGINS]:
        if gaps and not sets.finished and deadline.is_over():
            break
        gaps.append(gap(each))
    widths = np.array([width for _, width in gaps])
    # Those that differ by rounding alone tie.
    widths[widths >= widths.max() * (1.0 - 1e-9)] = widths.max()
    normals = []
    for i in np.argsort(-widths, kind="stable"):
        side, (normal, width) = sets.sides[i], gaps[i]
        if width == np.inf:
            return _as_it_is(X, positive, weights, _outer(X, 1 if (side & positive).any() else -1))
        for candidate in _candidates(X, points[of_row], side == positive, positive, normal):
            normals.append(candidate)
            plane = settle_plane(X[side & positive], X[~side & ~positive], candidate)
            if plane is not None:
                found = _as_it_is(X, positive, weights, plane)
                if np.array_equal(found.misclassified, side != positive) or found.weight <= enough:
                    return found
    planes = [_outer(X, 1), _outer(X, -1)]
    for direction in [*normals, *directions(X)]:
        for normal in (direction, -direction):
            offset = best_threshold(X @ normal, positive, weights)
            if offset is not None:
                planes.append((normal, offset))
    found = (_as_it_is(X, positive, weights, plane) for plane in planes)
    return min(found, key=lambda plane: (plane.weight, -plane.margin))


def _merge(X):
    """Return distinct locations (k, 3) in scaled units, a row at each (k,), and the location of each row."""
    extent = X.max(axis=0) / 2 - X.min(axis=0) / 2
    # A constant column is scaled by its own size.
    scaled = np.ldexp(X, -np.frexp(np.where(extent > 0, extent, X[0]))[1])
    scaled[np.abs(scaled) < _NEGLIGIBLE] = 0.0
    _, first, of_row = np.unique(scaled + 0.0, axis=0, return_index=True, return_inverse=True)
    return np.ascontiguousarray(scaled[first]), first, of_row.reshape(-1)


def _optimal_sides(points, wp, wn, slack, deadline):
    """Return every optimal partition (s, k), True for what is predicted positive, and its weight.

    Where the time is up before all planes were judged, those are the best that were met, and the third is
    False.
    """
    swapped = bool(np.count_nonzero(wp) > np.count_nonzero(wn))
    if swapped:
        wp, wn = wn, wp
    n, done = len(points), 0
    lowest, part = np.full((n, n), np.inf), max(1, _PART // n)
    while done < n * n and not (done and deadline.is_over()):
        axis_sweep(points, wp, wn, done, min(n * n, done + part), lowest)
        done += part
    finished = done >= n * n
    limit = min(lowest.min(), wp.sum(), wn.sum()) + slack
    alike = np.repeat([[True], [False]], n, axis=1)[[wn.sum() <= limit, wp.sum() <= limit]]
    found, left = [alike], MOST_PLANES
    for first in range(0, n * n, part):
        if left == 0 or (any(map(len, found)) and not finished and deadline.is_over()):
            break
        last = min(n * n, first + part)
        if (lowest.ravel()[first:last] <= limit).any():
            found.append(collect_planes(points, wp, wn, lowest, limit, left, first, last))
            left -= len(found[-1])
    sides = np.unique(np.concatenate(found), axis=0)
    weights = np.where(sides, wn, wp).sum(axis=1)  # running sums have drifted a little, these have not
    kept = weights <= weights.min() + slack
    return sides[kept] != swapped, float(weights[kept].min()), finished


def _candidates(X, points, correct, positive, normal):
    """Yield normals that may separate the correct points: the fattest, and the fattest in scaled units."""
    if normal is not None:
        yield normal
    found = widest_gap(points[correct & positive], points[correct & ~positive])
    if found is not None:
        extent = np.ptp(points, axis=0)
        stretch = np.ptp(X / 2, axis=0) / np.where(extent > 0, extent, 1.0)
        with np.errstate(divide="ignore", over="ignore"):
            scaled = found[0] * np.where(stretch > 0, stretch[stretch > 0].min() / stretch, 0.0)
        if scaled.any():
            scaled = scaled / np.abs(scaled).max()  # first: the squares of small ones are zero
            yield scaled / np.linalg.norm(scaled)


def _outer(X, sign):
    return np.array([1.0, 0.0, 0.0]), outer_offset(X, sign)


def _as_it_is(X, positive, weights, plane):
    """Return the result that states what a plane does."""
    normal, offset = plane
    scores = X @ normal + offset
    misclassified = np.where(positive, scores <= 0, scores >= 0)
    alike = (scores > 0).all() or (scores < 0).all()
    margin = np.inf if alike else float(np.abs(scores[~misclassified]).min(initial=np.inf))
    weight = math.fsum(weights[misclassified])
    return OptimalPlane(normal, offset, weight, margin, misclassified, 1, weight, "optimal")
