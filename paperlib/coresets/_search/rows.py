"""Passes over the rows of an array, memory map, CSR matrix or dask array, to find those of smallest margin.

Every kind of rows has the same methods: `scan` finds the rows of smallest margin, `sample` draws some rows,
`blocks` yields all of them in order, and what `Rows` has. A row of sign zero is left out everywhere.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms

from paperlib._common.chunks import ROWS, n_rows, offsets, over_chunks, smallest_rows
from paperlib._common.rounding import ranks
from paperlib._common.typing import Floats, Integers
from paperlib.coresets._search.inputs import check_rows, raise_for_size
from paperlib.coresets._search.margins import keep_steps, margins_and_norms, margins_of, step_of, up_to_step
from paperlib.coresets._solver.coresets import KernelPlane, LinearPlane

BLOCK = 4096  # rows that are converted, or yielded, at a time
ENTRIES = 1 << 20  # numbers in a block of rows that are written out


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
    # Whatever is tied with the last one stays, so that the first rows of those are taken.
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


def smaller(some, more, count):
    """Return the `count` smallest margins, and their rows, of two lists of ``(rows, margins)``."""
    rows, margins = map(np.concatenate, zip(some, more))
    order = np.argsort(rows)  # ties are in the order of the rows
    at = order[smallest(margins[order], count)]
    return rows[at], margins[at]


class Rows:
    """What all kinds of rows have in common, where these do not know better."""

    n_passes: int

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        raise NotImplementedError

    def peek(self):
        """Return the first block that has rows, which counts as no pass."""
        first = next(block for block in self.blocks() if len(block[0]))
        self.n_passes -= 1
        return first

    def meet_both_labels(self):
        """Read on to the second label, where a search ended before it: they are known beforehand."""


class ArrayRows(Rows):
    """The rows of a numpy array or memory map, read where they lie.

    A row whose margin to one hyperplane was ``ceiling + delta ||x||`` is above the ceiling for every
    hyperplane whose unit normal is within ``delta`` of that one's, so that a scan only reads rows that may
    have come down. Kept of a row are its sign and that `delta`, rounded down to one of 127 steps, in one
    byte. Once the rows that were read again are half of all, all are read, and the hyperplane of that scan
    takes the place of the one before.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    signs : ndarray of shape (n,), of -1, +1, and 0 for a row that is left out
        Where these are int8, their own memory is used for the steps.
    coreset : Coreset
        For norms and distances in the space of the normals.
    constant : float
        What the space of the normals adds to the squared norm of a row of `X`.
    """

    def __init__(self, X, signs, coreset, constant):
        self.X, self.signs, self.n_passes = X, np.asarray(signs, dtype=np.int8), 0
        self._coreset, self._constant = coreset, constant
        # Rounding of a margin, beside the norm of its row: a few roundings for each feature.
        self._slack = 1e-15 * (10 + X.shape[1])
        # Of the last reading of all rows: by what, how many have each step, how many were read since.
        self._plane: LinearPlane | KernelPlane | None = None
        self._ceiling, self._counts, self._again = -np.inf, np.zeros(128, dtype=np.int64), 0
        self._longest = float(np.finfo(float).tiny)  # it is divided by

    @property
    def n(self):
        return len(self.X)

    def _take(self, rows):
        return np.ascontiguousarray(self.X[rows], dtype=np.float64)

    def _signs_of(self, rows):
        return np.sign(self.signs[rows]).astype(np.float64)

    def _reads_in_place(self, plane):
        plain = self.X.flags.c_contiguous and self.X.flags.aligned
        plain = plain and self.X.dtype.char in "fd" and self.X.dtype.isnative  # the byte order of kernels
        return plain and isinstance(plane, LinearPlane)

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        self.n_passes += 1
        step = self._step_to_read(plane, ceiling)
        if step is None:
            self._plane, self._ceiling, self._again = plane, ceiling, 0
            self._counts[:] = 0
        best = np.zeros(0, dtype=np.int64), np.zeros(0)
        for start in range(0, self.n, ROWS):
            rows, margins = (
                self._read_all(plane, start) if step is None else self._read_near(plane, start, step)
            )
            at = smallest(margins, count, ceiling)
            found = rows[at], margins[at]
            if len(at):
                best = smaller(best, found, count) if len(best[0]) else found
        rows, margins = best
        if len(rows) == 0 and ceiling < np.inf:
            # No row is up to the ceiling: all are read for the smallest margin, as one pass with it.
            self.n_passes -= 1
            return self.scan(plane, np.inf, count)
        return Found(rows, margins, self._take(rows), self._signs_of(rows))

    def _step_to_read(self, plane, ceiling):
        """Return up to which step rows have to be read again, None where all of them are to be read."""
        if self._plane is None or ceiling > self._ceiling:
            return None
        moved = self._coreset.distances(plane, [self._plane]) * (1.0 + 1e-12) + self._slack
        # A ceiling that came down lets the normal move farther, least for the longest row.
        step = step_of(float(moved[0]) - (self._ceiling - ceiling) / self._longest)
        self._again += int(self._counts[: step + 1].sum())
        return step if 2 * self._again <= self.n else None

    def _read_all(self, plane, start):
        """Read a block of rows and keep their steps; return their numbers and margins."""
        codes = self.signs[start : start + ROWS]  # a view, into which the steps are written
        margins, norms = np.empty(len(codes)), np.empty(len(codes))
        if self._reads_in_place(plane):
            X = np.asarray(self.X[start : start + ROWS])
            margins_and_norms(X, codes, plane.w, plane.b, margins, norms)
            if self._constant:
                np.hypot(norms, np.sqrt(self._constant), out=norms)
        else:
            for first in range(0, len(codes), BLOCK):
                here = slice(first, min(first + BLOCK, len(codes)))
                at = slice(start + here.start, start + here.stop)
                rows, signs = self._take(at), self._signs_of(at)
                with np.errstate(over="ignore", invalid="ignore"):
                    margins[here] = np.where(signs == 0, np.inf, signs * plane.scores(rows))
                    norms[here] = self._coreset.norms(rows)
        self._longest = float(np.maximum(self._longest, norms.max()))  # NaN stays
        if not np.isfinite(self._longest):
            raise_for_size(self.X)
        keep_steps(margins, norms, self._ceiling, codes, self._counts)
        return np.arange(start, start + len(codes)), margins

    def _read_near(self, plane, start, step):
        """Read the rows of a block that may have come down; return their numbers and margins."""
        codes = self.signs[start : start + ROWS]
        rows = np.empty(len(codes), dtype=np.int64)
        rows = rows[: up_to_step(codes, step, rows)] + start
        margins = np.empty(len(rows))
        if self._reads_in_place(plane):
            margins_of(np.asarray(self.X), rows, self.signs, plane.w, plane.b, margins)
        else:
            for first in range(0, len(rows), BLOCK):
                here = slice(first, first + BLOCK)
                margins[here] = self._signs_of(rows[here]) * plane.scores(self._take(rows[here]))
        return rows, margins

    def take(self, rows):
        """Return the `Found` of some rows."""
        return Found(rows, np.empty(0), self._take(rows), self._signs_of(rows))

    def sample(self, count, rng):
        """At most `count` rows drawn at random; all of them when there are no more."""
        rows, everything = drawn(self.signs, count, rng)
        self.n_passes += everything
        taken = self._take(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(np.einsum("ij,ij->", taken, taken)):
                raise_for_size(self.X)
        return Found(rows, np.empty(0), taken, self._signs_of(rows))

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        for start in range(0, self.n, BLOCK):
            here = slice(start, start + BLOCK)
            rows = self._take(here)
            check_rows(rows)
            yield kept(start, rows, self._signs_of(here))


class SparseRows(Rows):
    """The rows of a CSR matrix (n, d), as `ArrayRows` has them; a scan is one product with the matrix.

    Only the rows that a search takes in are ever written out.
    """

    def __init__(self, X, signs):
        self.X, self.signs, self.n_passes = X, signs, 0
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(row_norms(X, squared=True).max()):
                raise_for_size(X)

    @property
    def n(self):
        return self.X.shape[0]

    def take(self, rows, margins=None):
        """Return the `Found` of some rows, with their margins where these are known."""
        margins = np.empty(0) if margins is None else margins
        return Found(rows, margins, self._written_out(rows), self.signs[rows].astype(np.float64))

    def scan(self, plane, ceiling, count):
        """Rows of smallest margin of those up to `ceiling`, at most `count`; some row if there is none."""
        self.n_passes += 1
        margins = np.where(self.signs == 0, np.inf, self.signs * plane.scores(self.X))
        at = smallest(margins, count, ceiling)
        if len(at) == 0 and ceiling < np.inf:
            at = smallest(margins, count)
        return self.take(at, margins[at])

    def sample(self, count, rng):
        """At most `count` rows drawn at random; all of them when there are no more."""
        rows, everything = drawn(self.signs, count, rng)
        self.n_passes += everything
        return self.take(rows)

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        step = max(1, ENTRIES // self.X.shape[1])
        for start in range(0, self.n, step):
            here = slice(start, start + step)
            yield kept(start, self._written_out(here), self.signs[here].astype(np.float64))

    def _written_out(self, rows):
        return self.X[rows].toarray().astype(np.float64, copy=False)


class ChunkedRows(Rows):
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
            return np.where((signs != 0) & (margins <= ceiling), margins, np.nan)  # NaN: left out

        self.n_passes += 1
        indices, margins, rows = smallest_rows(score, self.X, self.signs, count=count)
        self._checked = True
        if len(indices) == 0 and ceiling < np.inf:
            return self.scan(plane, np.inf, count)
        return Found(indices, margins, rows.astype(np.float64), self.signs[indices].astype(np.float64))

    def sample(self, count, rng):
        """At most `count` rows drawn at random; all of them when there are no more."""
        chosen, _ = drawn(self.signs, count, rng)
        wanted = np.zeros(self.n, dtype=bool)
        wanted[chosen] = True

        def take(start, block, wanted):
            check_rows(block)
            return np.asarray(block[wanted], dtype=np.float64)

        self.n_passes += 1
        rows = np.concatenate(over_chunks(take, self.X, wanted))
        self._checked = True
        return Found(chosen, np.empty(0), rows, self.signs[chosen].astype(np.float64))

    def blocks(self):
        """Yield ``(indices, rows, signs)``, all rows in order."""
        self.n_passes += 1
        bounds = offsets(self.X)
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
            rows = np.asarray(self.X[start:end].compute(), dtype=np.float64)
            check_rows(rows)
            yield kept(start, rows, self.signs[start:end].astype(np.float64))


def drawn(signs, count, rng):
    """At most `count` rows of signs other than zero, drawn at random, and whether these are all there are."""
    n = np.count_nonzero(signs)
    if n <= count:
        return np.flatnonzero(signs), True
    # Drawn with replacement, and each kept once: no permutation of all rows is made.
    ranks_of = np.unique(rng.integers(n, size=count))
    if n == len(signs):
        return ranks_of, False
    found, before = [], 0
    for start in range(0, len(signs), ROWS):  # so that no list of all rows is made
        used = start + np.flatnonzero(signs[start : start + ROWS])
        first, end = np.searchsorted(ranks_of, [before, before + len(used)])
        found.append(used[ranks_of[first:end] - before])
        before += len(used)
    return np.concatenate(found), False


def kept(start, rows, signs):
    """``(indices, rows, signs)`` of a block that begins at row `start`, without the rows of sign zero."""
    used = signs != 0
    if used.all():
        return np.arange(start, start + len(rows)), rows, signs
    return start + np.flatnonzero(used), rows[used], signs[used]
