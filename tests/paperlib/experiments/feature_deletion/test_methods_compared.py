import numpy as np
import pandas as pd
import pytest
from scipy.stats import sem, ttest_ind

from paperlib.experiments.feature_deletion.methods_compared import (
    DELETED,
    METHODS,
    STEPS,
    candidates,
    compare,
    lead,
)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_fifteen_different_settings(method):
    X = np.random.default_rng(0).normal(size=(30, 8))
    settings = {(each.strength, each.budget) for each in candidates(method, X, [1, 2, 4])}
    assert len(settings) == 15


def test_rows_are_the_same_again_and_deletion_does_harm():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 80)
    X = y[:, None] + rng.normal(size=(80, 6))
    options = {"methods": ["SVM", "dropout", "adversarial training"], "n_splits": 2, "random_state": 3}
    found = compare(X, y, "measurements", **options)
    assert found.equals(compare(X, y, "measurements", **options))
    assert len(found) == 2 * 3 * len(DELETED)
    assert sorted(set(found.budget)) == [0.0, 1.0]
    assert found[found.deleted == 0].error.mean() < found[found.deleted > 0].error.mean()


def test_the_lead_is_that_of_welch_and_leaves_out_what_nobody_deleted():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.1, 0.05, 5), rng.normal(0.2, 0.3, 4)
    rows = pd.DataFrame(
        [
            (data, run, learner, deleted, deleted + (0.5 if deleted == 0 else each) * (learner == "SVM"))
            for data, leads in (("one", one), ("other", other))
            for run, each in enumerate(leads)
            for learner in ("LP", "SVM")
            for deleted in (0.0, 0.1, 0.3)
        ],
        columns=["data", "run", "learner", "deleted", "error"],
    )
    mean, stderr, dof = lead(rows, "LP", "SVM")
    peer = ttest_ind(one, -other, equal_var=False)
    assert mean == pytest.approx((one.mean() + other.mean()) / 2)
    assert (mean / stderr, dof) == pytest.approx((peer.statistic, peer.df))
    assert lead(rows[rows.data == "one"], "LP", "SVM") == pytest.approx((one.mean(), sem(one), 4))


def test_a_lead_without_spread():
    rows = pd.DataFrame(
        [("one", run, learner, 0.1, 0.3) for run in range(3) for learner in ("LP", "SVM")],
        columns=["data", "run", "learner", "deleted", "error"],
    )
    assert lead(rows, "LP", "SVM") == (0.0, 0.0, 2.0)


def test_a_choice_at_the_edge_of_the_strengths_is_marked():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 60)
    found = compare(
        rng.normal(size=(60, 4)), y, "measurements", methods=["dropout"], n_splits=3, random_state=0
    )
    assert (found.at_edge == found.strength.isin([STEPS[0], STEPS[-1]])).all()
