"""Focused online learning in a training loop of one's own: a sampler for torch's `DataLoader`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.max_loss._checks.pytorch import pytorch
from paperlib.max_loss._checks.told import checked_told
from paperlib.max_loss._rounds.play import log_factors
from paperlib.max_loss._sampling.place import Place
from paperlib.max_loss._sampling.processes import Processes
from paperlib.max_loss._sampling.saved import Saved, pack, unpack
from paperlib.max_loss._sampling.uniforms import stream
from paperlib.max_loss._sampling.waiting import LEFT, Block, Waiting
from paperlib.max_loss._tree.sumtree import draw_many
from paperlib.max_loss.sum_tree import SumTree

try:
    from torch.utils.data import Sampler
except ImportError:
    Sampler = object

BLOCK = 64  # draws made at once where the sampler does not know the size of a batch
LARGEST_EPOCH = 2**32 - 1
LARGEST_SEED = 2**53 - 1  # an exact float, as all facts that processes compare
# Updates that the tree has not had: epoch and number of the draw, its index, logarithm of the factor.
NO_ROWS = np.zeros((0, 4))


class FocusedSampler(Sampler):
    """Sampler that returns to the examples on which the model errs.

    It draws from ``p = uniform_share / m + (1 - uniform_share) q``, where q grows with an example's losses,
    which the training loop tells with `update`. In which order, and whether for every batch, does not matter.

    Parameters
    ----------
    m : int in [1, 2**31 - 1]
        Number of examples, ``len(dataset)``.
    n_draws : int >= 1, optional
        Draws of an epoch, of all processes together; m by default. Each process draws
        ``ceil(n_draws / num_replicas)``.
    eta : float > 0, optional
        Learning rate of q; ``1 / (2 m)`` as in Theorem 1.
    uniform_share : float in [0, 1], default=0.5
        Share of uniform sampling.
    batch_size : int >= 1, optional
        With it, this is a batch sampler, for ``DataLoader(dataset, batch_sampler=sampler)``: it draws a batch
        at once, which is fastest. Without it, it gives one index after another, for ``DataLoader(dataset,
        batch_size=64, sampler=sampler)``.
    num_replicas : int >= 1, optional
        Number of processes that train one model; by default that of `torch.distributed`, or 1.
    rank : int in [0, num_replicas), optional
        Number of this process; by default that of `torch.distributed`, or 0.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        With several processes that of rank 0 counts.

    Attributes
    ----------
    tree : SumTree
        The weights q, with all losses that were told; with several processes, as of the last draw.

    Raises
    ------
    ImportError
        Without PyTorch.
    ValueError
        For a parameter out of its range. With several processes, while drawing, on each of them: if they
        differ in a parameter, in their weights, or in where in which epoch they are.

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Sections 2.3 and 5.

    Draws wait for their losses with the probabilities that they were made with: workers fetch batches ahead,
    and the weights move meanwhile. The losses of a call go to one batch in which each index waits: the one
    that came out of the loader last, or else the first from the last one told of on, or else an earlier one.
    If there is none, each index is looked for on its own. A draw that is told of late, even in another epoch,
    counts then. One that is never told of counts as a loss of zero, and is forgotten after 2**20 more draws.
    An example that was drawn twice waits for two losses.

    Draw k of an epoch takes number k of a stream of random numbers that follows from seed and epoch alone.
    With r processes, batches of b are the parts of a batch of r b that one process would draw. The processes
    exchange what they were told before each batch (without `batch_size`, before each 64 draws) and after the
    last, in a group of their own on the CPU, and apply it in the order of the draws. So their weights are
    equal, and those of one process with batches of r b. All of them must draw equally often: leave a loop on
    every process or on none. The weights are computed so that they are the same bits on every machine.

    Examples
    --------
    A training loop in mixed precision, whose data set gives the index with each example. A batch that has
    overflowed is skipped, and no other loss goes astray.

    >>> import torch
    >>> from torch.utils.data import DataLoader, TensorDataset
    >>> from paperlib.max_loss import FocusedSampler
    >>> generator = torch.Generator().manual_seed(0)
    >>> X = torch.randn(200, 2, generator=generator)
    >>> X[:, 0] += 0.1 * X[:, 0].sign()
    >>> y = (X[:, 0] > 0).long()
    >>> dataset = TensorDataset(torch.arange(200), X, y)
    >>> model = torch.nn.Linear(2, 2)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> scaler = torch.amp.GradScaler("cpu")  # "cuda" on a GPU, here and in autocast
    >>> sampler = FocusedSampler(len(dataset), batch_size=20, random_state=0)
    >>> loader = DataLoader(dataset, batch_sampler=sampler)
    >>> for epoch in range(50):
    ...     sampler.set_epoch(epoch)
    ...     for step, (indices, inputs, labels) in enumerate(loader):
    ...         with torch.autocast("cpu", dtype=torch.bfloat16):
    ...             scores = model(inputs * (float("inf") if step == 3 else 1.0))  # an overflow
    ...             loss = torch.nn.functional.cross_entropy(scores, labels)
    ...         if not loss.isfinite():
    ...             continue
    ...         sampler.update(indices, scores.argmax(dim=1) != labels)
    ...         optimizer.zero_grad()
    ...         scaler.scale(loss).backward()
    ...         scaler.step(optimizer)
    ...         scaler.update()
    >>> int((model(X).argmax(dim=1) != y).sum())
    0

    The state goes into a checkpoint, between any two batches.

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"model": model.state_dict(), "sampler": sampler.state_dict()}, file)
    >>> _ = file.seek(0)
    >>> resumed = FocusedSampler(len(dataset), batch_size=20)
    >>> resumed.load_state_dict(torch.load(file)["sampler"])
    >>> list(resumed) == list(sampler)
    True
    """

    def __init__(
        self,
        m: int,
        *,
        n_draws: int | None = None,
        eta: float | None = None,
        uniform_share: float = 0.5,
        batch_size: int | None = None,
        num_replicas: int | None = None,
        rank: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        pytorch()
        self._tree = SumTree(m)
        self.n_draws = len(self._tree) if n_draws is None else _count(n_draws, "n_draws")
        self.eta = 0.5 / m if eta is None else check_number(eta, "eta", low=0, open_low=True)
        self.uniform_share = check_number(uniform_share, "uniform_share", low=0, high=1)
        self.batch_size = None if batch_size is None else _count(batch_size, "batch_size")
        self._processes = Processes(num_replicas, rank)
        self.num_replicas, self.rank = self._processes.num_replicas, self._processes.rank
        self._seed = int(check_random_state(random_state).integers(LARGEST_SEED))
        self._length = -(-self.n_draws // self.num_replicas)
        self._place = Place(0)
        self._asked: int | None = None  # the epoch that set_epoch asked for
        self._waiting = Waiting()
        self._updates: list[Floats] = []
        self._n_updates = 0

    @property
    def tree(self) -> SumTree:
        """The weights q."""
        if self.num_replicas == 1:
            self._settle(self._place)
        return self._tree

    def __len__(self) -> int:
        return self._length if self.batch_size is None else -(-self._length // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        # Nothing happens before the first draw: a loader with workers asks for an iterator twice.
        self._processes.meet()
        place = self._enter()
        for indices in self._waiting.since(place.taken):
            yield from [indices.tolist()] if self.batch_size else indices.tolist()
        size, r, numbers = self.batch_size or BLOCK, self.num_replicas, None
        while place.drawn < self._length:
            # A resumed epoch may begin within a batch. Only the rest of that is drawn then, by the numbers
            # that it would have had.
            within = place.drawn % size
            first = place.drawn - within
            length = min(size, self._length - first)
            # Several processes exchange losses where a batch begins, so not in the middle of one.
            if r == 1 or not within:
                self._settle(place)
            # Not before the first exchange: with several processes it brings the seed of rank 0.
            if numbers is None:
                numbers = stream(self._seed, place.epoch, first * r)
            # All processes share the stream, and each takes its own part of the batch that one would draw.
            start, stop = self.rank * length + within, (self.rank + 1) * length
            us, number = numbers.random(length * r)[start:stop], first * r + start
            if self.batch_size:
                yield self._draw(us, number, place, n_out=length).indices.tolist()
            else:
                yield from self._one_by_one(us, number, place)
        self._settle(place)

    def update(self, indices: Any, losses: Any) -> None:
        """Take the losses of examples that were drawn.

        Parameters
        ----------
        indices : tensor or array-like of int, shape (k,)
            Examples that this process has drawn, in any order; one that was drawn twice may come twice.
        losses : tensor or array-like of shape (k,)
            In [0, 1], such as whether each was got wrong, before the step on them.

        Raises
        ------
        ValueError
            For shapes that differ, a loss that is not in [0, 1], or an index of which no draw waits, since it
            was never drawn or was told of before. It is named, and nothing has changed.
        """
        whole = self._waiting.take_whole_block(indices, losses, self.eta, self._place.taken)
        if whole is None:
            indices, losses = checked_told(indices, losses, len(self._tree))
            if not len(indices):
                return
            rows = np.empty((len(indices), 4))
            for block, which, at in self._waiting.find(indices, self._place.taken):
                # The probabilities of the draws, not of now: what was told of meanwhile moved the tree.
                rows[which, 3] = log_factors(self.eta, losses[which], block.p[at])
                rows[which, 0], rows[which, 1], rows[which, 2] = (
                    block.epoch,
                    block.number + at,
                    indices[which],
                )
                self._waiting.settle(block, at)
                if block.position != LEFT:
                    told = len(block) if self.batch_size else int(at.max()) + 1
                    self._place.tell(block.position + told)
            rows = rows[rows[:, 3] != 0.0]
        else:
            block, rows = whole
            self._place.tell(block.position + block.n_out)
        if len(rows):
            self._updates.append(rows)
            self._n_updates += 1

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iterator begins, as for `DistributedSampler`.

        Without it, each iterator begins the epoch after the last one. The draws of an epoch follow from its
        number, the seed and the weights. A loaded state that is in this epoch is gone on with, not reset, and
        an iterator that is running goes on as it is.

        Parameters
        ----------
        epoch : int in [0, 2**32 - 1]

        Raises
        ------
        ValueError
            For an epoch out of its range.
        """
        self._asked = check_number(epoch, "epoch", low=0, high=LARGEST_EPOCH, integer=True)

    def state_dict(self) -> dict[str, Any]:
        """Return the state: a sampler that loads it draws what this one will, to the last bit.

        It may be taken after any batch. Batches that workers hold ahead come out again; how many they are is
        seen from the last update, so where workers hold the end of an epoch, a batch that was skipped right
        before comes again, too. Each process has a state of its own.

        Returns
        -------
        dict of numbers and tensors
            Copies, for `torch.save`; `torch.load` takes them as it is (``weights_only=True``). Their size is
            that of the examples that ever had a loss above zero.
        """
        place = self._place if self._asked in (None, self._place.epoch) else Place(self._asked or 0)
        updates = np.concatenate([NO_ROWS, *self._updates])
        return self._facts() | {"seed": self._seed} | pack(Saved(self._tree, place, self._waiting, updates))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where the sampler was that returned `state`; the next iterator begins there.

        Parameters
        ----------
        state : dict
            Of a sampler with the same parameters and the same rank; the seed is taken from it.

        Raises
        ------
        ValueError
            For a state of other parameters, or one that is damaged; nothing has changed.
        """
        if not isinstance(state, dict):
            raise ValueError(f"state must be the dict that state_dict returned, got {state!r}")
        for name, own in self._facts().items():
            if name not in state or state[name] != own:
                raise ValueError(
                    f"state must be of a sampler with {name}={own}, got {state.get(name, 'none')}; each "
                    "process loads the state that it saved"
                )
        seed = check_number(state.get("seed"), "state['seed']", low=0, high=LARGEST_SEED, integer=True)
        saved = unpack(state, len(self._tree))
        if saved.place.drawn > self._length:
            raise ValueError(f"state['drawn'] must be at most {self._length}, got {saved.place.drawn}")
        self._tree, self._place, self._waiting = saved.tree, saved.place, saved.waiting
        self._updates, self._seed, self._asked = [saved.updates], seed, None

    def _facts(self):
        """Return what a state must agree on with the sampler that loads it."""
        return {
            "m": len(self._tree),
            "n_draws": self.n_draws,
            "eta": self.eta,
            "uniform_share": self.uniform_share,
            "batch_size": self.batch_size or 0,
            "num_replicas": self.num_replicas,
            "rank": self.rank,
        }

    def _enter(self):
        """Return the place in the epoch that an iterator begins with."""
        place, epoch = self._place, self._asked
        if epoch is None:
            # Nothing is left of the epoch of a state that was taken at its end.
            epoch = place.epoch + (place.begun or place.taken == self._length)
        if place.begun or epoch != place.epoch:
            self._waiting.leave()
            place = self._place = Place(epoch)
        self._asked, place.begun = None, True
        return place

    def _one_by_one(self, us, number, place):
        """Draw from the weights as they are at each draw: anew, for the rest, once they have moved."""
        while len(us):
            block, n_updates = self._draw(us, number, place, n_out=0), self._n_updates
            for i in block.indices.tolist():
                place.drawn += 1
                block.n_out += 1
                yield i
                # Several processes draw from the weights that all of them have.
                if self.num_replicas == 1 and self._n_updates > n_updates:
                    break
            self._waiting.cut(block)
            us, number = us[block.n_out :], number + block.n_out
            if self.num_replicas == 1:
                self._settle(place)

    def _draw(self, us: Floats, number: int, place: Place, n_out: int) -> Block:
        indices: Integers = np.empty(len(us), dtype=np.int64)
        p: Floats = np.empty(len(us))
        draw_many(us, self.uniform_share, indices, p, *self._tree.state)
        # Another iterator may have begun since: the draws of this one are late then.
        position = place.drawn if place is self._place else LEFT
        block = Block(place.epoch, position, number, indices, p, n_out)
        self._waiting.add(block)
        place.drawn += n_out
        return block

    def _settle(self, place):
        """Update the tree by the losses that were told, of all processes, in the order of the draws."""
        if self.num_replicas == 1 and not self._updates:
            return
        rows = self._updates[0] if len(self._updates) == 1 else np.concatenate([NO_ROWS, *self._updates])
        if self.num_replicas > 1:
            rows = self._of_all(rows, place)
        if len(rows):
            self._tree.update_log(*self._waiting.in_order_of_draws(rows))
        self._updates.clear()

    def _of_all(self, rows, place):
        facts = self._facts() | {"epoch": place.epoch, "draws so far": place.drawn}
        del facts["rank"]
        facts["sum of weights (has each loaded its state?)"] = self._tree.total
        found, rows = self._processes.exchange(facts | {"seed": self._seed}, rows)
        self._seed = int(found.pop("seed")[0])
        for name, each in found.items():
            if len(set(each)) > 1:
                raise ValueError(f"all processes must have the same {name}, got {each} by rank")
        return rows


def _count(value, name):
    return check_number(value, name, low=1, integer=True)
