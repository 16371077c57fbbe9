"""The rounds in which Theorem 1's bound is first met, against one look a round."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import samples
from paperlib.experiments.max_loss.theorem_1_rounds import P_PLAYERS, first_met_runs, rounds_to_mean_loss
from paperlib.experiments.max_loss.watched_rounds import until_mean_within
from paperlib.max_loss import SumTree
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play


def one_look_a_round(X, y, eps, us, factor, share):
    """Return the first round at whose end every mean is at most eps, or -1; and the sums of the losses."""
    m, d = X.shape
    W, tree, losses = np.zeros((1, d + 1)), SumTree(m).state, np.zeros(m)
    for t, u in enumerate(us, 1):
        losses += ~(y * (X @ W[0, :-1]) > 0.0)
        if (losses / eps <= t).all():
            return t, losses
        play(np.array([u]), 1, 0.5 * factor / m, share, Sample(X, y, 0.0), W, tree, slacks.allocate(0))
    return -1, losses


@pytest.mark.parametrize("method", P_PLAYERS)
@pytest.mark.parametrize("eps", [0.03, 0.2, 0.49, 0.9])
def test_the_first_round_is_that_of_one_look_a_round(method, eps):
    factor, share = P_PLAYERS[method]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        gap = samples.gap_sample(12, 0.05, 0.2, random_state=rng)
        gaussian = samples.separable_sample(10, 3, 0.05, random_state=rng)[:2]
        for X, y in (gap, gaussian):
            us, m = rng.random(700), len(y)
            expected, expected_losses = one_look_a_round(X, y, eps, us, factor, share)
            W, tree, losses = np.zeros((1, X.shape[1] + 1)), SumTree(m).state, np.zeros(m)
            found, start, sample = -1, 0, Sample(X, y, 0.0)
            # In parts, as a long game's random numbers come.
            for part in np.split(us, [1, 50, 300]):
                found = until_mean_within(
                    part, eps, start, 0.5 * factor / m, share, sample, W, tree, slacks.allocate(0), losses
                )
                if found > 0:
                    break
                start += len(part)
            assert (start + found if found > 0 else -1) == expected
            np.testing.assert_array_equal(losses, expected_losses)


def test_a_sample_that_is_never_right():
    """Two equal examples with different labels: the mean loss of one is at least a half."""
    X, y = np.ones((2, 1)), np.array([1.0, -1.0])
    assert rounds_to_mean_loss(X, y, 0.3, 1.0, 0.5, limit=1000, random_state=0) == 1001


def test_a_single_example():
    assert rounds_to_mean_loss(np.ones((1, 1)), np.ones(1), 0.25, 1.0, 0.5, random_state=0) == 4


def test_focus_meets_the_bound_and_the_others_do_not():
    runs = first_met_runs(200, 0.0005, [0.2, 0.49], 0.05, 4, seed=1)
    late = (runs.rounds > runs.granted).groupby(runs.method).mean()
    assert late["FOL"] == 0.0 and late["uniform"] > 0.7 and late["reversed"] > 0.7
    assert (runs.rounds <= 2 * runs.granted.max()).all() and runs.met[runs.method == "FOL"].all()
    # Samples of their own, for every run and eps.
    assert runs[runs.method == "FOL"].rounds.nunique() == 8
