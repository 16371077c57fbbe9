"""Focused online learning in a training loop of one's own: a sampler for torch's `DataLoader`."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.validation import check_number
from paperlib.max_loss._checks.pytorch import pytorch
from paperlib.max_loss._rounds.play import log_factors
from paperlib.max_loss.sum_tree import SumTree

try:
    from torch.utils.data import Sampler
except ImportError:
    Sampler = object


class FocusedSampler(Sampler):
    """Sampler that returns to the examples on which the model errs.

    It draws from ``p = uniform_share / m + (1 - uniform_share) q``, where q grows with an example's losses.

    It gives indices to a `DataLoader`, and takes the losses by `update`, in the order in which the examples
    came out of the loader: with workers, too, that is the order in which they were drawn.

    Parameters
    ----------
    m : int >= 1
        Number of examples, ``len(dataset)``.
    n_draws : int >= 1, optional
        Draws of an epoch, its length; m by default.
    eta : float > 0, optional
        Learning rate of q; ``1 / (2 m)`` as in Theorem 1.
    uniform_share : float in [0, 1], default=0.5
        Share of uniform sampling.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Attributes
    ----------
    tree : SumTree
        The weights q.

    Raises
    ------
    ImportError
        Without PyTorch.
    ValueError
        For a parameter out of its range.

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Sections 2.3 and 5. Only
    the losses of the running epoch are taken; draws that a loader made ahead are of the weights then.

    Examples
    --------
    A training loop of one's own, with three lines more than without focus (1, 2 and 3).

    >>> import torch
    >>> from torch.utils.data import DataLoader, TensorDataset
    >>> from paperlib.max_loss import FocusedSampler
    >>> generator = torch.Generator().manual_seed(0)
    >>> X = torch.randn(200, 2, generator=generator)
    >>> X[:, 0] += 0.1 * X[:, 0].sign()
    >>> y = (X[:, 0] > 0).long()
    >>> model = torch.nn.Linear(2, 2)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> sampler = FocusedSampler(len(X), random_state=0)  # 1
    >>> loader = DataLoader(TensorDataset(X, y), batch_size=20, sampler=sampler)  # 2
    >>> for epoch in range(50):
    ...     for inputs, labels in loader:
    ...         scores = model(inputs)
    ...         sampler.update(scores.argmax(dim=1) != labels)  # 3
    ...         loss = torch.nn.functional.cross_entropy(scores, labels)
    ...         optimizer.zero_grad()
    ...         loss.backward()
    ...         _ = optimizer.step()
    >>> int((model(X).argmax(dim=1) != y).sum())
    0
    """

    def __init__(
        self,
        m: int,
        *,
        n_draws: int | None = None,
        eta: float | None = None,
        uniform_share: float = 0.5,
        random_state: RandomState = None,
    ) -> None:
        pytorch()
        self.tree = SumTree(m)
        self.n_draws = len(self.tree)
        if n_draws is not None:
            self.n_draws = check_number(n_draws, "n_draws", low=1, integer=True)
        self.eta = 0.5 / m if eta is None else check_number(eta, "eta", low=0, open_low=True)
        self.uniform_share = check_number(uniform_share, "uniform_share", low=0, high=1)
        self._rng = check_random_state(random_state)
        self._drawn: deque[tuple[int, float]] = deque()

    def __len__(self) -> int:
        return self.n_draws

    def __iter__(self) -> Iterator[int]:
        # Its own, so that draws of an epoch that was left, which may still go on, get no losses.
        drawn: deque[tuple[int, float]] = deque()
        self._drawn = drawn
        return self._draws(drawn)

    def _draws(self, drawn):
        for _ in range(self.n_draws):
            i, p = self.tree.sample(self._rng, self.uniform_share)
            drawn.append((i, p))
            yield i

    def update(self, losses: Any) -> None:
        """Take the losses of the examples that came out of the loader next, before the step on them.

        Parameters
        ----------
        losses : tensor or array-like of shape (k,)
            In [0, 1], such as whether each was got wrong.

        Raises
        ------
        ValueError
            For more losses than examples are waiting for theirs, or a loss that is not in [0, 1], which is
            named with its index; the weights are then as they were.
        """
        torch = pytorch()
        if isinstance(losses, torch.Tensor):
            losses = losses.detach().to("cpu", torch.float64).numpy()
        try:
            losses = np.atleast_1d(np.asarray(losses, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(f"losses must be numbers in [0, 1], got {losses!r}") from error
        if losses.ndim > 1 or len(losses) > len(self._drawn):
            raise ValueError(
                f"losses must be one for each of at most {len(self._drawn)} examples that were drawn, got "
                f"shape {losses.shape}"
            )
        indices = np.array([self._drawn[j][0] for j in range(len(losses))], dtype=np.int64)
        wrong = ~((losses >= 0.0) & (losses <= 1.0))
        if wrong.any():
            raise ValueError(
                f"losses must be in [0, 1], got {losses[wrong][0]} for index {indices[wrong][0]}"
            )
        # The probabilities of the draws, not of now: batches that were told of meanwhile have moved the tree.
        p = np.array([self._drawn.popleft()[1] for _ in range(len(losses))])
        self.tree.update_log(indices, log_factors(self.eta, losses, p))
