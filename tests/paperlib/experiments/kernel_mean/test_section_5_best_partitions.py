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
    ratios = section_5_best_partitions.small_sample_ratios(12, seed=3).drop(columns=["m", "draws"])
    assert ratios["sample"].value_counts().to_dict() == {
        "tight": 6, "wide": 6, "line": 1, "orthonormal": 1, "crossed": 1
    }  # fmt: skip
    assert (ratios.drop(columns="sample").max() <= 1 + 1e-9).all()
    assert (ratios["section-6.immune"] == 0).all() and (ratios["section-6.signed"] == 0).all()
    gaps = section_5_best_partitions.theorem_20_errors(5, 1000, seed=0)
    assert np.allclose(gaps.plain, gaps.bound, atol=1e-12) and (gaps.least >= gaps.bound - 1e-12).all()


def test_tight_samples_attain_their_bounds():
    rng = np.random.default_rng(0)
    line, orthonormal, crossed = (
        section_5_best_partitions._ratios(points, m, first, 0.05, rng)
        for points, m, first in section_5_best_partitions.tight_samples().values()
    )
    assert line["section-5.2.greedy"] == 1
    assert np.isclose(orthonormal["section-5.5.2"], 1) and np.isclose(crossed["section-5.5.3"], 1)


def test_as_printed_a_part_too_many_is_left():
    counts = section_5_best_partitions.part_counts((200, 0.3, 0.4), 16, seed=0)
    assert counts.parts.tolist() == [17, 16]
    points = np.random.default_rng(0).normal(size=(30, 2))
    parts = [section_5_best_partitions.printed_partition(points, m) for m in (1, 4, 9)]
    assert [len(set(part.tolist())) for part in parts] == [2, 5, 10]
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    assert diameter(distances, parts[2]) < diameter(distances, parts[1]) < diameter(distances, parts[0])


def test_a_part_too_many_gives_no_point_too_many():
    rng = np.random.default_rng(0)
    supports = section_5_best_partitions.largest_supports(8, 20, seed=0).groupby("loop")
    assert supports.points.max().tolist() == [15, 16] and supports.allowed.min().tolist() == [16, 16]
    # Whatever the weights: sum of ceil(alpha m) over m + 1 parts.
    for m in (4, 16):
        weights = rng.dirichlet(np.full(m + 1, 0.3), size=2000)
        assert np.ceil(weights * m - 1e-9).sum(axis=1).max() <= 2 * m


def test_algorithm_2_reads_three_names_before_they_are_set():
    code = section_5_best_partitions.pseudo_code((100, 0.3, 0.4), 16, 0.05, seed=0)
    assert code.unset.tolist() == [3, 0] and code.parts.nunique() == 1
    # From what is meant it stops as soon as the diameter that it reads is small enough for k parts.
    distances = np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0)))
    for tol in (3.0, 8.0, 100.0):
        names = section_5_best_partitions.Names({"d": np.inf, "k": 1, "epsilon": tol, "delta": 0.5}, {})
        centres = section_5_best_partitions.algorithm_2(distances, names)
        assert names["k"] == len(centres) > 1 and not names.unset
        nearest = [distances[centres[:k]].min(axis=0).max() for k in range(1, len(centres))]
        bounds = [2 * d * (1 + np.sqrt(np.log(2))) / np.sqrt(k + 1) for k, d in enumerate(nearest, 1)]
        assert bounds[-1] <= tol and all(each > tol for each in bounds[:-1])


def test_the_guarantee_of_algorithm_1_is_tried_on_each_sample_by_itself(monkeypatch):
    monkeypatch.setattr(section_5_best_partitions, "clustered_draws", lambda alpha, part, m, rng: 4 * alpha)
    ratios = section_5_best_partitions.small_sample_ratios(6, seed=0)["algorithm-1.result"]
    assert len(ratios) == 9 and ratios.max() > 1
