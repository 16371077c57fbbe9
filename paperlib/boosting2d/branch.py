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

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d.boxes import (
    BINS,
    BORDER_FROM,
    COLUMNS,
    FROM,
    FUZZ,
    add_up,
    bound_cells,
    bound_points,
)
from paperlib.boosting2d.cells import group
from paperlib.boosting2d.growing import grown
from paperlib.boosting2d.leaves import in_line, side_in_box, try_fans, try_line, try_pairs

LEAF = 24  # active points that are finished
NARROWEST = 2.0**-40  # an interval of slopes that is not halved
LOWEST = 2.0**-45  # an interval of intercepts that is not halved, relative to their size
EXPAND = 1.0  # cells are opened when their height is this much of a box's
ROUNDING = 2.0**-51  # what an interval of intercepts is widened by, relative to their size
ASIDE = 0.9  # mean of u - origin over mean of |u - origin| from which on the origin is moved
SPLIT = 64.0  # how much longer than the doubt of the slope an interval of intercepts may be
GAP = 8  # bins without an optimum that two boxes are cut apart for
PARTS = 4  # intervals of slopes to begin with, in each of four directions
CHUNK = 1 << 22  # entries of active lists that one generation of nodes may fill


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
    """
    least = min(wp.sum(), wn.sum())
    if len(x) < 2:
        return least, np.empty((0, 4), dtype=np.int64)
    # Sets are told apart by the exclusive or of their members' keys.
    keys = np.random.default_rng(0).integers(0, 2**64 - 1, size=len(x), dtype=np.uint64, endpoint=True)
    if in_line(np.arange(len(x)), x, y, np.arange(len(x))):
        best, witnesses, weights, hashes = _on_one_line(x, y, wp, wn, keys, least, slack)
    else:
        best, witnesses, weights, hashes = _search(x, y, group(x, y, wp, wn), keys, least, slack, most)
    good = weights <= best + slack
    _, first = np.unique(hashes[good], return_index=True)
    return best, witnesses[good][np.sort(first)][:most]


def _on_one_line(x, y, wp, wn, keys, least, slack):
    """`_search` where there is nothing to search: locations come in their order along the line."""
    items = order = np.arange(len(x))
    points = np.column_stack([x, y, wp, wn])
    found = np.empty((64, 4), dtype=np.int64), np.empty(64), np.empty(64, dtype=np.uint64)
    for extra in (0.0, slack):  # first the weight, then who has it
        count = 0
        for side in (1, -1):
            lowest, *found, count = try_line(
                items, x, y, points, order, keys, side, side, 0.0, np.uint64(0), least + extra, *found, count
            )
            least = min(least, lowest)
    return least, *(part[:count] for part in found)


@jit
def _without_repeats(found, weights, hashes, count, limit):
    """Move one witness of each set of at most `limit` to the front; how many these are."""
    order = np.argsort(hashes[:count], kind="mergesort")
    kept = np.zeros(count, dtype=np.bool_)
    for n in range(count):
        i = order[n]
        kept[i] = weights[i] <= limit and (n == 0 or hashes[order[n - 1]] != hashes[i])
    place = 0
    for i in range(count):
        if kept[i]:
            found[place], weights[place], hashes[place] = found[i], weights[i], hashes[i]
            place += 1
    return place


@jit
def _opened(arena, begin, end, start):
    """The arena with the points of the cells in ``arena[begin:end]`` behind these."""
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
def _search(x, y, cells, keys, best, slack, most):
    points, order, start, boxes, aspect = cells
    c = len(start) - 1
    keys = keys[order]
    cell_keys = np.zeros(c, dtype=np.uint64)
    for i in range(c):
        for k in range(start[i], start[i + 1]):
            cell_keys[i] ^= keys[k]
    arena = np.empty(4 * c + 1024, dtype=np.int32)
    arena[:c] = np.arange(c)
    bins = np.empty((4, COLUMNS))
    found = np.empty((64, 4), dtype=np.int64)
    weights, hashes, count = np.empty(64), np.empty(64, dtype=np.uint64), np.int64(0)
    crowded = 1 << 20
    reach = 0.0
    for i in range(c):
        u = max(abs(boxes[i, 0]), abs(boxes[i, 1]))
        reach = max(reach, u + max(abs(boxes[i, 2]), abs(boxes[i, 3])))
    reach = reach * (1.0 + FUZZ) + 1e-300

    box_of = np.empty((256, 5))  # m0, m1, t0, t1, origin
    base_of, bound_of, key_of = np.empty(256), np.empty(256), np.empty(256, dtype=np.uint64)
    state_of = np.empty((256, 5), dtype=np.int64)  # chart, up, whether cells are open, its list's begin, end
    nodes = 0
    for direction in range(4):
        for part in range(PARTS):
            m0 = -1.0 + 2.0 * part / PARTS
            box_of[nodes] = (m0 - 1e-12, m0 + 2.0 / PARTS + 1e-12, -reach, reach, 0.0)
            base_of[nodes], bound_of[nodes], key_of[nodes] = 0.0, 0.0, 0
            state_of[nodes] = (direction % 2, direction // 2, 0, 0, c)
            nodes += 1

    frames = np.empty((4096, 3), dtype=np.int64)  # generations: next node, end of nodes, end of their lists
    frames[0] = (0, nodes, c)
    n_frames = 1
    while n_frames > 0:
        node, end_of_frame, free = frames[n_frames - 1]
        if node == end_of_frame:
            n_frames -= 1
            continue
        nodes = end_of_frame
        full = free + CHUNK
        while node < end_of_frame and free < full:
            current = node
            node += 1
            if bound_of[current] > best + slack:
                continue
            m0, m1, t0, t1, origin = box_of[current]
            box = (m0, m1, t0, t1, origin)
            chart, up, is_open, begin, end = state_of[current]
            base, key = base_of[current], key_of[current]
            arena = grown(arena, free, free + end - begin)
            if not is_open:
                kept, more, its_key, spread, lean, height = bound_cells(
                    arena[begin:end], boxes, cell_keys, chart, up == 1, box, arena[free:], bins
                )
                if height > EXPAND * (m1 - m0) * spread or kept < 64:
                    base += more
                    key ^= its_key
                    arena, end = _opened(arena, free, free + kept, start)
                    begin = free + kept
                    is_open = 1
            if is_open:
                kept, more, its_key, spread, lean = bound_points(
                    arena[begin:end], points, keys, chart, up == 1, box, arena[free:], bins
                )
            outside, key = base + more, key ^ its_key
            begin, end = free, free + kept
            size = max(abs(t0), abs(t1)) + abs(origin)
            narrow = m1 - m0 <= NARROWEST or t1 - t0 <= LOWEST * size
            if is_open and (kept <= LEAF or narrow):
                limit = best + slack
                items = arena[begin:end]
                if kept <= LEAF:
                    least, found, weights, hashes, count = try_pairs(
                        items, x, y, points, order, keys, aspect, chart, up == 1, box, outside, key,
                        limit, found, weights, hashes, count
                    )  # fmt: skip
                elif in_line(items, x, y, order):
                    items = items[np.argsort(order[items])]
                    first, last = items[0], items[-1]
                    onwards = side_in_box(first, last, x, y, points, order, aspect, chart, up == 1, box)
                    back = side_in_box(last, first, x, y, points, order, aspect, chart, up == 1, box)
                    least, found, weights, hashes, count = try_line(
                        items, x, y, points, order, keys, onwards, back, outside, key,
                        limit, found, weights, hashes, count
                    )  # fmt: skip
                else:
                    least, found, weights, hashes, count = try_fans(
                        items, x, y, points, order, keys, aspect, chart, up == 1, box, outside, key,
                        limit, found, weights, hashes, count
                    )  # fmt: skip
                best = min(best, least)
                if count > crowded:
                    count = _without_repeats(found, weights, hashes, count, best + slack)
                    crowded = max(crowded, 2 * count)
                count = min(count, most)
                continue
            add_up(bins)
            for j in range(BINS + 1):
                best = min(best, outside + bins[BORDER_FROM, j + 1])
            limit = best + slack
            width = (t1 - t0) / BINS
            j = 0
            while j < BINS:
                if outside + bins[FROM, j + 1] > limit:
                    j += 1
                    continue
                first, last, bound = j, j, np.inf
                while j < BINS and j - last <= GAP:
                    if outside + bins[FROM, j + 1] <= limit:
                        last = j
                        bound = min(bound, outside + bins[FROM, j + 1])
                    j += 1
                low = t0 + (first - FUZZ) * width - ROUNDING * size
                high = t0 + (last + 1.0 + FUZZ) * width + ROUNDING * size
                box_of = grown(box_of, nodes, nodes + 2)
                state_of = grown(state_of, nodes, nodes + 2)
                base_of, bound_of = grown(base_of, nodes, nodes + 2), grown(bound_of, nodes, nodes + 2)
                key_of = grown(key_of, nodes, nodes + 2)
                children = nodes
                if SPLIT * (m1 - m0) * spread < high - low:
                    box_of[nodes] = (m0, m1, low, high, origin)
                    nodes += 1
                    if high - low > 0.7 * (t1 - t0):
                        middle, more = 0.5 * (low + high), ROUNDING * size
                        box_of[nodes - 1] = (m0, m1, low, middle + more, origin)
                        box_of[nodes] = (m0, m1, middle - more, high, origin)
                        nodes += 1
                elif abs(lean) > ASIDE * spread and (m1 - m0) * abs(lean) <= high - low:
                    # The parallelogram in the new coordinates is covered by a box.
                    moved = origin + lean
                    low, high = low - ROUNDING * abs(moved), high + ROUNDING * abs(moved)
                    at_m0, at_m1 = m0 * (moved - origin), m1 * (moved - origin)
                    box_of[nodes] = (m0, m1, low + min(at_m0, at_m1), high + max(at_m0, at_m1), moved)
                    nodes += 1
                else:
                    middle = 0.5 * (m0 + m1)
                    box_of[nodes] = (m0, middle, low, high, origin)
                    box_of[nodes + 1] = (middle, m1, low, high, origin)
                    nodes += 2
                for child in range(children, nodes):
                    base_of[child], bound_of[child], key_of[child] = outside, bound, key
                    state_of[child] = (chart, up, is_open, begin, end)
                free = end
        frames[n_frames - 1, 0] = node
        if nodes > end_of_frame:
            frames[n_frames] = (end_of_frame, nodes, free)
            n_frames += 1
    return best, found[:count], weights[:count], hashes[:count]
