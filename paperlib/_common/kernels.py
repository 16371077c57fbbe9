"""Kernel functions with blocks of the kernel matrix, its diagonal, and weighted sums of its rows.

`resolve_kernel` makes a kernel object from the user's parameters. It has four methods: ``matrix(A, B)``,
``diagonal(A)``, ``sums(A, B, weights)``, which is ``matrix(A, B) @ weights`` without the whole matrix, and
``prepare(B, weights)``, which returns the same sums as a function of `A`, for many calls. The Gaussian and
the linear kernel take sparse matrices in CSR format, too, which stay sparse.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from paperlib._common.gaussian_sums import GaussianSums, gaussian_sums
from paperlib._common.sparse_distances import gaussian_of_sparse
from paperlib._common.spread import spread
from paperlib._common.validation import check_number

Gamma: TypeAlias = float | Literal["scale", "auto"] | None  # as a user gives it
NAMES = ("rbf", "linear", "polynomial")
ALIASES = {"poly": "polynomial"}
_BLOCK = 1 << 20  # entries of the kernel matrix in memory at a time: 8 MB
_LEAST = 64  # rows at a time where each step passes over a sparse matrix
_ROWS = 4096  # rows of a quadratic form at a time


class _Kernel(ABC):
    @abstractmethod
    def matrix(self, A, B):
        """Return the kernel values of the rows of `A` (a, d) with those of `B` (b, d), shape (a, b)."""

    def sums(self, A, B, weights):
        rows = max(_LEAST if issparse(B) else 1, _BLOCK // max(1, B.shape[0]))
        out = np.empty(A.shape[0])
        for start in range(0, A.shape[0], rows):
            out[start : start + rows] = self.matrix(A[start : start + rows], B) @ weights
        return out

    def prepare(self, B, weights):
        return partial(self.sums, B=B, weights=weights)


@dataclass(frozen=True)
class Gaussian(_Kernel):
    """Gaussian kernel ``exp(-gamma ||a - b||^2)``; van Rooyen and others have ``gamma = 1/2``."""

    gamma: float
    n_jobs: int = 1

    def matrix(self, A, B):
        if issparse(A) or issparse(B):
            return gaussian_of_sparse(summed(A), summed(B), self.gamma)
        with np.errstate(over="ignore"):  # so far apart that the kernel is zero
            return np.exp(-self.gamma * cdist(A, B, "sqeuclidean"))

    def diagonal(self, A):
        return np.ones(A.shape[0])

    def sums(self, A, B, weights):
        if issparse(A) or issparse(B):
            return super().sums(A, B, weights)
        return gaussian_sums(A, B, weights, self.gamma, self.n_jobs)

    def prepare(self, B, weights):
        if issparse(B):
            return partial(self.sums, B=B, weights=weights)
        return GaussianSums(B, weights, self.gamma, self.n_jobs)


@dataclass(frozen=True)
class Linear(_Kernel):
    """Linear kernel ``<a, b>``."""

    def matrix(self, A, B):
        return safe_sparse_dot(A, B.T, dense_output=True)

    def diagonal(self, A):
        return row_norms(A, squared=True)

    def sums(self, A, B, weights):
        return A @ (B.T @ weights)


@dataclass(frozen=True)
class Polynomial(_Kernel):
    """Polynomial kernel ``(gamma <a, b> + coef0)^degree``."""

    gamma: float
    degree: int
    coef0: float

    def matrix(self, A, B):
        return (self.gamma * (A @ B.T) + self.coef0) ** self.degree

    def diagonal(self, A):
        return (self.gamma * np.einsum("ij,ij->i", A, A) + self.coef0) ** self.degree


@dataclass(frozen=True)
class UserKernel(_Kernel):
    """Kernel by a user's function, which returns the kernel matrix (a, b) of arrays (a, d) and (b, d)."""

    function: Callable

    def matrix(self, A, B):
        values = np.asarray(self.function(A, B), dtype=np.float64)
        if values.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"kernel must return a matrix of shape ({A.shape[0]}, {B.shape[0]}), one row per row of its "
                f"first argument and one column per row of its second, got shape {values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError("kernel must return finite values, got NaN or inf among them")
        return values

    def diagonal(self, A):
        return np.array([self.matrix(row[None], row[None])[0, 0] for row in A])


@dataclass(frozen=True)
class Precomputed(_Kernel):
    """Kernel by a user's matrix; a point is a row number, and points are an (n, 1) array of these."""

    values: np.ndarray

    def matrix(self, A, B):
        return self.values[np.ix_(A[:, 0], B[:, 0])]

    def diagonal(self, A):
        return self.values[A[:, 0], A[:, 0]]


def resolve_kernel(kernel, gamma, degree, coef0, n_features, spread, n_jobs=1, names=NAMES):
    """Return the kernel object for the user's parameters, for any kernel but ``"precomputed"``.

    Parameters
    ----------
    kernel : str or callable
    gamma : float > 0, "scale", "auto" or None
        As for `resolve_gamma`; checked for every kernel, as is the rest, used by those that have a `gamma`.
    degree, coef0 : int >= 1; float >= 0
    n_features : int
    spread : callable
        ``spread()`` returns the variance of all entries of the data; it is called for ``"scale"`` only.
    n_jobs : int >= 1, default=1
        Threads for the sums of a Gaussian kernel; those of the others are a matrix product.
    names : tuple of str
        What may be given, for the error message; `bind_kernel` takes ``"precomputed"`` besides.

    Raises
    ------
    ValueError
        For an unknown name, or a `gamma`, `degree` or `coef0` out of its range.
    """
    kernel, degree, coef0 = check_kernel(kernel, gamma, degree, coef0, names)
    if callable(kernel):
        return UserKernel(kernel)
    if kernel == "linear":
        return Linear()
    if kernel == "rbf":
        return Gaussian(resolve_gamma(gamma, n_features, spread), n_jobs)
    return Polynomial(resolve_gamma(gamma, n_features, spread), degree, coef0)


def check_kernel(kernel, gamma, degree, coef0, names=NAMES):
    """Return the kernel's full name, or callable, with `degree` and `coef0`, if all can be used.

    `gamma`, `degree` and `coef0` are checked for every kernel, as scikit-learn does.

    Raises
    ------
    ValueError
        As `resolve_kernel` does.
    """
    full = ALIASES.get(kernel, kernel) if isinstance(kernel, str) else kernel
    if not callable(full) and not (isinstance(full, str) and full in NAMES):
        raise ValueError(
            f"kernel must be one of {', '.join(map(repr, names))} or a callable of two arrays, got {kernel!r}"
        )
    check_gamma(gamma)
    degree = check_number(degree, "degree", low=1, integer=True)
    return full, degree, check_number(coef0, "coef0", low=0)


def check_gamma(gamma):
    """Raise ``ValueError`` unless `gamma` is a finite number > 0, ``"scale"``, ``"auto"`` or None."""
    if gamma is None or (isinstance(gamma, str) and gamma in ("scale", "auto")):
        return
    try:
        check_number(gamma, "gamma", low=0, open_low=True)
    except ValueError:
        raise ValueError(
            f"gamma must be a finite number > 0, 'scale', 'auto' or None, got {gamma!r}"
        ) from None


def resolve_gamma(gamma, n_features, spread):
    """Return the number that `gamma` stands for, as scikit-learn defines its names.

    ``"auto"`` and None are ``1 / n_features``; ``"scale"`` is ``1 / (n_features * spread())``, and 1 where
    that variance is zero. How rows count is for `spread` to say.

    Raises
    ------
    ValueError
        If the variance is not finite, or so large or small that ``"scale"`` is not a finite number > 0.

    Examples
    --------
    >>> resolve_gamma("scale", 2, lambda: 4.0), resolve_gamma("scale", 2, lambda: 0.0)
    (0.125, 1.0)
    """
    check_gamma(gamma)
    if gamma is None or gamma == "auto":
        return 1.0 / n_features
    if gamma != "scale":
        return float(gamma)
    variance_of_data = float(spread())
    if variance_of_data == 0:
        return 1.0
    width = 1.0 / variance_of_data / n_features
    if not 0 < width < np.inf:
        raise ValueError(
            "gamma='scale' needs data whose variance and its inverse are finite, "
            f"got X with the variance {variance_of_data}: scale X or give gamma as a number"
        )
    return width


def bind_kernel(kernel, X, gamma=None, degree=3, coef0=1.0, n_jobs=1, weights=None):
    """Return ``(kernel object, points)`` for data `X`, or for the kernel matrix `X` when precomputed.

    For ``gamma="scale"`` a row of `X` counts as often as its entry of `weights` (n,) says.
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        check_gamma(gamma)
        check_square(X)
        return Precomputed(X), np.arange(X.shape[0])[:, None]
    X = summed(X)
    names, of_rows = (*NAMES, "precomputed"), partial(spread, X, weights)
    return resolve_kernel(kernel, gamma, degree, coef0, X.shape[1], of_rows, n_jobs, names), X


def summed(X):
    """Return `X`, or a copy of it where it is sparse and has entries in parts: squares need their sums.

    >>> from scipy.sparse import csr_matrix
    >>> summed(csr_matrix(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))).data.tolist()
    [3.0]
    """
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def check_square(K):
    """Raise ``ValueError`` unless `K` is a square, symmetric matrix."""
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"a precomputed kernel must be a square matrix over the sample, got shape {K.shape}")
    if not np.allclose(K, K.T, rtol=1e-6, atol=1e-8 * np.abs(K).max()):
        raise ValueError("a precomputed kernel must be a symmetric matrix, got K[i, j] != K[j, i]")


def check_range(kernel, points):
    """Raise ``ValueError`` where a polynomial's values overflow, or all vanish though the points do not.

    The values of the other kernels are bounded, or were checked as they were given.
    """
    if not isinstance(kernel, Linear | Polynomial):
        return
    with np.errstate(over="ignore", under="ignore"):
        largest = np.max(kernel.diagonal(points), initial=0.0)
    if not np.isfinite(largest):
        raise ValueError(f"K(x, x) must be finite for every row x of X, got {largest}: scale X")
    if largest == 0 and abs(points).max() > 0:
        raise ValueError("K(x, x) is 0 for every row x of X, too small for floating-point numbers: scale X")


def quadratic_form(kernel, points, weights):
    """Return ``sum_ij weights_i weights_j K(x_i, x_j)``, at least 0, by blocks of rows.

    By symmetry, only the blocks on and above the diagonal are computed; of the linear kernel over sparse rows
    the length of their sum.

    Raises
    ------
    ValueError
        If the sum is negative by more than rounding: the kernel is then not positive semidefinite.
    """
    if isinstance(kernel, Linear) and issparse(points):  # one pass over the entries
        combined = points.T @ weights
        return float(combined @ combined)
    total = 0.0
    for start in range(0, len(weights), _ROWS):
        here, after = slice(start, start + _ROWS), slice(start + _ROWS, None)
        rows, row_weights = points[here], weights[here]
        total += row_weights @ kernel.sums(rows, rows, row_weights)
        if after.start < len(weights):
            total += 2.0 * (row_weights @ kernel.sums(rows, points[after], weights[after]))
    return not_negative(total, np.abs(weights) @ np.sqrt(np.abs(kernel.diagonal(points))))


def not_negative(form, size):
    """Return `form`, or 0 if rounding made it negative.

    `size` is ``sum_i |w_i| sqrt(K(x_i, x_i))``, whose square bounds the form and so its rounding.
    """
    if form < -1e-9 * size**2:
        raise ValueError(f"kernel must be positive semidefinite, got a squared length of {form:.3g}")
    return max(form, 0.0)
