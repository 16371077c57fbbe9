"""The exact reference for outliers: against removing every set of k points, and beyond where that goes."""

import itertools

import numpy as np
import pytest

from paperlib.coresets import OutlierCoresetSVC
from paperlib.coresets._solver.hull import min_norm_point
from paperlib.experiments.coresets import samples
from paperlib.experiments.coresets.mixed_integer import trimmed_optimum


def by_removal(points, k):
    sets = itertools.combinations(range(len(points)), len(points) - k)
    return max(np.linalg.norm(min_norm_point(points[list(rest)])[0]) for rest in sets)


def check(points, k):
    """What is returned is achieved; returns it."""
    best = trimmed_optimum(points, k)
    assert best.n_programmes >= 1
    if best.margin == 0.0:
        assert not best.normal.any() and len(best.outliers) == 0
        return best
    margins = points @ best.normal
    assert np.isclose(np.linalg.norm(best.normal), 1.0)
    assert np.isclose(np.sort(margins)[k], best.margin, rtol=1e-9)
    assert len(best.outliers) == k and np.isclose(np.delete(margins, best.outliers).min(), best.margin)
    return best


@pytest.mark.parametrize("seed", range(20))
def test_against_removing_every_set(seed):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 5)), int(rng.integers(0, 4))
    points = rng.normal(size=(int(rng.integers(k + 1, 11)), d)) * 10.0 ** rng.integers(-9, 9)
    points[:, 0] += rng.choice([0.0, 1.0]) * np.abs(points).max()
    if seed % 3 == 0:  # repeated, opposite and collinear points, and the origin
        points = np.vstack([points[:4], points[:2], -points[:1], 2.0 * points[:1], np.zeros((1, d))])
        k = min(k, len(points) - 1)
    best, scale = check(points, k), np.linalg.norm(points, axis=1).max()
    assert np.isclose(best.margin, by_removal(points, k), rtol=1e-9, atol=1e-6 * scale)


@pytest.mark.parametrize("n, d, k", [(40, 3, 3), (120, 2, 4), (50, 5, 2)])
def test_searches_against_it_where_sets_are_too_many(n, d, k):
    X, y, planted = samples.flipped(n, d, 0.2, k, random_state=n)
    points = y[:, None] * X
    best = check(points, k)
    assert best.outliers.tolist() == planted.tolist()
    for eps in (1e-6, 0.2):
        fit = OutlierCoresetSVC(k, eps, method="branch").fit(X, y)
        assert (1 - eps) * best.margin * (1 - 1e-9) <= fit.margin_ <= best.margin * (1 + 1e-6)
        assert fit.margin_upper_bound_ >= best.margin * (1 - 1e-9)
    rough = OutlierCoresetSVC(k, method="sampled", n_samples=3, random_state=0).fit(X, y)
    assert rough.margin_ <= best.margin * (1 + 1e-6) <= rough.margin_upper_bound_ * (1 + 2e-6)


def test_outliers_that_nobody_planted():
    """Noise throughout: the programme has to choose among sets that are nearly as good."""
    points = np.random.default_rng(1).normal(size=(30, 2))
    points[:, 0] += 1.0
    for k in (2, 6, 10):
        best = check(points, k)
        fit = OutlierCoresetSVC(k, 1e-6, method="exhaustive", on_nonseparable="warn")
        if best.margin == 0.0:
            with pytest.warns(UserWarning, match="no hyperplane"):
                assert fit.fit(points, [0, 1] * 15).margin_ <= 0
        else:
            labelled = points * np.tile([-1.0, 1.0], 15)[:, None]
            assert np.isclose(fit.fit(labelled, [0, 1] * 15).margin_, best.margin, rtol=1e-6)


def test_nothing_to_separate():
    assert trimmed_optimum(np.zeros((3, 2)), 1).margin == 0.0
    assert trimmed_optimum([[1.0], [-1.0], [2.0], [-2.0]], 1).margin == 0.0
    assert np.isclose(trimmed_optimum([[1.0], [-1.0]], 1).margin, 1.0)


BAD = [
    (np.zeros((0, 2)), 0, "0 sample"),
    ([[np.nan, 1.0]], 0, "points contains NaN"),
    ([1.0, 2.0], 0, "Expected 2D array"),
    ([[1.0], [2.0]], 2, "n_outliers must be an integer >= 0 and <= 1, got 2"),
    ([[1.0], [2.0]], -1, "n_outliers must be"),
    ([[1.0], [2.0]], 0.5, "n_outliers must be"),
]


@pytest.mark.parametrize("points, k, words", BAD)
def test_bad_input_is_one_clear_error(points, k, words):
    with pytest.raises(ValueError, match=words):
        trimmed_optimum(points, k)
