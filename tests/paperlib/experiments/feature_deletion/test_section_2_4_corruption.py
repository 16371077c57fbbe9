"""The trials of Theorem 3 and of the limit of many features."""

import numpy as np
import pytest
from scipy.stats import binom

from paperlib.experiments.feature_deletion import section_2_4_corruption


@pytest.mark.parametrize("n_deleted", [10, 100])
def test_the_rates_of_theorem_3_are_those_of_coins(n_deleted):
    rows = section_2_4_corruption.theorem_3([n_deleted], 0.05, 40_000, seed=0).set_index("constant")
    assert (rows.loss == 0).all()
    for row in rows.itertuples():
        heads = (n_deleted - row.margin * (1 + 1e-6)) / 2
        expected = binom.cdf(np.floor(heads), n_deleted, 0.5)
        assert abs(row.turned / row.draws - expected) < 4 * max(np.sqrt(expected / row.draws), 1e-3)
    assert rows.turned["printed"] > 0.05 * 40_000 > rows.turned["corrected"]


def test_corruption_comes_to_deletion_as_features_grow():
    rows = section_2_4_corruption.corruption_limit([10, 1000], 0.5, 4000, 4, seed=0)
    assert rows.perceptron.tolist() == [0, 1, 2, 3] * 2 and rows.changed.nunique() > 5
    few, many = rows[rows.n == 10], rows[rows.n == 1000]
    assert few.changed.mean() > 3 * many.changed.mean() > 0
    # Quality is uniform: deletion of half of the features costs those below one half.
    assert abs(many.deletion.mean() - 0.5) < 0.03


def test_deletions_and_noise_of_the_limit():
    """Of weights 3, -2, 1 by decreasing size, an example that loses two of what helps it."""
    w, agrees = np.array([3.0, -2.0, 1.0]), np.array([[True, False, True], [False, True, True]])
    margins = section_2_4_corruption._margins(w, 0.5, agrees, np.ones(2), 2, np.random.default_rng(0))
    assert np.allclose(margins[0], [1.5, -3.5 - 1.0])
    assert margins[1].shape == (2, 2) and (np.abs(margins[1] - margins[0]) <= [5.0, 1.0]).all()
