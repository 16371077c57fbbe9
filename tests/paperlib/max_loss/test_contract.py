"""scikit-learn's own suite on FOLClassifier."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.max_loss import FOLClassifier

ESTIMATORS = [
    FOLClassifier(random_state=0),
    FOLClassifier(output="average", gamma=0.3, random_state=0),
    FOLClassifier(output="majority", n_rounds=20_000, fit_intercept=False, random_state=0),
    FOLClassifier(slack_budget=2.0, slack_norm="l2", n_rounds=20_000, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
