"""Appendix A's Lemmas 4 and 5, on FOL's own game: the library's p player, its draws and probabilities.

The game is on examples of which some come twice with different labels: no w has both right, so that the
p player goes to them and stays.
"""

import numpy as np
import pandas as pd

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.watched_rounds import Record, record_rounds
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample
from paperlib.max_loss.sum_tree import SumTree

TRIALS = 20_000  # martingales of `lemma_4_runs` that are in memory at a time
TINY = np.finfo(np.float64).tiny
ROUNDING = 1e-9  # relative: of a weight that was multiplied some thousand times
TAILS = ["martingale", "alpha", "trials", "reached", "bound"]


def contradicting_sample(m, n_pairs):
    """Return m examples, all along an axis of their own but for pairs that differ in their labels only.

    Parameters
    ----------
    m : int >= 1
    n_pairs : int in [0, m / 2]

    Returns
    -------
    X : ndarray of shape (m, m)
    y : ndarray of shape (m,)
        -1 for the second of each pair, else +1.

    Examples
    --------
    >>> X, y = contradicting_sample(3, 1)
    >>> X.tolist(), y.tolist()
    ([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [1.0, -1.0, 1.0])
    """
    X, y = np.eye(m), np.ones(m)
    X[1 : 2 * n_pairs : 2] = X[0 : 2 * n_pairs : 2]
    y[1 : 2 * n_pairs : 2] = -1.0
    return X, y


def recorded_game(X, y, rounds, *, random_state=None):
    """Play FOL with the Perceptron at ``eta = 1 / (2 m)``, and write down every round.

    Parameters
    ----------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    rounds : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    watched_rounds.Record

    Examples
    --------
    >>> game = recorded_game(*contradicting_sample(4, 1), 50, random_state=0)
    >>> game.q[0].tolist(), bool(game.wrong[:, :2].any(axis=1).all())
    ([0.25, 0.25, 0.25, 0.25], True)
    """
    m, d = X.shape
    us = np.random.default_rng(random_state).random(rounds)
    record = Record(
        np.empty(rounds, np.int64), np.empty(rounds), np.empty((rounds, m)), np.empty((rounds, m), np.bool_)
    )
    sample, W = Sample(X, y, 0.0), np.zeros((1, d + 1))
    record_rounds(us, 0.5 / m, 0.5, sample, W, SumTree(m).state, slacks.allocate(0), record)
    return record


def weight_error(game):
    """Return by how much a recorded q differs from the exponentiated gradient's, of the same draws.

    Parameters
    ----------
    game : watched_rounds.Record
        Of `recorded_game`.

    Returns
    -------
    float
        The largest difference of a share, in units of the larger one, so at most 1; exact shares are of
        ``exp(sum loss / (2 m p))``, over the rounds before t that drew i.

    Examples
    --------
    >>> weight_error(recorded_game(*contradicting_sample(8, 1), 500, random_state=0)) < 1e-12
    True
    """
    rounds, m = game.q.shape
    logs = np.zeros((rounds, m))
    charged = game.wrong[np.arange(rounds), game.drawn] / (2.0 * m * game.p)
    logs[np.arange(1, rounds), game.drawn[:-1]] = charged[:-1]
    logs = np.cumsum(logs, axis=0)
    exact = np.exp(logs - logs.max(axis=1, keepdims=True))
    exact /= exact.sum(axis=1, keepdims=True)
    return float((abs(game.q - exact) / np.maximum(game.q, exact).clip(min=TINY)).max())


@step
def lemma_4_runs(rounds, alphas, n_trials, *, seed):
    """Estimate the tails of three martingales' means, which Lemma 4 bounds, and of one that it must exclude.

    Fair steps of -1 and +1; steps of 1 / p - 1 with probability p = 1/10 and of -1 else; and fair steps whose
    size is 1 or 1/2 by the sign of the sum so far. The third is no sum of independent numbers. The fourth is
    one fair step of -1 or +1, the same in every round: with constant B_t all that the printed definition
    asks for, as that does not ask that A_1, ..., A_{t-1} be known from B_1, ..., B_t.

    Parameters
    ----------
    rounds : int >= 1
    alphas : list of float
    n_trials : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per martingale and alpha
        martingale, alpha, trials, reached (those whose mean is at least alpha), bound (on their share).
    """
    rng = stream(seed, "Lemma 4")
    means: dict[str, list] = {"fair": [], "rare": [], "adapted": []}
    for start in range(0, n_trials, TRIALS):
        shape = (min(TRIALS, n_trials - start), rounds)
        adapted, total = np.empty(shape), np.zeros(shape[0])
        for t in range(rounds):
            adapted[:, t] = np.where(total > 0.0, 0.5, 1.0) * rng.choice([-1.0, 1.0], size=shape[0])
            total += adapted[:, t]
        means["fair"].append(rng.choice([-1.0, 1.0], size=shape).mean(axis=1))
        means["rare"].append(np.where(rng.random(shape) < 0.1, 9.0, -1.0).mean(axis=1))
        means["adapted"].append(adapted.mean(axis=1))
    rows = []
    means["not adapted"] = [stream(seed, "Lemma 4, one step").choice([-1.0, 1.0], size=n_trials)]
    for name, largest in (("fair", 1.0), ("rare", 9.0), ("adapted", 1.0), ("not adapted", 1.0)):
        for alpha in alphas:
            # A mean of whole steps may be alpha but for its rounding.
            reached = int((np.concatenate(means[name]) >= alpha - 1e-12).sum())
            tail = theory_lemmas.lemma_4_tail(rounds, alpha, largest, largest)  # variance, and largest step
            rows.append((name, alpha, n_trials, reached, tail))
    return pd.DataFrame(rows, columns=TAILS)


@step
def lemma_4_game_runs(m, rounds, alphas, n_games, *, seed):
    """Estimate the tails of what FOL's draws tell of an example's loss, less that loss.

    A round tells ``loss / p`` of the example that it draws and 0 of all others, p as the tree returns it. If
    that is the probability of the draw, its mean is the loss, and the difference a martingale's. Looked at is
    the first of `contradicting_sample`, upwards and downwards.

    Parameters
    ----------
    m : int >= 2
    rounds : int >= 1
    alphas : list of float
    n_games : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per side and alpha
        As `lemma_4_runs`; martingale is "game, up" or "game, down", and bound has the largest variance and
        step that any round had, by its q.

    Examples
    --------
    >>> tails = lemma_4_game_runs(10, 200, [0.5, 1.0], 20, seed=0)
    >>> len(tails), bool((tails.reached <= 20 * tails.bound + 4).all())
    (4, True)
    """
    X, y = contradicting_sample(m, 1)
    means, largest = np.empty(n_games), 1.0
    for game, rng in enumerate(stream(seed, "Lemma 4, games").spawn(n_games)):
        seen = recorded_game(X, y, rounds, random_state=rng)
        told = np.where(seen.drawn == 0, 1.0 / seen.p, 0.0)
        means[game] = (seen.wrong[:, 0] * (told - 1.0)).mean()
        # Both the variance and the largest step are 1 / p - 1.
        largest = max(largest, (1.0 / (0.5 / m + 0.5 * seen.q[:, 0])).max() - 1.0)
    rows = []
    for side, sign in (("game, up", 1.0), ("game, down", -1.0)):
        for alpha in alphas:
            bound = theory_lemmas.lemma_4_tail(rounds, alpha, largest, largest)
            rows.append((side, alpha, n_games, int((sign * means >= alpha).sum()), bound))
    return pd.DataFrame(rows, columns=TAILS)


@step
def concentration_runs(m, rounds, delta, n_games, *, seed):
    """Hold what FOL's draws tell of the examples' losses against these losses (Appendix A.2.3).

    The games are those of `lemma_4_game_runs`. A round tells ``loss / p`` of the example that it draws.

    Parameters
    ----------
    m : int >= 2
    rounds : int >= 1
    delta : float in (0, 1)
    n_games : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per game
        game, exceeded (whether after any round the losses of any example, summed up, are above
        `theory_lemmas.concentration_limit`), printed and corrected (mean over the rounds of the loss of the
        example that is drawn, or of the first example's own, less what is told of the first example), square
        (mean of the square of what is told of it), variance_printed and variance (mean of what Appendix A.2.3
        prints for its expectation, and the same with p of the example itself in the denominator).

    Examples
    --------
    >>> games = concentration_runs(10, 500, 0.05, 20, seed=0)
    >>> int(games.exceeded.sum()), bool(abs(games.printed.mean()) > 3 * abs(games.corrected.mean()))
    (0, True)
    """
    X, y = contradicting_sample(m, 1)
    rows, at = [], np.arange(rounds)
    for game, rng in enumerate(stream(seed, "concentration").spawn(n_games)):
        seen = recorded_game(X, y, rounds, random_state=rng)
        value = seen.wrong[at, seen.drawn].astype(float)
        told = np.zeros(seen.wrong.shape)
        told[at, seen.drawn] = value / seen.p
        limits = theory_lemmas.concentration_limit(told.cumsum(axis=0), m, delta)
        exceeded = bool((seen.wrong.cumsum(axis=0) > limits).any())
        printed, corrected = value - told[:, 0], seen.wrong[:, 0] - told[:, 0]
        own = 0.5 / m + 0.5 * seen.q[:, 0]
        variances = seen.wrong[:, 0] * own / seen.p**2, seen.wrong[:, 0] / own
        means = [each.mean() for each in (printed, corrected, told[:, 0] ** 2, *variances)]
        rows.append((game, exceeded, *means))
    names = ["printed", "corrected", "square", "variance_printed", "variance"]
    return pd.DataFrame(rows, columns=["game", "exceeded", *names])


@step
def lemma_5_runs(m, rounds, n_runs, *, seed):
    """Measure the regret of the p player against the best single example, with the bound of Lemma 5.

    The game is FOL's own, at ``eta = 1 / (2 m)`` and with ``z_t = -(loss / p) e_i``.

    Parameters
    ----------
    m : int >= 4
    rounds, n_runs : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row per run and kind of sample
        kind (one or many: pairs of contradicting labels), run, regret, bound, weight_error.
    """
    rows = []
    for kind, n_pairs in (("one pair", 1), ("many pairs", m // 4)):
        for run, rng in enumerate(stream(seed, f"Lemma 5, {kind}").spawn(n_runs)):
            X, y = contradicting_sample(m, n_pairs)
            game = recorded_game(X, y, rounds, random_state=rng)
            regret, moment = p_player_regret(game)
            bound = theory_lemmas.lemma_5_regret(m, 0.5 / m, moment)
            error = to_resolution(weight_error(game), ROUNDING)
            rows.append((kind, run, regret, bound, error))
    return pd.DataFrame(rows, columns=["kind", "run", "regret", "bound", "weight_error"])


def p_player_regret(game):
    """Add up the p player's charges from its recorded probabilities.

    Parameters
    ----------
    game : watched_rounds.Record

    Returns
    -------
    regret : float
        ``sum_t <q_t, z_t>`` less the least ``sum_t z_{t,i}`` of an example.
    moment : float
        ``sum_t sum_i q_{t,i} z_{t,i}^2``.
    """
    at = np.arange(len(game.drawn)), game.drawn
    z = -1.0 * game.wrong[at] / game.p
    charged = np.bincount(game.drawn, weights=z, minlength=game.q.shape[1])
    return float((game.q[at] * z).sum() - charged.min()), float((game.q[at] * z**2).sum())
