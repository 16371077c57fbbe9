"""The best partition of a few points, against all of them."""

import itertools

import numpy as np
import pytest

from paperlib.experiments.kernel_mean import section_5_best_partitions


def diameter(distances, part):
    return max(distances[np.ix_(part == i, part == i)].max() for i in set(part.tolist()))


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_best_partition_against_all_of_them(m):
    rng = np.random.default_rng(m)
    for case in range(8):
        X = rng.integers(3, size=(5, 2)).astype(float) if case % 2 else rng.normal(size=(5, 2))
        distances = np.linalg.norm(X[:, None] - X, axis=-1)
        part, found = section_5_best_partitions.optimal_partition(distances, m)
        best = min(diameter(distances, np.array(p)) for p in itertools.product(range(m), repeat=5))
        assert found == best == diameter(distances, part) and len(set(part.tolist())) <= m


def test_one_point_and_equal_points_have_no_diameter():
    assert section_5_best_partitions.optimal_partition(np.zeros((1, 1)), 1)[1] == 0
    assert section_5_best_partitions.optimal_partition(np.zeros((4, 4)), 2)[1] == 0


def test_statements_about_the_best_partition():
    excess = section_5_best_partitions.small_sample_excesses(9, random_state=3)
    assert (excess.max() <= 1e-9).all()
    assert (excess["section-6.immune"] == 0).all() and (excess["section-6.signed"] < 0).any()
    gaps = section_5_best_partitions.theorem_20_gaps(5, np.random.default_rng(0))
    assert np.allclose(gaps.plain, gaps.bound, atol=1e-12) and (gaps.least >= gaps.bound - 1e-12).all()
