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

BATCH = 64


class Race(NamedTuple):
    """Result of `race`.

    Attributes
    ----------
    curves : DataFrame with a row per method, run and epoch, from 0, before the first step
        method, run, epoch, train_errors (mistakes of the method's output on all training examples),
        train_error, test_error, useful (mistakes among the 64 draws of a batch, mean of the epoch that ends
        here; none for AdaBoost), vote_errors (training mistakes of the majority of the networks after each
        epoch so far, a tie being one; none for AdaBoost, whose output is a vote already).
    focus : list of ndarray of shape (m,)
        How often FOL's weights ask for each example: q at the end of each run, times m.
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
    return ImageTask(X[:m][right[:m]], y[:m][right[:m]], X[m:][right[m:]], y[m:][right[m:]])


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


def race(tasks, start, n_epochs, *, with_adaboost=True, eta_factor=1.0, random_state=0, **rule):
    """Train networks until they have no training error; all methods start a run from the same weights.

    An epoch is as many draws as there are examples. SGD draws uniformly, FOL from p, and both look at their
    network after each epoch; FOL goes on for as many epochs as SGD takes. An iteration of AdaBoost counts
    two: one of learning, and one to reweight all examples; its output is the weighted vote of the networks so
    far, those of SGD and FOL are the last one.

    Parameters
    ----------
    tasks : sequence of ImageTask
        One for each run.
    start : callable
        ``start(X, y, seed, **rule)`` gives the w player.
    n_epochs : int >= 1
        At most.
    with_adaboost : bool, default=True
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
    for run, (task, seed) in enumerate(zip(tasks, seeds, strict=True)):
        of_sgd, _ = _descend(start(task.X, task.y, seed, **rule), task, n_epochs, seed, uniform_share=1.0)
        learner = start(task.X, task.y, seed, **rule)
        focused = {"eta": eta_factor / (2 * len(task.y)), "uniform_share": 0.5}
        of_fol, asked = _descend(learner, task, n_epochs, seed, n_least=of_sgd[-1][0], **focused)
        found = {"FOL": of_fol, "SGD": of_sgd}
        if with_adaboost:
            found["AdaBoost"] = _boost(start(task.X, task.y, seed, **rule), task, n_epochs, seed)
        rows += [(method, run, *row) for method, each in found.items() for row in each]
        focus.append(asked)
    names = ["method", "run", "epoch", "train_errors", "test_error", "vote_errors", "useful"]
    curves = pd.DataFrame(rows, columns=names)
    sizes = np.array([len(task.y) for task in tasks])
    curves.insert(4, "train_error", curves.train_errors / sizes[curves.run])
    return Race(curves, focus)


def _descend(learner, task, n_epochs, seed, *, n_least=1, **draws):
    """Rows of `Race.curves`, without method and run, and how draws are weighted at the end.

    It ends when there is no training error, but not before `n_least` epochs.
    """
    m, rounds = len(task.y), math.ceil(len(task.y) / BATCH)
    votes, solved = np.zeros(m, dtype=int), False
    looks = [_look(learner, task, np.zeros(m, dtype=int))]

    def look(t):
        nonlocal solved
        if t % rounds:
            return False
        looks.append(_look(learner, task, votes))
        solved = solved or looks[-1][0] == 0
        return solved and t >= n_least * rounds

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


def _look(learner, task, votes):
    """Training errors and test error of a network, and training errors of `votes` with its own."""
    right = learner.predict(task.X) == task.y
    votes += np.where(right, 1, -1)
    on_test = learner.errors(task.X_test, task.y_test) / len(task.y_test)
    return int((~right).sum()), on_test, int((votes <= 0).sum())


def _boost(learner, task, n_epochs, seed):
    votes, (errors, on_test, _) = [], _look(learner, task, np.zeros(len(task.y), dtype=int))
    first = (0, errors, on_test, math.nan, math.nan)

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
    return [first, *((2 * (t + 1), wrong[t], test_errors[t], math.nan, math.nan) for t in range(len(wrong)))]
