"""Draws that wait for their losses, each with the probability that it was drawn with."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib.max_loss._checks.told import as_array
from paperlib.max_loss._sampling.in_order import rows_of_whole_block, split_ordered

KEPT = 1 << 20  # draws; those without a loss after so many more are forgotten
LEFT = -1  # position of draws of an epoch that is over


@dataclass(slots=True, eq=False)
class Block:
    """Draws that were made from one state of the tree.

    Attributes
    ----------
    epoch : int
    position : int
        Place of the first draw among this process's of the epoch, `LEFT` once another epoch has begun.
    number : int
        Place of the first draw among those of all processes.
    indices, p : ndarray of shape (n,)
        What was drawn, and with which probability.
    n_out : int
        How many of them were handed out; only these can be told of.
    waits : bool ndarray of shape (n,), or None
        Whether the loss is still to come; None for all, as at first, since most blocks are told of at once.
    key : int
        Number of the block, in the order of drawing.
    """

    epoch: int
    position: int
    number: int
    indices: Integers
    p: Floats
    n_out: int
    waits: np.ndarray | None = None
    key: int = -1

    def __len__(self):
        return len(self.indices)

    @property
    def n_waiting(self) -> int:
        """Number of draws whose loss is still to come, with those that were not handed out."""
        return len(self) if self.waits is None else int(np.count_nonzero(self.waits))

    def match(self, indices: Integers) -> Integers:
        """Return for each index the place of a draw of it that waits, no place twice, and -1 for none."""
        out = self.indices[: self.n_out]
        if self.waits is None and np.array_equal(indices, out):
            return np.arange(len(indices))
        free = np.arange(self.n_out) if self.waits is None else np.flatnonzero(self.waits[: self.n_out])
        if not len(free):
            return np.full(len(indices), -1)
        mine, asked = _told_apart(self.indices[free]), _told_apart(indices)
        order = np.argsort(mine)
        # An index beyond all keys is compared with the last one, from which it differs.
        at = np.minimum(np.searchsorted(mine, asked, sorter=order), len(free) - 1)
        return np.where(mine[order[at]] == asked, free[order[at]], -1)


class Waiting:
    """All draws that wait, and which of them losses belong to.

    An example may wait in several blocks. So the block that came out of the loader last is looked at first,
    then those from the last one told of on, in their order, and then the earlier ones, from the newest on.
    """

    def __init__(self) -> None:
        self._next: dict[int, Block] = {}  # from the last one told of on
        self._passed: dict[int, Block] = {}
        self._n_blocks = 0
        self._n_draws = 0

    def __iter__(self) -> Iterator[Block]:
        """Yield all blocks in the order in which they were drawn."""
        return chain(self._passed.values(), self._next.values())

    def since(self, position: int) -> list[Integers]:
        """Return what was drawn in this epoch from a place on, block by block."""
        found = [block for block in self if block.position != LEFT and block.position + len(block) > position]
        return [block.indices[max(0, position - block.position) :] for block in found]

    def add(self, block: Block) -> None:
        """Have a new block wait; where more than `KEPT` draws do, the oldest are forgotten."""
        block.key = self._n_blocks
        self._n_blocks += 1
        self._next[block.key] = block
        self._n_draws += len(block.indices)
        # The second condition keeps the new block itself, however large it is.
        while self._n_draws > KEPT and len(block) < self._n_draws:
            self._drop(next(iter(self)))

    def cut(self, block: Block) -> None:
        """Take back the draws of the newest block that were not handed out."""
        self._n_draws -= len(block) - block.n_out
        block.indices, block.p = block.indices[: block.n_out], block.p[: block.n_out]
        if block.waits is not None:
            block.waits = block.waits[: block.n_out]
        if not block.n_waiting:
            self._drop(block)

    def leave(self) -> None:
        """Note that another epoch begins: losses of this one may still come, late."""
        self._passed |= self._next
        self._next = {}
        for block in self:
            block.position = LEFT

    def find(self, indices: Integers, taken: int) -> list[tuple[Block, Any, Integers]]:
        """Return which draws wait for losses of these indices, shape (k,), k >= 1.

        The draws are in the first block that has one for each index; if there is none, each index is looked
        for on its own. So far, `taken` draws of the epoch came out of the loader.

        Returns
        -------
        list of (block, which, at)
            The indices ``indices[which]`` belong to the draws ``at`` of the block.

        Raises
        ------
        ValueError
            For an index of which no draw waits.
        """
        for block in self._in_order(taken):
            if block.n_waiting >= len(indices) and indices[0] in block.indices:
                at = block.match(indices)
                if at.min() >= 0:
                    return [(block, slice(None), at)]
        found, missing = [], np.arange(len(indices))
        for block in self._in_order(taken):
            at = block.match(indices[missing])
            here = at >= 0
            if here.any():
                found.append((block, missing[here], at[here]))
                missing = missing[~here]
                if not len(missing):
                    return found
        raise ValueError(
            f"indices must be of examples that wait for a loss, got {indices[missing[0]]}: it was not drawn "
            "by this process, or each of its draws has had its loss"
        )

    def settle(self, block: Block, at: Integers) -> None:
        """Note that the draws at these places of a block have had their losses."""
        self._pass_over(block)
        if len(at) == block.n_waiting:
            self._drop(block)
            return
        if block.waits is None:
            block.waits = np.ones(len(block), dtype=bool)
        block.waits[at] = False

    def take_whole_block(
        self, indices: Any, losses: Any, eta: float, taken: int
    ) -> tuple[Block, Floats] | None:
        """Settle the batch that came out last, where it is what is told, as it was drawn: the usual case.

        Returns
        -------
        (Block, ndarray of shape (k, 4)), or None
            The rows of its updates, as `rows_of_whole_block` has them. None where something else is told,
            or what cannot be; nothing has changed then.
        """
        indices, losses = as_array(indices, "indices"), as_array(losses, "losses")
        block = self.last_out(taken)
        if block is None or not indices.shape == losses.shape == (block.n_out,) == block.indices.shape:
            return None
        if indices.dtype.kind not in "iu" or losses.dtype.kind not in "buif" or block.waits is not None:
            return None
        told = np.ascontiguousarray(indices, dtype=np.int64), np.ascontiguousarray(losses, dtype=np.float64)
        drawn, rows = (block.indices, block.p, eta, block.epoch, block.number), np.empty((block.n_out, 4))
        n_rows = rows_of_whole_block(*told, *drawn, rows)
        if n_rows < 0:
            return None
        self._pass_over(block)
        self._drop(block)
        return block, rows[:n_rows]

    @staticmethod
    def in_order_of_draws(rows: Floats) -> tuple[Integers, Floats]:
        """Return indices and logarithms of updates by epoch and draw: not as the losses happened to come."""
        indices: Integers = np.empty(len(rows), dtype=np.int64)
        x: Floats = np.empty(len(rows))
        if not split_ordered(rows, indices, x):
            split_ordered(rows[np.lexsort((rows[:, 1], rows[:, 0]))], indices, x)
        return indices, x

    def last_out(self, taken: int) -> Block | None:
        """Return the block that came out of the loader last, of those from the last one told of on."""
        for block in reversed(self._next.values()):
            if LEFT < block.position < taken:
                return block
        return None

    def _pass_over(self, block):
        if block.key in self._next:
            # Loaders give batches in the order of their draws: those before this one have been passed over.
            while (first := next(iter(self._next))) != block.key:
                self._passed[first] = self._next.pop(first)

    def _in_order(self, taken):
        last = self.last_out(taken)
        if last is not None:
            yield last
        for block in chain(self._next.values(), reversed(self._passed.values())):
            if block is not last:
                yield block

    def _drop(self, block):
        for blocks in (self._next, self._passed):
            if blocks.pop(block.key, None) is not None:
                self._n_draws -= len(block)


def _told_apart(indices):
    """Return a key for each index, in which equal indices differ by how many came before."""
    order = np.argsort(indices, kind="stable")
    ranked = indices[order]
    keys = np.empty_like(indices)
    # Indices are below 2^31, so that both halves fit into 64 bits.
    keys[order] = (ranked << 31) | (np.arange(len(ranked)) - np.searchsorted(ranked, ranked))
    return keys
