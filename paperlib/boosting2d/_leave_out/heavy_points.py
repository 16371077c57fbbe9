"""The sets that decide about heavy points, for all of these by one search over boxes of lines.

A set Q matters for point i, of weight w, if it holds i and weighs at most W + w, W being the least weight of
all (Lemmas 3.6 and 3.9). Sets as heavy as that are too many to be listed where w is large; of those that hold
i, there are few. So the search is that of `branch`, with another limit for each box: its lines matter for i
if i is wrong for some of them, and if what else is wrong, at least, does not outweigh W.

Heavy points are kept out of the bins. What they add to a box's bound is the weight of those that are wrong
for all of its lines, less that of the one left out.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import orientation
from paperlib.boosting2d._search.boxes import SLACK, add_up, empty_bins
from paperlib.boosting2d._search.branch import PER_BIN, PER_BOX, PER_PAIR, PER_POINT
from paperlib.boosting2d._search.cells import group
from paperlib.boosting2d._search.leaves import LEAF, Part, finish, first_of, nothing_found
from paperlib.boosting2d._search.nodes import box_of, first_nodes, is_narrow, narrowed, split
from paperlib.boosting2d._search.witness import ray


class Heavy(NamedTuple):
    """Points that are left out, one at a time: the row of `Cells` of each, its class, and its weight."""

    rows: np.ndarray
    positive: np.ndarray
    weights: np.ndarray


def sets_that_matter(places, positive, weights, heavy, least, slack, most, until):
    """Find the sets that decide about some points.

    Parameters
    ----------
    places : Locations
    positive, weights : ndarray of shape (n,)
        The points.
    heavy : ndarray of shape (n,), bool
        Which of them to decide about.
    least : float
        The least weight of a set.
    slack : float
        Weights as close as this tie.
    most : int
        Stop after about this many lines.
    until : float
        Stop at this cost, as of `branch.Progress`.

    Returns
    -------
    witnesses : ndarray of shape (s, 4), int64
        For each of the points: of the sets that hold it, and weigh less than `least` plus its weight, one; if
        there is none, those that weigh as much. Some are there several times, and so may be others.
    complete : bool
        Whether the search was finished.
    """
    light = ~heavy
    k = len(places.x)
    wp, wn = (
        np.bincount(places.of_row[rows], weights[rows], minlength=k)
        for rows in (light & positive, light & ~positive)
    )
    common = np.minimum(wp, wn)
    cells = group(places.x, places.y, wp - common, wn - common)
    row_of = np.empty(k, dtype=np.int64)
    row_of[cells.order] = np.arange(k)
    points = np.flatnonzero(heavy)
    points = points[np.argsort(-weights[points], kind="stable")]
    left_out = Heavy(row_of[places.of_row[points]], positive[points], weights[points])
    return _search(cells, left_out, least - common.sum(), 2.0 * slack, most, until)


@jit
def _search(cells, heavy, least, slack, most, until):
    nodes, size = first_nodes(cells.boxes, 0.0)
    arena = np.arange(4 * len(cells.boxes)).astype(np.int32)
    bins, found, cost = empty_bins(), nothing_found(), 0.0
    decided = np.zeros(len(heavy.rows), dtype=np.bool_)
    # The last node goes first: so each list can be behind the one that it is made from.
    while size > 0 and cost < until and found.size <= most:
        size -= 1
        box = box_of(nodes, size)
        limit = _limit(cells, box, heavy, decided, least) + slack
        cost += PER_POINT * len(heavy.rows)
        if nodes[size].bound > limit:
            continue
        arena, active = narrowed(cells, box, nodes, size, arena, nodes[size].end, bins)
        cost += PER_POINT * active.judged
        items, outside = arena[active.begin : active.end], Part(active.base, active.key)
        if active.opened and (len(items) <= LEAF or is_narrow(box)):
            before = found.size
            found, judged = finish(items, cells, box, outside, limit, found)
            found = _those_that_matter(cells, heavy, decided, least, slack, found, before)
            cost += PER_PAIR * judged
            continue
        add_up(bins, active.grid, active.base + active.entered)
        cost += PER_BOX + PER_BIN * active.grid.bins * (2 * active.grid.each_side + 1)
        nodes, size = split(nodes, size, box, active, bins, limit)
    return found.witnesses[: found.size].copy(), size == 0 and found.size <= most


@jit
def _limit(cells, box, heavy, decided, least):
    """Return the most that a line of a box may misclassify of the light points, to matter for a heavy one."""
    m0, m1, t0, t1, origin, chart, up = box
    middle, half = 0.5 * (m0 + m1), 0.5 * (m1 - m0)
    wrong, own = 0.0, -np.inf
    for k in range(len(heavy.rows)):
        point, weight = cells.points[heavy.rows[k]], heavy.weights[k]
        u, v = point[chart] - origin, point[1 - chart]
        at = v - middle * u
        doubt = half * abs(u) + SLACK * (abs(u) + abs(v) + abs(origin))
        below, above = at + doubt < t0, at - doubt > t1
        if not below and not above:
            own = max(own, -np.inf if decided[k] else 0.0)
        elif (above == up) != heavy.positive[k]:
            wrong += weight
            own = max(own, -np.inf if decided[k] else weight)
    return least - wrong + own


@jit
def _those_that_matter(cells, heavy, decided, least, slack, found, first):
    """Keep, of the witnesses from the number `first` on, those that matter; note whom they decide about."""
    x, y = cells.x, cells.y
    wrong, place = np.empty(len(heavy.rows), dtype=np.bool_), first
    for n in range(first, found.size):
        a, b, side, turn = found.witnesses[n]
        weight, matters = found.weights[n], False
        for k in range(len(wrong)):
            c = cells.order[heavy.rows[k]]
            where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
            if where == 0:
                where = -turn * ray(x, y, a, b, c)
            wrong[k] = (where == 0 or where == side) != heavy.positive[k]
            weight += heavy.weights[k] if wrong[k] else 0.0
        for k in range(len(wrong)):
            others = weight - heavy.weights[k]
            if wrong[k] and not decided[k] and others <= least + slack:
                matters = True
                decided[k] = others < least - slack
        if matters:
            found.witnesses[place], found.weights[place] = found.witnesses[n], found.weights[n]
            found.hashes[place] = found.hashes[n]
            place += 1
    return first_of(found, place)
