"""Rounds of steps over pairs of a row and a wrong label, each followed by a look at all pairs."""

import math

import numpy as np
from scipy.sparse import csr_array, issparse

from paperlib._common.rounding import TIED
from paperlib.coresets._coordinate.ascent import AFRESH, EPOCHS
from paperlib.coresets._coordinate.pairs import Rows, dense_steps, sparse_steps
from paperlib.coresets._coordinate.steps import dense_squared_norms, sparse_squared_norms
from paperlib.coresets._search.search import sample_size


class PairAscent:
    """The weights of all pairs, and the W and margins that belong to them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d); no step may be taken with a row at the origin
    codes : ndarray of shape (n,), of 0 to n_classes - 1
    n_classes : int
    rng : Generator, of the order of the steps

    Attributes
    ----------
    a : ndarray of shape (n, n_classes), zero for the right label
    W : ndarray of shape (n_classes, d), ``sum a_ic z_ic`` of rows multiplied by `scale`
    scale : float, about the inverse of the largest length of a row
    squared : ndarray of shape (n,), squared lengths of the rows multiplied by `scale`
    margins : ndarray of shape (n, n_classes), of all pairs in units of the data, infinity for the right label
    steady : bool, whether the last round found nothing to do
    reads, visits : int, rows read so far, and those of them that steps were taken for
    """

    def __init__(self, X, codes, n_classes, rng):
        n, d = X.shape
        self.X = X if issparse(X) else np.ascontiguousarray(X)
        self.codes, self._rng = codes, rng
        self._matrix = (X.indptr, X.indices, X.data) if issparse(X) else self.X
        self.squared = np.empty(n)
        if issparse(X):
            sparse_squared_norms(*self._matrix, 0.0, self.squared)
        else:
            dense_squared_norms(self.X, 0.0, self.squared)
        radius = math.sqrt(self.squared.max())
        self.scale = 2.0 ** -math.frexp(radius)[1]  # a power of two: nothing is rounded
        self.squared *= self.scale**2
        self.a, self.W = np.zeros((n, n_classes)), np.zeros((n_classes, d))
        count = sample_size(n, n_classes * d)
        # The first round is over a sample: the look after it says which of the others matter.
        first = np.arange(n) if n <= count else np.unique(rng.integers(n, size=count))
        is_active = np.zeros(self.a.shape, dtype=bool)
        is_active[first] = True
        self._activate(is_active)
        self.reads = self.visits = self.rounds = 0
        self.steady = False

    def round(self):
        """Take some steps, and bring `margins` up to date."""
        epochs = EPOCHS[min(self.rounds, len(EPOCHS) - 1)]
        steps = sparse_steps if issparse(self.X) else dense_steps
        n_active = len(self._active.rows)
        for epoch in range(epochs):
            state = (self.codes, self.squared, self.scale, self.a, self.W)
            changed = steps(self._matrix, self._rng.permutation(n_active), self._active, *state)
            if epoch == 0:
                self.steady = changed == 0
        self.visits += epochs * n_active
        self.reads += epochs * n_active
        self.rounds += 1
        if self.rounds % AFRESH == 0:
            self.look()
        else:
            self._measure()

    def look(self):
        """Compute `W` and `margins` anew from `a`, without weights that are rounding."""
        self.a[self.a <= TIED * self.a.max()] = 0.0
        held = np.flatnonzero(self.a.any(axis=1))
        of_class = -self.a[held]
        of_class[np.arange(len(held)), self.codes[held]] = self.a[held].sum(axis=1)
        found = (csr_array(of_class.T) if issparse(self.X) else of_class.T) @ self.X[held]
        self.W = self.scale * (found.toarray() if issparse(found) else found)
        self.reads += len(held)
        self._measure()

    def _measure(self):
        scores = self.X @ self.W.T
        everyone = np.arange(len(scores))
        self.margins = scores[everyone, self.codes][:, None] - scores
        self.margins[everyone, self.codes] = np.inf
        self.reads += len(scores)

    def bounds(self):
        """Return the smallest margin of W's direction, and what no direction exceeds, in units of the data.

        ``W / sum(a)`` is in the hull of the pairs, so that its length bounds every margin from above.
        """
        length = float(np.linalg.norm(self.W))
        lowest = float(self.margins.min()) / length if length > 0.0 else -np.inf
        return lowest, length / float(self.a.sum()) / self.scale

    def go_on(self):
        """Multiply `a` by what is best for the dual, and choose the pairs that have some way to go."""
        factor = float(self.a.sum()) / float(self.W.ravel() @ self.W.ravel())
        self.a *= factor
        self.W *= factor
        self.margins *= factor
        self._activate((self.a > 0.0) | (self.scale * self.margins < 1.0))

    def pairs(self, most=None):
        """Return rows (k,) and wrong labels (k,) of pairs with a weight, in order; the heaviest `most`."""
        held = np.flatnonzero(self.a)
        if most is not None and len(held) > most:
            held = np.sort(held[np.argsort(-self.a.ravel()[held], kind="stable")[:most]])
        return np.unravel_index(held, self.a.shape)

    def _activate(self, is_active):
        is_active[np.arange(len(self.codes)), self.codes] = False
        rows, labels = np.nonzero(is_active)
        rows, starts = np.unique(rows, return_index=True)
        self._active = Rows(rows, np.append(starts, len(labels)), labels)
