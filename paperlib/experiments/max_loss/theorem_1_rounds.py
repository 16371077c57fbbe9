"""Theorem 1 by measurement: the rounds in which its bound is first met, whoever leads the p player."""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.samples import gap_sample
from paperlib.experiments.max_loss.watched_rounds import until_mean_within
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.max_loss import theory
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss.sum_tree import SumTree

CHUNK = 1 << 16  # rounds whose random numbers are in memory at a time

# ``eta`` in units of ``1 / (2 m)``, and the share of uniform draws.
P_PLAYERS = {"FOL": (1.0, 0.5), "uniform": (1.0, 1.0), "reversed": (-1.0, 0.5)}


def rounds_to_mean_loss(X, y, eps, factor, uniform_share, *, limit=10**6, random_state=None):
    """Count the rounds until every example's mean loss over all iterates is at most eps.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    eps : float in (0, 1)
    factor : float
        ``eta`` of the p player in units of ``1 / (2 m)``; below zero, it has the sign of Section 2's text.
    uniform_share : float in [0, 1]
    limit : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    int
        From 1 to `limit`, or ``limit + 1`` where `limit` rounds are not enough.

    Examples
    --------
    Both examples are wrong at w = 0 and right after a step on the first one: one round of loss, of ten.

    >>> X, y = np.array([[1.0], [1.0]]), np.array([1.0, 1.0])
    >>> rounds_to_mean_loss(X, y, 0.1, 1.0, 0.5, random_state=0)
    10
    """
    m, d = X.shape
    rng = np.random.default_rng(random_state)
    sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
    W, tree, losses = np.zeros((1, d + 1)), SumTree(m).state, np.zeros(m)
    t = 0
    while t < limit:
        us = rng.random(min(CHUNK, limit - t))
        played = until_mean_within(
            us, eps, t, 0.5 * factor / m, uniform_share, sample, W, tree, slack, losses
        )
        if played > 0:
            return int(t + played)
        t += len(us)
    return limit + 1


@step
def first_met_runs(m, alpha, epsilons, delta, n_runs, *, seed):
    """Count the rounds until Theorem 1's bound is met, by FOL, uniform sampling and the reversed p player.

    Each run has a sample of its own: m draws from the gap's distribution, two of them rare in the mean, drawn
    again until one is. All stop at twice the rounds that the theorem has for the least eps.

    Parameters
    ----------
    m : int >= 4
    alpha : float > 0
        Of `gap_sample`.
    epsilons : list of float in (0, 1)
    delta : float in (0, 1)
    n_runs : int >= 1
        For each of the epsilons.
    seed : int

    Returns
    -------
    DataFrame with a row per eps, run and method
        eps, run, method (of `P_PLAYERS`), rounds, met (by the last round), granted (Theorem 1's rounds).

    Examples
    --------
    >>> runs = first_met_runs(200, 0.0005, [0.4], 0.05, 3, seed=0)
    >>> (runs.rounds <= runs.granted).groupby(runs.method, sort=False).mean().tolist()
    [1.0, 0.0, 0.0]
    """
    mistakes = theory_lemmas.lemma_3_mistakes(alpha)
    limit = 2 * theory.theorem_1_rounds(m, mistakes, min(epsilons), delta)
    rows = []
    for eps in epsilons:
        granted = theory.theorem_1_rounds(m, mistakes, eps, delta)
        rngs = stream(seed, f"first met, {eps:g}").spawn(n_runs)
        for run, rng in enumerate(progress(rngs, f"eps = {eps:g}")):
            X, y = _sample_with_rare(m, alpha, rng)
            for method, (factor, share) in P_PLAYERS.items():
                rounds = rounds_to_mean_loss(X, y, eps, factor, share, limit=limit, random_state=rng)
                rows.append((eps, run, method, min(rounds, limit), rounds <= limit, granted))
    return pd.DataFrame(rows, columns=["eps", "run", "method", "rounds", "met", "granted"])


@step
def proof_rounds(m, alpha, epsilons, delta):
    """Rounds that the printed proof of Theorem 1 asks for on the gap's sample.

    Returns
    -------
    DataFrame with a row per eps
        eps, rounds.
    """
    mistakes = theory_lemmas.lemma_3_mistakes(alpha)
    rounds = [theory_lemmas.theorem_1_proof_rounds(m, mistakes, eps, delta) for eps in epsilons]
    return pd.DataFrame({"eps": epsilons, "rounds": rounds})


def _sample_with_rare(m, alpha, rng):
    while True:
        X, y = gap_sample(m, alpha, 2.0 / m, random_state=rng)
        if (abs(X[:, 1]) < 1.0).any():
            return X, y
