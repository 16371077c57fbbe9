"""Theorem 1 with its corollaries, and Example 1."""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import gap_training_set, separable_sample
from paperlib.experiments.max_loss.watched_rounds import add_losses
from paperlib.max_loss import theory
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss.focused import average, focused_online_learning, majority
from paperlib.max_loss.learners import PassiveAggressive, Perceptron
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
    """Run FOL with the Perceptron on Gaussian points for the rounds of Theorem 1.

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
        rows.append({"run": run} | _game(X, y, mistake_bound(X, y, normal), eps, delta, rng))
    return pd.DataFrame(rows)


def theorem_1_gap_runs(m, alpha, eps, delta, n_runs, *, uniform_share=0.5, random_state=0):
    """Run FOL for the rounds of Theorem 1 on a gap sample, where two examples of m need many visits.

    The Perceptron's mistake bound is the exact one, `lemma_3_mistakes`. With ``m / alpha`` well above
    ``m log m`` uniform draws cannot keep the theorem's bound.

    Parameters
    ----------
    m : int >= 4, even
    alpha : float > 0
        Of `gap_training_set`.
    eps, delta : float in (0, 1)
    n_runs : int >= 1
    uniform_share : float in [0, 1]
        1 is uniform sampling.
    random_state : int

    Returns
    -------
    DataFrame with a row per run
        As `theorem_1_runs`.
    """
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        X, y = gap_training_set(alpha, 2.0 / m, random_state=rng)
        limit = theory_lemmas.lemma_3_mistakes(alpha)
        rows.append({"run": run} | _game(X, y, limit, eps, delta, rng, uniform_share))
    return pd.DataFrame(rows)


def _game(X, y, limit, eps, delta, rng, uniform_share=0.5):
    """Play Theorem 1's rounds, given a bound on the mistakes, and look at every example's mean loss."""
    m, d = X.shape
    rounds = theory.theorem_1_rounds(m, limit, eps, delta)
    voters = theory.theorem_1_voters(m, eps, delta)
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
        "mistake_bound": limit,
        "all_iterates": losses.max() / rounds,
        "bound": theory.theorem_1_loss(m, mistakes, rounds, delta),
        "drawn_iterates": (margins <= 0.0).mean(axis=0).max(),
        "majority_errors": int((majority(np.where(margins > 0.0, 1, -1)) != 1).sum()),
        "last_errors": int((y * (X @ W[0, :-1]) <= 0.0).sum()),
    }


def example_1_ratios(m, n_rounds, *, random_state=0):
    """Count the Perceptron's mistakes on m orthonormal examples, over its bound, which is m there.

    No sample is harder: each example is wrong until it is met, and no other one helps.

    Parameters
    ----------
    m, n_rounds : int >= 1
    random_state : int

    Returns
    -------
    dict of str to float
        Mistakes over ``||w*||^2 max ||x||^2``: kernel (FOL in one loop; its steps are counted in w, whose
        entries each of them moves by one), learner (`Perceptron`, uniform draws, with the losses of its
        iterates added up here).
    """
    rng = np.random.default_rng(random_state)
    X, y = np.eye(m), rng.choice([-1.0, 1.0], size=m)
    limit = mistake_bound(X, y, y / np.sqrt(m))
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
    return {"kernel": float(abs(W).sum()) / limit, "learner": mistakes / limit}


def corollary_2_sample(m, slope=1.2):
    """Return points ``y (1, y slope)``: a halfspace learned from one label alone has the other one wrong.

    Parameters
    ----------
    m : int >= 2
    slope : float

    Returns
    -------
    X : ndarray of shape (m, 2)
    y : ndarray of shape (m,)
        Labels -1 and +1, in turns.
    normal : ndarray of shape (2,)
        Of length one; the margin is 1.
    """
    y = np.resize([-1.0, 1.0], m)
    return y[:, None] * np.column_stack([np.ones(m), slope * y]), y, np.array([1.0, 0.0])


def corollary_2_runs(m, eps, delta, n_runs, *, random_state=0):
    """Run FOL with a convex loss for the rounds of Theorem 1, and look at the mean of the drawn iterates.

    The learner is the passive-aggressive rule on `corollary_2_sample`, where w = 0 has a loss above eps.

    Parameters
    ----------
    m : int >= 2
    eps, delta : float in (0, 1)
    n_runs : int >= 1
    random_state : int

    Returns
    -------
    DataFrame with a row per run
        run, rounds, voters, mean_of_losses (largest over the examples), loss_of_mean (the same, of the mean
        iterate), at_first (the loss of w = 0), above (largest over the examples of the loss of the mean less
        the mean of the losses, after the first m rounds, when iterates still differ).
    """
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([random_state, run])
        X, y, normal = corollary_2_sample(m)
        learner, early = (PassiveAggressive(X, y, norm=1.0 / float((y * (X @ normal)).min())) for _ in "ab")
        rounds = theory.theorem_1_rounds(m, learner.mistake_bound, eps, delta)
        voters = theory.theorem_1_voters(m, eps, delta)
        at_first = learner.losses(learner.w).max()
        iterates = focused_online_learning(learner, m, rounds, n_voters=voters, random_state=rng).iterates
        losses = np.mean([learner.losses(w) for w in iterates], axis=0)
        loss_of_mean = learner.losses(average(iterates))
        few = focused_online_learning(early, m, m, n_voters=10, random_state=rng).iterates
        above = early.losses(average(few)) - np.mean([early.losses(w) for w in few], axis=0)
        rows.append((run, rounds, voters, losses.max(), loss_of_mean.max(), at_first, above.max()))
    names = ["run", "rounds", "voters", "mean_of_losses", "loss_of_mean", "at_first", "above"]
    return pd.DataFrame(rows, columns=names)


def output_rounds(max_iter, k, *, random_state=0):
    """Return the rounds whose iterates `focused_online_learning` gives out, shape (k,), from 1 to `max_iter`.

    Parameters
    ----------
    max_iter, k : int >= 1
    random_state : int

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

    run = focused_online_learning(Counts(), 1, max_iter, n_voters=k, random_state=random_state)
    return np.array(run.iterates)
