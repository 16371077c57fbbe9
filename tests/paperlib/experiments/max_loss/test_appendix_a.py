"""Lemmas 4 and 5 on FOL's own game, against a game in plain Python."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import theory_lemmas
from paperlib.experiments.max_loss.appendix_a import (
    concentration_runs,
    contradicting_sample,
    lemma_4_game_runs,
    lemma_4_runs,
    lemma_5_runs,
    p_player_regret,
    recorded_game,
    weight_error,
)
from paperlib.experiments.random_streams import stream
from paperlib.max_loss import Perceptron, SumTree
from paperlib.max_loss._tree.sumtree import draw


def play_plainly(X, y, rounds, seed):
    """Return draws, p, q and who was wrong of every round; only the draws are the library's tree's."""
    m, learner, logs, tree = len(y), Perceptron(X, y), np.zeros(len(y)), SumTree(len(y))
    drawn, ps, qs, wrongs = [], [], [], []
    for u in np.random.default_rng(seed).random(rounds):
        q = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
        i = int(draw(u, 0.5, tree.state))
        drawn.append(i)
        ps.append(0.5 / m + 0.5 * q[i])
        qs.append(q)
        wrongs.append(~(y * (X @ learner.w[:-1]) > 0.0))
        step = float(learner.step(i)) / (2 * m * ps[-1])
        logs[i] += step
        tree.update_log(i, step)
    return np.array(drawn), np.array(ps), np.array(qs), np.array(wrongs)


@pytest.mark.parametrize(("m", "n_pairs"), [(1, 0), (2, 1), (3, 1), (9, 4)])
def test_a_recorded_game_is_the_plain_one(m, n_pairs):
    X, y = contradicting_sample(m, n_pairs)
    game = recorded_game(X, y, 300, random_state=5)
    drawn, p, q, wrong = play_plainly(X, y, 300, 5)
    np.testing.assert_array_equal(game.drawn, drawn)
    np.testing.assert_array_equal(game.wrong, wrong)
    np.testing.assert_allclose(game.p, p, rtol=1e-12)
    np.testing.assert_allclose(game.q, q, rtol=1e-12)
    assert weight_error(game) < 1e-12


def test_regret_one_round_at_a_time():
    game = recorded_game(*contradicting_sample(6, 2), 200, random_state=0)
    paid, moment, charged = 0.0, 0.0, np.zeros(6)
    for i, p, q, wrong in zip(game.drawn, game.p, game.q, game.wrong):
        z = np.zeros(6)
        z[i] = -float(wrong[i]) / p
        paid, moment, charged = paid + q @ z, moment + q @ z**2, charged + z
    assert p_player_regret(game) == pytest.approx((paid - charged.min(), moment))


def test_wrong_weights_are_noticed():
    game = recorded_game(*contradicting_sample(6, 1), 400, random_state=0)
    for q in (np.full_like(game.q, 1 / 6), game.q[::-1], game.q**2 / (game.q**2).sum(axis=1, keepdims=True)):
        assert weight_error(game._replace(q=q)) > 0.1
    # A tree that draws uniformly, and says otherwise.
    assert weight_error(game._replace(p=np.full_like(game.p, 1 / 6))) > 0.1


def test_the_bounds_hold():
    tails = lemma_4_runs(30, [0.2, 0.5], 4000, seed=0)
    adapted = tails[tails.martingale != "not adapted"]
    assert (adapted.reached <= 4000 * adapted.bound + 3 * np.sqrt(4000 * adapted.bound)).all()
    assert set(adapted.martingale) == {"fair", "rare", "adapted"}
    assert tails.reached[tails.martingale == "not adapted"].between(1800, 2200).all()
    games = lemma_4_game_runs(20, 500, [0.2, 0.4], 40, seed=0)
    assert (games.reached <= games.trials * games.bound).all() and (games.bound < 1.0).all()
    regrets = lemma_5_runs(8, 300, 2, seed=0)
    assert (regrets.regret <= regrets.bound).all() and regrets.weight_error.max() < 1e-12
    assert (regrets.groupby("kind").regret.max() > 0).all()


def test_what_draws_tell_one_round_at_a_time(monkeypatch):
    X, y = contradicting_sample(6, 1)
    # So small a limit that it is exceeded in some games and not in others.
    monkeypatch.setattr(theory_lemmas, "concentration_limit", lambda told, m, delta: told + 3 * m)
    games, exceeded = concentration_runs(6, 60, 0.05, 12, seed=3), []
    for game, rng in enumerate(stream(3, "concentration").spawn(12)):
        seen = recorded_game(X, y, 60, random_state=rng)
        losses, told, printed, over = np.zeros(6), np.zeros(6), 0.0, False
        means = np.zeros(3)
        for i, p, q, wrong in zip(seen.drawn, seen.p, seen.q, seen.wrong):
            own = 1 / 12 + q[0] / 2
            means += wrong[0] * np.array([(i == 0) / p**2, own / p**2, 1 / own]) / 60
            losses += wrong
            told[i] += wrong[i] / p
            printed += wrong[i] - (wrong[i] / p if i == 0 else 0.0)
            over |= bool((losses > told + 18).any())
        exceeded.append(over)
        assert games.printed[game] == pytest.approx(printed / 60)
        assert games.loc[game, ["square", "variance_printed", "variance"]].tolist() == pytest.approx(means)
        assert games.corrected[game] == pytest.approx((losses[0] - told[0]) / 60)
    assert games.exceeded.tolist() == exceeded and len(set(exceeded)) == 2


def test_the_printed_difference_is_no_martingale():
    games = concentration_runs(20, 1000, 0.05, 40, seed=0)
    assert not games.exceeded.any()
    assert games.printed.mean() < -0.25 and abs(games.corrected.mean()) < 5 * games.corrected.sem()
