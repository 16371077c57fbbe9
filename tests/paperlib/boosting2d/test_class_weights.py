"""Boosted pairs with weights of rows and classes, and among scikit-learn's tools."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from paperlib.boosting2d import GreedyPairBoosting, HierarchicalPairBoosting, PairBoostingClassifier
from tests.paperlib.weighting import bad_class_weights, bad_weights, check_refused, check_routing


def pair():
    return [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)]


MAKERS = {
    "pair": lambda **p: PairBoostingClassifier(pair(), **p),
    "greedy": lambda **p: GreedyPairBoosting([*pair(), GaussianNB(var_smoothing=0.1)], **p),
    "hierarchical": lambda **p: HierarchicalPairBoosting([*pair(), GaussianNB(var_smoothing=0.1)], **p),
}
makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
X, Y = make_moons(40, noise=0.3, random_state=0)


@makers
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([None, "balanced", {1: 3.0}, {0: 2.0, 1: 1.0}]))
def test_whole_weights_are_repetitions(make, seed, class_weight):
    weights = np.random.default_rng(seed).integers(0, 4, len(X)).astype(float)
    weights[[Y.argmin(), Y.argmax()]] = 1.0
    rows = np.repeat(np.arange(len(X)), weights.astype(int))
    # Fitted before: not all classifiers take a weight for as many copies, to the last digit.
    clf = make(class_weight=class_weight, cv="prefit")
    clf.set_params(estimators=[each.fit(X, Y) for each in clf.estimators])
    weighted, repeated = (
        type(clf)(clf.estimators, class_weight=class_weight, cv="prefit").fit(*data)
        for data in ((X, Y, weights), (X[rows], Y[rows]))
    )
    assert np.isclose(weighted.steps_[-1].line.weight, repeated.steps_[-1].line.weight, rtol=1e-9)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)


@makers
def test_class_weights_multiply_those_of_the_rows(make):
    weights = 1.0 + np.arange(len(X)) % 3
    clf = make(class_weight={0: 2.0, 1: 0.5}).fit(X, Y, weights)
    plain = make().fit(X, Y, weights * np.where(Y == 0, 2.0, 0.5))
    np.testing.assert_array_equal(clf.score_coef_, plain.score_coef_)
    assert clf.steps_[-1].line.weight == plain.steps_[-1].line.weight
    assert make(class_weight={0: 100.0}).fit(X, Y).predict(X).sum() < make().fit(X, Y).predict(X).sum()


@makers
@bad_weights
def test_bad_weights(make, weights, words):
    check_refused(make(), words, weights)


@makers
@bad_class_weights
def test_bad_class_weights(make, class_weight, words):
    check_refused(make(), words, class_weight=class_weight)


@pytest.mark.routes_weights
@makers
def test_weights_are_routed(make):
    weights = np.where(np.arange(40) < 10, 0.0, 1.0)
    fitted = check_routing(make(), X, Y, weights, class_weight=[None, "balanced"])
    assert len(fitted.scores_) == 30 and fitted.score(StandardScaler().fit_transform(X), Y, weights) > 0.8


def test_a_classifier_without_weights_is_named():
    clf = PairBoostingClassifier([GaussianNB(), KNeighborsClassifier()], class_weight="balanced")
    with pytest.raises(ValueError, match="sample_weight or class_weight is given, and g2 does not support"):
        clf.fit(X, Y)
    with pytest.raises(ValueError, match="X must be an array-like of rows, got a dict"):
        clf.fit({"a": 1}, Y)


@makers
def test_many_classes_and_probabilities(make):
    rows, species = load_iris(return_X_y=True)
    for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
        assert cross_val_score(wrapper(make()), rows, species, cv=3, error_score="raise").mean() > 0.9
    moons = make_moons(200, noise=0.2, random_state=0)
    for ensemble in (True, False):
        clf = CalibratedClassifierCV(make(), ensemble=ensemble, cv=3).fit(*moons)
        assert clf.predict_proba(X).shape == (40, 2) and clf.score(*moons) > 0.8
