"""Theorem 2.3: the best line by a sweep around every positive location, in O(m n log n)."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.boosting2d._search.witness import grown_rows


class _Fan(NamedTuple):
    """The other locations sorted about a centre, and scratch: arguments of `mirrored_order`."""

    half: np.ndarray
    packed: np.ndarray
    spare: np.ndarray
    order: np.ndarray
    level: np.ndarray


def _fan(n):
    """Return a `_Fan` for n locations. A kernel would take a second to compile for its arrays alone."""
    half, packed, spare = (
        np.ones(n, dtype=np.int64),
        np.empty(n, dtype=np.uint64),
        np.empty(n, dtype=np.uint64),
    )
    return _Fan(half, packed, spare, np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=bool))


def _total(wp, wn):
    """Return the sum of all weights, added one by one as the sweeps do it."""
    return float(np.cumsum(wp)[-1] + np.cumsum(wn)[-1])


@jit
def _left_weight(order, half, wp, wn):
    """Return the misclassified weight, but a's own, of the line before all groups, its left side positive."""
    weight = 0.0
    for b in order:
        weight += wn[b] if half[b] > 0 else wp[b]
    return weight


@jit
def _group_end(level, start):
    """Return where the group of level locations that begins at `start` ends."""
    end = start + 1
    while end < len(level) and level[end]:
        end += 1
    return end


@jit
def _pass_group(order, half, wp, wn, start, end, weight, others):
    """Pass a group of level locations with the line.

    Returns the weights, for a positive left side, with the line past the group and with the line on it; and
    the latter for a positive right side. Past the group the two sides' weights add up to `others`.
    """
    after, on_left, on_right = weight, weight, others - weight
    for k in range(start, end):
        b = order[k]
        gain = wp[b] - wn[b]
        if half[b] > 0:
            after += gain
            on_right -= gain
        else:
            after -= gain
            on_left -= gain
    return after, on_left, on_right


def sweep(x, y, wp, wn):
    """Find the least misclassified weight over the lines through each centre, as `sweep_about` does."""
    return sweep_about(x, y, wp, wn, wp > 0)


def sweep_about(x, y, wp, wn, about):
    """Find the least misclassified weight over the lines through each of some centres (Lemma 2.6).

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Distinct locations.
    wp, wn : ndarray of shape (n,)
        Weight of the positive and of the negative points at each.
    about : ndarray of shape (n,), bool
        The centres. By Lemma 2.5 a location without positive points need not be one.

    Returns
    -------
    lowest : ndarray of shape (n,)
        ``inf`` for a location that is no centre. Lines that predict all locations alike are not counted.
    judged : int
        Steps of the sorts about the centres, as of `mirrored_order`, and points that were weighed for the
        first line about one or passed by the next ones.
    """
    lowest = np.full(len(x), np.inf)
    return lowest, _sweep_about(x, y, wp, wn, about, _total(wp, wn), _fan(len(x)), lowest)


@jit
def _sweep_about(x, y, wp, wn, about, total, fan, lowest):
    """Fill `lowest`, and return how many were judged."""
    n, judged = len(x), 0
    half, packed, spare, order, level = fan
    for a in range(n):
        if not about[a] or n == 1:
            continue
        hear(20 * n)
        judged += mirrored_order(x, y, a, half, packed, spare, order, level)
        others = total - wp[a] - wn[a]
        weight = _left_weight(order, half, wp, wn)
        # `weight` is of the line between the groups before `start` and those after, with its left side
        # positive. With its right side positive it weighs the rest of `others`, least where this is most.
        least, most = weight, weight
        start = 0
        while start < n - 1:
            end = _group_end(level, start)
            weight, on_left, on_right = _pass_group(order, half, wp, wn, start, end, weight, others)
            judged += end - start
            least = min(least, weight)
            most = max(most, weight)
            # A single location on the line is predicted as it is just before or just past it.
            if end - start > 1:
                least = min(least, on_left, on_right)
            start = end
        judged += n - 1
        # The centre, being on the line, is predicted positive (Definition 2.4).
        lowest[a] = min(least, others - most) + wn[a]
    return judged


@jit
def _append(found, size, a, b, side, turn):
    found = grown_rows(found, size, size + 1)
    found[size, 0], found[size, 1], found[size, 2], found[size, 3] = a, b, side, turn
    return found


def collect(x, y, wp, wn, lowest, limit, most):
    """Write down the lines of weight at most `limit`.

    Parameters
    ----------
    x, y, wp, wn : ndarray of shape (n,)
        As in `sweep`.
    lowest : ndarray of shape (n,)
        As `sweep` returned it; only centres with ``lowest <= limit`` are looked at again.
    limit : float
    most : int
        Stop after this many.

    Returns
    -------
    ndarray of shape (k, 4), int64
        Witnesses; every separator set of a line through a centre appears, some of them several times.
    """
    found = np.empty((64, 4), dtype=np.int64)
    found, size = _collect(x, y, wp, wn, lowest, limit, most, _total(wp, wn), _fan(len(x)), found)
    return found[: min(size, most)].copy()


@jit
def _collect(x, y, wp, wn, lowest, limit, most, total, fan, found):
    n, size = len(x), 0
    half, packed, spare, order, level = fan
    for a in range(n):
        if lowest[a] == np.inf or lowest[a] > limit or size >= most:
            continue
        hear(20 * n)
        mirrored_order(x, y, a, half, packed, spare, order, level)
        others = total - wp[a] - wn[a]
        # As in `_sweep_about`, the negative points at the centre are wrong for all its lines.
        bound = limit - wn[a]
        weight = _left_weight(order, half, wp, wn)
        start = 0
        while start < n - 1 and size < most:
            end = _group_end(level, start)
            before = weight
            weight, on_left, on_right = _pass_group(order, half, wp, wn, start, end, weight, others)
            b = order[start]
            # The sweep's line points up; the witness's points to b.
            for turn in (-1, 1, 0):
                left, right = weight, others - weight
                if turn < 0:
                    left, right = before, others - before
                elif turn == 0:
                    left, right = on_left, on_right
                # A single location on the line is predicted as it is just past it; before the first group
                # there is a line, and before the others it is that past the one before.
                known = start > 0 if turn < 0 else turn == 0 and end - start == 1
                for side in (half[b], -half[b]):
                    if not known and (left if side == half[b] else right) <= bound:
                        found, size = _append(found, size, a, b, side, turn), size + 1
            start = end
    return found, size
