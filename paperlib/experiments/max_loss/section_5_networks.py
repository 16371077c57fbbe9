"""Section 5, Figures 2 and 3: epochs until a network has no training error, with and without focus."""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.experiments.max_loss.baselines import adaboost, uniform_sampling
from paperlib.experiments.max_loss.images import ImageTask
from paperlib.experiments.max_loss.network import NetworkLearner, initial_weights
from paperlib.max_loss.focused import focused_online_learning

BATCH = 64


class Race(NamedTuple):
    """Result of `race`.

    Attributes
    ----------
    curves : DataFrame with a row per method, run and epoch
        method, run, epoch, train_errors (mistakes of the method's output on all training examples),
        train_error, test_error.
    focus : ndarray of shape (n_runs, m)
        How often FOL's weights ask for each example: q at the end of a run, times m.
    """

    curves: pd.DataFrame
    focus: np.ndarray


class NetworkSize(NamedTuple):
    """`width` and `n_channels` of `initial_weights`; the paper's own are 1 and 3."""

    width: float
    n_channels: int


SMALL = NetworkSize(0.05, 1)


def realisable(task, n_epochs, size=SMALL, *, random_state=0):
    """Drop what a network gets wrong after some epochs of plain gradient descent, as the paper does.

    A class of which it has no example right stays whole: so little training says nothing about it.

    Parameters
    ----------
    task : ImageTask
    n_epochs : int >= 1
    size : NetworkSize
    random_state : int

    Returns
    -------
    ImageTask
    """
    learner = _learner(task, size, random_state)
    max_iter = n_epochs * math.ceil(len(task.y) / BATCH)
    uniform_sampling(learner, len(task.y), max_iter, batch_size=BATCH, random_state=random_state)
    right = _right(learner.predict(task.X), task.y)
    right_too = _right(learner.predict(task.X_test), task.y_test)
    return ImageTask(task.X[right], task.y[right], task.X_test[right_too], task.y_test[right_too])


def race(
    task,
    n_epochs,
    n_runs,
    size=SMALL,
    *,
    methods=("FOL", "SGD", "AdaBoost"),
    eta_factor=1.0,
    random_state=0,
):
    """Train networks until they have no training error; all methods start a run from the same weights.

    An epoch is as many draws as there are examples. SGD draws uniformly, FOL from p; both look at their
    network after each epoch. An iteration of AdaBoost counts two: one of learning, and one to reweight all
    examples; its output is the weighted vote of the networks so far, those of SGD and FOL are the last one.

    Parameters
    ----------
    task : ImageTask
    n_epochs : int >= 1
        At most.
    n_runs : int >= 1
    size : NetworkSize
    methods : sequence of {"FOL", "SGD", "AdaBoost"}
    eta_factor : float > 0, default=1.0
        FOL's ``eta``, in units of ``1 / (2 m)``.
    random_state : int

    Returns
    -------
    Race
    """
    n_epochs = check_number(n_epochs, "n_epochs", low=1, integer=True)
    n_runs = check_number(n_runs, "n_runs", low=1, integer=True)
    seeds = np.random.SeedSequence(random_state).generate_state(n_runs).tolist()
    rows, focus = [], np.ones((n_runs, len(task.y)))
    for run, seed in enumerate(seeds):
        for method in methods:
            learner = _learner(task, size, seed)
            if method == "AdaBoost":
                errors = _boost(learner, task, n_epochs, seed)
            else:
                errors, focus_of_run = _descend(
                    learner, task, n_epochs, seed, eta_factor if method == "FOL" else None
                )
                if method == "FOL":
                    focus[run] = focus_of_run
            rows += [(method, run, *row) for row in errors]
    curves = pd.DataFrame(rows, columns=["method", "run", "epoch", "train_errors", "test_error"])
    curves["train_error"] = curves.train_errors / len(task.y)
    return Race(curves, focus)


def epochs_to_zero(curves):
    """Return how many epochs each run took to no training error.

    Parameters
    ----------
    curves : DataFrame
        Of `race`.

    Returns
    -------
    DataFrame with a row per method and run
        method, run, epochs (until the first without a training error; of those that were allowed, where there
        was none), reached, test_error (at the end).

    Examples
    --------
    >>> curves = pd.DataFrame({"method": ["FOL"] * 2, "run": [0, 0], "epoch": [1, 2]})
    >>> curves = curves.assign(train_errors=[3, 0], test_error=[0.2, 0.1])
    >>> epochs_to_zero(curves)[["method", "epochs", "reached"]]
      method  epochs  reached
    0    FOL       2     True
    """
    last = curves.groupby(["method", "run"], sort=False).last().reset_index()
    last = last.assign(epochs=last.epoch, reached=last.train_errors == 0)
    return last[["method", "run", "epochs", "reached", "test_error"]]


def error_bands(curves, n_epochs):
    """Return mean errors with their standard errors at each epoch; runs that ended stay as they are.

    Parameters
    ----------
    curves : DataFrame
        Of `race`.
    n_epochs : int
        Where the bands end.

    Returns
    -------
    DataFrame with a row per method and epoch
        method, epoch, train_error, train_stderr, test_error, test_stderr, and solved: the number of runs
        without a training error.
    """
    parts = []
    for method, group in curves.groupby("method", sort=False):
        first, step = group.epoch.min(), group.epoch.min()
        epochs = np.arange(first, n_epochs + 1, step)
        columns = {"method": method, "epoch": epochs}
        for name in ("train", "test"):
            runs = group.pivot(index="epoch", columns="run", values=f"{name}_error").reindex(epochs).ffill()
            columns[f"{name}_error"] = runs.mean(axis=1).to_numpy()
            columns[f"{name}_stderr"] = runs.sem(axis=1).to_numpy()
            if name == "train":
                columns["solved"] = (runs == 0.0).sum(axis=1).to_numpy()
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def informative_draws(task, n_epochs, uniform_shares=(1.0, 0.5), size=SMALL, *, random_state=0):
    """Count the mistakes among the 64 draws of a batch, in the last epoch before there is no training error.

    Section 5 says 32; these are the draws that teach anything.

    Parameters
    ----------
    task : ImageTask
    n_epochs : int >= 1
        At most.
    uniform_shares : sequence of float in [0, 1]
        Share of uniform sampling; 1 is stochastic gradient descent.
    size : NetworkSize
    random_state : int

    Returns
    -------
    dict of float to float
        For each uniform_share, the mean number of mistakes in a batch.
    """
    m, found = len(task.y), {}
    rounds = math.ceil(m / BATCH)
    for uniform_share in uniform_shares:
        learner = _learner(task, size, random_state)

        def solved(t, learner=learner):
            return t % rounds == 0 and learner.errors() == 0

        run = focused_online_learning(
            learner,
            m,
            n_epochs * rounds,
            uniform_share=uniform_share,
            batch_size=BATCH,
            callback=solved,
            random_state=random_state,
        )
        found[uniform_share] = float(BATCH * run.losses[-rounds:].mean())
    return found


def _right(predicted, y):
    """Return which examples are predicted right, or all of a class of which none is."""
    right = predicted == y
    for label in (0, 1):
        right |= (y == label) & ~right[y == label].any()
    return right


def _learner(task, size, seed):
    return NetworkLearner(task.X, task.y, initial_weights(size.width, size.n_channels, seed=seed))


def _descend(learner, task, n_epochs, seed, eta_factor):
    """Rows ``(epoch, training errors, test error)`` of SGD or FOL, and how FOL spread its attention."""
    m, rows, focus = len(task.y), [], np.zeros(len(task.y))
    rounds = math.ceil(m / BATCH)

    def look(t):
        if t % rounds:
            return False
        wrong = learner.errors()
        rows.append((t // rounds, wrong, learner.errors(task.X_test, task.y_test) / len(task.y_test)))
        return wrong == 0

    rules = {"batch_size": BATCH, "callback": look, "random_state": seed}
    if eta_factor is None:
        uniform_sampling(learner, m, n_epochs * rounds, **rules)
    else:
        eta = 0.5 * eta_factor / m
        run = focused_online_learning(learner, m, n_epochs * rounds, eta=eta, **rules)
        focus = m * run.tree.probabilities()
    return rows, focus


def _boost(learner, task, n_epochs, seed):
    votes = []

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
    return [(2 * (t + 1), wrong[t], test_errors[t]) for t in range(len(wrong))]
