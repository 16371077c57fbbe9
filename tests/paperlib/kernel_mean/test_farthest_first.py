"""Farthest-first traversal against the O(m^2 n) text of Algorithm 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from paperlib._common.kernels import bind_kernel
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first


def twin_distances(K, signs):
    diagonal = np.diag(K)
    squared = diagonal[:, None] + diagonal - 2 * np.outer(signs, signs) * K
    return np.sqrt(np.maximum(squared, 0))


def check(kernel, points, signs, m, first, slack):
    """Every centre is a farthest point, every point is with a nearest centre, radii are what they claim."""
    centres, nearest, radii = farthest_first(kernel, points, signs, m, first)
    apart = twin_distances(kernel.matrix(points, points), signs)
    assert centres[0] == first
    assert len(centres) == len(radii) == len(set(centres.tolist())) <= m
    for k in range(1, len(centres) + 1):
        cover = apart[:, centres[:k]].min(axis=1)
        assert abs(radii[k - 1] - cover.max()) <= slack
        if k < len(centres):
            assert cover[centres[k]] >= cover.max() - slack
    assert (apart[np.arange(len(signs)), centres[nearest]] <= cover + slack).all()
    if len(centres) < m:
        assert radii[-1] == 0
    return centres, radii


@pytest.mark.parametrize(
    "kernel", ["rbf", "linear", "polynomial", lambda A, B: np.exp(-0.5 * np.abs(A @ B.T))]
)
def test_against_the_text_of_the_algorithm(kernel):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, signs = rng.normal(size=(700, 3)), rng.choice([-1.0, 1.0], size=700)
        bound, points = bind_kernel(kernel, X, 0.4)
        check(bound, points, signs, 25, first=seed, slack=1e-6)


@settings(max_examples=80, deadline=None)
@given(data=st.data(), kernel=st.sampled_from(["rbf", "linear"]))
def test_on_duplicates_lines_and_one_class(data, kernel):
    n, d = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 2))
    X = data.draw(arrays(float, (n, d), elements=st.sampled_from([0.0, 1.0, 2.0, -1.0, 1e-3])))
    signs = data.draw(arrays(float, n, elements=st.sampled_from([1.0, -1.0])))
    kernel, points = bind_kernel(kernel, X, 0.5)
    check(kernel, points, signs, data.draw(st.integers(1, n)), data.draw(st.integers(0, n - 1)), slack=1e-6)


def test_at_most_twice_the_best_diameter():
    """Gonzalez's guarantee, with the optimum found by trying every partition of nine points in three."""
    from itertools import product

    rng = np.random.default_rng(5)
    X, signs = rng.normal(size=(9, 2)), np.ones(9)
    kernel, points = bind_kernel("rbf", X, 0.5)
    apart = twin_distances(kernel.matrix(X, X), signs)
    parts = np.array(list(product(range(3), repeat=9)))
    same = parts[:, :, None] == parts[:, None, :]
    best = np.where(same, apart, 0).max(axis=(1, 2)).min()
    for first in range(9):
        _, nearest, radii = farthest_first(kernel, points, signs, 3, first)
        diameter = np.where(nearest[:, None] == nearest, apart, 0).max()
        assert diameter <= 2 * radii[-1] + 1e-12
        assert radii[-1] <= best + 1e-12


def test_near_duplicates_keep_their_distance():
    """2 - 2K cancels at a distance of 1e-9; the radius does not."""
    X = np.array([[0.0], [1e-9]])
    kernel, points = bind_kernel("rbf", X, 0.5)
    _, _, radii = farthest_first(kernel, points, np.ones(2), 1)
    assert np.isclose(radii[0], 1e-9, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_any_scale_ends_with_a_whole_cover(scale):
    X = scale * np.arange(6.0)[:, None]
    kernel, points = bind_kernel("rbf", X, 1.0)
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    centres, nearest, radii = farthest_first(kernel, points, signs, 6)
    assert np.isfinite(radii).all()
    assert (signs[centres[nearest]] == signs).all()


def test_it_stops_when_told_to():
    X = np.arange(50.0)[:, None]
    kernel, points = bind_kernel("rbf", X, 0.01)
    centres, _, radii = farthest_first(kernel, points, np.ones(50), 50, stop=lambda k, radius: radius < 0.3)
    assert radii[-1] < 0.3 <= radii[-2]
    assert len(centres) < 50


def twin_traversal(X, signs, m, first):
    """All distances anew at every step; of equals the first is the farthest point and the nearest centre."""
    apart = np.full((len(X), m), np.inf)
    centres = [first]
    while True:
        k = len(centres) - 1
        difference = X - X[centres[k]]
        apart[:, k] = np.where(
            signs == signs[centres[k]], sum(difference[:, j] ** 2 for j in range(X.shape[1])), np.inf
        )
        cover = apart.min(axis=1)
        if len(centres) == m or cover.max() == 0:
            return np.array(centres), apart.argmin(axis=1)
        if np.isinf(cover).any():
            squared = (difference**2).sum(axis=1)
            centres.append(int(np.where(np.isinf(cover), squared, np.inf).argmin()))
        else:
            centres.append(int(cover.argmax()))


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e12])
def test_lazy_distances_choose_what_eager_ones_do(offset):
    """Grids with many ties, random data, two signs and one, far from the origin: the same to the last tie."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        grid = rng.integers(5 if seed == 1 else 40, size=(1500, 2)) * 1.0
        X = grid if seed % 2 else rng.normal(size=(1500, 7))
        X = X + offset
        signs = np.ones(1500) if seed < 2 else rng.choice([-1.0, 1.0], 1500)
        kernel, points = bind_kernel("rbf", X, 1e-3)
        centres, nearest, _ = farthest_first(kernel, points, signs, 150, seed)
        expected = twin_traversal(X, signs, 150, seed)
        assert (centres == expected[0]).all() and (nearest == expected[1]).all()


def test_more_centres_than_a_chunk_and_a_bunch():
    X = np.random.default_rng(0).normal(size=(1300, 3))
    kernel, points = bind_kernel("rbf", X, 0.1)
    centres, nearest, radii = farthest_first(kernel, points, np.ones(1300), 1300)
    assert sorted(centres.tolist()) == list(range(1300)) and radii[-1] == 0
    assert (centres[nearest] == np.arange(1300)).all()
    assert (np.diff(radii) <= 0).all()
