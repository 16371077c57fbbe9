"""The end of the search: the lines of a box that go through two of its active points, judged exactly.

A line on the border of the box may be outside by rounding, and then points that are not active need not be on
their side of it. If such a line seems good, it is held against all points; where it was misjudged it is left
out, for it is judged rightly in the box that it belongs to.

`try_pairs` is quick for few points. Many points stay active only if they lie on one line, or nearly so: then
`try_line` and `try_fans` take their time, in O(k) and O(k^2 log k).
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d.angular_sweep import mirrored_order
from paperlib.boosting2d.boxes import SLACK
from paperlib.boosting2d.growing import grown
from paperlib.boosting2d.predicates import orientation
from paperlib.boosting2d.witness import ray


@jit
def _note(found, weights, hashes, count, a, b, side, turn, weight, key):
    found = grown(found, count, count + 1)
    weights, hashes = grown(weights, count, count + 1), grown(hashes, count, count + 1)
    found[count, 0], found[count, 1], found[count, 2], found[count, 3] = a, b, side, turn
    weights[count], hashes[count] = weight, key
    return found, weights, hashes, count + 1


@jit
def side_in_box(ia, ib, x, y, points, order, aspect, chart, up, box):
    """Which side of the line through two points is positive in a box.

    Returns 1 or 2 for the left of the line, -1 or -2 for its right, 0 if it is not in the box. 2 and -2 tell
    that it may be off by rounding, so that points near the border of the box need not be on their side of it.
    """
    m0, m1, t0, t1, origin = box
    a, b = order[ia], order[ib]
    # From the given coordinates: centred ones have lost the digits of small differences.
    dx, dy = x[b] - x[a], (y[b] - y[a]) * aspect
    du, dv = (dx, dy) if chart == 0 else (dy, dx)
    if du == 0.0:
        return 0
    m = dv / du
    if not m0 - SLACK <= m <= m1 + SLACK:
        return 0
    iu, iv = chart, 1 - chart
    size_a, size_b = abs(points[ia, 0]) + abs(points[ia, 1]), abs(points[ib, 0]) + abs(points[ib, 1])
    near = ia if size_a < size_b else ib
    u, v = points[near, iu] - origin, points[near, iv]
    slack = SLACK * (abs(u) + abs(v) + abs(origin))
    t = v - m * u
    if not t0 - slack <= t <= t1 + slack:
        return 0
    left_is_above = (du > 0.0) == (chart == 0)
    side = 1 if left_is_above == up else -1
    certain = m0 + SLACK < m < m1 - SLACK and t0 + slack < t < t1 - slack
    return side if certain else 2 * side


@jit
def predicts(a, b, side, turn, key, x, y, order, keys):
    """Whether `key` is that of the points that a witness predicts positive, of all points."""
    for i in range(len(order)):
        c = order[i]
        where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
        if where == 0:
            where = -turn * ray(x, y, a, b, c)
        if where == 0 or where == side:
            key ^= keys[i]
    return key == 0


@jit
def in_line(items, x, y, order):
    """Whether all of at least two points are on one line, exactly."""
    a, b = order[items[0]], order[items[1]]
    for ic in items[2:]:
        c = order[ic]
        if orientation(x[a], y[a], x[b], y[b], x[c], y[c]) != 0:
            return False
    return True


@jit
def try_pairs(
    items, x, y, points, order, keys, aspect, chart, up, box, base, key, limit, found, weights, hashes, count
):
    """Try each line through two active points.

    Parameters
    ----------
    items, points, keys, chart, up, box
        As of `boxes.bound_points`.
    x, y : ndarray of shape (k,)
        Locations as given, for the predicates; row i of `points` is location ``order[i]``.
    aspect : float
        See `cells.Cells`.
    base, key
        Weight and key that the points outside of `items` contribute.
    limit : float
        Witnesses of at most this weight are noted.
    found, weights, hashes, count
        Witnesses, their weights and the keys of what they predict positive; how many there are.

    Returns
    -------
    least : float
        The least weight noted; ``inf`` if there is none.
    found, weights, hashes, count
        Grown where need be.
    """
    least = np.inf
    for ia in items:
        a = order[ia]
        for ib in items:
            side = 0 if ib == ia else side_in_box(ia, ib, x, y, points, order, aspect, chart, up, box)
            if side == 0:
                continue
            certain, side = abs(side) == 1, np.sign(side)
            b = order[ib]
            same, same_key = base, key
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
            for turn in range(-1, 2):
                weight, its_key = same + straight, same_key ^ straight_key
                if turn < 0:
                    weight, its_key = same + clockwise, same_key ^ clockwise_key
                elif turn > 0:
                    weight, its_key = same + counter, same_key ^ counter_key
                if weight <= limit and (certain or predicts(a, b, side, turn, its_key, x, y, order, keys)):
                    least = min(least, weight)
                    found, weights, hashes, count = _note(
                        found, weights, hashes, count, a, b, side, turn, weight, its_key
                    )
    return least, found, weights, hashes, count


@jit
def try_line(
    items, x, y, points, order, keys, b_last, b_first, base, key, limit, found, weights, hashes, count
):
    """Turn the one line that all of `items` are on about each of these.

    Parameters
    ----------
    items : ndarray of int32
        In the order of their locations, which is the order along the line.
    b_last, b_first : int
        What `side_in_box` says of the line from the first to the last one, and of the line back; 0 to leave
        that out.

    Others, and what is returned: as of `try_pairs`.
    """
    k = len(items)
    wp_all, wn_all, key_all = 0.0, 0.0, np.uint64(0)
    for i in items:
        wp_all += points[i, 2]
        wn_all += points[i, 3]
        key_all ^= keys[i]
    least = np.inf
    wp_before, wn_before, key_before = 0.0, 0.0, np.uint64(0)
    for n in range(k):
        i = items[n]
        side = b_last if n < k - 1 else b_first
        wp_after = wp_all - wp_before - points[i, 2]
        wn_after = wn_all - wn_before - points[i, 3]
        key_after = key_all ^ key_before ^ keys[i]
        if side != 0:
            certain, side = abs(side) == 1, np.sign(side)
            a, b = order[i], order[items[k - 1] if n < k - 1 else items[0]]
            # What lies ahead is what comes after, but for the last point.
            ahead = (wp_after, wn_after, key_after) if n < k - 1 else (wp_before, wn_before, key_before)
            behind = (wp_before, wn_before, key_before) if n < k - 1 else (wp_after, wn_after, key_after)
            for turn in range(-1, 2):
                weight, its_key = base + wn_all, key ^ key_all
                if turn == -side:
                    weight, its_key = base + points[i, 3] + ahead[1] + behind[0], key ^ keys[i] ^ ahead[2]
                elif turn == side:
                    weight, its_key = base + points[i, 3] + behind[1] + ahead[0], key ^ keys[i] ^ behind[2]
                if weight <= limit and (certain or predicts(a, b, side, turn, its_key, x, y, order, keys)):
                    least = min(least, weight)
                    found, weights, hashes, count = _note(
                        found, weights, hashes, count, a, b, side, turn, weight, its_key
                    )
        wp_before += points[i, 2]
        wn_before += points[i, 3]
        key_before ^= keys[i]
    return least, found, weights, hashes, count


@jit
def try_fans(
    items, x, y, points, order, keys, aspect, chart, up, box, base, key, limit, found, weights, hashes, count
):
    """As `try_pairs`, by a sweep about each point (Lemma 2.6)."""
    k = len(items)
    least = np.inf
    here = order[items]
    xs, ys = x[here], y[here]
    half, packed, spare = (
        np.ones(k, dtype=np.int64),
        np.empty(k, dtype=np.uint64),
        np.empty(k, dtype=np.uint64),
    )
    fan, level = np.empty(k - 1, dtype=np.int64), np.empty(k - 1, dtype=np.bool_)
    key_all, total = np.uint64(0), 0.0
    for ic in items:
        key_all ^= keys[ic]
        total += points[ic, 2] + points[ic, 3]
    for a in range(k):
        ia = items[a]
        b = 0
        while b < k and side_in_box(ia, items[b], x, y, points, order, aspect, chart, up, box) == 0:
            b += 1
        if b == k:
            continue
        mirrored_order(xs, ys, a, half, packed, spare, fan, level)
        # The line points up and turns counter-clockwise; `left` is its weight if its left side is positive.
        others, key_a, on_a = total - points[ia, 2] - points[ia, 3], keys[ia], base + points[ia, 3]
        left, left_key = 0.0, np.uint64(0)
        for c in fan:
            left += points[items[c], 3 if half[c] > 0 else 2]
            left_key ^= keys[items[c]] if half[c] > 0 else np.uint64(0)
        start = 0
        while start < k - 1:
            b = fan[start]
            side = side_in_box(ia, items[b], x, y, points, order, aspect, chart, up, box)
            certain, side = abs(side) == 1, np.sign(side)
            left_positive = side == half[b]
            after, after_key, on, on_key = left, left_key, 0.0, np.uint64(0)
            end = start
            while end == start or (end < k - 1 and level[end]):
                c = fan[end]
                ic = items[c]
                gain = points[ic, 2] - points[ic, 3]
                after += gain if half[c] > 0 else -gain
                after_key ^= keys[ic]
                # On the line it is positive, whichever side it comes from.
                on -= gain if (half[c] > 0) != left_positive else 0.0
                on_key ^= keys[ic] if (half[c] > 0) != left_positive else np.uint64(0)
                end += 1
            for turn in range(-1, 2):
                weight, its_key = (after, after_key) if turn > 0 else (left, left_key)
                if not left_positive:
                    weight, its_key = others - weight, its_key ^ key_all ^ key_a
                if turn == 0:
                    weight, its_key = weight + on, its_key ^ on_key
                weight, its_key = on_a + weight, key ^ key_a ^ its_key
                if side == 0 or weight > limit:
                    continue
                if certain or predicts(here[a], here[b], side, turn, its_key, x, y, order, keys):
                    least = min(least, weight)
                    found, weights, hashes, count = _note(
                        found, weights, hashes, count, here[a], here[b], side, turn, weight, its_key
                    )
            left, left_key = after, after_key
            start = end
    return least, found, weights, hashes, count
