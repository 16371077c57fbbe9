"""Passes over an array in the space of a kernel, that keep the kernel's values while these are few."""

import numpy as np

from paperlib.coresets._kernel_solver.blocks import fill
from paperlib.coresets._search.rows import BLOCK, ArrayRows, Found, smallest

HELD = 1 << 25  # kernel values that are kept at most: 256 MB


class HeldRows(ArrayRows):
    """The rows of an array, and of each the kernel's values with the points that have borne weight.

    A pass computes those of the points that bear weight for the first time, and then is one product. Where
    they would be more than `HELD` numbers, none are kept, and passes are those of `ArrayRows`.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    signs : ndarray of shape (n,), of -1, +1, and 0 for a row that is left out
    pool : KernelPool
    """

    def __init__(self, X, signs, pool):
        super().__init__(X, signs, pool, 0.0)
        self._pool, self._known = pool, np.zeros(0, dtype=np.int64)
        self._used = np.count_nonzero(signs)
        # Row j has the values of point `_known[j]`; points are in the order in which they first bore weight.
        self._values = np.empty((HELD // self.n, self.n))  # pages that are not written to take no memory

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        bear = np.flatnonzero(plane.normal)
        if len(self._pool) == self._used:  # all margins are in its Gram matrix
            margins = np.full(self.n, np.inf)
            margins[self._pool.indices] = self._pool.margins(plane.normal)
            return self._found(margins, ceiling, count)
        unknown = plane.normal != 0.0
        # The hyperplane may be of a smaller coreset, before later points were known.
        unknown[self._known[self._known < len(unknown)]] = False
        new = np.flatnonzero(unknown)
        known = np.concatenate([self._known, new])
        if len(known) > len(self._values) or len(bear) == 0:
            self._values = self._values[:0]  # none from now on
            return super().scan(plane, ceiling, count)
        points, signs = self._pool.points
        self._learn(points[new])
        self._known = known
        scores = np.zeros(len(signs))
        scores[: len(plane.normal)] = plane.normal
        scores = (scores * signs)[known] @ self._values[: len(known)]
        return self._found(np.where(self.signs == 0, np.inf, self.signs * scores), ceiling, count)

    def _found(self, margins, ceiling, count):
        self.n_passes += 1
        at = smallest(margins, count, ceiling)
        if len(at) == 0:
            at = smallest(margins, count)
        return Found(at, margins[at], self._take(at), self._signs_of(at))

    def _learn(self, new):
        first, k = len(self._known) == 0, len(self._known)
        for start in range(0, self.n, BLOCK):
            here = slice(start, start + BLOCK)
            rows = self._take(here)
            if first:  # that no value is out of range
                self._pool.norms(rows)
            if len(new):
                fill(self._pool.blocks, new, rows, self._values[k : k + len(new), here])
