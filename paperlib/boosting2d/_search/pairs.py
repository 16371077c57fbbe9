"""The O(n^3) search that Theorem 2.3 improves on: every line through two locations, each judged in O(n)."""

import numpy as np

from paperlib._common.deadline import NO_LIMIT
from paperlib._common.jit import jit
from paperlib._common.signals import hear
from paperlib.boosting2d._geometry.predicates import orientation
from paperlib.boosting2d._search.witness import grown_rows, ray

PART = 10_000_000  # points held against lines, between two looks at the clock


@jit
def line_weights(x, y, wp, wn, a, b, out):
    """Write the misclassified weight of the six witnesses on the line from a to b into ``out`` (2, 3).

    Row 0 predicts the left side positive, row 1 the right side; column ``t`` is ``turn = t - 1``.
    """
    out[:] = 0.0
    for c in range(len(x)):
        where = orientation(x[a], y[a], x[b], y[b], x[c], y[c])
        along = ray(x, y, a, b, c) if where == 0 else 0
        for turn in range(-1, 2):
            now = where if where != 0 else -turn * along
            out[0, turn + 1] += wp[c] if now < 0 else wn[c]
            out[1, turn + 1] += wp[c] if now > 0 else wn[c]


def pairs(x, y, wp, wn, slack, deadline=NO_LIMIT):
    """Judge all ordered pairs of locations, or as many as there is time for.

    Parameters
    ----------
    x, y, wp, wn : ndarray of shape (n,)
        Distinct locations and the weights of both classes there.
    slack : float
        How far above the least weight a line may be to be returned.
    deadline : Deadline

    Returns
    -------
    best : float
        The least weight; ``inf`` for a single location.
    witnesses : ndarray of shape (k, 4), int64
    judged : int
        Points that were held against a line; for n locations that is ``n^2 (n - 1)`` if all lines were.
    """
    n, best, found, done = len(x), np.inf, [np.empty((0, 4), dtype=np.int64)], 0
    while done < n * n and not (done and deadline.is_over()):
        before, end = best, min(n * n, done + max(1, PART // n))
        best, some = _among(x, y, wp, wn, slack, done, end, best)
        # What was noted is within the slack of the best so far; a far better line makes it all void.
        found = [*([] if best < before - slack else found), some]
        done = end
    # Every (n + 1)-th of the n^2 pairs, from the first one on, is of a location with itself.
    return best, np.concatenate(found), (done - -(-done // (n + 1))) * n


@jit
def _among(x, y, wp, wn, slack, first, last, best):
    """Do as `pairs` for some of them, by number; `best` is the least weight before."""
    n = len(x)
    weights = np.empty((2, 3))
    found, size = np.empty((64, 4), dtype=np.int64), 0
    for pair in range(first, last):
        a, b = pair // n, pair % n
        if a == b:
            continue
        hear(10 * n)
        line_weights(x, y, wp, wn, a, b, weights)
        # After a smaller gain some stay that are too heavy: they go where weights are summed anew.
        if weights.min() < best - slack:
            size = 0
        best = min(best, weights.min())
        for i in range(2):
            for t in range(3):
                if weights[i, t] > best + slack:
                    continue
                found = grown_rows(found, size, size + 1)
                found[size, 0], found[size, 1] = a, b
                found[size, 2], found[size, 3] = 1 - 2 * i, t - 1
                size += 1
    return best, found[:size].copy()
