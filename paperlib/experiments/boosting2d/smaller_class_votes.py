"""The sets that decide about the points that are left out, each once, and what their fat lines have right.

About each centre the classes of lines are gone through once, with a key of what each predicts: a set is met
from several centres, and counts when it is met first. Its fat line is found in `range_hulls`.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._search.witness import grown_rows
from paperlib.experiments.boosting2d.range_hulls import (
    Places,
    Range,
    RangeHulls,
    build,
    empty_hulls,
    fat_line,
    top,
)
from paperlib.experiments.boosting2d.windows import OTHER, OWN, fan_about, scratch, window

FREE, NOTHING, IN_DOUBT = -3, -1, -2  # of `Votes.right`
RIGHT, SUPPORTS = 0, 1  # of `Votes.about`: what the set has right, and what supports its fat line


class Votes(NamedTuple):
    """The sets that vote.

    Attributes
    ----------
    table, right : ndarray of shape (size,)
        Keys of the sets by hashing; and the point whose weight is all that a set has above the least, which
        it holds, and which the fat line of what it leaves has right. There is at most one (Lemma 3.10).
    holding : ndarray of shape (2, k), int64
        How many of the sets hold each class at a location, and are as heavy as wanted for that.
    touching : ndarray of shape (t, 3), uint64
        Of the optimal sets: a point that supports the fat line; the key of the set with it; 1 if the fat line
        without it misclassifies it, 2 where rounding leaves that open.
    doubtful : ndarray of shape (d, k), bool
        What is predicted by sets of which rounding leaves something open, and
    about : ndarray of shape (d, 2), uint64
        the key of such a set, and what is open: `RIGHT`, `SUPPORTS`, or a row of `touching`, plus two.
    sizes : ndarray of shape (4,), int64
        Sets, optimal ones, rows of `touching`, rows of `doubtful`.
    """

    table: np.ndarray
    right: np.ndarray
    holding: np.ndarray
    touching: np.ndarray
    doubtful: np.ndarray
    about: np.ndarray
    sizes: np.ndarray


class Sides(NamedTuple):
    """The hulls of both classes about a centre.

    Attributes
    ----------
    places : Places
    own, other : RangeHulls
    start : ndarray of shape (2, 2 k + 1), int64
        How many points of a class are before each direction.
    position : ndarray of shape (2, k), int64
        Of each point in its class, by direction.
    extent : ndarray of shape (1,)
        The largest coordinate about the centre.
    """

    places: Places
    own: RangeHulls
    other: RangeHulls
    start: np.ndarray
    position: np.ndarray
    extent: np.ndarray


@jit
def slot_of(table, right, key):
    """Return where a key is in the table, or else where it may be put."""
    # Keys are random bits, the low ones a hash. It ends: `_with_room` leaves half of the slots free.
    slot = np.int64(key & np.uint64(len(table) - 1))
    while right[slot] != FREE and table[slot] != key:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@jit
def _with_room(votes):
    """Return `Votes` whose table is at most half full."""
    table, right = votes.table, votes.right
    if 2 * votes.sizes[0] < len(table):
        return votes
    keys, found = np.empty(2 * len(table), dtype=np.uint64), np.full(2 * len(table), FREE)
    for k in range(len(table)):
        if right[k] != FREE:
            slot = slot_of(keys, found, table[k])
            keys[slot], found[slot] = table[k], right[k]
    _, _, holding, touching, doubtful, about, sizes = votes
    return Votes(keys, found, holding, touching, doubtful, about, sizes)


@jit
def collect_votes(sample, wanted, need, votes, every):
    """Find the sets of the wanted weights, each once, and what their fat lines have right.

    Parameters
    ----------
    sample : Sample
    wanted : ndarray of shape (s,)
        Sorted; the first is the least weight of all.
    need : ndarray of shape (2, k), int64
        Which of them a set must have to count for a class at a location; -1 for none.
    votes : Votes
        With the sets that no line is needed for.
    every : bool
        Ask the fat lines of all sets, whatever they weigh: for the work of the worst case.

    Returns
    -------
    Votes
    steps : int
        As of `lightest_holding`, and points compared, moved or looked up in the hulls.
    """
    n, steps = len(sample.x), 0
    fan, own, other = scratch(n), empty_hulls(n), empty_hulls(n)
    places = Places(sample.x, sample.y, np.empty(n), np.empty(n))
    whole = np.empty((4, 2 * n + 1), dtype=np.int64)
    sides = Sides(places, own, other, whole[:2], whole[2:, :n], np.zeros(1))
    found, counts = np.empty(4 * n, dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    for a in range(n):
        if sample.weights[OWN, a] == 0.0 or n == 1:
            continue
        groups, work = fan_about(sample, a, fan)
        votes, met, looked = _new_sets(sample, a, groups, fan, sides, wanted, found, votes, every)
        steps += work + looked
        if met:
            steps += _count(sample, a, groups, fan, found, need, counts, votes.holding)
    return votes, steps + own.counters[1] + other.counters[1]


@jit
def _new_sets(sample, a, groups, fan, sides, wanted, found, votes, every):
    """Go through the classes about a centre; fill `found`: the weight of each that is met for the first time.

    As an index into `wanted`; -1 of the others. Returns the `Votes`, how many were met, and the steps taken.
    """
    key, met, steps, first, end = sample.keys[a], 0, 0, 0, 0
    ring, at, size = fan.ring, fan.at, len(fan.ring)
    # On the left of the class before the first are the first g directions.
    while end < size and at[ring[end]] < groups:
        key ^= sample.keys[ring[end]]
        end += 1
    # What is on the line counts as left of it: it enters when the line comes onto it, not past it.
    for q in range(4 * groups):
        if q % 2 == 0:  # onto the line
            while end < 2 * size and at[ring[end % size]] + 2 * groups * (end // size) == q // 2 + groups:
                key ^= sample.keys[ring[end % size]]
                end += 1
        else:  # past it
            while first < size and at[ring[first]] == q // 2:
                key ^= sample.keys[ring[first]]
                first += 1
        found[q] = -1
        # Equal to the last bit, for sums are exact.
        index = np.searchsorted(wanted, fan.weights[q])
        is_wanted = index < len(wanted) and wanted[index] == fan.weights[q]
        if not is_wanted and not every:
            continue
        steps += 1
        votes = _with_room(votes)
        slot = slot_of(votes.table, votes.right, key)
        if votes.right[slot] != FREE:
            continue
        # To make the hulls takes longer than the turn: only a centre with a new set needs them.
        if met == 0:
            _place_hulls(sample, a, groups, fan, sides)
        met += 1
        found[q] = index if is_wanted else -1
        votes.table[slot], votes.right[slot] = key, NOTHING
        votes.sizes[0] += 1
        votes = _judge(sample, a, groups, q, fan, sides, slot, wanted[0], votes, every)
        if votes.right[slot] == IN_DOUBT and is_wanted:
            votes = _doubtful(sample, a, q, groups, fan, key, RIGHT, votes)
    return votes, met, steps


@jit
def _place_hulls(sample, a, groups, fan, sides):
    """Make the hulls of both classes about a centre."""
    places, start, position = sides.places, sides.start, sides.position
    for i in range(len(sample.x)):
        places.px[i], places.py[i] = sample.px[i] - sample.px[a], sample.py[i] - sample.py[a]
    sides.extent[0] = max(np.abs(places.px).max(), np.abs(places.py).max())
    for kind in (OWN, OTHER):
        hulls, count, direction = sides.own if kind == OWN else sides.other, 0, 0
        for b in fan.ring:
            while direction <= fan.at[b]:
                start[kind, direction] = count
                direction += 1
            if sample.weights[kind, b] > 0.0:
                position[kind, b] = count
                hulls.chains[0, 0, count] = b
                count += 1
        start[kind, direction : 2 * groups + 1] = count
        hulls.counters[0] = count
        build(places, hulls)


@jit
def _range(sides, kind, groups, first, end, extra):
    """Return a class's points in the directions from `first` up to `end`, which go on behind the last."""
    start, count, turn = sides.start[kind], sides.start[kind, 2 * groups], 2 * groups
    begin = start[first % turn] + count * (first // turn)
    return Range(begin, start[end % turn] + count * (end // turn), -1, extra)


@jit
def _judge(sample, a, groups, q, fan, sides, slot, least, votes, every):
    """Ask the fat line of what a set leaves about the points that it may show to be right, or wrong."""
    # The directions on the line or left of it, for even and odd q.
    first, end, turn = (q + 1) // 2, q // 2 + groups + 1, 2 * groups
    places, own, other, key = sides.places, sides.own, sides.other, votes.table[slot]
    # With the centre `ahead` is never empty; the other class's points at the centre stay wrong.
    ahead = _range(sides, OWN, groups, first, end, a)
    behind = _range(sides, OTHER, groups, end, first + turn, -1)
    extent = sides.extent[0]
    line = fat_line(places, own, ahead, other, behind, extent)
    more = fan.weights[q] - least
    if more > 0.0 or every:
        # If the point of weight `more` is right, no other of the set is (Lemma 3.10): the top ones tell.
        b = top(places, own, _range(sides, OWN, groups, end, first + turn, -1), line.fx, line.fy)
        c = top(places, other, _range(sides, OTHER, groups, first, end, -1), -line.fx, -line.fy)
        by_b = -np.inf if b < 0 else places.px[b] * line.fx + places.py[b] * line.fy - line.height
        by_c = -np.inf if c < 0 else line.height - places.px[c] * line.fx - places.py[c] * line.fy
        by, c = (by_b, b) if by_b > by_c else (by_c, c)
        if by > line.doubt:
            if sample.alone[c] and sample.weights[:, c].sum() == more:
                votes.right[slot] = c
        elif by >= -line.doubt:
            votes.right[slot] = IN_DOUBT
    if more > 0.0 and not every:
        return votes
    votes.sizes[1] += more == 0.0
    if line.gap <= line.doubt:  # another point may support the line, and turn it by more than its margin
        return _doubtful(sample, a, q, groups, fan, key, SUPPORTS, votes) if more == 0.0 else votes
    supports = (line.p, line.q, line.r, line.s)
    for k in range(4):
        c = supports[k]
        if c < 0 or not sample.alone[c] or (k % 2 == 1 and c == supports[k - 1]):
            continue
        wrong = 0
        # A point of the centres' class is wrong without itself only if the set with it is listed (Lemma 3.5);
        # that set's line then decides, and not this row.
        if k >= 2:
            out = sides.position[OTHER, c]
            out += other.counters[0] if out < behind.begin else 0
            rest = Range(behind.begin, behind.end, out, -1)
            line = fat_line(places, own, ahead, other, rest, extent)
            by = line.height - places.px[c] * line.fx - places.py[c] * line.fy
            wrong = 0 if by > line.doubt else 1 if by < -line.doubt else 2
        # With `every`, a heavier set has its lines found for the work alone.
        if more > 0.0:
            continue
        table, right, holding, touching, doubtful, about, sizes = votes
        row = sizes[2]
        touching = grown_rows(touching, row, row + 1)
        touching[row, 0], touching[row, 1] = np.uint64(c), key ^ sample.keys[c]
        touching[row, 2] = np.uint64(wrong)
        sizes[2] += 1
        votes = Votes(table, right, holding, touching, doubtful, about, sizes)
        if wrong == 2:
            votes = _doubtful(sample, a, q, groups, fan, key, row + 2, votes)
    return votes


@jit
def _doubtful(sample, a, q, groups, fan, key, what, votes):
    """Note a set of which rounding leaves something open."""
    table, right, holding, touching, doubtful, about, sizes = votes
    size = sizes[3]
    doubtful, about = grown_rows(doubtful, size, size + 1), grown_rows(about, size, size + 1)
    doubtful[size, a] = True
    for b in fan.ring:
        doubtful[size, b] = (2 * fan.at[b] - q) % (4 * groups) <= 2 * groups
    about[size, 0], about[size, 1] = key, np.uint64(what)
    sizes[3] += 1
    return Votes(table, right, holding, touching, doubtful, about, sizes)


@jit
def _count(sample, a, groups, fan, found, need, counts, holding):
    """Add the sets about a centre that are met for the first time to those that hold each location.

    `counts` is zero before and after, for each of the wanted weights. Returns the steps taken.
    """
    size, steps = 4 * groups, 0
    for kind in (OWN, OTHER):
        begin, length = window(groups, kind)
        entered, left = begin, begin
        for b in fan.ring:  # by direction, so that the window only moves on
            if need[kind, b] < 0:
                continue
            # The window may jump: classes that it never reached pass both ends at once.
            while left < begin + 2 * fan.at[b]:
                if entered == left:
                    entered += 1
                elif found[left % size] >= 0:
                    counts[found[left % size]] -= 1
                left += 1
                steps += 1
            while entered < left + length:
                if found[entered % size] >= 0:
                    counts[found[entered % size]] += 1
                entered += 1
                steps += 1
            holding[kind, b] += counts[need[kind, b]]
        counts[:] = 0
        steps += len(counts)
    # On every line about a the other class's points at a are wrong.
    for q in range(size if need[OTHER, a] >= 0 else 0):
        holding[OTHER, a] += found[q] == need[OTHER, a]
    return steps
