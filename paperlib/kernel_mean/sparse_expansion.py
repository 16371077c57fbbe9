"""Sparse approximation of kernel expansions (Section 5)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from paperlib._common.chunks import is_dask, n_rows, variance
from paperlib._common.kernels import Gamma, Precomputed, bind_kernel, resolve_kernel
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_choice, check_number, check_vector
from paperlib.kernel_mean._sparsify.approximations import approximate
from paperlib.kernel_mean._sparsify.expansion_norm import expansion_norm
from paperlib.kernel_mean._sparsify.parallel_means import approximate_chunks, quadratic_form_of_chunks
from paperlib.kernel_mean.kernel_selection import Kernel

Method: TypeAlias = Literal["farthest_first", "random", "herding", "project"]
METHODS = get_args(Method)


@dataclass(frozen=True, eq=False)
class SparseExpansion:
    """A sparse approximation ``sum_j weights[j] phi(x_support[j])`` of a kernel expansion.

    Attributes
    ----------
    support : ndarray of shape (k,)
        Row numbers of `X`, ascending and distinct.
    weights : ndarray of shape (k,)
        Their weights; they have the signs of the weights that were approximated, unless those were projected.
    diameter : float
        An upper bound on the diameter of the partition that was sampled from, in the feature space: twice
        the covering radius of its centres; of the whole sample where no partition was made.
    error : float
        Distance in the feature space between the expansion and its approximation, exactly (up to rounding).
        Computed when first asked for, in O(n^2 d) time and O(n d) memory.

    Notes
    -----
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

    support: Integers
    weights: Floats
    diameter: float
    _kernel: Any = field(repr=False)  # None when precomputed
    _points: Floats = field(repr=False)
    _width: int = field(repr=False)  # columns of what is scored
    _error: Callable[[], float] | None = field(repr=False)  # None in a pickle or copy

    @cached_property
    def error(self) -> float:
        if self._error is None:
            raise RuntimeError(
                "error needs the sample, which a pickled or copied SparseExpansion has left behind: "
                "ask for it before pickling"
            )
        return self._error()

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the score ``sum_j weights[j] K(x_support[j], x)`` of each row of `X`, shape (m,).

        With a precomputed kernel `X` holds the kernel values (m, n) with the whole sample.
        """
        rows = check_array(X, dtype=np.float64, input_name="X")
        if rows.shape[1] != self._width:
            raise ValueError(f"X must have {self._width} columns, got {rows.shape[1]}")
        if self._kernel is None:
            return rows[:, self.support] @ self.weights
        return self._scores(rows)

    @cached_property
    def _scores(self):
        return self._kernel.prepare(self._points, self.weights)

    def __getstate__(self):
        return self.__dict__ | {"_error": None}


def _error(kernel, points, weights, support, kept):
    difference = weights.copy()
    difference[support] -= kept
    return expansion_norm(kernel, points, difference)


def _error_of_chunks(kernel, X, weights, support, kept):
    difference = weights.copy()
    difference[support] -= kept
    return float(np.sqrt(quadratic_form_of_chunks(kernel, X, difference)))


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
    method: Method = "farthest_first",
    second_round: bool = True,
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
        Parts of the partition; the result has at most ``2 m`` points with ``method="farthest_first"`` and
        `m` with the others.
    tol : float > 0, optional
        Instead of `m`: stop as soon as the guarantee of Theorem 21, in the units of the expansion, is at most
        `tol` with probability ``1 - delta`` (Algorithm 2).
    delta : float in (0, 1), default=0.05
        Failure probability that `tol` allows.
    kernel, gamma, degree, coef0
        As in `KernelMeanClassifier`; ``gamma="scale"`` takes one more pass over a dask array.
    method : {"farthest_first", "random", "herding", "project"}, default="farthest_first"
        ``"farthest_first"`` is Algorithm 1: farthest-first traversal from a random point, partition by the
        nearest centre, then ``ceil(alpha(S_i) m)`` draws from each part (Theorem 21); O(m n d) time.
        ``"random"`` draws `m` points in proportion to their absolute weight. ``"herding"`` takes `m` points
        one by one, each the best next one for a plain mean; O(n^2 d + m n d) time. ``"project"`` chooses `m`
        points by farthest-first traversal and gives them the best weights there are; O(m n d + m^3) time.
    second_round : bool, default=True
        For a dask array: approximate the sum of the chunks' approximations once more. Without it the result
        has up to ``2 m`` points for each chunk (Section 5.4).
    random_state : int, numpy.random.Generator, RandomState or None
        Source of the draws.

    Returns
    -------
    SparseExpansion

    Raises
    ------
    ValueError
        For data that are empty or not finite, weights that are all zero or of another length, `m` outside
        1..n, both or neither of `m` and `tol`, or parameters out of their range.

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

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import sparsify
    >>> X = np.array([[0.0], [0.0], [5.0], [5.0]])
    >>> sparse = sparsify(X, [0.25, 0.25, -0.25, -0.25], m=2, random_state=0)
    >>> len(sparse.support), round(sparse.error, 12)
    (2, 0.0)
    """
    chunked = is_dask(X)
    X = X if chunked else check_array(X, dtype=np.float64, input_name="X")
    n = n_rows(X) if chunked else X.shape[0]
    weights = check_vector(weights, "weights", n)
    with np.errstate(over="ignore"):
        total = np.abs(weights).sum()
    if not 0 < total < np.inf:
        raise ValueError(f"weights must not be all zero, and have a finite sum, got sum |weights| = {total}")
    check_choice(method, "method", METHODS)
    if (m is None) == (tol is None):
        raise ValueError(f"give either m or tol, got m={m!r} and tol={tol!r}")
    delta = check_number(delta, "delta", low=0, high=1, open_low=True, open_high=True)
    if m is not None:
        m = check_number(m, "m", low=1, high=n, integer=True)
    else:
        tol = check_number(tol, "tol", low=0, open_low=True)
        if method != "farthest_first":
            raise ValueError(f"tol needs method='farthest_first' (Algorithm 2), got method={method!r}")
    options = {
        "m": m,
        "tol": tol,
        "delta": delta,
        "method": method,
        "rng": check_random_state(random_state),
    }

    if chunked:
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, got shape {X.shape}")
        kernel = resolve_kernel(kernel, gamma, degree, coef0, X.shape[1], partial(variance, X))
        support, kept, diameter, points = approximate_chunks(
            kernel, X, weights, second_round=second_round, **options
        )
        error = partial(_error_of_chunks, kernel, X, weights, support, kept)
        return SparseExpansion(support, kept, diameter, kernel, points, X.shape[1], error)
    kernel, sample = bind_kernel(kernel, X, gamma, degree, coef0)
    support, kept, diameter = approximate(kernel, sample, weights, **options)
    error = partial(_error, kernel, sample, weights, support, kept)
    if isinstance(kernel, Precomputed):
        kernel = None
    return SparseExpansion(support, kept, diameter, kernel, sample[support], X.shape[1], error)
