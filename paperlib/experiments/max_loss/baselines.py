"""Methods that the paper compares with: uniform sampling, AdaBoost, the sublinear perceptron and EXP3.P.1."""

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_number, check_vector
from paperlib.experiments.max_loss import exponential_weights
from paperlib.max_loss._checks.inputs import check_learner, check_signed_rows, checked_loss
from paperlib.max_loss._rounds.linear import power_near_one
from paperlib.max_loss.focused import FocusedRun, Learner, focused_online_learning

SURE = 1e-12


class SnapshotLearner(Learner, Protocol):
    """Learner whose iterates are kept."""

    def snapshot(self) -> Any:
        """Return an iterate that later steps leave as it is."""


class Boosted(NamedTuple):
    """An AdaBoost ensemble.

    Attributes
    ----------
    iterates : list
        Snapshots of the learner, one for each epoch.
    alphas : ndarray of shape (n_epochs,)
        Their weights.
    scores : ndarray of shape (m,)
        ``sum_t alpha_t h_t(x_i)``.
    errors : ndarray of shape (n_epochs,)
        Training error of the ensemble after each epoch.

    Examples
    --------
    >>> from paperlib.max_loss import Perceptron
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> run = adaboost(Perceptron(X, y), lambda w: np.sign(X @ w[:-1]), y, 3, random_state=0)
    >>> len(run.iterates), np.sign(run.scores).tolist(), run.errors.tolist()
    (1, [1.0, -1.0], [0.0])
    """

    iterates: list[Any]
    alphas: Floats
    scores: Floats
    errors: Floats


class Players(NamedTuple):
    """Result of a game of two players.

    Attributes
    ----------
    n_iter : int
    losses : ndarray of shape (n_iter,)
    q : ndarray of shape (m,)
        The last distribution of the p player, without exploration.

    Examples
    --------
    >>> from paperlib.max_loss import Perceptron
    >>> learner = Perceptron(np.array([[1.0], [1.0]]), np.array([1, -1]))  # no w has both
    >>> played = exp3_p(learner, 2, 100, random_state=0)
    >>> played.n_iter, float(played.losses.sum()), played.q.round(2).tolist()
    (100, 65.0, [0.49, 0.51])
    """

    n_iter: int
    losses: Floats
    q: Floats


class Sublinear(NamedTuple):
    """Result of the sublinear perceptron.

    Attributes
    ----------
    w : ndarray of shape (d,)
        The mean of its iterates.
    n_iter : int
    margin : float
        ``min_i y_i <w, x_i>`` over the largest norm of a row.

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, 2.0]]), np.array([1.0, -1.0])
    >>> found = sublinear_perceptron(X, y, 0.1, random_state=0)
    >>> found.n_iter, round(found.margin, 1), found.w.round(1).tolist()
    (1110, 0.7, [0.7, -0.7])
    """

    w: Floats
    n_iter: int
    margin: float


def uniform_sampling(
    learner: Learner,
    m: int,
    max_iter: int,
    *,
    batch_size: int | None = None,
    callback: Callable[[int], object] | None = None,
    random_state: RandomState = None,
) -> FocusedRun:
    """Play with a p that stays uniform: what stochastic gradient descent does.

    Parameters
    ----------
    learner, m, max_iter, batch_size, callback, random_state
        As in `focused_online_learning`.

    Returns
    -------
    FocusedRun

    Examples
    --------
    >>> from paperlib.max_loss import Perceptron
    >>> learner = Perceptron(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]))
    >>> uniform_sampling(learner, 2, 20, random_state=0).losses.sum(), learner.errors()
    (np.float64(2.0), 0)
    """
    return focused_online_learning(
        learner,
        m,
        max_iter,
        uniform_share=1.0,
        batch_size=batch_size,
        callback=callback,
        random_state=random_state,
    )


def adaboost(
    learner: SnapshotLearner,
    predict: Callable[[Any], ArrayLike],
    y: ArrayLike,
    n_epochs: int,
    *,
    batch_size: int = 64,
    random_state: RandomState = None,
) -> Boosted:
    """AdaBoost over an online learner, as in Experiment 2: one epoch drawn by the weights, then a vote more.

    Parameters
    ----------
    learner : object with ``step(indices)`` and ``snapshot()``
        It goes on from where the epoch before left it.
    predict : callable
        ``predict(iterate)`` gives -1 and +1 for all examples, shape (m,); 0 is half a vote for each.
    y : ndarray of shape (m,)
        Labels -1 and +1.
    n_epochs : int >= 1
        At most; it ends with an ensemble without a mistake.
    batch_size : int >= 1, default=64
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Boosted

    Raises
    ------
    ValueError
        For a parameter out of its range, other labels, or votes that are not numbers in [-1, 1].

    Notes
    -----
    ``alpha_t = log(1 / eps_t - 1) / 2``, of the weighted error eps_t. An epoch without a mistake, or without
    a hit, has no finite one: eps_t is kept 1e-12 away from 0 and 1.

    Examples
    --------
    >>> from paperlib.max_loss import LogisticSGD
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> learner = LogisticSGD(X, y)
    >>> run = adaboost(learner, lambda w: np.sign(X @ w[:-1]), y, 3, batch_size=2, random_state=0)
    >>> run.errors.tolist()
    [0.0]
    """
    n_epochs = check_number(n_epochs, "n_epochs", low=1, integer=True)
    batch_size = check_number(batch_size, "batch_size", low=1, integer=True)
    check_learner(learner)
    signs, rng = check_binary_signs(y), np.random.default_rng(random_state)
    m = len(signs)
    if m == 0:
        raise ValueError("y must have one label or more, got none")
    logs, scores = np.zeros(m), np.zeros(m)
    iterates: list[Any] = []
    alphas: list[float] = []
    errors: list[float] = []
    while len(alphas) < n_epochs and (not errors or errors[-1] > 0.0):
        p = np.exp(logs - logs.max())
        p /= p.sum()
        drawn = rng.choice(m, size=m, p=p)
        for start in range(0, m, batch_size):
            learner.step(drawn[start : start + batch_size])
        iterate = copy.deepcopy(learner.snapshot())
        votes = check_vector(predict(iterate), "predict(iterate)", m, "label")
        if np.abs(votes).max() > 1.0:
            raise ValueError(f"predict(iterate) must lie in [-1, 1], got {votes[np.abs(votes).argmax()]}")
        error = min(max(float(p[votes != signs].sum()), SURE), 1.0 - SURE)
        alpha = 0.5 * math.log(1.0 / error - 1.0)
        logs -= alpha * signs * votes
        scores += alpha * votes
        iterates.append(iterate)
        alphas.append(alpha)
        errors.append(float((signs * scores <= 0.0).mean()))
    return Boosted(iterates, np.array(alphas), scores, np.array(errors))


def exp3_p(
    learner: Learner,
    m: int,
    max_iter: int,
    *,
    delta: float = 0.05,
    callback: Callable[[int], object] | None = None,
    random_state: RandomState = None,
) -> Players:
    """EXP3.P.1 of Auer and others as the p player: high-probability regret, O(m) a round.

    Epoch r has ``T_r = 2^r`` rounds and runs EXP3.P with ``delta_r = delta / ((r + 1) (r + 2))``, from the
    first r with ``delta_r >= m T_r exp(-m T_r)``.

    Parameters
    ----------
    learner : object with ``step(i) -> loss``
    m : int >= 2
    max_iter : int >= 1
    delta : float in (0, 1)
    callback : callable, optional
        ``callback(t)`` after round t; a true value ends the run.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Players

    Raises
    ------
    ValueError
        For a parameter out of its range, or a loss that is not in [0, 1], which is named with its index.

    Notes
    -----
    Auer, Cesa-Bianchi, Freund, Schapire, The Nonstochastic Multiarmed Bandit Problem, 2002, Section 6.

    Examples
    --------
    >>> from paperlib.max_loss import Perceptron
    >>> learner = Perceptron(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]))
    >>> exp3_p(learner, 2, 20, random_state=0).n_iter, learner.errors()
    (20, 0)
    """
    m = check_number(m, "m", low=2, integer=True)
    max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
    delta = check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    check_learner(learner)
    rng = np.random.default_rng(random_state)
    losses, weights = np.empty(max_iter), np.ones(m)
    t, r, done = 0, 0, False
    while math.log(delta / ((r + 1) * (r + 2))) < math.log(m * 2.0**r) - m * 2.0**r:
        r += 1
    while t < max_iter and not done:
        length, delta_r = 2.0**r, delta / ((r + 1) * (r + 2))
        uniform_share = min(0.6, 2.0 * math.sqrt(0.6 * m * math.log(m) / length))
        alpha = 2.0 * math.sqrt(math.log(m * length / delta_r))
        logs = np.full(m, alpha * uniform_share / 3.0 * math.sqrt(length / m))
        while t < max_iter and length > 0 and not done:
            i, p = exponential_weights.exp3_draw(logs, weights, rng.random(), uniform_share)
            losses[t] = checked_loss(learner.step(i), i)
            exponential_weights.exp3_update(i, losses[t], p, logs, weights, uniform_share, alpha, 2.0**r)
            t, length = t + 1, length - 1
            done = callback is not None and bool(callback(t))
        r += 1
    return Players(t, losses[:t], weights / weights.sum())


def sublinear_perceptron(
    X: ArrayLike,
    y: ArrayLike,
    eps: float,
    *,
    max_iter: int | None = None,
    target: float | None = None,
    check_every: int | None = None,
    random_state: RandomState = None,
) -> Sublinear:
    """The sublinear perceptron of Clarkson, Hazan and Woodruff: O(m + d) a round, ``log(m) / eps^2`` rounds.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Divided by its largest norm first.
    y : ndarray of shape (m,)
        Labels -1 and +1.
    eps : float in (0, 1)
        What the margin of the mean iterate may be below the best, on the divided rows.
    max_iter : int >= 1, optional
        ``ceil(200^2 log(m) / eps^2)`` is what the analysis asks for; ``16 log(m) / eps^2`` by default.
    target : float, optional
        Stop as soon as the margin of the mean iterate is above this; 0 asks for a consistent one.
    check_every : int >= 1, optional
        Rounds between two looks at that; d by default, which is as long as one look takes.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    Sublinear

    Raises
    ------
    ValueError
        For a parameter out of its range, `X` that is not finite or zero throughout, or other labels.

    Notes
    -----
    Clarkson, Hazan, Woodruff, Sublinear Optimization for Machine Learning, 2012, Algorithm 1.

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    >>> run = sublinear_perceptron(X, y, 0.1, target=0.0, random_state=0)
    >>> run.margin > 0.0
    True
    """
    X, y = check_signed_rows(X, y)
    if not X.any():
        raise ValueError("X must have a row that is not zero, got zeros only")
    if target is not None:
        target = check_number(target, "target")
    eps = check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)
    m, d = X.shape
    log_m = math.log(max(m, 2))
    if max_iter is None:
        max_iter = math.ceil(16.0 * log_m / eps**2)
    max_iter = check_number(max_iter, "max_iter", low=1, integer=True)
    check_every = d if check_every is None else check_number(check_every, "check_every", low=1, integer=True)
    rng = np.random.default_rng(random_state)
    rows = X * power_near_one(X)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows).max())
    eta = min(0.5, math.sqrt(log_m / max_iter))
    w, row_sum, total, logs = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(m)
    us = np.empty(3)
    us[2] = 1.0 / math.sqrt(2.0 * max_iter)
    t = 0
    while t < max_iter:
        us[:2] = rng.random(2)
        exponential_weights.sublinear_round(rows, y, w, logs, us, eta, row_sum)
        total += w
        t += 1
        if target is not None and t % check_every == 0 and (y * (rows @ total)).min() > target * t:
            break
    return Sublinear(total / t, t, float((y * (rows @ total)).min() / t))
