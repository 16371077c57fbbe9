"""The experiments that count failures, against naive twins; and that a bound that is wrong is noticed."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.kernel_mean import bound_failures, populations
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.kernel_mean import theory

RNG = np.random.default_rng


def test_a_row_counts_failures_strictly_beyond_the_bound():
    row = bound_failures.failure_row("a", "b", [1.0, 2.0, 3.0, 2.0], 2.0, expected=4.5, delta=0.05)
    assert (row["failures"], row["draws"]) == (1, 4) and row["low"] < 0.25 < row["high"]
    assert row["ratio"] == 1.5 and np.isclose(row["squared"], 1.0)
    assert bound_failures.failure_row("a", "b", [1.0, 2.0], [0.5, 3.0], delta=0.1)["failures"] == 1
    assert np.isnan(bound_failures.failure_row("a", "b", [1.0], 2.0, delta=0.1)["squared"])
    with pytest.raises(ValueError, match="number of errors"):
        bound_failures.failure_row("a", "b", [], 2.0, delta=0.1)


def test_the_ratio_is_that_of_the_error_that_a_share_of_the_draws_exceeds():
    errors = np.arange(1.0, 101.0)
    for delta, quantile in ((0.05, 95.0), (0.5, 50.0), (0.001, 100.0)):
        assert bound_failures.largest_ratio(errors, 50.0, delta) == quantile / 50
        assert (errors > quantile).mean() <= delta < (errors >= quantile).mean()
    assert bound_failures.largest_ratio([0.0, 0.0], 0.0, 0.1) == 0
    assert bound_failures.largest_ratio([1.0], 0.0, 0.1) > 1e6


def test_mean_rows_against_samples_drawn_one_by_one():
    population, n, noise = populations.random_population(5, RNG(1)), 30, 0.2
    row, learned = bound_failures.mean_rows(
        {"five": population}, [n], [noise], delta=0.1, n_draws=4000, random_state=0
    )
    rng, errors = RNG(2), []
    for _ in range(4000):
        drawn = rng.choice(5, size=n, p=population.p)
        labels = population.y[drawn] * np.where(rng.random(n) < noise, -1, 1)
        sample = (labels @ population.features[drawn]) / n / (1 - 2 * noise)
        errors.append(np.linalg.norm(population.mean() - sample))
    assert row["statement"] == "lemma-9" and row["bound"] == theory.lemma_9(n, 0.1, noise)
    assert abs(row["error"] - np.mean(errors)) < 5 * np.std(errors) * np.sqrt(2 / 4000)
    assert abs(row["squared"] - 1) < 5 * row["squared_stderr"]
    assert learned["draws"] == 100 and np.isnan(learned["squared"])
    assert abs(row["error"] - learned["error"]) < 5 * np.std(errors) / 10


@pytest.mark.parametrize("world", [populations.coin(), populations.orthonormal(7)])
def test_squared_errors_are_as_expected_without_noise_too(world):
    rows = bound_failures.mean_rows(
        {"w": world}, [5, 50], [0.0, 0.3], delta=0.1, n_draws=3000, random_state=3
    )
    assert [row["statement"] for row in rows] == ["theorem-5"] * 4 + ["lemma-9"] * 4
    assert all(abs(row["squared"] - 1) < 5 * row["squared_stderr"] for row in rows[::2])
    assert all(row["failures"] == 0 for row in rows)


def test_a_bound_that_is_too_small_fails(monkeypatch):
    monkeypatch.setattr(theory, "lemma_9", lambda n, delta, noise: 1 / np.sqrt(n))
    row, _ = bound_failures.mean_rows(
        {"coin": populations.coin()}, [100], [0.0], delta=0.05, n_draws=500, random_state=0
    )
    assert row["low"] > 0.05 and row["ratio"] > 1


def test_noisy_counts_against_their_shares():
    population, noise = populations.random_population(4, RNG(0)), 0.3
    right, wrong = bound_failures.noisy_counts(population, 50, noise, 3000, RNG(1))
    assert ((right + wrong).sum(axis=1) == 50).all()
    for found, share in ((right, 1 - noise), (wrong, noise)):
        expected = 50 * share * population.p
        assert (np.abs(found.mean(axis=0) - expected) < 5 * np.sqrt(expected / 3000)).all()


def test_kernels_row_against_a_loop():
    rng = RNG(0)
    one = populations.random_population(6, rng, gamma=0.3)
    two = one._replace(features=populations.gaussian_features(rng.normal(size=(6, 2)), 3.0))
    row = bound_failures.kernels_row([one, two], 20, delta=0.1, n_draws=200, random_state=5)
    gaps = []
    for counts in RNG(5).multinomial(20, one.p, size=200):
        worst = -np.inf
        for each in (one, two):
            w = each.mean(counts / 20)
            w /= np.linalg.norm(w)
            sample = counts / 20 @ (1 - each.y * (each.features @ w))
            worst = max(worst, each.p @ (1 - each.y * (each.features @ w)) - sample)
        gaps.append(worst)
    assert np.isclose(row["error"], np.mean(gaps)) and row["bound"] == theory.theorem_6(20, 2, 0.1)


def test_clustered_row_has_the_exact_diameter_and_the_expected_error():
    X, y, _ = checkerboard(120, random_state=0)
    weights = y * RNG(0).random(120)
    row = bound_failures.clustered_row(
        "board", X, weights, 10, gamma=3.0, delta=0.05, n_draws=1500, random_state=0
    )
    assert abs(row["squared"] - 1) < 5 * row["squared_stderr"]
    assert row["failures"] == 0
    # One part: its diameter is that of the whole signed sample.
    signed = np.sign(weights)
    K = np.exp(-3.0 * ((X[:, None] - X) ** 2).sum(-1)) * np.outer(signed, signed)
    whole = bound_failures.clustered_row(
        "board", X, weights, 1, gamma=3.0, delta=0.05, n_draws=5, random_state=0
    )
    largest = max(np.sqrt(2 - 2 * K[i, j]) for i, j in itertools.combinations(range(120), 2))
    assert np.isclose(whole["bound"], np.abs(weights).sum() * theory.theorem_21(largest, 1, 0.05))


def test_equal_points_leave_no_error():
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 4, axis=0)
    row = bound_failures.clustered_row(
        "two", X, np.full(8, 0.125), 2, gamma=1.0, delta=0.05, n_draws=3, random_state=0
    )
    assert row["error"] < 1e-7 and row["bound"] == 0


def test_tolerance_row_asks_for_what_it_checks():
    X, y, _ = checkerboard(60, random_state=0)
    row = bound_failures.tolerance_row(
        "board", X, y / 60, 0.8, gamma=3.0, delta=0.05, n_draws=5, random_state=0
    )
    assert row["bound"] == 0.8 and row["failures"] == 0 and 0 < row["error"] < 0.8


def test_the_worst_row_of_each_statement():
    rows = [
        bound_failures.failure_row(name, s, e, 1.0, delta=0.5)
        for name, s, e in [("a", "x", [0, 2]), ("a", "y", [2, 2]), ("b", "z", [0, 0])]
    ]
    worst = bound_failures.worst_rows(pd.DataFrame(rows))
    assert worst.setting.to_dict() == {"a": "y", "b": "z"}


def test_lengths_are_never_negative():
    assert bound_failures.squared_lengths(-np.eye(2), np.ones((1, 2))).tolist() == [0.0]


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_no_member_of_the_ball_is_worse_than_the_worst(noise):
    population, rng = populations.random_population(6, RNG(1)), RNG(2)
    right, wrong = bound_failures.noisy_counts(population, 40, noise, 5, rng)
    found = bound_failures.uniform_excess(population, right, wrong, noise)
    noisy = (right - wrong) / 40 / (1 - 2 * noise)
    for excess, counts in zip(found, noisy):
        gap = counts * population.y @ population.features - population.mean()
        assert np.isclose(excess, np.linalg.norm(gap))
        w = rng.normal(size=(500, gap.size))
        assert (w / np.linalg.norm(w, axis=1, keepdims=True) @ gap <= excess + 1e-12).all()


def test_a_sample_without_its_correction_breaks_the_uniform_bound(monkeypatch):
    worlds = {"twelve points": populations.random_population(12, RNG(0))}
    options = {"sizes": [500], "noise_rates": [0.4], "delta": 0.05, "n_draws": 200, "random_state": 0}
    assert bound_failures.uniform_rows(worlds, **options)[0]["ratio"] < 1
    monkeypatch.setattr(bound_failures, "flip_labels", lambda y, noise, random_state: -np.asarray(y))
    assert bound_failures.uniform_rows(worlds, **options)[0]["ratio"] > 1


def test_the_uniform_excess_of_a_sample_that_is_the_population_is_zero():
    population = populations.orthonormal(4)
    counts = np.ones((1, 4), dtype=int)
    assert bound_failures.uniform_excess(population, counts, 0 * counts, 0.0).tolist() == [0.0]
