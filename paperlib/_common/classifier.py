"""Base classes of the binary classifiers: prediction by the sign of a score, and scikit-learn's tags."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Floats
from paperlib._common.validation import check_scores


class BinaryClassifier(ClassifierMixin, ABC):
    """Predict ``classes_[1]`` where `decision_function` is positive, else ``classes_[0]``."""

    classes_: np.ndarray

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Return the score of each row of `X`, shape (m,); positive for ``classes_[1]``."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row of `X`, shape (m,); ``classes_[0]`` where the score is zero."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LinearBinaryClassifier(BinaryClassifier):
    """Predict by the sign of ``coef_ . x + intercept_``."""

    coef_: Floats
    intercept_: Floats

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return ``coef_ . x + intercept_`` for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            Positive for ``classes_[1]``.

        Raises
        ------
        ValueError
            For scores beyond the floats, among others.
        """
        check_is_fitted(self)
        return self._scores(validate_data(self, X, reset=False, dtype=np.float64))

    def _scores(self, rows: Any) -> Floats:
        """Return the scores of rows that are valid, dense or sparse, if they are within the floats."""
        with np.errstate(over="ignore", invalid="ignore"):
            return check_scores(rows @ self.coef_[0] + self.intercept_[0])

    def _validate(self, X: ArrayLike, y: ArrayLike, **options: Any) -> tuple[Floats, np.ndarray]:
        """Return `X` and `y` as `validate_data` converts them, and fix the number and names of features."""
        return validate_data(self, X, y, dtype=np.float64, **options)


class SparseLinearClassifier(LinearBinaryClassifier):
    """Linear classifier whose `fit` and `predict` take sparse matrices, too."""

    def decision_function(self, X: Any) -> Floats:
        """Return ``coef_ . x + intercept_`` for each row of `X`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            Positive for ``classes_[1]``.

        Raises
        ------
        ValueError
            For scores beyond the floats, among others.
        """
        check_is_fitted(self)
        return self._scores(validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr"))

    def _validate(self, X: Any, y: Any, **options: Any) -> tuple[Any, np.ndarray]:
        """Return `X`, a ``csr_array`` without repeated entries where it is sparse, and `y`."""
        X, y = super()._validate(X, y, accept_sparse="csr", **options)
        if sp.issparse(X):
            X = sp.csr_array(X, copy=not X.has_canonical_format)
            X.sum_duplicates()
        return X, y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
