"""Sparse approximation of kernel expansions (Section 5)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.chunks import check_dask_array, is_dask, n_rows
from paperlib._common.feature_names import check_names, names_of
from paperlib._common.kernels import Gamma, Gaussian, Precomputed, bind_kernel, resolve_kernel
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.sklearn_checks import check_array
from paperlib._common.spread import spread
from paperlib._common.threads import check_n_jobs
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_flag, check_number, check_vector
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.parallel_means import norm_of_chunks, reduce_chunks
from paperlib.kernel_mean._sparsify.reduction import reduce
from paperlib.kernel_mean._validation.rows import own
from paperlib.kernel_mean.kernel_selection import Kernel

Method: TypeAlias = Literal[
    "auto", "farthest_first", "random", "herding", "project", "greedy", "kmeans", "moved"
]
METHODS = get_args(Method)
_LARGE = 2.0**500  # sums of absolute weights above it are scaled


@dataclass(frozen=True, eq=False)
class SparseExpansion:
    """A sparse approximation ``sum_j weights[j] phi(points[j])`` of a kernel expansion.

    Attributes
    ----------
    support : ndarray of shape (k,), or None
        Row numbers of `X`, distinct, and ascending unless `X` was a dask array; None where the points are no
        rows of `X`.
    weights : ndarray of shape (k,)
        Their weights; draws and herding keep the signs of the weights that were approximated.
    points : ndarray of shape (k, d)
        The points; with a precomputed kernel their row numbers, shape (k, 1).
    diameter : float
        An upper bound on the diameter of the partition that was sampled from, in the feature space: twice
        the covering radius of its centres; of the whole sample where no partition was made.
    error : float
        Distance in the feature space between the expansion and its approximation, exactly (up to rounding).
        Computed when first asked for, in O(n^2 d) time and O(n d) memory.
    feature_names_in_ : ndarray of shape (d,), or None
        The names of the columns of `X`, where it has any: those of rows that are scored must be the same.

    Notes
    -----
    Until then it keeps a copy of the sample; a kernel matrix, a memory map or a dask array is not copied, and
    must stay as it is.

    A pickle or a copy holds the few points only, without the sample, and `error` if it was asked for before.

    Examples
    --------
    >>> from paperlib.kernel_mean import sparsify
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> sparse = sparsify(X, [0.25, 0.25, -0.25, -0.25], m=2, method="project", random_state=0)
    >>> len(sparse.support), round(sparse.error, 3)
    (2, 0.05)
    >>> (sparse.decision_function([[1.0], [4.0]]) > 0).tolist()
    [True, False]
    """

    support: Any  # integers, or None
    weights: Floats
    diameter: float
    points: Floats = field(repr=False)
    _kernel: Any = field(repr=False)  # None when precomputed
    _width: int = field(repr=False)  # columns of what is scored
    _error: Callable[[], float] | None = field(repr=False)  # None in a pickle or copy
    feature_names_in_: Any = field(default=None, repr=False)

    @cached_property
    def error(self) -> float:
        if self._error is None:
            raise RuntimeError(
                "error needs the sample, which a pickled or copied SparseExpansion has left behind: "
                "ask for it before pickling"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            return self._error()

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the score ``sum_j weights[j] K(points[j], x)`` of each row of `X`, shape (m,).

        With a precomputed kernel `X` holds the kernel values (m, n) with the whole sample.
        """
        check_names(self, X)
        rows = check_array(X, dtype=np.float64, input_name="X")
        if rows.shape[1] != self._width:
            raise ValueError(f"X must have {self._width} columns, got {rows.shape[1]}")
        if self._kernel is None:
            return rows[:, self.support] @ self.weights
        return self._scores(rows)

    @cached_property
    def _scores(self):
        with np.errstate(over="ignore", invalid="ignore"):
            return self._kernel.prepare(self.points, self.weights)

    def __getstate__(self):
        return self.__dict__ | {"_error": None}


def _error(norm, kernel, X, weights, found, unit):
    """Length of what `found` leaves of the expansion, by the `norm` for arrays like `X`, times `unit`."""
    if found.support is None:
        return unit * norm(kernel, _with_rows(X, found.points), np.concatenate([weights, -found.weights]))
    difference = weights.copy()
    difference[found.support] -= found.weights
    return unit * norm(kernel, X, difference)


def _with_rows(X, rows):
    if not is_dask(X):
        return np.vstack([X, rows])
    import dask.array

    return dask.array.concatenate([X, dask.array.from_array(rows)])


def sparsify(
    X: Any,
    weights: ArrayLike,
    m: int | None = None,
    *,
    tol: float | None = None,
    delta: float = 0.05,
    kernel: Kernel = "rbf",
    gamma: Gamma = None,
    degree: int = 3,
    coef0: float = 1.0,
    method: Method = "auto",
    reweight: bool = False,
    second_round: bool = True,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> SparseExpansion:
    """Approximate the kernel expansion ``sum_i weights[i] phi(x_i)`` by one over a few of its points.

    Parameters
    ----------
    X : array-like of shape (n, d), or the kernel matrix (n, n) when precomputed
        A dask array, chunked along its rows, is approximated chunk by chunk on whatever dask scheduler is
        active (parallel means, Lemma 22); no step needs more than a chunk, or two for `error`.
    weights : array-like of shape (n,)
        Of any sign (Section 5.3) and not all zero; a `KernelMeanClassifier`'s are its `dual_coef_`.
    m : int, 1 <= m <= n
        Points that the result has at most; with ``method="farthest_first"`` parts of the partition, of at
        most ``2 m`` points.
    tol : float > 0, optional
        Instead of `m`, in the units of the expansion. With ``method="farthest_first"`` the traversal stops as
        soon as the guarantee of Theorem 21 is at most `tol` with probability ``1 - delta`` (Algorithm 2). The
        others search the size, by doubling and bisection, up to 8,192: the error is at most `tol`, and was
        not with one point less. That error is exact up to 8,192 rows; of more rows it is the upper end of a
        confidence interval, from ``4 (sum |weights| / tol)^2`` draws where these are fewer than the rows.
    delta : float in (0, 1), default=0.05
        Failure probability that `tol` allows; of the confidence interval, approximately.
    kernel, gamma, degree, coef0
        As in `KernelMeanClassifier`; for ``gamma="scale"`` all rows count alike, whatever their weights, and
        it takes one more pass over a dask array.
    method : {"auto", "farthest_first", "random", "herding", "project", "greedy", "kmeans", "moved"}
        ``"auto"``, the default, is ``"greedy"``, the most exact of those that keep rows of `X`; the others
        are the paper's own, or leave the sample.

        ``"greedy"`` takes the points one by one, each the row that lowers the error most when all get the
        best weights there are (orthogonal least squares); O(n^2 d + n m (m + d)) time up to 8,192 rows, all
        of which are candidates. Of more rows max(4096, 16 m) draws are, judged by 32,768 others, and the
        weights are the best over all rows; O(n m d + m^3) time and O(n + m^2) memory.

        ``"moved"`` improves k-means centres by L-BFGS; its error is at most that of ``"kmeans"`` with the
        same `random_state`, and, up to 8,192 rows, of ``"greedy"``; about half as many points do. For the
        Gaussian kernel, where scoring must be fast and making it may take 100 steps of O(m n d + m^3), n at
        most 16,384. ``"kmeans"`` has scikit-learn's k-means centres with the best weights: for few points,
        or clusters, under any kernel of points.

        The paper's: ``"farthest_first"`` is Algorithm 1: farthest-first traversal from a random point,
        partition by the nearest centre, then ``ceil(alpha(S_i) m)`` draws from each part (Theorem 21), for
        a guarantee, or the weights' signs; O(m n d) time. ``"random"`` draws `m` points in proportion to
        their absolute weight, an unbiased estimate. ``"herding"`` takes `m` points one by one, each the best
        next one for a plain mean, where the weights have to be equal; O(n^2 d + m n d) time. ``"project"``
        chooses `m` points by farthest-first traversal and gives them the best weights; O(m n d + m^3) time.
    reweight : bool, default=False
        Give the points of ``"farthest_first"``, ``"random"`` or ``"herding"`` the best weights, too, of any
        sign; the error becomes no larger. The other methods' weights are the best already.
    second_round : bool, default=True
        For a dask array: approximate the sum of the chunks' approximations once more. Without it the result
        has up to ``2 m`` points for each chunk (Section 5.4).
    n_jobs : int or None, default=None
        Threads for sums of a Gaussian kernel: None is 1, -1 all cores. The result does not depend on it. Two
        cores are 1.5 to 2 times as fast in ``"herding"``, ``"greedy"``, `tol` and the error, which consist of
        such sums; they do not help ``"farthest_first"``, ``"random"``, ``"project"``, ``"kmeans"`` and
        ``"moved"`` with a given `m`. Of a dask array they are each task's own.
    random_state : int, numpy.random.Generator, RandomState or None
        Source of the draws.

    Returns
    -------
    SparseExpansion

    Raises
    ------
    ValueError
        For data that are empty or not finite, weights that are all zero or of another length, `m` outside
        1..n, both or neither of `m` and `tol`, a `tol` that is not reached, parameters out of their range,
        or a method that makes points of its own with a kernel that has none to make.

    Notes
    -----
    Algorithm 1 is printed with ``while |S| <= m``, which ends with ``m + 1`` centres; ``2 m``-sparsity and
    Theorem 21 need `m` of them, so `m` it is here.

    References
    ----------
    B. van Rooyen, A. K. Menon, R. C. Williamson, "Sparse Robust Classification via the Kernel Mean",
    Theorem 21, Algorithms 1 and 2, Section 5.3, Lemma 22.

    Y. Chen, M. Welling, A. Smola, "Super-Samples from Kernel Herding", UAI 2010.

    E. Cruz Cortes, C. Scott, "Sparse Approximation of a Kernel Mean", IEEE Trans. Signal Processing, 2016.

    S. Chen, S. A. Billings, W. Luo, "Orthogonal least squares methods and their application to non-linear
    system identification", Int. J. Control, 1989: the greedy choice.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import sparsify
    >>> X = np.array([[0.0], [0.0], [5.0], [5.0]])
    >>> sparse = sparsify(X, [0.25, 0.25, -0.25, -0.25], m=2, random_state=0)
    >>> sparse.support.tolist(), round(sparse.error, 12)
    ([0, 2], 0.0)
    >>> len(sparsify(X, [0.25, 0.25, -0.25, -0.25], tol=1e-6).support)
    2
    """
    chunked, threads, names = is_dask(X), check_n_jobs(n_jobs), names_of(X)
    if not chunked:
        rows = check_array(X, dtype=np.float64, input_name="X")
        X = rows if isinstance(kernel, str) and kernel == "precomputed" else own(rows, X)
    else:
        check_dask_array(X)
    n = n_rows(X) if chunked else X.shape[0]
    weights = check_vector(weights, "weights", n)
    with np.errstate(over="ignore"):
        total = np.abs(weights).sum()
    if not 0 < total < np.inf:
        raise ValueError(f"weights must not be all zero, and have a finite sum, got sum |weights| = {total}")
    # A power of two, by which nothing is rounded: products with kernel values must not leave the floats.
    unit = 2.0 ** (math.frexp(total)[1] - 1) if total > _LARGE else 1.0
    weights = weights / unit
    check_choice(method, "method", METHODS)
    if (m is None) == (tol is None):
        raise ValueError(f"give either m or tol, got m={m!r} and tol={tol!r}")
    if m is not None:
        m = check_number(m, "m", low=1, high=n, integer=True)
    else:
        tol = check_number(tol, "tol", low=0, open_low=True) / unit
    options = {
        "m": m,
        "tol": tol,
        "delta": check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True),
        "method": method,
        "reweight": check_flag(reweight, "reweight"),
        "rng": check_random_state(random_state),
    }
    second_round = check_flag(second_round, "second_round")
    if not chunked:
        bound, points = bind_kernel(kernel, X, gamma, degree, coef0, threads)
        _check_free(method, bound)
        with np.errstate(over="ignore", invalid="ignore"):  # of squared lengths; the weights are checked
            found = reduce(bound, points, weights, **options)
        error = partial(_error, expansion_norm, bound, points, weights, found, unit)
        scored = None if isinstance(bound, Precomputed) else bound
    else:
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got shape {X.shape}")
        if X.dtype.kind not in "buif":
            raise ValueError(f"X must hold real numbers, got dtype {X.dtype}")
        X = X.astype(np.float64)  # a chunk when it is read, as the kernels ask
        scored = resolve_kernel(kernel, gamma, degree, coef0, X.shape[1], partial(spread, X), threads)
        _check_free(method, scored)
        found = reduce_chunks(scored, X, weights, second_round=second_round, **options)
        error = partial(_error, norm_of_chunks, scored, X, weights, found, unit)
    with np.errstate(over="ignore"):
        kept = found.weights * unit
    if not np.isfinite(kept).all():
        raise ValueError(
            f"weights must be smaller: with sum |weights| = {total} those of the result overflow"
        )
    named = None if names is None else np.array(names, dtype=object)
    return SparseExpansion(
        found.support, kept, found.diameter, found.points, scored, X.shape[1], error, named
    )


def _check_free(method, kernel):
    """Raise ``ValueError`` where `method` makes points of its own and the kernel does not allow it."""
    if method == "moved" and not isinstance(kernel, Gaussian):
        raise ValueError("method='moved' needs kernel='rbf', along whose gradient it moves the points")
    if method == "kmeans" and isinstance(kernel, Precomputed):
        raise ValueError("method='kmeans' needs rows of points, not kernel='precomputed'")
