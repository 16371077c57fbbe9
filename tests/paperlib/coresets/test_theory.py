"""Section 3's bounds, against runs and against each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.coresets import CoresetSVC, theory


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


@pytest.mark.parametrize("eps", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("ratio", [1.0, 3.0, 10.0])
def test_the_slowest_run_that_equation_1_allows_ends_within_the_lemmas(ratio, eps):
    """Margins that fall no faster than they must, with the least violations, until none is left."""
    best = 1.0 / ratio
    margin, steps = 1.0, 1
    while margin > best and steps < 10**6:
        margin, steps = theory.equation_1(margin, max(eps * margin, margin - best), 1.0), steps + 1
    assert steps - 1 <= theory.lemma_3_1(1.0, best, eps)
    margin, steps = 1.0, 1
    while margin > best and steps < 10**6:
        margin, steps = theory.equation_1(margin, eps * margin, 1.0), steps + 1
    assert steps - 1 <= theory.corollary_3_2(1.0, best, eps)
