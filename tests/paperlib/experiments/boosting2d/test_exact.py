"""Exhaustive search's own geometry, against rational arithmetic and against the library's."""

from fractions import Fraction

import numpy as np
import pytest

from paperlib.boosting2d._geometry.gaps import shortest_vector
from paperlib.boosting2d._leave_out.fat_side import fat_side
from paperlib.experiments.boosting2d import exact, samples
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample, _lightest


@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 1e9])
def test_turns_are_signs_of_rational_numbers(scale):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(3, 2)), rng.integers(0, 3, size=(3, 2)) * 0.1, [[0.3, 0.3]]]) * scale
    points = [tuple(map(Fraction, row)) for row in X.tolist()]
    found = exact.turns(X)
    for a, p in enumerate(points):
        for b, q in enumerate(points):
            for c, r in enumerate(points):
                value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
                assert found[a, b, c] == (value > 0) - (value < 0)


@pytest.mark.parametrize("p, q", [(1, 1), (1, 4), (3, 3), (30, 20)])
def test_the_gap_and_the_side_are_the_librarys(p, q):
    rng = np.random.default_rng(p + q)
    for shift in (2.0, 8.0):
        xa, xb = rng.normal(shift, size=(p, 2)), rng.normal(-shift, size=(q, 2))
        found = shortest_vector(xa, xb)
        if found is None:
            continue
        assert exact.margin(xa, xb) == pytest.approx(found[1], rel=1e-12)
        for point in rng.normal(scale=3.0, size=(5, 2)):
            assert exact.side(xa, xb, point) == fat_side(xa, xb, point)


def test_a_point_on_the_fat_line_is_on_no_side():
    xa, xb = np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([[0.5, 0.0]])
    assert [exact.side(xa, xb, np.array([7.0, y])) for y in (0.5, 0.5 + 1e-6, 0.4)] == [0, 1, -1]
    assert [exact.side(xa, xb[:0], xb[0]), exact.side(xa[:0], xb, xb[0])] == [1, -1]


@pytest.mark.parametrize("seed", range(8))
def test_lines_listed_and_subsets_tried_give_the_same_optimal_sets(seed):
    sample = Sample(*samples.small_sample(np.random.default_rng(seed)))
    best, sets = _lightest(sample.divisions != sample.positive, sample.weights)
    assert best == sample.best
    assert np.array_equal(sets, np.unique(sample.sets, axis=0))


def test_lightest_divisions_are_those_of_all_subsets():
    rng = np.random.default_rng(0)
    for _ in range(150):
        sample = Sample(*samples.small_sample(rng))
        best, sets = exact.lightest_divisions(sample.X, sample.positive, sample.weights)
        assert best == sample.best
        assert np.array_equal(sets, np.unique(sample.sets, axis=0))


@pytest.mark.parametrize("draw", [samples.larger_sample, samples.nearly_in_line])
@pytest.mark.parametrize("scale", [1.0, 1 / 3])
def test_lightest_divisions_are_those_of_all_lines(draw, scale):
    """A third of the coordinates needs integers of more than 64 bits, and rounded angles tie."""
    rng = np.random.default_rng(1)
    for _ in range(4):
        X, positive, weights = draw(rng)
        best, sets = exact.lightest_divisions(X * scale, positive, weights)
        expected = _lightest(Sample(X * scale, positive, weights).divisions != positive, weights)
        assert best == expected[0]
        assert np.array_equal(sets, expected[1])


def test_angles_that_round_to_the_same_are_sorted_exactly():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0**25, 2.0**25 + 1], [2.0**25 + 1, 2.0**25], [3.0, 3.0]])
    assert exact._around(X)[1][0].tolist() == [3, 1, 2, 4] or exact._around(X)[2][0].sum() == 1
    positive = np.array([True, False, True, False, True])
    best, sets = exact.lightest_divisions(X, positive, np.ones(5))
    sample = Sample(X, positive, np.ones(5))
    assert best == sample.best
    assert np.array_equal(sets, np.unique(sample.sets, axis=0))


def test_sides_of_sets_that_are_nearly_in_line_are_exact():
    """Gaps far below what rounded distances can tell: the library's side, which is exact, is the same."""
    rng = np.random.default_rng(3)
    for _ in range(150):
        along = rng.normal(size=20)
        X = np.column_stack([along, 0.5 * along]) + rng.integers(-3, 4, size=(20, 2)) * 2.0**-16
        above = X @ [-0.5, 1.0] > 0.0
        if 0 < above[1:].sum() < 19:
            ahead, behind = X[1:][above[1:]], X[1:][~above[1:]]
            assert exact.side(ahead, behind, X[0]) == fat_side(ahead, behind, X[0])
