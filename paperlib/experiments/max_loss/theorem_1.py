"""Theorem 1 with its corollaries, and Example 1."""

import math

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import gap_points, gap_training_set, separable_sample
from paperlib.experiments.max_loss.section_1_hard_svm import hard_svm
from paperlib.experiments.max_loss.watched_rounds import add_losses
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import theory
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss.focused import average, focused_online_learning, majority
from paperlib.max_loss.learners import Perceptron
from paperlib.max_loss.sum_tree import SumTree

CHUNK = 1 << 20  # rounds whose random numbers are in memory at a time
SHARES = {"FOL": 0.5, "uniform": 1.0}  # of uniform draws
ROUNDING = 1e-12  # of a mean of losses


def mistake_bound(X, y):
    """Bound the Perceptron's mistakes by Example 1's ``C = ||w*||^2 max ||x||^2``, w* being the hard SVM's.

    No other w with a margin of 1 has a lower C: that of the normal by which points were drawn is up to 25
    times as high.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1, which a hyperplane through the origin separates.

    Returns
    -------
    float
        To three digits after the point.

    Examples
    --------
    >>> mistake_bound(np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1]))
    5.0
    """
    w = hard_svm(y[:, None] * X)
    squares = np.einsum("ij,ij->i", X, X)
    return round(float((w @ w) * squares.max() / (y * (X @ w)).min() ** 2), 3)


@step
def theorem_1_runs(m, d, margin, epsilons, delta, n_runs, *, seed):
    """Run FOL with the Perceptron on Gaussian points for the rounds of Theorem 1.

    Parameters
    ----------
    m, d : int
    margin : float
        Of `separable_sample`.
    epsilons : list of float in (0, 1)
    delta : float in (0, 1)
    n_runs : int >= 1
        At each of the epsilons, on the same samples.
    seed : int

    Returns
    -------
    DataFrame with a row per eps and run
        eps, run, rounds, voters, mistakes, mistake_bound, all_iterates (largest mean loss of an example over
        all iterates), bound (on that, of `theory.theorem_1_loss` with the mistakes made), drawn_iterates (the
        same over the k drawn ones), majority_errors (on the training set).
    """
    rows = []
    for eps in epsilons:
        for run, rng in enumerate(stream(seed, "Theorem 1").spawn(n_runs)):
            X, y, _ = separable_sample(m, d, margin, random_state=rng)
            played = _theorem(X, y, mistake_bound(X, y), eps, delta, rng)
            rows.append({"eps": eps, "run": run} | played)
    return pd.DataFrame(rows)


@step
def theorem_1_games(m, alpha, epsilons, delta, n_runs, *, seed):
    """Run FOL for the rounds of Theorem 1 on a gap sample, where two examples of m need many visits.

    The Perceptron's mistake bound is the exact one, `lemma_3_mistakes`. With ``m / alpha`` well above
    ``m log m`` uniform draws cannot keep the theorem's bound.

    Parameters
    ----------
    m : int >= 4, even
    alpha : float > 0
        Of `gap_training_set`.
    epsilons : list of float in (0, 1)
    delta : float in (0, 1)
    n_runs : dict of str to int
        At each of the epsilons, of "FOL" and of "uniform".
    seed : int

    Returns
    -------
    DataFrame with a row per method, eps and run
        method, and as `theorem_1_runs`.
    """
    rows, limit = [], theory_lemmas.lemma_3_mistakes(alpha)
    for method, n in n_runs.items():
        for eps in epsilons:
            rngs = stream(seed, f"games, {method}, {eps:g}").spawn(n)
            for run, rng in enumerate(progress(rngs, f"games of {method}")):
                X, y = gap_training_set(alpha, 2.0 / m, random_state=rng)
                played = _theorem(X, y, limit, eps, delta, rng, SHARES[method])
                rows.append({"method": method, "eps": eps, "run": run} | played)
    return pd.DataFrame(rows)


@step
def majority_games(m, alpha, factors, n_runs, *, seed):
    """Run the Perceptron on gap samples for a multiple of ``(m + C) log m`` rounds, as in Example 2.

    Parameters
    ----------
    m : int >= 4, even
    alpha : float > 0
        Of `gap_training_set`.
    factors : list of float > 0
    n_runs : int >= 1
        Of each, with FOL and with uniform draws.
    seed : int

    Returns
    -------
    DataFrame with a row per method, factor and run
        method, factor, run, rounds, voters (2 log m, rounded up to an odd number), majority_errors.
    """
    rows, limit = [], theory_lemmas.lemma_3_mistakes(alpha)
    voters = 2 * math.ceil(math.log(m)) + 1
    for method, uniform_share in SHARES.items():
        for factor in factors:
            rounds = math.ceil(factor * (m + limit) * math.log(m))
            for run, rng in enumerate(stream(seed, f"majorities, {method}, {factor:g}").spawn(n_runs)):
                X, y = gap_training_set(alpha, 2.0 / m, random_state=rng)
                played = _game(X, y, rounds, voters, rng, uniform_share)
                rows.append((method, factor, run, rounds, voters, played["majority_errors"]))
    return pd.DataFrame(rows, columns=["method", "factor", "run", "rounds", "voters", "majority_errors"])


def _theorem(X, y, limit, eps, delta, rng, uniform_share=0.5):
    """Play Theorem 1's rounds, given a bound on the mistakes."""
    m = len(y)
    rounds = theory.theorem_1_rounds(m, limit, eps, delta)
    played = _game(X, y, rounds, theory.theorem_1_voters(m, eps, delta), rng, uniform_share)
    bound = theory.theorem_1_loss(m, played["mistakes"], rounds, delta)
    return played | {"mistake_bound": limit, "bound": bound}


def _game(X, y, rounds, voters, rng, uniform_share):
    """Play some rounds, and look at every example's mean loss over all iterates and over those drawn."""
    m, d = X.shape
    sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
    W, tree, losses = np.zeros((1, d + 1)), SumTree(m).state, np.zeros(m)
    # T is known here, so that the k rounds can be drawn before the game.
    drawn = np.sort(rng.integers(rounds, size=voters))
    t, mistakes, margins = 0, 0, np.empty((voters, m))
    for place, stop in enumerate([*drawn.tolist(), rounds]):
        while t < stop:
            us = rng.random(min(stop - t, CHUNK))
            mistakes += add_losses(us, 0.5 / m, uniform_share, sample, W, tree, slack, losses)
            t += len(us)
        if place < voters:
            margins[place] = y * (X @ W[0, :-1])
    return {
        "rounds": rounds,
        "voters": voters,
        "mistakes": mistakes,
        "all_iterates": losses.max() / rounds,
        "drawn_iterates": (margins <= 0.0).mean(axis=0).max(),
        "majority_errors": int((majority(np.where(margins > 0.0, 1, -1)) != 1).sum()),
    }


@step
def orthonormal_mistakes(m, n_rounds, *, seed):
    """Count the Perceptron's mistakes on m orthonormal examples, over its bound, which is m there.

    No sample is harder: each example is wrong until it is met, and no other one helps.

    Parameters
    ----------
    m, n_rounds : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per learner
        learner ("kernel": FOL in one loop, whose steps are counted in w, whose entries each of them moves by
        one; "learner": `Perceptron`, uniform draws, with the losses of its iterates added up here), mistakes,
        mistake_bound (``||w*||^2 max ||x||^2``).
    """
    rng = stream(seed, "orthonormal examples")
    X, y = np.eye(m), rng.choice([-1.0, 1.0], size=m)
    limit = mistake_bound(X, y)
    W = np.zeros((1, m + 1))
    play(
        rng.random(n_rounds),
        n_rounds,
        0.5 / m,
        0.5,
        Sample(X, y, 0.0),
        W,
        SumTree(m).state,
        slacks.allocate(0),
    )
    learner, mistakes = Perceptron(X, y), 0
    for i in rng.integers(m, size=n_rounds).tolist():
        mistakes += y[i] * (X[i] @ learner.w[:-1]) <= 0.0
        learner.step(i)
    made = [float(abs(W).sum()), float(mistakes)]
    return pd.DataFrame({"learner": ["kernel", "learner"], "mistakes": made, "mistake_bound": limit})


class HingeLearner:
    """Learner on the hinge loss ``max(0, margin - y <w, x>) / largest``, whose steps are the Perceptron's.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    start : ndarray of shape (d,)
        The first w.
    margin, largest : float > 0
        `largest` is what ``margin - y <w, x>`` comes to at most.

    Examples
    --------
    >>> learner = HingeLearner(np.eye(2), np.array([1.0, -1.0]), np.zeros(2), 0.5, 1.0)
    >>> learner.step(0), learner.step(0), learner.w.tolist(), learner.losses(learner.w).tolist()
    (0.5, 0.0, [1.0, 0.0], [0.0, 0.5])
    """

    def __init__(self, X, y, start, margin, largest):
        self.rows, self.w, self.paid = y[:, None] * X, start, 0.0
        self.margin, self.largest = margin, largest

    def step(self, i):
        """Return the loss on example `i`, add it to `paid`, and learn from it."""
        missing = self.margin - float(self.rows[i] @ self.w)
        if missing <= 0.0:
            return 0.0
        self.w = self.w + self.rows[i]  # a new array: iterates are kept as they are
        self.paid += missing / self.largest
        return missing / self.largest

    def losses(self, w):
        """Return the losses of w, or of each row of several, on all examples."""
        return np.maximum(0.0, self.margin - w @ self.rows.T) / self.largest


@step
def corollary_2_runs(m, alpha, eps, delta, n_runs, *, uniform_share=0.5, seed):
    """Run FOL with a convex loss for the rounds of Theorem 1, and look at the mean of the drawn iterates.

    On a gap sample. The learner descends on the hinge loss, from ``w = z_1``, which has the typical examples
    right and keeps them right. The two rare ones have the loss 1 then, and each step on either of them takes
    off the same. With a margin of ``2 alpha / 5`` the loss of w = 0 is a sixth.

    No sample would do where the losses on any sequence sum up to a few log m or less, as those of the
    passive-aggressive rule do once they are divided by the largest: uniform draws are then as good.

    Parameters
    ----------
    m : int >= 4, even
    alpha : float in (0, 0.05]
        Of `gap_training_set`.
    eps, delta : float in (0, 1)
    n_runs : int >= 1
    uniform_share : float in [0, 1]
        1 is uniform sampling.
    seed : int

    Returns
    -------
    DataFrame with a row per run
        eps, run, rounds, voters, paid (sum of the losses that were drawn), mistake_bound (on that, for any
        sequence), at_zero (largest loss of an example at w = 0), mean_of_losses (largest of an example over
        the drawn iterates), loss_of_mean (the same, of their mean), above (largest over the examples of the
        loss of the mean less the mean of the losses, for ten iterates of the first m log m rounds).
    """
    z = gap_points(alpha)
    margin = 0.4 * alpha
    largest, step = margin - z[0] @ z[1], z[1] @ z[1]
    left = 1.0 - step / largest * np.arange(math.ceil(largest / step))  # z_2's loss before each step on it
    rounds = theory.theorem_1_rounds(m, left.sum(), eps, delta)
    voters = theory.theorem_1_voters(m, eps, delta)
    rows = []
    for run, rng in enumerate(stream(seed, "Corollary 2").spawn(n_runs)):
        X, y = gap_training_set(alpha, 2.0 / m, random_state=rng)
        learner = HingeLearner(X, y, z[0], margin, largest)
        looks = [rng.integers(round(m * math.log(m)), size=10), rng.integers(rounds, size=voters)]
        early, drawn = _iterates(learner, looks, m, rounds, uniform_share, rng)
        losses, loss_of_mean = learner.losses(drawn).mean(axis=0), learner.losses(average(drawn))
        above = learner.losses(average(early)) - learner.losses(early).mean(axis=0)
        ends = losses.max(), loss_of_mean.max(), to_resolution(above.max(), ROUNDING)
        rows.append((eps, run, rounds, voters, learner.paid, left.sum(), margin / largest, *ends))
    names = ["eps", "run", "rounds", "voters", "paid", "mistake_bound", "at_zero"]
    return pd.DataFrame(rows, columns=[*names, "mean_of_losses", "loss_of_mean", "above"])


def _iterates(learner, looks, m, rounds, uniform_share, rng):
    """Play FOL, and return for each array of rounds, counted from 0, the iterates before them.

    It ends when no example has a loss any more: no later round would move w.
    """
    waiting = np.unique(np.concatenate(looks)).tolist()[::-1]
    kept, moved = {}, learner.paid

    def look(t):
        nonlocal moved
        # The iterate before round t, counted from 0, is that after t rounds.
        while waiting and waiting[-1] <= t:
            kept[waiting.pop()] = learner.w
        solved = learner.paid != moved and not learner.losses(learner.w).any()
        moved = learner.paid
        return solved

    look(0)
    focused_online_learning(learner, m, rounds, uniform_share=uniform_share, callback=look, random_state=rng)
    return [np.array([kept.get(at, learner.w) for at in each.tolist()]) for each in looks]


@step
def output_rounds(max_iter, k, *, seed):
    """Return the rounds whose iterates `focused_online_learning` gives out, shape (k,), from 1 to `max_iter`.

    Parameters
    ----------
    max_iter, k : int >= 1
    seed : int

    Returns
    -------
    ndarray of shape (k,)
        Read from the iterates, each of which is the number of its round.
    """

    class Counts:
        """Learner whose iterate is the number of the round that it is for."""

        t = 1

        def step(self, i):
            self.t += 1
            return 0.0

        def snapshot(self):
            return self.t

    rng = stream(seed, "rounds of the output")
    run = focused_online_learning(Counts(), 1, max_iter, n_voters=k, random_state=rng)
    return np.array(run.iterates)
