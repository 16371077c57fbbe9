"""Optimal sets without one point, from the near-optimal sets of the sample (Lemmas 3.2, 3.6, 3.9).

Let W be the least weight, and w the weight of point i. A separator set Q of the sample that holds i and
weighs less than W + w shows that all lines that are optimal without i misclassify it (Lemma 3.6, and Lemma
3.2 for an optimal Q). If there is none, the least weight without i is W again, and the optimal sets are

- the optimal sets of the sample; none holds i;
- Q without i, for Q that holds i and weighs W + w. Its lines misclassify i, unless Q without i is optimal for
  the sample too, and so in the first list already.

Q need only be looked for among the lines through points of one class: if all lines of an optimal set without
i misclassify i, Lemma 2.5, used on the sample without i, finds one of them through a point of that class.
The paper looks through both classes, which Theorem 3.1's O(m n log n) has no time for.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._search.witness import bit


@jit
def always_wrong(packed, excess, location, positive, weights, slack):
    """Find the points that every line optimal without them misclassifies (Lemmas 3.2 and 3.6).

    Parameters
    ----------
    packed : ndarray of shape (s, ceil(k / 8)), uint8
    excess : ndarray of shape (s,)
        Separator sets, as in `NearOptimalSets`.
    location : ndarray of shape (n,), int64
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        The points.
    slack : float
        Weights as close as this tie.

    Returns
    -------
    ndarray of shape (n,), bool
    """
    wrong = np.zeros(len(location), dtype=np.bool_)
    heaviest = weights.max()
    for r in range(len(packed)):
        # No point is heavy enough for such a row, which costs no look at them.
        if not excess[r] < heaviest - slack:
            continue
        hear(4 * len(location))
        for i in range(len(location)):
            # By more than rounding: Lemma 3.6 is strict, and a tie shows nothing.
            if excess[r] < weights[i] - slack and (bit(packed[r], location[i]) == 1) != positive[i]:
                wrong[i] = True
    return wrong


@jit
def _keys_of_rows(packed, keys):
    """Return the exclusive or of the keys of each row's bits: rows that differ in bit c differ by its key."""
    found = np.zeros(len(packed), dtype=np.uint64)
    for r in range(len(packed)):
        hear(4 * len(keys))
        for c in range(len(keys)):
            if bit(packed[r], c):
                found[r] ^= keys[c]
    return found


@jit
def _is_listed(row, c, key, packed, listed, listed_keys):
    """Return whether the row with its bit c flipped is among the rows `listed`, which are sorted by key."""
    k, end = 0, len(listed_keys)
    while k < end:
        middle = (k + end) // 2
        if listed_keys[middle] < key:
            k = middle + 1
        else:
            end = middle
    while k < len(listed) and listed_keys[k] == key:
        # Different rows may have one key, so their bits are compared.
        other = packed[listed[k]]
        same = True
        for byte in range(len(row)):
            flip = (128 >> (c & 7)) if byte == c >> 3 else 0
            if row[byte] ^ flip != other[byte]:
                same = False
                break
        if same:
            return True
        k += 1
    return False


class _Points(NamedTuple):
    """The points, as `count_wrong_sets` takes them."""

    location: np.ndarray
    positive: np.ndarray
    weights: np.ndarray
    undecided: np.ndarray
    alone: np.ndarray


class _Rows(NamedTuple):
    """Near-optimal sets with keys to find them by.

    Attributes
    ----------
    packed, excess : ndarray
        As in `NearOptimalSets`.
    keys : ndarray of shape (s,), uint64
        Of each row, as `_keys_of_rows` makes them from `bit_keys`.
    bit_keys : ndarray of shape (k,), uint64
    optimal, optimal_keys : ndarray
        Numbers of the rows that are optimal, in the order of their keys, and these.
    """

    packed: np.ndarray
    excess: np.ndarray
    keys: np.ndarray
    bit_keys: np.ndarray
    optimal: np.ndarray
    optimal_keys: np.ndarray


@jit
def _count(rows, points, heaviest, slack):
    found = np.zeros(len(points.location), dtype=np.int64)
    for r in range(len(rows.packed)):
        if rows.excess[r] > heaviest + slack:
            continue
        row = rows.packed[r]
        hear(10 * len(points.location))
        for i in range(len(points.location)):
            c = points.location[i]
            # One test will do: of a lighter set that holds i `always_wrong` would have told.
            if not points.undecided[i] or rows.excess[r] > points.weights[i] + slack:
                continue
            if (bit(row, c) == 1) == points.positive[i]:
                continue
            if points.alone[i]:
                # Without i the set may be an optimal one of the whole sample, which is counted among those.
                key = rows.keys[r] ^ rows.bit_keys[c]
                if _is_listed(row, c, key, rows.packed, rows.optimal, rows.optimal_keys):
                    continue
            found[i] += 1
    return found


def count_wrong_sets(sets, location, positive, weights, undecided, alone, slack):
    """Count the optimal sets without a point that are no optimal sets with it: their lines misclassify it.

    Parameters
    ----------
    sets : NearOptimalSets
    location, positive, weights : ndarray of shape (n,)
        The points.
    undecided : ndarray of shape (n,), bool
        The points to count for: of those that `always_wrong` does not name.
    alone : ndarray of shape (n,), bool
        Whether a point is the only one at its location. Where it is not, Q without it is not optimal with it.
    slack : float

    Returns
    -------
    ndarray of shape (n,), int64
    """
    if not undecided.any():
        return np.zeros(len(location), dtype=np.int64)
    n_locations = int(location.max()) + 1
    # Whatever the keys, the result is the same: random ones make few rows share one.
    bit_keys = np.random.default_rng(0).integers(2**64, size=n_locations, dtype=np.uint64)
    row_keys = _keys_of_rows(sets.packed, bit_keys)
    optimal = np.flatnonzero(sets.excess <= slack)
    # By key, for the binary search of `_is_listed`.
    optimal = optimal[np.argsort(row_keys[optimal], kind="stable")]
    rows = _Rows(sets.packed, sets.excess, row_keys, bit_keys, optimal, row_keys[optimal])
    points = _Points(location, positive, weights, undecided, alone)
    return _count(rows, points, float(weights[undecided].max()), slack)
