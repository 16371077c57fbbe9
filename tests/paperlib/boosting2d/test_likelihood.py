"""The weights of Section 1, and that they do what they are for."""

from itertools import product

import numpy as np
import pytest

from paperlib.boosting2d import likelihood_weights, max_margin_line, optimal_separator


def test_flips_and_drops():
    found = likelihood_weights([0.9, 0.1, 0.5, 1 - 1e-12, 1e-300])
    assert np.allclose(found.weights, [np.log(9), np.log(9), 0, np.log(1e12), 300 * np.log(10)], rtol=1e-4)
    assert found.flip.tolist() == [False, True, False, False, True]
    assert found.keep.tolist() == [True, True, False, True, True]


@pytest.mark.parametrize("p", [[0.0], [1.0], [1.5], [-0.1], [np.nan], [0.3, np.inf]])
def test_out_of_range(p):
    with pytest.raises(ValueError, match=r"p must be in \(0, 1\), both ends excluded, got"):
        likelihood_weights(p)


@pytest.mark.parametrize("p", [0.5, [[0.5]], ["a"]])
def test_not_a_vector(p):
    with pytest.raises(ValueError, match="p must be a vector of numbers"):
        likelihood_weights(p)


@pytest.mark.parametrize("seed", range(5))
def test_the_lightest_line_is_the_most_likely_one(seed):
    rng = np.random.default_rng(seed)
    X, y, p = rng.normal(size=(9, 2)), rng.choice([-1, 1], size=9), rng.uniform(0.05, 0.95, size=9)
    weights, flip, keep = likelihood_weights(p)
    line = optimal_separator(X[keep], np.where(flip, -y, y)[keep], weights[keep])
    wrong = np.where(X @ line.normal + line.offset > 0, 1, -1) != y

    def likelihood(wrong):
        return np.log(np.where(wrong, 1 - p, p)).sum()

    best = -np.inf
    angles = np.linspace(0, 2 * np.pi, 400)
    for angle, i in product(angles, range(9)):
        scores = (X - X[i]) @ np.array([np.cos(angle), np.sin(angle)])
        for nudge in (-1e-9, 1e-9):
            best = max(best, likelihood(np.where(scores + nudge > 0, 1, -1) != y))
    assert likelihood(wrong) >= best - 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_no_separator_at_all_is_more_likely(seed):
    """Section 1, over every way that any line can divide the points."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)) if seed % 2 else rng.integers(0, 3, size=(8, 2)) / 1.0
    y, p = rng.choice([-1, 1], size=8), rng.choice([0.2, 0.5, 0.6, 0.9, 0.99], size=8)
    weights, flip, keep = likelihood_weights(p)
    line = optimal_separator(X[keep], np.where(flip, -y, y)[keep], weights[keep])

    def likelihood(ahead):
        return np.prod(np.where(ahead == (y > 0), p, 1 - p))

    sides = (np.array(ahead) for ahead in product([False, True], repeat=8))
    separators = [ahead for ahead in sides if max_margin_line(X[ahead], X[~ahead]) is not None]
    assert likelihood(X @ line.normal + line.offset > 0) == pytest.approx(max(map(likelihood, separators)))
