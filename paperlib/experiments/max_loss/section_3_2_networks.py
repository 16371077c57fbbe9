"""Section 3.2 with networks: digits, some of them rare in training, by four methods from equal weights."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments import datasets
from paperlib.experiments.max_loss import images
from paperlib.experiments.max_loss.baselines import adaboost
from paperlib.experiments.max_loss.hard_examples import hard_examples
from paperlib.experiments.max_loss.section_5_networks import BATCH, one_hidden_layer
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss.focused import focused_online_learning

DIGIT, RARE_DIGITS = 3, (5, 8)
METHODS = ("FOL", "SGD", "AdaBoost", "hard examples")
POOL = 4  # batches in the pool of hard-example mining
LOOKS = [8, 16]  # epochs
RATE = 0.04


class RareTask(NamedTuple):
    """Images to train on, some of them of a rare kind, and of both kinds to test on.

    Attributes
    ----------
    X, X_typical, X_rare : ndarray of shape (n, 196), float32
        To train on, and to test on.
    y, y_typical, y_rare : ndarray of shape (n,), int64
        1 for the digit 3, 0 for the rest.
    is_rare : ndarray of shape (m,), bool
        Of those to train on: a 5 or an 8.
    """

    X: np.ndarray
    y: np.ndarray
    is_rare: np.ndarray
    X_typical: np.ndarray
    y_typical: np.ndarray
    X_rare: np.ndarray
    y_rare: np.ndarray


@step
def rare_digits(shares, n_runs, *, data, seed):
    """Train networks on MNIST by all methods; a third of SGD's go on for four times the epochs.

    Parameters
    ----------
    shares : list of float
        Of rare digits, ascending; SGD goes on at the last.
    n_runs : int >= 1
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame of `rare_runs`
    """
    X, digits = small_digits(data)
    draws = {"random_state": _draws(seed, "rare digits"), "learning_rate": RATE}
    runs = rare_runs(X, digits, shares, n_runs, LOOKS, **draws)
    n_longer = (n_runs + 2) // 3
    longer = rare_runs(X, digits, shares[-1:], n_longer, [4 * LOOKS[-1]], methods=["SGD"], **draws)
    return pd.concat([runs, longer], ignore_index=True)


@step
def rare_digits_again(share, n_runs, methods, *, data, seed):
    """Train networks once more at one share, on images and with weights that `rare_digits` did not have.

    Parameters
    ----------
    share : float
    n_runs : int >= 1
    methods : list of str
    data, seed
        As in `rare_digits`.

    Returns
    -------
    DataFrame of `rare_runs`
    """
    draws = {"random_state": _draws(seed, "rare digits again"), "learning_rate": RATE}
    X, digits = small_digits(data)
    return rare_runs(X, digits, [share], n_runs, LOOKS, methods=methods, **draws)


def _draws(seed, name):
    return int(stream(seed, name).integers(2**63))


def small_digits(data="bundled"):
    """Return MNIST with each two by two pixels averaged: images (n, 196) in [0, 1], and their digits (n,).

    `data` is that of `paperlib.experiments.datasets.load`.
    """
    mnist = datasets.load("mnist", data)
    return images.half_size(mnist.X), mnist.y


def rare_tasks(X, digits, shares, *, random_state=None):
    """Draw a task for each share: 3 against the rest, with few 5s and 8s among those to train on.

    Four of five other images are to train on, one of five 5s and 8s may be; all the rest is to test on. The
    images to test on are the same at every share, and the rare ones at a share are among those at a larger.

    Parameters
    ----------
    X : ndarray of shape (n, 196)
    digits : ndarray of shape (n,)
        Of 0 to 9.
    shares : sequence of float in [0, 0.05]
        Of 5s and 8s among the images to train on.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    list of RareTask

    Raises
    ------
    ValueError
        For a share out of its range.

    Examples
    --------
    >>> [task] = rare_tasks(np.random.default_rng(0).random((100, 196)), np.arange(100) % 10, [0.03])
    >>> task.X.shape, int(task.is_rare.sum()), len(task.y_typical), len(task.y_rare)
    ((66, 196), 2, 16, 16)
    """
    shares = [check_number(share, "share", low=0, high=0.05) for share in shares]
    order = np.random.default_rng(random_state).permutation(len(digits))
    is_rare = np.isin(digits[order], RARE_DIGITS)
    typical, rare = order[~is_rare], order[is_rare]
    n_typical, n_rare = 4 * len(typical) // 5, len(rare) // 5
    y = (digits == DIGIT).astype(np.int64)
    tests = [each[chosen] for chosen in (typical[n_typical:], rare[n_rare:]) for each in (X, y)]
    tasks = []
    for share in shares:
        kept = rare[: min(round(share / (1.0 - share) * n_typical), n_rare)]
        chosen = np.concatenate([typical[:n_typical], kept])
        tasks.append(RareTask(X[chosen], y[chosen], np.arange(len(chosen)) >= n_typical, *tests))
    return tasks


def rare_runs(X, digits, shares, n_runs, looks, *, methods=METHODS, random_state=0, **rule):
    """Train networks on digits with a share of rare ones; all methods start a run from the same weights.

    An epoch is as many examples learned from as there are. SGD draws them uniformly, FOL from p; "hard
    examples" takes the 64 with the largest loss of 256 uniform draws, and so looks at four examples for each
    one that it learns from. AdaBoost learns in every other epoch and reweights in the rest; its output is the
    vote of its networks so far, that of the others is the last network.

    Parameters
    ----------
    X, digits, shares
        As in `rare_tasks`.
    n_runs : int >= 1
        Runs at each share, with images, weights and draws of their own.
    looks : sequence of int >= 2, ascending
        Epochs after which errors are counted; the last ends a run.
    methods : sequence of str
    random_state : int
    **rule
        Settings of gradient descent, as in `GradientLearner`.

    Returns
    -------
    DataFrame with a row per share, run, method and look
        share, run, method, epoch, m (examples to train on), n_rare (rare ones of these), train_errors,
        rare_train_errors (wrong ones of the rare), and on images to test on typical_error, missed (share of
        3s that are wrong), rare_error (share of 5s and 8s that are taken for a 3), confused (the mean of
        these two).

    Raises
    ------
    ValueError
        For a number out of its range, or a method that is not known.
    """
    n_runs = check_number(n_runs, "n_runs", low=1, integer=True)
    looks = [check_number(look, "look", low=2, integer=True) for look in looks]
    seeds = np.random.SeedSequence(random_state).generate_state(n_runs, np.uint64).tolist()
    rows = []
    for run, seed in enumerate(progress(seeds, "networks")):
        for share, task in zip(shares, rare_tasks(X, digits, shares, random_state=seed), strict=True):
            sizes = len(task.y), int(task.is_rare.sum())
            for method in methods:
                learner = one_hidden_layer(task.X, task.y, seed, **rule)
                found = train(method, learner, task, looks, seed)
                rows += [
                    (share, run, method, look, *sizes, *each) for look, each in zip(looks, found, strict=True)
                ]
    names = ["share", "run", "method", "epoch", "m", "n_rare", "train_errors", "rare_train_errors"]
    frame = pd.DataFrame(rows, columns=[*names, "typical_error", "missed", "rare_error"])
    return frame.assign(confused=(frame.missed + frame.rare_error) / 2)


def train(method, learner, task, looks, seed):
    """Train a network by one method, and count its errors after each of the epochs `looks`.

    Parameters
    ----------
    method : {"FOL", "SGD", "AdaBoost", "hard examples"}
    learner : GradientLearner
    task : RareTask
    looks : list of int >= 2, ascending
    seed : int

    Returns
    -------
    list of tuple
        Of `errors_of`, at each look.
    """
    if method == "AdaBoost":
        return _boost(learner, task, looks, seed)
    m, rounds, found = len(task.y), math.ceil(len(task.y) / BATCH), []

    def look(t):
        if t % rounds == 0 and t // rounds in looks:
            found.append(errors_of([learner.predict(X) for X in _inputs(task)], task))

    settings = {"batch_size": BATCH, "callback": look, "random_state": seed}
    if method == "hard examples":
        hard_examples(learner, learner.hardness, m, looks[-1] * rounds, pool_size=POOL * BATCH, **settings)
    elif method in ("FOL", "SGD"):
        share = {"FOL": 0.5, "SGD": 1.0}[method]
        focused_online_learning(learner, m, looks[-1] * rounds, uniform_share=share, **settings)
    else:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    return found


def errors_of(classes, task):
    """Return the training errors, those on rare images, and the shares of wrong test images, of predictions.

    Parameters
    ----------
    classes : sequence of three ndarray
        Of the images to train on, and of the typical and rare ones to test on; 1/2 for a vote that is tied.
    task : RareTask

    Returns
    -------
    tuple of int, int, float, float, float
        The shares are those of typical images, of the 3s among them, and of rare images.
    """
    answers = task.y, task.y_typical, task.y_rare
    wrong, typical, rare = (each != y for each, y in zip(classes, answers, strict=True))
    counts = int(wrong.sum()), int((wrong & task.is_rare).sum())
    return *counts, *(float(each.mean()) for each in (typical, typical[task.y_typical == 1], rare))


def _inputs(task):
    return task.X, task.X_typical, task.X_rare


def _boost(learner, task, looks, seed):
    votes = []

    def predict(weights):
        # A copy: the learner goes on from where it is.
        now = learner.snapshot()
        learner.restore(weights)
        votes.append([2 * learner.predict(X) - 1 for X in _inputs(task)])
        learner.restore(now)
        return votes[-1][0]

    run = adaboost(learner, predict, 2 * task.y - 1, looks[-1] // 2, batch_size=BATCH, random_state=seed)
    # It may have ended without a training error, before a look.
    counts = [min(look // 2, len(votes)) for look in looks]
    sums = [np.cumsum(run.alphas[:, None] * np.array(each), axis=0) for each in zip(*votes, strict=True)]
    return [errors_of([(np.sign(each[n - 1]) + 1) / 2 for each in sums], task) for n in counts]
