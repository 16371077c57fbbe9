"""The tree of Section 2.3 as an object: sampling from weights that change, in O(log m)."""

import math
from typing import Any, TypeGuard, overload

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number, check_real
from paperlib.max_loss._checks.inputs import checked_indices
from paperlib.max_loss._tree import sumtree

LARGEST_M = np.iinfo(np.int32).max
MOST_DRAWS = 2**40  # at once, of 16 bytes each
AT_ONCE = 2**20  # draws between which Ctrl-C is heard


class SumTree:
    """Sample from weights that are multiplied one at a time, in time that grows with their logarithm.

    This is the tree of Section 2.3, safe in the long run: weights are kept as logarithms with a common
    scale, so that no factor takes them out of reach, and one that fell to zero on the scale can come back.
    Only items that were updated have leaves, until they are a third of more than 65,536; then all have.

    Parameters
    ----------
    m : int in [1, 2**31 - 1]
        Number of items; all weights are 1 at first.

    Raises
    ------
    ValueError
        For an `m` out of its range.

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Section 2.3.

    Examples
    --------
    >>> import numpy as np
    >>> tree = SumTree(4)
    >>> tree.update(2, 9.0)
    >>> tree.value(2) / tree.total
    0.75
    >>> i, p = tree.sample(np.random.default_rng(0), uniform_share=0.5)
    >>> i, p
    (2, 0.5)
    >>> indices, p = tree.sample(np.random.default_rng(0), uniform_share=0.5, size=3)
    >>> indices.tolist(), p.tolist()
    ([2, 2, 0], [0.5, 0.5, 0.16666666666666666])
    """

    def __init__(self, m: int) -> None:
        m = check_number(m, "m", low=1, high=LARGEST_M, integer=True)
        self._tree = sumtree.allocate(m)

    def __len__(self) -> int:
        return len(self._tree.order)

    @property
    def total(self) -> float:
        """Sum of all weights, on the tree's scale: a finite number > 0."""
        return float(sumtree.total(self._tree))

    @property
    def n_leaves(self) -> int:
        """Number of items with a leaf: those that were ever updated, or all of them."""
        return int(self._tree.counts[0])

    @property
    def state(self) -> sumtree.Tree:
        """The arrays, as the kernels take them; what changes them changes the tree."""
        return self._tree

    def value(self, i: int) -> float:
        """Return the weight of item `i`, on the tree's scale; only its share of `total` has a meaning.

        Parameters
        ----------
        i : int in [0, m)

        Returns
        -------
        float >= 0
            Zero for a weight below the smallest float on the scale.

        Raises
        ------
        IndexError
            For an `i` out of its range.
        """
        at = checked_indices(i, len(self))
        if at.ndim:
            raise IndexError(f"i must be one integer, got shape {at.shape}")
        return float(sumtree.weight(int(at), self._tree))

    def probabilities(self, uniform_share: float = 0.0) -> Floats:
        """Return ``p = uniform_share / m + (1 - uniform_share) q`` of all items, in O(m).

        Parameters
        ----------
        uniform_share : float in [0, 1]

        Returns
        -------
        ndarray of shape (m,)
        """
        uniform_share = check_number(uniform_share, "uniform_share", low=0, high=1)
        m, n = len(self), self.n_leaves
        p = np.full(m, self._tree.scales[1])
        # The leaves are the tree's first rows.
        p[self._tree.order[:n]] = self._tree.nodes.ravel()[:n]
        return uniform_share / m + (1.0 - uniform_share) * (p / self.total)

    @overload
    def sample(
        self, rng: np.random.Generator, uniform_share: float = 0.5, size: None = None
    ) -> tuple[int, float]: ...

    @overload
    def sample(
        self, rng: np.random.Generator, uniform_share: float, size: int
    ) -> tuple[Integers, Floats]: ...

    @overload
    def sample(
        self, rng: np.random.Generator, uniform_share: float = 0.5, *, size: int
    ) -> tuple[Integers, Floats]: ...

    def sample(
        self, rng: np.random.Generator, uniform_share: float = 0.5, size: int | None = None
    ) -> tuple[int, float] | tuple[Integers, Floats]:
        """Draw items from ``p = uniform_share / m + (1 - uniform_share) q``, q the shares of the total.

        Parameters
        ----------
        rng : numpy.random.Generator
            One uniform number is taken for each draw.
        uniform_share : float in [0, 1], default=0.5
            Share of uniform sampling.
        size : int in [0, 2**40], optional
            Number of independent draws; the tree does not change between them.

        Returns
        -------
        i : int, or int64 ndarray of shape (size,)
        p : float, or ndarray of shape (size,)
            Probability ``p_i`` with which each was drawn.

        Raises
        ------
        ValueError
            For a `uniform_share` or `size` out of its range, or an `rng` that is none.
        """
        if type(uniform_share) is not float or not 0.0 <= uniform_share <= 1.0:
            uniform_share = check_number(uniform_share, "uniform_share", low=0, high=1)
        if not hasattr(rng, "random"):
            raise ValueError(f"rng must be a numpy.random.Generator, got {rng!r}")
        if size is None:
            return sumtree.draw_one(rng.random(), uniform_share, *self._tree)
        if type(size) is not int or not 0 <= size <= MOST_DRAWS:
            size = check_number(size, "size", low=0, high=MOST_DRAWS, integer=True)
        indices, p = np.empty(size, dtype=np.int64), np.empty(size)
        for begin in range(0, size, AT_ONCE):
            part = slice(begin, min(begin + AT_ONCE, size))
            drawn = rng.random(part.stop - begin)
            sumtree.draw_many(drawn, uniform_share, indices[part], p[part], *self._tree)
        return indices, p

    def update(self, i: ArrayLike, factor: ArrayLike) -> None:
        """Multiply the weight of item `i` by `factor`.

        Parameters
        ----------
        i : int in [0, m), or array of such of shape (k,)
            With an array, one update after another: an item that comes twice is multiplied twice.
        factor : float > 0, or array of such of shape (k,)

        Raises
        ------
        ValueError
            For a factor that is not finite and > 0; the tree is then as it was.
        IndexError
            For an `i` out of its range; the tree is then as it was.
        """
        if type(factor) is float and 0.0 < factor <= sumtree.LARGEST:
            self.update_log(i, math.log(factor))
            return
        factors = _as_floats(factor, "factor")
        wrong = ~((factors > 0.0) & (factors <= sumtree.LARGEST))
        if wrong.any():
            raise ValueError(f"factor must be a finite number > 0, got {factors[wrong].flat[0]}")
        self.update_log(i, np.log(factors))

    def update_log(self, i: ArrayLike, x: ArrayLike) -> None:
        """Multiply the weight of item `i` by ``exp(x)``.

        Parameters
        ----------
        i : int in [0, m), or array of such of shape (k,)
        x : finite float, or array of such of shape (k,)

        Raises
        ------
        ValueError
            For an `x` that is not finite; the tree is then as it was.
        IndexError
            For an `i` out of its range; the tree is then as it was.
        """
        if type(i) is int and isinstance(x, float) and 0 <= i < len(self._tree.order) and math.isfinite(x):
            sumtree.update_one(i, x, *self._tree)
            return
        # What the kernel takes goes there at once; only what it refuses is asked what is wrong with it.
        plain = _is_plain(i, np.int64) and _is_plain(x, np.float64) and i.shape == x.shape
        if plain and sumtree.update_many(i, x, *self._tree):
            return
        xs = _as_floats(x, "x")
        if not np.isfinite(xs).all():
            raise ValueError(f"x must be a finite number, got {xs[~np.isfinite(xs)].flat[0]}")
        indices = checked_indices(i, len(self))
        shape = np.broadcast_shapes(indices.shape, xs.shape, (1,))
        indices, xs = np.broadcast_to(indices, shape).copy(), np.broadcast_to(xs, shape).copy()
        sumtree.update_many(indices, xs, *self._tree)


def _as_floats(values, name):
    floats = check_real(values, name).astype(np.float64, copy=False)
    if floats.ndim > 1:
        raise ValueError(f"{name} must be a number or an array of shape (k,), got shape {floats.shape}")
    return floats


def _is_plain(values: Any, dtype: type) -> TypeGuard[np.ndarray]:
    """Return whether a kernel takes `values` as they are."""
    return type(values) is np.ndarray and values.dtype == dtype and values.ndim == 1 and values.flags.carray
