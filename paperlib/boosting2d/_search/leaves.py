"""The end of the search: the lines of a box that go through two of its active points, judged exactly.

A line on the border of the box may be outside by rounding, and then points that are not active need not be on
their side of it. And a box that was moved to another origin holds more lines than what it was made from: what
was settled there need not hold for them. If such a line seems good, it is held against all points; where it
was misjudged it is left out, for it is judged rightly in the box that it belongs to.

`try_pairs` is quick for few points. Many points stay active only if they lie on one line, or nearly so: then
`try_line` and `try_fans` take their time, in O(k) and O(k^2 log k).
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.boosting2d._geometry.predicates import orientation
from paperlib.boosting2d._search.boxes import SLACK
from paperlib.boosting2d._search.witness import grown, grown_rows, ray

LEAF = 24  # active points that are tried in pairs


class Found(NamedTuple):
    """Witnesses that were noted: the first `size` rows of arrays that grow.

    Attributes
    ----------
    witnesses : ndarray of shape (m, 4), int64
    weights : ndarray of shape (m,)
    hashes : ndarray of shape (m,), uint64
        The exclusive or of the keys of what each witness predicts positive.
    size : int
    least : float
        The least weight that was ever noted; ``inf`` if none was.
    """

    witnesses: np.ndarray
    weights: np.ndarray
    hashes: np.ndarray
    size: int
    least: float


class Part(NamedTuple):
    """The share of some points in a line's weight, and in the key of what it predicts positive."""

    weight: float
    key: np.uint64


def nothing_found():
    """Return a `Found` without a witness."""
    return Found(np.empty((64, 4), dtype=np.int64), np.empty(64), np.empty(64, dtype=np.uint64), 0, np.inf)


@jit
def first_of(found, size):
    """Return the first `size` of the witnesses."""
    return Found(found.witnesses, found.weights, found.hashes, size, found.least)


@jit
def side_in_box(ia, ib, cells, box):
    """Return the side of the line through two points that is positive in a box.

    1 or 2 is the left of the line, -1 or -2 its right, 0 a line that is not in the box. 2 and -2 mean that
    points that are not active need not be on their side of it.
    """
    m0, m1, t0, t1, origin, chart, up = box
    x, y, points = cells.x, cells.y, cells.points
    a, b = cells.order[ia], cells.order[ib]
    # From the given coordinates: centred ones have lost the digits of small differences.
    dx, dy = x[b] - x[a], (y[b] - y[a]) * cells.aspect
    du, dv = (dx, dy) if chart == 0 else (dy, dx)
    if du == 0.0:
        return 0
    m = dv / du
    # Lines that are outside by rounding only are let in; `certain` tells them apart below.
    if not m0 - SLACK <= m <= m1 + SLACK:
        return 0
    iu, iv = chart, 1 - chart
    size_a, size_b = abs(points[ia, 0]) + abs(points[ia, 1]), abs(points[ib, 0]) + abs(points[ib, 1])
    # The intercept is taken at the one nearer to the centre: its rounding errors grow with the coordinates.
    near = ia if size_a < size_b else ib
    u, v = points[near, iu] - origin, points[near, iv]
    slack = SLACK * (abs(u) + abs(v) + abs(origin))
    t = v - m * u
    if not t0 - slack <= t <= t1 + slack:
        return 0
    # To exchange the axes is a reflection, which exchanges left and right.
    left_is_above = (du > 0.0) == (chart == 0)
    side = 1 if left_is_above == up else -1
    # A box with an origin of its own covers a parallelogram: what was settled there need not hold beside it.
    certain = origin == 0.0 and m0 + SLACK < m < m1 - SLACK and t0 + slack < t < t1 - slack
    return side if certain else 2 * side


@jit
def predicts(a, b, side, turn, key, cells):
    """Return whether `key` is that of the points that a witness predicts positive, of all points."""
    x, y = cells.x, cells.y
    for i in range(len(cells.order)):
        c = cells.order[i]
        where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
        if where == 0:
            where = -turn * ray(x, y, a, b, c)
        if where == 0 or where == side:
            key ^= cells.keys[i]
    # Zero for the same sets, and for others with a probability of 2**-64.
    return key == 0


@jit
def in_line(items, cells):
    """Return whether all of at least two points are on one line, exactly."""
    x, y, order = cells.x, cells.y, cells.order
    a, b = order[items[0]], order[items[1]]
    for ic in items[2:]:
        c = order[ic]
        if orientation(x[a], y[a], x[b], y[b], x[c], y[c]) != 0:
            return False
    return True


def all_in_line(cells):
    """Return whether there is no box to search: all locations are on one line, or there is a single one."""
    x, y = cells.x, cells.y
    # Mostly the first one, the last, and one between them are not, which is quickly found.
    few = orientation(x[0], y[0], x[-1], y[-1], x[len(x) // 2], y[len(x) // 2]) == 0
    return len(x) < 2 or (few and in_line(np.arange(len(x)), cells))


@jit
def _note(found, cells, a, b, side, turn, weight, key):
    """Note a witness; if `side` is in doubt, only where it predicts for all points what `key` says."""
    certain, side = abs(side) == 1, 1 if side > 0 else -1
    if not certain and not predicts(a, b, side, turn, key, cells):
        return found
    n = found.size
    witnesses = grown_rows(found.witnesses, n, n + 1)
    weights, hashes = grown(found.weights, n, n + 1), grown(found.hashes, n, n + 1)
    witnesses[n, 0], witnesses[n, 1], witnesses[n, 2], witnesses[n, 3] = a, b, side, turn
    weights[n], hashes[n] = weight, key
    return Found(witnesses, weights, hashes, n + 1, min(found.least, weight))


@jit
def _weigh(items, cells, a, b, side, outside):
    """Weigh the line from location a to b: a `Part` of all points for each turn, from -1 to 1."""
    x, y, points, order, keys = cells.x, cells.y, cells.points, cells.order, cells.keys
    same, same_key = outside
    straight, clockwise, counter = 0.0, 0.0, 0.0
    straight_key, clockwise_key, counter_key = np.uint64(0), np.uint64(0), np.uint64(0)
    for ic in items:
        c = order[ic]
        if_negative, if_positive = points[ic, 2], points[ic, 3]  # what the prediction gets wrong
        where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
        if where == side:
            same += if_positive
            same_key ^= keys[ic]
        elif where == -side:
            same += if_negative
        else:
            straight += if_positive
            straight_key ^= keys[ic]
            # Turned clockwise, the line has what is on b's side of a to its left.
            on = ray(x, y, a, b, c)
            if on == 0 or on == side:
                clockwise += if_positive
                clockwise_key ^= keys[ic]
            else:
                clockwise += if_negative
            if on == 0 or on == -side:
                counter += if_positive
                counter_key ^= keys[ic]
            else:
                counter += if_negative
    return (
        Part(same + clockwise, same_key ^ clockwise_key),
        Part(same + straight, same_key ^ straight_key),
        Part(same + counter, same_key ^ counter_key),
    )


@jit
def try_pairs(items, cells, box, outside, limit, found):
    """Try each line through two active points.

    Parameters
    ----------
    items, cells, box
        As of `boxes.bound_points`.
    outside : Part
        Of the points outside of `items`.
    limit : float
        Witnesses of at most this weight are noted.
    found : Found

    Returns
    -------
    found : Found
        What it was, and the witnesses noted.
    judged : int
        Pairs that were looked at, and points that were held against a line.
    """
    lines = 0
    for ia in items:
        a = cells.order[ia]
        for ib in items:
            side = 0 if ib == ia else side_in_box(ia, ib, cells, box)
            if side == 0:
                continue
            lines += 1
            b = cells.order[ib]
            turned = _weigh(items, cells, a, b, 1 if side > 0 else -1, outside)
            for turn in range(-1, 2):
                weight, key = turned[turn + 1]
                if weight <= limit:
                    found = _note(found, cells, a, b, side, turn, weight, key)
    return found, (len(items) + lines) * len(items)


@jit
def try_line(items, cells, onwards, back, outside, limit, found):
    """Turn the one line that all of `items` are on about each of these.

    Parameters
    ----------
    items : ndarray of int
        In the order of their locations, which is the order along the line.
    onwards, back : int
        What `side_in_box` says of the line from the first to the last one, and of the line back; 0 to leave
        that out.

    Others, and what is returned: as of `try_pairs`.
    """
    points, order, keys = cells.points, cells.order, cells.keys
    base, key = outside
    k = len(items)
    wp_all, wn_all, key_all = 0.0, 0.0, np.uint64(0)
    for i in items:
        wp_all += points[i, 2]
        wn_all += points[i, 3]
        key_all ^= keys[i]
    # Before and after are along the line; each turn about a point predicts one of the two positive.
    wp_before, wn_before, key_before = 0.0, 0.0, np.uint64(0)
    for n in range(k):
        i = items[n]
        # From the last point there is only the line back to the first.
        side = onwards if n < k - 1 else back
        wp_after = wp_all - wp_before - points[i, 2]
        wn_after = wn_all - wn_before - points[i, 3]
        key_after = key_all ^ key_before ^ keys[i]
        if side != 0:
            a, b = order[i], order[items[k - 1] if n < k - 1 else items[0]]
            # What lies ahead is what comes after, but for the last point.
            ahead = (wp_after, wn_after, key_after) if n < k - 1 else (wp_before, wn_before, key_before)
            behind = (wp_before, wn_before, key_before) if n < k - 1 else (wp_after, wn_after, key_after)
            for turn in range(-1, 2):
                weight, its_key = base + wn_all, key ^ key_all
                if turn == -np.sign(side):
                    weight, its_key = base + points[i, 3] + ahead[1] + behind[0], key ^ keys[i] ^ ahead[2]
                elif turn == np.sign(side):
                    weight, its_key = base + points[i, 3] + behind[1] + ahead[0], key ^ keys[i] ^ behind[2]
                if weight <= limit:
                    found = _note(found, cells, a, b, side, turn, weight, its_key)
        wp_before += points[i, 2]
        wn_before += points[i, 3]
        key_before ^= keys[i]
    return found, k


class _Fan(NamedTuple):
    """Some points sorted about one of them: arguments of `mirrored_order`."""

    x: np.ndarray
    y: np.ndarray
    half: np.ndarray
    packed: np.ndarray
    spare: np.ndarray
    order: np.ndarray
    level: np.ndarray


@jit
def try_fans(items, cells, box, outside, limit, found):
    """As `try_pairs`, by a sweep about each point (Lemma 2.6)."""
    k = len(items)
    here = cells.order[items]
    fan = _Fan(
        cells.x[here],
        cells.y[here],
        np.ones(k, dtype=np.int64),
        np.empty(k, dtype=np.uint64),
        np.empty(k, dtype=np.uint64),
        np.empty(k - 1, dtype=np.int64),
        np.empty(k - 1, dtype=np.bool_),
    )
    total, key_all = 0.0, np.uint64(0)
    for ic in items:
        key_all ^= cells.keys[ic]
        total += cells.points[ic, 2] + cells.points[ic, 3]
    for a in range(k):
        b = 0
        while b < k and side_in_box(items[a], items[b], cells, box) == 0:
            b += 1
        if b < k:
            mirrored_order(fan.x, fan.y, a, fan.half, fan.packed, fan.spare, fan.order, fan.level)
            found = _try_fan(a, items, cells, box, outside, limit, Part(total, key_all), fan, found)
    return found, k * k


@jit
def _try_fan(a, items, cells, box, outside, limit, whole, fan, found):
    """Turn a line about point ``items[a]``; `whole` is the weight of both classes and the key."""
    points, keys, half = cells.points, cells.keys, fan.half
    ia = items[a]
    # The line points up and turns counter-clockwise; `left` is its weight if its left side is positive.
    others, key_a = whole.weight - points[ia, 2] - points[ia, 3], keys[ia]
    on_a = outside.weight + points[ia, 3]
    left, left_key = 0.0, np.uint64(0)
    for c in fan.order:
        left += points[items[c], 3 if half[c] > 0 else 2]
        left_key ^= keys[items[c]] if half[c] > 0 else np.uint64(0)
    # Before each group, `left` and `left_key` are those of the line just before it.
    start, size = 0, len(fan.order)
    while start < size:
        b = fan.order[start]
        side = side_in_box(ia, items[b], cells, box)
        # `side` is of the line to b, `left` of the line that points up.
        left_positive = np.sign(side) == half[b]
        after, after_key, on, on_key = left, left_key, 0.0, np.uint64(0)
        end = start
        while end == start or (end < size and fan.level[end]):
            c = fan.order[end]
            ic = items[c]
            gain = points[ic, 2] - points[ic, 3]
            after += gain if half[c] > 0 else -gain
            after_key ^= keys[ic]
            # On the line it is positive, whichever side it comes from.
            on -= gain if (half[c] > 0) != left_positive else 0.0
            on_key ^= keys[ic] if (half[c] > 0) != left_positive else np.uint64(0)
            end += 1
        for turn in range(-1, 2):
            weight, key = (after, after_key) if turn > 0 else (left, left_key)
            if not left_positive:
                weight, key = others - weight, key ^ whole.key ^ key_a
            if turn == 0:
                weight, key = weight + on, key ^ on_key
            weight, key = on_a + weight, outside.key ^ key_a ^ key
            if side != 0 and weight <= limit:
                found = _note(found, cells, cells.order[ia], cells.order[items[b]], side, turn, weight, key)
        left, left_key = after, after_key
        start = end
    return found


def try_many(items, cells, box, outside, limit, found):
    """As `try_pairs`, in the way that suits more points than `LEAF`: all on a line, or nearly so."""
    items = items.astype(np.int64)
    if in_line(items, cells):
        # Locations are numbered in lexicographic order, which is one along any line.
        items = items[np.argsort(cells.order[items])]
        first, last = items[0], items[-1]
        onwards, back = side_in_box(first, last, cells, box), side_in_box(last, first, cells, box)
        return try_line(items, cells, onwards, back, outside, limit, found)
    return try_fans(items, cells, box, outside, limit, found)
