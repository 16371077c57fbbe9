"""The widest gap of all optimal lines by branch and bound, mostly much faster than the sweep.

A line is where ``u (p - middle) = t``, u of length one, and what is above it is predicted positive. A box of
lines has an interval of directions u, and one of t. For lines with a margin of at least r, a point counts as
wrong that is not on its side by r. If the points that are so for all lines of a box outweigh the optimum, no
optimal line of that margin is in it, and it is dropped; the others are halved.

A box is finished where each point is certain to be wrong in this sense, or else is on its side for all lines,
by however much. Then the lines misclassify no more than the points that are certain, and so just these, for
nothing weighs less than the optimum: the box has a single optimal set, and its margin is that of two hulls.
That comes before long, as a box becomes much narrower than r. No line through points is ever judged.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._fattest.fat_sweep import TIED
from paperlib.boosting2d._geometry.hulls import hull_among, hull_gap, outline
from paperlib.boosting2d._search.witness import grown, grown_rows

_SECTORS = 16  # intervals of directions to begin with
_DOUBT = 2.0**-45  # of the largest coordinate: above the rounding errors of a height
_RECENT = 64  # sets that a finished box is compared with

# Columns of a node: the middle of its directions, and half their range; least and largest t; the weight that
# is certain, of points that are not in its list; where that begins and ends.
_MIDDLE, _HALF, _LOW, _HIGH, _BASE, _BEGIN, _END = range(7)


class Gaps(NamedTuple):
    """The widest gaps that were met, in the first `size` rows of arrays that grow.

    Attributes
    ----------
    sides : ndarray of shape (m, n), bool
        What is predicted positive.
    widths : ndarray of shape (m,)
    keys : ndarray of shape (m,), uint64
    size : int
    known : float
        Some optimal line has a gap of this width.
    """

    sides: np.ndarray
    widths: np.ndarray
    keys: np.ndarray
    size: int
    known: float


class Boxes(NamedTuple):
    """Where the search stands; it can be taken up again.

    Attributes
    ----------
    x, y : ndarray of shape (n,)
        Points about their middle.
    doubt : float
        Above the rounding errors of a height.
    nodes : ndarray of shape (m, 7)
        Those that are left are the first `size`; the last one goes first.
    arena : ndarray of int64
        The lists of all nodes, that of the last one at the end.
    size : int
        0 when all is done.
    gaps : Gaps
    judged : int
        How often a point was held against a box.
    """

    x: np.ndarray
    y: np.ndarray
    doubt: float
    nodes: np.ndarray
    arena: np.ndarray
    size: int
    gaps: Gaps
    judged: int


class _View(NamedTuple):
    """Points seen from a box: how many are left, the least weight, and what decides how the box is halved."""

    kept: int
    base: float
    least: float
    loose: int
    spread: float


def start(sample, known):
    """Return `Boxes` that hold all lines; some optimal line has a gap of the width that is known."""
    n = len(sample.px)
    x, y = sample.px - _middle(sample.px), sample.py - _middle(sample.py)
    # A little more than needed here, and for the sectors: no line is lost by rounding.
    reach = 1.001 * np.hypot(x, y).max()
    nodes = np.empty((64, 7))
    for k in range(_SECTORS):
        middle, half = 2.0 * np.pi * (k + 0.5) / _SECTORS, 1.001 * np.pi / _SECTORS
        nodes[k] = (middle, half, -reach, reach, 0.0, 0.0, float(n))
    doubt = _DOUBT * max(np.abs(sample.px).max(), np.abs(sample.py).max())
    gaps = Gaps(np.empty((8, n), dtype=np.bool_), np.empty(8), np.empty(8, dtype=np.uint64), 0, known)
    return Boxes(x, y, doubt, nodes, np.arange(4 * n), _SECTORS, gaps, 0)


@jit
def search(sample, boxes, flip, limit, until):
    """Go on until points have been held against boxes `until` times, or no box is left.

    Parameters
    ----------
    sample : Sample
    boxes : Boxes
    flip : bool
        Whether misclassified points count for the margin.
    limit : float
        Lines of at most this weight are optimal; there is no lighter one.
    until : int

    Returns
    -------
    Boxes
        In the end its `gaps` hold all optimal sets whose gap is not narrower than the widest by more than the
        share `TIED`.
    """
    x, y, doubt, nodes, arena, size, gaps, judged = boxes
    while size > 0 and judged < until:
        size -= 1
        node = nodes[size].copy()
        begin, end = int(node[_BEGIN]), int(node[_END])
        hear(20 * (end - begin + 1))
        arena = grown(arena, end, 2 * end - begin)
        judged += end - begin
        # Half of the gap is the margin.
        view = _view(sample, x, y, doubt, flip, node, arena, 0.5 * gaps.known * (1.0 - TIED))
        if view.least > limit:
            continue
        if view.loose == 0:
            side, clear = _side(x, y, node, doubt)
            judged += len(x)
            if clear:
                gaps = _finished(sample, side, gaps, limit)
                continue
        nodes = grown_rows(nodes, size, size + 2)
        _halve(nodes, size, node, view)
        size += 2
    return Boxes(x, y, doubt, nodes, arena, size, gaps, judged)


def _middle(values):
    return 0.5 * (values.min() + values.max())


@jit
def _view(sample, x, y, doubt, flip, node, arena, margin):
    """Hold a node's points against its box; those that are not settled come behind them in the arena."""
    c, s = np.cos(node[_MIDDLE]), np.sin(node[_MIDDLE])
    # Turned by up to the half range h, a height changes by at most ``across sin(h) + |height| (1 - cos(h))``.
    turn, bow = np.sin(node[_HALF]), 1.0 - np.cos(node[_HALF]) + 1e-15
    begin, end = int(node[_BEGIN]), int(node[_END])
    base, extra, kept, loose, spread = node[_BASE], 0.0, end, 0, 0.0
    for k in range(begin, end):
        i = arena[k]
        height, across = x[i] * c + y[i] * s, abs(y[i] * c - x[i] * s)
        error = across * turn + abs(height) * bow + doubt
        low, high = height - error - node[_HIGH], height + error - node[_LOW]
        wp, wn = sample.wp[i], sample.wn[i]
        if flip:
            if low > -margin and high < margin:
                return _View(0, base, np.inf, 0, 0.0)  # in the gap of every line
            wrong = wp * (high < 0.0) + wn * (low > 0.0)
            settled = low >= margin or high <= -margin
            free = low <= 0.0 <= high
        else:
            wrong = wp * (high < margin) + wn * (low > -margin)
            open_p = wp > 0.0 and low < margin <= high
            open_n = wn > 0.0 and low <= -margin < high
            settled = not (open_p or open_n)
            free = (open_p and low <= 0.0) or (open_n and high >= 0.0)
        if settled:
            base += wrong
            continue
        extra += wrong
        arena[kept] = i
        kept += 1
        loose += free
        spread += across
    return _View(kept, base, base + extra, loose, spread / max(kept - end, 1))


@jit
def _halve(nodes, size, node, view):
    """Write the two halves of a node, cut where more is in doubt."""
    for k in range(2):
        half = nodes[size + k]
        half[:] = node
        # Both halves have the list that `_view` wrote behind that of their parent.
        half[_BASE], half[_BEGIN], half[_END] = view.base, node[_END], view.kept
        if 2.0 * node[_HALF] * view.spread > node[_HIGH] - node[_LOW]:
            half[_HALF] = 0.5 * node[_HALF] * (1.0 + 1e-12)  # so that no line is lost between them
            half[_MIDDLE] = node[_MIDDLE] + (k - 0.5) * node[_HALF]
        else:
            middle, more = 0.5 * (node[_LOW] + node[_HIGH]), 1e-15 * (abs(node[_LOW]) + abs(node[_HIGH]))
            # Column `_HIGH - 1` is `_LOW`: the first half ends at the middle, where the second begins.
            half[_HIGH - k] = middle + (more if k == 0 else -more)


@jit
def _side(x, y, node, doubt):
    """Return what is above a line of a node's box, and whether all points are clear of it."""
    heights = x * np.cos(node[_MIDDLE]) + y * np.sin(node[_MIDDLE])
    # All lines of the box have the same set, but one of them may be on a point.
    for share in (0.5, 0.4, 0.6, 0.25, 0.75):
        t = node[_LOW] + share * (node[_HIGH] - node[_LOW])
        if np.abs(heights - t).min() > doubt:
            return heights > t, True
    return heights > t, False


@jit
def _finished(sample, side, gaps, limit):
    """Note the set of a finished box if its gap may be the widest."""
    weight, key = 0.0, np.uint64(0)
    for i in range(len(side)):
        weight += sample.wn[i] if side[i] else sample.wp[i]
        key ^= sample.keys[i] if side[i] else np.uint64(0)
    sides, widths, keys, size, known = gaps
    # Boxes of one set are mostly finished soon after each other; what is repeated later goes in the end.
    for i in range(size - 1, max(size - 1 - _RECENT, -1), -1):
        if keys[i] == key:
            return gaps
    width = _width(sample, side) if weight <= limit else 0.0
    if width < known * (1.0 - TIED):
        return gaps
    sides, widths, keys = (
        grown_rows(sides, size, size + 1),
        grown(widths, size, size + 1),
        grown(keys, size, size + 1),
    )
    widths[size], keys[size] = width, key
    for i in range(len(side)):
        sides[size, i] = side[i]
    return Gaps(sides, widths, keys, size + 1, max(known, width))


@jit
def _width(sample, side):
    """Return the distance of what is left on both sides."""
    ahead, behind = np.flatnonzero(side & sample.ahead), np.flatnonzero(~side & sample.behind)
    if len(ahead) == 0 or len(behind) == 0:
        return np.inf
    ax, ay, bx, by = sample.px[ahead], sample.py[ahead], sample.px[behind], sample.py[behind]
    a, b = hull_among(ax, ay, outline(ax, ay)), hull_among(bx, by, outline(bx, by))
    dx, dy = hull_gap(ax[a], ay[a], bx[b], by[b])
    return np.hypot(dx, dy)
