"""The trials of Theorem 3 and of the limit of many features."""

import numpy as np
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
    rows = section_2_4_corruption.corruption_limit([10, 1000], 0.5, 4000, random_state=0)
    assert rows.changed.iloc[0] > 3 * rows.changed.iloc[1] > 0
    # Quality is uniform: deletion of half of the features costs those below one half.
    assert abs(rows.deletion.iloc[1] - 0.5) < 0.03
