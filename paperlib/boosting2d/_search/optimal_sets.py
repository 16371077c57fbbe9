"""All optimal separator sets of a sample, by any of the methods that find witnesses."""

from typing import NamedTuple

import numpy as np

from paperlib._common.deadline import NO_LIMIT
from paperlib.boosting2d._search.methods import METHODS
from paperlib.boosting2d._search.witness import distinct_sets

MOST_LISTED = 100_000  # lines that are turned into sets; ties beyond are not counted
MOST_BITS = 1_000_000_000  # for all the predictions of these: they cost time and memory


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
