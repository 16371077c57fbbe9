"""What the notebook alone uses: the printed tree, its measurements, paths of learning, sheets of images."""

import math

import numpy as np
import pytest
from scipy.stats import chi2

from paperlib.max_loss import perceptron, samples
from paperlib.max_loss import slack as slacks
from paperlib.max_loss import tree_experiments as trees
from paperlib.max_loss.contact_sheet import contact_sheet
from paperlib.max_loss.learning_paths import learning_paths
from paperlib.max_loss.printed_tree import PrintedTree
from paperlib.max_loss.weights import SumTree


@pytest.mark.parametrize("m", [1, 2, 3, 8, 13])
def test_the_printed_tree_is_a_list_of_weights(m):
    rng = np.random.default_rng(m)
    tree, weights = PrintedTree(m), np.ones(m)
    for i, factor in zip(rng.integers(m, size=50).tolist(), rng.uniform(0.5, 2.0, size=50).tolist()):
        tree.update(i, factor)
        weights[i] *= factor
    np.testing.assert_allclose(tree.values[tree.first : tree.first + m], weights)
    assert tree.values[1] == pytest.approx(weights.sum())
    drawn = [tree.sample(rng, 0.25) for _ in range(5000)]
    p = 0.25 / m + 0.75 * weights / weights.sum()
    for i, share in drawn:
        assert share == pytest.approx(p[i])
    counts = np.bincount([i for i, _ in drawn], minlength=m)
    assert m == 1 or chi2.sf(((counts - 5000 * p) ** 2 / (5000 * p)).sum(), m - 1) > 1e-4


def test_nodes_visited_grow_with_the_logarithm():
    found = trees.nodes_visited([2, 64, 1024], 50, random_state=0)
    # Two children at each level on the way down, and each node of the path on the way up.
    assert found.printed.tolist() == [3 * levels + 1 for levels in (1, 6, 10)]
    assert found.ours.tolist() == [2, 4, 8]


def test_draws_have_their_probabilities():
    found = trees.draw_frequencies(20, 50, 20_000, random_state=1)
    assert found.probability.sum() == pytest.approx(1.0) and found.frequency.sum() == pytest.approx(1.0)
    assert abs(found.z).max() < 5.0


def test_the_printed_tree_loses_leaves_and_ours_does_not():
    found = trees.drift(10, [0.1, 30.0], 500, random_state=0).set_index(["step", "tree"])
    assert found.error[(0.1, "printed")] < 1e-9 and found.lost[(30.0, "printed")] > 0
    assert (found.xs("ours", level="tree").error < 1e-12).all()


def test_a_contradiction_makes_the_printed_root_infinite():
    found = trees.contradiction(20, 20_000, factor=10.0, random_state=0)
    assert found["printed"] < 20_000 == found["ours"]
    assert found["log_weight"] > math.log(np.finfo(float).max)
    assert trees.contradiction(20, 100, random_state=0)["printed"] == 100


def test_the_exponent_of_the_update():
    found = trees.exponent_of_update(20, 500, random_state=0)
    assert found["printed"] < 0.1 and found["corrected"] > 5.0


def test_seconds_are_measured_for_every_method():
    found = trees.seconds([10, 20], 100)
    assert len(found) == 8 and (found.microseconds > 0).all()


def test_paths_end_where_all_rounds_at_once_do():
    X, y, _ = samples.separable_sample(50, 3, 0.1, random_state=0)
    paths, q = learning_paths(X, y, [1, 7, 400], {"FOL": 2.0}, 1, random_state=5)
    rng = np.random.default_rng(5)
    us = np.concatenate([rng.random(n) for n in (1, 6, 393)])
    w, tree = np.zeros(4), SumTree(50)
    rules = (1.0, 0.0, slacks.NO_SLACK, slacks.allocate(50))
    mistakes = perceptron.binary_rounds(us, 2.0 / 100, 0.5, X, y, 0.0, w, tree.state, *rules)
    assert paths.mistakes.tolist()[-1] == mistakes
    assert paths.errors.tolist()[-1] == (y * (X @ w[:-1]) <= 0.0).sum()
    np.testing.assert_array_equal(q["FOL"], tree.probabilities())


def test_a_contact_sheet():
    images = np.arange(3.0)[:, None, None] * np.ones((3, 2, 2))
    sheet = contact_sheet(images, 2, 2, gap=0)
    assert sheet.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 1, 1], [2, 2, 1, 1]]
    assert contact_sheet(images, 1, 1).shape == (4, 4)
    assert (contact_sheet(images[:0], 2, 1) == 1.0).all()


def test_informative_draws():
    pytest.importorskip("torch")
    from paperlib.max_loss.cnn import cnn, images_for
    from paperlib.max_loss.faces import ImageTask
    from paperlib.max_loss.informative_draws import informative_draws

    X = np.random.default_rng(0).random((64, 28, 28)).astype(np.float32)
    network = cnn(0.05, 1, seed=0)
    own = network(images_for(network, X)).argmax(dim=1).numpy()
    for y, mistakes in ((own, 0.0), (1 - own, 64.0)):  # one batch, before anything is learned
        task = ImageTask(X, y, X, y)
        assert informative_draws(task, 1, random_state=0) == {1.0: mistakes, 0.5: mistakes}
