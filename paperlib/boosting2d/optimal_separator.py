"""The line of least misclassified weight, and the fattest of those (Theorems 1.4, 2.3 and 2.13)."""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.deadline import Deadline
from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_choice
from paperlib.boosting2d._fattest.ranked import Ranked, gap_of, ranked
from paperlib.boosting2d._geometry.gaps import (
    adjacent_normals,
    best_threshold,
    directions,
    outer_offset,
    settle_offset,
    shortest_vector_among,
)
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._hyperplanes.solve import solve
from paperlib.boosting2d._inputs.points import check_labels, check_points, check_scales, check_weights
from paperlib.boosting2d._search.optimal_sets import METHODS, Method, optimal_sets

_TRIES = 1_000  # optimal sets that are tried where rounding spoils them


class OptimalSeparator(NamedTuple):
    """A line of least misclassified weight; it predicts the sign of ``X @ normal + offset``.

    Attributes
    ----------
    normal : ndarray of shape (2,)
        Of length one; points into the half plane of the positive class.
    offset : float
    weight : float
        Weight of the points that this very line misclassifies.
    margin : float
        Distance to the nearest point of those that `on_misclassified` leaves to be separated, in the units
        of X; ``inf`` if they are all on one side.
    misclassified : ndarray of shape (n,), bool
        Points on the wrong side, or on the line.
    n_optimal : int
        Number of distinct optimal separator sets; where not `all_counted`, there are at least as many.
    lower_bound : float
        No line misclassifies less. It is `weight`, but for rounding, unless the time was up.
    status : {"optimal", "time limit"}
        Whether the search was finished. Where it was not, the line is the best that was met: of the least
        weight if that is `lower_bound`, and then perhaps not the fattest.
    all_counted : bool
        Whether `n_optimal` counts all optimal sets. It need not where the time was up, or where there are
        more than 100,000 (1,000,000,000 over n if that is less). The margin is the largest of all, counted
        or not.

    Examples
    --------
    >>> line = optimal_separator([[0.0, 1.0], [3.0, 5.0], [2.0, 2.0]], [-1, 1, -1])
    >>> line.normal.round(3).tolist(), round(line.margin, 3), line.weight
    ([0.316, 0.949], 1.581, 0.0)
    """

    normal: Floats
    offset: float
    weight: float
    margin: float
    misclassified: Flags
    n_optimal: int
    lower_bound: float
    status: Literal["optimal", "time limit"]
    all_counted: bool


def optimal_separator(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    method: Method = "auto",
    tie_break: Literal["margin", "first"] = "margin",
    on_misclassified: Literal["remove", "flip"] = "remove",
    time_limit: float | None = None,
) -> OptimalSeparator:
    """Find the line that misclassifies the least weight of points in the plane, exactly.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Finite, n >= 1. Rows may coincide. A coordinate below 1e-138 of its column's extent counts as zero.
    y : array-like of shape (n,)
        At most two distinct labels of any one type; the larger one is positive. A single label is positive
        unless it is a number that is not above zero.
    sample_weight : array-like of shape (n,), optional
        Positive and finite, with a finite sum; ones by default. Leave out the rows of weight zero.
    method : {"auto", "branch", "sweep", "pairs"}, default="auto"
        ``"branch"`` bounds boxes of lines, and ends when none is left that could hold a better one: about a
        second for a million points, more where the classes hardly differ, and very long where points of the
        two classes alternate along a curve, or lie in close pairs. ``"sweep"`` is the paper's, in
        O(m n log n) time with m points in the smaller class (Theorem 2.3), and ``"pairs"`` its ancestor in
        O(n^3). ``"auto"`` begins with ``"branch"``; once that has taken 0.15 of what the sweep would take,
        the sweep finishes the lines that are left. So it needs at most about 1.2 times the sweep's time.
    tie_break : {"margin", "first"}, default="margin"
        Which of several optimal separator sets: the one with the largest margin (Theorem 2.13), or the first
        one met.
    on_misclassified : {"remove", "flip"}, default="remove"
        Whether the margin leaves misclassified points out, or counts them with their class flipped
        (Section 2.1). Where points of both classes coincide, those that are wrong count as flipped.
    time_limit : float > 0, optional
        Seconds after which the search ends, with the best line that was met and a bound on all others. The
        clock is looked at about every tenth of a second.

    Returns
    -------
    OptimalSeparator
        `weight` and `misclassified` are of the returned line as floating point evaluates it. `weight` is the
        optimum, unless no optimal separator set could be written as a line of doubles (gaps below the
        rounding of the coordinates); then the line is the best that the search of `optimal_hyperplane`
        finds, which keeps to wider gaps, and `margin` its distance to the nearest point that it classifies
        correctly. If all points are predicted alike, the line is x = const, off the points by about their
        extent.

    Raises
    ------
    TypeError
        If `X` is sparse.
    ValueError
        If an argument has a wrong shape, a value that is not finite, a weight that is not positive, more than
        two labels, or an unknown choice; if the extents of the columns differ by more than a factor of 1e120;
        or if the lightest point weighs less than 2e-12 of all, and sums of
        weights are not exact, so that it would be lost in their rounding.

    Notes
    -----
    Comparisons of points are exact. So are sums of weights that are multiples of a power of two, integers for
    one; other sums within 1e-12 of the total weight are taken to tie. Margins within a relative 1e-12 tie
    too; of their sets the one comes first that does so when the sides of the sorted locations are compared.

    Where many lines are optimal, ``"sweep"`` compares their margins as the paper does, in O(m n log n) time:
    it keeps hulls of both sides while a line turns about each point (Lemma 2.14). ``"auto"`` and ``"branch"``
    bound boxes of lines again, and drop those without a wide gap; that is much faster, and where it should
    not be, the sweep takes over.

    Where branch and bound meets a set several times, it knows it again by a key of 64 bits, a random one for
    each point: of s sets two have one key, and count as one, with a probability below ``s^2 / 2^65`` (3e-10
    for 100,000). Those that are left are compared point by point.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Theorems 1.4, 2.3 and 2.13, Definition 1.3.

    Examples
    --------
    >>> X = [[0.0, 0.0], [1.0, 1.0], [4.0, 0.0], [5.0, 1.0], [4.5, 0.5]]
    >>> line = optimal_separator(X, [-1, -1, 1, 1, -1])
    >>> line.weight, line.misclassified.tolist(), line.n_optimal
    (1.0, [False, False, False, False, True], 3)
    >>> round(line.margin, 3), line.normal.round(3).tolist()
    (1.581, [0.949, -0.316])
    """
    X = check_points(X)
    check_scales(X)
    positive = check_labels(y, len(X))
    weights = check_weights(sample_weight, len(X))
    check_choice(method, "method", METHODS)
    check_choice(tie_break, "tie_break", ("margin", "first"))
    check_choice(on_misclassified, "on_misclassified", ("remove", "flip"))
    deadline = Deadline(time_limit)

    places, slack, flip = merge(X, positive, weights), tolerance(weights), on_misclassified == "flip"
    sets = optimal_sets(places, slack, method, deadline)
    if tie_break == "first":
        # The set that was met first, and then those behind it in their order, around the end.
        order = np.roll(np.arange(len(sets.packed)), -sets.first)
        best = Ranked(sets, order, {}, sets.finished)
    else:
        best = ranked(places, sets, slack, flip, method, deadline)
    found = _first_that_holds(X, positive, weights, places, best, flip)
    if found.weight > sets.weight + slack and not deadline.is_over():
        # The gaps are too narrow for doubles; the search for hyperplanes keeps to wider ones.
        wider = solve(X, positive, weights, deadline)
        found = min([found, *_written(X, positive, weights, wider, slack)], key=_rank)
    return found._replace(
        n_optimal=len(best.sets.packed),
        lower_bound=min(sets.lower_bound, found.weight),
        status="optimal" if best.finished else "time limit",
        all_counted=sets.complete,
    )


def _first_that_holds(X, positive, weights, places, best, flip):
    """Turn sets into lines, in their order, until floating point gives a line the weight it should have."""
    normals, sets = [], best.sets
    for i in best.order[:_TRIES].tolist():
        side = sets.side(i)
        normal, margin = best.gaps.get(i) or gap_of(places, side, flip)
        row_side = side[places.of_row]
        for line in _lines(X, positive, row_side, normal, flip):
            found = _as_it_is(X, positive, weights, line, margin)
            expected = np.array_equal(found.misclassified, row_side != positive)
            # A line that rounding has moved to another set is as good if it is as light.
            if expected or found.weight <= sets.weight:
                return found
        normals.append(normal)
    # None came out right: the best thresholds along what was tried, and predicting all alike.
    normals = [normal for normal in normals if normal is not None] + list(directions(X))
    lines = [_outer(X, 1), _outer(X, -1)]
    for normal in [*normals, *(-normal for normal in normals)]:
        offset = best_threshold(X @ normal, positive, weights)
        if offset is not None:
            lines.append((normal, offset))
    return min((_as_it_is(X, positive, weights, line, None) for line in lines), key=_rank)


def _rank(line):
    return line.weight, -line.margin


def _written(X, positive, weights, found, slack):
    """Yield lines in doubles for a `Solution`, the fattest first, until one is as light as that."""
    ahead, behind = found.held & positive, found.held & ~positive
    if found.normal is None or not ahead.any() or not behind.any():
        return  # it predicts all alike
    fattest = shortest_vector_among(X, ahead, behind)
    for normal in [found.normal] if fattest is None else [fattest[0], found.normal]:
        for candidate in adjacent_normals(normal):
            offset = best_threshold(X @ candidate, positive, weights)
            if offset is not None:
                line = _as_it_is(X, positive, weights, (candidate, offset), None)
                yield line
                if line.weight <= found.weight + slack:
                    return


def _outer(X, sign):
    return np.array([1.0, 0.0]), outer_offset(X, sign)


def _as_it_is(X, positive, weights, line, margin):
    """Return the result that states what a line does; its margin is measured where None is given."""
    normal, offset = line
    scores = X @ normal + offset
    misclassified = np.where(positive, scores <= 0, scores >= 0)
    if margin is None:
        margin = float(np.abs(scores[~misclassified]).min(initial=np.inf))
    weight = math.fsum(weights[misclassified])
    return OptimalSeparator(normal, offset, weight, margin, misclassified, 1, weight, "optimal", True)


def _lines(X, positive, side, normal, flip):
    """Yield ``(normal, offset)`` that should realise a partition of the rows."""
    if normal is None:
        yield _outer(X, 1 if side.any() else -1)
        return
    ahead = side if flip else side & positive
    behind = ~side if flip else ~side & ~positive
    for candidate in adjacent_normals(normal):
        scores = X @ candidate
        offset = settle_offset(scores[behind].max(), scores[ahead].min())
        if offset is not None:
            yield candidate, offset
