"""Trees of pairs: what was boosted with what, and that the tree is what predicts."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from paperlib.boosting2d import (
    GreedyPairBoosting,
    HierarchicalPairBoosting,
    PairBoostingClassifier,
    optimal_separator,
)
from paperlib.boosting2d.heuristics import correlation_distances

BOTH = [GreedyPairBoosting, HierarchicalPairBoosting]


def classifiers(k):
    trees = [DecisionTreeClassifier(max_depth=2, max_features=1, random_state=i) for i in range(k)]
    return [LogisticRegression(), GaussianNB(), *trees][:k]


@pytest.fixture
def moons():
    return make_moons(60, noise=0.4, random_state=1)


@pytest.mark.parametrize("Boosting", BOTH)
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_the_tree_is_what_predicts(moons, Boosting, k):
    X, y = moons
    clf = Boosting(classifiers(k)).fit(X, y)
    assert len(clf.steps_) == k - 1
    used = sorted(i for step in clf.steps_ for i in (step.left, step.right))
    assert used == list(range(2 * k - 2))
    columns, weights = list(clf.scores_.T), [(each.predict(X) != y).sum() for each in clf.estimators_]
    for left, right, line in clf.steps_:
        both = np.column_stack([columns[left], columns[right]])
        assert line.weight == optimal_separator(both, y).weight <= min(weights[left], weights[right])
        columns.append(both @ line.normal + line.offset)
        weights.append(line.weight)
    assert np.array_equal(clf.decision_function(X), columns[-1])
    assert (clf.predict(X) != y).sum() == weights[-1]
    assert np.allclose(
        clf.scores_ @ clf.score_coef_[0] + clf.score_intercept_, columns[-1], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("Boosting", BOTH)
def test_two_classifiers_are_a_pair(moons, Boosting):
    X, y = moons
    pair = PairBoostingClassifier(classifiers(2)).fit(X, y)
    assert np.array_equal(Boosting(classifiers(2)).fit(X, y).score_coef_, pair.score_coef_)


@pytest.mark.parametrize("Boosting", BOTH)
def test_one_classifier_is_left_as_it_is(moons, Boosting):
    X, y = moons
    clf = Boosting([LogisticRegression()]).fit(X, y)
    assert np.array_equal(clf.decision_function(X), LogisticRegression().fit(X, y).decision_function(X))
    assert (clf.score_coef_.tolist(), clf.score_intercept_.tolist()) == ([[1.0]], [0.0])


def test_every_greedy_choice_is_the_best_pair(moons):
    X, y = moons
    clf = GreedyPairBoosting(classifiers(5)).fit(X, y)
    columns = dict(enumerate(clf.scores_.T))
    for i, (left, right, line) in enumerate(clf.steps_):
        keys = {}
        for pair in combinations(columns, 2):
            other = optimal_separator(np.column_stack([columns[j] for j in pair]), y)
            score = np.column_stack([columns[j] for j in pair]) @ other.normal + other.offset
            keys[pair] = (other.weight, -other.margin / score.std())
        assert keys[left, right] == pytest.approx(min(keys.values()))
        columns[5 + i] = np.column_stack([columns.pop(left), columns.pop(right)]) @ line.normal + line.offset


class Score(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose score is a column of the input."""

    def __init__(self, column, unit=1.0):
        self.column, self.unit = column, unit
        self.classes_ = np.array([0, 1])

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return self.unit * X[:, self.column]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6, 1e200])
def test_a_pair_has_no_advantage_from_its_unit(unit):
    """Two pairs separate the classes: the second with the wider street, beside its points."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    far, near = rng.normal(size=(40, 2)) + 9.0 * y[:, None], rng.normal(size=(40, 2)) + 30.0 * y[:, None]
    X = np.column_stack([far, near])
    units = [unit, unit, 1.0, 1.0]
    clf = GreedyPairBoosting([Score(k, units[k]) for k in range(4)], cv="prefit")
    if unit > 1e120:
        with pytest.raises(ValueError, match="the scores of estimators must have columns of extents within"):
            clf.fit(X, y)
    else:
        assert (clf.fit(X, y).steps_[0].left, clf.steps_[0].right) == (2, 3)


@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_the_hierarchy_is_the_clustering_of_scores(moons, method):
    X, y = moons
    clf = HierarchicalPairBoosting(classifiers(6), linkage=method).fit(X, y)
    expected = linkage(pdist(clf.scores_.T, "correlation"), method)
    assert np.allclose(clf.linkage_, expected)
    assert [(step.left, step.right) for step in clf.steps_] == [tuple(row) for row in expected[:, :2]]


def test_correlation_distances():
    rng = np.random.default_rng(0)
    scores, repeats = rng.normal(size=(12, 4)), rng.integers(1, 4, size=12)
    scores[:, 3] = 0.1
    found = correlation_distances(scores, repeats.astype(float))
    assert np.allclose(found[:3, :3], 1 - np.corrcoef(np.repeat(scores[:, :3], repeats, axis=0).T))
    assert found[3].tolist() == [1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("Boosting", BOTH)
def test_weights_held_out_scores_and_parameters(moons, Boosting):
    X, y = moons
    weights = np.random.default_rng(0).integers(0, 4, size=60).astype(float)
    clf = clone(Boosting(tuple(zip("abc", classifiers(3))), cv=3).set_params(c__max_depth=1)).fit(
        X, y, weights
    )
    assert clf.estimators_[2].get_depth() == 1
    assert clf.scores_.shape == (np.count_nonzero(weights), 3)
    assert clf.steps_[-1].line.weight <= weights[y == 1].sum()


@pytest.mark.parametrize(
    "estimators, words",
    [([], "at least one classifier, .* got 0 of them"), (None, "at least one classifier, .* got None")],
)
@pytest.mark.parametrize("Boosting", BOTH)
def test_unusable_estimators(moons, Boosting, estimators, words):
    with pytest.raises(ValueError, match=words):
        Boosting(estimators).fit(*moons)


def test_unknown_linkage(moons):
    with pytest.raises(ValueError, match=r"linkage must be one of 'average'.* got 'ward'"):
        HierarchicalPairBoosting(classifiers(3), linkage="ward").fit(*moons)
