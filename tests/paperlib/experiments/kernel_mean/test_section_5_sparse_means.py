"""Error curves, subsets and parallel means, against direct computations."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.kernel_mean import section_5_sparse_means
from paperlib.experiments.kernel_mean.samples import checkerboard


def test_error_curves_end_where_every_point_is_kept():
    X, y, _ = checkerboard(40, random_state=0)
    curves = section_5_sparse_means.error_curves(X, y / 40, [4, 40], gamma=5.0, n_seeds=2, random_state=0)
    assert curves.groupby("method").size().to_dict() == {
        "clustered": 4, "random": 4, "herding": 2, "project": 4, "Nyström": 4, "k-means": 4
    }  # fmt: skip
    assert (curves.points <= curves["size"]).all()
    errors = curves.groupby(["method", "size"]).error.mean()
    for method in ("project", "Nyström", "k-means"):
        assert errors[method, 40] < 1e-6 < errors[method, 4] <= 1 + 1e-12
    assert errors["clustered", 40] < errors["clustered", 4]


@pytest.mark.parametrize("sizes, words", [([1], ">= 2 and <= 40"), ([50], ">= 2 and <= 40")])
def test_sizes_that_make_no_sense(sizes, words):
    X, y, _ = checkerboard(40, random_state=0)
    with pytest.raises(ValueError, match=words):
        section_5_sparse_means.error_curves(X, y / 40, sizes, gamma=5.0, n_seeds=1)


def test_subsets_count_what_was_missed():
    trials = section_5_sparse_means.subset_success(300, 16, gamma=5.0, n_seeds=10, random_state=0)
    clustered, random, herded = (trials[trials.method == m] for m in ("clustered", "random", "herding"))
    assert len(clustered) == len(random) == len(herded) == 10
    assert (clustered.missed == 0).all() and (clustered.zero_one == 0).all()
    assert (trials.points <= 32).all() and (random.missed > 0).mean() > 0.5
    assert (random.zero_one[random.missed > 0] > 0).all()
    assert herded.error.mean() < clustered.error.mean() < random.error.mean()


def test_the_chance_of_missing_a_cluster_against_all_sequences_of_draws():
    sizes, draws = np.array([1, 2, 4]), 5
    sequences = np.array(list(itertools.product(range(3), repeat=draws)))
    probability = (sizes / 7)[sequences].prod(axis=1)
    missed = np.array([len(set(row)) < 3 for row in sequences.tolist()])
    assert np.isclose(section_5_sparse_means.chance_of_missing(sizes, draws), probability @ missed)
    assert section_5_sparse_means.chance_of_missing([3], 1) == 0
    assert section_5_sparse_means.chance_of_missing([3, 3], 1) == 1
    with pytest.raises(ValueError, match="number of clusters"):
        section_5_sparse_means.chance_of_missing(np.ones(17), 3)


def test_random_subsets_miss_clusters_as_often_as_they_should():
    boards = section_5_sparse_means.random_misses(300, 32, n_boards=20, n_draws=30, random_state=0)
    off = boards.missed - boards.chance
    assert abs(off.mean()) < 5 * off.std() / np.sqrt(20) and (boards.chance > 0.8).all()


def test_random_exponents_are_those_of_errors_that_fall_like_a_root():
    X, y, _ = checkerboard(400, random_state=0)
    slopes = section_5_sparse_means.random_exponents(
        X, y / 400, [4, 16, 64], gamma=5.0, n_draws=60, random_state=0
    )
    assert slopes.shape == (60,) and abs(slopes.mean() + 0.5) < 5 * slopes.std() / np.sqrt(60) + 0.01


def test_herding_falls_like_one_over_k_inside_the_hull(monkeypatch):
    sizes = [8, 32, 128]
    found = section_5_sparse_means.herding_exponents(sizes, n_samples=15, random_state=0)
    assert found.shape == (15,) and abs(found.mean() + 1) < 5 * found.std() / np.sqrt(15) + 0.05
    true = section_5_sparse_means.sparsify
    monkeypatch.setattr(
        section_5_sparse_means, "sparsify", lambda *args, **given: true(*args, **given | {"method": "random"})
    )
    slow = section_5_sparse_means.herding_exponents(sizes, n_samples=15, random_state=0)
    assert slow.mean() > -0.7


def test_how_far_herding_is_ahead():
    rows = [
        ("a", "clustered", 8, 2.0),
        ("a", "clustered", 8, 8.0),
        ("a", "herding", 8, 1.0),
        ("a", "random", 8, 9.0),
    ]
    rows += [("b", "clustered", 4, 1.0), ("b", "clustered", 4, 1.0), ("b", "herding", 4, 1.0)]
    curves = pd.DataFrame(rows, columns=["data", "method", "size", "error"])
    ahead, stderr = section_5_sparse_means.herding_ahead(curves)
    assert np.isclose(ahead, -np.log(4) / 2)  # the geometric mean of 2 and 8 is 4
    assert np.isclose(stderr, np.log(4) / 2 / 2)


def test_parallel_means_keep_lemma_22_and_may_be_dense():
    X, y, _ = checkerboard(120, random_state=0)
    ratios = section_5_sparse_means.parallel_ratios(
        X, y / 120, 0.5, gamma=5.0, n_chunks=3, n_draws=8, random_state=0
    )
    assert len(ratios) == 8 and (ratios <= 1 + 1e-12).all(axis=None) and (ratios.max() > 0.01).all()
    assert section_5_sparse_means.two_chunks(False) == (4, 0.0)
    assert section_5_sparse_means.two_chunks(True) == (2, 0.0)


def test_algorithm_1_asks_for_fewer_values_of_the_kernel_than_herding():
    values = section_5_sparse_means.kernel_values
    assert values("farthest_first", 200, 7, random_state=0) == 200 * 7 + 200
    assert values("herding", 200, 7, random_state=0) >= 200**2 + 7 * 200
    growth = section_5_sparse_means.growth_of_kernel_values
    assert np.isclose(growth("farthest_first", (100, 200), 5, random_state=0), 1.0)
    assert growth("herding", (100, 200), 5, random_state=0) > 1.8
