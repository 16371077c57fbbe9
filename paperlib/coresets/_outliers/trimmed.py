"""Hyperplanes of large margin on all points but k: the searches behind `OutlierCoresetSVC`.

All of them work on signed points ``z_i = y_i x_i`` and hand every hyperplane they meet to a `Best`.
"""

import math

import numpy as np

from paperlib._common.rounding import ascending, first_smallest
from paperlib.coresets._outliers.cover import Cover
from paperlib.coresets._outliers.subsets import best_of_size
from paperlib.coresets._solver.coresets import required
from paperlib.coresets._solver.working_set import WorkingSet

MAX_SUBSETS = 1_000_000
MAX_NODES = 50_000
TOGETHER = 20_000  # subsets between two looks at the clock


class Best:
    """The hyperplane of largest trimmed margin met so far, and what is known of all others.

    Each of the points counts one towards the k that are left out; `weighted.WeightedBest` has the others.

    Attributes
    ----------
    most, least : int
        Points that any hyperplane leaves out, at most and at least: k.
    budget : float
        Weight of the points that may be left out: k.
    weights : ndarray of shape (n,)
        Of the points, or an empty one where all are one.
    margin : float
        ``rho_k``, the (k+1)-th smallest margin over all points.
    normal : ndarray of shape (d,), of length one
    upper_bound : float
        Of the trimmed margin of any hyperplane. At first the (k+1)-th smallest norm.
    n_looked_at : int
        Subsets, or coresets, that were solved.
    """

    def __init__(self, points, k):
        self.points, self.k = points, k
        self.most = self.least = self.budget = k
        self.weights = np.zeros(0)
        self.upper_bound = float(np.partition(np.linalg.norm(points, axis=1), k)[k])
        self._begin(points.mean(axis=0))

    def _begin(self, mean):
        self.n_looked_at = 0
        length = np.linalg.norm(mean)
        self.margin = -np.inf
        self.offer(mean / length if length > 0.0 else np.eye(len(mean))[0])

    def offer(self, normal):
        """Look at a unit normal (d,) and return the margins (n,) that it gives."""
        margins = self.points @ normal
        margin = float(np.partition(margins, self.k)[self.k])
        if margin > self.margin:
            self.margin, self.normal = margin, normal
        return margins

    def describe(self):
        """Return words on how far it is."""
        looked_at = f"{self.n_looked_at} looked at"
        return f"margin {self.margin:.6g}, upper bound {self.upper_bound:.6g}, {looked_at}"

    def cut(self, order):
        """Return how many of the first points of `order` (n,) may be left out together."""
        return self.k

    def weights_of(self, rows):
        """Return the weights of some points."""
        return np.ones(len(rows))


def coreset_of(points, alive, eps, rows, best, deadline):
    """CORESET SVM (Figure 1) on some of the points, the worst one first.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    alive : ndarray of shape (n,), bool
        At least one.
    eps : float
    rows : sequence of int
        Of points to begin with, all alive.
    best : Best
        Is offered every hyperplane.
    deadline : Deadline

    Returns
    -------
    work : WorkingSet
        Its margin is zero where the points cannot be separated.
    rows : list of int
    """
    rows = list(rows) or [int(alive.argmax())]
    work = WorkingSet(points.shape[1])
    for row in rows:
        work.add(points[row])
    best.n_looked_at += 1
    while True:
        work.solve()
        deadline.spend()
        if work.margin == 0.0:
            return work, rows
        margins = np.where(alive, best.offer(work.normal), np.inf)
        worst = first_smallest(margins, work.margin)
        if margins[worst] >= required(work.margin, eps) or worst in rows:  # the latter by rounding only
            return work, rows
        rows.append(worst)
        work.add(points[worst])


def peeling_bound(points, k, eps, best, deadline):
    """Return a bound on the trimmed margin: k + 1 disjoint sets, one of which has no outlier.

    Each set is what bears the hyperplane of the points that are left, so no separator of it has a larger
    margin than its own; the last one's is the largest. With weights `k` is the most points that may be left
    out, and fewer sets will do where the lightest points of each are too heavy together.
    """
    alive, bound, lightest = np.ones(len(points), dtype=bool), 0.0, 0.0
    for _ in range(k + 1):
        if not alive.any():
            return math.inf  # there are too few points for so many sets: nothing is shown
        work, rows = coreset_of(points, alive, eps, (), best, deadline)
        bound = max(bound, work.margin)
        core = np.array(rows)[work.core()]
        alive[core] = False
        lightest += best.weights_of(core).min()
        if lightest > best.budget:
            break
    return bound


def certified(best, eps):
    """Return whether a hyperplane was met that is within ``1 - eps`` of what is possible."""
    return 0.0 < required(best.upper_bound, eps) <= best.margin


def all_subsets(points, eps, best, deadline, method, guesses, most_subsets):
    """OUTLIER SVM or SIMPLE OUTLIER SVM (Figure 4): the hyperplanes of all small subsets.

    `guesses` yields pairs ``(c, R / rho)`` without end: a growing size, and the guess at rho that it is
    enough for (0 for none). It stops by the first of

    * "margin": ``rho_k >= (1 - eps) rho``, the rule of the figure. If rho is above the optimum that is more
      than is asked for, and otherwise c is enough;
    * "complete": c is min(d, n - k), or min(d, n) with weights. So many points bear the optimal hyperplane,
      which was met;
    * "certified": ``rho_k`` is within ``1 - eps`` of `peeling_bound`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        Where the next size has more than `most_subsets` subsets in all.
    """
    (n, d), k = points.shape, best.least
    most, done, looked_at = min(d, n - k), 0, 0
    best.upper_bound = min(best.upper_bound, peeling_bound(points, best.most, eps, best, deadline))
    best.n_looked_at = 0  # of subsets
    largest = np.linalg.norm(points, axis=1).max()
    while True:
        size, ratio = next(guesses)
        sizes = range(done + 1, min(size, most) + 1)
        looked_at += sum(math.comb(n, c) for c in sizes)
        if looked_at > most_subsets:
            raise ValueError(
                f"method must be 'auto', 'branch' or 'sampled' for {n} points with {d} features: {method!r} "
                f"would look at {looked_at} subsets of up to {sizes[-1]} points, and without a time_limit "
                f"at most {most_subsets} are tried"
            )
        for c in sizes:
            chosen, left = np.arange(c), True
            while left:
                _, normal, n_tried, left = best_of_size(
                    points, chosen, float(best.budget), TOGETHER, best.weights
                )
                best.n_looked_at += n_tried
                if normal.any():
                    best.offer(normal)
                deadline.spend()
        done = max(done, min(size, most))
        if ratio > 0.0 and 0.0 < required(largest / ratio, eps) <= best.margin:
            best.upper_bound = min(best.upper_bound, best.margin / (1.0 - eps))
            return "margin"
        if done == most:
            best.upper_bound = max(best.margin, 0.0)
            return "complete"
        if certified(best, eps):
            return "certified"


def branch(points, eps, best, deadline):
    """Search all outlier sets that matter: each holds a point that bears the hyperplane of what is left.

    An outlier set that has none of those points leaves the coreset whole, and so no larger margin than the
    coreset's: then ``1 - eps`` of it was met already. Otherwise one of them, at most d + 1, is taken out, and
    the same holds for the rest. That looks at no more than ``sum_j (d + 1)^j`` coresets for any number of
    points, where Lemma 5.2 takes all ``n^c`` subsets.

    Returns
    -------
    str
        "certified", "searched", or "node limit" after `MAX_NODES` coresets; then only the bound is sure.
    """
    best.upper_bound = min(best.upper_bound, peeling_bound(points, best.most, eps, best, deadline))
    if certified(best, eps):
        return "certified"
    best.n_looked_at = 0
    nothing: frozenset[int] = frozenset()
    seen = {nothing}
    stack: list[tuple[frozenset[int], list[int]]] = [(nothing, [])]
    upper = 0.0
    while stack:
        if best.n_looked_at == MAX_NODES:
            return "node limit"
        removed, start = stack.pop()
        alive = np.ones(len(points), dtype=bool)
        alive[list(removed)] = False
        work, rows = coreset_of(points, alive, eps, start, best, deadline)
        upper = max(upper, work.margin)
        may = best.budget - best.weights_of(list(removed)).sum()
        core = work.core()
        core = core[best.weights_of(np.array(rows)[core]) <= may]
        for at in core[ascending(work.weights[core])]:  # the heaviest is looked at first
            child = removed | {rows[at]}
            if child not in seen:
                seen.add(child)
                stack.append((child, [row for row in rows if row != rows[at]]))
    best.upper_bound = min(best.upper_bound, upper)
    return "searched"


def sampled(points, eps, best, deadline, n_samples, rng):
    """Take random paths down the tree of `branch`, each followed by re-trimming.

    A path takes out k points one by one, each drawn by its weight in the hyperplane of what is left (the
    first path always the heaviest). Then the k points of smallest margin take the place of the k removed
    ones for as long as the margin rises, as in the concentration steps of least trimmed squares. The bound is
    that of k + 1 disjoint conflicts beside the best hyperplane, see `cover`.

    Returns
    -------
    str
        "certified", or "samples used": then only the margin that was met and the bound are sure.
    """
    for sample in range(n_samples):
        before = best.margin
        _path(points, eps, best, deadline, rng if sample else None)
        if best.margin > before or sample == 0:
            cover = Cover(best, deadline)
            wanted = max(best.margin, 0.0) / (1.0 - eps)
            packing = cover.pack(wanted)
            bound = packing.largest if packing.closed else cover.smallest(wanted, best.upper_bound)
            best.upper_bound = min(best.upper_bound, bound)
        if certified(best, eps):
            return "certified"
    return "samples used"


def _path(points, eps, best, deadline, rng):
    """One path of `sampled`; without `rng` the heaviest point is taken out each time."""
    alive = np.ones(len(points), dtype=bool)
    rows: list[int] = []
    may = best.budget
    for _ in range(best.most):
        work, rows = coreset_of(points, alive, eps, rows, best, deadline)
        core = work.core()
        core = core[best.weights_of(np.array(rows)[core]) <= may]
        if len(core) == 0:
            break
        weights = work.weights[core]
        at = core[first_smallest(-weights)] if rng is None else rng.choice(core, p=weights / weights.sum())
        alive[rows[at]] = False
        may -= best.weights_of([rows[at]])[0]
        rows = [row for row in rows if row != rows[at]]
    met = -np.inf
    while True:
        work, rows = coreset_of(points, alive, eps, rows, best, deadline)
        margins = points @ work.normal
        order = ascending(margins, work.margin)
        k = best.cut(order)
        if work.margin == 0.0 or margins[order[k]] <= met * (1.0 + 1e-9):
            return
        met = margins[order[k]]
        alive[:] = True
        alive[order[:k]] = False
        rows = [row for row in rows if alive[row]]
