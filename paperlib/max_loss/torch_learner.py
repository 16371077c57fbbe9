"""A torch module as the w player of `focused_online_learning`."""

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.max_loss._checks.inputs import checked_indices
from paperlib.max_loss._checks.pytorch import pytorch

EVALUATED = 256  # examples at a time where nothing is learned; for more, memory is fetched anew each time


class TorchLearner:
    """Classifier that takes a step of its optimiser for each batch, on the mean logistic loss of the batch.

    Parameters
    ----------
    module : torch.nn.Module
        ``module(X[i])`` gives a score for each class, shape (k, n_classes). It is trained in place, on the
        device where it is.
    X : torch.Tensor of shape (m, ...)
        On any device: each batch is moved to where the module is.
    y : array-like of shape (m,)
        Classes 0, 1, ..., n_classes - 1.
    optimizer : torch.optim.Optimizer, optional
        Of the module's parameters; `paper_optimizer` by default.
    schedule : torch.optim.lr_scheduler.LRScheduler, optional
        Advanced by one after each step.

    Raises
    ------
    ImportError
        Without PyTorch.
    ValueError
        If there are not as many labels as examples, or they are not 0, 1, ... .

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Section 5. The gradient is
    that of the plain mean, not divided by the probabilities that the batch was drawn with.

    Examples
    --------
    >>> import torch
    >>> from paperlib.max_loss import focused_online_learning
    >>> X, y = torch.randn(500, 20), torch.arange(500) % 2
    >>> learner = TorchLearner(torch.nn.Linear(20, 2), X, y)
    >>> run = focused_online_learning(learner, m=500, max_iter=100, batch_size=64, random_state=0)
    >>> run.losses.shape
    (100,)
    """

    def __init__(self, module: Any, X: Any, y: Any, optimizer: Any = None, schedule: Any = None) -> None:
        torch = pytorch()
        self.module, self.X = module, torch.as_tensor(X)
        labels = _as_array(y)
        if labels.dtype.kind not in "buif" or not _are_codes(labels).all():
            raise ValueError(f"y must hold the classes 0, 1, ..., got {labels.ravel().tolist()[:5]} ...")
        self.y = torch.as_tensor(labels.astype(np.int64))
        if self.y.shape != self.X.shape[:1]:
            raise ValueError(
                f"y must hold {len(self.X)} labels, one for each row of X, got {tuple(self.y.shape)}"
            )
        if optimizer is None:
            optimizer, schedule = paper_optimizer(module)
        self.optimizer, self.schedule = optimizer, schedule
        self._surrogate = torch.nn.functional.cross_entropy

    def step(self, indices: ArrayLike) -> float | Floats:
        """Return the zero-one losses of these examples, shape (k,), and learn from them."""
        torch = pytorch()
        chosen = checked_indices(indices, len(self.y))
        at = torch.as_tensor(np.atleast_1d(chosen))
        # The caller may have gradients off: torch leaves them so if a signal ends its `no_grad` half-way.
        with torch.enable_grad():
            scores = self.module(self._moved(self.X[at]))
            self.optimizer.zero_grad(set_to_none=True)
            self._surrogate(scores, self.y[at].to(scores.device)).backward()
            self.optimizer.step()
        if self.schedule is not None:
            self.schedule.step()
        losses = (_as_array(scores.argmax(dim=1)) != self.y[at].numpy()).astype(float)
        return losses if chosen.ndim else losses[0]

    def loss(self, i: int) -> float:
        """Return the zero-one loss on example `i`."""
        i = int(checked_indices(i, len(self.y)))
        return float(self.predict(self.X[i : i + 1])[0] != self.y[i].item())

    def predict(self, X: Any) -> np.ndarray:
        """Return the classes of `X`, shape (n,), by the module in evaluation mode: without dropout."""
        torch = pytorch()
        modes = [(part, part.training) for part in self.module.modules()]  # a part of it may be frozen
        try:
            self.module.eval()
            with torch.no_grad():
                parts = [self.module(self._moved(part)).argmax(dim=1) for part in X.split(EVALUATED)]
                return _as_array(torch.cat(parts))
        finally:
            for part, is_training in modes:
                part.training = is_training

    def errors(self, X: Any = None, y: ArrayLike | None = None) -> int:
        """Return the number of mistakes, on the examples that it learns from by default."""
        X, y = (self.X, self.y) if X is None else (X, y)
        return int((self.predict(X) != _as_array(y)).sum())

    def snapshot(self) -> dict[str, Any]:
        """Return a copy of the weights, for `restore`."""
        return copy.deepcopy(self.module.state_dict())

    def restore(self, weights: dict[str, Any]) -> None:
        """Put weights in that `snapshot` gave."""
        self.module.load_state_dict(weights)

    def _moved(self, X):
        """Return examples on the device of the module."""
        weights = next(self.module.parameters(), None)
        return X if weights is None else X.to(weights.device)


def _as_array(values):
    """Return what may be a tensor, on any device, as an array."""
    return np.asarray(values.cpu() if hasattr(values, "cpu") else values)


def _are_codes(labels):
    """Return which labels are whole numbers >= 0."""
    return np.isfinite(labels) & (labels >= 0) & (labels == np.floor(labels))


def paper_optimizer(module, *, lr=0.01, decay=1e-4, momentum=0.9, weight_decay=5e-4):
    """Stochastic gradient descent with Nesterov's momentum and ``lr_t = lr (1 + decay t)^-0.75``.

    Parameters
    ----------
    module : torch.nn.Module
    lr, decay, momentum, weight_decay : float
        The paper's by default; the last is the factor of l2 regularisation.

    Returns
    -------
    torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler
    """
    torch = pytorch()
    lr = check_number(lr, "lr", low=0, open_low=True)
    rules = {"momentum": momentum, "nesterov": momentum > 0, "weight_decay": weight_decay}
    optimizer = torch.optim.SGD(module.parameters(), lr=lr, foreach=True, **rules)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: (1 + decay * t) ** -0.75)
