"""Base class of the linear classifiers that take sparse data."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Floats


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
