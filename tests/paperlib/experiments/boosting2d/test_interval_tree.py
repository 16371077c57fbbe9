"""The paper's leave-one-out algorithm against the library's, and its tree against plain lists."""

import numpy as np
import pytest

from paperlib.boosting2d import leave_one_out
from paperlib.experiments.boosting2d import samples
from paperlib.experiments.boosting2d.divided_samples import KINDS, divided_sample
from paperlib.experiments.boosting2d.interval_tree import (
    _change,
    _least,
    _rank,
    leave_one_out_by_intervals,
    mark,
)
from paperlib.experiments.boosting2d.line_classes import line_classes, misclassified


def agree(X, positive, weights):
    expected = leave_one_out(X, positive, weights)
    found = leave_one_out_by_intervals(X, positive, weights)
    np.testing.assert_array_equal(found.kind, expected.kind)
    np.testing.assert_allclose(found.contribution, expected.contribution, rtol=1e-13)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_small_and_degenerate_samples(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        agree(*samples.small_sample(rng, 10))


def test_larger_samples_and_counterexamples():
    rng = np.random.default_rng(0)
    for sample in [*samples.COUNTEREXAMPLES, *(samples.larger_sample(rng) for _ in range(10))]:
        agree(*sample)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_with_arbitrary_weights(kind):
    rng = np.random.default_rng(3)
    for _ in range(4):
        X, positive, weights = divided_sample(kind, rng)
        agree(X[:70], positive[:70], weights[:70])


def test_heavy_tails_of_many_points():
    X, y = samples.clouds(300, random_state=0)
    weights = np.ceil(1000 * (1 + np.random.default_rng(1).pareto(1.0, size=300)))
    judged = agree(X, y > 0, weights).judged
    assert 300**2 < judged < 40 * 300**2 * np.log2(300)


def test_lightest_sets_against_all_classes_of_lines():
    """Of each positive point, over the lines through others: the definition, line by line."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        X, positive, weights = samples.small_sample(rng, 9)
        X, first = np.unique(X, axis=0, return_index=True)
        positive, weights = positive[first], weights[first]
        lowest, best, _ = mark(*np.ascontiguousarray(X.T), weights * positive, weights * ~positive)
        sets = [misclassified(line_classes(X, a), positive, True) for a in np.flatnonzero(positive)]
        sets = np.concatenate([*sets, np.zeros((0, len(X)), dtype=bool)])
        totals = sets @ weights
        if len(X) > 1:
            assert best == totals.min(initial=np.inf)
            expected = [totals[sets[:, i]].min(initial=np.inf) for i in np.flatnonzero(positive)]
            assert lowest[positive].tolist() == expected


def test_the_tree_against_a_list():
    rng = np.random.default_rng(0)
    for leaves in (1, 2, 8, 64):
        tree, counts = np.zeros(2 * leaves, dtype=np.int64), np.zeros(leaves, dtype=np.int64)
        depth = leaves.bit_length()
        for leaf in rng.integers(leaves, size=200).tolist():
            by = -1 if counts[leaf] and rng.random() < 0.6 else 1
            counts[leaf] += by
            assert _change(tree, leaf, by) == depth
            if counts.any():
                assert _least(tree) == (np.flatnonzero(counts)[0], depth)


@pytest.mark.parametrize("size", [1, 2, 3, 17, 64, 100])
def test_ranks_are_those_of_numpy_and_comparisons_are_counted(size):
    weights = np.random.default_rng(size).integers(0, 12, size=size).astype(float)
    sorting, keys, ranks = np.empty((2, size), dtype=np.int64), np.empty(size), np.empty(size, dtype=np.int64)
    distinct, compared = _rank(weights, *sorting, ranks, keys)
    expected, inverse = np.unique(weights, return_inverse=True)
    assert keys[:distinct].tolist() == expected.tolist() and ranks.tolist() == inverse.tolist()
    assert size - 1 <= compared <= size * np.ceil(np.log2(size)) + size - 1


def test_rounded_sums_are_refused():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="weights must have exact sums"):
        leave_one_out_by_intervals(X, np.array([True, False, True]), np.array([0.1, 1e9, 0.3]))
