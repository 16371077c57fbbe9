"""Optimal separator sets in the order of their margins."""

from typing import Any, NamedTuple

import numpy as np

from paperlib.boosting2d._fattest import fat_boxes
from paperlib.boosting2d._fattest.fat_sweep import TIED, Sample, fat_sweep, nothing_wide
from paperlib.boosting2d._geometry.gaps import shortest_vector_among
from paperlib.boosting2d._search.witness import distinct_sets

_SAME = 1e-12  # relative; margins as close as this tie
# In nanoseconds of a machine on which it was measured once; what matters are ratios.
_PER_SET, _PER_POINT = 200_000, 20  # to compare one set's margin: for each set, and for each of its locations
_SET_UP, _PER_PASS = 1_000_000, 200  # of the sweep: once, and for each centre and location
_PER_BOXED = 10  # for each time that a point is held against a box
_SHARE = 0.25  # of the sweep's time that the boxes may take before the sweep takes over
_FIRST = 30  # sets that are compared to begin with
_PART = 100_000_000  # between two looks at the clock


class Ranked(NamedTuple):
    """Optimal sets, the fattest first.

    Attributes
    ----------
    sets : OptimalSets
        As they were given, and the fattest ones where these were not among them.
    order : ndarray of int64
        Numbers of all sets: those whose margin is known by falling margin, then the others.
    gaps : dict
        For the number of a set the unit normal and the margin, as of `gap_of`.
    finished : bool
        Whether the first of them has the largest margin of all.
    """

    sets: Any
    order: np.ndarray
    gaps: dict
    finished: bool


def gap_of(places, side, flip, guess=None):
    """Return the unit normal (None if all is on one side) and the margin of one partition of locations."""
    ahead = side if flip else side & (places.wp > 0)
    behind = ~side if flip else ~side & (places.wn > 0)
    if not ahead.any() or not behind.any():
        return None, np.inf
    # None where coordinates that count as zero were all that kept them apart.
    return shortest_vector_among(places.points, ahead, behind, guess) or (None, 0.0)


def ranked(places, sets, slack, flip, method, deadline):
    """Order optimal sets by their margins, the fattest of all first (Theorem 2.13).

    Few sets are compared one by one. Where there are many, or more than could be listed, the gaps of all
    optimal lines are compared by `fat_boxes`, or by `fat_sweep` where these take long.

    Parameters
    ----------
    places : Locations
    sets : OptimalSets
    slack : float
        Weights as close as this tie.
    flip : bool
        Whether misclassified points count, with their classes flipped.
    method : str
        ``"sweep"`` and ``"pairs"`` leave out the boxes.
    deadline : Deadline

    Returns
    -------
    Ranked
    """
    n = len(places.x)
    one_by_one = len(sets.packed) * (_PER_SET + _PER_POINT * n)
    by_sweep = _SET_UP + _PER_PASS * n * np.count_nonzero(places.wn if sets.swapped else places.wp)
    # In lexicographic order these can only be the first and the last.
    alike = [i for i in (0, len(sets.packed) - 1) if sets.side(i).all() or not sets.side(i).any()]
    finished = sets.finished
    if alike:  # the margin of these is infinite
        compared = np.unique(alike)
    elif not finished or (sets.complete and one_by_one <= by_sweep):
        compared = np.arange(len(sets.packed))
    else:
        packed, finished = _widest(places, sets, slack, flip, method, deadline)
        sets, compared = _joined(sets, packed)
    gaps, normal = {}, None
    for i in compared:
        gaps[int(i)] = normal, _ = gap_of(places, sets.side(i), flip, normal)
        if not sets.finished and deadline.is_over():
            break
    compared, margins = np.array(list(gaps)), np.array([margin for _, margin in gaps.values()])
    # Ties count as equal, so that rounding does not decide which set is first.
    tied = margins >= margins.max() * (1.0 - _SAME)
    first = compared[np.argsort(-np.where(tied, margins.max(), margins), kind="stable")]
    order = np.concatenate([first, np.setdiff1d(np.arange(len(sets.packed)), first)])
    return Ranked(sets, order, gaps, finished)


def sample_of(places, swapped, flip):
    """Return locations as `fat_sweep` takes them, and the power of two that its widths have as their unit."""
    n, every = len(places.x), np.ones(len(places.x), dtype=bool)
    wp, wn = (places.wn, places.wp) if swapped else (places.wp, places.wn)
    exponent = int(np.frexp(np.abs(places.points).max())[1])
    px, py = np.ldexp(places.points, -exponent).T.copy()
    keys = np.random.default_rng(0).integers(2**64, size=n, dtype=np.uint64)
    ahead, behind = (every, every) if flip else (wp > 0, wn > 0)
    return Sample(places.x, places.y, px, py, wp, wn, ahead, behind, keys), exponent


def _widest(places, sets, slack, flip, method, deadline):
    """Return the partitions that may have the widest gap (s, bytes), and whether all lines were compared."""
    sample, exponent = sample_of(places, sets.swapped, flip)
    limit, packed, finished = sets.weight + slack, sets.packed[:0], False
    if method not in ("sweep", "pairs"):
        # Some of the sets give a first width; boxes without a gap as wide are dropped at once.
        some = np.unique(np.linspace(0, len(sets.packed) - 1, _FIRST).astype(np.int64))
        known = max(gap_of(places, sets.side(i), flip)[1] for i in some)
        width = np.ldexp(2.0 * known, -exponent) * (1.0 - _SAME)
        packed, finished = _by_boxes(sample, flip, limit, width, deadline)
    if not finished and not deadline.is_over():
        packed, finished = _by_sweep(sample, limit, deadline)
    return packed if len(packed) else sets.packed[:1], finished


def _by_boxes(sample, flip, limit, known, deadline):
    """As `_widest`; it may end before all lines were compared, where the sweep would be quicker."""
    n = len(sample.x)
    boxes = fat_boxes.start(sample, known)
    sweep = _SET_UP + _PER_PASS * n * np.count_nonzero(sample.wp)
    most = int(_SHARE * sweep / _PER_BOXED)
    while boxes.size and boxes.judged < most and not (boxes.judged and deadline.is_over()):
        until = min(most, boxes.judged + _PART // _PER_BOXED)
        boxes = fat_boxes.search(sample, boxes, flip, limit, until)
    gaps = boxes.gaps
    wide = np.flatnonzero(gaps.widths[: gaps.size] >= gaps.known * (1.0 - TIED))
    _, first = np.unique(gaps.keys[wide], return_index=True)
    return np.packbits(gaps.sides[wide[first]], axis=1), boxes.size == 0


def _by_sweep(sample, limit, deadline):
    """As `_widest`."""
    n, centres = len(sample.x), np.flatnonzero(sample.wp > 0)
    widest, done, size = nothing_wide(), 0, max(1, _PART // (_PER_PASS * n))
    while done < len(centres) and not (done and deadline.is_over()):
        about = np.zeros(n, dtype=bool)
        about[centres[done : done + size]] = True
        widest, _ = fat_sweep(sample, about, limit, widest)
        done += size
    wide = np.flatnonzero(widest.widths[: widest.size] >= widest.known * (1.0 - TIED))
    _, first = np.unique(widest.keys[wide], return_index=True)
    packed = np.empty((0, (n + 7) // 8), dtype=np.uint8)
    if len(first):
        packed = distinct_sets(sample.x, sample.y, widest.witnesses[wide[first]])[1]
    return packed, done >= len(centres)


def _joined(sets, packed):
    """Add partitions to `sets`; return all of them, and the numbers that these have now."""
    as_one = f"V{sets.packed.shape[1]}"
    every = np.unique(np.concatenate([sets.packed, packed]).view(as_one)[:, 0])
    first = np.searchsorted(every, sets.packed[sets.first].view(as_one)[0])
    numbers = np.searchsorted(every, packed.view(as_one)[:, 0])
    rows = every.view(np.uint8).reshape(len(every), -1)
    return sets._replace(packed=rows, first=int(first)), np.sort(numbers)
