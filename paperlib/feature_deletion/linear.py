"""What the linear classifiers of this wing have in common."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from paperlib._common.typing import Floats


class LinearBinaryClassifier(ClassifierMixin):
    """Predicts by ``sign(coef_ . x + intercept_)``."""

    coef_: Floats
    intercept_: Floats
    classes_: np.ndarray

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return ``coef_ . x + intercept_`` for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            Positive for ``classes_[1]``.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return rows @ self.coef_[0] + self.intercept_[0]

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the class of each row of `X`, shape (m,); ``classes_[0]`` on the hyperplane."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def _validate(self, X: ArrayLike, y: ArrayLike, **options: Any) -> tuple[Floats, np.ndarray]:
        """Scikit-learn's `validate_data`, with the types of what it returns."""
        return validate_data(self, X, y, dtype=np.float64, **options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
