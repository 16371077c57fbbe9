"""Bounds of Sections 3 to 5, against runs and against each other."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.coresets import CoresetSVC, theory
from paperlib.coresets._solver.hull import min_norm_point
from paperlib.coresets._solver.working_set import WorkingSet
from tests.paperlib.coresets.helpers import best_margin, pool


def sample(seed, n=300, d=4, gap=0.1):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d)) * rng.uniform(0.2, 3, size=d)
    y = np.where(X @ w > 0, 1, -1)
    return X + gap * y[:, None] * w, y


@pytest.mark.parametrize("selection", ["worst", "first", "batch"])
@pytest.mark.parametrize("eps", [0.5, 0.1, 0.01])
def test_measured_sizes_and_decreases_respect_the_bounds(selection, eps):
    for seed in range(6):
        X, y = sample(seed)
        clf = CoresetSVC(eps, selection=selection).fit(X, y)
        R, best = np.linalg.norm(X, axis=1).max(), CoresetSVC(1e-9).fit(X, y).margin_
        size = len(clf.coreset_indices_)
        assert size <= theory.corollary_3_2(R, best, eps)
        if selection == "worst":
            assert size == clf.n_iter_ <= theory.lemma_3_1(R, best, eps)
        before, after = clf.margin_path_[:-1], clf.margin_path_[1:]
        violations = before - clf.added_margin_path_
        for rho, next_rho, alpha in zip(before, after, violations):
            assert alpha >= 0.2 * eps * rho
            assert next_rho <= theory.equation_1_sharp(rho, alpha, R) * (1 + 1e-12)
            assert theory.equation_1_sharp(rho, alpha, R) <= theory.equation_1(rho, alpha, R) * (1 + 1e-12)


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, np.pi))
@settings(max_examples=300)
def test_one_step_on_two_points(margin, length, share, angle):
    """The exact distance of a segment, for any point that may join."""
    x = np.array([margin, 0.0])
    z = length * np.array([np.cos(angle), np.sin(angle)])
    alpha = margin - z[0]
    if alpha <= 1e-9:
        return
    t = np.clip(x @ (x - z) / ((x - z) @ (x - z)), 0, 1)
    exact = np.linalg.norm(x + t * (z - x))
    assert exact <= theory.equation_1_sharp(margin, alpha, 1.0) + 1e-12
    assert theory.equation_1_sharp(margin, alpha, 1.0) <= theory.equation_1(margin, alpha, 1.0) + 1e-12


def steps_of_the_slowest_run(best, least_violation, bound):
    """Steps until a margin of one, which falls as Equation 1 says, is the best; past the bound it stops."""
    margin, steps = 1.0, 0
    while margin > best and steps <= bound:
        margin, steps = theory.equation_1(margin, least_violation(margin), 1.0), steps + 1
    return steps


@pytest.mark.drawn(2)
@pytest.mark.parametrize("eps", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("ratio", [1.0, 3.0, 10.0])
def test_the_slowest_run_that_equation_1_allows_ends_within_lemma_3_1(ratio, eps):
    best, bound = 1.0 / ratio, theory.lemma_3_1(1.0, 1.0 / ratio, eps)
    assert steps_of_the_slowest_run(best, lambda m: max(eps * m, m - best), bound) <= bound


# Ratio 10 at eps = 0.01 would take four million steps, half a minute of Python.
@pytest.mark.slow
@pytest.mark.parametrize("ratio, eps", [*product([1.0, 3.0, 10.0], [0.03, 0.1, 0.5]), (3.0, 0.01)])
def test_the_slowest_run_that_equation_1_allows_ends_within_corollary_3_2(ratio, eps):
    bound = theory.corollary_3_2(1.0, 1.0 / ratio, eps)
    assert steps_of_the_slowest_run(1.0 / ratio, lambda m: eps * m, bound) <= bound


def test_lemma_4_1_finds_a_rare_mistake_and_the_other_reading_of_it_does_not():
    rng = np.random.default_rng(0)
    error, delta, trials = 0.01, 0.1, 4000
    enough = theory.draws_per_hypothesis(error, delta, 2)
    misses = (rng.random((trials, enough)) < error).sum(axis=1) == 0
    assert misses.mean() <= delta / 2 + 3 * math.sqrt(delta / trials)
    literal = math.ceil(math.log(1 / delta))  # M / error * ln M + ln(1 / delta) at M = 1
    misses = (rng.random((trials, literal)) < error).sum(axis=1) == 0
    assert misses.mean() > 9 * delta


def test_corollary_3_2_one_step():
    """1 / rho^2 rises by eps^2 / (4 R^2) whenever a violated point is added."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        Z = rng.normal(size=(3, 3)) + np.array([1.5, 0, 0])
        z = rng.normal(size=3)
        before = min_norm_point(Z, np.zeros(3))[0]
        rho = np.linalg.norm(before)
        after = best_margin(np.vstack([Z, z]))
        if rho == 0 or after == 0 or (gap := 1 - z @ before / rho**2) <= 0:
            continue
        R = max(np.linalg.norm(Z, axis=1).max(), np.linalg.norm(z))
        assert 1 / after**2 >= 1 / rho**2 + gap**2 / (4 * R**2) - 1e-9 / after**2


@pytest.mark.parametrize("seed", range(10))
def test_lemma_5_2_size_bounds_the_coreset_of_the_worst_point(seed):
    X, y = pool(300, 4, 0.1, seed)
    Z = y[:, None] * X
    for eps in (0.5, 0.1, 0.01):
        work = WorkingSet(4)
        work.add(Z[0])
        while True:
            work.solve()
            margins = Z @ work.normal
            if margins.min() >= (1 - eps) * work.margin:
                break
            work.add(Z[margins.argmin()])
        ratio = np.linalg.norm(Z, axis=1).max() / best_margin(Z)
        assert len(work) <= theory.lemma_5_2_size(ratio, eps)
        inverse = theory.lemma_5_2_ratio(theory.lemma_5_2_size(ratio, eps) + 1, eps)
        assert inverse >= ratio * 0.999


def test_lemma_4_2_is_the_sum_of_its_rounds():
    for ratio, eps in [(1.0, 0.5), (1.5, 0.3), (3.0, 0.2)]:
        size = theory.corollary_3_2(ratio, 1.0, eps)
        total = size + sum(theory.draws_of_round(i, 0.05, 0.01) for i in range(1, size + 1))
        assert total <= theory.lemma_4_2(ratio, eps, 0.05, 0.01) <= total + size


SHARES, WHOLE, ABOVE = (
    (0, 1, -0.5, np.nan, "a", None),
    (-1, 1.5, np.nan, "a", None),
    (0, -1, np.nan, np.inf, "a"),
)
RANGES = {
    theory.equation_1: (
        {"margin": 1.0, "violation": 0.5, "radius": 2.0},
        {
            "margin": (np.inf, -0.1, 1j, "a", None),
            "violation": (1e101, np.nan, [1j]),
            "radius": (*ABOVE, 1e-300),
        },
    ),
    theory.equation_1_sharp: ({"margin": 1.0, "violation": 0.5, "radius": 2.0}, {"margin": (3.0, np.nan)}),
    theory.lemma_3_1: (
        {"radius": 2.0, "margin": 1.0, "eps": 0.1},
        {"radius": (*ABOVE, 1e300), "margin": ABOVE},
    ),
    theory.corollary_3_2: (
        {"radius": 2.0, "margin": 1.0, "eps": 0.1},
        {"radius": (*ABOVE, 1e300), "eps": (*SHARES, 1e-300)},
    ),
    theory.draws_per_hypothesis: (
        {"error": 0.1, "delta": 0.1, "n_hypotheses": 2},
        {"n_hypotheses": (0, *WHOLE)},
    ),
    theory.draws_of_round: ({"i": 1, "error": 0.1, "delta": 0.1}, {"i": (0, *WHOLE), "error": SHARES}),
    theory.draws_from_pool: (
        {"i": 1, "n_unknown": 20, "n_wrong": 0, "n": 40, "error": 0.1, "delta": 0.1},
        {"i": (0,), "n_unknown": (41, *WHOLE), "n_wrong": (21, *WHOLE), "n": (0, *WHOLE), "delta": SHARES},
    ),
    theory.lemma_4_1: ({"n_mistakes": 1, "error": 0.1, "delta": 0.1}, {"n_mistakes": WHOLE, "error": SHARES}),
    theory.lemma_4_2: (
        {"ratio": 2.0, "eps": 0.1, "error": 0.1, "delta": 0.1},
        {"ratio": (0.5, 1e300, *ABOVE)},
    ),
    theory.lemma_5_2_size: ({"ratio": 2.0, "eps": 0.1}, {"ratio": (0.5, 1e300, *ABOVE), "eps": SHARES}),
    theory.lemma_5_2_ratio: ({"size": 9, "eps": 0.1}, {"size": WHOLE, "eps": SHARES}),
    theory.branching_nodes: (
        {"n_outliers": 2, "dimension": 3},
        {"n_outliers": (10**9, *WHOLE), "dimension": (0, *WHOLE)},
    ),
}


@pytest.mark.parametrize("bound", RANGES, ids=lambda bound: bound.__name__)
def test_what_is_out_of_range_is_named(bound):
    good, bad = RANGES[bound]
    bound(**good)
    for name, values in bad.items():
        for value in values:
            with pytest.raises(ValueError, match=f"{name}.* must"):
                bound(**{**good, name: value})


def test_equation_1_of_arrays_is_that_of_their_entries():
    margins, violations = np.array([0.0, 1.0, 2.0]), np.array([-0.5, 0.5, 3.0])
    each = [theory.equation_1(a, b, 2.0) for a, b in zip(margins, violations)]
    np.testing.assert_array_equal(theory.equation_1(margins, violations, 2.0), each)
    np.testing.assert_array_equal(theory.equation_1(margins.tolist(), violations.tolist(), 2), each)
    assert isinstance(theory.equation_1(np.float32(1.0), 0.5, 2.0), float)
    with pytest.raises(ValueError, match=r"^margin must be from 0 to 1e.100, got array"):
        theory.equation_1(-margins, violations, 2.0)


def test_the_smallest_and_largest_arguments_have_finite_bounds():
    assert np.isfinite(theory.equation_1(1e100, np.array([1.0]), 1e-100))
    assert np.isfinite(theory.equation_1(1e100, 1e100, 1e100))
    assert min(theory.lemma_3_1(1e100, 1.0, 1e-50), theory.lemma_5_2_size(1e100, 1e-50)) > 1e250
    assert theory.lemma_4_2(1e100, 1e-50, 0.1, 0.1) > theory.corollary_3_2(1e100, 1.0, 1e-50) > 1e299
    assert theory.lemma_3_1(np.float32(2.0), np.float32(1.0), 0.1) == 641


def test_draws_from_a_large_pool_take_no_list_of_it():
    for n in (1000, 5000):
        full = np.cumsum(np.log1p(-(n // 20 + 1) / np.arange(n - 9, n // 20 + 1, -1.0)))
        wanted = 1 + int(np.searchsorted(-full, -np.log(0.05 / 2) * (1.0 - 1e-12)))
        assert theory.draws_from_pool(1, n - 9, 0, n, 0.05, 0.05) == wanted
    assert theory.draws_from_pool(1, 10**9, 0, 10**9, 0.05, 0.05) == theory.draws_of_round(1, 0.05, 0.05)
    assert theory.branching_nodes(5, 3) == sum(4**j for j in range(6))
