"""The leave-one-out error of the optimal line, exactly (Section 3)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_choice
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._inputs.points import check_labels, check_points, check_scales, check_weights
from paperlib.boosting2d._leave_out.fat_side import fat_side, touching
from paperlib.boosting2d._leave_out.heavy_points import sets_that_matter
from paperlib.boosting2d._leave_out.left_out import always_wrong, count_wrong_sets
from paperlib.boosting2d._leave_out.near_optimal import joined, near_optimal_sets
from paperlib.boosting2d._search.optimal_sets import METHODS, MOST_WITNESSES, PER_POINT_PASSED, SHARE, Method

FEW = 100  # points for which near-optimal sets need not be listed
EACH = 1_000_000  # of `branch.Progress.cost`: to leave a point out by itself, at least
ROOM = 1000  # near-optimal sets that are listed where they need not be


class LeaveOneOut(NamedTuple):
    """The leave-one-out error, and what each point adds to it.

    Attributes
    ----------
    error : float
        Mean of the contributions, in the units of the weights.
    kind : ndarray of shape (n,), int64
        The type of each point: 1, 2 or 3 if all, none or some of the optimal fat lines without it classify
        it correctly.
    contribution : ndarray of shape (n,)
        The point's weight, times the share of the optimal separator sets without it whose fat line
        misclassifies it.

    Examples
    --------
    >>> found = leave_one_out([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [1, -1, 1], [5, 2, 5])
    >>> found.error, found.kind.tolist(), found.contribution.tolist()
    (4.0, [2, 2, 2], [5.0, 2.0, 5.0])
    """

    error: float
    kind: Integers
    contribution: Floats


def leave_one_out(
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    method: Method = "auto",
) -> LeaveOneOut:
    """Compute the leave-one-out error of the optimal fat line, as if it were found anew without each point.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Finite, n >= 1. Rows may coincide. A coordinate below 1e-138 of its column's extent counts as zero.
    y : array-like of shape (n,)
        At most two distinct labels of any one type; the larger one is positive. A single label is positive
        unless it is a number that is not above zero.
    sample_weight : array-like of shape (n,), optional
        Positive and finite, with a finite sum; ones by default. Leave out the rows of weight zero.
    method : str, default="auto"
        How the near-optimal sets are found, as for `optimal_separator`.

    Returns
    -------
    LeaveOneOut

    Raises
    ------
    TypeError
        If `X` is sparse.
    ValueError
        If an argument has a wrong shape, a value that is not finite, a weight that is not positive, more than
        two labels, or an unknown choice; if the extents of the columns differ by more than a factor of 1e120;
        and if so many lines tie that their sets cannot be listed.

    Notes
    -----
    Each *distinct* optimal separator set of the other points has one vote, that of its fat line
    (Definition 1.3, misclassified points removed); a point on that line is misclassified. The paper lets the
    occurrences of a set vote, pairs of a central point and a class of lines through it. How many of them a
    set has depends on how lines are listed; and as printed the count C_i leaves out the optimal sets none of
    whose lines is near x_i. Of distinct sets there is no such doubt.

    Where an optimal set leaves a single class, or the other points are of one class, everything is predicted
    to be of that class. Without the only point of a sample there is no line to classify it correctly: it is
    of type 2.

    Comparisons of points are exact, and so is on which side of a fat line a point is; the lines need not be
    representable in doubles, as that of `optimal_separator` must be. Exact too are sums of weights
    that are multiples of a power of two, integers for one; other sums within 1e-12 of the total weight are
    taken to tie.

    The sets that count for a point are at most as much heavier than the optimum as the point is. To find them
    takes O(m n log n) time by ``"sweep"``, m points in the smaller class; to look at each takes O(n). For
    heavy points there would be very many. Of these, only the sets that hold the point count; one search by
    branch and bound finds them for all heavy points, whatever the method. Where that takes too long, the
    points are left out one by one.

    References
    ----------
    V. Boyarshinov, M. Magdon-Ismail, "Efficient Optimal Linear Boosting of a Pair of Classifiers", 2005,
    Section 3, Theorem 1.5.

    Examples
    --------
    >>> X = [[4.0, 2.0], [3.0, 2.0], [0.0, 2.0], [4.0, 4.0], [4.0, 3.0], [1.0, 2.0]]
    >>> found = leave_one_out(X, [1, -1, 1, 1, -1, -1])
    >>> found.kind.tolist(), found.contribution.tolist(), found.error
    ([2, 1, 2, 2, 3, 2], [1.0, 0.0, 1.0, 1.0, 0.5, 1.0], 0.75)
    """
    X = check_points(X)
    check_scales(X)
    positive = check_labels(y, len(X))
    weights = check_weights(sample_weight, len(X))
    check_choice(method, "method", METHODS)
    n = len(X)
    if n == 1:
        return LeaveOneOut(float(weights[0]), np.array([2]), weights)
    places, slack = merge(X, positive, weights), tolerance(weights)
    sets, always, ceiling = _listed(places, positive, weights, slack, method)
    heavy = ~always & ~(weights <= ceiling)
    if sets.complete and heavy.any():
        sets, complete = _with_those_that_matter(places, positive, weights, sets, heavy, slack)
        always |= always_wrong(sets.packed, sets.excess, places.of_row, positive, weights, slack)
        # Where the search was finished, what it found decides about all of them.
        heavy &= ~always & (not complete)
    wrong, total = _votes(places, sets, positive, weights, ~always & ~heavy, slack)
    for i in np.flatnonzero(heavy):
        wrong[i], total[i] = _votes_without(X, positive, weights, i, sets.weight, slack, method)
    share = np.where(always, 1.0, wrong / np.maximum(total, 1))
    kind = np.where(share == 0.0, 1, np.where(share == 1.0, 2, 3))
    contribution = weights * share
    return LeaveOneOut(float(contribution.mean()), kind, contribution)


def _listed(places, positive, weights, slack, method):
    """List near-optimal sets, up to the weight of a point from which on most do not matter to any.

    Returns
    -------
    sets : NearOptimalSets
    always : ndarray of shape (n,), bool
        Points that are of type 2 by Lemmas 3.2 and 3.6.
    ceiling : float
        Of the others, those up to this weight can be decided by the sets.
    """
    always, known, reached, room = np.zeros(len(positive), dtype=bool), None, -np.inf, None
    heavy = weights
    while known is None or max(FEW, len(known.packed)) < len(heavy):
        # The ceiling rises from below: the number of sets may explode with it.
        ceiling = np.quantile(heavy, 0.5, method="higher")
        sets = near_optimal_sets(places, slack, float(ceiling), method, room)
        always |= always_wrong(sets.packed, sets.excess, places.of_row, positive, weights, slack)
        if not sets.complete:
            break
        known, reached, room = sets, ceiling, ROOM
        heavy = weights[~always & (weights > ceiling)]
    if known is not None:
        return known, always, reached
    return _listed_for_the_light(places, positive, weights, slack, method, sets, always, ceiling)


def _listed_for_the_light(places, positive, weights, slack, method, sets, always, ceiling):
    """Do as `_listed` where half of the points have too many sets already."""
    step = 1
    while not sets.complete:
        lighter = np.unique(weights[~always & (weights < ceiling)])
        if len(lighter) == 0:
            return sets, always, -np.inf
        # The steps double: each listing that has no room for all sets is costly.
        ceiling = lighter[max(len(lighter) - step, 0)]
        step *= 2
        sets = near_optimal_sets(places, slack, float(ceiling), method)
        always |= always_wrong(sets.packed, sets.excess, places.of_row, positive, weights, slack)
    return sets, always, ceiling


def _with_those_that_matter(places, positive, weights, sets, heavy, slack):
    """Add the sets that decide about heavy points to those listed; return whether these are all of them."""
    # It may cost no more than to leave the points out one by one.
    each = EACH + SHARE * PER_POINT_PASSED * len(places.x) * np.count_nonzero(places.wp)
    witnesses, complete = sets_that_matter(
        places, positive, weights, heavy, sets.weight, slack, MOST_WITNESSES, each * np.count_nonzero(heavy)
    )
    return joined(places, sets, witnesses), complete


def _votes(places, sets, positive, weights, undecided, slack):
    """Return how many of how many optimal sets misclassify each point that is left out."""
    location = places.of_row
    alone = np.bincount(location)[location] == 1
    wrong = count_wrong_sets(sets, location, positive, weights, undecided, alone, slack)
    total = wrong.copy()
    row_at = np.full(len(places.x), -1)
    row_at[location[alone & undecided]] = np.flatnonzero(alone & undecided)
    for packed in sets.packed[sets.excess <= slack] if undecided.any() else ():
        side = np.unpackbits(packed, count=len(places.x)).astype(bool)
        total += side[location] == positive
        for i in _moved(places, side, row_at):
            wrong[i] += 1
    return wrong, total


def _votes_without(X, positive, weights, i, best, slack, method):
    """Return the votes on one point, by finding the optimal sets anew without it."""
    others = np.arange(len(X)) != i
    places = merge(X[others], positive[others], weights[others])
    sets = near_optimal_sets(places, slack, 0.0, method)
    # A set without the point that is lighter than W: with it, it weighs less than W + w.
    if sets.weight < best - slack:
        return 1, 1  # Lemma 3.6
    if not sets.complete:
        raise ValueError(f"X must not have so many lines that tie, got more than {len(sets.packed)} of them")
    mates = np.flatnonzero((X[others] == X[i]).all(axis=1))
    wrong = 0
    for packed in sets.packed:
        side = np.unpackbits(packed, count=len(places.x)).astype(bool)
        if len(mates):
            # Another point here, right or wrong, is on the same side of all lines of the set (Lemma 2.2).
            vote = 1 if side[places.of_row[mates[0]]] else -1
        else:
            ahead, behind = side & (places.wp > 0), ~side & (places.wn > 0)
            vote = fat_side(places.points[ahead], places.points[behind], X[i])
        wrong += vote != (1 if positive[i] else -1)
    return wrong, len(sets.packed)


def _moved(places, side, row_at):
    """Yield the rows that an optimal set classifies correctly, and its fat line without them does not.

    Only a point that is alone at its location and touches the margin can be one: without any other the fat
    line is the same, or another point at the location keeps its side.
    """
    ahead, behind = np.flatnonzero(side & (places.wp > 0)), np.flatnonzero(~side & (places.wn > 0))
    points = places.points
    for own, other, corners in zip((ahead, behind), (behind, ahead), touching(points[ahead], points[behind])):
        for corner in corners:
            i = row_at[own[corner]]
            if i < 0 or fat_side(points[np.delete(own, corner)], points[other], points[own[corner]]) > 0:
                continue
            yield i
