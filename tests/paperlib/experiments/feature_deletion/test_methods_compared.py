import numpy as np
import pytest

from paperlib.experiments.feature_deletion.methods_compared import DELETED, METHODS, candidates, compare


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_fifteen_different_settings(method):
    X = np.random.default_rng(0).normal(size=(30, 8))
    settings = {(each.strength, each.budget) for each in candidates(method, X, [1, 2, 4])}
    assert len(settings) == 15


def test_rows_are_the_same_again_and_deletion_does_harm():
    methods = ["SVM", "dropout", "adversarial training"]
    found = compare(["breast cancer"], 2, 60, 200, methods, data="bundled", seed=3)
    assert found.equals(compare.__wrapped__(["breast cancer"], 2, 60, 200, methods, data="bundled", seed=3))
    assert not found.equals(compare(["breast cancer"], 2, 60, 200, methods, data="bundled", seed=4))
    assert len(found) == 2 * 3 * len(DELETED) and sorted(set(found.budget)) == [0.0, 1.0, 2.0]
    assert found[found.deleted == 0].error.mean() < found[found.deleted > 0].error.mean()
    assert (found.at_least == (found.strength == found.strength.min())).any()
