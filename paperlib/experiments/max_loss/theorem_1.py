"""Theorem 1 with its corollaries, Example 1, and Lemmas 4 and 5, which its proof stands on."""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import separable_sample
from paperlib.experiments.max_loss.watched_rounds import add_losses
from paperlib.max_loss import theory
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss.focused import average, focused_online_learning, majority
from paperlib.max_loss.learners import PassiveAggressive
from paperlib.max_loss.reservoir import Reservoir
from paperlib.max_loss.sum_tree import SumTree

CHUNK = 1 << 20  # rounds whose random numbers are in memory at a time


def mistake_bound(X, y, normal):
    """Bound the Perceptron's mistakes by ``max ||x||^2 / min (y <normal, x>)^2``, with a normal of length 1.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
    normal : ndarray of shape (d,)

    Returns
    -------
    float

    Examples
    --------
    >>> round(mistake_bound(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]), np.array([0.6, -0.8])), 9)
    6.25
    """
    squares = np.einsum("ij,ij->i", X, X)
    return float(squares.max() / (y * (X @ normal)).min() ** 2)


def theorem_1_runs(m, d, margin, eps, delta, n_runs, *, random_state=0):
    """Run FOL with the Perceptron for the rounds of Theorem 1, and look at every example's mean loss.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    eps, delta : float in (0, 1)
    n_runs : int >= 1
    random_state : int

    Returns
    -------
    DataFrame with a row per run
        run, rounds, voters, mistakes, mistake_bound, all_iterates (largest mean loss of an example over all
        iterates), bound (on that, of `theory.theorem_1_loss` with the mistakes made), drawn_iterates (the
        same over the k drawn ones), majority_errors, last_errors (on the training set).
    """
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        X, y, normal = separable_sample(m, d, margin, random_state=rng)
        limit = mistake_bound(X, y, normal)
        rounds = theory.theorem_1_rounds(m, limit, eps, delta)
        voters = theory.theorem_1_voters(m, eps, delta)
        sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
        W, tree, losses = np.zeros((1, d + 1)), SumTree(m).state, np.zeros(m)
        reservoir = Reservoir(voters, rng.spawn(1)[0])
        t, mistakes = 0, 0
        while t < rounds:
            reservoir.offer(t + 1, W[0].copy)
            until = int(min(rounds, reservoir.due - 1, t + CHUNK))
            us = rng.random(until - t)
            mistakes += add_losses(us, 0.5 / m, 0.5, sample, W, tree, slack, losses)
            t = until
        margins = np.array([y * (X @ item[:-1]) for item in reservoir.items])
        rows.append(
            {
                "run": run,
                "rounds": rounds,
                "voters": voters,
                "mistakes": mistakes,
                "mistake_bound": limit,
                "all_iterates": losses.max() / rounds,
                "bound": theory.theorem_1_loss(m, mistakes, rounds, delta),
                "drawn_iterates": (margins <= 0.0).mean(axis=0).max(),
                "majority_errors": int((majority(np.where(margins > 0.0, 1, -1)) != 1).sum()),
                "last_errors": int((y * (X @ W[0, :-1]) <= 0.0).sum()),
            }
        )
    return pd.DataFrame(rows)


def corollary_2_runs(m, d, margin, eps, delta, n_runs, *, random_state=0):
    """Run FOL with a convex loss for the rounds of Theorem 1, and look at the mean of the drawn iterates.

    Parameters
    ----------
    m, d, margin, eps, delta, n_runs, random_state
        As in `theorem_1_runs`.

    Returns
    -------
    DataFrame with a row per run
        run, rounds, voters, mean_of_losses (largest over the examples), loss_of_mean (the same, of the mean
        iterate).
    """
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        X, y, normal = separable_sample(m, d, margin, random_state=rng)
        learner = PassiveAggressive(X, y, norm=1.0 / float((y * (X @ normal)).min()))
        rounds = theory.theorem_1_rounds(m, learner.mistake_bound, eps, delta)
        voters = theory.theorem_1_voters(m, eps, delta)
        played = focused_online_learning(learner, m, rounds, n_voters=voters, random_state=rng)
        mean_of_losses = np.mean([learner.losses(w) for w in played.iterates], axis=0).max()
        loss_of_mean = learner.losses(average(played.iterates)).max()
        rows.append((run, rounds, voters, mean_of_losses, loss_of_mean))
    return pd.DataFrame(rows, columns=["run", "rounds", "voters", "mean_of_losses", "loss_of_mean"])


def lemma_4_runs(rounds, alphas, n_trials, *, random_state=0):
    """Estimate the tails of three martingales' means, which Lemma 4 bounds.

    Fair steps of -1 and +1; steps of 1 / p - 1 with probability p = 1/10 and of -1 else; and fair steps whose
    size is 1 or 1/2 by the sign of the sum so far. The third is no sum of independent numbers.

    Parameters
    ----------
    rounds : int >= 1
    alphas : list of float
    n_trials : int >= 1
    random_state : int

    Returns
    -------
    DataFrame with a row per martingale and alpha
        martingale, alpha, frequency (share of means of at least alpha), stderr, bound.
    """
    rng = np.random.default_rng(random_state)
    fair = rng.choice([-1.0, 1.0], size=(n_trials, rounds))
    rare = np.where(rng.random((n_trials, rounds)) < 0.1, 9.0, -1.0)
    adapted, total = np.empty((n_trials, rounds)), np.zeros(n_trials)
    for t in range(rounds):
        adapted[:, t] = np.where(total > 0.0, 0.5, 1.0) * rng.choice([-1.0, 1.0], size=n_trials)
        total += adapted[:, t]
    rows = []
    for name, steps, variance, bound in (
        ("fair", fair, 1.0, 1.0),
        ("rare", rare, 9.0, 9.0),
        ("adapted", adapted, 1.0, 1.0),
    ):
        means = steps.mean(axis=1)
        for alpha in alphas:
            tail = float((means >= alpha).mean())
            stderr = float(np.sqrt(max(tail * (1.0 - tail), 1.0 / n_trials) / n_trials))
            rows.append(
                (name, alpha, tail, stderr, theory_lemmas.lemma_4_tail(rounds, alpha, variance, bound))
            )
    return pd.DataFrame(rows, columns=["martingale", "alpha", "frequency", "stderr", "bound"])


def lemma_5_runs(m, rounds, eta, n_runs, *, random_state=0):
    """Run the exponentiated gradient on random and on adversarial sequences, against its regret bound.

    Every ``eta z >= -1``. An adversary charges -1 / eta to the item of least weight, or to one item always.

    Parameters
    ----------
    m, rounds : int >= 1
    eta : float > 0
    n_runs : int >= 1
    random_state : int

    Returns
    -------
    DataFrame with a row per run and kind of sequence
        kind, run, regret (against the best single item, the worst u), bound.
    """
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        sequences = {
            "normal": np.maximum(rng.normal(size=(rounds, m)), -1.0 / eta),
            "single": -rng.random((rounds, m)) / eta * (rng.random((rounds, m)) < 1.0 / m),
            "one item": np.tile(np.eye(m)[0] * -1.0 / eta, (rounds, 1)),
            "least weight": None,
        }
        for kind, charges in sequences.items():
            logs, paid, moment, charged = np.zeros(m), 0.0, 0.0, np.zeros(m)
            for t in range(rounds):
                q = np.exp(logs - logs.max())
                q /= q.sum()
                z = np.where(np.arange(m) == q.argmin(), -1.0 / eta, 0.0) if charges is None else charges[t]
                paid += q @ z
                moment += q @ z**2
                charged += z
                logs -= eta * z
            rows.append((kind, run, paid - charged.min(), theory_lemmas.lemma_5_regret(m, eta, moment)))
    return pd.DataFrame(rows, columns=["kind", "run", "regret", "bound"])
