"""Answers to leave out, so that a hyperplane agrees with the others."""

import numpy as np

from paperlib.coresets._solver.working_set import WorkingSet

MOST_TRIED = 1000  # coresets that are solved in one search


def without_outliers(signed, bearers, n_outliers, least=0.0):
    """Leave out as few signed points as possible, so that the hull of the others does not hold the origin.

    Of a hull that holds the origin, one of the points that bear it there must go: each is tried in turn, so
    that no set of the size is missed unless `MOST_TRIED` coresets were solved before. Of the sets of the
    smallest size the one is taken that leaves the largest margin, the first of them where several do.

    Parameters
    ----------
    signed : ndarray of shape (k, d)
    bearers : ndarray of shape (b,)
        Those that bear the origin, which the hull of all holds.
    n_outliers : int >= 1
        How many may be left out.
    least : float
        A hull that comes as near to the origin as this holds it.

    Returns
    -------
    work : WorkingSet
        Of the points that stay.
    kept : list of int
        Which these are. Or None, where no such set was found.
    """
    level, n_tried = {(): bearers}, 0  # what is left out, and what still bears the origin
    for _ in range(n_outliers):
        best, below = None, {}
        for left_out, bearing in level.items():
            for position in bearing.tolist():
                further = tuple(sorted((*left_out, position)))
                if further in below or n_tried == MOST_TRIED:
                    continue
                n_tried += 1
                kept = np.delete(np.arange(len(signed)), further)
                if not kept.size:
                    continue
                work = WorkingSet.of(signed[kept])
                below[further] = kept[work.core()]
                if work.margin > least and (best is None or work.margin > (1.0 + 1e-9) * best[0].margin):
                    best = work, kept.tolist()
        if best is not None:
            return best
        level = below
    return None
