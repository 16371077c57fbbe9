"""Section 3's own algorithm for the leave-one-out error: a tree of intervals about each central point.

Turn a line about a positive point. Each class of lines (Lemma 2.7) misclassifies the positive points in half
a turn of directions, an interval with the weight of the line's positive separator set. Walk around the point
once more, by direction: intervals open and close, a balanced tree holds the weights of those that are open,
and at a positive point the least of them is the lightest set that holds it (Lemmas 3.5 and 3.6). Negative
points are marked from negative centres. The time that this takes does not depend on the weights.

Corrected as in the notebook: intervals open anywhere in a whole turn (the paper has half a turn, one of the
two orientations); the lines that predict everything alike mark, too; and each distinct optimal set has one
vote. The votes of the points of type III are found by looking at their sets one by one, not by hulls that are
kept while the line turns, as the paper counts N_c: that part is exact, and slow where many sets tie; in
`smaller_class` it is not.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.boosting2d._leave_out.fat_side import fat_side


class Marked(NamedTuple):
    """The leave-one-out error as the tree finds it, and its work.

    Attributes
    ----------
    contribution : ndarray of shape (n,)
        Of each point, as of `leave_one_out`.
    kind : ndarray of shape (n,), int64
        1, 2 or 3, as of `leave_one_out`.
    judged : int
        Of the marking, as of `mark`; without the votes on the points of type III.
    """

    contribution: np.ndarray
    kind: np.ndarray
    judged: int


@jit
def _interval_weights(order, half, level, own, other, at, ahead, of, weights):
    """Weigh the classes of lines through a centre, and number the directions of the points.

    Class q of ``4 g`` has its line point along direction q / 2 for even q, and between two for odd ones; its
    left side is predicted to be of the centres' class, and so are the points of this class on it.

    Fills ``at`` (n,), each point's direction, of ``2 g``; ``of`` (2, 2 g), the weights of both classes in
    each direction; and `weights`. Returns g.
    """
    groups = 0
    for k in range(len(order)):
        groups += not level[k]
        at[order[k]] = groups - 1
    of[:, : 2 * groups] = 0.0
    for b in order:
        at[b] += groups if half[b] < 0 else 0
        of[0, at[b]] += own[b]
        of[1, at[b]] += other[b]
    # Class 4 g - 1 is next to direction 0 and before it: the first g directions are on its left.
    weight = ahead
    for d in range(groups):
        weight += of[1, d] + of[0, d + groups]
    # What is on the line counts as left of it (Definition 2.4): on the way onto direction d only what is
    # opposite changes sides, and on the way past only what is along it.
    for d in range(2 * groups):
        opposite = (d + groups) % (2 * groups)
        weight += of[1, opposite] - of[0, opposite]
        weights[2 * d] = weight
        weight += of[0, d] - of[1, d]
        weights[2 * d + 1] = weight
    return groups


@jit
def _change(tree, leaf, by):
    """Add `by` to a leaf's count of open intervals and to those above it; return the nodes touched."""
    # All weights are known beforehand: the paper's balanced tree can be a fixed one, its leaves their ranks.
    node, touched = leaf + len(tree) // 2, 0
    while node > 0:
        tree[node] += by
        node //= 2
        touched += 1
    return touched


@jit
def _least(tree):
    """Return the first leaf with an open interval, and the nodes touched."""
    node, touched = 1, 1
    # Below `node` some interval is open: if none is in its left half, one is in the right.
    while node < len(tree) // 2:
        node *= 2
        node += tree[node] == 0
        touched += 1
    return node - len(tree) // 2, touched


@jit
def _walk(groups, ranks, tree, of, least):
    """Walk around a centre; fill ``least`` (2 g,): the rank of the lightest interval about each direction.

    Only where points of the centres' class are. An interval is open: the points on its line are spared.
    Returns the nodes touched.
    """
    size, judged = 4 * groups, 0
    # In steps of half a direction, class q has wrong what is between q + 2 g and q + 4 g (mod 4 g). So at
    # step p the classes p + 1 to p + 2 g - 1 are open: never none, as `_least` needs.
    for q in range(1, 2 * groups):
        judged += _change(tree, ranks[q], 1)
    for p in range(size):
        if p > 0:
            judged += _change(tree, ranks[p], -1)
            judged += _change(tree, ranks[(p - 1 + 2 * groups) % size], 1)
        if p % 2 == 0 and of[0, p // 2] > 0.0:
            least[p // 2], touched = _least(tree)
            judged += touched
    return judged


@jit
def _rank(weights, order, spare, ranks, keys):
    """Sort weights (k,) by merging; fill their ranks among the distinct ones, and these into `keys`.

    Returns how many are distinct, and how many comparisons were made.
    """
    # By hand, because numpy's sort does not tell how many comparisons it makes.
    size, compared, width = len(weights), 0, 1
    for i in range(size):
        order[i] = i
    source, target = order, spare
    while width < size:
        for start in range(0, size, 2 * width):
            i, middle = start, min(start + width, size)
            j, end = middle, min(start + 2 * width, size)
            for k in range(start, end):
                take = i < middle
                if take and j < end:
                    take = weights[source[i]] <= weights[source[j]]
                    compared += 1
                if take:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    distinct = 0
    for k in range(size):
        compared += k > 0
        # Weights that tie are equal to the last bit: `leave_one_out_by_intervals` asks for exact sums.
        if k == 0 or weights[source[k]] != keys[distinct - 1]:
            keys[distinct] = weights[source[k]]
            distinct += 1
        ranks[source[k]] = distinct - 1
    return distinct, compared


@jit
def mark(x, y, own, other):
    """Find the lightest separator set that holds the points at each location (Lemmas 3.5 to 3.8).

    Parameters
    ----------
    x, y : ndarray of shape (k,)
        Distinct locations.
    own, other : ndarray of shape (k,)
        Weight there of the class that is marked, and that lines are turned about, and of the other one.

    Returns
    -------
    lowest : ndarray of shape (k,)
        Least weight of a positive separator set that holds the location's own points, of lines through other
        locations with own points; ``inf`` if there is none.
    best : float
        The least weight of any of these lines.
    judged : int
        Steps of the sorts about the centres, as of `mirrored_order`; intervals weighed, comparisons to sort
        their weights, and nodes of the tree touched.
    """
    n = len(x)
    lowest, best, judged = np.full(n, np.inf), np.inf, 0
    half, at = np.ones(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    packed, spare = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.bool_)
    of, weights = np.empty((2, 2 * n)), np.empty(4 * n)
    ranks, least = np.empty(4 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    sorting, keys = np.empty((2, 4 * n), dtype=np.int64), np.empty(4 * n)
    for a in range(n):
        # Lines through points of the class that is marked are enough (Lemmas 3.5 and 3.7).
        if own[a] == 0.0 or n == 1:
            continue
        judged += mirrored_order(x, y, a, half, packed, spare, order, level)
        groups = _interval_weights(order, half, level, own, other, at, other[a], of, weights)
        distinct, compared = _rank(weights[: 4 * groups], sorting[0], sorting[1], ranks, keys)
        best, leaves = min(best, keys[0]), 1
        while leaves < distinct:
            leaves *= 2
        judged += 4 * groups + compared
        judged += _walk(groups, ranks, np.zeros(2 * leaves, dtype=np.int64), of, least)
        # Not for a: its own points are on all of these lines, which spare them.
        for b in order:
            if own[b] > 0.0:
                lowest[b] = min(lowest[b], keys[least[at[b]]])
    return lowest, best, judged


@jit
def sets_of_weight(x, y, own, other, wanted):
    """Return what lines predict whose weight is in the sorted `wanted`: (s, k), True for the own class."""
    n, size = len(x), 0
    found = np.empty((64, n), dtype=np.bool_)
    half, at = np.ones(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    packed, spare = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.bool_)
    of, weights = np.empty((2, 2 * n)), np.empty(4 * n)
    for a in range(n):
        if own[a] == 0.0 or n == 1:
            continue
        mirrored_order(x, y, a, half, packed, spare, order, level)
        groups = _interval_weights(order, half, level, own, other, at, other[a], of, weights)
        for q in range(4 * groups):
            k = np.searchsorted(wanted, weights[q])
            if k == len(wanted) or wanted[k] != weights[q]:
                continue
            if size == len(found):
                found = np.concatenate((found, np.empty_like(found)))
            found[size, a] = True
            # On the line or left of it is half a turn of directions, from the line's own on, with both ends.
            for b in order:
                found[size, b] = (2 * at[b] - q) % (4 * groups) <= 2 * groups
            size += 1
    return found[:size]


def leave_one_out_by_intervals(X, positive, weights):
    """Compute the leave-one-out error by a tree of intervals about each point.

    Parameters
    ----------
    X : ndarray of shape (n, 2), n >= 2
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,), > 0
        Integers, or others whose sums are exact.

    Returns
    -------
    Marked
        Exact: the side of a fat line that a point is on is decided by the library's `fat_side`.

    Raises
    ------
    ValueError
        If sums of the weights are not exact.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> leave_one_out_by_intervals(X, np.array([True, False, True]), np.array([5.0, 2.0, 5.0])).contribution
    array([5., 2., 5.])
    """
    if tolerance(weights) > 0:
        raise ValueError("weights must have exact sums, as integers have; these are rounded")
    places, n = merge(X, positive, weights), len(X)
    lowest, best, judged = np.empty(n), np.inf, 0
    for sign, own, other in _classes(places):
        marked, least, work = mark(places.x, places.y, own, other)
        rows = positive == sign
        lowest[rows] = np.minimum(marked, own.sum())[places.of_row[rows]]  # all of the other class
        best, judged = min(best, least, own.sum()), judged + work
    # Type II by Lemmas 3.6 and 3.8, type I by Lemmas 3.5 and 3.7; between them the votes decide.
    kind = np.where(lowest < best + weights, 2, np.where(lowest > best + weights, 1, 3))
    share, undecided = np.where(kind == 2, 1.0, 0.0), np.flatnonzero(kind == 3)
    if len(undecided):
        sets = _sets_of(places, positive, np.unique(np.append(best + weights[undecided], best)))
    for i in undecided:
        others = np.arange(n) != i
        totals = sets @ weights
        # No optimal set holds i, or it would be of type II (Lemma 3.2). A heavier one, less i, may be one of
        # them, which has a single vote.
        near = sets[(totals == best) | (sets[:, i] & (totals == best + weights[i]))] & others
        share[i] = np.mean([_is_wrong(X, positive, others & ~each, i) for each in np.unique(near, axis=0)])
    return Marked(weights * share, np.where(share == 0.0, 1, np.where(share == 1.0, 2, 3)), judged)


def _classes(places):
    return (True, places.wp, places.wn), (False, places.wn, places.wp)


def _sets_of(places, positive, wanted):
    """Return the distinct separator sets (s, n) of lines whose weight is among the sorted `wanted`."""
    found = []
    for sign, own, other in _classes(places):
        predicted = sets_of_weight(places.x, places.y, own, other, wanted) == sign
        # No line predicts all of the other class: each spares its centre.
        alike = np.full((int(own.sum() in wanted), len(places.x)), not sign)
        found += [np.unique(predicted, axis=0), alike]
    return np.unique(np.concatenate(found), axis=0)[:, places.of_row] != positive


def _is_wrong(X, positive, kept, i):
    side = fat_side(X[kept & positive], X[kept & ~positive], X[i])
    return side != (1 if positive[i] else -1)
