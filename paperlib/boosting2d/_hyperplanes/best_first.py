"""Best first search over hyperplanes, in parts that `plunge` does, from a heap of boxes."""

import heapq
from itertools import count
from math import comb
from typing import NamedTuple

import numpy as np

from paperlib.boosting2d._hyperplanes.boxes import ON, Sample
from paperlib.boosting2d._hyperplanes.plunge import Best, plunge

PART = 1 << 16  # products of vectors for a box from the heap
LOOKS = 20  # at each point, at least: with fewer, the boxes left behind would have all points active
OPERATIONS = 20_000_000  # in a part, where there is a time limit: some tenths of a second
CROWD = 500  # boxes in the heap; where there are more, each is searched for longer, and leaves fewer behind
SUBSETS = 2_000  # subsets of d active points that are tried at most, rather than cutting a box again
LARGEST_LEAF = 64  # active points


class Optimum(NamedTuple):
    """What a search found.

    Attributes
    ----------
    weight : float
        The least that was met, or what was known before.
    plane : ndarray of shape (D,), or None
        A hyperplane of this weight, off all points; None if nothing better than what was known was met.
    lower_bound : float
        No hyperplane misclassifies less, up to `gain`.
    finished : bool
    """

    weight: float
    plane: np.ndarray | None
    lower_bound: float
    finished: bool


def least_weight(sample, known, gain, deadline):
    """Find the hyperplane that misclassifies the least weight.

    Parameters
    ----------
    sample : Sample
        Vectors that span all D dimensions.
    known : float
        A weight; only less is of interest.
    gain : float
        At least this much less.
    deadline : Deadline

    Returns
    -------
    Optimum
    """
    # No weight is below zero.
    if known < gain:
        return Optimum(known, None, known, True)
    if sample.vectors.shape[1] == 1:
        return _on_a_line(sample, known, gain)
    search = _Search(sample, known, gain, deadline)
    while search.heap and search.heap[0][0] <= search.best.weight - gain and not deadline.is_over():
        search.go_on()
    bounds = [box[0] for box in search.heap[:1]] + search.unfinished
    # Boxes with a higher bound hold nothing that is better by `gain`.
    lower = min([search.best.weight, *(bound for bound in bounds if bound <= search.best.weight - gain)])
    return Optimum(search.best.weight, search.plane, lower, lower == search.best.weight)


def _on_a_line(sample, known, gain):
    """Do as `least_weight` for numbers, of which one sign is misclassified."""
    ahead = sample.vectors[:, 0] > 0
    if_plus, if_minus = float(sample.weights[~ahead].sum()), float(sample.weights[ahead].sum())
    weight = min(if_plus, if_minus)
    if weight > known - gain:
        return Optimum(known, None, known, True)
    return Optimum(weight, np.array([1.0 if if_plus == weight else -1.0]), weight, True)


def _leaning(vectors, plane, toward):
    """Return ``plane`` turned toward a vector, but past no point that it has in front and not on it."""
    products, others = vectors @ plane, vectors @ toward
    passed = (products > ON) & (others < 0)
    most = (products[passed] / -others[passed]).min(initial=1.0)
    return plane + toward * (most / 2)


class _Search:
    """The heap of open boxes, and the best hyperplane so far."""

    def __init__(self, sample, known, gain, deadline):
        n, D = sample.vectors.shape
        self.sample, self.gain, self.deadline = sample, gain, deadline
        self.best, self.plane = Best(known, np.zeros(D), False), None
        self.unfinished, self._seen, self._order = [], set(), count()
        self._leaf = _leaf(D)
        everything = np.arange(n, dtype=np.int32)
        self.heap = []
        for center in np.concatenate([np.eye(D), -np.eye(D)]):
            self._push(0.0, center, 1.0 - np.abs(center), 0.0, everything)

    def _push(self, bound, *box):
        # The number breaks ties: arrays cannot be compared.
        heapq.heappush(self.heap, (bound, next(self._order), *box))

    def go_on(self):
        """Search the box with the least bound for a while."""
        _, _, center, half, base, items = heapq.heappop(self.heap)
        part = max(PART, LOOKS * len(self.sample.weights)) * (1 + len(self.heap) // CROWD)
        if self.deadline.left() is not None:
            part = min(part, OPERATIONS // self.sample.vectors.shape[1])
        best, boxes, left, crowded = plunge(
            self.sample, items, (center, half, base), self.best, self.gain, self._leaf, part
        )
        if best.weight < self.best.weight:
            self.best, self.plane = best, best.plane
            if best.touches:
                vectors = self.sample.vectors
                # At most d points in general position are on it: some direction has all of them in front.
                on = vectors[np.abs(vectors @ best.plane) <= ON]
                self.plane = _leaning(vectors, best.plane, np.linalg.lstsq(on, np.ones(len(on)))[0])
        limit = self.best.weight - self.gain
        for k in range(left):
            if boxes.bounds[k] <= limit:
                # A copy, so that the rest of the arena is freed.
                items = boxes.arena[boxes.begin[k] : boxes.end[k]].copy()
                self._push(boxes.bounds[k], boxes.centers[k], boxes.halves[k], boxes.bases[k], items)
        for k in range(crowded.size):
            self._look_around(crowded.planes[k])

    def _look_around(self, plane):
        """Find the best of the hyperplanes next to one that many points are on."""
        vectors, weights = self.sample
        products = vectors @ plane
        on = np.abs(products) <= ON
        weight = float(weights[~on & (products < 0)].sum())
        known = self.best.weight - weight
        key = (on.tobytes(), weight)
        if known < self.gain or key in self._seen:
            return
        self._seen.add(key)
        # The points on it, in coordinates of their own, one fewer. What is not on it keeps its side.
        flat = _complement(plane)
        inside = vectors[on] @ flat
        # `ON` is for vectors of length one.
        inside /= np.linalg.norm(inside, axis=1)[:, None]
        found = least_weight(Sample(inside, weights[on]), known, self.gain, self.deadline)
        if found.plane is not None:
            self.best = Best(weight + found.weight, plane, False)
            self.plane = _leaning(vectors, plane, flat @ found.plane)
        if not found.finished:
            self.unfinished.append(weight + found.lower_bound)


def _leaf(D):
    """Return how many active points a box is finished with: few have few subsets of D - 1."""
    size = D - 1
    while size < LARGEST_LEAF and comb(size + 1, D - 1) <= SUBSETS:
        size += 1
    return size


def _complement(plane):
    """Return an orthonormal basis (D, D - 1) of what is orthogonal to a unit vector."""
    return np.ascontiguousarray(np.linalg.svd(plane[None, :])[2][1:].T)
