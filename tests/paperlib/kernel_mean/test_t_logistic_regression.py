"""The t-logistic loss as an estimator."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.kernel_mean import TLogisticRegression, losses


@parametrize_with_checks([TLogisticRegression()])
def test_t_logistic_regression_is_an_estimator(estimator, check):
    check(estimator)


def test_t_logistic_regression_stops_where_the_gradient_is_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "b", "a")
    clf = TLogisticRegression(C=0.5).fit(X, y)
    w = np.append(clf.coef_[0], clf.intercept_)
    Z, signs = np.column_stack([X, np.ones(80)]), np.where(y == "b", 1, -1)

    def risk(w):
        return w[:-1] @ w[:-1] / 2 + 0.5 * losses.t_logistic(signs, Z @ w).sum()

    for step in 1e-3 * np.vstack([np.eye(6), -np.eye(6)]):
        assert risk(w) <= risk(w + step)
    assert (clf.predict(X) == np.where(clf.decision_function(X) > 0, "b", "a")).all()
    for bad in ({"C": 0}, {"max_iter": 0}):
        with pytest.raises(ValueError, match="must be"):
            TLogisticRegression(**bad).fit(X, y)
