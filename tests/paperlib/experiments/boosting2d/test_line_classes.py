"""Lines, by definition."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d.line_classes import dichotomies, distinct, line_classes, misclassified


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_points_in_general_position_are_divided_in_as_many_ways_as_there_are(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    assert len(line_classes(X, 0)) == max(4 * n - 4, 2)
    assert len(dichotomies(X)) == n * (n - 1) + 2


def test_points_on_a_line_through_the_centre_are_on_it():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [-2.0, -2.0], [0.0, 0.0], [1.0, 0.0]])
    on_it = {tuple(np.flatnonzero(row == 0).tolist()) for row in line_classes(X, 0)}
    assert on_it == {(0, 3), (0, 3, 4), (0, 1, 2, 3)}


def test_who_is_spared_on_the_line():
    sides, positive = np.array([0, 0, 1, -1]), np.array([True, False, False, True])
    assert misclassified(sides, positive).tolist() == [True, True, True, True]
    assert misclassified(sides, positive, True).tolist() == [False, True, True, True]
    assert misclassified(sides, positive, False).tolist() == [True, False, True, True]


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (40, 3), (500, 9), (30, 62)])
def test_distinct_rows_are_those_of_numpy(shape):
    rows = np.random.default_rng(0).random(shape) < 0.5
    rows = np.concatenate([rows, rows[: shape[0] // 2]])
    np.testing.assert_array_equal(distinct(rows), np.unique(rows, axis=0))
