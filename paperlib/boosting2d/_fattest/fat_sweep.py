"""The sweep about each centre, with the margins of the optimal lines (Lemma 2.14, Theorem 2.13)."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib._common.stable_sort import sort_by
from paperlib.boosting2d._fattest.turning_hulls import (
    AHEAD_COMING,
    AHEAD_LEAVING,
    BEHIND_COMING,
    BEHIND_LEAVING,
    Pairs,
    distance,
    no_hulls,
    pop,
    push,
)
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.boosting2d._search.angular_sweep import _group_end, _left_weight, _pass_group
from paperlib.boosting2d._search.witness import grown, grown_rows

TIED = 4e-12  # relative; widths closer than this are compared anew, exactly
_CROWDED = 4096  # candidates from which on those that are too narrow by now are removed


class Sample(NamedTuple):
    """Locations as the sweep takes them.

    Attributes
    ----------
    x, y : ndarray of shape (n,)
        For exact predicates.
    px, py : ndarray of shape (n,)
        The same, both axes in one unit: for distances.
    wp, wn : ndarray of shape (n,)
        The weight of each class; centres are those with `wp` above zero.
    ahead, behind : ndarray of shape (n,), bool
        Which locations count for the margin if they are predicted positive, or negative.
    keys : ndarray of shape (n,), uint64
        Random: sets are told apart by the exclusive or of those predicted positive.
    """

    x: np.ndarray
    y: np.ndarray
    px: np.ndarray
    py: np.ndarray
    wp: np.ndarray
    wn: np.ndarray
    ahead: np.ndarray
    behind: np.ndarray
    keys: np.ndarray


class Widest(NamedTuple):
    """The widest gaps that were met, in the first `size` rows of arrays that grow.

    Attributes
    ----------
    witnesses : ndarray of shape (m, 4), int64
    widths : ndarray of shape (m,)
        Not below the width of the gap, and above it by rounding alone.
    keys : ndarray of shape (m,), uint64
    size : int
    known : float
        Some optimal line has a gap of this width.
    pairs : Pairs
        What the last gap that was too narrow was refuted by: others that it spans are too narrow, too.
    asked : int
        How often a distance had to be found.
    """

    witnesses: np.ndarray
    widths: np.ndarray
    keys: np.ndarray
    size: int
    known: float
    pairs: Pairs
    asked: int


class _Fan(NamedTuple):
    """The other locations about a centre, sorted; `place` is where each of them stands in `order`.

    `reach` takes distances.
    """

    order: np.ndarray
    half: np.ndarray
    level: np.ndarray
    place: np.ndarray
    reach: np.ndarray


class _At(NamedTuple):
    """Where the line stands.

    Before ``order[start]`` at turn -1, on the group from `start` up to `end` at 0, past it at 1. The `key` is
    that of what it predicts positive.
    """

    a: int
    start: int
    end: int
    turn: int
    key: np.uint64


@jit
def nothing_wide():
    """Return a `Widest` without a gap."""
    pairs = Pairs(-1, -1, -1, -1, 0.0, np.inf)
    return Widest(
        np.empty((64, 4), dtype=np.int64), np.empty(64), np.empty(64, dtype=np.uint64), 0, 0.0, pairs, 0
    )


@jit
def fat_sweep(sample, about, limit, widest):
    """Turn a line about each of some centres, and compare the gaps of the optimal ones.

    Parameters
    ----------
    sample : Sample
    about : ndarray of shape (n,), bool
        The centres.
    limit : float
        Lines of at most this weight are optimal.
    widest : Widest
        Of the centres before.

    Returns
    -------
    widest : Widest
        Every separator set of a line through a centre is in it, unless its gap is narrower than that of
        another one by more than the share `TIED`; sets that split no points are left out.
    steps : int
        Steps of the sorts about the centres, as of `mirrored_order`; points that a line passed, that were
        compared or moved in a chain or looked up there.
    """
    x, y = sample.x, sample.y
    n = len(x)
    hulls = no_hulls(x, y)
    half, place = np.ones(n, dtype=np.int64), np.full(n, -1)
    packed, spare = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=np.bool_)
    fan = _Fan(order, half, level, place, np.empty(n))
    steps = 0
    for a in range(n):
        if not about[a]:
            continue
        hear(100 * n)
        steps += mirrored_order(x, y, a, half, packed, spare, order, level)
        _by_distance(sample, a, fan)
        for i in range(n):
            hulls.dx[i], hulls.dy[i] = sample.px[i] - sample.px[a], sample.py[i] - sample.py[a]
        for _ in range(2):  # first with the left side positive, then with the right one
            if _least_weight(sample, a, fan) <= limit:
                widest = _turn_about(sample, a, fan, hulls, limit, widest)
                steps += n - 1
            # The other half is to the left of the line turned over; the second time undoes this.
            half *= -1
        steps += 4 * (n - 1)  # weighed once and passed once, for either side
    return widest, steps + hulls.sizes[4]


@jit
def _by_distance(sample, a, fan):
    """Sort each group of level locations by their distance from a, and note where each stands."""
    order, level, reach = fan.order, fan.level, fan.reach
    start = 0
    while start < len(order):
        end = _group_end(level, start)
        if end - start > 1:
            for i in range(start, end):
                c = order[i]
                # All are on one line through a, where this orders as the distance does.
                reach[c] = abs(sample.px[c] - sample.px[a]) + abs(sample.py[c] - sample.py[a])
            sort_by(reach, order[start:end])
        start = end
    for i in range(len(order)):
        fan.place[order[i]] = i


@jit
def _least_weight(sample, a, fan):
    """Return the least weight of the lines through a whose left side is positive."""
    wp, wn = sample.wp, sample.wn
    weight = _left_weight(fan.order, fan.half, wp, wn)
    least, start = weight, 0
    while start < len(fan.order):
        end = _group_end(fan.level, start)
        # What would need `others`, the weight with a positive right side, is not used.
        weight, on_line, _ = _pass_group(fan.order, fan.half, wp, wn, start, end, weight, 0.0)
        least = min(least, weight, on_line)
        start = end
    return least + wn[a]


@jit
def _turn_about(sample, a, fan, hulls, limit, widest):
    """Turn the line that points up where `half` is 1, its left side positive, past all other locations."""
    order, half = fan.order, fan.half
    wp, wn = sample.wp, sample.wn
    weight, key = _left_weight(order, half, wp, wn), sample.keys[a]
    others = wp.sum() + wn.sum() - wp[a] - wn[a]
    bound = limit - wn[a]
    # Empties the stacks; the steps in the fifth entry are summed over all centres.
    hulls.sizes[:4] = 0
    # Backwards: what the line passes first has to be on top of its stack.
    for i in range(len(order) - 1, -1, -1):
        c = order[i]
        if half[c] > 0:
            key ^= sample.keys[c]
            if sample.ahead[c]:
                push(hulls, AHEAD_LEAVING, c)
        elif sample.behind[c]:
            push(hulls, BEHIND_LEAVING, c)
    start = 0
    while start < len(order):
        end = _group_end(fan.level, start)
        # Before the other groups the line is the one past the group before.
        if start == 0 and weight <= bound:
            widest = _compare(sample, fan, hulls, _At(a, 0, 0, -1, key), widest)
        weight, on_line, _ = _pass_group(order, half, wp, wn, start, end, weight, others)
        for i in range(start, end):  # onto the line: what lies there is ahead
            c = order[i]
            if half[c] < 0:
                key ^= sample.keys[c]
                if sample.ahead[c]:
                    push(hulls, AHEAD_COMING, c)
                if sample.behind[c]:
                    pop(hulls, BEHIND_LEAVING, c)
        if end - start > 1 and on_line <= bound:
            widest = _compare(sample, fan, hulls, _At(a, start, end, 0, key), widest)
        for i in range(start, end):  # past the line
            c = order[i]
            if half[c] > 0:
                key ^= sample.keys[c]
                if sample.ahead[c]:
                    pop(hulls, AHEAD_LEAVING, c)
                if sample.behind[c]:
                    push(hulls, BEHIND_COMING, c)
        if weight <= bound:
            widest = _compare(sample, fan, hulls, _At(a, start, end, 1, key), widest)
        start = end
    return widest


@jit
def _are_apart(pairs, fan, at):
    """Return whether the line has both pairs of points on their sides."""
    if pairs.p < 0:
        return False
    # On the line a group is ahead as a whole: above none has left yet, and below all have come.
    passed = at.start if at.turn == 0 else at.end
    for c in (pairs.p, pairs.q):
        place = fan.place[c]
        if c != at.a and not (place >= passed if fan.half[c] > 0 else place < at.end):
            return False
    for c in (pairs.r, pairs.s):
        place = fan.place[c]
        if c == at.a or not (place < passed if fan.half[c] > 0 else place >= at.end):
            return False
    return True


@jit
def _compare(sample, fan, hulls, at, widest):
    """Note the gap of the line if it may be the widest."""
    enough = widest.known * (1.0 - TIED)
    if widest.pairs.most < enough and _are_apart(widest.pairs, fan, at):
        return widest
    b = fan.order[at.start]
    line_x, line_y = fan.half[b] * hulls.dx[b], fan.half[b] * hulls.dy[b]
    pairs = distance(hulls, at.a, line_x, line_y, enough)
    witnesses, widths, keys, size, known, _, asked = widest
    if pairs.most < enough:
        return Widest(witnesses, widths, keys, size, known, pairs, asked + 1)
    for i in range(size - 1, max(size - 8, -1), -1):  # it is met again, mostly
        if keys[i] == at.key:
            return Widest(witnesses, widths, keys, size, known, widest.pairs, asked + 1)
    witnesses, widths = grown_rows(witnesses, size, size + 1), grown(widths, size, size + 1)
    keys = grown(keys, size, size + 1)
    witnesses[size, 0], witnesses[size, 1] = at.a, b
    witnesses[size, 2], witnesses[size, 3] = fan.half[b], at.turn
    widths[size], keys[size] = pairs.most, at.key
    known = max(known, pairs.least)
    widest = Widest(witnesses, widths, keys, size + 1, known, widest.pairs, asked + 1)
    return _thinned(widest) if size + 1 == len(widths) and size >= _CROWDED else widest


@jit
def _thinned(widest):
    """Keep one of each set whose gap may be the widest."""
    witnesses, widths, keys, size, known, pairs, asked = widest
    order = np.arange(size)
    sort_by(keys, order)
    kept = np.zeros(size, dtype=np.bool_)
    for n in range(size):
        i = order[n]
        kept[i] = widths[i] >= known * (1.0 - TIED) and (n == 0 or keys[order[n - 1]] != keys[i])
    count = 0
    for i in range(size):
        if kept[i]:
            witnesses[count], widths[count], keys[count] = witnesses[i], widths[i], keys[i]
            count += 1
    return Widest(witnesses, widths, keys, count, known, pairs, asked)
