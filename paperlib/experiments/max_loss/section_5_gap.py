"""Section 5's rule on Section 3.1's distribution: what of FOL's speed is focus, and what is the schedule.

On images nobody knows which examples are rare. Here it is known, and how much the typical ones outweigh them.
"""

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.max_loss.samples import gap_sample
from paperlib.experiments.max_loss.watched_rounds import logistic_steps
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import LogisticSGD, focused_online_learning

BATCH = 64
N_TEST = 200_000
FOL_EPOCHS = 100  # at most; it takes some fifteen


@step
def schedule_runs(alpha, eps, m, n_epochs, n_runs, rules, *, seed):
    """Train FOL and SGD by the same rule until neither errs on the training set, from a w of zero.

    Parameters
    ----------
    alpha, eps : float
        Of `gap_sample`.
    m : int
        Examples to train on.
    n_epochs : int >= 1
        Of SGD, at most; FOL gets no more than `FOL_EPOCHS`.
    n_runs : int >= 1
        Samples of their own; both learners, and all rules, see the same ones.
    rules : dict of str to dict
        Arguments of `LogisticSGD`: learning_rate, momentum, l2, decay.
    seed : int

    Returns
    -------
    DataFrame with a row per rule, run and method
        rule, run, method, epochs (of those that were allowed, where there was none without a training error),
        reached, wrong_rare (share of the rare training examples got wrong at the end), test_error (on 200,000
        other examples).

    Examples
    --------
    >>> found = schedule_runs(0.2, 0.02, 640, 100, 1, {"fast": {"learning_rate": 1.0}}, seed=0)
    >>> found[["method", "reached"]].values.tolist()
    [['FOL', True], ['SGD', True]]
    """
    n_epochs = check_number(n_epochs, "n_epochs", low=1, integer=True)
    n_runs = check_number(n_runs, "n_runs", low=1, integer=True)
    rows = []
    for run, (X, y, is_rare, rng) in enumerate(_samples(m, alpha, eps, n_runs, seed)):
        X_test, y_test = gap_sample(N_TEST, alpha, eps, random_state=rng)
        draws = int(rng.integers(2**31))
        for rule, settings in rules.items():
            for method, learn in (("FOL", _with_focus), ("SGD", _without)):
                learner = LogisticSGD(X, y, **settings)
                epochs = learn(learner, m, n_epochs, np.random.default_rng(draws))
                wrong = y * (X @ learner.w[:-1]) <= 0.0
                on_test = float(np.mean(y_test * (X_test @ learner.w[:-1]) <= 0.0))
                share = float(wrong[is_rare].mean()) if is_rare.any() else 0.0
                rows.append((rule, run, method, epochs, not wrong.any(), share, on_test))
    columns = ["rule", "run", "method", "epochs", "reached", "wrong_rare", "test_error"]
    return pd.DataFrame(rows, columns=columns)


class Watched(NamedTuple):
    """One method's training on a gap sample, epoch by epoch, from epoch 0.

    Attributes
    ----------
    w : ndarray of shape (n_epochs + 1, 2)
    errors : ndarray of shape (n_epochs + 1,)
        Share of the training examples that are wrong.
    """

    w: Floats
    errors: Floats


@step
def watch_schedule(alpha, eps, learning_rate, l2, eta_factor, n_epochs, *, m=2000, seed):
    """Train FOL and SGD on a gap sample, and look at each after every epoch, until it makes no mistake.

    Parameters
    ----------
    alpha, eps : float
    learning_rate, l2 : float
        Of `LogisticSGD`, with the paper's momentum and decay.
    eta_factor : float > 0
        FOL's eta over ``1 / (2 m)``.
    n_epochs : int >= 1
        At most.
    m : int
    seed : int

    Returns
    -------
    dict of str to Watched

    Examples
    --------
    >>> seen = watch_schedule(0.2, 0.016, 0.01, 5e-4, 1.0, 40, seed=0)
    >>> bool(seen["FOL"].errors[-1] == 0.0 < seen["SGD"].errors[-1])
    True
    """
    sample, *draws = stream(seed, "watched schedule").spawn(3)
    X, y = gap_sample(m, alpha, eps, random_state=sample)
    rounds, found = math.ceil(m / BATCH), {}
    for method, uniform_share, rng in (("FOL", 0.5, draws[0]), ("SGD", 1.0, draws[1])):
        learner = LogisticSGD(X, y, learning_rate=learning_rate, l2=l2)
        w, errors = [learner.w[:-1].copy()], [1.0]

        def look(t, learner=learner, w=w, errors=errors):
            if t % rounds == 0:
                w.append(learner.w[:-1].copy())
                errors.append(learner.errors() / m)
            return errors[-1] == 0.0

        game = {"eta": eta_factor / (2 * m), "uniform_share": uniform_share, "batch_size": BATCH}
        focused_online_learning(learner, m, n_epochs * rounds, callback=look, random_state=rng, **game)
        found[method] = Watched(np.array(w), np.array(errors))
    return found


@step
def schedule_map(pairs, m, n_epochs, n_runs, rules, *, seed):
    """Run `schedule_runs` for several alpha and eps.

    Parameters
    ----------
    pairs : list of (alpha, eps)
    m, n_epochs, n_runs, rules, seed
        As in `schedule_runs`.

    Returns
    -------
    DataFrame with a row per pair, rule, run and method
        alpha, eps, and as `schedule_runs`.
    """
    parts = []
    for alpha, eps in pairs:
        found = schedule_runs(alpha, eps, m, n_epochs, n_runs, rules, seed=seed)
        found.insert(0, "alpha", alpha)
        found.insert(1, "eps", eps)
        parts.append(found)
    return pd.concat(parts, ignore_index=True)


@step
def rare_wrong_at_the_optimum(alpha, eps, m, l2, n_runs, *, seed):
    """Find which share of the rare examples `least_average_loss` gets wrong, on each of the samples.

    Parameters
    ----------
    alpha, eps, m, n_runs, seed
        As in `schedule_runs`.
    l2 : float > 0

    Returns
    -------
    DataFrame with a row per run
        run, wrong_rare.
    """
    rows = []
    for run, (X, y, is_rare, _) in enumerate(_samples(m, alpha, eps, n_runs, seed)):
        wrong = y * (X @ least_average_loss(X, y, l2)) <= 0.0
        rows.append((run, float(wrong[is_rare].mean()) if is_rare.any() else 0.0))
    return pd.DataFrame(rows, columns=["run", "wrong_rare"])


def least_average_loss(X, y, l2):
    """Return the w at which the mean logistic loss plus ``l2 / 2 ||w||^2`` is least, where SGD tends to.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    l2 : float > 0

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> least_average_loss(np.array([[1.0], [1.0], [1.0]]), np.array([1, 1, -1]), 1e-9).round(3).tolist()
    [0.693]
    """
    l2 = check_number(l2, "l2", low=0, open_low=True)
    # Equal rows once, with their number: of the gap's sample two are left.
    rows, counts = np.unique(y[:, None] * X, axis=0, return_counts=True)
    shares = counts / len(y)

    def value_and_gradient(w):
        margins = rows @ w
        slopes = -shares * expit(-margins)
        return shares @ np.logaddexp(0.0, -margins) + 0.5 * l2 * (w @ w), slopes @ rows + l2 * w

    start = np.zeros(X.shape[1])
    return minimize(value_and_gradient, start, jac=True, method="BFGS", options={"gtol": 1e-9}).x


def _samples(m, alpha, eps, n_runs, seed):
    """Yield examples and labels of each run, which are rare, and the generator for what comes after."""
    for rng in progress(stream(seed, f"schedule, {alpha:g} {eps:g} {m}").spawn(n_runs), "samples"):
        X, y = gap_sample(m, alpha, eps, random_state=rng)
        yield X, y, abs(X[:, 1]) < 1.0, rng


def _with_focus(learner, m, n_epochs, rng):
    """Return the number of epochs of FOL until there is no training error."""
    rounds, n_epochs = math.ceil(m / BATCH), min(n_epochs, FOL_EPOCHS)

    def solved(t):
        return t % rounds == 0 and learner.errors() == 0

    run = focused_online_learning(
        learner, m, n_epochs * rounds, batch_size=BATCH, callback=solved, random_state=rng
    )
    return math.ceil(run.n_iter / rounds)


def _without(learner, m, n_epochs, rng):
    """Return the number of epochs of SGD until there is no training error."""
    rounds = math.ceil(m / BATCH)
    for epoch in range(1, n_epochs + 1):  # noqa: B007
        steps = learner.n_steps + np.arange(rounds)
        rates = learner.learning_rate * (1.0 + learner.decay * steps) ** -0.75
        batches = rng.integers(0, m, size=(rounds, BATCH))
        rule = (learner.momentum, learner.l2)
        logistic_steps(learner.X, learner.y, batches, learner.bias, learner.w, learner.velocity, rates, *rule)
        learner.n_steps += rounds
        if learner.errors() == 0:
            break
    return epoch
