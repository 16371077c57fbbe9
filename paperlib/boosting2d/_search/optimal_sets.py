"""All optimal separator sets of a sample, by any of the methods that find them; a time limit can end each."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from paperlib._common.deadline import NO_LIMIT
from paperlib.boosting2d._search.angular_sweep import collect, sweep_about
from paperlib.boosting2d._search.boxes import empty_bins
from paperlib.boosting2d._search.branch import (
    border_side,
    least_bound,
    on_one_line,
    open_locations,
    search,
    start,
)
from paperlib.boosting2d._search.cells import group_apart
from paperlib.boosting2d._search.leaves import all_in_line
from paperlib.boosting2d._search.pairs import pairs
from paperlib.boosting2d._search.witness import distinct_sets

ENDLESS = np.iinfo(np.int64).max
MOST_WITNESSES = 2_000_000  # that a method returns
# Of the sweep's time that branch and bound may take before the sweep takes over. Their costs are right to a
# third, so that both together need at most 1.2 times the sweep's time.
SHARE = 0.15
PER_POINT_PASSED = 38  # by the sweep, in the units of `Branch.cost`
SET_UP = 350_000  # of `Branch`, in these units: where that is more than the share, the sweep alone is faster
MANY = 100  # witnesses of finished boxes with which the sweep begins anew, about all centres
PART = 100_000_000  # of that cost, between two looks at the clock
PART_OF_SWEEP = 5_000_000  # the same for the sweep, which many points make slower by their memory
MOST_LISTED = 100_000  # lines that are turned into sets; ties beyond are not counted
MOST_BITS = 1_000_000_000  # for all the predictions of these: they cost time and memory


class Listed(NamedTuple):
    """What a method found.

    Attributes
    ----------
    weight : float
        The least; of what was met where the time was up.
    witnesses : ndarray of shape (k, 4), int64
        All separator sets up to that plus the slack, some of them several times. The two without a line count
        for the weight, and need not be among them.
    finished : bool
        Whether all lines were judged before the time was up.
    complete : bool
        Whether all were, and there was room for all sets.
    lower_bound : float
        No line weighs less.
    side : ndarray of shape (n,), bool; or None
        Which locations the best line predicts positive, where it has no witness.
    """

    weight: float
    witnesses: np.ndarray
    finished: bool
    complete: bool
    lower_bound: float
    side: Any = None


def branch(x, y, wp, wn, slack, most=MOST_WITNESSES):
    """Find the least weight, and witnesses of all separator sets of up to that plus `slack`.

    Parameters
    ----------
    x, y, wp, wn : ndarray of shape (k,)
        Distinct locations in the order of x, and the weights of each class there.
    slack : float, >= 0
    most : int
        Witnesses beyond this many are left out.

    Returns
    -------
    best : float
    witnesses : ndarray of shape (s, 4), int64
        One for each set; those without a line are left out.
    judged : int
        How often it was decided where a point lies, or a cell of points, seen from a line or a box of lines;
        and the bins that were added up.
    """
    branches = Branch(x, y, wp, wn, slack, most)
    branches.go_on()
    return branches.best, branches.witnesses(branches.best)[0], branches.judged


class Branch:
    """The search, in parts: `go_on` does some of it.

    Parameters
    ----------
    x, y, wp, wn, slack, most
        As of `branch`.
    """

    def __init__(self, x, y, wp, wn, slack, most):
        least = min(wp.sum(), wn.sum())
        self._slack, self._most = slack, most
        self._cells, base = group_apart(x, y, wp, wn)
        self._bins = empty_bins()
        self._progress: Any = start(self._cells, base, least)
        if all_in_line(self._cells):
            self._progress = self._progress._replace(depth=0)
            if len(x) > 1:
                best, found, judged = on_one_line(self._cells, base, least, slack)
                self._progress = self._progress._replace(best=best, found=found, judged=judged)

    @property
    def best(self):
        """The least weight of a line that was met."""
        return self._progress.best

    @property
    def judged(self):
        """As of `branch`."""
        return self._progress.judged + len(self._cells.order)  # it takes one look to group the points

    @property
    def cost(self):
        """As of `Progress`; 0 where there is nothing to search."""
        return self._progress.cost

    @property
    def done(self):
        """Whether no box is left that could hold a line of up to `best` plus slack."""
        return self._progress.depth == 0

    def go_on(self, until=ENDLESS):
        """Search until `cost` is at least `until`, or all is done."""
        if not self.done:
            arguments = self._slack, self._most, until, self._bins
            self._progress = search(self._cells, self._progress, *arguments)

    def lower_bound(self):
        """Return a weight that no line is below."""
        return self.best if self.done else min(self.best, least_bound(self._progress))

    def witnesses(self, best):
        """Return the witnesses (s, 4) of weight at most `best` plus slack, and whether all had room."""
        found, limit = self._progress.found, best + self._slack
        weights, hashes = found.weights[: found.size], found.hashes[: found.size]
        # Noted when `best` was higher, some are too heavy by now.
        good = np.flatnonzero(weights <= limit)
        _, first = np.unique(hashes[good], return_index=True)
        fits = self._progress.lost > limit and len(first) <= self._most
        return found.witnesses[good[np.sort(first)]][: self._most], fits

    def open_locations(self):
        """Return a mask (k,) of the locations that the lines of the boxes that are left may go through."""
        return open_locations(self._cells, self._progress, self.best + self._slack)

    def border_side(self):
        """Return which locations the line behind `best` predicts positive, (k,); None if it is no border."""
        if np.isnan(self._progress.border[0]):
            return None
        return border_side(self._cells, self._progress.border)


def by_sweep(x, y, wp, wn, slack, deadline=NO_LIMIT, most=MOST_WITNESSES):
    """`angular_sweep` as a method; arguments as in `METHODS`."""
    return _swept(x, y, wp, wn, slack, deadline, most, wp > 0, min(wp.sum(), wn.sum()))


def by_pairs(x, y, wp, wn, slack, deadline=NO_LIMIT, most=MOST_WITNESSES):
    """`pairs` as a method; arguments as in `METHODS`."""
    lowest, witnesses, judged = pairs(x, y, wp, wn, slack, deadline)
    best = min(lowest, wp.sum(), wn.sum())
    # Where predicting all alike is lighter than any line, no line is optimal.
    witnesses = witnesses[: most if lowest <= best + slack else 0]
    finished = judged == len(x) ** 2 * (len(x) - 1)
    return Listed(best, witnesses, finished, finished and len(witnesses) < most, best if finished else 0.0)


def by_branch(x, y, wp, wn, slack, deadline=NO_LIMIT, most=MOST_WITNESSES):
    """`branch` as a method; arguments as in `METHODS`."""
    branches = Branch(x, y, wp, wn, slack, most)
    _until(branches, np.inf, deadline)
    return _of(branches)


def by_auto(x, y, wp, wn, slack, deadline=NO_LIMIT, most=MOST_WITNESSES):
    """Branch and bound, and once that has taken long, the sweep about the centres that are left."""
    share = SHARE * PER_POINT_PASSED * np.count_nonzero(wp) * len(x) - SET_UP
    if share <= 0:
        return by_sweep(x, y, wp, wn, slack, deadline, most)
    branches = Branch(x, y, wp, wn, slack, most)
    _until(branches, share, deadline)
    if branches.done or deadline.is_over():
        return _of(branches)
    witnesses, fits = branches.witnesses(branches.best)  # of the boxes that are finished
    if len(witnesses) > MANY:  # to compare them with the sweep's would cost more
        return by_sweep(x, y, wp, wn, slack, deadline, most)
    # A line that is left lies in an open box, so that the locations on it are active there; one of them
    # has positive points (Lemma 2.5).
    about = branches.open_locations() & (wp > 0)
    swept = _swept(x, y, wp, wn, slack, deadline, most, about, branches.best)
    # Witnesses that were good enough before need not be now.
    if swept.weight < branches.best:
        witnesses, fits = branches.witnesses(swept.weight)
    both = np.concatenate([witnesses, swept.witnesses])[:most]
    complete = fits and swept.complete and len(both) < most
    bound = swept.weight if swept.finished else min(swept.weight, branches.lower_bound())
    side = branches.border_side() if branches.best <= swept.weight else None
    return Listed(swept.weight, both, swept.finished, complete, bound, side)


def _until(branches, until, deadline):
    """Let a search go on until it is done, its cost is `until`, or the time is up."""
    while not branches.done and branches.cost < until and not deadline.is_over():
        branches.go_on(int(min(until, branches.cost + PART)))


def _of(branches):
    witnesses, fits = branches.witnesses(branches.best)
    bound, side = branches.lower_bound(), None if len(witnesses) else branches.border_side()
    return Listed(branches.best, witnesses, branches.done, fits and branches.done, bound, side)


def _swept(x, y, wp, wn, slack, deadline, most, about, best):
    """Sweep about some centres; `best` is the weight of a line that is known."""
    lowest, centres = np.full(len(x), np.inf), np.flatnonzero(about)
    # Centres between two looks at the clock.
    size = max(1, PART_OF_SWEEP // (PER_POINT_PASSED * len(x)))
    done = 0
    while done < len(centres) and not (done and deadline.is_over()):
        part = np.zeros(len(x), dtype=bool)
        part[centres[done : done + size]] = True
        lowest = np.minimum(lowest, sweep_about(x, y, wp, wn, part)[0])
        done += size
    best = min(lowest.min(), best)
    witnesses = collect(x, y, wp, wn, lowest, best + slack, most)
    finished = done >= len(centres)
    complete = finished and len(witnesses) < most
    return Listed(best, witnesses, finished, complete, best if finished else 0.0)


# (x, y, wp, wn, slack, deadline, most) of distinct locations -> Listed, with up to `most` witnesses; `wp` is
# of the class with fewer locations.
METHODS: dict[str, Callable[..., Listed]] = {
    "auto": by_auto,
    "branch": by_branch,
    "sweep": by_sweep,
    "pairs": by_pairs,
}
Method: TypeAlias = Literal["auto", "branch", "sweep", "pairs"]


def all_alike(wp, wn, limit):
    """Return the witnesses without a line, (k, 4), k <= 2, whose weight is at most `limit`."""
    found = [(0, -1, side, 0) for side, weight in ((1, wn.sum()), (-1, wp.sum())) if weight <= limit]
    return np.array(found, dtype=np.int64).reshape(-1, 4)


class OptimalSets(NamedTuple):
    """Distinct optimal separator sets, each as the partition of the locations that makes it.

    Attributes
    ----------
    weight : float
        Their weight; where sums are rounded, the least.
    packed : ndarray of shape (s, ceil(k / 8)), uint8
        Bits of the locations on the one side, in lexicographic order of the rows.
    swapped : bool
        Whether that side is the negative one.
    n_locations : int
        k
    first : int
        The row that was met first.
    lower_bound : float
        No separator set weighs less.
    finished : bool
        Whether all lines were judged before the time was up.
    complete : bool
        Whether these are all optimal sets.
    """

    weight: float
    packed: np.ndarray
    swapped: bool
    n_locations: int
    first: int
    lower_bound: float
    finished: bool
    complete: bool

    def side(self, i):
        """Return which locations set `i` predicts positive, shape (k,), bool."""
        bits = np.unpackbits(self.packed[i], count=self.n_locations).astype(bool)
        return ~bits if self.swapped else bits


def optimal_sets(places, slack, method="auto", deadline=NO_LIMIT):
    """Find every optimal separator set (Theorem 2.3), or the best that are met until the deadline.

    Parameters
    ----------
    places : Locations
    slack : float
        Weights as close as this tie.
    method : str
        A key of `METHODS`.
    deadline : Deadline

    Returns
    -------
    OptimalSets
        Not empty. At most `MOST_LISTED` lines were turned into sets, with at most `MOST_BITS` predictions.
    """
    x, y, wp, wn = places[:4]
    # The smaller class makes the centres: what negating all labels does to a partition is undone in the end.
    swapped = bool(np.count_nonzero(wp) > np.count_nonzero(wn))
    if swapped:
        wp, wn = wn, wp
    room = min(MOST_LISTED, max(1, MOST_BITS // len(x)))
    listed = METHODS[method](x, y, wp, wn, slack, deadline, most=room)
    best = listed.weight
    witnesses = np.concatenate([listed.witnesses, all_alike(wp, wn, best + slack)])
    if len(witnesses):
        _, packed = distinct_sets(x, y, witnesses)
    else:  # the time was up before a line of this weight was turned into a set
        packed = np.packbits(listed.side)[None]

    if slack:  # running sums have drifted a little; these have not
        bits = (np.unpackbits(row, count=len(x)).astype(bool) for row in packed)
        weights = np.array([np.where(row, wn, wp).sum() for row in bits])
        best = weights.min()
        packed = packed[weights <= best + slack]
    bound = best if listed.finished else min(best, max(listed.lower_bound - slack, 0.0))
    # As strings of bytes the rows compare bit by bit, for `packbits` writes the first bit as the highest.
    order = np.argsort(np.ascontiguousarray(packed).view(f"V{packed.shape[1]}")[:, 0], kind="stable")
    # The new place of row 0.
    first = int(np.argmin(order))
    finished, complete = listed.finished, listed.finished and listed.complete
    return OptimalSets(float(best), packed[order], swapped, len(x), first, float(bound), finished, complete)
