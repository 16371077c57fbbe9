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


@pytest.mark.parametrize("seed", range(6))
def test_no_separator_at_all_is_more_likely(seed):
    """Section 1, over every way that any line can divide the points."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8, 2)) if seed % 2 else rng.integers(0, 3, size=(8, 2)) / 1.0
    y = rng.choice([-1, 1], size=8)
    p = rng.uniform(0.05, 0.95, size=8) if seed % 3 else rng.choice([0.2, 0.5, 0.6, 0.9, 0.99], size=8)
    weights, flip, keep = likelihood_weights(p)
    line = optimal_separator(X[keep], np.where(flip, -y, y)[keep], weights[keep])

    def likelihood(ahead):
        return np.prod(np.where(ahead == (y > 0), p, 1 - p))

    sides = (np.array(ahead) for ahead in product([False, True], repeat=8))
    separators = [ahead for ahead in sides if max_margin_line(X[ahead], X[~ahead]) is not None]
    assert likelihood(X @ line.normal + line.offset > 0) == pytest.approx(max(map(likelihood, separators)))
