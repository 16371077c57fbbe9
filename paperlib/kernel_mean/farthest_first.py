"""Farthest-first traversal in feature space (Algorithms 1 and 2), at most a pass over the sample each."""

import math

import numpy as np

from paperlib._common.jit import jit
from paperlib._common.kernels import Gaussian

_LARGEST = np.finfo(np.float64).max  # an overflowed distance is still nearer than no centre at all
_EPS = np.finfo(np.float64).eps
_BUNCH = 64  # centres that a point is compared with at a time
_BLOCK = 256  # points that share a bound
_CHUNK = 1024  # centres whose inner products with a block are held at a time


@jit
def compare(point, centres_t, names, start, end, floor, squared, nearest, sums):
    """Compare a point with the centres ``start .. end - 1``, a bunch at a time, until it is within `floor`.

    Returns the squared distance to its nearest centre, that centre's name, and how many have been seen.
    """
    while start < end:
        size = min(_BUNCH, end - start)
        sums[:size] = 0.0
        for k in range(point.shape[0]):
            row = centres_t[k, start : start + size]
            x = point[k]
            for c in range(size):
                difference = x - row[c]
                sums[c] += difference * difference
        for c in range(size):
            distance = min(sums[c], _LARGEST)
            if distance < squared:
                squared, nearest = distance, names[start + c]
        start += size
        if squared < floor:
            break
    return squared, nearest, start


@jit
def farthest_point(points, sides, centres_t, names, counts, squared, nearest, seen, bounds, likely):
    """The point farthest from all centres of its own side, the first of those where several are.

    `squared` and `nearest` (n,) hold for the first ``seen[i]`` centres of the point's side, so `squared` is
    an upper bound, and so is ``bounds[b]`` for a block of points: only what is above the best distance found
    so far is brought up to date, the block `likely` first. Everything is updated in place.
    """
    sums = np.empty(_BUNCH)
    best, farthest = -1.0, -1
    for turn in range(bounds.size + 1):
        block = likely if turn == 0 else turn - 1
        start, end = block * _BLOCK, min((block + 1) * _BLOCK, points.shape[0])
        if bounds[block] < best or (bounds[block] == best and start > farthest):
            continue
        bound = 0.0
        for i in range(start, end):
            if squared[i] > best or (squared[i] == best and i < farthest):
                side = sides[i]
                if seen[i] < counts[side]:
                    squared[i], nearest[i], seen[i] = compare(
                        points[i], centres_t[side], names[side], seen[i], counts[side], best,
                        squared[i], nearest[i], sums,
                    )  # fmt: skip
                if squared[i] > best or (squared[i] == best and i < farthest):
                    best, farthest = squared[i], i
            bound = max(bound, squared[i])
        bounds[block] = bound
    return farthest


@jit
def two_nearest(products, centre_squares, first, least, second, which):
    """Fold ``centre_squares[first + c] - 2 products[c, i]`` into the two least values and where one is."""
    for c in range(products.shape[0]):
        row, own = products[c], centre_squares[first + c]
        for i in range(products.shape[1]):
            value = own - 2.0 * row[i]
            second[i] = min(second[i], max(value, least[i]))
            which[i] = first + c if value < least[i] else which[i]
            least[i] = min(value, least[i])


@jit
def nearest_centres(points, chosen, centres_t, names, origin, nearest):
    """Write the nearest centre of each point in `chosen` into `nearest`, the first where several are.

    Inner products tell it, up to their rounding; where that leaves a doubt, the differences do.
    """
    d, count = centres_t.shape
    sums = np.empty(_BUNCH)
    shifted = np.empty((count, d))
    centre_squares = np.zeros(count)
    for c in range(count):
        for k in range(d):
            shifted[c, k] = centres_t[k, c] - origin[k]
            centre_squares[c] += shifted[c, k] ** 2
    reach = math.sqrt(centre_squares.max())
    away = 0.0
    for k in range(d):
        away += origin[k] ** 2
    away = math.sqrt(away)
    products = np.empty(min(count, _CHUNK) * _BLOCK)
    for start in range(0, chosen.size, _BLOCK):
        size = min(_BLOCK, chosen.size - start)
        block = np.empty((d, size))
        squares = np.zeros(size)
        for k in range(d):
            for i in range(size):
                block[k, i] = points[chosen[start + i], k] - origin[k]
                squares[i] += block[k, i] ** 2
        least, second = np.full(size, np.inf), np.full(size, np.inf)
        which = np.zeros(size, dtype=np.int64)
        for c in range(0, count, _CHUNK):
            c_end = min(count, c + _CHUNK)
            values = products[: (c_end - c) * size].reshape(c_end - c, size)
            np.dot(shifted[c:c_end], block, values)
            two_nearest(values, centre_squares, c, least, second, which)
        for i in range(size):
            extent = math.sqrt(squares[i]) + reach
            rounding = 16.0 * (d + 4) * _EPS * extent * (extent + away) + 1e-300
            if second[i] - least[i] > rounding:  # false for NaN too
                nearest[chosen[start + i]] = names[which[i]]
            else:
                _, nearest[chosen[start + i]], _ = compare(
                    points[chosen[start + i]], centres_t, names, 0, count, -1.0, np.inf, 0, sums
                )


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
        self.centres_t = np.empty((2, d, _BUNCH))
        self.names = np.empty((2, _BUNCH), dtype=np.int64)
        self.counts = np.zeros(2, dtype=np.int64)
        self.bounds = np.full(-(-n // _BLOCK), np.inf)
        self.likely = 0

    def add(self, centre):
        """Add a centre; return the farthest point from all centres and its distance."""
        side = self.sides[centre]
        count = self.counts[side]
        if count == self.names.shape[1]:
            self.centres_t = np.concatenate([self.centres_t, np.empty_like(self.centres_t)], axis=2)
            self.names = np.concatenate([self.names, np.empty_like(self.names)], axis=1)
        self.centres_t[side, :, count] = self.points[centre]
        self.names[side, count] = self.counts.sum()
        self.counts[side] += 1
        if (self.counts == 0).any():
            others = np.flatnonzero(self.sides != side)
            if others.size:
                offsets = self.points[others] - self.points[centre]
                apart = np.einsum("ij,ij->i", offsets, offsets)
                closest = apart.argmin()
                return others[closest], np.sqrt(2.0 + 2.0 * np.exp(-self.gamma * apart[closest]))
        farthest = farthest_point(
            self.points, self.sides, self.centres_t, self.names, self.counts,
            self.squared, self.nearest, self.seen, self.bounds, self.likely,
        )  # fmt: skip
        self.likely = farthest // _BLOCK
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
        squared[centre] = 0.0
        closer = squared < self.squared
        self.squared[closer] = squared[closer]
        self.nearest[closer] = self.count
        self.count += 1
        farthest = self.squared.argmax()
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
