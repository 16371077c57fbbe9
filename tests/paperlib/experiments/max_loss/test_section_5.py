"""The network of Section 5 and its experiments."""

import numpy as np
import pytest

from paperlib.experiments.max_loss.baselines import adaboost, uniform_sampling
from paperlib.experiments.max_loss.images import ImageTask, digits, split
from paperlib.experiments.max_loss.network import initial_weights, n_weights
from paperlib.experiments.max_loss.section_5_curves import epochs_to_zero
from paperlib.experiments.max_loss.section_5_networks import (
    convolutional,
    n_voters,
    one_hidden_layer,
    race,
    realisable,
    realisable_split,
    realisable_task,
)
from paperlib.max_loss import focused_online_learning


def test_the_papers_number_of_weights():
    assert n_weights(initial_weights()) == 710_642
    assert n_weights(initial_weights(0.05, 1)) == 2 * 26 + 4 * 51 + 8 * 4 * 49 + 8 * 2 + 2


def test_the_same_seed_gives_the_same_weights():
    one, two, other = (
        np.concatenate([w.ravel() for w in initial_weights(0.05, 1, seed=s)]) for s in (3, 3, 4)
    )
    assert np.array_equal(one, two) and not np.array_equal(one, other)
    assert np.abs(one).max() <= 1.0 and one.dtype == np.float32


@pytest.fixture(scope="module")
def task():
    X, y = digits(n_digits=300, random_state=0)
    return split(X, y, random_state=0)


def test_a_race_ends_without_training_error(task):
    outcome = race([task, task], one_hidden_layer, 200, random_state=0)
    table = epochs_to_zero(outcome.curves)
    assert table.reached.all() and list(table.method) == 2 * ["FOL", "SGD", "AdaBoost"]
    assert (outcome.curves.groupby(["method", "run"]).epoch.diff().dropna() > 0).all()
    assert [each.shape for each in outcome.focus] == 2 * [(270,)]
    assert np.isclose(outcome.focus[0].mean(), 1.0)
    last = outcome.curves.groupby(["method", "run"]).epoch.max().unstack()
    ended = table.set_index(["method", "run"]).epochs.unstack()
    # FOL and SGD are shown for twenty more epochs.
    assert (last.loc[["FOL", "SGD"]] == ended.loc[["FOL", "SGD"]] + 20).all(axis=None)


def test_all_methods_start_a_run_from_the_same_weights(task):
    curves = race([task, task], one_hidden_layer, 2, random_state=0).curves
    first = curves[curves.epoch == 0].pivot(index="run", columns="method", values="train_errors")
    assert (first.nunique(axis=1) == 1).all()
    start = one_hidden_layer(task.X, task.y, int(np.random.SeedSequence(0).generate_state(2)[1]))
    assert first.loc[1, "FOL"] == start.errors()


def test_a_race_counts_what_each_network_gets_wrong(task):
    """By hand: SGD's epochs, and AdaBoost's vote after its second iteration."""
    [seed] = np.random.SeedSequence(5).generate_state(1).tolist()
    curves = race([task], one_hidden_layer, 4, random_state=5, l2=0.01).curves.set_index(["method", "epoch"])
    learner = one_hidden_layer(task.X, task.y, seed, l2=0.01)
    rounds = 5
    run = uniform_sampling(learner, 270, 3 * rounds, batch_size=64, random_state=seed)
    row = curves.loc["SGD", 3]
    assert row.train_errors == learner.errors() and row.train_error == learner.errors() / 270
    assert row.test_error == learner.errors(task.X_test, task.y_test) / 30
    assert np.isclose(row.useful, 64 * run.losses[-rounds:].mean())

    learner = one_hidden_layer(task.X, task.y, seed, l2=0.01)
    probe = one_hidden_layer(task.X, task.y, seed)

    def signs(weights, X=task.X):
        probe.restore(weights)
        return 2 * probe.predict(X) - 1

    # FOL's vote, over the networks after each epoch so far.
    fol, votes = one_hidden_layer(task.X, task.y, seed, l2=0.01), []

    def vote(t):
        if t % rounds == 0:
            votes.append(2 * (fol.predict(task.X) == task.y) - 1)

    rules = {"batch_size": 64, "random_state": seed}
    focused_online_learning(fol, 270, 3 * rounds, callback=vote, **rules)
    assert curves.loc["FOL", 3].vote_errors == (np.sum(votes, axis=0) <= 0).sum()
    assert curves.loc["FOL", 3].train_errors == fol.errors()
    # And of as many as log m, after epochs that are drawn from those so far, with repetition.
    draws = np.random.default_rng(seed)
    draws.integers(1, size=n_voters(270))
    for epoch in (1, 2, 3):
        chosen = draws.integers(epoch, size=n_voters(270))
    assert n_voters(270) == 5
    assert curves.loc["FOL", 3].drawn_errors == (np.sum([votes[t] for t in chosen], axis=0) <= 0).sum()

    boosted = adaboost(learner, signs, 2 * task.y - 1, 2, random_state=seed)
    votes = sum(a * signs(w, task.X_test) for a, w in zip(boosted.alphas, boosted.iterates, strict=True))
    row = curves.loc["AdaBoost", 4]
    assert row.test_error == np.mean(votes * (2 * task.y_test - 1) <= 0)
    assert row.train_errors == round(270 * boosted.errors[-1])


def test_a_race_is_the_same_again_and_gives_up_where_it_was_told(task):
    one, two = (race([task], one_hidden_layer, 2, methods=("FOL", "SGD"), random_state=1) for _ in range(2))
    assert one.curves.equals(two.curves) and np.array_equal(one.focus, two.focus)
    assert set(one.curves.method) == {"FOL", "SGD"} and not epochs_to_zero(one.curves).reached.any()


def test_a_race_with_another_rate_of_the_p_player(task):
    own, fast = (
        race([task], one_hidden_layer, 12, methods=("FOL", "SGD"), eta_factor=factor).focus[0]
        for factor in (1, 8)
    )
    assert fast.max() > 2 * own.max() > 2


def test_a_race_of_the_papers_network():
    X = np.random.default_rng(0).random((70, 28, 28)).astype(np.float32)
    task = split(X, np.arange(70) % 2, random_state=0)
    curves = race([task], convolutional(0.05), 2, random_state=0).curves
    assert curves.groupby("method").epoch.max().to_dict() == {"AdaBoost": 2, "FOL": 2, "SGD": 2}


def test_realisable_drops_what_is_got_wrong(task):
    X, y = task.X, np.where(np.arange(270) < 10, 1 - task.y, task.y)
    right = realisable(X, y, one_hidden_layer, 60)
    assert right.dtype == bool and 200 < right.sum() < 270 and right[:10].sum() <= 2
    kept = realisable_task(ImageTask(X, y, task.X_test, 1 - task.y_test), one_hidden_layer, 60)
    assert len(kept.X) == len(kept.y) < 270 and len(kept.X_test) == len(kept.y_test) < 30
    parts = realisable_split(X, y, one_hidden_layer, 60)
    assert len(parts.y) + len(parts.y_test) == right.sum()


def test_a_class_of_which_none_is_right_is_kept():
    class Says:
        """A learner that says what it was told to."""

        def __init__(self, answers):
            self.answers = answers

        def step(self, indices):
            return np.zeros(len(indices))

        def predict(self, X):
            return self.answers

    y = np.array([1, 0, 0])
    for answers, right in (([0, 0, 1], [1, 1, 0]), ([1, 1, 0], [1, 0, 1]), ([0, 1, 1], [1, 1, 1])):
        found = realisable(y, y, lambda *_, told=answers: Says(np.array(told)), 1)
        assert found.tolist() == [bool(each) for each in right]
