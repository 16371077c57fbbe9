"""Weighted examples as copies, among which the p player plays; no kernel checks its input.

A row of weight w stands for ``floor(w)`` copies of mass 1 and, where w is no integer, one of mass
``w - floor(w)``. The weights of the p player are densities against these masses: a copy enters the tree with
its mass, uniform sampling draws it in proportion to its mass, and its weight is multiplied by
``exp(eta mass loss / p)``. So integer weights are the game on rows that are repeated, to the last bit, and a
weight that goes to zero leaves its row out.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib.max_loss._tree.sumtree import draw, probability, uncounted


class Copies(NamedTuple):
    """The copies of weighted rows, those of mass 1 first.

    Attributes
    ----------
    rows : (n,) int64
        The row that each is a copy of.
    fractions : (k,) float64
        Masses of the last k of them, each in (0, 1).
    ends : (k,) float64
        Sums of these masses, up to each.
    total : float
        Sum of all masses.
    """

    rows: Integers
    fractions: Floats
    ends: Floats
    total: float


def allocate(weights):
    """Return the copies that weights > 0, shape (m,), stand for."""
    whole = np.floor(weights)
    fractions = weights - whole
    broken = np.flatnonzero(fractions)
    rows = np.concatenate([np.repeat(np.arange(len(weights)), whole.astype(np.int64)), broken])
    ends = np.cumsum(fractions[broken])
    total = whole.sum() + (ends[-1] if len(ends) else 0.0)
    return Copies(rows, fractions[broken], ends, float(total))


def mean_of_copies(values, copies, m):
    """Return the mean of `values` (n,) over the copies of each of `m` rows, by their masses."""
    masses = np.ones(len(copies.rows))
    masses[len(masses) - len(copies.fractions) :] = copies.fractions
    sums = np.bincount(copies.rows, weights=masses * values, minlength=m)
    with np.errstate(invalid="ignore"):  # no copies: a row of weight zero
        return sums / np.bincount(copies.rows, weights=masses, minlength=m)


@uncounted(inline="always")
def mass(i, copies):
    """Return the mass of copy i."""
    whole = len(copies.rows) - len(copies.fractions)
    return 1.0 if i < whole else copies.fractions[i - whole]


@uncounted
def draw_copy(u, uniform_share, copies, tree):
    """Return a copy drawn from p by one uniform number `u` in [0, 1)."""
    if u >= uniform_share:
        return draw(u, uniform_share, tree)
    # As in `draw`, a number below the share is uniform again once it is divided by it.
    v = u / uniform_share * copies.total
    whole = len(copies.rows) - len(copies.fractions)
    # The first copies have mass 1, so v itself says which. Rounding may take it past the last one.
    if v < whole or whole == len(copies.rows):
        return min(np.int64(v), whole - 1)
    # Invariant: the first sum above v is at `low` or behind it, and at `high` or before.
    low, high = 0, len(copies.ends) - 1
    while low < high:
        middle = (low + high) // 2
        if copies.ends[middle] > v - whole:
            high = middle
        else:
            low = middle + 1
    return whole + low


@uncounted
def probability_of_copy(i, uniform_share, copies, tree):
    """Return the probability with which copy i is drawn."""
    own = probability(i, 0.0, tree)  # its share of the tree
    return uniform_share * mass(i, copies) / copies.total + (1.0 - uniform_share) * own


@uncounted
def draw_copies(us, uniform_share, indices, p, copies, tree):
    """Fill `indices` and `p` with one draw for each of the uniform numbers `us`."""
    for j in range(len(us)):
        indices[j] = draw_copy(us[j], uniform_share, copies, tree)
        p[j] = probability_of_copy(indices[j], uniform_share, copies, tree)
