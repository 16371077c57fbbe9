"""The soft margin by coordinate steps, with a duality gap computed from the data."""

import math
from functools import partial

import numpy as np

from paperlib.coresets._search.search import BUDGET, CERTIFIED, STALLED


def soft_margin(ascent, penalties, eps, limits, start=None):
    """Return the `Outcome` of steps that go on until the gap is `eps` of the objective, and both objectives.

    Every ``w`` has the objective ``||w||^2 / 2 + sum_i C_i max(0, 1 - <w, z_i>)``, and every `a` in its box
    the dual one, which no objective is below. The objective is strongly convex, so that the best ``w`` is no
    farther away than ``sqrt(2 gap)``, which bounds its margin ``1 / ||w||``.

    Parameters
    ----------
    ascent : Ascent, with `a` zero
    penalties : ndarray (n,), the ``C_i``
    eps : float in (0, 1)
    limits : Limits, of rounds and of time
    start : (rows, weights), to begin with, or None
    """
    ascent.box[:] = penalties / ascent.scale**2
    if start is not None:
        ascent.begin(*start)
        ascent.shrink()
    path: list[float] = []
    stop, unit = None, ascent.scale**2
    while stop is None:
        ascent.round()
        half, primal, dual = _objectives(ascent)
        last = ascent.steady or limits.reached(len(path) + 1)
        if last or primal - dual <= eps * primal:  # whether it is so by the data themselves, too
            ascent.look()
            half, primal, dual = _objectives(ascent)
        gap = max(0.0, primal - dual)
        path.append(gap * unit)
        limits.tell(partial(_words, len(path), ascent, primal * unit, gap * unit))
        if gap <= eps * primal:
            stop = CERTIFIED
        elif last:
            stop = STALLED if ascent.steady else BUDGET
        else:
            ascent.shrink()
    length = math.sqrt(2.0 * half)
    least = length - math.sqrt(2.0 * gap)
    margin, bound = (1.0 / each if each > 0.0 else math.inf for each in (length, least))
    return ascent.outcome(stop, ascent.w, margin, bound, path, []), primal * unit, dual * unit


def _words(rounds, ascent, objective, gap):
    size = f"round {rounds}, {np.count_nonzero(ascent.a)} points, {ascent.n_passes} passes"
    return f"{size}, objective {objective:.6g}, gap {gap:.3g}"


def _objectives(ascent):
    """Half the squared norm of ``w``, the objective, and the dual one, for scaled rows."""
    half = float(ascent.w @ ascent.w) / 2.0
    short = np.maximum(0.0, 1.0 - ascent.margins)
    return half, half + float(ascent.box @ short), float(ascent.a.sum()) - half
