"""Boosted pairs with weights of rows and classes, and among scikit-learn's tools."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from paperlib.boosting2d import GreedyPairBoosting, HierarchicalPairBoosting, PairBoostingClassifier


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
@pytest.mark.parametrize(
    ("weights", "class_weight", "words"),
    [
        (-np.ones(40), None, "sample_weight must be >= 0"),
        (np.full(40, np.nan), None, "sample_weight must be finite"),
        (np.ones(3), None, r"sample_weight must have shape \(40,\)"),
        (Y.astype(float), None, "y must have two classes of positive weight"),
        (None, "equal", "class_weight must be 'balanced', a dict or None, got 'equal'"),
        (None, {0: 0.0}, r"class_weight\[0\] must be a finite number > 0"),
        (None, {"no": 1.0}, "class_weight must name classes of y"),
    ],
)
def test_bad_weights(make, weights, class_weight, words):
    with pytest.raises(ValueError, match=words):
        make(class_weight=class_weight).fit(X, Y, weights)


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


@pytest.mark.routes_weights
@makers
def test_weights_are_routed(make):
    weights = np.where(np.arange(40) < 10, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        asking = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(scaler, asking).fit(X, Y, sample_weight=weights)
        name = type(asking).__name__.lower()
        grid = GridSearchCV(pipeline, {f"{name}__class_weight": [None, "balanced"]}, cv=3)
        assert grid.fit(X, Y, sample_weight=weights).score(X, Y, sample_weight=weights) > 0.8
    assert len(pipeline[-1].scores_) == 30
