"""The pair as an estimator: scores, labels, weights, parameters, and what it refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from paperlib.boosting2d import PairBoostingClassifier, leave_one_out, optimal_separator


class Axis(ClassifierMixin, BaseEstimator):
    """Predicts by the sign of one feature, and can do nothing else."""

    def __init__(self, feature=0):
        self.feature = feature

    def fit(self, X, y):
        self.labels_ = np.unique(y)
        return self

    def predict(self, X):
        return self.labels_[(np.asarray(X)[:, self.feature] > 0).astype(int)]


@pytest.fixture
def moons():
    return make_moons(60, noise=0.3, random_state=0)


@pytest.fixture
def pair():
    return [LogisticRegression(), DecisionTreeClassifier(max_depth=2, random_state=0)]


def test_the_line_is_the_optimal_one_in_the_plane_of_scores(moons, pair):
    X, y = moons
    clf = PairBoostingClassifier(pair).fit(X, y)
    g1, g2 = (clone(each).fit(X, y) for each in pair)
    S = np.column_stack([g1.decision_function(X), g2.predict_proba(X)[:, 1] - 0.5])
    assert np.array_equal(clf.estimator_scores(X), S)
    assert np.array_equal(clf.scores_, S)
    line = optimal_separator(S, y)
    assert np.array_equal(clf.score_coef_, [line.normal])
    assert clf.score_intercept_.tolist() == [line.offset]
    assert np.array_equal(clf.decision_function(X), S @ line.normal + line.offset)
    assert np.array_equal(clf.predict(X) != y, clf.line_.misclassified)
    assert clf.line_.weight <= min((each.predict(X) != y).sum() for each in (g1, g2))


def test_predictions_alone_are_scores_of_plus_and_minus_one(moons):
    X, y = moons
    X = X - X.mean(axis=0)
    clf = PairBoostingClassifier((Axis(0), Axis(1))).fit(X, y)
    assert np.array_equal(clf.scores_, np.where(X > 0, 1.0, -1.0))
    corners = np.unique(clf.scores_, axis=0)
    assert len(corners) == 4
    cost = [[((clf.scores_ == c).all(axis=1) & (y == k)).sum() for k in (0, 1)] for c in corners]
    ways = [np.array(way) for way in np.ndindex(2, 2, 2, 2) if way not in {(0, 1, 1, 0), (1, 0, 0, 1)}]
    assert clf.line_.weight == min(sum(c[1 - side] for c, side in zip(cost, way)) for way in ways)


@pytest.mark.parametrize("labels", [(-1, 1), (False, True), ("no", "yes"), (2, 7)])
def test_any_two_labels(moons, pair, labels):
    X, y = moons
    clf = PairBoostingClassifier(pair).fit(X, np.array(labels)[y])
    assert clf.classes_.tolist() == list(labels)
    assert np.array_equal(clf.predict(X), np.array(labels)[PairBoostingClassifier(pair).fit(X, y).predict(X)])


def test_prefit_classifiers_are_used_as_they_are(moons, pair):
    X, y = moons
    fitted = [each.fit(X[:40], y[:40]) for each in pair]
    clf = PairBoostingClassifier(fitted, cv="prefit").fit(X[40:], y[40:])
    assert clf.estimators_[0] is fitted[0]
    assert clf.line_.weight == (clf.predict(X[40:]) != y[40:]).sum()
    frozen = clone(PairBoostingClassifier([FrozenEstimator(each) for each in fitted], cv="prefit"))
    assert np.array_equal(frozen.fit(X[40:], y[40:]).decision_function(X), clf.decision_function(X))
    with pytest.raises(NotFittedError):
        PairBoostingClassifier([clone(each) for each in pair], cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match=r"know the classes \['a', 'b'\] of y, g1 .* \[0, 1\]"):
        PairBoostingClassifier(fitted, cv="prefit").fit(X, np.array(["a", "b"])[y])


@pytest.mark.parametrize("cv", [4, KFold(5, shuffle=True, random_state=1)])
def test_held_out_scores(moons, cv):
    X, y = moons
    pair = [LogisticRegression(), RidgeClassifier()]
    clf = PairBoostingClassifier(pair, cv=cv).fit(X, y)
    S = np.column_stack([cross_val_predict(g, X, y, cv=cv, method="decision_function") for g in pair])
    assert np.array_equal(clf.scores_, S)
    assert np.array_equal(clf.line_.normal, optimal_separator(S, y).normal)
    assert np.array_equal(clf.estimators_[0].coef_, LogisticRegression().fit(X, y).coef_)


def test_splits_drawn_anew_are_the_same_for_both(moons):
    X, y = moons
    twins = (DecisionTreeClassifier(max_depth=2, random_state=0),) * 2
    scores = PairBoostingClassifier(twins, cv=KFold(3, shuffle=True)).fit(X, y).scores_
    assert np.array_equal(scores[:, 0], scores[:, 1])


def test_weights_reach_the_line_and_the_classifiers(moons):
    X, y = moons
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    pair = (GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0))
    clf = PairBoostingClassifier(pair).fit(X, y, weights)
    assert np.array_equal(clf.estimators_[0].var_, GaussianNB().fit(X, y, weights).var_)
    assert len(clf.scores_) == np.count_nonzero(weights)
    assert clf.line_.weight == weights[clf.predict(X) != y].sum()
    with pytest.raises(ValueError, match="two classes of positive weight, got one class only"):
        PairBoostingClassifier(pair).fit(X, y, (y == 1).astype(float))


@pytest.mark.parametrize(
    "unweighted", [make_pipeline(StandardScaler(), GaussianNB()), KNeighborsClassifier(3)]
)
@pytest.mark.parametrize("cv", [None, 3])
def test_weights_are_not_dropped_in_silence(moons, unweighted, cv):
    X, y = moons
    clf = PairBoostingClassifier((GaussianNB(), unweighted), cv=cv)
    with pytest.raises(ValueError, match=f"g2 does not support sample weights: {type(unweighted).__name__}"):
        clf.fit(X, y, np.ones(60))
    clf.fit(X, y)
    fitted = PairBoostingClassifier([each.fit(X, y) for each in (GaussianNB(), unweighted)], cv="prefit")
    assert fitted.fit(X, y, 1.0 + y).line_.weight == (1.0 + y)[fitted.predict(X) != y].sum()


def test_weights_go_through_what_hands_them_on(moons):
    X, y = moons
    weights = np.random.default_rng(0).uniform(0.5, 4.0, size=60)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [0.1]})
    expected = GaussianNB(var_smoothing=0.1).fit(X, y, weights)
    clf = PairBoostingClassifier((search, GaussianNB())).fit(X, y, weights)
    assert np.array_equal(clf.estimators_[0].best_estimator_.var_, expected.var_)
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, GaussianNB().set_fit_request(sample_weight=True))
        clf = PairBoostingClassifier((pipeline, GaussianNB())).fit(X, y, weights)
        expected = clone(pipeline).fit(X, y, sample_weight=weights)
    assert np.array_equal(clf.estimators_[0][-1].var_, expected[-1].var_)
    assert not np.array_equal(clf.estimators_[0][-1].var_, clone(pipeline).fit(X, y)[-1].var_)


def test_coefficients_over_scores_are_not_taken_for_those_of_columns(moons, pair):
    clf = PairBoostingClassifier(pair)
    with pytest.raises(ValueError, match="PairBoostingClassifier should have `coef_` or"):
        RFE(clf).fit(*moons)
    with pytest.raises(ValueError, match="PairBoostingClassifier should have `coef_` or"):
        SelectFromModel(clf).fit(*moons).transform(moons[0])


def test_parameters_of_plain_classifiers(pair):
    clf = PairBoostingClassifier(pair)
    assert clf.get_params()["g2__max_depth"] == 2
    assert clf.set_params(g2__max_depth=3, cv=4).estimators[1].max_depth == 3
    nb = GaussianNB()
    clf.set_params(g1=nb, g1__var_smoothing=0.5)
    assert clf.estimators[0] is nb and nb.var_smoothing == 0.5 and clf.cv == 4
    assert set(clf.get_params(deep=False)) == {"estimators", "cv", "class_weight"}
    with pytest.raises(ValueError, match="Invalid parameter 'g3'"):
        clf.set_params(g3=nb)


def test_parameters_of_named_classifiers(pair):
    clf = PairBoostingClassifier(tuple(zip(("line", "tree"), pair)))
    clf.set_params(tree__max_depth=5, line=GaussianNB())
    assert clf.estimators[1][1].max_depth == 5
    assert isinstance(clf.estimators, tuple) and isinstance(clf.get_params()["line"], GaussianNB)
    assert clone(clf).estimators[1][1].max_depth == 5


def test_pipeline_search_and_pickle(moons, pair):
    X, y = moons
    grid = {"pairboostingclassifier__g2__max_depth": [1, 4], "pairboostingclassifier__cv": [None, 3]}
    model = make_pipeline(StandardScaler(), PairBoostingClassifier(tuple(pair)))
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y)
    best = search.best_estimator_[-1]
    depth = search.best_params_["pairboostingclassifier__g2__max_depth"]
    assert best.estimators_[1].get_depth() <= depth == best.estimators[1].max_depth
    assert np.array_equal(pickle.loads(pickle.dumps(search)).predict(X), search.predict(X))


def test_what_the_classifiers_take_may_be_given(moons, pair):
    X, y = moons
    frame = pd.DataFrame(X, columns=["height", "width"])
    clf = PairBoostingClassifier(pair).fit(frame, y)
    assert clf.feature_names_in_.tolist() == ["height", "width"]
    assert clf.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names"):
        clf.predict(frame[["width", "height"]])
    dense = clf.decision_function(frame)
    assert np.allclose(
        PairBoostingClassifier(pair).fit(csr_matrix(X), y).decision_function(csr_matrix(X)), dense
    )

    texts, spam = ["buy gold", "buy now", "see you", "call you"], [1, 1, 0, 0]
    words, letters = (
        make_pipeline(CountVectorizer(analyzer=kind), MultinomialNB()) for kind in ("word", "char")
    )
    assert PairBoostingClassifier((words, letters)).fit(texts, spam).predict(["gold now"]).tolist() == [1]


def test_leave_one_out_error(moons, pair):
    X, y = moons
    weights = np.random.default_rng(0).integers(0, 3, size=60).astype(float)
    clf = PairBoostingClassifier(pair)
    assert not hasattr(clf, "loo_error_")
    clf.fit(X, y, weights)
    used = weights > 0
    scores = clf.estimator_scores(X)[used]
    error = leave_one_out(scores, y[used], weights[used]).error
    assert clf.loo_error_ == pytest.approx(error / weights[used].mean())
    assert clf.line_.weight / weights.sum() <= clf.loo_error_ <= 1
    assert clf.fit(X, y).loo_error_ != pytest.approx(error / weights[used].mean())


@pytest.mark.parametrize(
    "estimators, words",
    [
        ([GaussianNB()], "estimators must be 2 classifiers, or as many .* got 1 of them"),
        ([GaussianNB()] * 3, "estimators must be 2 classifiers, .* got 3 of them"),
        (GaussianNB(), r"estimators must be 2 classifiers, .* got GaussianNB\(\)"),
        ([("a", GaussianNB()), ("a", GaussianNB())], "estimators must have distinct strings .* got 'a'"),
        ([("a__b", GaussianNB()), ("a", GaussianNB())], "without '__', .* got 'a__b'"),
        (
            [("cv", GaussianNB()), ("a", GaussianNB())],
            r"parameters' own \(class_weight, cv, estimators\), got 'cv'",
        ),
        ([GaussianNB(), LinearRegression()], r"must be classifiers, got LinearRegression\(\) for g2"),
        ([GaussianNB, GaussianNB()], "must be classifiers, got <class .* for g1"),
    ],
)
def test_unusable_estimators(moons, estimators, words):
    with pytest.raises(ValueError, match=words):
        PairBoostingClassifier(estimators).fit(*moons)


@pytest.mark.parametrize(
    "cv, words",
    [
        ("loo", "cv must be None, 'prefit', .* got 'loo'"),
        (ShuffleSplit(3, random_state=0), "cv must test every row exactly once"),
        ([], "cv must test every row exactly once"),
        ([1], r"cv must give pairs \(train, test\) of indices or masks of the 60 rows: .*int"),
        (["ab"], r"cv must give pairs \(train, test\)"),
        ([(np.arange(60), np.arange(60), np.arange(60))], r"cv must give pairs \(train, test\)"),
        ([(np.arange(60), np.arange(60, 120))], "indices or masks of the 60 rows: index 60 is out of bounds"),
        ([(np.arange(61), np.arange(60))], "indices or masks of the 60 rows: index 60 is out of bounds"),
        ([(np.ones(30, bool), np.ones(60, bool))], "indices or masks of the 60 rows: boolean index"),
        ([(np.arange(60.0), np.arange(60))], "indices or masks of the 60 rows: arrays used as indices"),
        ([(3, np.arange(60))], r"indices or masks of the 60 rows: got shapes \(\) and \(60,\)"),
        ([(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))], "fitted to the classes"),
    ],
)
def test_unusable_splits(moons, cv, words):
    X, y = moons
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match=words):
        PairBoostingClassifier((GaussianNB(), GaussianNB()), cv=cv).fit(X[order], y[order])


def test_three_classes_and_scores_that_are_not_numbers(moons, pair):
    X, y = moons
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        PairBoostingClassifier(pair).fit(X, np.arange(60) % 3)

    class Broken(GaussianNB):
        def predict_proba(self, X):
            return np.full((len(X), 2), np.nan)

    with pytest.raises(ValueError, match="predict_proba of g2 must give one finite number per row, got"):
        PairBoostingClassifier([GaussianNB(), Broken()]).fit(X, y)
