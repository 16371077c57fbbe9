"""Online mining of hard examples: learn from those of a larger uniform batch that have the largest loss."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number, check_vector
from paperlib.max_loss._checks.inputs import check_learner, checked_losses
from paperlib.max_loss.focused import Learner


class MinedRun(NamedTuple):
    """Result of `hard_examples`, beside the learner itself, which is the last iterate.

    Attributes
    ----------
    n_iter : int
        Steps that were taken.
    losses : ndarray of shape (n_iter,)
        Mean loss of the examples that were learned from, of the iterate before the step.
    n_learned : ndarray of shape (m,)
        How often each example was learned from.

    Examples
    --------
    >>> from paperlib.max_loss import LogisticSGD
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> learner, settings = LogisticSGD(X, y), {"batch_size": 1, "pool_size": 4, "random_state": 0}
    >>> run = hard_examples(learner, lambda i: -y[i], 2, 5, **settings)
    >>> run.n_iter, int(run.n_learned.sum())
    (5, 5)
    """

    n_iter: int
    losses: Floats
    n_learned: Integers


def hard_examples(
    learner: Learner,
    hardness: Callable[[Integers], ArrayLike],
    m: int,
    max_iter: int,
    *,
    batch_size: int = 64,
    pool_size: int = 256,
    callback: Callable[[int], object] | None = None,
    random_state: RandomState = None,
) -> MinedRun:
    """Draw a pool of examples uniformly, and take a step on those of them with the largest loss.

    What deep learning does today where most examples are easy. It meets a rare example no sooner than uniform
    draws of a whole pool do, but learns from it almost every time that it is in the pool.

    Parameters
    ----------
    learner : object with ``step(indices) -> losses``
        As in `focused_online_learning`, with losses in [0, 1].
    hardness : callable
        ``hardness(indices)`` gives a number for each example that grows with its loss, shape (pool_size,). It
        is asked for before each step. The zero-one loss would hardly tell examples apart.
    m : int >= 1
        Number of examples.
    max_iter : int >= 1
        Number of steps of the learner.
    batch_size : int >= 1, default=64
        Examples to learn from in a step; of equally hard ones those that were drawn first.
    pool_size : int >= batch_size, default=256
        Uniform draws to choose them from, with repetition.
    callback : callable, optional
        ``callback(t)`` after step t; a true value ends the run.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Returns
    -------
    MinedRun

    Raises
    ------
    ValueError
        For a parameter out of its range, a hardness that is not finite or not one for each of the pool, or a
        loss that is not in [0, 1].

    Notes
    -----
    Shrivastava, Gupta, Girshick, Training Region-based Object Detectors with Online Hard Example Mining, CVPR
    2016, Section 4. Their pool is the regions of two images; near copies among these are left out first, of
    which there are none here.

    Examples
    --------
    >>> from paperlib.max_loss import LogisticSGD
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> learner = LogisticSGD(X, y)
    >>> def hardness(indices):
    ...     return -y[indices] * (X[indices] @ learner.w[:-1])
    >>> run = hard_examples(learner, hardness, 2, 20, batch_size=2, pool_size=8, random_state=0)
    >>> learner.errors()
    0
    """
    m = check_number(m, "m", low=1, integer=True)
    max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
    batch_size = check_number(batch_size, "batch_size", low=1, integer=True)
    pool_size = check_number(pool_size, "pool_size", low=batch_size, integer=True)
    check_learner(learner)
    for name, given in (("hardness", hardness), ("callback", callback)):
        if not callable(given) and not (name == "callback" and given is None):
            raise ValueError(f"{name} must be callable, got {given!r}")
    rng = check_random_state(random_state)
    losses, n_learned = np.empty(max_iter), np.zeros(m, dtype=np.int64)
    t, done = 0, False
    while t < max_iter and not done:
        pool = rng.integers(m, size=pool_size)
        hard = check_vector(hardness(pool), "hardness(indices)", pool_size, "number")
        chosen = pool[hardest(hard, batch_size)]
        losses[t] = checked_losses(learner.step(chosen), chosen).mean()
        np.add.at(n_learned, chosen, 1)
        t += 1
        done = callback is not None and bool(callback(t))
    return MinedRun(t, losses[:t], n_learned)


def hardest(hardness: Any, k: int) -> Integers:
    """Return the places of the k largest numbers, the largest first and equal ones in their order.

    Parameters
    ----------
    hardness : ndarray of shape (n,)
    k : int in [1, n]

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> hardest(np.array([0.1, 0.7, 0.3, 0.7]), 3).tolist()
    [1, 3, 2]
    """
    return np.argsort(-np.asarray(hardness), kind="stable")[:k]
