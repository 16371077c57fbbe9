"""Leave-one-out from the smaller class alone against exhaustive search; its hulls against lists."""

from itertools import product

import numpy as np
import pytest

from paperlib.boosting2d import leave_one_out
from paperlib.boosting2d._geometry.locations import merge
from paperlib.experiments.boosting2d import samples
from paperlib.experiments.boosting2d.divided_samples import KINDS, divided_sample
from paperlib.experiments.boosting2d.line_classes import line_classes, misclassified
from paperlib.experiments.boosting2d.range_hulls import Places, Range, build, empty_hulls, fat_line, top
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample
from paperlib.experiments.boosting2d.smaller_class import _sample_of, leave_one_out_by_smaller_class
from paperlib.experiments.boosting2d.windows import _least_in_windows, lightest_holding


def agree(X, positive, weights, contribution):
    """Whichever sets are asked about their fat lines, those that vote are the same."""
    for every in (False, True):
        found = leave_one_out_by_smaller_class(X, positive, weights, every)
        np.testing.assert_allclose(found.contribution, contribution, rtol=1e-13)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_small_and_degenerate_samples(seed):
    """Against every subset of the points, in integers."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        X, positive, weights = samples.small_sample(rng, 8)
        agree(X, positive, weights, weights * Sample(X, positive, weights).shares)


@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 3, 2]])
def test_two_by_three_grids(weights):
    X, weights = np.array(list(product([0.0, 1.0, 2.0], [0.0, 1.0]))), np.array(weights, dtype=float)
    for labels in list(product([False, True], repeat=6))[::3]:
        positive = np.array(labels)
        agree(X, positive, weights, weights * Sample(X, positive, weights).shares)


def test_a_point_of_the_larger_class_that_no_line_shows():
    """Of the notebook: without (-2, 0) the fat line has it wrong, and no line through (0, 0) shows that."""
    X = np.array([[0.0, 0.0], [-2.0, 0.0], [-5.0, 1.0], [-5.0, -1.0]])
    found = agree(X, np.arange(4) == 0, np.ones(4), [1.0, 1.0, 0.0, 0.0])
    assert found.kind.tolist() == [2, 2, 1, 1]


def test_larger_samples_and_counterexamples():
    rng = np.random.default_rng(0)
    for sample in [*samples.COUNTEREXAMPLES, *(samples.larger_sample(rng) for _ in range(10))]:
        agree(*sample, leave_one_out(*sample).contribution)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_with_arbitrary_weights(kind):
    rng = np.random.default_rng(3)
    for _ in range(4):
        X, positive, weights = (each[:70] for each in divided_sample(kind, rng))
        agree(X, positive, weights, leave_one_out(X, positive, weights).contribution)


def test_eight_points_among_many():
    X, positive = np.random.default_rng(0).normal(size=(600, 2)), np.arange(600) % 75 == 0
    weights = np.ceil(1000 * (1 + np.random.default_rng(1).pareto(1.0, size=600)))
    found = agree(X, positive, weights, leave_one_out(X, positive, weights).contribution)
    assert 8 * 600 < found.judged < 100 * 8 * 600 * np.log2(600) ** 2


def test_lightest_sets_against_all_classes_of_lines():
    """Of each point of either class, over the lines through others: the definition, line by line."""
    rng = np.random.default_rng(4)
    for _ in range(60):
        X, positive, weights = samples.small_sample(rng, 9)
        places = merge(X, positive, weights)
        lowest, best, _ = lightest_holding(_sample_of(places, True))
        if len(places.x) == 1:
            continue
        sets = [misclassified(line_classes(X, a), positive, True) for a in np.flatnonzero(positive)]
        sets = np.concatenate([*sets, np.zeros((0, len(X)), dtype=bool)])
        totals = sets @ weights
        assert best == totals.min(initial=np.inf)
        for i in range(len(X)):
            expected = totals[sets[:, i]].min(initial=np.inf)
            assert lowest[int(not positive[i]), places.of_row[i]] == expected


@pytest.mark.parametrize("groups, begin, length", [(1, 1, 1), (1, 2, 3), (5, 1, 9), (8, 16, 17)])
def test_windows_against_their_minima(groups, begin, length):
    weights = np.random.default_rng(groups).integers(9, size=4 * groups).astype(float)
    queue, least = np.empty(8 * len(weights), dtype=np.int64), np.empty(2 * groups)
    steps = _least_in_windows(weights, len(weights), begin, length, queue, least)
    twice = np.tile(weights, 4)
    assert least.tolist() == [twice[begin + 2 * d :][:length].min() for d in range(2 * groups)]
    assert steps <= 2 * (len(weights) + length)


@pytest.mark.parametrize("kind", ["normal", "grid", "circle", "in line"])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_ranges_of_hulls_against_lists(kind, count):
    rng = np.random.default_rng(count)
    points = rng.normal(size=(count, 2))
    if kind == "grid":
        points = np.unique(rng.integers(0, 7, size=(count, 2)), axis=0).astype(float)
    if kind == "circle":
        points /= np.linalg.norm(points, axis=1)[:, None]
    if kind == "in line":
        points = rng.permutation(count)[:, None] * np.array([1.0, 2.0])
    n = len(points)
    x, y = points.T.copy()
    places, hulls = Places(x, y, x, y), empty_hulls(n)
    hulls.chains[0, 0, :n], hulls.counters[0] = rng.permutation(n), n
    build(places, hulls)
    order = hulls.chains[0, 0, :n]
    for _ in range(200):
        begin = int(rng.integers(2 * n))
        end = begin + int(rng.integers(min(n, 2 * n - begin) + 1))
        out = int(rng.integers(begin, end)) if end > begin and rng.random() < 0.5 else -1
        held = [int(order[k % n]) for k in range(begin, end) if k != out]
        f = rng.normal(size=2) if rng.random() < 0.7 else rng.integers(-2, 3, size=2).astype(float)
        found = top(places, hulls, Range(begin, end, out, -1), *f)
        assert (found in held) if held else found == -1
        if held:
            assert points[found] @ f >= (points[held] @ f).max() - 1e-12


def test_the_line_between_ranges_is_the_fat_line():
    """A point at (0, 2) ahead; behind an edge from (-1, 0) to (1, 0), and without its end a single point."""
    x, y = np.array([0.0, -1.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0, -3.0])
    places, ahead, behind = Places(x, y, x, y), empty_hulls(4), empty_hulls(4)
    behind.chains[0, 0, :3], behind.counters[0] = [1, 2, 3], 3
    build(places, behind)
    nothing = Range(0, 0, -1, 0)
    line = fat_line(places, ahead, nothing, behind, Range(0, 3, -1, -1), 3.0)
    assert (line.kind, line.fx, line.fy, line.height) == (0, 0.0, 1.0, 1.0)
    line = fat_line(places, ahead, nothing, behind, Range(0, 3, 1, -1), 3.0)
    assert (line.fx, line.fy) == pytest.approx((5**-0.5, 2 * 5**-0.5)) and 1 in (line.r, line.s)
    line = fat_line(places, ahead, nothing, behind, Range(0, 0, -1, -1), 3.0)
    assert (line.kind, line.height) == (1, -np.inf)


def test_rounded_sums_are_refused():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="weights must have exact sums"):
        leave_one_out_by_smaller_class(X, np.array([True, False, True]), np.array([0.1, 1e9, 0.3]))
