"""The network of Section 5 and its experiments."""

import numpy as np
import pytest

from paperlib.experiments.max_loss.images import ImageTask, digit_task
from paperlib.experiments.max_loss.network import NetworkLearner, initial_weights, n_weights
from paperlib.experiments.max_loss.section_5_networks import (
    NetworkSize,
    _right,
    epochs_to_zero,
    error_bands,
    informative_draws,
    race,
    realisable,
)


def test_the_papers_number_of_weights():
    assert n_weights(initial_weights()) == 710_642
    assert n_weights(initial_weights(0.05, 1)) == 2 * 26 + 4 * 51 + 8 * 4 * 49 + 8 * 2 + 2


def test_the_same_seed_gives_the_same_weights():
    one, two, other = (
        np.concatenate([w.ravel() for w in initial_weights(0.05, 1, seed=s)]) for s in (3, 3, 4)
    )
    assert np.array_equal(one, two) and not np.array_equal(one, other)
    assert np.abs(one).max() <= 1.0 and one.dtype == np.float32


def test_a_learner_leaves_the_weights_that_it_was_given_and_can_go_back():
    rng = np.random.default_rng(0)
    X, y, weights = rng.random((70, 28, 28)), np.arange(70) % 2, initial_weights(0.05, 1)
    before = [each.copy() for each in weights]
    learner = NetworkLearner(X, y, weights)
    at = learner.snapshot()
    own = learner.predict(X)
    assert learner.loss(3) == float(own[3] != y[3]) == learner.step(3)
    learner.step(np.arange(64))
    assert all(map(np.array_equal, weights, before))
    assert not np.array_equal(learner.weights.last, before[-2])
    learner.restore(at)
    assert np.array_equal(learner.predict(X), own) and learner.errors() == (own != y).sum()
    with pytest.raises(IndexError):
        learner.step(70)


@pytest.fixture(scope="module")
def task():
    return digit_task(n_train=200, n_test=100, random_state=0)


def test_a_race_ends_without_training_error(task):
    outcome = race(task, 60, 1, NetworkSize(0.1, 1), random_state=0)
    table = epochs_to_zero(outcome.curves)
    assert table.reached.all() and list(table.method) == ["FOL", "SGD", "AdaBoost"]
    assert (outcome.curves.groupby("method").epoch.diff().dropna() > 0).all()
    assert outcome.focus.shape == (1, 200) and np.isclose(outcome.focus.mean(), 1.0)
    bands = error_bands(outcome.curves, 60)
    assert (bands.groupby("method").solved.last() == 1).all()
    assert (bands.groupby("method").train_error.last() == 0).all()


def test_a_race_is_the_same_again_and_gives_up_where_it_was_told(task):
    one, two = (race(task, 2, 2, methods=("FOL", "SGD"), random_state=1) for _ in range(2))
    assert one.curves.equals(two.curves) and np.array_equal(one.focus, two.focus)
    assert not epochs_to_zero(one.curves).reached.any()


def test_realisable_drops_what_is_got_wrong(task):
    flipped = ImageTask(task.X, np.where(np.arange(200) < 10, 1 - task.y, task.y), task.X_test, task.y_test)
    kept = realisable(flipped, 24, NetworkSize(0.1, 1))
    assert 150 < len(kept.y) < 200
    assert len(kept.X) == len(kept.y) and len(kept.X_test) == len(kept.y_test)


def test_a_class_of_which_none_is_right_is_kept():
    y = np.array([1, 0, 0])
    assert _right(np.array([0, 0, 1]), y).tolist() == [True, True, False]
    assert _right(np.array([1, 1, 0]), y).tolist() == [True, False, True]
    assert _right(1 - y, y).all()


def test_informative_draws():
    X = np.random.default_rng(0).random((64, 28, 28)).astype(np.float32)
    own = NetworkLearner(X, np.zeros(64), initial_weights(0.05, 1, seed=0)).predict(X)
    for y, mistakes in ((own, 0.0), (1 - own, 64.0)):  # one batch, before anything is learned
        task = ImageTask(X, y, X, y)
        assert informative_draws(task, 1, random_state=0) == {1.0: mistakes, 0.5: mistakes}
