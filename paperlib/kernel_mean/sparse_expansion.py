"""Sparse approximation of kernel expansions (Section 5)."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from sklearn.utils import check_array

from paperlib._validation import check_choice, check_number, check_vector
from paperlib.kernel_mean.farthest_first import farthest_first
from paperlib.kernel_mean.kernels import bind_kernel, quadratic_form
from paperlib.kernel_mean.theory import theorem_21

METHODS = ("farthest_first", "random")


@dataclass(frozen=True)
class SparseExpansion:
    """A sparse approximation ``sum_j weights[j] phi(x_support[j])`` of a kernel expansion.

    Attributes
    ----------
    support : ndarray of shape (k,)
        Row numbers of `X`, ascending and distinct.
    weights : ndarray of shape (k,)
        Their weights; they have the signs of the weights that were approximated.
    diameter : float
        An upper bound on the diameter of the partition that was sampled from, in the feature space: twice
        the covering radius of its centres.
    error : float
        Distance in the feature space between the expansion and its approximation, exactly (up to rounding).
        Computed when first asked for, in O(n^2 d) time and O(n d) memory.
    """

    support: np.ndarray
    weights: np.ndarray
    diameter: float
    _source: tuple = field(repr=False, compare=False)

    @cached_property
    def error(self):
        kernel, points, original = self._source
        difference = original.copy()
        difference[self.support] -= self.weights
        return float(np.sqrt(quadratic_form(kernel, points, difference)))

    def decision_function(self, X):
        """Return the score ``sum_j weights[j] K(x_support[j], x)`` of each row of `X`, shape (m,).

        With a precomputed kernel `X` holds the kernel values (m, n) with the whole sample.
        """
        kernel, points, original = self._source
        X = check_array(X, dtype=np.float64, input_name="X")
        width = len(original) if points.dtype.kind == "i" else points.shape[1]
        if X.shape[1] != width:
            raise ValueError(f"X must have {width} columns, got {X.shape[1]}")
        if points.dtype.kind == "i":
            return X[:, self.support] @ self.weights
        return kernel.sums(X, points[self.support], self.weights)


def sparsify(
    X,
    weights,
    m=None,
    *,
    tol=None,
    delta=0.05,
    kernel="rbf",
    gamma=None,
    degree=3,
    coef0=1.0,
    method="farthest_first",
    random_state=None,
):
    """Approximate the kernel expansion ``sum_i weights[i] phi(x_i)`` by one over a few of its points.

    Parameters
    ----------
    X : array-like of shape (n, d), or the kernel matrix (n, n) when precomputed
    weights : array-like of shape (n,)
        Of any sign (Section 5.3) and not all zero; a `KernelMeanClassifier`'s are its `dual_coef_`.
    m : int, 1 <= m <= n
        Parts of the partition; the result has at most ``2 m`` points (``m`` with ``method="random"``).
    tol : float > 0, optional
        Instead of `m`: stop as soon as the guarantee of Theorem 21, in the units of the expansion, is at most
        `tol` with probability ``1 - delta`` (Algorithm 2).
    delta : float in (0, 1), default=0.05
        Failure probability that `tol` allows.
    kernel, gamma, degree, coef0
        As in `KernelMeanClassifier`.
    method : {"farthest_first", "random"}, default="farthest_first"
        ``"farthest_first"`` is Algorithm 1: farthest-first traversal from a random point, partition by the
        nearest centre, then ``ceil(alpha(S_i) m)`` draws from each part (Theorem 21); O(m n d) time.
        ``"random"`` draws `m` points in proportion to their absolute weight.
    random_state : int, numpy.random.Generator or None
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
    Theorem 21, Algorithms 1 and 2, Section 5.3.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import sparsify
    >>> X = np.array([[0.0], [0.0], [5.0], [5.0]])
    >>> sparse = sparsify(X, [0.25, 0.25, -0.25, -0.25], m=2, random_state=0)
    >>> len(sparse.support), round(sparse.error, 12)
    (2, 0.0)
    """
    X = check_array(X, dtype=np.float64, input_name="X")
    n = X.shape[0]
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
    kernel, points = bind_kernel(kernel, X, gamma, degree, coef0)
    rng = np.random.default_rng(random_state)

    signs = np.where(weights < 0, -1.0, 1.0)
    alpha = np.abs(weights) / total
    first = int(rng.choice(n, p=alpha))
    if method == "random":
        *_, radii = farthest_first(kernel, points, signs, 1, first)
        draws = np.bincount(rng.choice(n, size=m, p=alpha), minlength=n) / m
    else:
        stop = None if tol is None else (lambda k, radius: total * theorem_21(2 * radius, k, delta) <= tol)
        centres, nearest, radii = farthest_first(kernel, points, signs, m or n, first, stop)
        draws = clustered_draws(alpha, nearest, len(centres), rng)
    support = np.flatnonzero(draws)
    return SparseExpansion(
        support=support,
        weights=(total * signs * draws)[support],
        diameter=2.0 * float(radii[-1]),
        _source=(kernel, points, weights),
    )


def clustered_draws(alpha, part, m, rng):
    """Draw the weights of Theorem 21's approximation: (n,), non-negative, with sum 1.

    From each part of probability ``p > 0`` come ``ceil(p m)`` points in proportion to `alpha`, sharing the
    weight ``p`` equally.
    """
    draws = np.zeros(len(alpha))
    order = np.argsort(part, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        share = alpha[members].sum()
        if share > 0:
            # A share of exactly j/m must give j draws, also when its sum was rounded up.
            size = max(1, int(np.ceil(share * m * (1.0 - 1e-12))))
            chosen = rng.choice(members, size=size, p=alpha[members] / share)
            np.add.at(draws, chosen, share / size)
    return draws
