"""Digits with rare ones among them, against plain versions."""

import numpy as np
import pytest

from paperlib.experiments.max_loss import section_3_2_networks as networks
from paperlib.experiments.max_loss.hidden_layer import initial_weights
from paperlib.experiments.max_loss.hidden_layer_learner import HiddenLayerLearner

RNG = np.random.default_rng(0)
DIGITS = RNG.integers(10, size=700)
# The first pixel says which row it is; the others say, with noise, what digit it shows.
SHOWN = 0.7 * RNG.random((700, 10)) + 0.3 * (DIGITS[:, None] == np.arange(10))
X = np.column_stack([np.arange(700) / 700, SHOWN]).astype(np.float32)
SHARES = [0.0, 0.01, 0.05]


def rows_of(images):
    return np.rint(images[:, 0] * 700).astype(int)


@pytest.fixture(scope="module")
def tasks():
    return networks.rare_tasks(X, DIGITS, SHARES, random_state=3)


def test_rare_images_are_as_many_as_the_share_asks_for(tasks):
    n_typical = 4 * (~np.isin(DIGITS, (5, 8))).sum() // 5
    for share, task in zip(SHARES, tasks, strict=True):
        shown = DIGITS[rows_of(task.X)]
        assert [d in (5, 8) for d in shown] == task.is_rare.tolist()
        assert [int(d == 3) for d in shown] == task.y.tolist()
        assert (~task.is_rare).sum() == n_typical
        assert abs(task.is_rare.sum() - share * len(task.y)) <= 0.5 + share


def test_no_image_is_in_two_parts_and_tests_are_the_same_at_every_share(tasks):
    for task in tasks:
        parts = [rows_of(part) for part in (task.X, task.X_typical, task.X_rare)]
        assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts))
        assert np.array_equal(task.X_rare, tasks[0].X_rare)
        assert np.array_equal(task.X_typical, tasks[0].X_typical)
        assert set(DIGITS[parts[2]]) == {5, 8} and not task.y_rare.any()
        assert not set(DIGITS[parts[1]]) & {5, 8}
        assert np.array_equal(task.y_typical, DIGITS[parts[1]] == 3)
    few, many = (set(rows_of(task.X)) for task in tasks[1:])
    assert few < many


def test_degenerate_tasks():
    [task] = networks.rare_tasks(X[:4], np.array([3, 1, 3, 1]), [0.05])
    assert not task.is_rare.any() and len(task.y_rare) == 0 and len(task.y) == 3
    with pytest.raises(ValueError, match="share must be"):
        networks.rare_tasks(X, DIGITS, [0.3])


def test_errors_are_counted_part_by_part(tasks):
    task = tasks[2]
    rng = np.random.default_rng(1)
    classes = [rng.choice([0, 0.5, 1], size=len(y)) for y in (task.y, task.y_typical, task.y_rare)]
    train = [c != y for c, y in zip(classes[0], task.y, strict=True)]
    rare = [w for w, r in zip(train, task.is_rare, strict=True) if r]
    typical = [c != y for c, y in zip(classes[1], task.y_typical, strict=True)]
    unseen = [c != y for c, y in zip(classes[2], task.y_rare, strict=True)]
    of_threes = [w for w, y in zip(typical, task.y_typical, strict=True) if y == 1]
    shares = [sum(each) / len(each) for each in (typical, of_threes, unseen)]
    expected = sum(train), sum(rare), *shares
    assert networks.errors_of(classes, task) == pytest.approx(expected)


def learner_for(task, seed=0):
    return HiddenLayerLearner(
        task.X, task.y, initial_weights(task.X.shape[1], 6, seed=seed), learning_rate=0.05
    )


def test_hardness_orders_as_the_logistic_loss_does(tasks):
    task = tasks[2]
    learner = learner_for(task)
    scores = learner.scores(task.X).astype(float)
    losses = -np.log(np.exp(scores)[task.y, np.arange(len(task.y))] / np.exp(scores).sum(axis=0))
    hard = learner.hardness(np.arange(len(task.y)))
    np.testing.assert_allclose(losses, np.log1p(np.exp(hard.astype(float))), rtol=1e-5)
    assert ((hard > 0) == (learner.predict(task.X) != task.y))[hard != 0].all()
    with pytest.raises(IndexError):
        learner.hardness(np.array([len(task.y)]))


@pytest.mark.parametrize("method", networks.METHODS)
def test_looks_are_those_of_a_shorter_training(tasks, method):
    task = tasks[2]
    whole = networks.train(method, learner_for(task), task, [2, 10, 30], 5)
    parts = [networks.train(method, learner_for(task), task, [n], 5)[0] for n in (2, 10, 30)]
    assert whole == parts and len(set(whole)) > 1


def test_errors_found_are_those_of_the_last_network(tasks):
    task = tasks[1]
    learner = learner_for(task)
    [found] = networks.train("SGD", learner, task, [3], 5)
    wrong = learner.predict(task.X) != task.y
    assert found[:2] == (wrong.sum(), (wrong & task.is_rare).sum())
    assert found[4] == np.mean(learner.predict(task.X_rare) != task.y_rare)
    assert learner.n_steps == 3 * -(-len(task.y) // 64)


def test_adaboost_stays_as_it_is_once_it_has_no_error():
    # One pixel tells the classes apart.
    digits = np.repeat([3, 1, 5], [40, 40, 10])
    images = (digits == 3)[:, None] * np.ones((1, 4), np.float32)
    [task] = networks.rare_tasks(images, digits, [0.02], random_state=0)
    learner = HiddenLayerLearner(task.X, task.y, initial_weights(4, 6), learning_rate=1.0)
    found = networks.train("AdaBoost", learner, task, [20, 40, 60], 0)
    assert found[-1] == (0, 0, 0.0, 0.0, 0.0) == found[-2]


def test_runs_are_the_same_again_and_begin_alike():
    once = networks.rare_runs(X, DIGITS, [0.02], 2, [2, 3], random_state=1)
    assert once.equals(networks.rare_runs(X, DIGITS, [0.02], 2, [2, 3], random_state=1))
    alone = networks.rare_runs(X, DIGITS, [0.02], 1, [3], methods=["SGD"], random_state=1)
    same = once[(once.method == "SGD") & (once.run == 0) & (once.epoch == 3)]
    assert alone.equals(same.reset_index(drop=True))
    assert len(once) == 2 * len(networks.METHODS) * 2
    assert once.confused.equals((once.missed + once.rare_error) / 2)


def test_what_makes_no_sense_is_said(tasks):
    with pytest.raises(ValueError, match="method must be one of FOL"):
        networks.train("Adam", learner_for(tasks[0]), tasks[0], [2], 0)
    for given, message in (((0, [2]), "n_runs must be"), ((1, [1]), "look must be")):
        with pytest.raises(ValueError, match=message):
            networks.rare_runs(X, DIGITS, [0.02], *given)
