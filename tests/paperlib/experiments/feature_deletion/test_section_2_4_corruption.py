"""The trials of Theorem 3 and of the limit of many features."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from paperlib.experiments.feature_deletion import section_2_4_corruption


@pytest.mark.parametrize("n_deleted", [10, 100])
def test_the_rates_of_theorem_3_are_those_of_coins(n_deleted):
    rows = section_2_4_corruption.theorem_3([n_deleted], 0.05, 40_000, random_state=0).set_index("constant")
    assert (rows.loss == 0).all()
    for row in rows.itertuples():
        heads = (n_deleted - row.margin * (1 + 1e-6)) / 2
        assert abs(row.rate - binom.cdf(np.floor(heads), n_deleted, 0.5)) < 4 * max(row.stderr, 1e-3)
    assert rows.rate["printed"] > 0.05 > rows.rate["corrected"]


def test_corruption_comes_to_deletion_as_features_grow():
    rows = section_2_4_corruption.corruption_limit([10, 1000], 0.5, 4000, random_state=0, n_perceptrons=4)
    assert rows.perceptron.tolist() == [0, 1, 2, 3] * 2 and rows.changed.nunique() == 8
    few, many = rows[rows.n == 10], rows[rows.n == 1000]
    assert few.changed.mean() > 3 * many.changed.mean() > 0
    # Quality is uniform: deletion of half of the features costs those below one half.
    assert abs(many.deletion.mean() - 0.5) < 0.03


def test_the_exponent_is_that_of_the_sizes_that_count():
    sizes = np.array([3, 30, 100, 1000])
    limit = by_perceptron(sizes, np.array([0.01, 0.01, 0.04, 0.4 / np.sqrt(1000)]), [0.9, 1.0, 1.1])
    slope, stderr = section_2_4_corruption.exponent(limit)  # few features: not what is asked
    assert np.isclose(slope, -0.5) and np.isclose(stderr, 0.0)  # they move all sizes alike
    assert np.isclose(section_2_4_corruption.exponent(limit[limit.n < 100])[0], 0.0)


def test_the_error_of_the_exponent_is_how_far_it_varies():
    rng, sizes = np.random.default_rng(0), np.array([100, 300, 1000])
    found = []
    for _ in range(300):
        shares = 0.4 / np.sqrt(sizes)[:, None] * (1 + 0.1 * rng.normal(size=(3, 12)))
        rows = [(n, k, x) for n, each in zip(sizes, shares) for k, x in enumerate(each)]
        limit = pd.DataFrame(rows, columns=["n", "perceptron", "changed"])
        found.append(section_2_4_corruption.exponent(limit))
    slopes, stderrs = np.array(found).T
    assert abs(slopes.mean() + 0.5) < 4 * slopes.std() / np.sqrt(300)
    assert np.isclose(stderrs.mean(), slopes.std(), rtol=0.15)


def test_the_exponent_where_nothing_changes():
    limit = by_perceptron([100, 1000], np.array([0.04, 0.0]), [1.0, 1.1] * 10)
    assert section_2_4_corruption.exponent(limit)[0] < -1
    assert section_2_4_corruption.exponent(limit.assign(changed=0.0)) == (0.0, 0.0)


def by_perceptron(sizes, shares, factors):
    """Return what `corruption_limit` would, with each perceptron's share a multiple of the size's."""
    rows = [(n, k, share * x) for n, share in zip(sizes, shares) for k, x in enumerate(factors)]
    return pd.DataFrame(rows, columns=["n", "perceptron", "changed"])


def test_deletions_and_noise_of_the_limit():
    """Of weights 3, -2, 1 by decreasing size, an example that loses two of what helps it."""
    w, agrees = np.array([3.0, -2.0, 1.0]), np.array([[True, False, True], [False, True, True]])
    margins = section_2_4_corruption._margins(w, 0.5, agrees, np.ones(2), 2, np.random.default_rng(0))
    assert np.allclose(margins[0], [1.5, -3.5 - 1.0])
    assert margins[1].shape == (2, 2) and (np.abs(margins[1] - margins[0]) <= [5.0, 1.0]).all()
