"""The printed tree, its measurements, and paths of learning."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from paperlib.experiments.max_loss import samples
from paperlib.experiments.max_loss import section_2_3_tree as trees
from paperlib.experiments.max_loss.section_2_3_focus import (
    HARD,
    focus_runs,
    learning_paths,
    update_signs,
)
from paperlib.experiments.max_loss.section_2_3_time import seconds
from paperlib.experiments.max_loss.section_2_3_tree import PrintedTree
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play
from paperlib.max_loss._tree.sumtree import draw, probability, update
from paperlib.max_loss.sum_tree import SumTree


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
    found = trees.nodes_visited([2, 64, 1024], 50, seed=0)
    # Two children at each level on the way down, and each node of the path on the way up.
    assert found.printed.tolist() == [3 * levels + 1 for levels in (1, 6, 10)]
    # Eight children to a node, which a draw and an update read in each level, and one number is written.
    assert found.ours.tolist() == [7 + 17 * levels for levels in (1, 2, 4)]


def test_arrays_that_count():
    counted = trees.CountedArray(np.arange(6.0).reshape(2, 3))
    counted[1, 2] += counted[0, 1]
    assert counted.visited == 3 and counted[1, 2] == 6.0 and len(counted) == 2


@pytest.mark.parametrize("m", [1, 2, 9, 70])
def test_a_round_in_python_is_the_compiled_round(m):
    rng = np.random.default_rng(m)
    counted, compiled = SumTree(m), SumTree(m)
    for u in rng.random(60):
        trees.visits_of_a_round(counted, u)
        i = draw(u, 0.0, compiled.state)
        update(i, min(1.0, 0.5 / (m * probability(i, 0.0, compiled.state))), compiled.state)
    for one, other in zip(counted.state, compiled.state):
        np.testing.assert_array_equal(one, other)


def test_draws_have_their_probabilities():
    found = trees.draw_frequencies(20, 50, 20_000, seed=1)
    assert found.probability.sum() == pytest.approx(1.0) and found.drawn.sum() == 20_000
    assert abs(found.z).max() < 5.0 and found.returned.max() == 0.0


def test_chi_square_tests_by_hand():
    draws = pd.DataFrame({"probability": [0.2, 0.3, 0.5], "drawn": [30, 20, 50]})
    rounds = np.repeat(np.arange(1, 41), 3)  # the same in each twentieth of 40 rounds
    found = trees.chi_square_tests(draws, np.append(rounds, [1] * 20), 40).set_index("test")
    assert found.statistic["draws"] == pytest.approx(100 / 20 + 100 / 30)
    assert found.p_value["draws"] == pytest.approx(chi2.sf(100 / 20 + 100 / 30, 2))
    assert found.statistic["output"] == pytest.approx((19**2 + 19) / 7) and found.dof["output"] == 19
    assert found.cases.tolist() == [100, 140]


@pytest.mark.parametrize("m", [1, 2, 7, 16])
def test_the_printed_tree_is_exact_with_fractions(m, monkeypatch):
    levels = math.ceil(math.log2(m))
    looks = trees.exact_tree(m, 50, seed=m)
    assert len(looks) == 50 + 2 * 2**levels - 1 and not looks.wrong.any()
    update = PrintedTree.update

    def update_leaf_twice(self, i, factor):
        update(self, i, factor)
        self.values[self.first + i] += 1

    monkeypatch.setattr(PrintedTree, "update", update_leaf_twice)
    assert trees.exact_tree(m, 50, seed=m).wrong.any()


def test_the_printed_tree_loses_leaves_and_ours_does_not():
    found = trees.drift(10, [0.1, 30.0], 500, seed=0).set_index(["step", "tree"])
    assert found.error[(0.1, "printed")] < 1e-9 and found.lost[(30.0, "printed")] > 0
    assert (found.xs("ours", level="tree").error < 1e-12).all()


def test_a_contradiction_makes_the_printed_root_infinite():
    found = trees.contradiction(20, 20_000, factor=10.0, seed=0).set_index("tree")
    assert found.finite_rounds["printed"] < 20_000 == found.finite_rounds["ours"]
    assert found.log_weight["ours"] > math.log(np.finfo(float).max)
    assert trees.contradiction(20, 100, seed=0).finite_rounds.tolist() == [100, 100]
    # At the paper's eta: one of the two is wrong in two rounds of three.
    printed = trees.contradiction(4, 20_000, seed=0).finite_rounds[0]
    assert printed / 4 == pytest.approx(2129, rel=0.1)


def test_the_exponent_of_the_update():
    printed, corrected = update_signs(20, 500, seed=0).share
    assert printed < 0.1 and corrected > 5.0


def test_seconds_are_measured_for_every_method():
    found = seconds([10, 20], 100)
    assert len(found) == 8 and (found.microseconds > 0).all()


def test_paths_end_where_all_rounds_at_once_do():
    X, y, _ = samples.separable_sample(50, 3, 0.1, random_state=0)
    paths, q = learning_paths(X, y, [1, 7, 400], {"FOL": 2.0}, 1, random_state=5)
    rng = np.random.default_rng(5)
    us = np.concatenate([rng.random(n) for n in (1, 6, 393)])
    W, tree = np.zeros((1, 4)), SumTree(50)
    _, mistakes = play(us, 400, 2.0 / 100, 0.5, Sample(X, y, 0.0), W, tree.state, slacks.allocate(0))
    assert paths.mistakes.tolist()[-1] == mistakes
    assert paths.errors.tolist()[-1] == (y * (X @ W[0, :-1]) <= 0.0).sum()
    np.testing.assert_array_equal(q["FOL"], tree.probabilities())


def test_focus_comes_to_the_hard_points():
    X, y, paths, q = focus_runs(50, [1, 3000], {"uniform": 0.0, "FOL": 1.0}, 3, seed=1)
    assert X.shape == (50, 2) and len(y) == 50 and len(paths) == 12
    assert q["FOL"][:HARD].sum() > 5 * HARD / 50 and np.ptp(q["uniform"]) == 0
