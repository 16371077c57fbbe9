import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.experiments.feature_deletion.baselines import hinge_svm
from paperlib.experiments.feature_deletion.feature_bagging import FeatureBagging


@parametrize_with_checks([FeatureBagging(random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_members_that_see_all_features_are_the_svm():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.choice([0, 1], 50)
    bagged, svm = FeatureBagging(1.0, C=0.5, n_members=3, random_state=0).fit(X, y), hinge_svm(0.5).fit(X, y)
    # Each member has its own order of features, and an SVM's solver a tolerance of 1e-3.
    assert bagged.coef_ == pytest.approx(svm.coef_, abs=1e-2)
    assert bagged.intercept_ == pytest.approx(svm.intercept_, abs=1e-2)


def test_a_member_of_one_feature_has_one_weight():
    X, y = np.eye(4), [0, 1, 0, 1]
    assert np.count_nonzero(FeatureBagging(0.25, n_members=1, random_state=0).fit(X, y).coef_) == 1


@pytest.mark.parametrize("options", [{"share": 0.0}, {"share": 1.5}, {"n_members": 0}])
def test_bad_parameters_are_refused(options):
    with pytest.raises(ValueError, match="must"):
        FeatureBagging(**options).fit([[0.0], [1.0]], [0, 1])
