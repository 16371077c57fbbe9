"""Separator sets whose weight is not far above the least."""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._search.optimal_sets import METHODS, MOST_BITS, MOST_WITNESSES, all_alike
from paperlib.boosting2d._search.witness import bit, distinct_sets


class NearOptimalSets(NamedTuple):
    """Distinct separator sets, each as the partition of the locations that makes it.

    Attributes
    ----------
    weight : float
        Of the optimal ones.
    excess : ndarray of shape (s,)
        How much heavier each set is.
    packed : ndarray of shape (s, ceil(k / 8)), uint8
        Bits of the locations that are predicted positive, as `numpy.packbits` writes them.
    complete : bool
        False if there were too many to be listed.
    """

    weight: float
    excess: np.ndarray
    packed: np.ndarray
    complete: bool


@jit
def _set_weights(packed, wp, wn):
    """Return what each partition misclassifies, summed anew: running sums have drifted."""
    weights = np.zeros(len(packed))
    for r in range(len(packed)):
        hear(4 * len(wp))
        for c in range(len(wp)):
            weights[r] += wn[c] if bit(packed[r], c) else wp[c]
    return weights


def near_optimal_sets(places, slack, beyond, method="auto", room=None):
    """List the separator sets whose weight is within `beyond` of the least.

    Parameters
    ----------
    places : Locations
    slack : float
        Weights as close as this tie.
    beyond : float
    method : str
        A key of `METHODS`.
    room : int, optional
        Sets beyond about this many are left out.

    Returns
    -------
    NearOptimalSets
        Of all optimal sets (excess at most `slack`), and of those others that a line through a location of
        the class with the fewer locations makes (Lemma 2.5).
    """
    x, y, wp, wn = places[:4]
    swapped = bool(np.count_nonzero(wp) > np.count_nonzero(wn))
    few, many = (wn, wp) if swapped else (wp, wn)
    # Running sums drift by less than another slack.
    room = min(room or MOST_WITNESSES, MOST_WITNESSES, max(1, MOST_BITS // len(x)))
    # Lines of one set are many, at most some ten for each.
    listed = METHODS[method](x, y, few, many, beyond + 2 * slack, most=min(10 * room, MOST_WITNESSES))
    best, witnesses = listed.weight, listed.witnesses
    complete = listed.complete and len(witnesses) < room
    alike = all_alike(few, many, best + beyond + 2 * slack)
    _, packed = distinct_sets(x, y, np.concatenate([alike, witnesses[:room]]))
    # Undoes the exchange of classes: what was predicted positive is negative.
    if swapped:
        packed = ~packed
        packed[:, -1] &= np.uint8(
            (0xFF << (-len(x) % 8)) & 0xFF
        )  # what is behind the last location stays zero
    weights = _set_weights(packed, wp, wn)
    best = min(float(weights.min(initial=np.inf)), float(best)) if slack else float(best)
    near = weights - best <= beyond + slack
    return NearOptimalSets(best, (weights - best)[near], packed[near], complete)


def joined(places, sets, witnesses):
    """Return `NearOptimalSets` with those of some witnesses added, and those without a line."""
    alike = np.array([(0, -1, 1, 0), (0, -1, -1, 0)])
    _, packed = distinct_sets(places.x, places.y, np.concatenate([alike, witnesses]))
    weights = _set_weights(packed, places.wp, places.wn)
    packed, excess = (
        np.concatenate([sets.packed, packed]),
        np.concatenate([sets.excess, weights - sets.weight]),
    )
    _, first = np.unique(packed.view(f"V{packed.shape[1]}")[:, 0], return_index=True)
    return sets._replace(packed=packed[first], excess=excess[first])
