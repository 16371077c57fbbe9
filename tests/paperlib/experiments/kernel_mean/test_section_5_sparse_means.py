"""Error curves, subsets and parallel means, against direct computations."""

import numpy as np
import pytest

from paperlib.experiments.kernel_mean import section_5_sparse_means
from paperlib.experiments.kernel_mean.samples import checkerboard


def test_error_curves_end_where_every_point_is_kept():
    X, y, _ = checkerboard(40, random_state=0)
    curves = section_5_sparse_means.curves_of((X, y / 40, 5.0), [4, 40], 2, np.random.default_rng(0))
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
        section_5_sparse_means.curves_of((X, y / 40, 5.0), sizes, 1, np.random.default_rng(0))


def test_errors_of_random_draws_fall_like_a_root():
    draws = section_5_sparse_means.random_draws((400, 0.3, 0.4), [4, 64], 60, seed=0)
    errors = draws.pivot(index="draw", columns="size", values="error")
    slopes = np.log(errors[64] / errors[4]) / np.log(16)
    assert abs(slopes.mean() + 0.5) < 5 * slopes.std() / np.sqrt(60) + 0.01


def test_parallel_means_keep_lemma_22_and_may_be_dense():
    ratios = section_5_sparse_means.parallel_means((120, 0.3, 0.4), 0.5, 3, 8, seed=0)[["chunks", "total"]]
    assert len(ratios) == 8 and (ratios <= 1 + 1e-12).all(axis=None) and (ratios.max() > 0.01).all()
    rounds = section_5_sparse_means.two_rounds()
    assert rounds.points.tolist() == [4, 2] and rounds.error.tolist() == [0.0, 0.0]


def test_algorithm_1_asks_for_fewer_values_of_the_kernel_than_herding():
    values = section_5_sparse_means.kernel_values
    assert values("farthest_first", 200, 7, random_state=0) == 200 * 7 + 200
    assert values("herding", 200, 7, random_state=0) >= 200**2 + 7 * 200
    counts = section_5_sparse_means.kernel_value_counts(seed=0).set_index(["method", "m", "n"])["values"]
    assert counts["farthest_first", 64, 250] == 250 * 64 + 250 and len(counts) == 16
