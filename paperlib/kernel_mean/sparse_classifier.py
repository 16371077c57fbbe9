"""Thinning a fitted kernel classifier of scikit-learn: its expansion made sparse, everything else kept."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, NuSVC
from sklearn.utils.validation import check_is_fitted

from paperlib._common.classifier import BinaryClassifier
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Floats
from paperlib.kernel_mean.kernel_mean_classifier import KernelMeanClassifier
from paperlib.kernel_mean.sparse_expansion import SparseExpansion, sparsify


class SparseKernelClassifier(BinaryClassifier, BaseEstimator):
    """Thinned classifier of `sparsify_classifier`, ``sign(sum_j weights[j] K(x_j, x) + intercept)``.

    It is made from a fitted classifier and cannot be fitted itself.

    Parameters
    ----------
    classes : ndarray of shape (2,)
    expansion : SparseExpansion
    intercept : float
    n_features_in : int
    feature_names_in : ndarray of shape (n_features_in,), optional

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    expansion_ : SparseExpansion
        Its `error` bounds how far a score can be from the classifier's, times ``sqrt(K(x, x))``; `support`
        are rows of the classifier's own expansion, such as of ``support_vectors_``.
    intercept_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The columns' names, if the classifier was fitted to a data frame.

    Examples
    --------
    >>> from paperlib.kernel_mean import KernelMeanClassifier, sparsify_classifier
    >>> mean = KernelMeanClassifier().fit([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1])
    >>> thin = sparsify_classifier(mean, 2, method="project", random_state=0)
    >>> thin.predict([[1.0], [4.0]]).tolist(), len(thin.expansion_.support)
    ([0, 1], 2)
    """

    def __init__(
        self,
        classes: NDArray[Any],
        expansion: SparseExpansion,
        intercept: float,
        n_features_in: int,
        feature_names_in: NDArray[Any] | None = None,
    ) -> None:
        self.classes, self.expansion = classes, expansion
        self.intercept, self.n_features_in = intercept, n_features_in
        self.feature_names_in = feature_names_in
        self.classes_, self.expansion_ = classes, expansion
        self.intercept_, self.n_features_in_ = intercept, n_features_in
        if feature_names_in is not None:  # scikit-learn asks whether there is such an attribute
            self.feature_names_in_ = feature_names_in

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> NoReturn:
        """Raise ``TypeError``: a thinned classifier is made from a fitted one, weights and all."""
        raise TypeError(
            "SparseKernelClassifier cannot be fitted: fit a classifier and pass it to sparsify_classifier"
        )

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the score of each row of `X`, shape (m,); positive for ``classes_[1]``."""
        check_is_fitted(self, "expansion_")
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return self.expansion_.decision_function(rows) + self.intercept_


def sparsify_classifier(
    classifier: Any, m: int | None = None, **options: Any
) -> SparseKernelClassifier | Pipeline:
    """Thin a fitted binary kernel classifier by approximating its expansion (Sections 5.2 and 5.3).

    Parameters
    ----------
    classifier : SVC, NuSVC, GaussianProcessClassifier or KernelMeanClassifier, or a Pipeline that ends in one
        Fitted, with two classes. A Gaussian process's score is its latent mean.
    m : int, 1 <= m <= number of points in its expansion
    **options
        `tol`, `delta`, `method` and `random_state` of `sparsify`.

    Returns
    -------
    SparseKernelClassifier, or for a Pipeline a Pipeline with the same fitted steps before it

    Raises
    ------
    ValueError
        For another kind of classifier, more than two classes, or a kernel that is precomputed, not positive
        semidefinite ("sigmoid") or a function given to an SVC, which does not keep the points for it.

    Notes
    -----
    Take ``method="moved"`` where the kernel is Gaussian and points need not be real rows. The default,
    ``"greedy"``, keeps support vectors, which lie beside the boundary and nearly at right angles to each
    other in the feature space: no few of them span it. In a few dimensions that costs little; in tens or
    hundreds several times as many points are needed for the same predictions. Share of those of an SVC that
    stay as they were, with "moved" after "greedy":

    =========================  ==============  ============  ============  ============  ============
    data (dimensions)          its vectors     25 points     50            100           200
    =========================  ==============  ============  ============  ============  ============
    two moons (2)              424             1.00, 1.00    1.00, 1.00    1.00, 1.00    1.00, 1.00
    two Gaussians (10)         1,008           .968, .991    .977, .993    .989, .996    .993, .999
    two Gaussians (50)         1,354           .879, .978    .914, .990    .950, .994    .964, .994
    digits, odd or even (64)   198             .857, .999    .962, 1.00    .997, 1.00
    digits (196)               677             .775, .993    .853, .997    .915, .999    .979, 1.00
    =========================  ==============  ============  ============  ============  ============

    "moved" took 0.1 to 3 s for these, "greedy" at most 0.1 s; its draws depend on `random_state`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from paperlib.kernel_mean import sparsify_classifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    >>> X[y == 1] += 2
    >>> svc = SVC().fit(X, y)
    >>> thin = sparsify_classifier(svc, 10, method="project", random_state=0)
    >>> len(svc.support_), len(thin.expansion_.support)
    (61, 10)
    >>> bool(np.mean(thin.predict(X) == svc.predict(X)) > 0.9)
    True
    """
    check_is_fitted(classifier)
    if isinstance(classifier, Pipeline):
        thin = sparsify_classifier(classifier.steps[-1][1], m, **options)
        return Pipeline([*classifier.steps[:-1], (classifier.steps[-1][0], thin)])
    for kind, read in _READERS.items():
        if isinstance(classifier, kind):
            if len(classifier.classes_) != 2:
                raise ValueError(f"classifier must have two classes, got {len(classifier.classes_)}")
            points, weights, intercept, kernel = read(classifier)
            expansion = sparsify(points, weights, m, **kernel, **options)
            names = getattr(classifier, "feature_names_in_", None)
            return SparseKernelClassifier(
                classifier.classes_, expansion, intercept, classifier.n_features_in_, names
            )
    raise ValueError(
        "classifier must be a fitted SVC, NuSVC, GaussianProcessClassifier or KernelMeanClassifier, or a "
        f"Pipeline that ends in one, got {type(classifier).__name__}"
    )


def _read_svc(svc):
    if svc.kernel not in ("rbf", "linear", "poly"):
        raise ValueError(
            f"the classifier's kernel must be 'rbf', 'linear' or 'poly', got {svc.kernel!r}: its points are "
            "not kept, or it is not positive semidefinite"
        )
    points, weights = svc.support_vectors_, svc.dual_coef_
    if not isinstance(points, np.ndarray):
        points, weights = points.toarray(), weights.toarray()
    kernel = {"kernel": svc.kernel, "gamma": float(svc._gamma), "degree": svc.degree, "coef0": svc.coef0}
    return points, weights.ravel(), float(svc.intercept_[0]), kernel


def _read_gaussian_process(gp):
    fitted = gp.base_estimator_
    return fitted.X_train_, fitted.y_train_ - fitted.pi_, 0.0, {"kernel": fitted.kernel_}


def _read_kernel_mean(mean):
    if mean._precomputed:
        raise ValueError("the classifier's kernel must not be precomputed: use sparsify on the kernel matrix")
    gamma = getattr(mean._kernel, "gamma", None)  # the number, which weights may have had a part in
    kernel = {"kernel": mean.kernel, "gamma": gamma, "degree": mean.degree, "coef0": mean.coef0}
    return mean.X_fit_, mean.dual_coef_, mean.intercept_, kernel


_READERS = {
    (SVC, NuSVC): _read_svc,
    GaussianProcessClassifier: _read_gaussian_process,
    KernelMeanClassifier: _read_kernel_mean,
}
