"""Passes over the rows of an array, a memory map or a dask array, to find those of smallest margin.

Every kind of rows has the same three methods: `scan` finds the rows of smallest margin, `sample` draws
some rows, `blocks` yields all of them in order. A row of sign zero is left out everywhere.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.chunks import n_rows, offsets, over_chunks, smallest_rows
from paperlib._common.rounding import ranks
from paperlib._common.typing import Floats, Integers
from paperlib.coresets._search.margins import margins_and_norms, margins_of, may_be_below
from paperlib.coresets._solver.planes import KernelPlane, LinearPlane
from paperlib.coresets._solver.sizes import check_rows, raise_for_size

BLOCK = 4096  # rows that are converted, or yielded, at a time


class Found(NamedTuple):
    """Rows of the data: by ascending margin, where they come from a scan."""

    indices: Integers
    margins: Floats
    rows: Floats
    signs: Floats


def smallest(margins, count, ceiling=np.inf):
    """Positions of at most `count` smallest margins that are no larger than `ceiling`, ascending.

    Margins that are equal but for rounding come in the order of the rows: which of them is rounded down
    depends on the processor.
    """
    at = np.flatnonzero((margins <= ceiling) & (margins < np.inf))
    if len(at) == 0:
        return at
    found = margins[at]
    keys = ranks(found, np.abs(found).max())
    if len(at) > 2 * count:
        among = keys <= np.partition(keys, count - 1)[count - 1]
        at, keys = at[among], keys[among]
    return at[np.argsort(keys, kind="stable")][:count]


class Pool:
    """Rows held in memory that later scans run over instead of over all data."""

    def __init__(self, found):
        self.indices, _, self.rows, self.signs = found

    def extend(self, found):
        self.indices = np.concatenate([self.indices, found.indices])
        self.rows = np.concatenate([self.rows, found.rows])
        self.signs = np.concatenate([self.signs, found.signs])

    def scan(self, plane, ceiling, count):
        margins = self.signs * plane.scores(self.rows)
        at = smallest(margins, count, ceiling)
        return Found(self.indices[at], margins[at], self.rows[at], self.signs[at])


class ArrayRows:
    """The rows of a numpy array or memory map, read where they lie.

    For each row its last margin is kept, and to which hyperplane. A hyperplane whose unit normal has moved by
    ``delta`` since has changed the margin of ``x`` by at most ``delta ||x||``, so that a scan only reads rows
    that may have come down to its ceiling. Takes 28 bytes a row.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    signs : ndarray of shape (n,), of -1, +1, and 0 for a row that is left out
    coreset : Coreset
        For norms and distances in the space of the normals.
    constant : float
        What the space of the normals adds to the squared norm of a row of `X`.
    """

    def __init__(self, X, signs, coreset, constant):
        self.X, self.signs, self.n_passes = X, signs, 0
        self._coreset, self._constant = coreset, constant
        self._planes: list[LinearPlane | KernelPlane] = []
        # Of each row, once all have been read.
        self._margins, self._norms, self._stamps = np.empty(0), np.empty(0), np.empty(0, dtype=np.int32)
        self._slack = 1e-15 * (10 + X.shape[1])

    @property
    def n(self):
        return len(self.X)

    def _take(self, rows):
        return np.ascontiguousarray(self.X[rows], dtype=np.float64)

    def _reads_in_place(self, plane):
        plain = self.X.flags.c_contiguous and self.X.flags.aligned and self.X.dtype.char in "fd"
        return plain and isinstance(plane, LinearPlane)

    def _read_all(self, plane):
        self._margins, self._norms = np.empty(self.n), np.empty(self.n)
        self._stamps = np.zeros(self.n, dtype=np.int32)
        if self._reads_in_place(plane):
            X = np.asarray(self.X)
            margins_and_norms(X, self.signs, plane.w, plane.b, self._margins, self._norms)
            if self._constant:
                np.hypot(self._norms, np.sqrt(self._constant), out=self._norms)
        else:
            for start in range(0, self.n, BLOCK):
                here = slice(start, start + BLOCK)
                rows, signs = self._take(here), self.signs[here]
                with np.errstate(over="ignore", invalid="ignore"):
                    self._margins[here] = np.where(signs == 0, np.inf, signs * plane.scores(rows))
                    self._norms[here] = self._coreset.norms(rows)
        if not np.isfinite(self._norms.max()):
            raise_for_size(self.X)

    def _read(self, plane, rows):
        margins = np.empty(len(rows))
        if self._reads_in_place(plane):
            margins_of(np.asarray(self.X), rows, self.signs, plane.w, plane.b, margins)
            return margins
        for start in range(0, len(rows), BLOCK):
            here = slice(start, start + BLOCK)
            signs = self.signs[rows[here]]
            margins[here] = np.where(signs == 0, np.inf, signs * plane.scores(self._take(rows[here])))
        return margins

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        self.n_passes += 1
        if not self._planes:
            self._read_all(plane)
            near, margins = np.arange(self.n), self._margins
        else:
            moved = self._coreset.distances(plane, self._planes) * (1.0 + 1e-12) + self._slack
            near = np.empty(self.n, dtype=np.int64)
            near = near[: may_be_below(self._margins, self._norms, self._stamps, moved, ceiling, near)]
            margins = self._read(plane, near)
            self._margins[near], self._stamps[near] = margins, len(self._planes)
        self._planes.append(plane)
        at = smallest(margins, count, ceiling)
        if len(at) == 0 and ceiling < np.inf:
            self.n_passes -= 1
            return self.scan(plane, np.inf, count)
        rows = near[at]
        return Found(rows, margins[at], self._take(rows), self.signs[rows])

    def take(self, rows):
        """Return the `Found` of some rows."""
        return Found(rows, np.empty(0), self._take(rows), self.signs[rows])

    def sample(self, count, rng):
        """At most `count` rows drawn at random; all of them when there are no more."""
        used = np.flatnonzero(self.signs) if (self.signs == 0).any() else None
        n = self.n if used is None else len(used)
        if n <= count:
            self.n_passes += 1
            rows = np.arange(n)
        else:
            rows = np.unique(rng.integers(n, size=count))
        rows = rows if used is None else used[rows]
        taken = self._take(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(np.einsum("ij,ij->", taken, taken)):
                raise_for_size(self.X)
        return Found(rows, np.empty(0), taken, self.signs[rows])

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        for start in range(0, self.n, BLOCK):
            rows = self._take(slice(start, start + BLOCK))
            check_rows(rows)
            yield kept(start, rows, self.signs[start : start + BLOCK])


class ChunkedRows:
    """The rows of a dask array, a chunk at a time on whatever scheduler is active."""

    def __init__(self, X, signs):
        self.X, self.signs, self.n_passes = X, signs, 0
        self.n = n_rows(X)
        self._checked = False

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        unchecked = not self._checked

        def score(block, signs):
            if unchecked:
                check_rows(block)
            margins = signs * plane.scores(np.asarray(block, dtype=np.float64))
            return np.where((signs != 0) & (margins <= ceiling), margins, np.nan)

        self.n_passes += 1
        indices, margins, rows = smallest_rows(score, self.X, self.signs, count=count)
        self._checked = True
        if len(indices) == 0 and ceiling < np.inf:
            return self.scan(plane, np.inf, count)
        return Found(indices, margins, rows.astype(np.float64), self.signs[indices])

    def sample(self, count, rng):
        """At most `count` rows drawn at random; all of them when there are no more."""
        used = np.flatnonzero(self.signs)
        chosen = used if len(used) <= count else used[np.unique(rng.integers(len(used), size=count))]
        wanted = np.zeros(self.n, dtype=bool)
        wanted[chosen] = True

        def take(start, block, wanted):
            check_rows(block)
            return np.asarray(block[wanted], dtype=np.float64)

        self.n_passes += 1
        rows = np.concatenate(over_chunks(take, self.X, wanted))
        self._checked = True
        return Found(chosen, np.empty(0), rows, self.signs[chosen])

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        bounds = offsets(self.X)
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
            rows = np.asarray(self.X[start:end].compute(), dtype=np.float64)
            check_rows(rows)
            yield kept(start, rows, self.signs[start:end])


def kept(start, rows, signs):
    """``(indices, rows, signs)`` of a block that begins at row `start`, without the rows of sign zero."""
    used = signs != 0
    if used.all():
        return np.arange(start, start + len(rows)), rows, signs
    return start + np.flatnonzero(used), rows[used], signs[used]
