"""A coreset in the space of a kernel whose hull is found by steps along its coordinates."""

import numpy as np

from paperlib._common.deadline import NO_LIMIT, LimitReached
from paperlib._common.memory import require_memory
from paperlib.coresets._kernel_solver.ascent import ascend, scaled
from paperlib.coresets._kernel_solver.blocks import fill_gram, with_products
from paperlib.coresets._kernel_solver.pivoting import pivot
from paperlib.coresets._solver.coresets import KernelCoreset

LARGE = 512  # points, from which on pivoting takes long enough to be cut
STEPS = 8  # for each point, before pivoting takes over
MANY = 4096  # points, from which on it is asked whether there is memory for more: 128 MB for each matrix
_INSTEAD = "a kernel less narrow (a smaller gamma), a larger eps, or fewer rows need fewer points"


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
