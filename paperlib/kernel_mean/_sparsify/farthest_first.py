"""Farthest-first traversal in feature space (Algorithms 1 and 2), at most a pass over the sample each."""

import numpy as np

from paperlib._common.kernels import Gaussian
from paperlib._common.rounding import TIED, first_smallest
from paperlib.kernel_mean._sparsify.nearest_centres import BLOCK, BUNCH, farthest_point, nearest_centres


class GaussianCover:
    """Nearest centres of signed points ``s_i phi(x_i)`` under a Gaussian kernel.

    ``||s phi(x) - s' phi(x')||^2 = 2 - 2 s s' K(x, x')`` is below 2 for equal signs and above 2 for opposite
    ones. So once both signs have a centre every point's nearest one has its own sign, and among those the
    order is that of the Euclidean distance: no exponential is needed, and nothing cancels. Until then the
    farthest point is the one of the other sign that lies nearest to the first centre.

    A point is compared with new centres only when it may be the farthest, and with the rest in one go at the
    end (`partition`): distances never grow, so an old one is a bound, and most points are never in question.
    """

    def __init__(self, kernel, points, signs):
        self.gamma = kernel.gamma
        self.points = np.ascontiguousarray(points, dtype=np.float64)
        self.sides = (signs > 0).astype(np.int64)
        n, d = points.shape
        self.squared = np.full(n, np.inf)
        self.nearest = np.zeros(n, dtype=np.int64)
        self.seen = np.zeros(n, dtype=np.int64)
        self.centres_t = np.empty((2, d, BUNCH))
        self.names = np.empty((2, BUNCH), dtype=np.int64)
        self.counts = np.zeros(2, dtype=np.int64)
        self.bounds = np.full(-(-n // BLOCK), np.inf)
        self.likely = 0

    def add(self, centre):
        """Add a centre; return the farthest point from all centres and its distance."""
        side = self.sides[centre]
        count = self.counts[side]
        # Doubled where they are full, so that adding m centres copies O(m) of them in all.
        if count == self.names.shape[1]:
            self.centres_t = np.concatenate([self.centres_t, np.empty_like(self.centres_t)], axis=2)
            self.names = np.concatenate([self.names, np.empty_like(self.names)], axis=1)
        self.centres_t[side, :, count] = self.points[centre]
        # Each sign has its own centres, but their names count both, in the order in which they were added.
        self.names[side, count] = self.counts.sum()
        self.counts[side] += 1
        if (self.counts == 0).any():
            others = np.flatnonzero(self.sides != side)
            if others.size:
                with np.errstate(over="ignore"):  # so far away that the kernel is zero
                    offsets = self.points[others] - self.points[centre]
                    apart = np.einsum("ij,ij->i", offsets, offsets)
                    closest = first_smallest(apart)
                    return others[closest], np.sqrt(2.0 + 2.0 * np.exp(-self.gamma * apart[closest]))
        farthest = farthest_point(
            self.points, self.sides, self.centres_t, self.names, self.counts,
            self.squared, self.nearest, self.seen, self.bounds, self.likely,
        )  # fmt: skip
        self.likely = farthest // BLOCK
        with np.errstate(over="ignore"):  # so far away that the kernel is zero
            # `expm1`: for a point near its centre 2 - 2 K would be rounding.
            return farthest, np.sqrt(-2.0 * np.expm1(-self.gamma * self.squared[farthest]))

    def partition(self):
        """Each point's nearest centre, (n,), by the order in which the centres were added."""
        with np.errstate(over="ignore"):
            origin = self.points.mean(axis=0)
        for side in np.flatnonzero(self.counts):
            centres, names = (each[side, ..., : self.counts[side]] for each in (self.centres_t, self.names))
            chosen = np.flatnonzero(self.sides == side)
            nearest_centres(self.points, chosen, centres, names, origin, self.nearest)
        return self.nearest


class KernelCover:
    """Nearest centres of signed points under any kernel, from one row of the kernel matrix a centre."""

    def __init__(self, kernel, points, signs):
        self.kernel, self.points, self.signs = kernel, points, signs
        self.diagonal = kernel.diagonal(points)
        self.squared = np.full(len(signs), np.inf)
        self.nearest = np.zeros(len(signs), dtype=np.int64)
        self.count = 0

    def add(self, centre):
        """Add a centre; return the farthest point from all centres and its distance."""
        row = self.kernel.matrix(self.points[centre][None], self.points)[0]
        squared = self.diagonal + self.diagonal[centre] - 2.0 * self.signs * self.signs[centre] * row
        # Rounding may have left something, by which the centre could be chosen again.
        squared[centre] = 0.0
        # Of centres that are equally near the first stays, whatever the rounding.
        closer = squared < self.squared - TIED * self.diagonal.max()
        self.squared[closer] = squared[closer]
        self.nearest[closer] = self.count
        self.count += 1
        farthest = first_smallest(-self.squared)
        return farthest, np.sqrt(max(self.squared[farthest], 0.0))

    def partition(self):
        """Each point's nearest centre, (n,), by the order in which the centres were added."""
        return self.nearest


def farthest_first(kernel, points, signs, m, first=0, stop=None):
    """Choose up to `m` centres, each the point farthest from those before it (Gonzalez).

    The partition by the nearest centre has a diameter of at most ``2 * radii[-1]``, at most twice that of
    the best partition in as many parts. Time O(m n d) at most, memory O(n) beside the points.

    Parameters
    ----------
    kernel : kernel object
    points : ndarray of shape (n, d)
    signs : ndarray of shape (n,), of +1.0 and -1.0
        The traversal runs over ``signs[i] * phi(points[i])``.
    m : int, 1 <= m <= n
    first : int
        Where to begin; the paper says "arbitrarily".
    stop : callable, optional
        ``stop(k, radius)`` ends the traversal after `k` centres when true (Algorithm 2).

    Returns
    -------
    centres : ndarray of shape (k,), k <= m
        Fewer than `m` when every point coincides with a centre, or `stop` said so.
    nearest : ndarray of shape (n,)
        Each point's centre, as a position in `centres`.
    radii : ndarray of shape (k,)
        Largest distance of a point to its nearest centre, after each centre.
    """
    cover = (GaussianCover if isinstance(kernel, Gaussian) else KernelCover)(kernel, points, signs)
    centres, radii = [], []
    candidate = first
    while True:
        centres.append(candidate)
        candidate, radius = cover.add(candidate)
        radii.append(radius)
        if len(centres) == m or radius == 0 or (stop is not None and stop(len(centres), radius)):
            return np.array(centres), cover.partition(), np.array(radii)
