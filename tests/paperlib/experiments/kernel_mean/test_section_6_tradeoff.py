"""Noisy sparse means and the trade-off, against direct computations."""

import numpy as np

from paperlib.experiments.kernel_mean import section_7_1_checkerboard
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.populations import gaussian_features
from paperlib.experiments.kernel_mean.section_5_best_partitions import optimal_partition
from paperlib.experiments.kernel_mean.section_6_tradeoff import (
    budget,
    corollary_23_rows,
    four_pairs,
    noisy_sample,
    thinned,
    tradeoff,
    widened_by_noise,
    worst_moves,
)
from paperlib.kernel_mean import theory

CORNERS = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])


def test_what_is_spent_are_means_of_noisy_samples():
    rng, y = np.random.default_rng(0), np.ones(4)
    spent = [thinned(CORNERS, y, noisy_sample(y, 5000, 0.3, rng), 8, gamma=1.0, rng=rng) for _ in range(50)]
    # Four points with two labels in eight parts: nothing is lost, what is left is 1 - 2 noise.
    for each in spent:
        assert np.allclose(each.sparse, each.noisy, atol=0.002) and len(each.kept.support) <= 8
        assert np.isclose(each.clean.sum(), 1)
    assert np.allclose(np.mean([each.noisy for each in spent], axis=0), 0.25 * 0.4, atol=5 * 0.002)
    assert np.allclose(np.mean([each.clean for each in spent], axis=0), 0.25, atol=5 * 0.001)


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


BOARD = 200, 0.3, 0.4


def test_the_tradeoff_spends_the_margin():
    table = tradeoff(BOARD, 20_000, [16, 200], [0.0, 0.3], 3, seed=0)
    X, weights, gamma = on_board(BOARD, seed=0)
    K = np.exp(-gamma * ((X[:, None] - X) ** 2).sum(-1))
    assert np.allclose(table.margin, theory.margin_for_error(np.sign(weights), K @ weights))
    assert not table.broken.any() and len(table) == 12
    assert (table.error <= table[["statistical", "noise", "sparsity"]].sum(axis=1) + 1e-12).all()
    assert (table.noise[table.sigma == 0] < 1e-7).all() and (table.noise[table.sigma > 0] > 1e-3).all()
    errors = table.groupby(["parts", "sigma"]).error.mean()
    assert errors[200, 0.0] < errors[16, 0.0] and errors[200, 0.0] < errors[200, 0.3]
    assert (table[(table.parts == 200) & (table.sigma == 0)].error < table.margin[0]).all()


def test_the_budget_is_of_one_sample():
    found = budget(BOARD, 2000, 0.2, [8, 32], 32, seed=1)
    assert found.errors.parts.tolist() == [8, 32] and found.errors.statistical.nunique() == 1
    assert found.errors.sparsity[1] < found.errors.sparsity[0]
    assert len(found.kept) == found.errors.points[1] and found.scores.shape == (41 * 41,)


def test_moves_within_the_margin_lose_nothing_and_beyond_it_a_point(monkeypatch):
    assert worst_moves(BOARD, seed=0).lost.max() == 0
    true = theory.margin_for_error
    monkeypatch.setattr(theory, "margin_for_error", lambda *args: 1.01 * true(*args))
    assert worst_moves(BOARD, seed=0).lost.max() == 1 / 200


def test_noise_widens_the_parts():
    widened = widened_by_noise((300, 0.3, 0.4), 16, 0.1, 5, seed=0)
    assert (widened.noisy > widened.clean).all()
    same = widened_by_noise((300, 0.3, 0.4), 16, 0.0, 3, seed=0)
    # Of the same sample: D* is between them.
    assert (same.noisy <= same.clean).all() and (same.noisy >= same.clean / 2).all()


def test_the_widths_are_bounds_on_the_best_partition(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(9, 2)), np.array([1, -1, 1, 1, -1, 1, -1, -1, 1])
    monkeypatch.setattr(
        section_7_1_checkerboard, "checkerboard", lambda n, spread, random_state: (X, y, None)
    )
    signed = y[:, None] * gaussian_features(X, 0.5)
    for m in (2, 3, 5):
        found = widened_by_noise((9, 1.0, 0.4), m, 0.0, 4, seed=m)
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
