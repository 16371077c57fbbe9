"""Hyperplanes that leave k points out, to begin with: soft margins, and fitting and trimming in turn."""

import numpy as np

from paperlib._common.rounding import ascending
from paperlib.coresets._outliers.conflicts import conflict
from paperlib.coresets._solver.wolfe import ORIGIN

PENALTIES = (1.0, 100.0, 1e4)
TRIMS = 12  # times that the k worst points of a soft margin are chosen anew
NEWTON = 30
FAR = 1e3  # of the median norm: points farther out are drawn in, for the soft margin only
VIOLATORS = 64


def soft_margins(best, deadline):
    """Offer normals of the squared hinge loss on all but the k worst points, for rising penalties.

    Few wrong labels among many move such a normal little. The k points of smallest margin are left out of the
    next one, until they stay the same, as in the concentration steps of least trimmed squares.

    Parameters
    ----------
    best : trimmed.Best
    deadline : Deadline
    """
    norms = np.linalg.norm(best.points, axis=1)
    unit = np.median(norms[norms > 0.0]) if norms.any() else 1.0
    points = best.points / unit
    far = norms > FAR * unit
    points[far] *= (FAR * unit / norms[far])[:, None]
    n, roots = len(points), np.sqrt(best.weights)
    total = best.weights.sum() if len(roots) else n
    for penalty in PENALTIES:
        kept, w, before = np.ones(n, dtype=bool), np.zeros(points.shape[1]), None
        for _ in range(TRIMS):
            of_kept = roots[kept] if len(roots) else ()
            w = _squared_hinge(points[kept], penalty / total, w, deadline, of_kept)
            length = np.linalg.norm(w)
            if length == 0.0:
                break
            margins = best.offer(w / length)
            kept[:] = True
            order = ascending(margins, unit)
            kept[order[: best.cut(order)]] = False
            if before is not None and (kept == before).all():
                break
            before = kept.copy()


def _squared_hinge(points, penalty, w, deadline, roots=()):
    """Minimise ``||w||^2 / penalty + sum_i max(0, 1 - <w, z_i>)^2`` by Newton's method from `w`.

    `roots` are those of the points' weights, none where all are one.
    """
    ones, points = (roots, roots[:, None] * points) if len(roots) else (np.ones(len(points)), points)

    def loss(w):
        short = np.maximum(0.0, ones - points @ w)
        return w @ w / penalty + short @ short

    value = loss(w)
    for _ in range(NEWTON):
        deadline.spend(points.size * 3)
        at = points @ w < ones
        short = points[at]
        pull = short.sum(axis=0) if len(roots) == 0 else roots[at] @ short
        # The minimum, if the same points stayed short. As others do, the step is halved until the loss falls.
        target = np.linalg.solve(np.eye(len(w)) / penalty + short.T @ short, pull)
        step = 1.0
        while True:
            there = w + step * (target - w)
            new = loss(there)
            if new <= value or step < 1e-4:
                break
            step /= 2.0
        if not new < value * (1.0 - 1e-9):
            return w
        w, value = there, new
    return w


def widest(best, alive, rows, deadline):
    """Offer the hyperplane of largest margin on the points that are `alive`, and return its normal.

    Parameters
    ----------
    best : trimmed.Best
    alive : ndarray of shape (n,), bool
    rows : ndarray of shape (s,), int, s >= 1
        Of points to begin with, all alive.
    deadline : Deadline

    Returns
    -------
    normal : ndarray of shape (d,), or None where they cannot be separated
    """
    points, first, before = best.points, np.zeros(1, dtype=np.int64), np.inf
    while True:
        norms = np.linalg.norm(points[rows], axis=1)
        scale = norms.max()
        if scale == 0.0:
            return None
        held = np.ascontiguousarray(points[rows] / scale)
        x, at, _, steps = conflict(held, norms / scale, np.zeros(len(rows)), first, 0.0)
        deadline.spend(steps * held.size + points.size)
        length = float(np.linalg.norm(x))
        if length <= ORIGIN:
            return None
        margins = best.offer(x / length)
        if not length * scale < before * (1.0 - 1e-13):  # rounding
            return x / length
        before = length * scale
        short = np.flatnonzero(alive & (margins < before * (1.0 - 1e-10)))
        short = np.setdiff1d(short, rows)
        if not len(short):
            return x / length
        worst = short[ascending(margins[short], before)[:VIOLATORS]]
        # Those that bear no weight are dropped; where they are needed again, they are met as violators.
        rows, first = np.concatenate([rows[at], worst]), np.arange(len(at))


def retrim(best, deadline):
    """Fit to all but the k worst points of the best hyperplane, for as long as its margin rises.

    Returns whether it is the widest one of the points that it keeps.
    """
    while True:
        before = best.margin
        order = ascending(best.points @ best.normal, abs(before))
        alive = np.ones(len(order), dtype=bool)
        k = best.cut(order)
        alive[order[:k]] = False
        begin = order[k : k + 2 * best.points.shape[1]]
        if widest(best, alive, begin, deadline) is None:
            return False
        if best.margin <= before + 1e-9 * abs(before):
            return True
