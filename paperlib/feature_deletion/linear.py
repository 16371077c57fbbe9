"""What the linear classifiers of this wing have in common."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class LinearBinaryClassifier(ClassifierMixin):
    """Predicts by ``sign(coef_ . x + intercept_)``."""

    def decision_function(self, X):
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
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X @ self.coef_[0] + self.intercept_[0]

    def predict(self, X):
        """Return the class of each row of `X`, shape (m,); ``classes_[0]`` on the hyperplane."""
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
