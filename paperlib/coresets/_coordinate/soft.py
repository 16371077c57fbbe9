"""The soft margin by coordinate steps, or an interior point, with a duality gap computed from the data."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from paperlib._common.typing import Floats
from paperlib.coresets._coordinate.interior import CUTS, interior_point, vertex
from paperlib.coresets._search.search import BUDGET, CERTIFIED, STALLED

WRITTEN = 1 << 23  # entries of the rows of an interior point: 64 MB, and three times as much beside them
WORK = 5e9  # multiplications in one of its steps: about a second
PATIENCE, LEAST = 2, 100  # epochs of steps before it takes over: for each feature, and in any case
GOAL = 1e-9  # share of the objective to which it goes on, since its last steps are few


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
    stop, unit, taken = None, ascent.scale**2, 0
    m, d = len(ascent.used), ascent.X.shape[1] + 1
    patience, fits = max(LEAST, PATIENCE * d) * m, m * d <= WRITTEN and (m + d) * d * d <= WORK
    while stop is None:
        taken += ascent.round()
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
        elif fits and not limits.why and (ascent.steady or taken > patience):
            half, primal, dual = _by_interior_point(ascent, eps, limits, path)
            gap = max(0.0, primal - dual)
            stop = CERTIFIED if gap <= eps * primal else BUDGET if limits.why else STALLED
        elif last:
            stop = STALLED if ascent.steady else BUDGET
        else:
            ascent.shrink()
    length = math.sqrt(2.0 * half)
    least = length - math.sqrt(2.0 * gap)
    margin, bound = (1.0 / each if each > 0.0 else math.inf for each in (length, least))
    return ascent.outcome(stop, ascent.w, margin, bound, path, []), primal * unit, dual * unit


def _by_interior_point(ascent, eps, limits, path):
    """Leave the best of an interior point's ``w`` and `a` in `ascent`, and return their objectives.

    Where rows are long beside the margin, ``w`` is known to more digits than the sum of the rows by `a`
    gives: the bound holds for whatever `a` there is, and the objective is that of ``w``.
    """
    Z, box, unit = ascent.written_out(), ascent.box[ascent.used], ascent.scale**2
    best = _pair(Z, box, ascent.w, ascent.a[ascent.used])
    with np.errstate(all="ignore"):
        for w, a in interior_point(Z, box):
            found, ascent.reads = _pair(Z, box, w, a), ascent.reads + len(box)
            best = min(best, found, key=_share)
            path.append(max(0.0, found.primal - found.dual) * unit)
            limits.tell(partial(_words, len(path), ascent, found.primal * unit, path[-1]))
            if _share(best) <= min(eps, GOAL) or limits.reached(len(path)):
                break
        enough = max(2.0 * _share(best), 10.0 * min(eps, GOAL))
        few = [vertex(Z, box, best.w, best.a, cut) for cut in CUTS]
        # First those of which ``w`` is the combination itself; then the ``w`` that is known better.
        pairs = [_pair(Z, box, a @ Z, a) for a in few] + [_pair(Z, box, best.w, a) for a in few]
    best = next((pair for pair in pairs if _share(pair) <= enough), best)
    ascent.a[ascent.used], ascent.w = best.a, best.w
    path[-1] = max(0.0, best.primal - best.dual) * unit
    return float(best.w @ best.w) / 2.0, best.primal, best.dual


class _Pair(NamedTuple):
    w: Floats
    a: Floats
    primal: float
    dual: float


def _pair(Z, box, w, a):
    combined, short = a @ Z, np.maximum(0.0, 1.0 - Z @ w)
    return _Pair(w, a, float(w @ w / 2.0 + box @ short), float(a.sum() - combined @ combined / 2.0))


def _share(pair):
    """The gap as a share of the objective; infinite where it is no number."""
    share = (pair.primal - pair.dual) / pair.primal if pair.primal > 0.0 else math.inf
    return share if math.isfinite(share) else math.inf


def _words(rounds, ascent, objective, gap):
    size = f"round {rounds}, {np.count_nonzero(ascent.a)} points, {ascent.n_passes} passes"
    return f"{size}, objective {objective:.6g}, gap {gap:.3g}"


def _objectives(ascent):
    """Half the squared norm of ``w``, the objective, and the dual one, for scaled rows."""
    half = float(ascent.w @ ascent.w) / 2.0
    short = np.maximum(0.0, 1.0 - ascent.margins)
    return half, half + float(ascent.box @ short), float(ascent.a.sum()) - half
