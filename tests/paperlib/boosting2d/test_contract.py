"""scikit-learn's own suite on the meta-estimators."""

from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.boosting2d import GreedyPairBoosting, HierarchicalPairBoosting, PairBoostingClassifier


def stumps():
    return [DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 2)]


ESTIMATORS = [
    PairBoostingClassifier((LogisticRegression(), GaussianNB())),
    PairBoostingClassifier([("a", LogisticRegression()), ("b", RidgeClassifier())], cv=3),
    GreedyPairBoosting([LogisticRegression(), GaussianNB(), *stumps()]),
    HierarchicalPairBoosting([LogisticRegression(), GaussianNB(), *stumps()]),
]


@parametrize_with_checks(
    ESTIMATORS,
    expected_failed_checks=lambda estimator: (
        {"check_class_weight_classifiers": "the lightest line still has light rows right, where it may"}
        if estimator.cv is None
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
