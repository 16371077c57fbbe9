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
from paperlib._common.signals import hear
from paperlib.boosting2d._geometry.predicates import orientation
from paperlib.boosting2d._search.boxes import SLACK, Grid, add_up, empty_bins
from paperlib.boosting2d._search.branch import PER_BIN, PER_BOX, PER_PAIR, PER_POINT
from paperlib.boosting2d._search.cells import group_apart
from paperlib.boosting2d._search.leaves import (
    LEAF,
    Found,
    Part,
    all_in_line,
    first_of,
    nothing_found,
    try_many,
    try_pairs,
)
from paperlib.boosting2d._search.nodes import Active, box_of, first_nodes, is_narrow, narrowed, split
from paperlib.boosting2d._search.witness import ray


class Heavy(NamedTuple):
    """Points that are left out, one at a time: the row of `Cells` of each, its class, and its weight."""

    rows: np.ndarray
    positive: np.ndarray
    weights: np.ndarray


class Rules(NamedTuple):
    """As of `sets_that_matter`, `least` without what all lines misclassify."""

    least: float
    slack: float
    most: int
    until: float


class State(NamedTuple):
    """The nodes ``nodes[:size]`` that are open, their lists, what was found, and the cost so far."""

    nodes: np.ndarray
    size: int
    arena: np.ndarray
    found: Found
    cost: float


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
    # Where heavy points are alone there are locations without weight: lines go through these, too.
    cells, common = group_apart(places.x, places.y, wp, wn)
    if all_in_line(cells):  # there are no boxes to search, and little to do for each point
        return np.empty((0, 4), dtype=np.int64), False
    row_of = np.empty(k, dtype=np.int64)
    row_of[cells.order] = np.arange(k)
    points = np.flatnonzero(heavy)
    points = points[np.argsort(-weights[points], kind="stable")]
    left_out = Heavy(row_of[places.of_row[points]], positive[points], weights[points])
    # Twice the slack: sums of the search drift by less than another one, and `joined` weighs all sets anew.
    rules = Rules(least - common, 2.0 * slack, most, until)
    arena, decided = np.arange(4 * len(cells.boxes), dtype=np.int32), np.zeros(len(points), dtype=np.bool_)
    state = State(*first_nodes(cells.boxes, 0.0), arena, nothing_found(), 0.0)  # type: ignore[call-arg]
    bins = empty_bins()
    while True:
        state, stopped, active, limit = _search(cells, left_out, decided, rules, state, bins)
        if not stopped:
            complete = state.size == 0 and state.found.size <= most
            return state.found.witnesses[: state.found.size].copy(), complete
        state = _with_many(cells, left_out, decided, rules, state, active, limit)


def _with_many(cells, heavy, decided, rules, state, active, limit):
    """Return the `State` after a box with more active points than `LEAF`, which is rare."""
    items, outside = state.arena[active.begin : active.end], Part(active.base, np.uint64(active.key))
    before = state.found.size
    # The node was taken from the stack, and is just behind it.
    box = box_of(state.nodes, state.size)
    found, judged = try_many(items, cells, box, outside, limit, state.found)
    found = _those_that_matter(cells, heavy, decided, rules, found, before)
    return state._replace(found=found, cost=state.cost + PER_PAIR * judged)


@jit
def _search(cells, heavy, decided, rules, state, bins):
    """Go on until all is done, or there is enough; or to a box with many active points.

    Returns the `State`, whether it stopped at such a box, its list and its limit.
    """
    nodes, size, arena, found, cost = state
    stopped, limit = False, 0.0
    active = Active(0, 0, 0, 0.0, np.uint64(0), 0.0, 0.0, 0, 0.0, Grid(0, 0, 0, 0.0, 0))
    # The last node goes first: so each list can be behind the one that it is made from.
    while size > 0 and cost < rules.until and found.size <= rules.most:
        size -= 1
        hear(20 * len(heavy.rows))
        box = box_of(nodes, size)
        # Anew for each box: since it was made, points may have been decided.
        limit = _limit(cells, box, heavy, decided, rules.least) + rules.slack
        cost += PER_POINT * len(heavy.rows)
        if nodes[size].bound > limit:
            continue
        arena, active = narrowed(cells, box, nodes, size, arena, nodes[size].end, bins)
        cost += PER_POINT * active.judged
        hear(10 * active.judged)
        items, outside = arena[active.begin : active.end], Part(active.base, active.key)
        if active.opened and (len(items) <= LEAF or is_narrow(box)):
            if len(items) > LEAF:
                stopped = True
                break
            before = found.size
            found, judged = try_pairs(items, cells, box, outside, limit, found)
            found = _those_that_matter(cells, heavy, decided, rules, found, before)
            cost += PER_PAIR * judged
            continue
        add_up(bins, active.grid, active.base + active.entered)
        cost += PER_BOX + PER_BIN * active.grid.bins * (2 * active.grid.each_side + 1)
        nodes, size = split(nodes, size, box, active, bins, limit)
    return State(nodes, size, arena, found, cost), stopped, active, limit


@jit
def _limit(cells, box, heavy, decided, least):
    """Return the most that a line of a box may misclassify of the light points, to matter for a heavy one."""
    m0, m1, t0, t1, origin, chart, up = box
    middle, half = 0.5 * (m0 + m1), 0.5 * (m1 - m0)
    # `wrong` is the weight of those that are wrong for all lines; `own` the most of it that is taken off
    # again for an undecided one, or 0 for one that may be wrong. Without either, no line matters.
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
def _those_that_matter(cells, heavy, decided, rules, found, first):
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
            # What stays on the line is predicted positive, as in `predicted_positive`.
            wrong[k] = (where == 0 or where == side) != heavy.positive[k]
            weight += heavy.weights[k] if wrong[k] else 0.0
        for k in range(len(wrong)):
            others = weight - heavy.weights[k]
            if wrong[k] and not decided[k] and others <= rules.least + rules.slack:
                matters = True
                # One lighter set decides (Lemma 3.6); of those that tie all are counted (Lemma 3.9).
                decided[k] = others < rules.least - rules.slack
        if matters:
            found.witnesses[place], found.weights[place] = found.witnesses[n], found.weights[n]
            found.hashes[place] = found.hashes[n]
            place += 1
    return first_of(found, place)
