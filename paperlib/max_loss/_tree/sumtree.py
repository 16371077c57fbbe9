"""Weights to sample from, all 1 at first, of which most never change (the tree of Section 2.3).

Those that were changed have leaves, in the order in which they were; all others share one weight and need
none. So the tree is as large as the set of examples that ever erred. Its nodes are eight wide, a cache line
each. Where many have changed, to look an item's leaf up costs more than the smaller tree saves: a large tree
then gives every item a leaf, item i the leaf i, once and for all.

A weight is ``exp(logs[leaf] - scale)``: nothing overflows, and a leaf that underflows to zero can come back,
since its logarithm is kept. A node is the sum of its eight children, added anew at every update, so that no
rounding builds up. When the largest weight or the total leave the range of floats, `rebuild` moves the scale.

The exponential is computed by multiplications and additions alone, so the weights, and what is drawn from
them, are the same bits on every machine: a library's exponential differs in the last bit from one to another.

No kernel checks its input. Those that Python calls round by round take the six arrays one by one: a named
tuple takes as long to hand over as a draw does.
"""

from typing import NamedTuple

import numpy as np
from numba.core.options import DefaultOptions

from paperlib._common.jit import jit
from paperlib._common.powers_of_two import power_of_two
from paperlib._common.typing import Floats

LOG_WIDTH = 3
WIDTH = 1 << LOG_WIDTH
COLUMN = WIDTH - 1  # mask of a node's column; its row is the rest
LARGEST = np.finfo(np.float64).max
# Far enough from the range's ends that the sum of all leaves is finite and its addends have full precision.
REACH = 600.0
SMALLEST_TOTAL = 2.65e-261  # exp(-REACH)
LOG2_E = 1.4426950408889634
SMALLEST_EXPONENT = -1022.0  # of two; weights below are 0
# A tree of more items than this no longer fits a core's own cache, and gives all of them leaves when a third
# has one: about there both layouts are as fast. Smaller ones would gain a quarter at most, where all have
# one, and keep the order that they draw in.
CACHED = 1 << 16

# Counting references to six arrays at every call takes long beside the call: rounds of FOL take half as
# long again. `_nrt` turns that off, for functions that make no arrays; whoever calls them holds the arrays
# meanwhile. It is numba's own, so it is taken where numba has it; nothing but the time depends on it.
# A draw becomes part of its caller (`inline`): to hand over six arrays, which are forty numbers, takes a
# third as long as the round. The caller must be uncounted, too, or it counts for both.
# A function that an uncounted one calls is compiled uncounted with it unless it says otherwise, so those that
# make arrays are `counted`.
_HAS_SWITCH = hasattr(DefaultOptions, "_nrt")
uncounted = jit(error_model="numpy", **({"_nrt": False} if _HAS_SWITCH else {}))
counted = jit(error_model="numpy", **({"_nrt": True} if _HAS_SWITCH else {}))


class Tree(NamedTuple):
    """The state of a tree over m items, which the kernels change in place.

    Attributes
    ----------
    nodes : (n_rows, 8) float64
        A row holds the children of one node. Level after level, the leaves first; the levels' first rows are
        in `counts`.
    logs : (m,) float64
        Natural logarithm of the weight of each leaf.
    order : (m,) int32
        The items with a leaf, in the order of the leaves, and then all others.
    place : (m,) int32
        Inverse of `order`; item i has a leaf if ``place[i] < counts[0]``.
    counts : int64
        Number of leaves, number of levels above them, the most leaves in order of change, and the first row
        of each level. With more leaves than that, all m items have one, and ``place[i] == i``.
    scales : (2,) float64
        The scale, and the weight of an item without a leaf.
    """

    nodes: Floats
    logs: Floats
    order: np.ndarray
    place: np.ndarray
    counts: np.ndarray
    scales: Floats


def allocate(m, most=None):
    """Return the tree of `m` items of weight 1, of which up to `most` have a leaf before all have."""
    if most is None:
        most = m if m <= CACHED else m // 3
    rows = [-(-m // WIDTH)]
    while rows[-1] > 1:
        rows.append(-(-rows[-1] // WIDTH))
    first = np.concatenate([[0], np.cumsum(rows)])  # the last is the root's, which has a row to itself
    size = (first[-1] + 1) * WIDTH
    memory = np.zeros(size + WIDTH)
    start = -(memory.ctypes.data // 8) % WIDTH  # a node's children lie in one cache line
    nodes = memory[start : start + size].reshape(-1, WIDTH)
    counts = np.concatenate([[0, 0, most], first])
    order = np.arange(m, dtype=np.int32)
    return Tree(nodes, np.zeros(m), order, order.copy(), counts, np.array([0.0, 1.0]))


@uncounted
def total(tree):
    """Return the sum of all weights, on the tree's scale."""
    nodes, _, order, _, counts, scales = tree
    return nodes[counts[3 + counts[1]], 0] + (len(order) - counts[0]) * scales[1]


@uncounted
def weight(i, tree):
    """Return the weight of item i, on the tree's scale."""
    leaf = tree.place[i]
    return tree.nodes[leaf >> LOG_WIDTH, leaf & COLUMN] if leaf < tree.counts[0] else tree.scales[1]


@uncounted(inline="always")
def row_sum(k, nodes):
    """Return the sum of the eight numbers in row k."""
    return ((nodes[k, 0] + nodes[k, 1]) + (nodes[k, 2] + nodes[k, 3])) + (
        (nodes[k, 4] + nodes[k, 5]) + (nodes[k, 6] + nodes[k, 7])
    )


@uncounted(inline="always")
def exponential(x):
    """Return ``exp(x)``, the same bits everywhere, for ``x <= REACH``."""
    # Rounding x * LOG2_E costs as much as the logarithms, which are sums, were rounded by.
    y = x * LOG2_E
    return power_of_two(y) if y >= SMALLEST_EXPONENT else 0.0


@uncounted
def add_up(tree):
    """Compute all nodes from the logarithms and the scale."""
    nodes, logs, _, _, counts, scales = tree
    n, height = counts[0], counts[1]
    for leaf in range(n):
        nodes[leaf >> LOG_WIDTH, leaf & COLUMN] = exponential(min(logs[leaf] - scales[0], REACH))
    for level in range(height):
        row, above = counts[3 + level], counts[4 + level]
        n = (n + WIDTH - 1) // WIDTH
        for parent in range(n):
            nodes[above + (parent >> LOG_WIDTH), parent & COLUMN] = row_sum(row + parent, nodes)


@uncounted
def rebuild(tree):
    """Move the scale to the largest weight, and compute all nodes from the logarithms."""
    _, logs, _, _, counts, scales = tree
    n = counts[0]
    # Items without a leaf have the logarithm 0, and while there are any, they count for the largest.
    top = 0.0 if n < len(logs) else logs[0]
    for leaf in range(n):
        top = max(top, logs[leaf])
    scales[0] = top
    scales[1] = exponential(-top) if n < len(logs) else 0.0
    add_up(tree)


@uncounted
def restore(items, logs, scales, tree):
    """Make `tree`, in which nothing was updated, the one that had leaves of these items, in this order.

    It is the same to the last bit: order and nodes follow from the leaves.
    """
    for leaf in range(len(items)):
        place, first = tree.place[items[leaf]], tree.order[leaf]
        tree.order[place], tree.place[first] = first, place
        tree.order[leaf], tree.place[items[leaf]] = items[leaf], leaf
        tree.logs[leaf] = logs[leaf]
    tree.counts[0] = len(items)
    while len(items) > (1 << (LOG_WIDTH * tree.counts[1])):
        tree.counts[1] += 1
    tree.scales[0], tree.scales[1] = scales[0], scales[1]
    add_up(tree)


@uncounted
def give_all_a_leaf(tree):
    """Give every item i the leaf i, and compute all nodes."""
    nodes, logs, order, place, counts, _ = tree
    n, m = counts[0], len(logs)
    # The leaves' nodes are computed anew at the end; until then they hold the logarithms in their old order.
    for leaf in range(n):
        nodes[leaf >> LOG_WIDTH, leaf & COLUMN] = logs[leaf]
    for i in range(m):
        logs[i] = nodes[place[i] >> LOG_WIDTH, place[i] & COLUMN] if place[i] < n else 0.0
    for i in range(m):
        order[i] = place[i] = i
    counts[0] = m
    while (1 << (LOG_WIDTH * counts[1])) < m:
        counts[1] += 1
    rebuild(tree)


@uncounted
def add_leaf(i, tree):
    """Give item i, which has none, a leaf, whose node is not computed yet. Return its place."""
    _, logs, order, place, counts, _ = tree
    n = counts[0]
    if n == counts[2]:
        give_all_a_leaf(tree)
        return i
    # The item trades places in `order` with the first of those without a leaf.
    leaf = place[i]
    order[leaf] = order[n]
    place[order[n]] = leaf
    order[n] = i
    place[i] = n
    # All places below the root are taken: it is the first child of a new one, which `update` adds up.
    if n == (1 << (LOG_WIDTH * counts[1])):
        counts[1] += 1
    logs[n] = 0.0
    counts[0] = n + 1
    return n


@uncounted(inline="always")
def update(i, x, tree):
    """Multiply the weight of item i by ``exp(x)``."""
    if x == 0.0:
        return
    nodes, logs, order, place, counts, scales = tree
    n = counts[0]
    # Where every item has a leaf, here and below, nobody needs to look up which.
    leaf = np.int64(i) if n > counts[2] else np.int64(place[i])
    if leaf >= n:
        leaf = add_leaf(i, tree)
        n = counts[0]
    logs[leaf] = min(max(logs[leaf] + x, -LARGEST), LARGEST)
    relative = logs[leaf] - scales[0]
    value = exponential(min(relative, REACH))
    nodes[leaf >> LOG_WIDTH, leaf & COLUMN] = value
    # Invariant: each node on the path is the sum of its children before the next one is added up.
    child = leaf
    for level in range(counts[1]):
        child >>= LOG_WIDTH
        value = row_sum(counts[3 + level] + child, nodes)
        nodes[counts[4 + level] + (child >> LOG_WIDTH), child & COLUMN] = value
    # `value` is the root's now. Too large a leaf, or too small a total, and the scale has to move.
    if relative > REACH or value + (len(order) - n) * scales[1] < SMALLEST_TOTAL:
        rebuild(tree)


@uncounted(inline="always")
def probability(i, uniform_share, tree):
    """Return ``p_i = uniform_share / m + (1 - uniform_share) q_i``."""
    nodes, _, order, place, counts, scales = tree
    m, n = len(order), counts[0]
    leaf = np.int64(i) if n > counts[2] else np.int64(place[i])
    whole = nodes[counts[3 + counts[1]], 0] + (m - n) * scales[1]
    own = nodes[leaf >> LOG_WIDTH, leaf & COLUMN] if leaf < n else scales[1]
    return uniform_share / m + (1.0 - uniform_share) * (own / whole)


@uncounted(inline="always")
def draw(u, uniform_share, tree):
    """Return an item drawn from p by one uniform number `u` in [0, 1)."""
    nodes, _, order, _, counts, scales = tree
    m, n, height = len(order), counts[0], counts[1]
    # One uniform number does for both choices: below uniform_share, and above it, it is uniform again.
    if u < uniform_share:
        return min(np.int64(u / uniform_share * m), m - 1)
    touched = nodes[counts[3 + height], 0]
    v = (u - uniform_share) / (1.0 - uniform_share) * (touched + (m - n) * scales[1])
    # Items without a leaf come last in the order of the sums, and have one weight: a division finds theirs.
    if v >= touched and n < m and scales[1] > 0.0:
        return np.int64(order[n + min(np.int64((v - touched) / scales[1]), m - n - 1)])
    child = np.int64(0)
    for level in range(height - 1, -1, -1):
        k = counts[3 + level] + child
        s1 = nodes[k, 0]
        s2 = s1 + nodes[k, 1]
        c = nodes[k, 2]
        s3, s4 = s2 + c, s2 + (c + nodes[k, 3])
        e, g = nodes[k, 4], nodes[k, 6]
        f = e + nodes[k, 5]
        s5, s6, s7, s8 = s4 + e, s4 + f, s4 + (f + g), s4 + (f + (g + nodes[k, 7]))
        # Counted, not branched on, which no processor could foresee. The sums do not decrease; where rounding
        # has taken v past the last, the last weight above zero is found.
        chosen, passed = np.int64(0), 0.0
        for s in (s1, s2, s3, s4, s5, s6, s7):
            goes = (v >= s) & (s < s8)
            chosen += np.int64(goes)
            passed = s if goes else passed
        v -= passed
        child = (child << LOG_WIDTH) + chosen
    return child if n > counts[2] else np.int64(order[child])


@uncounted
def draw_one(u, uniform_share, nodes, logs, order, place, counts, scales):
    """Return ``(i, p_i)`` for one uniform number `u` in [0, 1)."""
    tree = Tree(nodes, logs, order, place, counts, scales)
    i = draw(u, uniform_share, tree)
    return int(i), float(probability(i, uniform_share, tree))


@uncounted
def draw_many(us, uniform_share, indices, p, nodes, logs, order, place, counts, scales):
    """Fill `indices` and `p` with one draw for each of the uniform numbers `us`."""
    tree = Tree(nodes, logs, order, place, counts, scales)
    for j in range(len(us)):
        indices[j] = draw(us[j], uniform_share, tree)
    # In a loop of their own, in which nothing is to be foreseen: the processor fetches many at once.
    for j in range(len(us)):
        p[j] = probability(indices[j], uniform_share, tree)


@uncounted
def update_one(i, x, nodes, logs, order, place, counts, scales):
    """Multiply the weight of item i by ``exp(x)``."""
    update(i, x, Tree(nodes, logs, order, place, counts, scales))


@uncounted
def update_many(indices, xs, nodes, logs, order, place, counts, scales):
    """Update one after another, an item that comes twice twice, if all indices are in range and all x finite.

    Otherwise do nothing and return False.
    """
    tree = Tree(nodes, logs, order, place, counts, scales)
    # All are looked at before the first is taken, so that a bad one leaves the tree as it was.
    for j in range(len(indices)):
        if not (0 <= indices[j] < len(order) and -LARGEST <= xs[j] <= LARGEST):
            return False
    for j in range(len(indices)):
        update(indices[j], xs[j], tree)
    return True
