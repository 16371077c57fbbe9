"""Noisy sparse means and the trade-off, against direct computations."""

import numpy as np

from paperlib.experiments.kernel_mean import section_6_tradeoff
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.populations import gaussian_features
from paperlib.experiments.kernel_mean.section_5_best_partitions import optimal_partition
from paperlib.experiments.kernel_mean.section_6_tradeoff import (
    corollary_23_rows,
    four_pairs,
    noisy_sparse_means,
    tradeoff,
    widened_by_noise,
    worst_moves,
)
from paperlib.kernel_mean import theory

CORNERS = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])


def test_noisy_sparse_means_are_means_of_noisy_samples():
    rng = np.random.default_rng(0)
    draws = list(noisy_sparse_means(CORNERS, np.ones(4), 5000, 8, 0.3, gamma=1.0, n_draws=50, rng=rng))
    kept = np.array([each[0] for each in draws])
    # Four points with two labels in eight parts: nothing is lost, what is left is 1 - 2 noise.
    assert np.allclose(kept.mean(axis=0), 0.25 * 0.4, atol=5 * 0.0002 + 0.002)
    assert all(points <= 8 for _, points in draws)


def test_corollary_23_fails_as_printed_and_holds_scaled():
    options = {"gamma": 1.0, "delta": 0.05, "random_state": 0}
    scaled, printed = corollary_23_rows(
        "corners", CORNERS, np.ones(4), 20_000, 8, 0.3, 0.0, n_draws=20, **options
    )
    assert scaled["failures"] == 0 and printed["failures"] == 20
    assert scaled["ratio"] < 1 < printed["ratio"]
    assert np.isclose(scaled["bound"], theory.corollary_23(20_000, 8, 0.05, 0.3, 0.0))
    clean, same = corollary_23_rows("corners", CORNERS, np.ones(4), 500, 4, 0.0, 0.0, n_draws=5, **options)
    assert clean["error"] == same["error"]


BOARD = 200, 0.3


def test_the_tradeoff_spends_the_margin():
    table = tradeoff(BOARD, 20_000, [16, 200], [0.0, 0.3], 3, seed=0)
    X, weights, gamma = on_board(BOARD, seed=0)
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(-1))
    assert np.allclose(table.margin, theory.margin_for_error(np.sign(weights), K @ weights))
    assert not table.broken.any() and len(table) == 12
    errors = table.groupby(["parts", "noise"]).error.mean()
    assert errors[200, 0.0] < errors[16, 0.0] and errors[200, 0.0] < errors[200, 0.3]
    assert (table[(table.parts == 200) & (table.noise == 0)].error < table.margin[0]).all()


def test_moves_within_the_margin_lose_nothing_and_beyond_it_a_point(monkeypatch):
    assert worst_moves(BOARD, seed=0).lost.max() == 0
    true = theory.margin_for_error
    monkeypatch.setattr(theory, "margin_for_error", lambda *args: 1.01 * true(*args))
    assert worst_moves(BOARD, seed=0).lost.max() == 1 / 200


def test_noise_widens_the_parts():
    widened = widened_by_noise((300, 0.3), 16, 0.1, 5, seed=0)
    assert (widened.noisy > widened.clean).all()
    same = widened_by_noise((300, 0.3), 16, 0.0, 3, seed=0)
    # Of the same sample: D* is between them.
    assert (same.noisy <= same.clean).all() and (same.noisy >= same.clean / 2).all()


def test_the_widths_are_bounds_on_the_best_partition(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.array([1, -1, 1, 1, -1, 1, -1, -1, 1])
    monkeypatch.setattr(section_6_tradeoff, "checkerboard", lambda n, random_state: (X, y, None))
    signed = y[:, None] * gaussian_features(X, 0.5)
    for m in (2, 3, 5):
        found = widened_by_noise((9, 1.0), m, 0.0, 4, seed=m)
        best = optimal_partition(np.linalg.norm(signed[:, None] - signed, axis=-1), m)[1]
        assert (found.noisy <= best + 1e-9).all() and (found.clean >= best - 1e-9).all()


def test_four_pairs_have_parts_of_diameter_one():
    X, diameter = four_pairs()
    both = np.vstack([gaussian_features(X, 1.0), -gaussian_features(X, 1.0)])
    distances = np.linalg.norm(both[:, None] - both, axis=-1)
    assert np.isclose(np.sort(distances, axis=1)[:, 1], diameter).all()
    assert (np.sort(distances, axis=1)[:, 2] > 1.4).all()
    options = {"gamma": 1.0, "delta": 0.05, "n_draws": 20, "random_state": 0}
    scaled, _ = corollary_23_rows("pairs", X, np.ones(8), 20_000, 8, 0.3, diameter, **options)
    # Nearly all of the bound is for thinning, and without that part it would fail.
    assert 0 < scaled["ratio"] < 1 < scaled["error"] / theory.corollary_23(20_000, 8, 0.05, 0.3, 0.0)
