"""Theorem 1 and its corollaries, small."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import samples
from paperlib.experiments.max_loss.theorem_1 import (
    HingeLearner,
    _iterates,
    corollary_2_runs,
    majority_games,
    orthonormal_mistakes,
    output_rounds,
    theorem_1_games,
    theorem_1_runs,
)
from paperlib.experiments.max_loss.watched_rounds import add_losses
from paperlib.max_loss import SumTree, focused_online_learning
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play


def test_mean_losses_of_all_iterates():
    """Theorem 1's quantity, from one look for each iterate, against one for each round."""
    X, y, _ = samples.separable_sample(30, 3, 0.05, random_state=0)
    us = np.random.default_rng(0).random(400)
    sample, slack = Sample(X, y, 0.0), slacks.allocate(0)
    W, tree, losses = np.zeros((1, 4)), SumTree(30), np.zeros(30)
    mistakes = add_losses(us, 1 / 60, 0.5, sample, W, tree.state, slack, losses)
    plain, plain_tree, plain_losses = np.zeros((1, 4)), SumTree(30), np.zeros(30)
    for u in us:
        plain_losses += y * (X @ plain[0, :-1]) <= 0
        mistakes -= play(np.array([u]), 1, 1 / 60, 0.5, sample, plain, plain_tree.state, slack)[1]
    np.testing.assert_array_equal(losses, plain_losses)
    np.testing.assert_array_equal(W, plain)
    assert mistakes == 0


def test_theorem_1_and_corollaries():
    runs = theorem_1_runs(100, 4, 0.2, [0.49], 0.05, 3, seed=0)
    assert (runs.all_iterates <= runs.bound).all() and (runs.drawn_iterates <= 0.49).all()
    assert (runs.mistakes <= runs.mistake_bound).all() and (runs.majority_errors == 0).all()


def test_uniform_draws_break_theorem_1_on_a_gap_sample():
    games = theorem_1_games(200, 0.0005, [0.49], 0.05, {"FOL": 2, "uniform": 2}, seed=0)
    focused, uniform = (games[games.method == each] for each in ("FOL", "uniform"))
    assert (focused.all_iterates <= focused.bound).all() and (focused.majority_errors == 0).all()
    assert (uniform.all_iterates > uniform.bound).all() and (uniform.majority_errors > 0).all()


def test_focus_keeps_corollary_2_and_uniform_draws_do_not():
    focused, uniform = (
        corollary_2_runs(200, 0.0005, 0.15, 0.05, 2, uniform_share=share, seed=0) for share in (0.5, 1.0)
    )
    for runs in (focused, uniform):
        assert (runs.loss_of_mean <= runs.mean_of_losses + 1e-12).all() and (runs.above <= 1e-12).all()
        # The learner's losses sum up to the same in whatever order: its bound is met exactly.
        assert runs.paid.to_numpy() == pytest.approx(runs.mistake_bound.to_numpy())
        assert (runs.at_zero > 0.15).all()
    assert (focused.loss_of_mean <= 0.15).all() and (uniform.loss_of_mean > 0.15).all()


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_iterates_before_the_rounds_that_are_asked_for(share):
    """Against the iterates of every round, which end with the last loss."""
    X, y, _ = samples.separable_sample(12, 3, 0.1, random_state=0)
    learner, plain = (HingeLearner(X, y, np.zeros(3), 0.5, 20.0) for _ in "ab")
    before = [plain.w]
    focused_online_learning(
        plain, 12, 2000, uniform_share=share, callback=lambda t: before.append(plain.w), random_state=5
    )
    looks = [np.array([0, 3, 3, 90, 1]), np.array([1999, 400, 12, 0])]
    found = _iterates(learner, looks, 12, 2000, share, 5)
    assert not plain.losses(plain.w).any() and plain.paid == pytest.approx(learner.paid)
    for each, iterates in zip(looks, found):
        np.testing.assert_array_equal(iterates, [before[at] for at in each])
    losses = [max(0.0, 0.5 - y[i] * (X[i] @ before[7])) / 20.0 for i in range(12)]
    assert plain.losses(before[7]) == pytest.approx(losses)


def test_the_mistake_bound_is_met_exactly():
    found = orthonormal_mistakes(9, 500, seed=0)
    assert found.mistakes.tolist() == [9.0, 9.0] and found.mistake_bound.tolist() == pytest.approx([9.0, 9.0])


def test_a_majority_of_few_is_consistent_with_focus():
    games = majority_games(200, 0.0005, [1, 10], 6, seed=0)
    failed = (games.majority_errors > 0).groupby([games.method, games.factor]).mean()
    assert failed["FOL", 10] == 0.0 < failed["FOL", 1] and failed["uniform"].min() == 1.0
    assert (games.voters == 13).all() and games.rounds.nunique() == 2


def test_rounds_of_the_output():
    rounds = output_rounds(50, 400, seed=0)
    assert rounds.min() >= 1 and rounds.max() <= 50 and abs(rounds.mean() - 25.5) < 5 * 14.4 / 20
