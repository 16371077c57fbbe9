"""The average of linear SVMs, each of which sees some of the features only."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.validation import check_binary_labels, check_number
from paperlib.experiments.feature_deletion.baselines import hinge_svm


class FeatureBagging(LinearBinaryClassifier, BaseEstimator):
    """Average the weights of linear SVMs on random subsets of the features (Bryll et al. 2003).

    Parameters
    ----------
    share : float in (0, 1], default=0.5
        Of the features, that each SVM sees, rounded up.
    C : float > 0, default=1.0
        Of the SVMs.
    n_members : int >= 1, default=10
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    Raises
    ------
    ValueError
        For a parameter out of range, or `y` without exactly two classes.

    Examples
    --------
    >>> FeatureBagging(1.0, C=0.1).fit([[0.0], [1.0]], [0, 1]).coef_.round(6).tolist()
    [[0.1]]
    """

    def __init__(
        self, share: float = 0.5, *, C: float = 1.0, n_members: int = 10, random_state: RandomState = None
    ) -> None:
        self.share = share
        self.C = C
        self.n_members = n_members
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` of shape (m, n_features) and `y` of shape (m,), two labels; return self."""
        share = check_number(self.share, "share", low=0, high=1, open_low=True)
        n_members = int(check_number(self.n_members, "n_members", low=1, integer=True))
        rows, labels = self._validate(X, y)
        self.classes_, _ = check_binary_labels(labels, np.ones(len(labels)))
        rng, n = check_random_state(self.random_state), rows.shape[1]
        w, b = np.zeros(n), 0.0
        for _ in range(n_members):
            seen = rng.permutation(n)[: int(np.ceil(share * n))]
            member = hinge_svm(self.C).fit(rows[:, seen], labels)
            w[seen] += member.coef_[0] / n_members
            b += float(member.intercept_[0]) / n_members
        self.coef_, self.intercept_ = w[None], np.array([b])
        return self
