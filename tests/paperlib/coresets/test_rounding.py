"""Tests of decisions that the last bit of a number must not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperlib._common.rounding import TIED, ascending, first_smallest
from paperlib.coresets import CoresetSVC, OutlierCoresetSVC
from paperlib.coresets._search.rows import smallest
from paperlib.coresets._solver.coresets import required
from paperlib.experiments.coresets import samples

# Whole multiples of 1e-3, so that what is not equal is far from tied.
values = st.lists(st.integers(-5, 5).map(lambda k: k * 1e-3), min_size=1, max_size=12)


def nudged(numbers, seed):
    """The numbers as another processor may have rounded them."""
    numbers = np.array(numbers)
    return numbers + 1e-15 * np.abs(numbers).max() * np.random.default_rng(seed).choice(
        [-1, 0, 1], len(numbers)
    )


@given(values, st.integers(0, 99))
def test_ties_come_in_order_of_position(numbers, seed):
    in_order = sorted(range(len(numbers)), key=lambda i: (numbers[i], i))
    for each in (np.array(numbers), nudged(numbers, seed)):
        assert ascending(each, 5e-3).tolist() == in_order
        assert first_smallest(each, 5e-3) == in_order[0]


@given(values, st.integers(0, 99), st.integers(1, 12), st.sampled_from([np.inf, 2e-3]))
def test_the_smallest_margins_are_the_same_after_rounding(numbers, seed, count, ceiling):
    in_order = sorted((i for i, x in enumerate(numbers) if x <= ceiling), key=lambda i: (numbers[i], i))
    found = smallest(np.array(numbers), count, ceiling * (1 + 1e-9))
    assert found.tolist() == in_order[:count]
    assert smallest(nudged(numbers, seed), count, ceiling * (1 + 1e-9)).tolist() == in_order[:count]


def test_infinite_margins_are_the_last():
    assert first_smallest(np.array([np.inf, 2.0, 1.0, np.inf])) == 2
    assert first_smallest(np.array([np.inf, np.inf])) == 0
    assert ascending(np.array([np.inf, 2.0, np.inf, -1.0])).tolist() == [3, 1, 0, 2]
    assert ascending(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("far", [1e6, 1e10])
def test_a_far_point_does_not_make_near_ones_equal(far):
    """Two margins are tied at the scale of the decision, not at that of the largest number in the data."""
    values = np.array([1.0000001, 1.0, 2.0, far, -1e-3])
    assert first_smallest(values[:4]) == 1
    assert ascending(values).tolist() == [4, 1, 0, 2, 3]
    points = np.array([[1.0000001, 0.0], [1.0, 0.0], [2.0, 0.0], [far, 0.0], [far, 0.0]])
    y = np.array([1, 1, -1, 1, -1])
    for method in ("exhaustive", "doubling", "branch"):
        fit = OutlierCoresetSVC(1, 0.1, method=method).fit(y[:, None] * points, y)
        assert fit.outlier_indices_.tolist() == [1]
        assert np.delete(points @ fit.coef_[0], 1).min() >= fit.margin_ * (1 - 1e-11)


def test_numbers_too_small_to_divide_are_compared_as_they_are():
    assert first_smallest(np.array([3e-320, 1e-320, 2e-320])) == 1
    assert ascending(np.zeros(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("margin", [1e-150, 1.0, 1e150])
def test_what_is_short_by_rounding_is_enough(margin):
    for eps in (0.02, 0.1, 0.5):
        assert (1 - eps) * margin * (1 - 1e-14) >= required(margin, eps)
        assert (1 - eps) * margin * (1 - 3 * TIED) < required(margin, eps)


@pytest.mark.parametrize("selection", ["worst", "first", "batch"])
def test_a_coreset_at_the_very_edge_of_its_guarantee(selection):
    """Of the star with R = 2 rho, k = 12 points have a margin of exactly 1 - 0.2 of what they leave."""
    X, y = samples.star(700, 2.0)
    sizes = set()
    for seed in range(5):
        rounded = X * (1 + 1e-15 * np.random.default_rng(seed).choice([-1, 0, 1], X.shape))
        fit = CoresetSVC(0.2, selection=selection, random_state=0).fit(rounded, y)
        sizes.add(tuple(fit.coreset_indices_))
    assert len(sizes) == 1
    if selection != "batch":
        assert len(sizes.pop()) == 12
