"""The nearest point of a hull: against quadratic programming, and against its own certificate."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paperlib.coresets._solver.hull import REFRESH, GrowingHull, min_norm_point
from paperlib.coresets._solver.wolfe import ORIGIN, from_nearest


def twin(points):
    """The distance by a quadratic programme over all convex combinations."""
    weights = cp.Variable(len(points), nonneg=True)
    scale = np.abs(points).max()
    problem = cp.Problem(cp.Minimize(cp.sum_squares((points / scale).T @ weights)), [cp.sum(weights) == 1])
    problem.solve(cp.CLARABEL, tol_gap_abs=1e-14, tol_gap_rel=1e-12, tol_feas=1e-12)
    return np.linalg.norm(weights.value @ points)


def solve(points, start=None):
    """The point, after holding it against what makes it the nearest one."""
    points = np.ascontiguousarray(points, dtype=float)
    x, weights, _ = min_norm_point(points, np.zeros(len(points)) if start is None else start)
    largest = np.linalg.norm(points, axis=1).max()
    assert (weights >= 0).all() and np.isclose(weights.sum(), 1.0, rtol=0, atol=1e-12)
    assert (weights > 0).sum() <= points.shape[1] + 1
    length = np.linalg.norm(x)
    assert np.linalg.norm(weights @ points - x) <= 1e-11 * largest
    if length > 0:
        assert length > 0.99 * ORIGIN * largest
        assert (points @ x).min() / length >= length * (1 - 1e-9) - 1e-14 * largest
    return x, weights


def separable(rng, k, d, gap=0.1):
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    points = rng.normal(size=(k, d))
    return points * np.where(points @ w < 0, -1.0, 1.0)[:, None] + gap * w


@pytest.mark.parametrize("k, d", [(1, 3), (2, 1), (5, 2), (30, 4), (60, 20), (10, 40)])
def test_it_is_what_a_quadratic_programme_finds(k, d):
    rng = np.random.default_rng(k)
    for _ in range(5):
        points = separable(rng, k, d)
        x, _ = solve(points)
        assert np.isclose(np.linalg.norm(x), twin(points), rtol=1e-6)


@given(
    arrays(float, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)),
    st.sampled_from([1e-9, 1.0, 1e9]),
)
@settings(max_examples=300, deadline=None)
@pytest.mark.slow
def test_small_integers_touch_and_repeat_and_line_up(points, scale):
    x, _ = solve(points * scale)
    found, wanted = np.linalg.norm(x) / scale, twin(points) if points.any() else 0.0
    assert np.isclose(found, wanted, rtol=1e-5, atol=1e-5)
    assert found == 0 or found > 1e-3  # integers so small are never nearly zero


@pytest.mark.parametrize("scale", [0.0, 1.0, 1e-9])
def test_other_kernels_get_the_same_point_and_weights(scale):
    points = scale * separable(np.random.default_rng(0), 12, 3)
    x, weights, _ = from_nearest(points)
    assert (weights >= 0).all() and np.isclose(weights.sum(), 1.0, rtol=0, atol=1e-12)
    assert np.allclose(weights @ points, x, rtol=0, atol=1e-12 * scale)
    assert np.allclose(x, solve(points)[0], rtol=1e-9, atol=0)
    assert scale > 0.0 or weights[0] == 1.0


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-15, 1e-12, 1e-9, 1e-6]))
@settings(max_examples=100, deadline=None)
def test_nearly_dependent_points(seed, noise):
    rng = np.random.default_rng(seed)
    d, k = rng.integers(1, 6), rng.integers(2, 30)
    few = separable(rng, int(rng.integers(1, 4)), d)
    points = few[rng.integers(len(few), size=k)] + noise * rng.normal(size=(k, d))
    solve(points * 10.0 ** rng.uniform(-9, 9))


@pytest.mark.parametrize("height", [1.0, 1e-4, 1e-8, 1e-11])
def test_a_hull_close_to_the_origin_is_measured_to_rounding(height):
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.normal(size=(80, 4)), np.full(80, height)])
    x, _ = solve(points)
    assert np.isclose(np.linalg.norm(x), height, rtol=max(1e-12, 1e-13 / height))
    assert np.allclose(x[:4], 0, atol=1e-12)


def test_a_hull_with_the_origin_in_it():
    rng = np.random.default_rng(0)
    for d in (1, 2, 5, 30):
        points = rng.normal(size=(6 * d, d))
        points -= points.mean(axis=0)
        x, weights = solve(points)
        assert not x.any()
        assert np.linalg.norm(weights @ points) <= 1e-11
    for points in ([[0.0, 0.0], [1.0, 1.0]], [[1.0, 2.0], [-2.0, -4.0]], [[0.0]], [[0.0, 0.0]]):
        assert not solve(points)[0].any()


def test_warm_starts_give_the_same_point():
    rng = np.random.default_rng(0)
    points = separable(rng, 400, 20)
    start = np.zeros(0)
    for k in (1, 2, 30, 200, 400):
        x, start = solve(points[:k], np.append(start, np.zeros(k - len(start))))
        assert np.allclose(x, solve(points[:k])[0], atol=1e-12)
    again, _, steps = min_norm_point(points, start)
    assert steps == 0
    assert np.allclose(again, x, atol=1e-14)


def test_points_of_very_different_lengths():
    rng = np.random.default_rng(0)
    for _ in range(50):
        points = separable(rng, 30, 5) * 10.0 ** rng.uniform(-5, 5, size=(30, 1))
        solve(points)


def test_a_hull_that_grows_a_point_at_a_time_is_that_of_all_of_them():
    """More columns as well, as `WorkingSet` has it, and past the time that a factorisation is kept for."""
    rng = np.random.default_rng(0)
    points = separable(rng, 2 * REFRESH + 50, 12)
    points[:40] *= np.linspace(0.1, 1.0, 40)[:, None]  # the largest norm grows
    points[:5, 4:] = points[:20, 8:] = 0.0
    points[30:60] = points[rng.integers(30, size=30)]
    hull = GrowingHull()
    for k in range(1, len(points) + 1):
        d = 4 if k <= 5 else 8 if k <= 20 else 12
        x, weights, _ = hull.nearest(np.ascontiguousarray(points[:k, :d]))
        assert (weights >= 0).all() and np.isclose(weights.sum(), 1.0, rtol=0, atol=1e-12)
        assert np.allclose(weights @ points[:k, :d], x, atol=1e-12)
        if k % 10 < 3:
            assert np.allclose(x, solve(points[:k, :d])[0], atol=1e-12)


@given(
    arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)),
    st.sampled_from([0.0, 1e-15, 1e-12, 1e-8]),
    st.integers(0, 2**32 - 1),
)
@example(np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]), 1e-8, 0)  # a turn at the same norm
@settings(max_examples=150, deadline=None)
def test_a_hull_that_grows_by_degenerate_points(points, noise, seed):
    rng = np.random.default_rng(seed)
    points = points + noise * rng.normal(size=points.shape)
    hull, k = GrowingHull(), 0
    while k < len(points):
        k = min(len(points), k + int(rng.integers(1, 4)))
        found = np.linalg.norm(hull.nearest(points[:k].copy())[0])
        wanted = np.linalg.norm(solve(points[:k])[0])
        assert np.isclose(found, wanted, rtol=1e-9, atol=1e-11 * max(1.0, np.abs(points).max()))


def test_many_points_that_bear_weight():
    rng = np.random.default_rng(0)
    _, weights = solve(separable(rng, 500, 600, gap=0.5))
    assert (weights > 0).sum() > 200
