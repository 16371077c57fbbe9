"""Passes over the rows of a CSR matrix: only the rows that a search takes in are ever written out."""

import numpy as np
from sklearn.utils.extmath import row_norms

from paperlib.coresets._search.inputs import raise_for_size
from paperlib.coresets._search.rows import Found, Rows, drawn, kept, smallest

ENTRIES = 1 << 20  # numbers in a block of rows that are written out


class SparseRows(Rows):
    """The rows of a CSR matrix (n, d), as `ArrayRows` has them; a scan is one product with the matrix."""

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
