"""A linear model trained by subgradients, on examples that an adversary or chance has deleted features of."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.validation import check_binary_labels, check_number
from paperlib.experiments.feature_deletion.subgradients import descend


class SubgradientClassifier(LinearBinaryClassifier, BaseEstimator):
    """Average of all hypotheses of subgradient descent on the hinge loss after deletions.

    Nothing but the number of steps and their size holds the weights small. With a penalty ``|w|^2`` in their
    place the worst deletions would give FDROP's objective.

    Parameters
    ----------
    n_deleted : int >= 0, default=0
        Features that the adversary deletes of each example, the worst for the weights at that step.
    rate : float in [0, 1), default=0.0
        Probability that a feature is deleted at random instead (dropout); `n_deleted` must be 0 then. What is
        left is divided by ``1 - rate``.
    step : float > 0, default=0.1
        Size of a step, in units of 1 / (mean of |x|^2).
    n_passes : int >= 1, default=20
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Of the order of the examples, and of what is deleted at random.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    Raises
    ------
    ValueError
        For a parameter out of range, both kinds of deletion at once, or `y` without exactly two classes.

    Examples
    --------
    >>> X = [[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]]
    >>> clf = SubgradientClassifier(n_deleted=1, random_state=0).fit(X, [1, 0])
    >>> clf.predict([[0.0, 1.0, 1.0], [-1.0, 0.0, -1.0]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        n_deleted: int = 0,
        *,
        rate: float = 0.0,
        step: float = 0.1,
        n_passes: int = 20,
        random_state: RandomState = None,
    ) -> None:
        self.n_deleted = n_deleted
        self.rate = rate
        self.step = step
        self.n_passes = n_passes
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on `X` of shape (m, n_features) and `y` of shape (m,), two labels; return self."""
        count = int(check_number(self.n_deleted, "n_deleted", low=0, integer=True))
        rate = check_number(self.rate, "rate", low=0, high=1, open_high=True)
        step = check_number(self.step, "step", low=0, open_low=True)
        n_passes = int(check_number(self.n_passes, "n_passes", low=1, integer=True))
        if count and rate:
            raise ValueError(f"n_deleted and rate must not both be positive, got {count} and {rate}")
        rows, labels = self._validate(X, y, order="C")
        self.classes_, signs = check_binary_labels(labels, np.ones(len(labels)))
        if count >= rows.shape[1]:
            raise ValueError(f"n_deleted must be below the {rows.shape[1]} features, got {count}")
        rng, (m, n) = check_random_state(self.random_state), rows.shape
        step /= max(np.square(rows).sum(axis=1).mean(), 1e-300)
        w, total, kept = np.zeros(n + 1), np.zeros(n + 1), None
        for _ in range(n_passes):
            order = rng.permutation(m)
            if rate:
                kept = (rng.uniform(size=(m, n)) >= rate) / (1.0 - rate)
            descend(rows, signs, order, count, kept, step, w, total)
        total /= m * n_passes
        self.coef_, self.intercept_ = total[None, :-1], total[-1:]
        return self
