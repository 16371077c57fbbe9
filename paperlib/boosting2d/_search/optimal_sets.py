"""All optimal separator sets of a sample, by any of the methods that find witnesses."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from paperlib.boosting2d._search.angular_sweep import collect, sweep
from paperlib.boosting2d._search.branch import branch
from paperlib.boosting2d._search.pairs import pairs
from paperlib.boosting2d._search.witness import distinct_sets

MOST_WITNESSES = 2_000_000  # that a method returns; one that returns as many may have left some out
MOST_COMPARED = 100_000  # lines whose margins are compared; ties beyond are left aside
MOST_BITS = 1_000_000_000  # for all the predictions of these: they cost time and memory


def by_sweep(x, y, wp, wn, limit_slack):
    """`angular_sweep` as a method; arguments and results as in `METHODS`."""
    lowest, _ = sweep(x, y, wp, wn)
    best = min(lowest.min(), wp.sum(), wn.sum())
    return best, collect(x, y, wp, wn, lowest, best + limit_slack, MOST_WITNESSES)


def by_pairs(x, y, wp, wn, limit_slack):
    """`pairs` as a method; arguments and results as in `METHODS`."""
    lowest, witnesses, _ = pairs(x, y, wp, wn, limit_slack)
    best = min(lowest, wp.sum(), wn.sum())
    return best, witnesses[: MOST_WITNESSES if lowest <= best + limit_slack else 0]


def by_branch(x, y, wp, wn, limit_slack):
    """`branch` as a method; arguments and results as in `METHODS`."""
    return branch(x, y, wp, wn, limit_slack, MOST_WITNESSES)[:2]


# (x, y, wp, wn, limit_slack) of distinct locations -> (least weight, witnesses (k, 4) up to that plus slack).
# The two witnesses without a line count for the weight, and need not be among those returned. `wp` belongs to
# the class with the fewer locations.
METHODS = {"branch": by_branch, "sweep": by_sweep, "pairs": by_pairs}
AUTO = "branch"
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
    """

    weight: float
    packed: np.ndarray
    swapped: bool
    n_locations: int
    first: int

    def side(self, i):
        """Return which locations set `i` predicts positive, shape (k,), bool."""
        bits = np.unpackbits(self.packed[i], count=self.n_locations).astype(bool)
        return ~bits if self.swapped else bits


def optimal_sets(places, slack, method="auto"):
    """Find every optimal separator set (Theorem 2.3).

    Parameters
    ----------
    places : Locations
    slack : float
        Weights as close as this tie.
    method : str
        ``"auto"`` or a key of `METHODS`.

    Returns
    -------
    OptimalSets
        Not empty. At most `MOST_COMPARED` lines were looked at, of all their predictions at most `MOST_BITS`.
    """
    x, y, wp, wn = places[:4]
    # The smaller class makes the centres: what negating all labels does to a partition is undone in the end.
    swapped = bool(np.count_nonzero(wp) > np.count_nonzero(wn))
    if swapped:
        wp, wn = wn, wp
    best, witnesses = METHODS[AUTO if method == "auto" else method](x, y, wp, wn, slack)
    room = min(MOST_COMPARED, max(1, MOST_BITS // len(x)))
    witnesses = np.concatenate([witnesses[:room], all_alike(wp, wn, best + slack)])
    _, packed = distinct_sets(x, y, witnesses)

    if slack:  # running sums have drifted a little; these have not
        bits = (np.unpackbits(row, count=len(x)).astype(bool) for row in packed)
        weights = np.array([np.where(row, wn, wp).sum() for row in bits])
        best = weights.min()
        packed = packed[weights <= best + slack]
    order = np.argsort(np.ascontiguousarray(packed).view(f"V{packed.shape[1]}")[:, 0], kind="stable")
    return OptimalSets(float(best), packed[order], swapped, len(x), int(np.argmin(order)))
