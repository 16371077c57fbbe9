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
from paperlib.boosting2d._search.boxes import (
    BINS,
    BORDER_FROM,
    COLUMNS,
    FROM,
    FUZZ,
    Box,
    add_up,
    bound_cells,
    bound_points,
)
from paperlib.boosting2d._search.cells import group
from paperlib.boosting2d._search.leaves import (
    LEAF,
    Part,
    finish,
    first_of,
    in_line,
    nothing_found,
    try_line,
)
from paperlib.boosting2d._search.witness import grown

NARROWEST = 2.0**-40  # an interval of slopes that is not halved
LOWEST = 2.0**-45  # an interval of intercepts that is not halved, relative to their size
EXPAND = 1.0  # cells are opened when their height is this much of a box's
ROUNDING = 2.0**-51  # what an interval of intercepts is widened by, relative to their size
ASIDE = 0.9  # mean of u - origin over mean of |u - origin| from which on the origin is moved
SPLIT = 64.0  # how much longer than the doubt of the slope an interval of intercepts may be
GAP = 8  # bins without an optimum that two boxes are cut apart for
PARTS = 4  # intervals of slopes to begin with, in each of four directions
CHUNK = 1 << 22  # entries of active lists that one generation of nodes may fill
DEEPEST = 4096  # generations

# A box, and what is known of it. Its active points or, unless these are opened, cells are arena[begin:end] of
# the list that all nodes share; `base` and `key` are what the others contribute to the weight and key of any
# line of the box, none of which weighs less than `bound`.
NODE = np.dtype(
    [(name, np.float64) for name in ("m0", "m1", "t0", "t1", "origin", "base", "bound")]
    + [("key", np.uint64)]
    + [(name, np.int64) for name in ("chart", "up", "opened", "begin", "end")]
)


class _Active(NamedTuple):
    """A node's list ``arena[begin:end]``, of points if it is opened, and the findings about it.

    `base` and `key` are of what is not in the list; `spread` and `lean` as in `boxes.Bound`; `judged` is how
    many points and cells were held against the box.
    """

    begin: int
    end: int
    opened: int
    base: float
    key: np.uint64
    spread: float
    lean: float
    judged: int


def branch(x, y, wp, wn, slack, most=2_000_000):
    """Find the least weight, and witnesses of all separator sets of up to that plus `slack`.

    Parameters
    ----------
    x, y, wp, wn : ndarray of shape (k,)
        Distinct locations in the order of x, and the weights of each class there.
    slack : float, >= 0
    most : int
        Witnesses beyond this many are left out.

    Returns
    -------
    best : float
    witnesses : ndarray of shape (s, 4), int64
        One for each set; those without a line are left out.
    judged : int
        How often it was decided where a point lies, or a cell of points, seen from a line or a box of lines;
        and the bins that were added up.
    """
    least = min(wp.sum(), wn.sum())
    if len(x) < 2:
        return least, np.empty((0, 4), dtype=np.int64), len(x)
    cells = group(x, y, wp, wn)
    if in_line(np.arange(len(x)), cells):
        best, found, judged = _on_one_line(cells, least, slack)
    else:
        best, found, judged = _search(cells, least, slack, most)
    weights, hashes = found.weights[: found.size], found.hashes[: found.size]
    good = np.flatnonzero(weights <= best + slack)
    _, first = np.unique(hashes[good], return_index=True)
    return best, found.witnesses[good[np.sort(first)]][:most], len(x) + judged


def _on_one_line(cells, least, slack):
    """Do as `_search` where there is nothing to search: locations come in their order along the line."""
    items, judged = np.argsort(cells.order), 0
    for extra in (0.0, slack):  # first the weight, then who has it
        found = nothing_found()
        for side in (1, -1):
            found, more = try_line(items, cells, side, side, Part(0.0, np.uint64(0)), least + extra, found)
            least, judged = min(least, found.least), judged + more
    return least, found, judged


@jit
def _search(cells, best, slack, most):
    c = len(cells.boxes)
    arena = np.empty(4 * c + 1024, dtype=np.int32)
    arena[:c] = np.arange(c)
    nodes, size = _first_nodes(cells.boxes)
    bins = np.empty((4, COLUMNS))
    found, crowded, judged = nothing_found(), 1 << 20, 0
    generations = np.empty((DEEPEST, 3), dtype=np.int64)  # next node, end of nodes, end of their lists
    generations[0] = (0, size, c)
    depth = 1
    # The deepest generation goes first, so that lists live on a stack: what is behind `free` is not needed.
    while depth > 0:
        node, last, free = generations[depth - 1]
        if node == last:
            depth -= 1
            continue
        size, full = last, free + CHUNK
        while node < last and free < full:
            current = node
            node += 1
            # `best` may have fallen since the node was appended.
            if nodes[current].bound > best + slack:
                continue
            box = _box(nodes, current)
            arena, active = _narrowed(cells, box, nodes, current, arena, free, bins)
            judged += active.judged
            items, outside = arena[active.begin : active.end], Part(active.base, active.key)
            if active.opened and (len(items) <= LEAF or _is_narrow(box)):
                found, more = finish(items, cells, box, outside, best + slack, found)
                judged += more
                best = min(best, found.least)
                if found.size > crowded:
                    found = _without_repeats(found, best + slack)
                    crowded = max(crowded, 2 * found.size)
                found = first_of(found, min(found.size, most))
                continue
            add_up(bins)
            judged += BINS
            for j in range(BINS + 1):
                best = min(best, active.base + bins[BORDER_FROM, j + 1])
            # A list stays only where boxes refer to it.
            before = size
            nodes, size = _split(nodes, size, box, active, bins, best + slack)
            if size > before:
                free = active.end
        generations[depth - 1, 0] = node
        if size > last:
            generations[depth] = (last, size, free)
            depth += 1
    return best, found, judged


@jit
def _first_nodes(boxes):
    """Return the nodes that hold all lines, and their number."""
    reach = 0.0
    for cell in boxes:
        reach = max(reach, max(abs(cell[0]), abs(cell[1])) + max(abs(cell[2]), abs(cell[3])))
    reach = reach * (1.0 + FUZZ) + 1e-300
    nodes, size = np.empty(256, dtype=NODE), 0
    everything = _Active(0, len(boxes), 0, 0.0, np.uint64(0), 0.0, 0.0, 0)
    for direction in range(4):
        for part in range(PARTS):
            m0 = -1.0 + 2.0 * part / PARTS
            box = Box(
                m0 - 1e-12, m0 + 2.0 / PARTS + 1e-12, -reach, reach, 0.0, direction % 2, direction // 2 == 1
            )
            nodes, size = _append(nodes, size, box, everything, 0.0)
    return nodes, size


@jit
def _append(nodes, size, box, active, bound):
    nodes = grown(nodes, size, size + 1)
    node = nodes[size]
    node.m0, node.m1, node.t0, node.t1, node.origin = box.m0, box.m1, box.t0, box.t1, box.origin
    node.chart, node.up = box.chart, np.int64(box.up)
    node.begin, node.end, node.opened = active.begin, active.end, active.opened
    node.base, node.key, node.bound = active.base, active.key, bound
    return nodes, size + 1


@jit
def _box(nodes, i):
    node = nodes[i]
    return Box(node.m0, node.m1, node.t0, node.t1, node.origin, node.chart, node.up == 1)


@jit
def _is_narrow(box):
    """Return whether a box is too small to be halved."""
    size = max(abs(box.t0), abs(box.t1)) + abs(box.origin)
    return box.m1 - box.m0 <= NARROWEST or box.t1 - box.t0 <= LOWEST * size


@jit
def _narrowed(cells, box, nodes, i, arena, free, bins):
    """Judge a node's list by its box, and return the arena and an `_Active`.

    What stays active is in the arena from `free` on. Cells that are not much smaller than the box are opened
    on the way.
    """
    begin, end, opened = nodes[i].begin, nodes[i].end, nodes[i].opened
    base, key = nodes[i].base, nodes[i].key
    judged = end - begin
    arena = grown(arena, free, free + end - begin)
    if opened == 1:
        found = bound_points(arena[begin:end], cells, box, arena[free:], bins)
    else:
        found = bound_cells(arena[begin:end], cells, box, arena[free:], bins)
        if found.height > EXPAND * (box.m1 - box.m0) * found.spread or found.kept < 64:
            base += found.base
            key ^= found.key
            begin = free + found.kept
            arena, end = _opened(arena, free, begin, cells.start)
            judged += end - begin
            opened = 1
            found = bound_points(arena[begin:end], cells, box, arena[free:], bins)
    base, key = base + found.base, key ^ found.key
    return arena, _Active(free, free + found.kept, opened, base, key, found.spread, found.lean, judged)


@jit
def _opened(arena, begin, end, start):
    """Return the arena with the points of the cells in ``arena[begin:end]`` behind these."""
    total = 0
    for i in arena[begin:end]:
        total += start[i + 1] - start[i]
    arena = grown(arena, end, end + total)
    place = end
    for i in arena[begin:end]:
        for k in range(start[i], start[i + 1]):
            arena[place] = k
            place += 1
    return arena, place


@jit
def _split(nodes, size, box, active, bins, limit):
    """Append the parts of a box whose bins may hold a line of at most `limit`."""
    # Each part is widened by more than the rounding of its ends, so that no line is lost between two of them.
    width = (box.t1 - box.t0) / BINS
    rounding = ROUNDING * (max(abs(box.t0), abs(box.t1)) + abs(box.origin))
    j = 0
    while j < BINS:
        if active.base + bins[FROM, j + 1] > limit:
            j += 1
            continue
        first, last, bound = j, j, np.inf
        while j < BINS and j - last <= GAP:
            if active.base + bins[FROM, j + 1] <= limit:
                last = j
                bound = min(bound, active.base + bins[FROM, j + 1])
            j += 1
        low = box.t0 + (first - FUZZ) * width - rounding
        high = box.t0 + (last + 1.0 + FUZZ) * width + rounding
        nodes, size = _halve(nodes, size, box, active, low, high, bound)
    return nodes, size


@jit
def _halve(nodes, size, box, active, low, high, bound):
    """Append a box's lines with intercepts from `low` to `high`, cut where more points stay active."""
    m0, m1, t0, t1, origin, chart, up = box
    if SPLIT * (m1 - m0) * active.spread < high - low:
        if high - low > 0.7 * (t1 - t0):
            middle, more = 0.5 * (low + high), ROUNDING * (max(abs(t0), abs(t1)) + abs(origin))
            nodes, size = _append(
                nodes, size, Box(m0, m1, low, middle + more, origin, chart, up), active, bound
            )
            return _append(nodes, size, Box(m0, m1, middle - more, high, origin, chart, up), active, bound)
        return _append(nodes, size, Box(m0, m1, low, high, origin, chart, up), active, bound)
    if abs(active.lean) > ASIDE * active.spread and (m1 - m0) * abs(active.lean) <= high - low:
        # The parallelogram in the new coordinates is covered by a box.
        moved = origin + active.lean
        low, high = low - ROUNDING * abs(moved), high + ROUNDING * abs(moved)
        at_m0, at_m1 = m0 * (moved - origin), m1 * (moved - origin)
        low, high = low + min(at_m0, at_m1), high + max(at_m0, at_m1)
        return _append(nodes, size, Box(m0, m1, low, high, moved, chart, up), active, bound)
    middle = 0.5 * (m0 + m1)
    nodes, size = _append(nodes, size, Box(m0, middle, low, high, origin, chart, up), active, bound)
    return _append(nodes, size, Box(middle, m1, low, high, origin, chart, up), active, bound)


@jit
def _without_repeats(found, limit):
    """Keep one witness of each set of at most `limit`, in the order met."""
    witnesses, weights, hashes = found.witnesses, found.weights, found.hashes
    order = np.argsort(hashes[: found.size], kind="mergesort")  # stable: the first of equals stays
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
