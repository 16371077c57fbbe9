"""Leave-one-out from lines through the smaller class alone, in O(m n) up to logarithms (Theorem 3.1).

Let lines turn about the m points of the smaller class, and spare its points on them; let W be the least
weight. With the two sets of all points of a class, these separator sets decide about every point i, of
either class, and of weight w (the notebook has the proof):

- If one that holds i weighs less than W + w, all lines that are optimal without i misclassify it.
- Otherwise a set that is optimal without i is an optimal set of all, or it is one on the list that weighs
  W + w, less i, which it holds; some are both. The fat line of what the latter leaves decides about i. So
  does that of an optimal set without i; it can err only if i supported it, and is of the larger class.

`windows` finds the lightest set that holds each point, `smaller_class_votes` the sets that vote and what
their fat lines have right.
"""

import numpy as np

from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._leave_out.fat_side import fat_side, touching
from paperlib.experiments.boosting2d.interval_tree import Marked
from paperlib.experiments.boosting2d.smaller_class_votes import (
    FREE,
    NOTHING,
    RIGHT,
    SUPPORTS,
    Votes,
    collect_votes,
    slot_of,
)
from paperlib.experiments.boosting2d.windows import OTHER, OWN, Sample, lightest_holding


def leave_one_out_by_smaller_class(X, positive, weights, every=False):
    """Compute the leave-one-out error from lines through points of the smaller class.

    Parameters
    ----------
    X : ndarray of shape (n, 2), n >= 2
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,), > 0
        Integers, or others whose sums are exact.
    every : bool
        Ask the fat lines of all sets, also where these do not matter: the result is the same, and `judged`
        an upper bound for all weights.

    Returns
    -------
    Marked
        Exact: where rounding leaves a side open, the library's `fat_side` decides.

    Raises
    ------
    ValueError
        If sums of the weights are not exact.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> weights = np.array([5.0, 2.0, 5.0])
    >>> leave_one_out_by_smaller_class(X, np.array([True, False, True]), weights).contribution
    array([5., 2., 5.])
    """
    if tolerance(weights) > 0:
        raise ValueError("weights must have exact sums, as integers have; these are rounded")
    places = merge(X, positive, weights)
    own = np.count_nonzero(places.wp) <= np.count_nonzero(places.wn)  # whether centres are positive
    sample = _sample_of(places, own)
    of_row, kinds = places.of_row, np.where(positive == own, OWN, OTHER)
    lowest, best, judged = lightest_holding(sample)
    alike = sample.weights.sum(axis=1)
    lowest, best = np.minimum(lowest, alike[:, None]), min(best, alike.min())
    lightest = lowest[kinds, of_row]
    by_votes = lightest >= best + weights
    tied = lightest == best + weights
    wanted = np.unique(np.append(lightest[tied], best))
    need = np.full(lowest.shape, -1)
    need[kinds[tied], of_row[tied]] = np.searchsorted(wanted, lightest[tied])
    votes, work = collect_votes(sample, wanted, need, _alike(sample, alike, wanted, need), every)
    right, both, wrong = _shown(sample, votes, places, best)
    alone = sample.alone[of_row]
    holding = np.where(tied, votes.holding[kinds, of_row] - alone * right[of_row], 0)
    all_sets = votes.sizes[1] + holding - alone * both[of_row]
    share = np.where(by_votes, (holding + alone * wrong[of_row]) / np.maximum(all_sets, 1), 1.0)
    kind = np.where(share == 0.0, 1, np.where(share == 1.0, 2, 3))
    return Marked(weights * share, kind, judged + work)


def _sample_of(places, own):
    """Return `Sample` of `Locations`; `own` tells whether centres are positive."""
    n, exponent = len(places.x), int(np.frexp(np.abs(places.points).max())[1])
    px, py = np.ldexp(places.points, -exponent).T.copy()
    keys = np.random.default_rng(0).integers(2**64, size=n, dtype=np.uint64)
    weights = np.array([places.wp, places.wn] if own else [places.wn, places.wp])
    return Sample(places.x, places.y, px, py, weights, np.bincount(places.of_row, minlength=n) == 1, keys)


def _alike(sample, alike, wanted, need):
    """Return `Votes` with the sets of all points of a class, if they are of a wanted weight."""
    n = len(sample.x)
    table, right = np.zeros(16, dtype=np.uint64), np.full(16, FREE)
    sizes, holding = np.zeros(4, dtype=np.int64), np.zeros((2, n), dtype=np.int64)
    for kind, key in ((OWN, np.uint64(0)), (OTHER, np.bitwise_xor.reduce(sample.keys))):
        index = np.searchsorted(wanted, alike[kind])
        if index < len(wanted) and wanted[index] == alike[kind]:
            slot = slot_of(table, right, key)
            table[slot], right[slot] = key, NOTHING
            sizes[:2] += 1, index == 0
            holding[kind] += need[kind] == index
    touching, about = np.empty((16, 3), dtype=np.uint64), np.empty((4, 2), dtype=np.uint64)
    return Votes(table, right, holding, touching, np.empty((4, n), dtype=bool), about, sizes)


def _shown(sample, votes, places, best):
    """Count what fat lines show about the point at each location that is alone there.

    Returns
    -------
    right : ndarray of shape (k,), int64
        Of the sets that hold it, those that have it right.
    both : ndarray of shape (k,), int64
        Of the optimal sets, those that are on the list with it, too, and have it wrong there.
    wrong : ndarray of shape (k,), int64
        Of the optimal sets, those that are not on the list with it, and without it have it wrong.
    """
    right, both, wrong = np.zeros((3, len(sample.x)), dtype=np.int64)
    touch = [(int(c), key, errs) for c, key, errs in votes.touching[: votes.sizes[2]]]
    for ahead, (key, what) in zip(votes.doubtful[: votes.sizes[3]], votes.about):
        if what == RIGHT:
            slot = slot_of(votes.table, votes.right, key)
            votes.right[slot] = _right_of(sample, places, ahead, best)
        elif what == SUPPORTS:
            touch += _touching(sample, places, ahead, key)
        else:
            c, with_it, _ = touch[int(what) - 2]
            touch[int(what) - 2] = c, with_it, not _is_right(sample, places, ahead, c)
    shown = votes.right[votes.right >= 0]
    np.add.at(right, shown, 1)
    for c, key, errs in touch:
        has_right = votes.right[slot_of(votes.table, votes.right, key)]
        if has_right == FREE:
            wrong[c] += errs
        else:
            both[c] += has_right != c
    return right, both, wrong


def _touching(sample, places, ahead, key):
    """Return the points that may support the fat line of an optimal set, as rows of `Votes.touching`."""
    held = ahead & (sample.weights[OWN] > 0.0), ~ahead & (sample.weights[OTHER] > 0.0)
    found = touching(*(places.points[each] for each in held))
    points = [c for each, rows in zip(held, found) for c in np.flatnonzero(each)[rows] if sample.alone[c]]
    return [(c, key ^ sample.keys[c], not _is_right(sample, places, ahead, c)) for c in points]


def _is_right(sample, places, ahead, c):
    """Return whether the fat line of a set, without location c, has the point there right."""
    own, other = sample.weights > 0.0
    others = np.arange(len(ahead)) != c
    points = places.points
    side = fat_side(points[ahead & own & others], points[~ahead & other & others], points[c])
    return side == (1 if own[c] else -1)


def _right_of(sample, places, ahead, best):
    """Return the point whose weight a set has above the least, holds, and has right; or `NOTHING`."""
    held = np.where(ahead, sample.weights[OTHER], sample.weights[OWN])
    for c in np.flatnonzero(sample.alone & (held > 0.0) & (held == held.sum() - best)):
        if _is_right(sample, places, ahead, c):
            return c
    return NOTHING
