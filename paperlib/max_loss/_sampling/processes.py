"""The processes of one training run, which exchange what their samplers were told."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.max_loss._checks.pytorch import pytorch


class Processes:
    """This process's place among all, and what goes from each to all.

    The processes talk in a group of their own, on the CPU: gradients have theirs, in another order.

    Parameters
    ----------
    num_replicas, rank : int or None
        None takes those of `torch.distributed`, or 1 and 0 where it is not in use.

    Raises
    ------
    ValueError
        For numbers out of range, or others than `torch.distributed` has.
    """

    def __init__(self, num_replicas: int | None, rank: int | None) -> None:
        world, own = self._world()
        self._assumed = num_replicas is None
        if num_replicas is None:
            num_replicas = world
        self.num_replicas = check_number(num_replicas, "num_replicas", low=1, integer=True)
        if rank is None:
            rank = own if self.num_replicas > 1 else 0
        self.rank = check_number(rank, "rank", low=0, high=self.num_replicas - 1, integer=True)
        self._group: Any = None
        if world > 1:
            self._check()

    def __getstate__(self) -> dict[str, Any]:
        # A group is of this process: a copy makes its own.
        return self.__dict__ | {"_group": None}

    def meet(self) -> None:
        """Make the group, all processes together, if there are several and it is not there yet."""
        if self.num_replicas > 1 or self._assumed:
            self._check()
        if self.num_replicas > 1 and self._group is None:
            self._group = pytorch().distributed.new_group(backend="gloo")

    def exchange(self, facts: dict[str, float], rows: Floats) -> tuple[dict[str, list[float]], Floats]:
        """Return each fact of all processes, in the order of their ranks, and the rows (n, c) of all.

        All processes call it together, with the same names of facts and rows of the same width.
        """
        table = self._gather(np.array([*facts.values(), len(rows)], dtype=np.float64))
        found = {name: table[:, j].tolist() for j, name in enumerate(facts)}
        lengths = table[:, -1].astype(int)
        if not lengths.any():
            return found, rows
        # All processes have to give arrays of one shape, so each gives as many rows as the longest.
        padded = np.zeros((lengths.max(), rows.shape[1]))
        padded[: len(rows)] = rows
        parts = self._gather(padded)
        return found, np.concatenate([part[:length] for part, length in zip(parts, lengths)])

    def _gather(self, values: ArrayLike) -> np.ndarray:
        torch = pytorch()
        mine = torch.from_numpy(values)
        all_of_them = [torch.empty_like(mine) for _ in range(self.num_replicas)]
        torch.distributed.all_gather(all_of_them, mine, group=self._group)
        return torch.stack(all_of_them).numpy()

    @staticmethod
    def _world():
        distributed = pytorch().distributed
        if distributed.is_available() and distributed.is_initialized():
            return distributed.get_world_size(), distributed.get_rank()
        return 1, 0

    def _check(self):
        world, own = self._world()
        if self._assumed and self.num_replicas != world:
            raise ValueError(
                f"torch.distributed must have its {world} processes before the sampler is made, or "
                "num_replicas must be given"
            )
        if self.num_replicas > 1 and (world, own) != (self.num_replicas, self.rank):
            raise ValueError(
                f"num_replicas and rank must be those of torch.distributed, {world} and {own}, got "
                f"{self.num_replicas} and {self.rank}; to start it, call torch.distributed.init_process_group"
            )
