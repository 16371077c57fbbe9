"""The rows of a data set in the feature space of a kernel, with coordinates; estimators that learn there."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from sklearn.utils.validation import check_is_fitted

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.kernels import Gamma, resolve_kernel
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.spread import spread
from paperlib._common.typing import Floats
from paperlib._common.validation import check_scores
from paperlib.coresets._solver.coresets import _DEPENDENT, ORIGIN_KERNEL, KernelPlane, WithConstant

MOST_ROWS = 4000  # a Gram matrix of 128 MB


class FeatureSpace:
    """Coordinates (n, r) whose inner products are a kernel's, by the Cholesky factor of its Gram matrix.

    The factor is pivoted, and ends where all rows are in the span of those before, so that r is the rank.

    Parameters
    ----------
    kernel : kernel object
    X : ndarray of shape (n, d), of at most `MOST_ROWS` distinct rows

    Attributes
    ----------
    rows : ndarray of shape (n, r)
    error : float
        Of any inner product of them, and so of the squared length of any convex combination, at most.
    least : float
        Margins up to this are rounding.
    """

    def __init__(self, kernel, X):
        _, first, place = np.unique(X, axis=0, return_index=True, return_inverse=True)
        if len(first) > MOST_ROWS:
            raise ValueError(
                f"X must have at most {MOST_ROWS} distinct rows for a kernel, got {len(first)}: the Gram "
                "matrix of all of them is factored"
            )
        # np.unique numbers rows by their values; argsort twice ranks them by where they first stand.
        place = np.argsort(np.argsort(first))[place.reshape(-1)]  # in the order of the rows
        first = np.sort(first)
        with np.errstate(over="ignore", invalid="ignore"):
            gram = kernel.matrix(X[first], X[first])
        if not np.isfinite(gram).all():
            raise ValueError("kernel must have finite values on the data, got NaN or inf; scale X down")
        gram = (gram + gram.T) / 2.0
        diagonal = np.diagonal(gram).copy()
        size = np.abs(diagonal).max()
        if size > 0.0:
            factor, order, rank, _ = dpstrf(gram, tol=_DEPENDENT * size, lower=1)
        else:
            factor, order, rank = np.zeros((len(first), 1)), np.arange(1, len(first) + 1), 0
        rows = np.zeros((len(first), max(1, rank)))
        # LAPACK counts rows from one, and leaves what was there above the diagonal.
        rows[order - 1, :rank] = np.tril(factor)[:, :rank]
        rest = diagonal - np.einsum("ij,ij->i", rows, rows)
        if rest.min() < -1e-6 * size:
            raise ValueError(
                f"kernel must be positive semidefinite, got a squared length of {rest.min():.3g}"
            )
        # What is left of a Gram matrix has its largest entry on the diagonal; a sum of r products is rounded.
        self.error = float(np.abs(rest).max() + (rank + 2) * np.finfo(float).eps * size)
        self.least = ORIGIN_KERNEL * float(np.sqrt(size))
        self.rows = rows[place]  # the same coordinates for the same point
        self._kernel, self._X, self._pivots = kernel, X, first[order[:rank] - 1]

    def of_hull(self, rows, weights):
        """Return the `KernelPlane` along a combination of rows, whose `weights` have the sign of the class.

        Its weights are as small as can be: no more than one over its margin, together.
        """
        rows, place = np.unique(rows[weights != 0.0], return_inverse=True)
        weights = np.bincount(place, weights[weights != 0.0])
        points = self._X[rows]
        length = np.sqrt(max(0.0, weights @ self._kernel.matrix(points, points) @ weights))
        weights = weights / length if length > 0.0 else weights
        return KernelPlane(weights, self._kernel, points, weights), rows

    def of_normal(self, normal):
        """Return the `KernelPlane` of any normal (r,), whose norm may suffer where rows nearly depend.

        It is for what separates nothing; other hyperplanes have a hull.
        """
        rank = len(self._pivots)
        triangle = self.rows[self._pivots]
        # In the order of the pivots the rows are a lower triangle; `weights` combine them to the normal.
        weights = solve_triangular(triangle, normal[:rank], lower=True, trans="T") if rank else np.zeros(0)
        return self.of_hull(self._pivots, weights)

    def scores(self, plane):
        """Return the scores (n,) of all rows, from the kernel and not from the coordinates."""
        return plane.scores(self._X)

    def bound(self, length):
        """Return what the norm of a convex combination is at most, if it is `length` in coordinates.

        A combination at the origin is there but for rounding.
        """
        return float(np.hypot(length, np.sqrt(self.error))) if length > 0.0 else 0.0


class FeatureSpaceClassifier(LinearBinaryClassifier):
    """An estimator with `kernel`, `gamma`, `degree`, `coef0` and `fit_intercept`, fitted to coordinates."""

    kernel: object
    gamma: Gamma
    degree: int
    coef0: float
    fit_intercept: bool

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the signed distance of each row of `X` to the hyperplane in the feature space, shape (m,).

        It is positive for ``classes_[1]``; `X` is array-like, (m, n_features).
        """
        check_is_fitted(self)
        plane = self.__dict__.get("_plane")
        if plane is None:
            return super().decision_function(X)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return check_scores(plane.scores(rows))

    def __sklearn_is_fitted__(self):
        return "intercept_" in self.__dict__

    def _is_linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _feature_space(self, X, weights=None):
        """Return the `FeatureSpace` of the rows of `X`, or None for the linear kernel: they are in it.

        `weights` (n,) are those of the rows in ``gamma="scale"``.
        """
        widths = self.gamma, self.degree, self.coef0
        kernel = resolve_kernel(self.kernel, *widths, X.shape[1], partial(spread, X, weights))
        if self._is_linear():
            return None
        return FeatureSpace(WithConstant(kernel) if self.fit_intercept else kernel, X)

    def _set_hyperplane(self, normal, space, hull=None):
        """Set the hyperplane of a unit normal, in the space of the data or of a kernel.

        `hull` is the pair of rows and weights whose combination is along the normal, where there is one.
        """
        for name in ("coef_", "_plane", "support_", "dual_coef_"):
            self.__dict__.pop(name, None)
        if space is None:
            d = self.n_features_in_
            self.coef_, self.intercept_ = normal[None, :d], np.array([normal[d:].sum()])
            return
        self._plane, self.support_ = space.of_normal(normal) if hull is None else space.of_hull(*hull)
        self.dual_coef_ = self._plane.weights
        self.intercept_ = np.array([self.dual_coef_.sum() if self.fit_intercept else 0.0])
