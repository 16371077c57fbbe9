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
    ratios = section_5_best_partitions.small_sample_ratios(12, random_state=3)
    assert len(ratios) == 15 and (ratios.max() <= 1 + 1e-9).all()
    assert (ratios["section-6.immune"] == 0).all() and (ratios["section-6.signed"] == 0).all()
    gaps = section_5_best_partitions.theorem_20_gaps(5, np.random.default_rng(0))
    assert np.allclose(gaps.plain, gaps.bound, atol=1e-12) and (gaps.least >= gaps.bound - 1e-12).all()


def test_tight_samples_attain_their_bounds():
    rng = np.random.default_rng(0)
    line, orthonormal, crossed = (
        section_5_best_partitions._ratios(points, m, first, 0.05, rng)
        for points, m, first in section_5_best_partitions.tight_samples()
    )
    assert line["section-5.2.greedy"] == 1
    assert np.isclose(orthonormal["section-5.5.2"], 1) and np.isclose(crossed["section-5.5.3"], 1)


def test_as_printed_a_part_too_many_is_left():
    points = np.random.default_rng(0).normal(size=(30, 2))
    parts = [section_5_best_partitions.printed_partition(points, m) for m in (1, 4, 9)]
    assert [len(set(part.tolist())) for part in parts] == [2, 5, 10]
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    assert diameter(distances, parts[2]) < diameter(distances, parts[1]) < diameter(distances, parts[0])


def test_a_part_too_many_gives_no_point_too_many():
    rng = np.random.default_rng(0)
    assert section_5_best_partitions.printed_support(8, 20, rng) == 16
    # Whatever the weights: sum of ceil(alpha m) over m + 1 parts.
    for m in (4, 16):
        weights = rng.dirichlet(np.full(m + 1, 0.3), size=2000)
        assert np.ceil(weights * m - 1e-9).sum(axis=1).max() <= 2 * m


def test_the_guarantee_of_algorithm_1_is_tried_on_each_sample_by_itself(monkeypatch):
    monkeypatch.setattr(section_5_best_partitions, "clustered_draws", lambda alpha, part, m, rng: 4 * alpha)
    ratios = section_5_best_partitions.small_sample_ratios(6, random_state=0)["algorithm-1.result"]
    assert len(ratios) == 9 and ratios.max() > 1
