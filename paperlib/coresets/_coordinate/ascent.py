"""Rounds of coordinate steps over the rows that may still matter, each followed by a look at all rows."""

import math
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from paperlib._common.rounding import TIED
from paperlib._common.typing import Floats, Integers
from paperlib.coresets._coordinate.steps import DENSE, SPARSE
from paperlib.coresets._search.inputs import SMALLEST, raise_for_size
from paperlib.coresets._solver.coresets import LinearPlane

# Rows that follow each other, in a random order of such runs: memory is read ahead along them. Long runs cost
# epochs where neighbours are alike, as in data sorted by class; sparse rows share few columns.
RUN, SPARSE_RUN = 4, 32
DENSITY = 0.01  # of rows that are sparse in this sense
# Epochs of the first rounds, then of all: at first a look at all rows saves most.
EPOCHS = (2, 4, 5, 5, 5, 6, 8, 10)
AFRESH = 10  # rounds after which `w` is computed anew, because of the rounding in its many steps


class Outcome(NamedTuple):
    """What the steps ended with, in units of the data.

    Attributes
    ----------
    stop : str, the reason
    normal, b : ndarray (d,) and float, of unit norm together; zero where the combination is zero
    margin, bound : float, what is achieved, and what nothing exceeds
    indices : ndarray (k,), the rows of positive weight, ascending
    weights : ndarray (k,), their ``a_i``
    path : list of float, the bound (hard margin) or the gap (soft margin) at each look at the data
    added : list of float, the smallest margin at each look but the last
    """

    stop: str
    normal: Floats
    b: float
    margin: float
    bound: float
    indices: Integers
    weights: Floats
    path: list[float]
    added: list[float]


class Ascent:
    """The dual variables `a` of all rows, and the ``w`` and margins that belong to them.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), float64 or float32
    signs : ndarray of shape (n,), of -1, +1, and 0 for a row that is left out
    constant : float, the constant feature of each row; 0 for none
    rng : Generator, of the order of the steps

    Attributes
    ----------
    radius : float, the largest norm of a row
    scale : float, about its inverse, by which `w`, `margins` and `squared` have all rows multiplied
    reads : int, rows read so far
    steady : bool, whether the last round found nothing to do
    """

    def __init__(self, X, signs, constant, rng):
        self.X, self.constant, self.rng = X, constant, rng
        n, d = X.shape
        self._kernels = SPARSE if issparse(X) else DENSE
        self._rows = (X.indptr, X.indices, X.data) if issparse(X) else (np.ascontiguousarray(X),)
        self._run = SPARSE_RUN if issparse(X) and X.nnz <= DENSITY * n * d else RUN
        self.squared = np.empty(n)
        self._kernels.squared_norms(*self._rows, constant, self.squared)
        if not np.isfinite(self.squared.max()):
            raise_for_size(X)
        self.used = np.flatnonzero(signs)
        self.radius = math.sqrt(self.squared[self.used].max())
        self._check_size()
        self.scale = 2.0 ** -math.frexp(self.radius)[1]  # a power of two: nothing is rounded by it
        self.squared *= self.scale**2
        self._factors = signs * self.scale
        self.box = np.full(n, np.inf)
        self.a, self.w, self.margins = np.zeros(n), np.zeros(d + 1), np.empty(0)
        self.active, self.reads, self.rounds, self.steady = self.used, n, 0, False

    def _check_size(self):
        if self.radius < SMALLEST and (self.X.data if issparse(self.X) else self.X).any():
            raise ValueError(
                f"X is too small in size: the largest length of a row must be at least {SMALLEST:g}, so that "
                f"squares keep their digits, got {self.radius:.3g}; multiply X by a constant"
            )

    def begin(self, rows, weights):
        """Begin with weights of some rows, in units of the data, as far as their box allows."""
        self.a[rows] = np.minimum(weights / self.scale**2, self.box[rows])
        self.look()

    def round(self):
        """Take some steps, and bring `margins` up to date; return how many rows were gone through."""
        epochs = EPOCHS[min(self.rounds, len(EPOCHS) - 1)]
        for epoch in range(epochs):
            order, state = self._order(), (self.squared, self.box, self.a, self.w, self.constant)
            changed = self._kernels.steps(*self._rows, order, self._factors, *state)
            if epoch == 0:  # later ones may be still because what moves is not among the rows
                self.steady = changed == 0
        self.reads += epochs * len(self.active)
        self.rounds += 1
        if self.rounds % AFRESH == 0:
            self.look()
        else:
            self.margins = self.margins_to(self.w)
        return epochs * len(self.active)

    def look(self):
        """Compute `w` and the margins of all rows anew from `a`, without weights that are rounding."""
        self.a[self.a <= TIED * np.minimum(self.a.max(), self.box)] = 0.0
        self._kernels.combination(*self._rows, self._factors, self.a, self.w, self.constant)
        self.margins = self.margins_to(self.w)
        self.reads += np.count_nonzero(self.a)

    def join_copies(self):
        """Give the weight of equal points, of which any share is as good, to the first of them."""
        held = np.flatnonzero(self.a)
        held = held[np.argsort(self.margins[held], kind="stable")]  # copies have one margin, to the last bit
        # From the last one on, so that the weight of a run of copies is handed on to its first.
        for j, i in zip(held[-2::-1].tolist(), held[:0:-1].tolist()):
            if self.margins[i] == self.margins[j] and self._are_equal(i, j):
                self.a[j] += self.a[i]
                self.a[i] = 0.0

    def _are_equal(self, i, j):
        if self._factors[i] != self._factors[j]:
            return False
        if not issparse(self.X):
            return np.array_equal(self.X[i], self.X[j])
        starts, *parts = self._rows
        one, other = (slice(starts[k], starts[k + 1]) for k in (i, j))
        return all(np.array_equal(part[one], part[other]) for part in parts)

    def margins_to(self, w):
        """Return ``<w, z_i>`` of all rows, infinity for sign 0."""
        out = np.empty(len(self.a))
        self._kernels.margins(*self._rows, self._factors, w, self.constant, out)
        self.reads += len(out)
        return out

    def point(self, i):
        """Return ``z_i``, with its constant."""
        weight = np.zeros(len(self.a))
        weight[i] = 1.0
        w = np.empty_like(self.w)
        self._kernels.combination(*self._rows, self._factors, weight, w, self.constant)
        return w

    def written_out(self):
        """Return the signed, scaled points ``z_i`` of the rows that count (m, d + 1), with their constant."""
        rows = self.X[self.used]
        rows = rows.toarray() if issparse(self.X) else rows
        ones = np.full(len(rows), self.constant)
        return self._factors[self.used, None] * np.column_stack([rows.astype(np.float64, copy=False), ones])

    def multiply(self, factor):
        """Multiply all weights, for a hard margin."""
        self.a *= factor
        self.w *= factor
        self.margins *= factor

    def shrink(self):
        """Go on with the rows that have some way to go, or whose weight is at neither end."""
        # `pushed` is what the dual's slope says: above a margin of one a weight is to fall, below it to rise.
        free = (self.a > 0.0) & (self.a < self.box)
        pushed = np.where(self.a > 0.0, self.margins > 1.0, self.margins < 1.0)
        self.active = np.flatnonzero((free | pushed) & (self._factors != 0.0))

    def outcome(self, stop, w, margin, bound, path, added):
        """Return what is known, with the hyperplane of `w`; lengths are given as those of scaled rows."""
        length = float(np.linalg.norm(w))
        normal = w / length if length > 0.0 else w
        held = np.flatnonzero(self.a)
        lengths = float(margin) / self.scale, float(bound) / self.scale
        weights = self.a[held] * self.scale**2
        return Outcome(stop, normal[:-1].copy(), float(normal[-1]), *lengths, held, weights, path, added)

    @property
    def n_passes(self):
        """How often all rows were gone through, a part of them counted as a part."""
        return math.ceil(self.reads / len(self.a))

    def _order(self):
        """The active rows, in runs that are in a random order."""
        runs = -(-len(self.active) // self._run)
        order = (self.rng.permutation(runs)[:, None] * self._run + np.arange(self._run)).ravel()
        return self.active[order[order < len(self.active)]]  # the last run may be a shorter one


def keep_outcome(clf, ascent, found):
    """Set what an `Outcome` says in `clf`."""
    clf._sign, clf._plane = 1.0, LinearPlane(np.append(found.normal, found.b), found.normal, found.b)
    clf.coef_, clf.intercept_ = found.normal[None], np.array([found.b])
    clf.coreset_indices_, clf.hull_weights_ = found.indices, found.weights / found.weights.sum()
    clf.margin_, clf.margin_upper_bound_ = found.margin, max(found.bound, found.margin)
    clf.n_iter_, clf.n_passes_ = len(found.path), ascent.n_passes
