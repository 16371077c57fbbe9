"""The t-logistic loss as a linear classifier."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.validation import check_binary_labels, check_number
from paperlib.kernel_mean.losses import t_logistic, t_logistic_slope


class TLogisticRegression(LinearBinaryClassifier, BaseEstimator):
    """Logistic regression with the t-logistic loss (t = 2): bent less by outliers, and not convex.

    Minimises ``||w||^2 / 2 + C sum_i l(y_i (<w, x_i> + b))`` by L-BFGS from zero: a local minimum, the one
    that the direction of the mean leads to. The intercept is always fitted, and not penalised.

    Parameters
    ----------
    C : float > 0, default=1.0
        As in scikit-learn's `LogisticRegression`.
    max_iter : int >= 1, default=500
        Iterations of L-BFGS at most.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        Iterations of L-BFGS that were made, at least 1.
    n_features_in_ : int

    References
    ----------
    N. Ding, S. V. N. Vishwanathan, "t-Logistic Regression", NIPS 2010.

    Examples
    --------
    >>> clf = TLogisticRegression().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> clf.predict([[0.5], [3.5]]).tolist()
    [0, 1]
    """

    def __init__(self, C: float = 1.0, max_iter: int = 500) -> None:
        self.C, self.max_iter = C, max_iter

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to `X` (n, d) and labels `y` (n,) of two classes."""
        C = check_number(self.C, "C", low=0, open_low=True)
        max_iter = check_number(self.max_iter, "max_iter", low=1, integer=True)
        rows, labels = self._validate(X, y)
        self.classes_, signs = check_binary_labels(labels, np.ones(len(labels)))
        signed = signs[:, None] * np.column_stack([rows, np.ones(len(rows))])

        def objective(w):
            margins = signed @ w
            ridge = np.append(w[:-1], 0.0)
            return ridge @ ridge / 2 + C * t_logistic(1.0, margins).sum(), ridge + C * (
                t_logistic_slope(margins) @ signed
            )

        start = np.zeros(signed.shape[1])
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
        self.coef_, self.intercept_, self.n_iter_ = found.x[None, :-1], found.x[-1:], max(1, found.nit)
        return self
