"""The mean classifier as a scikit-learn estimator."""

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from paperlib._common.classifier import BinaryClassifier
from paperlib._common.kernels import Gamma, bind_kernel, quadratic_form
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_sample_weight
from paperlib.kernel_mean.kernel_selection import Kernel


class KernelMeanClassifier(BinaryClassifier, BaseEstimator):
    """Classify by the mean similarity to the positive sample minus that to the negative one.

    The decision function is ``f(x) = (1/n) sum_i y_i K(x_i, x)``, Equation (1) of the paper: all weights are
    equal and nothing is optimised. It minimises the linear loss ``1 - y f(x)`` over a ball (Lemma 4), and
    symmetric label noise leaves its direction unchanged in expectation (Lemma 10).

    Parameters
    ----------
    kernel : {"rbf", "linear", "polynomial", "precomputed"} or callable, default="rbf"
        A callable takes two arrays (a, d), (b, d) and returns the kernel matrix (a, b). With
        ``"precomputed"`` `X` is the kernel matrix: (n, n) in `fit`, (m, n) afterwards. ``"poly"`` is
        another name of ``"polynomial"``.
    gamma : float > 0, "scale", "auto" or None, default=None
        ``K(x, x') = exp(-gamma ||x - x'||^2)`` for ``"rbf"`` and ``(gamma <x, x'> + coef0)^degree`` for
        ``"polynomial"``; in units of one over squared feature. As in scikit-learn ``"scale"`` is
        ``1 / (n_features Var(X))``, all entries of all rows counting alike (1 where they are equal), and
        ``"auto"`` is ``1 / n_features``, as is None. The paper's own Gaussian (Section 2.1) is ``gamma=0.5``.
    degree : int >= 1, default=3
        Of the polynomial kernel.
    coef0 : float >= 0, default=1.0
        Of the polynomial kernel.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    dual_coef_ : ndarray of shape (n,)
        ``y_i / n``, or ``y_i`` times the normalised sample weight; absolute values sum to 1.
    X_fit_ : ndarray of shape (n, d)
        The training sample (for a precomputed kernel, the kernel matrix). A Gaussian kernel keeps a float32
        sample as it is, and then scores in single precision, twice as fast; see Notes.
    norm_ : float
        ``||Phi(S)||``, the length of the mean vector ("self-similarity", Section 3.4); ``1 - norm_`` is the
        smallest linear loss over the unit ball (Lemma 4). Computed when first asked for, in O(n^2 d) time
        and O(n d) memory.
    n_features_in_ : int

    Raises
    ------
    ValueError
        If `X` or `y` is empty, of different lengths or not finite, if `y` has not exactly two classes, if
        weights are negative or sum to zero, or for an unknown kernel or a parameter out of its range.

    Notes
    -----
    ``predict`` gives ``classes_[0]`` where the score is not positive. The paper counts a score of exactly
    zero as abstaining, hence as an error for either label (Section 2).

    Fitted to a float32 sample with ``kernel="rbf"`` a score is within ``2^-23 (d + 4) (1 + h) + 2^-16`` times
    ``sum_i |dual_coef_[i]| K(x_i, x)`` of its value, where ``h`` is `gamma` times the squared distances of
    ``x`` and of the farthest example to the sample's mean. Everything else is computed in double precision.

    References
    ----------
    B. van Rooyen, A. K. Menon, R. C. Williamson, "Sparse Robust Classification via the Kernel Mean",
    Equation (1), Lemma 4, Section 3.4.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import KernelMeanClassifier
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> y = np.array([-1, -1, 1, 1])
    >>> clf = KernelMeanClassifier(gamma=0.5).fit(X, y)
    >>> clf.predict([[0.4], [4.4]]).tolist()
    [-1, 1]
    >>> round(clf.norm_, 3)
    0.633
    """

    def __init__(
        self, kernel: Kernel = "rbf", gamma: Gamma = None, *, degree: int = 3, coef0: float = 1.0
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Store the sample and its weights.

        Parameters
        ----------
        X : array-like of shape (n, d), or the kernel matrix (n, n) when precomputed
        y : array-like of shape (n,)
            Two distinct labels of any type; the larger one is positive.
        sample_weight : array-like of shape (n,), optional
            Non-negative, with a positive sum.

        Returns
        -------
        self
        """
        kinds = [np.float64, np.float32] if self.kernel == "rbf" else np.float64
        rows, labels = validate_data(self, X, y, dtype=kinds)
        weights = check_sample_weight(sample_weight, rows.shape[0])
        classes, signs = check_binary_labels(labels, weights)
        kernel, points = bind_kernel(self.kernel, rows, self.gamma, self.degree, self.coef0)

        self.classes_ = classes
        self.dual_coef_ = signs * weights / weights.sum()
        self.X_fit_ = rows
        self._kernel, self._points = kernel, points
        self._scores = kernel.prepare(points, self.dual_coef_)
        self.__dict__.pop("norm_", None)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return ``f(x) = sum_i dual_coef_[i] K(x_i, x)`` for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (m, d), or kernel values (m, n) with the training sample when precomputed

        Returns
        -------
        ndarray of shape (m,)
            Positive for ``classes_[1]``. Time O(m n d); memory does not grow with m n.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        if self._precomputed:
            return rows.astype(np.float64, copy=False) @ self.dual_coef_
        return self._scores(rows)

    @cached_property
    def norm_(self) -> float:
        check_is_fitted(self, "dual_coef_")
        points = self._points if self._precomputed else self._points.astype(np.float64, copy=False)
        return float(np.sqrt(quadratic_form(self._kernel, points, self.dual_coef_)))

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        return tags
