"""Section 5, Figures 2 and 3: the races on faces and on digits, and what each run came to."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.experiments.max_loss import images, theory_lemmas
from paperlib.experiments.max_loss import section_5_curves as of_curves
from paperlib.experiments.max_loss.network import initial_weights, n_weights
from paperlib.experiments.max_loss.section_5_networks import (
    AFTER,
    convolutional,
    one_hidden_layer,
    race,
    realisable_split,
    realisable_task,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

FACES, DIGITS, NO_L2 = "faces", "8 against the rest", "8, without ℓ2"
OF_EACH_FACE = 3  # other images
N_SHOWN = 12  # pictures of a kind
DIGIT = 8
N_DRAWN = 40  # epochs of a curve


class FaceRaces(NamedTuple):
    """Result of `face_races`.

    Attributes
    ----------
    curves : DataFrame
        Of `section_5_networks.Race`, with the column task in front.
    pictures : ndarray of shape (2, 2, N_SHOWN, 28, 28)
        Typical images and those that FOL returned to most, of all runs; of each faces and others, and of each
        source one.
    """

    curves: pd.DataFrame
    pictures: Floats


class DigitRaces(NamedTuple):
    """Result of `digit_races`.

    Attributes
    ----------
    curves : DataFrame
        Of `section_5_networks.Race`, with the column task in front.
    splits : DataFrame with a row per run
        run, to_train (images), share (of all that are to train on and not to test on, by their pixels).
    """

    curves: pd.DataFrame
    splits: pd.DataFrame


@step
def face_races(n_runs, n_faces, n_test, n_vanilla, n_epochs, width, *, seed):
    """Race on faces, each run on images of its own, with the paper's layers.

    Parameters
    ----------
    n_runs, n_faces, n_test : int
        Faces to train on, with `OF_EACH_FACE` other images each; and images of either class to test on.
    n_vanilla, n_epochs : int
        Of plain SGD, whose errors are left out; and of each method, at most.
    width : float
        Share of the paper's channels.
    seed : int

    Returns
    -------
    FaceRaces
    """
    start, tasks, weights, curves = convolutional(width), [], [], []
    for run, (sample, draws) in enumerate(progress(_seeds(seed, FACES, n_runs), FACES)):
        drawn = images.face_task(n_faces, OF_EACH_FACE * n_faces, n_test, random_state=sample)
        task = realisable_task(drawn, start, n_vanilla, random_state=draws)
        found = race([task], start, n_epochs, random_state=draws)
        tasks.append(task)
        weights += found.focus
        curves.append(found.curves.assign(run=run))
    X, y, source = (np.concatenate([getattr(task, name) for task in tasks]) for name in ("X", "y", "source"))
    typical = stream(seed, "typical images").permutation(len(y))
    by_focus = np.argsort(-np.concatenate(weights), kind="stable")
    pictures = [[X[_firsts(order, y == label, source)] for label in (1, 0)] for order in (typical, by_focus)]
    return FaceRaces(_of_task(FACES, curves), np.array(pictures))


def _firsts(order, wanted, source):
    """Return the first `N_SHOWN` of those that are wanted, one of each source while there are enough."""
    order = order[wanted[order]]
    firsts = np.sort(np.unique(source[order], return_index=True)[1])
    return order[np.append(firsts, np.setdiff1d(np.arange(len(order)), firsts))[:N_SHOWN]]


@step
def digit_races(n_runs, n_digits, n_vanilla, n_epochs, *, data, seed):
    """Race on MNIST, 8 against the rest, by a network of one hidden layer, with the penalty and without.

    Parameters
    ----------
    n_runs, n_digits, n_vanilla, n_epochs : int
        Runs; images in all; epochs of plain SGD, whose errors are left out; and of each method, at most.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DigitRaces
    """
    X, y = images.digits(data, DIGIT, n_digits, random_state=stream(seed, "digits"))
    runs = [
        digit_run(X, y, draws, n_vanilla, n_epochs)
        for draws, _ in progress(_seeds(seed, DIGITS, n_runs), DIGITS)
    ]
    curves = pd.concat([each.curves.assign(run=run) for run, each in enumerate(runs)], ignore_index=True)
    splits = pd.concat([each.splits.assign(run=run) for run, each in enumerate(runs)], ignore_index=True)
    return DigitRaces(curves, splits)


@step
def digit_run(X, y, draws, n_vanilla, n_epochs):
    """One run of `digit_races`, which is kept by itself: on all of MNIST it takes minutes.

    Parameters
    ----------
    X : ndarray of shape (n, 196)
    y : ndarray of shape (n,)
    draws : int
        Seed of the split, the weights and the draws.
    n_vanilla, n_epochs : int

    Returns
    -------
    DigitRaces
        With run 0.
    """
    task = realisable_split(X, y, one_hidden_layer, n_vanilla, random_state=draws)
    curves = [
        _of_task(name, [race([task], one_hidden_layer, n_epochs, random_state=draws, **rule).curves])
        for name, rule in ((DIGITS, {}), (NO_L2, {"l2": 0.0, "methods": ("FOL", "SGD")}))
    ]
    split = {"run": [0], "to_train": [len(task.y)], "share": [images.share_to_train(task)]}
    return DigitRaces(pd.concat(curves, ignore_index=True), pd.DataFrame(split))


@step
def focus_by_eta(factors, n_runs, n_digits, n_vanilla, n_epochs, *, data, seed):
    """Race on digits with other rates of the p player, of which Section 5 says nothing.

    Parameters
    ----------
    factors : list of float
        FOL's eta over ``1 / (2 m)``.
    n_runs, n_digits, n_vanilla, n_epochs, data, seed
        As in `digit_races`.

    Returns
    -------
    DataFrame with a row per factor and run
        factor, run, epochs, reached, useful (draws of 64, of `section_5_curves.useful_draws`).
    """
    X, y = images.digits(data, DIGIT, n_digits, random_state=stream(seed, "digits"))
    rows = []
    for run, (draws, _) in enumerate(progress(_seeds(seed, "eta", n_runs), "rates")):
        task = realisable_split(X, y, one_hidden_layer, n_vanilla, random_state=draws)
        for factor in factors:
            rule = {"eta_factor": factor, "methods": ("FOL",), "random_state": draws}
            curves = race([task], one_hidden_layer, n_epochs, **rule).curves
            end, useful = of_curves.epochs_to_zero(curves).iloc[0], of_curves.useful_draws(curves).useful[0]
            rows.append((factor, run, end.epochs, end.reached, useful))
    return pd.DataFrame(rows, columns=["factor", "run", "epochs", "reached", "useful"])


def _seeds(seed, name, n_runs):
    """Return two seeds for each run."""
    return stream(seed, f"race on {name}").integers(2**63, size=(n_runs, 2)).tolist()


def _of_task(name, curves):
    whole = pd.concat(curves, ignore_index=True)
    whole.insert(0, "task", name)
    return whole


@step
def ends(faces, digits):
    """Say what each run came to.

    Parameters
    ----------
    faces, digits : DataFrame
        Curves of `face_races` and `digit_races`.

    Returns
    -------
    DataFrame with a row per task, run and method
        task, method, run, epochs (to the first without a training error; those that were run, where there was
        none), reached, train_error and test_error (then), train_end and test_end (means of the last twenty
        epochs; AdaBoost's last), at_fol and at_adaboost (test error after the epochs in which FOL, AdaBoost
        first had no training error; none where AdaBoost did not run), start_errors (before the first step),
        useful and uniform (draws, of `section_5_curves.useful_draws`; none for AdaBoost), over_vote and
        over_drawn (`section_5_curves.last_over_vote`, of FOL alone).
    """
    parts = []
    for task, curves in pd.concat([faces, digits], ignore_index=True).groupby("task", sort=False):
        own = of_curves.epochs_to_zero(curves)
        of_method = [
            own[own.method == method].assign(**_of_method(curves, method, own))
            for method in own.method.unique()
        ]
        parts.append(pd.concat(of_method).assign(task=task))
    found = pd.concat(parts, ignore_index=True)
    return found[["task", *found.columns.drop("task")]]


def _of_method(curves, method, own):
    epochs = own.pivot(index="run", columns="method", values="epochs").sort_index()
    runs = own[own.method == method].run
    first = curves[(curves.method == method) & (curves.epoch == 0)].set_index("run").train_errors
    last = curves[curves.method == method].sort_values("epoch").groupby("run")
    last = (
        last.tail(AFTER if method != "AdaBoost" else 1).groupby("run")[["train_error", "test_error"]].mean()
    )
    useful = of_curves.useful_draws(curves)
    useful = useful[useful.method == method].set_index("run")
    found = {"train_end": last.train_error, "test_end": last.test_error, "start_errors": first}
    for name, other in (("at_fol", "FOL"), ("at_adaboost", "AdaBoost")):
        if other in epochs:
            found[name] = of_curves.test_error_at(curves, method, epochs[other])
    if len(useful):
        found |= {"useful": useful.useful, "uniform": useful.uniform}
    if method == "FOL":
        found["over_vote"] = of_curves.last_over_vote(curves)
        found["over_drawn"] = of_curves.last_over_vote(curves, "drawn_errors")
    return {name: each.reindex(runs).to_numpy() for name, each in found.items()}


@step
def all_of_mnist(ends, digits):
    """Return the rows of `ends` that are of digits, on all of MNIST, with how SGD's training error falls.

    Parameters
    ----------
    ends : DataFrame
    digits : DataFrame
        Curves of `digit_races`.

    Returns
    -------
    DataFrame
        As `ends`, and fall_early and fall_late of `section_5_curves.falls` in the rows of SGD.
    """
    fallen = [
        of_curves.falls(curves, "SGD", AFTER).reset_index().assign(task=task, method="SGD")
        for task, curves in digits.groupby("task", sort=False)
    ]
    keys = ["task", "method", "run"]
    return ends[ends.task.isin([DIGITS, NO_L2])].merge(pd.concat(fallen), how="left", on=keys)


@step
def drawn_curves(faces, digits):
    """Return the curves at some forty epochs of each run, evenly spread on a logarithmic axis.

    Parameters
    ----------
    faces, digits : DataFrame
        Curves of `face_races` and `digit_races`.

    Returns
    -------
    DataFrame with a row per task, run, method and epoch
        task, method, run, epoch, train_error, test_error.
    """
    curves = pd.concat([faces, digits], ignore_index=True)
    shown = np.unique(np.geomspace(1, max(2, curves.epoch.max()), N_DRAWN).astype(int))
    last = curves.groupby(["task", "method", "run"]).epoch.transform("max")
    kept = curves[curves.epoch.isin([0, *shown]) | (curves.epoch == last)]
    columns = ["task", "method", "run", "epoch", "train_error", "test_error"]
    return kept[columns].round(6).reset_index(drop=True)


@step
def papers_network():
    """Count the weights of the paper's network: a table with one row, weights."""
    return pd.DataFrame({"weights": [n_weights(initial_weights())]})


@step
def useful_draws_of_sgd(errors, batch_size, m):
    """Rounds of SGD for each draw that teaches something, at some training errors.

    Parameters
    ----------
    errors : list of float in (0, 1)
    batch_size, m : int

    Returns
    -------
    DataFrame with a row per error
        error, rounds, informative (examples of m that are wrong).
    """
    rounds = [theory_lemmas.rounds_per_useful_draw(error, batch_size) for error in errors]
    return pd.DataFrame({"error": errors, "rounds": rounds, "informative": [m * error for error in errors]})
