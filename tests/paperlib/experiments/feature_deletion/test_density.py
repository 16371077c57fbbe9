"""Over how many features weights are spread."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import density
from paperlib.experiments.feature_deletion.density import spread


def test_equal_weights_are_counted():
    assert np.isclose(spread(np.array([3.0, -3.0, 3.0, 0.0])), 3.0)
    assert np.isclose(spread(np.array([1.0, 1e-9])), 1.0) and spread(np.zeros(3)) == 0.0


@pytest.mark.slow
def test_the_sparse_svm_is_sparse_and_loses_most():
    rows = density.spreads(["breast cancer"], 3, data="bundled", seed=0)
    assert len(rows) == 3 * 6 and rows.equals(density.spreads(["breast cancer"], 3, data="bundled", seed=0))
    means = rows.groupby("learner").mean(numeric_only=True)
    assert means.features["L1 SVM"] < 0.6 * means.features["SVM"] < means.features["LP"]
    assert means.features["LP, no cube"] < means.features["LP"]
    assert means.after["L1 SVM"] > means.after["SVM"] and (means.after >= means.before).all()


def test_strengths_go_from_nothing_to_many_features():
    rng = np.random.default_rng(0)
    y = rng.choice([-1.0, 1.0], 100)
    X = y[:, None] * rng.uniform(-0.4, 1.0, (100, 8))
    svms = density.sparse_svms(X)
    counts = [np.count_nonzero(each.estimator.fit(X, y).coef_) for each in (svms[0], svms[-1])]
    assert counts[0] == 0 and counts[1] >= 6
