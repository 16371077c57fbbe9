"""The network of Section 5 and its experiments, which need PyTorch."""

import numpy as np
import pytest

from paperlib.experiments.max_loss.images import ImageTask, digit_task
from paperlib.experiments.max_loss.network import cnn, images_for, n_weights
from paperlib.experiments.max_loss.section_5_networks import (
    NetworkSize,
    _right,
    epochs_to_zero,
    error_bands,
    informative_draws,
    race,
    realisable,
)

torch = pytest.importorskip("torch")


def test_the_papers_number_of_weights():
    assert n_weights(cnn()) == 710_642
    assert n_weights(cnn(0.05, 1)) == 2 * 26 + 4 * 51 + 8 * 4 * 49 + 8 * 2 + 2


def test_the_same_seed_gives_the_same_weights_and_leaves_the_global_state_alone():
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    one, two, other = cnn(0.05, 1, seed=3), cnn(0.05, 1, seed=3), cnn(0.05, 1, seed=4)
    assert torch.equal(torch.rand(1), expected)
    flat = [torch.cat([w.ravel() for w in each.parameters()]) for each in (one, two, other)]
    assert torch.equal(flat[0], flat[1]) and not torch.equal(flat[0], flat[2])


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
    network = cnn(0.05, 1, seed=0)
    own = network(images_for(network, X)).argmax(dim=1).numpy()
    for y, mistakes in ((own, 0.0), (1 - own, 64.0)):  # one batch, before anything is learned
        task = ImageTask(X, y, X, y)
        assert informative_draws(task, 1, random_state=0) == {1.0: mistakes, 0.5: mistakes}
