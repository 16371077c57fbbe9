"""Section 5, Figures 2 and 3: networks trained with focus, without, and by AdaBoost, from equal weights."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments.max_loss import hidden_layer, network
from paperlib.experiments.max_loss.baselines import adaboost, uniform_sampling
from paperlib.experiments.max_loss.hidden_layer_learner import HiddenLayerLearner
from paperlib.experiments.max_loss.images import ImageTask, split
from paperlib.max_loss.focused import focused_online_learning

METHODS = ("FOL", "SGD", "AdaBoost")
BATCH = 64
AFTER = 20  # epochs that a run goes on after the first without a training error


class Race(NamedTuple):
    """Result of `race`.

    Attributes
    ----------
    curves : DataFrame with a row per method, run and epoch, from 0, before the first step
        method, run, epoch, train_errors (mistakes of the method's output on all training examples),
        train_error, test_error, useful (mistakes among the 64 draws of a batch, mean of the epoch that ends
        here; none for AdaBoost), vote_errors (training mistakes of the majority of the networks after each
        epoch so far, a tie being one; none for AdaBoost, whose output is a vote already), drawn_errors (the
        same of about log m networks, `n_voters`, after epochs that are drawn from those so far).
    focus : list of ndarray of shape (m,)
        How often FOL's weights ask for each example: q at the end of each run of it, times m.
    """

    curves: pd.DataFrame
    focus: list[np.ndarray]


def convolutional(width):
    """Return a function that makes a w player of the paper's network, with this share of its channels.

    Parameters
    ----------
    width : float > 0

    Returns
    -------
    callable
        ``start(X, y, seed, **rule)`` on grey images (m, 28, 28); the rule is that of `GradientLearner`.
    """

    def start(X, y, seed, **rule):
        return network.NetworkLearner(X, y, network.initial_weights(width, 1, seed=seed), **rule)

    return start


def one_hidden_layer(X, y, seed, **rule):
    """Return a w player with 48 hidden units on images (m, n_inputs), from random weights of that seed."""
    return HiddenLayerLearner(X, y, hidden_layer.initial_weights(X.shape[1], seed=seed), **rule)


def realisable(X, y, start, n_epochs, *, random_state=0):
    """Return which examples a network gets right after some epochs of plain gradient descent on all of them.

    "To guarantee that", writes Section 5 of data that can be realised, "we first used vanilla SGD to find a
    network", and "kept only samples that were labeled correctly". A class of which it has no example right
    stays whole: so little training says nothing about it.

    Parameters
    ----------
    X : ndarray of shape (n, ...)
    y : ndarray of shape (n,)
        Classes 0 and 1.
    start : callable
        ``start(X, y, seed)`` gives the w player.
    n_epochs : int >= 1
    random_state : int

    Returns
    -------
    ndarray of shape (n,), bool
    """
    learner = start(X, y, random_state)
    max_iter = n_epochs * math.ceil(len(y) / BATCH)
    uniform_sampling(learner, len(y), max_iter, batch_size=BATCH, random_state=random_state)
    right = learner.predict(X) == y
    for label in (0, 1):
        right |= (y == label) & ~right[y == label].any()
    return right


def realisable_task(task, start, n_epochs, *, random_state=0):
    """Return what `realisable` leaves of a task whose images to test on are chosen already.

    Parameters
    ----------
    task : ImageTask
    start, n_epochs, random_state
        As in `realisable`.

    Returns
    -------
    ImageTask
    """
    X, y = np.concatenate([task.X, task.X_test]), np.concatenate([task.y, task.y_test])
    right, m = realisable(X, y, start, n_epochs, random_state=random_state), len(task.y)
    source = None if task.source is None else task.source[right[:m]]
    return ImageTask(X[:m][right[:m]], y[:m][right[:m]], X[m:][right[m:]], y[m:][right[m:]], source)


def realisable_split(X, y, start, n_epochs, *, random_state=0):
    """Return what `realisable` leaves of some images, split 9 : 1 as Section 5 does.

    Parameters
    ----------
    X, y, start, n_epochs, random_state
        As in `realisable`.

    Returns
    -------
    ImageTask
    """
    right = realisable(X, y, start, n_epochs, random_state=random_state)
    return split(X[right], y[right], random_state=random_state)


def race(tasks, start, n_epochs, *, methods=METHODS, eta_factor=1.0, random_state=0, **rule):
    """Train networks until they have no training error; all methods start a run from the same weights.

    An epoch is as many draws as there are examples. SGD draws uniformly, FOL from p, and both look at their
    network after each epoch, and go on for `AFTER` more epochs. An iteration of AdaBoost counts two: one of
    learning, and one to reweight all examples; its output is the weighted vote of the networks so far, those
    of SGD and FOL are the last one.

    Parameters
    ----------
    tasks : sequence of ImageTask
        One for each run.
    start : callable
        ``start(X, y, seed, **rule)`` gives the w player.
    n_epochs : int >= 1
        At most.
    methods : sequence of str
    eta_factor : float > 0, default=1.0
        FOL's eta over ``1 / (2m)``.
    random_state : int
    **rule
        Passed on to `start`: learning_rate, momentum, l2, decay.

    Returns
    -------
    Race
    """
    n_epochs = check_number(n_epochs, "n_epochs", low=1, integer=True)
    seeds = np.random.SeedSequence(random_state).generate_state(len(tasks)).tolist()
    rows, focus = [], []
    shares = {"FOL": {"uniform_share": 0.5}, "SGD": {"uniform_share": 1.0}}
    for run, (task, seed) in enumerate(zip(tasks, seeds, strict=True)):
        for method in methods:
            learner = start(task.X, task.y, seed, **rule)
            if method == "AdaBoost":
                found = _boost(learner, task, n_epochs, seed)
            else:
                eta = eta_factor / (2 * len(task.y))
                found, asked = _descend(learner, task, n_epochs, seed, eta=eta, **shares[method])
                focus += [asked] if method == "FOL" else []
            rows += [(method, run, *row) for row in found]
    names = ["method", "run", "epoch", "train_errors", "test_error", "vote_errors", "drawn_errors", "useful"]
    curves = pd.DataFrame(rows, columns=names)
    sizes = np.array([len(task.y) for task in tasks])
    curves.insert(4, "train_error", curves.train_errors / sizes[curves.run])
    return Race(curves, focus)


def n_voters(m):
    """Return an odd number of about log m: of so many hypotheses FOL's output is a majority, by Theorem 1.

    >>> n_voters(1000), n_voters(62_500)
    (7, 11)
    """
    return max(1, 2 * math.ceil(math.log(m) / 2) - 1)


def _descend(learner, task, n_epochs, seed, **draws):
    """Rows of `Race.curves`, without method and run, and how draws are weighted at the end."""
    m, rounds = len(task.y), math.ceil(len(task.y) / BATCH)
    rng, votes = np.random.default_rng(seed), np.zeros(m, dtype=int)
    seen: list[np.ndarray] = []
    looks: list[tuple] = []

    def look(t):
        if t % rounds == 0:
            looks.append(_look(learner, task, seen, votes, rng))
        solved = [errors == 0 for errors, *_ in looks[1:]]
        return any(solved) and len(solved) - solved.index(True) > AFTER

    look(0)
    seen.clear()  # random weights have no vote
    votes[:] = 0

    run = focused_online_learning(
        learner,
        m,
        n_epochs * rounds,
        batch_size=BATCH,
        callback=look,
        random_state=seed,
        **draws,
    )
    useful = [math.nan, *(BATCH * run.losses.reshape(-1, rounds).mean(axis=1))]
    rows = [
        (epoch, *each, mistakes) for epoch, (each, mistakes) in enumerate(zip(looks, useful, strict=True))
    ]
    return rows, m * run.tree.probabilities()


def _look(learner, task, seen, votes, rng):
    """Training errors and test error of a network, and training errors of votes with those `seen` before.

    One is of all, whose `votes` are added up, the other of `n_voters` that are drawn.
    """
    right = learner.predict(task.X) == task.y
    vote = np.where(right, 1, -1).astype(np.int8)
    seen.append(vote)
    votes += vote
    on_test = learner.errors(task.X_test, task.y_test) / len(task.y_test)
    of_drawn = sum(seen[t].astype(int) for t in rng.integers(len(seen), size=n_voters(len(right))))
    return int((~right).sum()), on_test, int((votes <= 0).sum()), int((of_drawn <= 0).sum())


def _boost(learner, task, n_epochs, seed):
    votes, on_test = [], learner.errors(task.X_test, task.y_test) / len(task.y_test)
    none = math.nan, math.nan, math.nan
    first = (0, learner.errors(), on_test, *none)

    def predict(weights):
        # A copy: the learner goes on from where it is.
        now = learner.snapshot()
        learner.restore(weights)
        signs = [2 * learner.predict(X) - 1 for X in (task.X, task.X_test)]
        learner.restore(now)
        votes.append(signs[1])
        return signs[0]

    signs = 2 * task.y - 1
    run = adaboost(learner, predict, signs, max(1, n_epochs // 2), batch_size=BATCH, random_state=seed)
    on_test = np.cumsum(run.alphas[:, None] * np.array(votes), axis=0) * (2 * task.y_test - 1)
    test_errors = (on_test <= 0.0).mean(axis=1)
    wrong = np.rint(run.errors * len(task.y)).astype(int)
    return [first, *((2 * (t + 1), wrong[t], test_errors[t], *none) for t in range(len(wrong)))]
