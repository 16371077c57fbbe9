"""A coreset in the space of a kernel, its hull found by steps along its coordinates, and passes over rows.

The largest margin is found exactly, where steps do not come near it, by block principal pivoting (Portugal,
Judice and Vicente). Some points are guessed to bear weight. With their margins set to one, the weights follow
from one Cholesky factor. Those whose weights are negative leave, and others whose margins are below one join,
all at a time; where that does not lower the number of wrong ones for a while, one at a time.

Values of the Gaussian kernel come block by block from a matrix product, for points not far from each other.
Passes keep them while they are few.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from paperlib._common.deadline import NO_LIMIT, LimitReached
from paperlib._common.kernels import Gaussian
from paperlib._common.memory import require_memory
from paperlib._common.typing import Floats
from paperlib.coresets._kernel_solver.ascent import ascend, scaled
from paperlib.coresets._search.rows import BLOCK, ArrayRows, Found, smallest
from paperlib.coresets._solver.coresets import KernelCoreset, WithConstant

LARGE = 512  # points, from which on pivoting takes long enough to be cut
STEPS = 8  # for each point, before pivoting takes over
MANY = 4096  # points, from which on it is asked whether there is memory for more: 128 MB for each matrix
_INSTEAD = "a kernel less narrow (a smaller gamma), a larger eps, or fewer rows need fewer points"

# Of pivoting.
ROUNDS = 60  # at most; it takes two to six from a good guess
PATIENCE = 3  # rounds in which the number of wrong guesses may stay
EXACT = 1e-9  # of a margin of one: what a point may lack

# Of blocks, and of those that are kept.
NEAR = 64.0  # ``gamma ||x - centre||^2``: above it the product loses digits, and differences are formed
VALUES = 1 << 18  # numbers of a block: 2 MB
HELD = 1 << 25  # kernel values that are kept at most: 256 MB


class KernelPool(KernelCoreset):
    """A coreset that many points join at a time, solved to within a share of its margin.

    The weights of the hull go on from where they were. Steps along their coordinates come first: they are
    few where little is asked for. Block principal pivoting finishes what they do not, and Wolfe's algorithm
    what that does not: points that depend on each other, and a hull that holds the origin.

    Parameters
    ----------
    kernel : kernel object
    n_features : int
    gap : float in (0, 1)
        `margin`, the norm of a point of the hull, exceeds that of the coreset's hyperplane by this share at
        most.
    deadline : Deadline, optional
        What ends the search for weights early; their hyperplane is then not yet the best.
    """

    def __init__(self, kernel, n_features, gap, deadline=NO_LIMIT):
        super().__init__(kernel, n_features)
        self.gap, self._deadline = gap, deadline
        self._room = np.empty((0, 0))  # its corner is the Gram matrix
        self._a, self._blocks = np.zeros(0), None

    @property
    def blocks(self):
        """The kernel, for its matrix."""
        return self._blocks

    def margins(self, normal):
        """Margins of its points, in their order, to a hyperplane of the first of them with these weights."""
        return self._gram[:, : len(normal)] @ normal

    @property
    def points(self):
        """The points, (k, d), and their signs, (k,)."""
        return self._data, self._signs

    def add(self, indices, rows, signs):
        """Take in points that are not in it yet, and find the hyperplane."""
        rows = np.asarray(rows, dtype=np.float64)
        self.indices += indices.tolist()
        self._members.update(indices.tolist())
        self._append(rows, signs)
        solved = self._solve()
        self.dual = self._a / self._a.sum()
        if not solved:
            points = self._points()  # which lets the hull begin with `dual`
            _, self.dual, _ = self._hull.nearest(points)
            self._a = self.dual.copy()
        self.margin = self._length()
        self.separable = self.margin > self.origin * self.radius
        self.path.append(self.margin)
        if self.separable:
            self.plane = self._plane(None)

    def _append(self, rows, signs):
        norms = self.norms(rows)
        self.radius = max(self.radius, float(norms.max()))
        if self._blocks is None:
            self._blocks = with_products(self.kernel, rows)
        before, k = len(self._data), len(self._data) + len(rows)
        if k > MANY:  # the Gram matrix, and three like it while its system is solved
            what = f"a coreset of {k} points in the space of a kernel"
            require_memory(8.0 * (4 * k * k - before * before), what, _INSTEAD)
        self._data, self._signs = np.concatenate([self._data, rows]), np.append(self._signs, signs)
        if k > len(self._room):
            room = np.empty((2 * k, 2 * k))
            room[:before, :before] = self._gram
            self._room = room
        self._gram = self._room[:k, :k]
        fill_gram(self._blocks, self._data, self._signs, before, self._gram)
        own = np.arange(before, k)
        self._gram[own, own] = norms**2
        self._a = np.append(self._a, np.zeros(len(rows)))

    def _solve(self):
        """Bring the weights up to date; return whether the gap is what it must be, or the time is up."""
        k, diagonal = len(self._a), np.diagonal(self._gram)
        # A point at the origin: the hull holds it there, and steps would divide by its squared length.
        if diagonal.min() <= 0.0:
            self._a[int(diagonal.argmin())] = 1.0
            return False
        if not self._a.any():
            first = int(diagonal.argmin())
            self._a[first] = 1.0 / diagonal[first]
        if self._deadline.is_over():
            return True
        lacks = 1.0 - self._gram @ self._a
        _, reached = ascend(self._room, self._a, lacks, STEPS * k, self.gap)
        if reached and self._holds():
            return True
        first = self._without_copies()
        try:
            exact = self._pivoted(first)
        except LimitReached:
            return True
        if exact is None:
            return False
        self._a = np.zeros(k)
        self._a[first] = exact
        return self._holds()

    def _pivoted(self, at):
        arguments = self._gram[np.ix_(at, at)], self._a[at] > 0.0
        return pivot(*arguments) if len(at) < LARGE else self._deadline.call(pivot, *arguments)

    def _without_copies(self):
        """Positions of the points, but for those that are copies of an earlier one."""
        _, first = np.unique(np.column_stack([self._data, self._signs]), axis=0, return_index=True)
        return np.sort(first)

    def _holds(self):
        """Whether the weights do, with the margins computed anew."""
        lacks = 1.0 - self._gram @ self._a
        total, most = scaled(self._a, lacks)
        # A little more than was asked of the steps, whose own `lacks` are rounded.
        return total > 0.0 and most <= 1.01 * self.gap


def pivot(gram, bears, lack=EXACT):
    """Find ``a >= 0`` with ``gram a >= 1``, of which one or the other is an equality for each point.

    Parameters
    ----------
    gram : ndarray of shape (k, k)
    bears : ndarray of shape (k,), bool
        Which points bear weight, as a guess; at least one.
    lack : float > 0
        What a margin may lack of one.

    Returns
    -------
    ndarray of shape (k,), or None
        None where the points that bear weight are dependent, or it took too many rounds: where the hull
        holds the origin, or copies of a point are among them.
    """
    bears, fewest, patience = bears.copy(), len(gram) + 1, PATIENCE
    for _ in range(ROUNDS):
        at = np.flatnonzero(bears)
        if len(at) == 0:
            return None
        # The transpose of a symmetric matrix is the same one in Fortran's order: it is factored in place.
        factor, failed = dpotrf(gram[np.ix_(at, at)].T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return None
        weights, _ = dpotrs(factor, np.ones(len(at)), lower=1)
        lacks = 1.0 - weights @ gram[at]
        wrong = (weights <= 0.0, ~bears & (lacks > lack))
        count = int(wrong[0].sum() + wrong[1].sum())
        if count == 0:
            a = np.zeros(len(gram))
            a[at] = weights
            return a
        changes = np.concatenate([at[wrong[0]], np.flatnonzero(wrong[1])])
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            # The one of the largest index (Murty): with a definite matrix no guess then comes twice.
            changes = changes[[changes.argmax()]]
        bears[changes] = ~bears[changes]
    return None


@dataclass(frozen=True)
class NearGaussian:
    """The matrix of `kernel`, a `Gaussian`, to within 1e-15 times one and the largest of ``NEAR``."""

    kernel: Gaussian
    centre: Floats

    def matrix(self, A, B):
        gamma = self.kernel.gamma
        with np.errstate(over="ignore", invalid="ignore"):
            a, b = A - self.centre, B - self.centre
            of_a, of_b = (gamma * np.einsum("ij,ij->i", each, each) for each in (a, b))
        if not max(of_a.max(initial=0.0), of_b.max(initial=0.0)) <= NEAR:
            return self.kernel.matrix(A, B)
        b *= 2.0 * gamma
        values = a @ b.T
        values -= of_a[:, None]
        values -= of_b
        np.minimum(values, 0.0, out=values)  # of a distance of zero rounding may leave less
        return np.exp(values, out=values)


def with_products(kernel, rows):
    """Return an object with the ``matrix`` of `kernel`, faster where it can be; `rows` (m, d) are data."""
    if isinstance(kernel, WithConstant):
        return WithConstant(with_products(kernel.kernel, rows))
    return NearGaussian(kernel, rows.mean(axis=0)) if isinstance(kernel, Gaussian) else kernel


def fill(kernel: Any, A: Floats, B: Floats, out: Floats) -> None:
    """Fill `out` (a, b) with the kernel matrix of `A` (a, d) and `B` (b, d), a block at a time."""
    for here in _blocks(len(A), 0, len(B)):
        out[:, here] = kernel.matrix(A, B[here])


def fill_gram(kernel: Any, rows: Floats, signs: Floats, before: int, gram: Floats) -> None:
    """Fill the rest of the Gram matrix of signed points, of which it has that of the first.

    Parameters
    ----------
    rows, signs : ndarrays of shapes (k, d) and (k,)
    before : int
        How many points it has.
    gram : ndarray of shape (k, k)
        Is exactly symmetric then: what is right of a block's diagonal is a copy of what is below.
    """
    k = len(rows)
    for here in (*_blocks(k, 0, before), *_blocks(k - before, before, k)):
        first = max(before, here.start)
        below = kernel.matrix(rows[first:], rows[here]) * signs[here]
        below *= signs[first:, None]
        if here.start >= before:
            corner = below[: here.stop - here.start]
            corner[:] = (corner + corner.T) / 2.0
        gram[first:, here], gram[here, first:] = below, below.T


def _blocks(a: int, start: int, stop: int) -> Iterator[slice]:
    """Parts of some columns of a matrix with `a` rows."""
    step = max(1, VALUES // max(1, a))
    return (slice(each, min(stop, each + step)) for each in range(start, stop, step))


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
