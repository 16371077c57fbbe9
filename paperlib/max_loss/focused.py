"""Focused online learning (Section 2.3) around any learner."""

import copy
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_classes, check_number, check_sample_weight
from paperlib.max_loss._checks.inputs import check_learner, check_slack, checked_loss, checked_losses
from paperlib.max_loss._checks.weights import copies_of
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.copies import draw_copies, mean_of_copies
from paperlib.max_loss._rounds.play import log_factors
from paperlib.max_loss.reservoir import MOST, Reservoir
from paperlib.max_loss.sum_tree import SumTree


class Learner(Protocol):
    """Interface of the w player."""

    def step(self, i: Any, /) -> Any:
        """Return the loss on example `i`, or on each of an array, and learn from it."""


class FocusedRun(NamedTuple):
    """Result of `focused_online_learning`, beside the learner itself, which is the last iterate.

    Attributes
    ----------
    n_iter : int
        Rounds that were played.
    losses : ndarray of shape (n_iter,)
        The value of each round, a mean over its batch.
    iterates : list of n_voters objects
        Snapshots of the learner before rounds that are drawn uniformly and independently from all.
    times : ndarray of shape (n_voters,)
        Those rounds, from 1.
    tree : SumTree
        The p player's weights; with `sample_weight` of the copies that the examples are played as.
    slack : ndarray of shape (m,) or None
        The xi of Section 4.2, where it was asked for; the mean of its copies' for an example with a weight,
        NaN for one of weight zero.
    rows : ndarray of shape (n_copies,) or None
        With `sample_weight` the example that each item of the tree is a copy of.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.max_loss import Perceptron
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.array([1, 1, -1])
    >>> run = focused_online_learning(Perceptron(X, y), 3, 20, n_voters=2, random_state=0)
    >>> run.losses.shape, len(run.iterates)
    ((20,), 2)
    >>> run.tree.probabilities().round(2).tolist()  # no w has both of the last two
    [0.06, 0.45, 0.49]
    """

    n_iter: int
    losses: Floats
    iterates: list[Any]
    times: Integers
    tree: SumTree
    slack: Floats | None
    rows: Integers | None = None


def focused_online_learning(
    learner: Learner,
    m: int,
    max_iter: int,
    *,
    eta: float | None = None,
    uniform_share: float = 0.5,
    batch_size: int | None = None,
    n_voters: int = 0,
    slack_budget: float | None = None,
    slack_norm: Literal["l1", "l2"] = "l1",
    slack_rate: float | None = None,
    sample_weight: ArrayLike | None = None,
    callback: Callable[[int], object] | None = None,
    random_state: RandomState = None,
) -> FocusedRun:
    """Turn an online learner into a minimiser of the maximal loss.

    At each round an example is drawn from ``p = uniform_share / m + (1 - uniform_share) q``, the learner
    takes a step on it, and its weight in q is multiplied by ``exp(eta loss / p)``: examples on which the
    learner errs come back.

    Parameters
    ----------
    learner : object with ``step(i) -> loss``
        ``step`` returns the loss on example i, in [0, 1], of the iterate before it learns from it. With
        `batch_size` it gets an array of indices and returns as many losses. For `n_voters`, ``snapshot()``
        gives an iterate to keep; a learner without it is copied whole. For `slack_budget` it has ``loss(i)``.
    m : int >= 1
        Number of examples.
    max_iter : int >= 1
        Number of steps of the learner.
    eta : float > 0, optional
        Learning rate of the p player; ``1 / (2 m)`` as in Theorem 1.
    uniform_share : float in [0, 1], default=0.5
        Share of uniform sampling; 1 is uniform sampling, without weights.
    batch_size : int >= 1, optional
        Independent draws from p for one step; each updates its weight once, by its loss before the step.
    n_voters : int in [0, 1,000,000], default=0
        Iterates to keep, for `average` and `majority`; Theorem 1 wants of order ``log(m / delta) / eps``.
    slack_budget : float >= 0, optional
        The K of Section 4.2: the loss becomes ``max(0, loss_i - xi_i)`` with ``xi in [0, 1]^m`` of norm at
        most K, learned by gradient descent. A step whose loss is 0 with slack is left out. Not with batches.
    slack_norm : {"l1", "l2"}
        ``||xi||_1 <= K`` or ``||xi||_2^2 <= K``.
    slack_rate : float > 0, optional
        Gradient step of xi; ``sqrt(K / max_iter)`` by default.
    sample_weight : array-like of shape (m,), optional
        Weights >= 0 of the examples, which are played as copies, as `FOLClassifier` says; integers are the
        same as a learner on repeated rows. In `eta` m is then their sum.
    callback : callable, optional
        ``callback(t)`` after round t; a true value ends the run.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Returns
    -------
    FocusedRun

    Raises
    ------
    ValueError
        For a parameter out of its range, or a loss that is not in [0, 1], which is named with its index.

    Notes
    -----
    Shalev-Shwartz and Wexler, Minimizing the Maximal Loss: How and Why, ICML 2016, Sections 2.3, 4.2 and 5.
    Clipping the loss with slack at zero keeps it in [0, 1], as the analysis wants; a maximum does not see it.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.max_loss import Perceptron
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0], [1.0, 0.9]]), np.array([1, -1, 1])
    >>> learner = Perceptron(X, y)
    >>> run = focused_online_learning(learner, m=3, max_iter=100, n_voters=5, random_state=0)
    >>> learner.errors(), int(run.losses.sum()), len(run.iterates)
    (0, 2, 5)
    """
    m = check_number(m, "m", low=1, integer=True)
    max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
    copies = None if sample_weight is None else copies_of(check_sample_weight(sample_weight, m))
    total, n_items = (m, m) if copies is None else (copies.total, len(copies.rows))
    eta = 0.5 / total if eta is None else check_number(eta, "eta", low=0, open_low=True)
    uniform_share = check_number(uniform_share, "uniform_share", low=0, high=1)
    size = None if batch_size is None else check_number(batch_size, "batch_size", low=1, integer=True)
    n_voters = check_number(n_voters, "n_voters", low=0, high=MOST, integer=True)
    check_learner(learner)
    if callback is not None and not callable(callback):
        raise ValueError(f"callback must be callable, got {callback!r}")
    slack_rules = check_slack(slack_budget, slack_norm, slack_rate, max_iter)
    rng = check_random_state(random_state)
    # Random numbers of its own, so that how many iterates are kept does not change which examples are drawn.
    reservoir = Reservoir(n_voters, rng.spawn(1)[0])
    slack = slacks.allocate(0 if slack_budget is None else n_items, *slack_rules)
    if slack_budget is not None and size is not None:
        raise ValueError("slack_budget needs batch_size=None: slack is learned one example at a time")

    play = _Plain(learner) if slack_budget is None else _WithSlack(learner, slack)
    tree = SumTree(n_items)
    masses = np.ones(0) if copies is None else _enter(tree, copies)
    losses = np.empty(max_iter)
    t = 0
    while t < max_iter:
        t += 1
        # Before the step: w_t is the iterate whose loss the round is about.
        reservoir.offer(t, lambda: _snapshot(learner))
        if copies is None:
            i, p = tree.sample(rng, uniform_share, size)
            row, rate = i, eta
        else:
            i, p = _sample(rng, uniform_share, size, copies, tree)
            row, rate = copies.rows[i] if size else int(copies.rows[i]), eta * masses[i]
        if size is None:
            loss = losses[t - 1] = checked_loss(play.step(row, i), row)
        else:
            loss = checked_losses(play.step(row, i), row)
            losses[t - 1] = loss.mean()
        # A loss of zero changes no weight, and uniform draws have none: both spare the tree.
        if uniform_share < 1.0 and losses[t - 1] > 0.0:
            tree.update_log(i, log_factors(rate, loss, p))
        if callback is not None and callback(t):
            break
    xi = None if slack_budget is None else slacks.values(slack)
    if copies is None:
        return FocusedRun(t, losses[:t], reservoir.items, reservoir.times, tree, xi)
    xi = None if xi is None else mean_of_copies(xi, copies, m)
    return FocusedRun(t, losses[:t], reservoir.items, reservoir.times, tree, xi, copies.rows)


def average(iterates: Iterable[np.ndarray]) -> Floats:
    """Return the mean of iterates that are arrays (Corollary 2).

    Parameters
    ----------
    iterates : list of ndarray

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For no iterates, of different shapes, or not of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> average([np.array([1.0, 0.0]), np.array([0.0, 1.0])]).tolist()
    [0.5, 0.5]
    """
    try:
        iterates = list(iterates)
    except TypeError:
        raise ValueError(f"iterates must be a list of arrays, got {iterates!r}") from None
    shapes = sorted({np.shape(iterate) for iterate in iterates})
    if len(shapes) != 1 or not all(np.asarray(iterate).dtype.kind in "biuf" for iterate in iterates):
        raise ValueError(
            f"iterates must be one array of numbers or more, all of one shape, got {len(iterates)} of shapes "
            f"{shapes}"
        )
    return np.mean(iterates, axis=0)


def majority(votes: ArrayLike) -> np.ndarray:
    """Return the label that most iterates give each example, the smallest of those that tie (Corollary 1).

    Parameters
    ----------
    votes : array-like of shape (k, m)
        Labels, a row for each iterate.

    Returns
    -------
    ndarray of shape (m,)

    Raises
    ------
    ValueError
        For another shape, no rows, or labels that cannot be compared.

    Examples
    --------
    >>> majority([[1, -1], [1, 1], [-1, -1]]).tolist()
    [1, -1]
    """
    votes = np.asarray(votes)
    if votes.ndim != 2 or not len(votes):
        raise ValueError(f"votes must have shape (k, m), with k >= 1, got {votes.shape}")
    if not votes.size:
        return votes[0]
    if votes.dtype.kind == "f" and np.isnan(votes).any():
        raise ValueError("votes must be labels, got NaN among them")
    classes, codes = check_classes(votes.ravel())
    codes = codes.reshape(votes.shape)
    counts = np.stack([(codes == c).sum(axis=0) for c in range(len(classes))])
    return classes[counts.argmax(axis=0)]


class _Plain:
    """The learner alone."""

    def __init__(self, learner):
        self.learner = learner

    def step(self, i, item):
        """Play example i, whatever the item of the tree."""
        return self.learner.step(i)


class _WithSlack:
    """The learner of Section 4.2, which plays w and xi together."""

    def __init__(self, learner, slack):
        if not hasattr(learner, "loss"):
            raise ValueError(f"a learner with slack must have loss(i), got {type(learner).__name__}")
        self.learner, self.slack = learner, slack

    def step(self, i, item):
        """Play example i, whose slack is that of an item of the tree."""
        own = float(self.slack.scales[0] * self.slack.xi[item])
        loss = checked_loss(self.learner.loss(i), i)
        if loss <= own:
            # No gradient with respect to w either, so no step; but a loss of zero may still have one, as of a
            # surrogate.
            if own == 0.0:
                self.learner.step(i)
            return 0.0
        self.learner.step(i)
        slacks.raise_slack(item, self.slack)
        return loss - own


def _enter(tree, copies):
    """Give the copies' leaves their masses, which are returned."""
    n, broken = len(copies.rows), len(copies.fractions)
    tree.update_log(np.arange(n - broken, n), np.log(copies.fractions))
    return np.append(np.ones(n - broken), copies.fractions)


def _sample(rng, uniform_share, size, copies, tree):
    """Draw copies as `SumTree.sample` draws items."""
    us = rng.random(size or 1)
    indices, p = np.empty(len(us), dtype=np.int64), np.empty(len(us))
    draw_copies(us, uniform_share, indices, p, copies, tree.state)
    return (indices, p) if size else (int(indices[0]), float(p[0]))


def _snapshot(learner):
    return learner.snapshot() if hasattr(learner, "snapshot") else copy.deepcopy(learner)
