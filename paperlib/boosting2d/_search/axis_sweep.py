"""Theorem 4.1: the best plane by a turn around every line through two locations, in O(m n^2 log n).

Why these planes suffice, on degenerate input too. An optimal separator set is that of a plane off all points.
Shift the plane up to the nearest points that it predicts positive. A corner a of what it touches has positive
points: one with negative points alone could be cut off at a gain. So the plane can be turned to go through a
and nothing else, with a counted as positive: Lemma 2.5. Such planes are a cell among the great circles
``u (p - a) = 0`` on the sphere of normals u, and a cell has an edge: the planes through a second location b,
and no point off the line ab, tilted a little. Their order about the line is Lemma 2.7; what lies on the line
is cut in two by the tilt, at any place.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._geometry.predicates_3d import open_shadow, triple_sign, turn_in_shadow
from paperlib.boosting2d._search.witness import grown_rows


@jit
def _split(points, wp, a, b, on, off):
    """Divide the locations into those on the line ab, in order along it, and those off it.

    Returns their numbers; 0 and 0 for a line that was met before, when a was its first location with positive
    points and b its first other location.
    """
    if b < a and wp[b] > 0.0:
        return 0, 0
    n_on, n_off = 0, 0
    # Any coordinate in which a and b differ gives the order along the line.
    along = 0
    while points[a, along] == points[b, along]:
        along += 1
    for c in range(len(points)):
        if c != a and c != b and open_shadow(points, a, b, c) >= 0:
            off[n_off] = c
            n_off += 1
            continue
        if (c < a and wp[c] > 0.0) or (c < b and c != a):
            return 0, 0
        # By insertion: mostly there are but a and b.
        place = n_on
        while place > 0 and points[on[place - 1], along] > points[c, along]:
            on[place] = on[place - 1]
            place -= 1
        on[place] = c
        n_on += 1
    return n_on, n_off


@jit
def _sort_about(points, a, b, off, spare, half, level):
    """Sort `off` by mirrored angle about the line ab, in place, starting from its first location; exact.

    Fills `half` (n,), 1 for a location within half a turn counter-clockwise of the first one and -1 for the
    others, which are mirrored, and `level` (k,): whether an angle equals that of the one before it. Returns
    how many pairs of locations were compared.
    """
    size, first = len(off), off[0]
    compared = 2 * size - 1  # each with the first one, and with the one before it in the end
    shadow = open_shadow(points, a, b, first)
    for c in off:
        half[c] = triple_sign(points, a, b, first, c)
        if half[c] == 0:
            # Level with the first one: at the same angle, or opposite.
            half[c] = turn_in_shadow(points, a, b, c, shadow) * turn_in_shadow(points, a, b, first, shadow)
    # A merge sort: stable, and each comparison is exact, so that no rounding can break the order.
    source, target = off, spare[:size]
    width = 1
    while width < size:
        for start in range(0, size, 2 * width):
            i, middle = start, min(start + width, size)
            j, end = middle, min(start + 2 * width, size)
            for k in range(start, end):
                take = i < middle
                if take and j < end:
                    c, d = source[i], source[j]
                    take = triple_sign(points, a, b, c, d) * half[c] * half[d] >= 0
                    compared += 1
                if take:
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
        source, target = target, source
        width *= 2
    for k in range(size):  # the last pass may have ended in the other array
        off[k] = source[k]
    level[0] = False
    for k in range(1, size):
        level[k] = triple_sign(points, a, b, off[k - 1], off[k]) == 0
    return compared


@jit
def _arc_weights(wp, wn, off, half, level, starts, weights):
    """Weights of the planes between two groups of level locations, with what is to their left positive.

    Arc i comes just before the group that begins at ``off[starts[i]]``. Returns the number of arcs, and the
    weight that the two sides of any arc add up to.
    """
    weight, others = 0.0, 0.0
    for c in off:
        weight += wn[c] if half[c] > 0 else wp[c]
        others += wp[c] + wn[c]
    size = 0
    # The arc behind the last group is left out: it is the first one with both sides exchanged.
    for k in range(len(off)):
        if not level[k]:
            starts[size], weights[size] = k, weight
            size += 1
        # What the plane passes changes sides: to the right, or to the left if it is mirrored.
        c = off[k]
        weight += half[c] * (wp[c] - wn[c])
    # All locations are on the line: there is one arc, without weight.
    if size == 0:
        starts[0], weights[0] = 0, 0.0
        size = 1
    return size, others


@jit
def _cut_weights(wp, wn, on, weights):
    """Weights of cutting the line before its i-th location, 0 <= i <= k, with the first part positive."""
    weights[0] = 0.0
    for c in on:
        weights[0] += wp[c]
    for i in range(len(on)):
        weights[i + 1] = weights[i] + wn[on[i]] - wp[on[i]]


@jit
def _least(weights, both):
    """Return the least of some weights, and of what each of them leaves of `both`: the other side's."""
    least, most = weights[0], weights[0]
    for weight in weights:
        least, most = min(least, weight), max(most, weight)
    return min(least, both - most)


@jit
def axis_sweep(points, wp, wn, first, last, lowest):
    """Find the least misclassified weight over the planes next to some lines.

    Parameters
    ----------
    points : ndarray of shape (n, 3)
        Distinct locations.
    wp, wn : ndarray of shape (n,)
        Weight of the positive and of the negative points at each.
    first, last : int
        The lines are those through the pairs of locations ``first .. last - 1``; pair ``a n + b`` is (a, b).
    lowest : ndarray of shape (n, n)
        Its places of these pairs are filled, with ``inf`` where there is no line, and for all but one of
        the pairs on the same line. Planes that predict all locations alike may be among those counted.

    Returns
    -------
    judged : int
        Pairs of locations that were compared about a line, in order to sort them.
    """
    n, judged = len(points), 0
    buffers = np.empty((5, n), dtype=np.int64)
    on, off, spare, starts, half = buffers[0], buffers[1], buffers[2], buffers[3], buffers[4]
    level = np.empty(n, dtype=np.bool_)
    arcs, cuts = np.empty(n), np.empty(n + 1)
    for pair in range(first, last):
        a, b = pair // n, pair % n
        lowest[a, b] = np.inf
        # Lemma 2.5: of m locations with positive points there are m n lines, each with O(n log n) to do.
        if wp[a] == 0.0 or a == b:
            continue
        hear(100 * n)
        n_on, n_off = _split(points, wp, a, b, on, off)
        if n_on == 0:
            continue
        if n_off > 0:
            judged += _sort_about(points, a, b, off[:n_off], spare, half, level)
        n_arcs, others = _arc_weights(wp, wn, off[:n_off], half, level, starts, arcs)
        _cut_weights(wp, wn, on[:n_on], cuts)
        # The arc and the cut are chosen independently: the best of each make the best plane.
        arc, cut = _least(arcs[:n_arcs], others), _least(cuts[: n_on + 1], cuts[0] + cuts[n_on])
        lowest[a, b] = arc + cut
    return judged


@jit
def _predict(on, off, half, start, left, cut, first, out):
    """Write one partition; `left` and `first` are what the left side and the line's first part predict."""
    for k in range(len(off)):
        passed = k < start
        out[off[k]] = left == ((half[off[k]] > 0) != passed)
    for k in range(len(on)):
        out[on[k]] = first == (k < cut)


@jit
def collect_planes(points, wp, wn, lowest, limit, most, first_pair, last_pair):
    """Write down the partitions of weight at most `limit` by some lines.

    Parameters
    ----------
    points, wp, wn : ndarray
        As in `axis_sweep`.
    lowest : ndarray of shape (n, n)
        As `axis_sweep` returned it.
    limit : float
    most : int
        Stop after this many.
    first_pair, last_pair : int
        As `first` and `last` in `axis_sweep`.

    Returns
    -------
    ndarray of shape (s, n), bool
        Which locations are predicted positive; many partitions appear several times.
    """
    n = len(points)
    found, size = np.empty((64, n), dtype=np.bool_), 0
    buffers = np.empty((5, n), dtype=np.int64)
    on, off, spare, starts, half = buffers[0], buffers[1], buffers[2], buffers[3], buffers[4]
    level = np.empty(n, dtype=np.bool_)
    arcs, cuts = np.empty(n), np.empty(n + 1)
    for pair in range(first_pair, last_pair):
        a, b = pair // n, pair % n
        # The sweep kept numbers, not planes: lines that tie are turned about again. Repeats are at `inf`.
        if not lowest[a, b] <= limit:
            continue
        hear(100 * n)
        n_on, n_off = _split(points, wp, a, b, on, off)
        if n_off > 0:
            _sort_about(points, a, b, off[:n_off], spare, half, level)
        n_arcs, others = _arc_weights(wp, wn, off[:n_off], half, level, starts, arcs)
        _cut_weights(wp, wn, on[:n_on], cuts)
        ends = cuts[0] + cuts[n_on]
        for arc in range(n_arcs):
            for left in (True, False):
                off_weight = arcs[arc] if left else others - arcs[arc]
                for cut in range(n_on + 1):
                    for first in (True, False):
                        if off_weight + (cuts[cut] if first else ends - cuts[cut]) > limit:
                            continue
                        if size == most:
                            return found[:size].copy()
                        found = grown_rows(found, size, size + 1)
                        _predict(on[:n_on], off[:n_off], half, starts[arc], left, cut, first, found[size])
                        size += 1
    return found[:size].copy()
