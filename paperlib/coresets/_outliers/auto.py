"""The method that needs no choice: a good hyperplane first, then a proof that no other is much better."""

import math

from paperlib._common.rounding import TIED
from paperlib.coresets._outliers.cover import Cover, exchange
from paperlib.coresets._outliers.starts import retrim, soft_margins

WORK = 4e10  # numbers of the data that are read at most where there is no time limit: about half a minute
EXCHANGES = 10
STAGES = 2  # bounds between the first one and the one that is wanted


def auto(eps, best, deadline):
    """Find a hyperplane, and lower ``best.upper_bound`` until its margin is within ``1 - eps`` of it.

    1. Soft margins, fitted and trimmed in turn, and the exact hyperplane of what they keep.
    2. k + 1 disjoint conflicts at ``margin / (1 - eps)``. With outliers that stand out there are so many.
    3. Else the hyperplanes with a point that bears it exchanged for an outlier, and the smallest bound that
       disjoint conflicts show.
    4. Else the tree of all sets of k points that hit the conflicts, at bounds that come down to the one that
       is wanted, and go up again with the margin.

    Parameters
    ----------
    eps : float in (0, 1)
    best : trimmed.Best
    deadline : Deadline
        What it raises passes through; `best` is then as good as it is.

    Returns
    -------
    str
        Why it ended: "certified" by disjoint conflicts, or "searched".
    """
    soft_margins(best, deadline)
    retrim(best, deadline)
    cover = Cover(best, deadline)
    # The second time there are no exchanges: it packs beside the hyperplane that they left.
    for rounds in (EXCHANGES, 0):
        packing = cover.pack(wanted(best, eps))
        if packing.closed:
            exact = cover.pack(wanted(best, 0.0))  # often they show that nothing is better at all
            best.upper_bound = min(best.upper_bound, exact.largest if exact.closed else packing.largest)
            return "certified"
        exchange(cover, rounds)
    best.upper_bound = cover.smallest(wanted(best, eps), best.upper_bound)
    stage = 0
    while best.upper_bound > wanted(best, eps):
        limit = wanted(best, eps)
        if stage < STAGES:
            # Where the limit is high, conflicts are small, and so is the tree. It falls to a quarter of the
            # bound at a time, no lower, since what is wanted may be zero.
            limit = max(math.sqrt(limit * best.upper_bound), 0.25 * best.upper_bound, limit)
        proved = cover.proves(limit)
        if proved is None:
            retrim(best, deadline)
            cover.settle()
            continue
        best.upper_bound, stage = min(proved, best.upper_bound), stage + 1
        if limit == wanted(best, eps):  # the rest is rounding
            break
    return "searched"


def wanted(best, eps):
    """Return the bound that certifies the best margin; zero shows that nothing separates all points but k."""
    return max(best.margin, 0.0) / (1.0 - eps) * (1.0 + TIED)
