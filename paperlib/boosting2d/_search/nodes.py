"""Nodes of the branch and bound: boxes of lines, how they are judged, and how they are cut."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._search.boxes import Box, Grid, bound_cells, bound_points, grid_of
from paperlib.boosting2d._search.witness import grown

NARROWEST = 2.0**-40  # an interval of slopes that is not halved
LOWEST = 2.0**-45  # an interval of intercepts that is not halved, relative to their size
EXPAND = 1.0  # cells are opened when their height is this much of a box's
# What an interval of intercepts is widened by, relative to the size of its ends and of the origin: by as many
# units of rounding, eight, as the ends of a bin that are moved to another origin may be off.
ROUNDING = 2.0**-50
ASIDE = 0.9  # mean of u - origin over mean of |u - origin| from which on the origin is moved
SPLIT = 64.0  # how much longer than the doubt of the slope an interval of intercepts may be
GAP = 32  # bins without an optimum that two boxes are cut apart for: one part in so many of all
PARTS = 4  # intervals of slopes to begin with, in each of four directions

# A box, and what is known of it. Its active points or, unless these are opened, cells are arena[begin:end] of
# the list that all nodes share; `outside` and `key` are what the others contribute to the weight and key of
# any line of the box, none of which weighs less than `bound`. An `np.record` has its fields as attributes in
# plain Python, too; the name `base` is taken there.
NODE = np.dtype(
    (
        np.record,
        [(name, np.float64) for name in ("m0", "m1", "t0", "t1", "origin", "outside", "bound", "spread")]
        + [("key", np.uint64)]
        + [(name, np.int64) for name in ("chart", "up", "opened", "begin", "end")],
    )
)


class Active(NamedTuple):
    """A node's list ``arena[begin:end]``, of points if it is opened, and the findings about it.

    `base` and `key` are of what is not in the list; `spread` and `lean` as in `boxes.Bound`; `judged` is how
    many points and cells were held against the box; `entered` and `grid` are of its bins.
    """

    begin: int
    end: int
    opened: int
    base: float
    key: np.uint64
    spread: float
    lean: float
    judged: int
    entered: float
    grid: Grid


def first_nodes(boxes, base):
    """Return the nodes that hold all lines through points, and their number; all misclassify `base`."""
    # A line through a point has |t| = |v - m u| <= |u| + |v|, for |m| <= 1.
    reach = float((np.abs(boxes[:, :2]).max(axis=1) + np.abs(boxes[:, 2:4]).max(axis=1)).max())
    nodes, size = np.empty(256, dtype=NODE), 0
    # Four directions: two charts, and either side predicted positive.
    for direction in range(4):
        for part in range(PARTS):
            m0 = -1.0 + 2.0 * part / PARTS
            box = Box(m0, m0 + 2.0 / PARTS, -reach, reach, 0.0, direction % 2, direction // 2 == 1)
            # Nothing is certain, and all cells are in the list.
            nodes[size] = (*box[:5], base, 0.0, 1.0, 0, box.chart, box.up, 0, 0, len(boxes))
            size += 1
    return nodes, size


@jit
def _append(nodes, size, box, active, bound):
    nodes = grown(nodes, size, size + 1)
    node = nodes[size]
    node.m0, node.m1, node.t0, node.t1, node.origin = box.m0, box.m1, box.t0, box.t1, box.origin
    node.chart, node.up = box.chart, np.int64(box.up)
    node.begin, node.end, node.opened = active.begin, active.end, active.opened
    node.outside, node.key, node.bound, node.spread = active.base, active.key, bound, active.spread
    return nodes, size + 1


@jit
def box_of(nodes, i):
    node = nodes[i]
    return Box(node.m0, node.m1, node.t0, node.t1, node.origin, node.chart, node.up == 1)


@jit
def is_narrow(box):
    """Return whether a box is too small to be halved."""
    size = max(abs(box.t0), abs(box.t1)) + abs(box.origin)
    return box.m1 - box.m0 <= NARROWEST or box.t1 - box.t0 <= LOWEST * size


@jit
def narrowed(cells, box, nodes, i, arena, free, bins):
    """Judge a node's list by its box, and return the arena and an `Active`.

    What stays active is in the arena from `free` on. Cells that are not much smaller than the box are opened
    on the way.
    """
    begin, end, opened, spread = nodes[i].begin, nodes[i].end, nodes[i].opened, nodes[i].spread
    grid = grid_of(box, spread, end - begin)
    base, key = nodes[i].outside, nodes[i].key
    judged = end - begin
    arena = grown(arena, free, free + end - begin)
    if opened == 1:
        found = bound_points(arena[begin:end], cells, box, grid, arena[free:], bins)
    else:
        found = bound_cells(arena[begin:end], cells, box, grid, arena[free:], bins)
        if found.height > EXPAND * (box.m1 - box.m0) * found.spread or found.kept < 64:
            base += found.base
            key ^= found.key
            begin = free + found.kept
            # The points are listed behind the cells, and those that stay active move down over these: what is
            # written is always behind what is read.
            arena, end = _opened(arena, free, begin, cells.start)
            judged += end - begin
            opened = 1
            grid = grid_of(box, found.spread, end - begin)
            found = bound_points(arena[begin:end], cells, box, grid, arena[free:], bins)
    base, key = base + found.base, key ^ found.key
    return arena, Active(
        free, free + found.kept, opened, base, key, found.spread, found.lean, judged, found.entered, grid
    )


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
def split(nodes, size, box, active, bins, limit):
    """Append the parts of a box whose bins may hold a line of at most `limit`."""
    count = active.grid.bins
    # Each part is widened by more than the rounding of its ends, so that no line is lost between two of them.
    width = (box.t1 - box.t0) / count
    rounding = ROUNDING * (max(abs(box.t0), abs(box.t1)) + abs(box.origin))
    j = 0
    while j < count:
        if bins.lower[j] > limit:
            j += 1
            continue
        first, last, bound = j, j, np.inf
        while j < count and j - last <= count // GAP:
            if bins.lower[j] <= limit:
                last = j
                bound = min(bound, bins.lower[j])
            j += 1
        low = box.t0 + first * width - rounding
        high = box.t0 + (last + 1.0) * width + rounding
        nodes, size = _halve(nodes, size, box, active, low, high, bound)
    return nodes, size


@jit
def _halve(nodes, size, box, active, low, high, bound):
    """Append a box's lines with intercepts from `low` to `high`, cut where more points stay active."""
    m0, m1, t0, t1, origin, chart, up = box
    if SPLIT * (m1 - m0) * active.spread < high - low:
        # Where dropping bins has shortened the interval well enough, it is not halved besides.
        if high - low > 0.7 * (t1 - t0):
            middle = 0.5 * (low + high)  # of both parts, so that no line is between them
            nodes, size = _append(nodes, size, Box(m0, m1, low, middle, origin, chart, up), active, bound)
            return _append(nodes, size, Box(m0, m1, middle, high, origin, chart, up), active, bound)
        return _append(nodes, size, Box(m0, m1, low, high, origin, chart, up), active, bound)
    if abs(active.lean) > ASIDE * active.spread and (m1 - m0) * abs(active.lean) <= high - low:
        # The parallelogram in the new coordinates is covered by a box.
        # By the second condition its intercepts are an interval at most twice as long.
        moved = origin + active.lean
        low, high = low - ROUNDING * abs(moved), high + ROUNDING * abs(moved)
        at_m0, at_m1 = m0 * (moved - origin), m1 * (moved - origin)
        low, high = low + min(at_m0, at_m1), high + max(at_m0, at_m1)
        return _append(nodes, size, Box(m0, m1, low, high, moved, chart, up), active, bound)
    middle = 0.5 * (m0 + m1)
    nodes, size = _append(nodes, size, Box(m0, middle, low, high, origin, chart, up), active, bound)
    return _append(nodes, size, Box(middle, m1, low, high, origin, chart, up), active, bound)
