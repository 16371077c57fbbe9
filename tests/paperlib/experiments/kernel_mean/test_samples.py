"""Samples and populations are what they say."""

import numpy as np
import pytest

from paperlib.experiments.kernel_mean import populations
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, checkerboard, long_servedio


def test_the_checkerboard_alternates_and_keeps_its_gaps():
    X, y, cluster = checkerboard(2000, spread=0.5, random_state=0)
    row, column = np.divmod(cluster, 4)
    assert (y == np.where((row + column) % 2 == 0, 1, -1)).all()
    assert (np.abs(X - np.column_stack([column, row]) - 0.5) <= 0.25).all()
    assert sorted(set(cluster.tolist())) == list(range(16))


def test_long_servedio_has_three_points_in_their_shares():
    X, y = long_servedio(40_000, noise=0.3, random_state=0)
    shares = [(point == X).all(axis=1).mean() for point in LONG_SERVEDIO_POINTS]
    assert np.allclose(shares, [0.5, 0.25, 0.25], atol=4 * 0.0025)
    assert abs((y == -1).mean() - 0.3) < 4 * np.sqrt(0.21 / 40_000)


def test_populations_are_what_they_say():
    population = populations.random_population(9, np.random.default_rng(0), gamma=2.0)
    assert np.isclose(population.p.sum(), 1) and set(population.y) == {-1.0, 1.0}
    weights = population.p * population.y
    assert np.isclose(np.linalg.norm(population.mean()) ** 2, weights @ population.gram @ weights)
    assert np.linalg.norm(population.features, axis=1).max() <= 1 + 1e-12
    same = populations.gaussian_features(np.zeros((3, 2)), 1.0)
    assert np.allclose(same @ same.T, 1)
    with pytest.raises(ValueError, match="size must be an integer >= 2, got 1"):
        populations.random_population(1, np.random.default_rng(0))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: checkerboard(0), "n must be an integer >= 1, got 0"),
        (lambda: checkerboard(5, spread=0), "spread must be"),
        (lambda: long_servedio(10, noise=1.5), "noise must be a finite number >= 0 and <= 1, got 1.5"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
