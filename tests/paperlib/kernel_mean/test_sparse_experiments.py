"""Error curves, subsets, parallel means and the trade-off, against direct computations."""

import itertools

import numpy as np
import pytest

from paperlib.kernel_mean import bound_experiments, checkerboard, noisy_sparse, sparse_experiments, theory
from paperlib.kernel_mean.noise import margin_for_error

CORNERS = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])


def test_error_curves_end_where_every_point_is_kept():
    X, y, _ = checkerboard(40, random_state=0)
    curves = sparse_experiments.error_curves(X, y / 40, [4, 40], gamma=5.0, n_seeds=2, random_state=0)
    assert curves.groupby("method").size().to_dict() == {
        "clustered": 4, "random": 4, "herding": 2, "project": 4, "Nyström": 4, "k-means": 4
    }  # fmt: skip
    assert (curves.points <= curves["size"]).all()
    errors = curves.groupby(["method", "size"]).error.mean()
    for method in ("project", "Nyström", "k-means"):
        assert errors[method, 40] < 1e-6 < errors[method, 4] <= 1 + 1e-12
    assert errors["clustered", 40] < errors["clustered", 4]


@pytest.mark.parametrize("sizes, words", [([3], "must be even, got 3"), ([50], ">= 2 and <= 40")])
def test_sizes_that_make_no_sense(sizes, words):
    X, y, _ = checkerboard(40, random_state=0)
    with pytest.raises(ValueError, match=words):
        sparse_experiments.error_curves(X, y / 40, sizes, gamma=5.0, n_seeds=1)


def test_subsets_count_what_was_missed():
    trials = sparse_experiments.subset_success(300, 16, gamma=5.0, n_seeds=10, random_state=0)
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
    assert np.isclose(sparse_experiments.chance_of_missing(sizes, draws), probability @ missed)
    assert sparse_experiments.chance_of_missing([3], 1) == 0
    assert sparse_experiments.chance_of_missing([3, 3], 1) == 1
    with pytest.raises(ValueError, match="number of clusters"):
        sparse_experiments.chance_of_missing(np.ones(17), 3)


def test_parallel_means_keep_lemma_22_and_may_be_dense():
    X, y, _ = checkerboard(120, random_state=0)
    excess = sparse_experiments.parallel_excesses(
        X, y / 120, 4, gamma=5.0, n_groups=3, n_draws=8, random_state=0
    )
    assert len(excess) == 8 and (excess <= 1e-12).all() and excess.min() > -1
    assert sparse_experiments.two_chunks(False) == (4, 0.0)
    assert sparse_experiments.two_chunks(True) == (2, 0.0)


def test_noisy_sparse_means_are_means_of_noisy_samples():
    rng = np.random.default_rng(0)
    draws = list(
        noisy_sparse.noisy_sparse_means(CORNERS, np.ones(4), 5000, 8, 0.3, gamma=1.0, n_draws=50, rng=rng)
    )
    kept = np.array([each[0] for each in draws])
    # Four points with two labels in eight parts: nothing is lost, what is left is 1 - 2 noise.
    assert np.allclose(kept.mean(axis=0), 0.25 * 0.4, atol=5 * 0.0002 + 0.002)
    assert all(points <= 8 and diameter < 1e-7 for _, points, diameter in draws)


def test_corollary_23_fails_as_printed_and_holds_scaled():
    scaled, printed = noisy_sparse.corollary_23_rows(
        "corners", CORNERS, np.ones(4), 20_000, 8, 0.3, gamma=1.0, delta=0.05, n_draws=20, random_state=0
    )
    assert scaled["failures"] == 0 and printed["failures"] == 20
    assert np.isclose(scaled["bound"], theory.corollary_23(20_000, 8, 0.05, 0.3, 0.0))
    clean, same = noisy_sparse.corollary_23_rows(
        "corners", CORNERS, np.ones(4), 500, 4, 0.0, gamma=1.0, delta=0.05, n_draws=5, random_state=0
    )
    assert clean["error"] == same["error"]


def test_the_tradeoff_spends_the_margin():
    X, y, _ = checkerboard(200, random_state=0)
    table, margin = noisy_sparse.tradeoff(
        X, y, 20_000, [16, 200], [0.0, 0.3], gamma=5.0, n_draws=3, random_state=0
    )
    K = np.exp(-5.0 * ((X[:, None] - X) ** 2).sum(-1))
    assert np.isclose(margin, margin_for_error(y, K @ y / 200))
    assert (table.broken == 0).all() and len(table) == 4
    errors = table.set_index(["parts", "noise"]).error
    assert errors[200, 0.0] < errors[16, 0.0] and errors[200, 0.0] < errors[200, 0.3]
    assert table.set_index(["parts", "noise"]).within[200, 0.0] == 1


def test_noise_widens_the_parts():
    X, y, _ = checkerboard(300, random_state=0)
    assert (noisy_sparse.noisy_radii(X, y, 16, 0.1, gamma=5.0, n_draws=5, random_state=0) > 0).all()
    assert (noisy_sparse.noisy_radii(X, y, 16, 0.0, gamma=5.0, n_draws=3, random_state=0) == 0).all()


def test_lengths_are_never_negative():
    assert bound_experiments.squared_lengths(-np.eye(2), np.ones((1, 2))).tolist() == [0.0]
