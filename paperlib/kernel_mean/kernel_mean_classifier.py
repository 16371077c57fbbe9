"""The mean classifier as a scikit-learn estimator."""

from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from paperlib._common.all_or_nothing import whole
from paperlib._common.chunks import is_dask
from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.classifier import BinaryClassifier
from paperlib._common.kernels import Gamma, Linear, bind_kernel, check_range, quadratic_form
from paperlib._common.lazy_rows import map_rows
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.threads import check_n_jobs
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_number, check_sample_weight
from paperlib.kernel_mean._leave_one_out.scores import leave_one_out_scores
from paperlib.kernel_mean._leave_one_out.thresholds import best_threshold
from paperlib.kernel_mean._validation.rows import own
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
        ``1 / (n_features Var(X))`` over all entries (1 where they are equal), those of a row counting by its
        `sample_weight`, whatever its `class_weight`, and ``"auto"`` is ``1 / n_features``, as is None. The
        paper's own Gaussian (Section 2.1) is ``gamma=0.5``.
    degree : int >= 1, default=3
        Of the polynomial kernel.
    coef0 : float >= 0, default=1.0
        Of the polynomial kernel.
    class_weight : "balanced", dict or None, default=None
        What an example's weight is multiplied by; a class that a dict leaves out has weight 1. With
        ``"balanced"`` both classes have the same sum of weights: the score is half the mean similarity to the
        positive examples less that to the negative ones. Where classes are unequal the plain mean leans to
        the larger one, the more the wider the kernel.
    threshold : float, "error" or "balanced_error", default=0.0
        A score above it is positive. By name, the one of least leave-one-out error on the training labels,
        or of least mean of the two classes' errors; see Notes. Of several that are equally good it is the one
        nearest to zero.
    n_jobs : int or None, default=None
        Threads of a dense Gaussian kernel: None is 1, -1 all cores. The scores do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    dual_coef_ : ndarray of shape (n,)
        ``y_i / n``, or ``y_i`` times the normalised weight; absolute values sum to 1.
    intercept_ : float
        Minus the threshold.
    X_fit_ : ndarray or CSR matrix of shape (n, d)
        The training sample, a copy of an array in memory. A memory map is not copied, nor a precomputed
        kernel's matrix, which is what this is then: leave them as they are while `norm_` may be asked for. A
        Gaussian kernel keeps a float32 sample, and then scores in single precision, twice as fast; see Notes.
    norm_ : float
        ``||Phi(S)||``, the length of the mean vector ("self-similarity", Section 3.4); ``1 - norm_`` is the
        smallest linear loss over the unit ball (Lemma 4). Computed when first asked for, in O(n^2 d) time
        and O(n d) memory.
    n_features_in_ : int

    Raises
    ------
    ValueError
        If `X` or `y` is empty, of different lengths or not finite, if `y` has not exactly two classes, if
        weights are negative or sum to zero, for an unknown kernel, threshold or class, a parameter out of its
        range, or if the data are so large or small that kernel values overflow, or all vanish.

    Notes
    -----
    ``predict`` gives ``classes_[0]`` where the score is not positive. The paper counts a score of exactly
    zero as abstaining, hence as an error for either label (Section 2).

    A threshold by name is robust to label noise as the mean is: with many examples noise does not move it.

    - ``"error"`` assumes symmetric noise, of a rate ``sigma`` below 1/2 that need not be known: an error of
      ``e`` on the true labels is one of ``sigma + (1 - 2 sigma) e`` on the noisy ones, least at the same
      threshold. Examples count by `sample_weight`.
    - ``"balanced_error"`` assumes that the noise does not depend on the instance given its label, and may
      have two rates: if shares ``alpha`` of the examples labelled positive and ``beta`` of those labelled
      negative are wrong, ``alpha + beta < 1``, the balanced error is ``(alpha + beta) / 2 + (1 - alpha -
      beta) e`` (Menon and others). It is not the threshold of least error where classes are unequal.

    Noise brings the errors of all thresholds nearer to each other: with n examples and symmetric noise those
    that differ by less than about ``1 / ((1 - 2 sigma) sqrt(n))`` are not told apart. Leaving out is exact
    and costs two kernel sums over the sample; an example is left out with all of its weight, since copies of
    it that stayed would vouch for it. So the threshold does not depend on the scale of weights, and repeated
    rows have another.

    Fitted to a float32 sample with ``kernel="rbf"`` a score is within ``2^-23 (d + 4) (1 + h) + 2^-16`` times
    ``sum_i |dual_coef_[i]| K(x_i, x)`` of its value, where ``h`` is `gamma` times the squared distances of
    ``x`` and of the farthest example to the sample's mean. Everything else is computed in double precision.

    References
    ----------
    B. van Rooyen, A. K. Menon, R. C. Williamson, "Sparse Robust Classification via the Kernel Mean",
    Equation (1), Lemma 4, Section 3.4.

    A. K. Menon, B. van Rooyen, C. S. Ong, R. C. Williamson, "Learning from Corrupted Binary Labels via
    Class-Probability Estimation", ICML 2015: thresholds of the balanced error under label noise.

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
    >>> y = np.array([-1, 1, 1, 1])  # the mean of unequal classes leans to the larger one
    >>> KernelMeanClassifier(gamma=0.01).fit(X, y).predict([[0.0], [5.0]]).tolist()
    [1, 1]
    >>> KernelMeanClassifier(gamma=0.01, class_weight="balanced").fit(X, y).predict([[0.0], [5.0]]).tolist()
    [-1, 1]
    """

    def __init__(
        self,
        kernel: Kernel = "rbf",
        gamma: Gamma = None,
        *,
        degree: int = 3,
        coef0: float = 1.0,
        class_weight: ClassWeight = None,
        threshold: float | Literal["error", "balanced_error"] = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.threshold = threshold
        self.n_jobs = n_jobs

    @whole
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Store the sample and its weights.

        Parameters
        ----------
        X : array-like of shape (n, d), or the kernel matrix (n, n) when precomputed
            For the Gaussian and the linear kernel also a sparse matrix, which stays sparse.
        y : array-like of shape (n,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (n,), optional
            Non-negative, with a positive sum: an integer is as many copies, zero leaves a row out. Only a
            threshold by name takes a row for one: it is left out with all of its weight.

        Returns
        -------
        self
        """
        kinds = [np.float64, np.float32] if self.kernel == "rbf" else np.float64
        rows, labels = validate_data(self, X, y, dtype=kinds, accept_sparse=self._sparse)
        rows = rows.astype(np.float64, copy=False) if issparse(rows) else rows
        rows = rows if self._precomputed else own(rows, X)
        weights = check_sample_weight(sample_weight, rows.shape[0])
        classes, signs = check_binary_labels(labels, weights)
        counted, weights = (
            weights,
            weigh_classes(self.class_weight, classes, (signs > 0).astype(int), weights),
        )
        threads = check_n_jobs(self.n_jobs)
        widths = self.gamma, self.degree, self.coef0
        kernel, points = bind_kernel(self.kernel, rows, *widths, threads, counted)
        check_range(kernel, points)

        self.classes_ = classes
        self.dual_coef_ = signs * weights / weights.sum()
        self.X_fit_ = rows
        self._kernel, self._points = kernel, points
        with np.errstate(over="ignore", invalid="ignore"):  # of squared lengths; scores are checked
            if isinstance(kernel, Linear):  # the mean vector is all that scores need
                self._scores = kernel.prepare((points.T @ self.dual_coef_)[None], np.ones(1))
            else:
                self._scores = kernel.prepare(points, self.dual_coef_)
            # Not "-" alone: the intercept of a threshold of zero would be -0.0.
            self.intercept_ = 0.0 - self._threshold(signs, counted)
        self.__dict__.pop("norm_", None)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return ``f(x) = sum_i dual_coef_[i] K(x_i, x) + intercept_`` for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (m, d), or kernel values (m, n) with the training sample when precomputed
            Sparse as in `fit`; or a dask array, chunked along its rows.

        Returns
        -------
        ndarray of shape (m,), or dask array that is computed when asked for
            Positive for ``classes_[1]``. Time O(m n d); memory does not grow with m n.
        """
        check_is_fitted(self)
        if is_dask(X):
            return map_rows(self.decision_function, X)
        rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], accept_sparse=self._sparse)
        if self._precomputed:
            return rows.astype(np.float64, copy=False) @ self.dual_coef_ + self.intercept_
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._scores(rows)
        if not np.isfinite(scores).all():
            raise ValueError("X has rows whose kernel values overflow: scale the data, in fit as here")
        return scores + self.intercept_

    def _threshold(self, signs, weights):
        if not isinstance(self.threshold, str):
            return check_number(self.threshold, "threshold")
        if self.threshold not in ("error", "balanced_error"):
            raise ValueError(
                f"threshold must be a finite number, 'error' or 'balanced_error', got {self.threshold!r}"
            )
        balanced = isinstance(self.class_weight, str)
        scores = leave_one_out_scores(self._kernel, self._points, self.dual_coef_, balanced)
        if self.threshold == "balanced_error":
            weights = weigh_classes("balanced", self.classes_, (signs > 0).astype(int), weights)
        return best_threshold(scores, signs, weights)

    @cached_property
    def norm_(self) -> float:
        check_is_fitted(self, "dual_coef_")
        points = self._points if self._precomputed else self._points.astype(np.float64, copy=False)
        return float(np.sqrt(quadratic_form(self._kernel, points, self.dual_coef_)))

    @property
    def _sparse(self):
        """What `accept_sparse` of scikit-learn's validation takes."""
        return "csr" if isinstance(self.kernel, str) and self.kernel in ("rbf", "linear") else False

    @property
    def _precomputed(self):
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = bool(self._sparse)
        return tags
