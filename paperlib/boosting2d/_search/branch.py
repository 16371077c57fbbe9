"""Exact branch and bound over lines: the optimum of a million points without looking at most of them often.

Lines are written ``v = m (u - origin) + t`` with ``|m| <= 1``, with (u, v) = (x, y) first and then (y, x), so
that none is left out. A node is a box of slopes and intercepts together with the side that is predicted
positive, and the points that are active in it. `boxes` bounds the misclassified weight of its bins from below
and from above; bins that cannot hold an optimum are dropped, and what is left is halved in the direction that
leaves more points active. Where all of these are far to one side of the origin, it is moved to them: the
lines through a far cluster would else make a long, oblique strip that takes very many boxes. Points are
judged by the cell at first, and one by one when a box has become narrow.

A box with few active points is finished exactly. Some line of every cell of the arrangement goes through two
locations, turned and shifted a little (Lemma 2.5), and the box that this line lies in is not dropped: its
bounds hold for the lines next to it, too. So every optimal separator set is met.

Nodes are looked at by generations, which tightens the upper bound over all of the plane before any part of it
is finished; a generation whose lists would take too much memory is taken in parts.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.stable_sort import sort_by
from paperlib.boosting2d._search.boxes import SLACK, add_up
from paperlib.boosting2d._search.leaves import (
    LEAF,
    Found,
    Part,
    first_of,
    nothing_found,
    try_line,
    try_many,
    try_pairs,
)
from paperlib.boosting2d._search.nodes import box_of, first_nodes, is_narrow, narrowed, split

CHUNK = 1 << 22  # entries of active lists that one generation of nodes may fill
DEEPEST = 4096  # generations
CROWD, LITTLE = 1 << 11, 1 << 14  # so many boxes that all tie are taken in parts of so many entries
# Measured on twenty kinds of data: a point or cell and a box, a box, a bin of a slab, a point and a line.
PER_POINT, PER_BOX, PER_BIN, PER_PAIR = 6, 3000, 3, 33
# Why `_search` stopped: more active points than `LEAF` in a box that is to be finished, or more witnesses
# than there is room for. Both are rare, and what they need is compiled when they are met.
MANY, FULL = 1, 2


class Stop(NamedTuple):
    """Why `_search` stopped, 0 for no such reason; and where: as in `Active`, and the number of the node."""

    why: int
    node: int
    begin: int
    end: int
    base: float
    key: np.uint64


class Progress(NamedTuple):
    """Where the search stands; it can be taken up again.

    Attributes
    ----------
    nodes : ndarray of NODE
    arena : ndarray of int32
        The lists of the nodes.
    generations : ndarray of shape (DEEPEST, 3), int64
        Next node, end of the nodes, end of their lists. The deepest generation goes first, so that lists live
        on a stack.
    depth : int
        Generations; 0 when nothing is left.
    begun : int
        1 if another generation is there already, that of the parts of the deepest one's boxes.
    best : float
        The least weight of a line that was met.
    border : ndarray of shape (5,)
        Slope, intercept, origin, chart and side of the last line that lowered `best` at the border of a bin.
    found : Found
    crowded : int
        Witnesses from which on repeats are removed.
    lost : float
        The least weight of the witnesses that there was no room for.
    judged : int
        How often it was decided where a point or a cell lies, and the bins that were added up.
    cost : int
        Of all that, in nanoseconds of a machine on which it was measured once: what matters are ratios.
    base : float
        What all lines misclassify, apart from the points.
    """

    nodes: np.ndarray
    arena: np.ndarray
    generations: np.ndarray
    depth: int
    begun: int
    best: float
    border: np.ndarray
    found: Found
    crowded: int
    lost: float
    judged: int
    cost: int
    base: float


def on_one_line(cells, base, least, slack):
    """Do as `_search` where there is nothing to search: locations come in their order along the line."""
    items, judged = np.argsort(cells.order), 0
    for extra in (0.0, slack):  # first the weight, then who has it
        found = nothing_found()
        for side in (1, -1):
            found, more = try_line(items, cells, side, side, Part(base, np.uint64(0)), least + extra, found)
            least, judged = min(least, found.least), judged + more
    return least, found, judged


def start(cells, base, best):
    """Return the `Progress` of a search that has not begun.

    All lines misclassify `base`, apart from the points; `best` is the weight of predicting all alike.
    """
    c = len(cells.boxes)
    arena = np.empty(4 * c + 1024, dtype=np.int32)
    arena[:c] = np.arange(c)
    nodes, size = first_nodes(cells.boxes, base)
    generations = np.empty((DEEPEST, 3), dtype=np.int64)
    generations[0] = (0, size, c)
    border = np.full(5, np.nan)
    return Progress(
        nodes, arena, generations, 1, 0, best, border, nothing_found(), 1 << 20, np.inf, 0, 0, base
    )


def search(cells, progress, slack, most, until, bins):
    """Go on until the cost is `until`, or no box is left; return the new `Progress`.

    `bins` is overwritten.
    """
    while True:
        progress, stop = _search(cells, progress, slack, most, until, bins)
        if stop.why == 0:
            return progress
        if stop.why == MANY:
            progress = _with_many(cells, progress, slack, stop)
        room = _with_room(progress.found, progress.crowded, progress.lost, progress.best + slack, most)
        progress = progress._replace(**dict(zip(("found", "crowded", "lost"), room)))


def _with_many(cells, progress, slack, stop):
    """Return the `Progress` after a box with many active points."""
    items, outside = progress.arena[stop.begin : stop.end], Part(stop.base, np.uint64(stop.key))
    box = box_of(progress.nodes, stop.node)
    found, more = try_many(items, cells, box, outside, progress.best + slack, progress.found)
    # The best line has a witness now, in place of a border.
    if found.least < progress.best:
        progress.border[0] = np.nan
    return progress._replace(
        found=found,
        best=min(progress.best, found.least),
        judged=progress.judged + more,
        cost=progress.cost + PER_PAIR * more,
    )


@jit
def _search(cells, progress, slack, most, until, bins):
    """Do as `search`, up to the first `Stop`."""
    nodes, arena, generations, depth, begun, best, border, found, crowded, lost, judged, cost, base = progress
    stop = Stop(0, 0, 0, 0, 0.0, np.uint64(0))
    # What is behind `free` is not needed.
    while depth > 0 and cost < until and stop.why == 0:
        node, last, free = generations[depth - 1]
        if node == last:
            depth -= 1
            continue
        size, full = last, free + (LITTLE if _all_tied(nodes, node, last, best) else CHUNK)
        if begun:
            size, free = generations[depth, 1], generations[depth, 2]
        while node < last and free < full and cost < until:
            current = node
            node += 1
            # `best` may have fallen since the node was appended.
            if nodes[current].bound > best + slack:
                continue
            # Once some of the best are lost the others are not needed, only better ones.
            if lost <= best + slack and nodes[current].bound >= best:
                lost = min(lost, nodes[current].bound)
                continue
            box = box_of(nodes, current)
            arena, active = narrowed(cells, box, nodes, current, arena, free, bins)
            judged += active.judged
            cost += PER_POINT * active.judged
            items, outside = arena[active.begin : active.end], Part(active.base, active.key)
            if active.opened and (len(items) <= LEAF or is_narrow(box)):
                if len(items) > LEAF:
                    stop = Stop(MANY, current, active.begin, active.end, active.base, active.key)
                    break
                found, more = try_pairs(items, cells, box, outside, best + slack, found)
                judged += more
                cost += PER_PAIR * more
                if found.least < best:
                    best = found.least
                    border[0] = np.nan
                if found.size > min(crowded, most):
                    stop = Stop(FULL, current, active.begin, active.end, active.base, active.key)
                    break
                continue
            add_up(bins, active.grid, active.base + active.entered)
            entries = active.grid.bins * (2 * active.grid.each_side + 1)
            judged += entries
            cost += PER_BOX + PER_BIN * entries
            best = _best_border(cells, box, active.grid.bins, bins, base, slack, best, border)
            # A list stays only where boxes refer to it.
            before = size
            nodes, size = split(nodes, size, box, active, bins, best + slack)
            if size > before:
                free = active.end
        generations[depth - 1, 0] = node
        generations[depth, 0], generations[depth, 1], generations[depth, 2] = last, size, free
        begun = int(node < last and free < full)  # it was interrupted
        if not begun and size > last:
            depth += 1
    progress = Progress(
        nodes, arena, generations, depth, begun, best, border, found, crowded, lost, judged, cost, base
    )
    return progress, stop


@jit
def _all_tied(nodes, first, last, best):
    """Return whether many boxes are left, of which none can hold a better line.

    Then it is quicker to go down to the lines of some, for there will be more than can be listed.
    """
    # Few boxes are never taken in small parts.
    least = np.inf if last - first >= CROWD else -np.inf
    for i in range(first, last):
        least = min(least, nodes[i].bound)
    return least >= best


@jit
def _best_border(cells, box, count, bins, base, slack, best, border):
    """Return the least of `best` and the weights at the bins' borders; the line of that goes to `border`."""
    for j in range(count + 1):
        t = box.t0 + (box.t1 - box.t0) / count * j
        if bins.upper[j] < best and (
            box.origin == 0.0 or _weighs_as_little(cells, box, t, base, bins.upper[j] + slack)
        ):
            best = min(best, bins.upper[j])
            border[0], border[1] = 0.5 * (box.m0 + box.m1), t
            border[2], border[3], border[4] = box.origin, float(box.chart), 1.0 if box.up else -1.0
    return best


@jit
def _weighs_as_little(cells, box, t, base, limit):
    """Return whether the middle line of height `t` surely misclassifies no more than `limit`, by all points.

    Lines of a box that was moved to another origin may be misjudged, as in `leaves`.
    """
    m, weight = 0.5 * (box.m0 + box.m1), base
    for point in cells.points:
        u, v = point[box.chart] - box.origin, point[1 - box.chart]
        above = v - m * u - t
        if abs(above) <= SLACK * (abs(u) + abs(v) + abs(box.origin) + abs(t)):
            # It may be on either side: the dearer one counts, for the weight must not be too low.
            weight += max(point[2], point[3])
        else:  # what the prediction gets wrong
            weight += point[3] if (above > 0.0) == box.up else point[2]
        if weight > limit:
            return False
    return True


@jit
def _with_room(found, crowded, lost, limit, most):
    """Remove repeats of witnesses where there are many, and what there is no room for."""
    # While some of the best are lost already, nothing is gained by looking for repeats.
    if found.size > crowded or (found.size > most and lost > limit):
        found = _without_repeats(found, limit)
        crowded = max(crowded, 2 * found.size)
    for i in range(most, found.size):
        lost = min(lost, found.weights[i])
    return first_of(found, min(found.size, most)), crowded, lost


@jit
def least_bound(progress):
    """Return the least bound of the nodes that are left."""
    least = np.inf
    # An interrupted generation has parts of its boxes one level deeper.
    for level in range(progress.depth + progress.begun):
        for i in range(progress.generations[level, 0], progress.generations[level, 1]):
            least = min(least, progress.nodes[i].bound)
    return least


@jit
def open_locations(cells, progress, limit):
    """Return which locations are active in a node that is left and may hold a line of at most `limit`."""
    is_open = np.zeros(len(cells.order), dtype=np.bool_)
    for level in range(progress.depth + progress.begun):
        for i in range(progress.generations[level, 0], progress.generations[level, 1]):
            node = progress.nodes[i]
            if node.bound > limit:
                continue
            for item in progress.arena[node.begin : node.end]:
                begin, end = (item, item + 1) if node.opened else (cells.start[item], cells.start[item + 1])
                for k in range(begin, end):
                    is_open[cells.order[k]] = True
    return is_open


def border_side(cells, border):
    """Return which locations a line predicts positive (k,), bool."""
    m, t, origin, chart, up = border
    u, v = cells.points[:, :2].T
    if chart == 1.0:
        u, v = v, u
    side = np.empty(len(cells.order), dtype=bool)
    side[cells.order] = (v - m * (u - origin) - t) * up > 0.0
    return side


@jit
def _without_repeats(found, limit):
    """Keep one witness of each set of at most `limit`, in the order met."""
    witnesses, weights, hashes = found.witnesses, found.weights, found.hashes
    order = np.arange(found.size)
    sort_by(hashes, order)  # stable: the first of equals stays
    kept = np.zeros(found.size, dtype=np.bool_)
    for n in range(found.size):
        i = order[n]
        kept[i] = weights[i] <= limit and (n == 0 or hashes[order[n - 1]] != hashes[i])
    place = 0
    for i in range(found.size):
        if kept[i]:
            witnesses[place], weights[place], hashes[place] = witnesses[i], weights[i], hashes[i]
            place += 1
    return first_of(found, place)
