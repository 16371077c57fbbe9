"""Farthest-first traversal in the feature space (Algorithms 1 and 2), one pass over the sample a centre."""

import numpy as np
from numba import njit

from paperlib._kernels import Gaussian

_BLOCK = 512  # points whose distances are accumulated at a time, in L1
_LARGEST = np.finfo(np.float64).max  # an overflowed distance is still nearer than no centre at all


@njit(cache=True, nogil=True)
def cover_same_sign(points_t, signs, centre, label, squared, nearest):
    """Update, in place, each point's squared distance to its nearest centre of its own sign.

    `points_t` is (d, n); `squared` and `nearest` are (n,). Points of the other sign are left as they are.
    """
    d, n = points_t.shape
    sums = np.empty(_BLOCK)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        sums[:size] = 0.0
        for k in range(d):
            row = points_t[k, start : start + size]
            origin = points_t[k, centre]
            for i in range(size):
                difference = row[i] - origin
                sums[i] += difference * difference
        for i in range(size):
            distance = min(sums[i], _LARGEST)
            if signs[start + i] == signs[centre] and distance < squared[start + i]:
                squared[start + i] = distance
                nearest[start + i] = label


class GaussianCover:
    """Nearest centres of signed points ``s_i phi(x_i)`` under a Gaussian kernel.

    ``||s phi(x) - s' phi(x')||^2 = 2 - 2 s s' K(x, x')`` is below 2 for equal signs and above 2 for opposite
    ones. So once both signs have a centre every point's nearest one has its own sign, and among those the
    order is that of the Euclidean distance: no exponential is needed, and nothing cancels. Until then the
    farthest point is the one of the other sign that lies nearest to the first centre.
    """

    def __init__(self, kernel, points, signs):
        self.gamma = kernel.gamma
        self.points_t = np.ascontiguousarray(points.T)
        self.signs = signs
        self.squared = np.full(len(signs), np.inf)
        self.nearest = np.zeros(len(signs), dtype=np.int64)
        self.count = 0

    def add(self, centre):
        """Add a centre; return the farthest point from all centres and its distance."""
        cover_same_sign(self.points_t, self.signs, centre, self.count, self.squared, self.nearest)
        self.count += 1
        uncovered = np.isinf(self.squared)
        if uncovered.any():
            candidates = np.flatnonzero(uncovered)
            offsets = self.points_t[:, candidates] - self.points_t[:, [centre]]
            apart = np.einsum("ij,ij->j", offsets, offsets)
            closest = apart.argmin()
            return candidates[closest], np.sqrt(2.0 + 2.0 * np.exp(-self.gamma * apart[closest]))
        farthest = self.squared.argmax()
        return farthest, np.sqrt(-2.0 * np.expm1(-self.gamma * self.squared[farthest]))


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


def farthest_first(kernel, points, signs, m, first=0, stop=None):
    """Choose up to `m` centres, each the point farthest from those before it (Gonzalez).

    The partition by the nearest centre has a diameter of at most ``2 * radii[-1]``, at most twice that of
    the best partition in as many parts. Time O(m n d), memory O(n d).

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
            return np.array(centres), cover.nearest, np.array(radii)
