"""Weighted sums of a Gaussian kernel over a sample, exact or to within a certified error."""

import numpy as np
from numpy.typing import ArrayLike

from paperlib._common.feature_names import check_same_names
from paperlib._common.kernels import Gamma, bind_kernel
from paperlib._common.sklearn_checks import check_array
from paperlib._common.threads import check_n_jobs
from paperlib._common.typing import Floats
from paperlib._common.validation import check_number, check_vector
from paperlib.kernel_mean._fast_sums.fast_sums import fast_sums


def gaussian_sums(
    X: ArrayLike,
    points: ArrayLike,
    weights: ArrayLike,
    gamma: Gamma = None,
    *,
    tol: float | None = None,
    n_jobs: int | None = None,
) -> Floats:
    """Return ``sum_j weights[j] exp(-gamma ||x_i - points[j]||^2)`` for each row ``x_i`` of `X`.

    Such a sum is a mean classifier's score, a kernel density, or any other expansion in a Gaussian. By
    default all pairs of rows are summed. With `tol`, data of one, two or three columns take time that grows
    with the number of rows, not of pairs: for 20,000 rows of each some tens of times less.

    Parameters
    ----------
    X : array-like of shape (m, d)
        Where to take the sums; m may be 0.
    points : array-like of shape (n, d)
    weights : array-like of shape (n,)
        Of any sign.
    gamma : float > 0, "scale", "auto" or None, default=None
        As of `KernelMeanClassifier`, with `points` for the sample: None is ``1 / d``.
    tol : float in (0, 1) or None, default=None
        The error that a sum may have, as a share of ``sum_j |weights[j]|``; for None it is as small as
        rounding allows, and relative to each kernel value. The work grows slowly as `tol` falls; below 1e-12
        all pairs are summed.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all cores. The sums do not depend on it.

    Returns
    -------
    ndarray of shape (m,)

    Raises
    ------
    ValueError
        If data or weights are not finite, `X` and `points` have different columns, the weights' absolute
        values have no finite sum, or a parameter is out of its range.

    Notes
    -----
    With `tol`, the cheapest of three ways is taken:

    - The rows are put into boxes about as wide as the kernel, and between two boxes the kernel is a
      polynomial in both points, by Chebyshev interpolation. The number p of nodes comes from a bound that
      holds for any data: between intervals of half length ``h / sqrt(gamma)`` the error is at most
      ``e = 2.18 (2 + (2 / pi) log p) (h / sqrt(2))^p / sqrt(p!)``, by Cramer's inequality for Hermite's
      polynomials and the Lebesgue constant, and in d columns ``(1 + e)^d - 1``. Boxes so far apart that the
      kernel is below `tol` are left out.
    - Where the kernel is narrow, the pairs that are near are summed, and those left out for which the kernel
      is below `tol`.
    - All pairs, where these are few or the kernel is wide in three columns; and for four columns or more.

    So each pair is in error by at most `tol` times its weight, the errors that rounding may add included.
    They are absolute errors: where few points are near, the sum itself may be smaller than they are, and its
    logarithm or sign is not known. Sums farther from zero than ``tol * sum_j |weights[j]|`` have the right
    sign; take the others again without `tol` if it matters. Sums of mixed scale, such as small densities, are
    better taken without it altogether.

    References
    ----------
    L. Greengard, J. Strain, "The fast Gauss transform", SIAM Journal on Scientific and Statistical Computing
    12, 1991: boxes and truncation, with Hermite expansions in place of interpolation.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import gaussian_sums
    >>> gaussian_sums([[0.0], [3.0]], [[0.0], [1.0]], [1.0, -0.5], gamma=0.5).round(6).tolist()
    [0.696735, -0.056559]

    Signs of many scores, with a look at the few that are too close to zero:

    >>> rng = np.random.default_rng(0)
    >>> X, points, y = rng.normal(size=(3000, 2)), rng.normal(size=(3000, 2)), rng.choice([-1.0, 1.0], 3000)
    >>> tol = 1e-9
    >>> scores = gaussian_sums(X, points, y, gamma=5.0, tol=tol)
    >>> near = np.abs(scores) <= tol * np.abs(y).sum()
    >>> scores[near] = gaussian_sums(X[near], points, y, gamma=5.0)
    >>> bool(np.array_equal(scores > 0, gaussian_sums(X, points, y, gamma=5.0) > 0))
    True
    """
    check_same_names(X=X, points=points)
    rows = check_array(X, dtype=np.float64, ensure_min_samples=0, input_name="X")
    sources = check_array(points, dtype=np.float64, input_name="points")
    if rows.shape[1] != sources.shape[1]:
        raise ValueError(
            f"X and points must have the same columns, got {rows.shape[1]} and {sources.shape[1]} of them"
        )
    weights = check_vector(weights, "weights", len(sources), "row of points")
    with np.errstate(over="ignore"):
        if not np.isfinite(np.abs(weights).sum()):
            raise ValueError("weights must have a finite sum of absolute values: scale them")
    if tol is not None:
        tol = check_number(tol, "tol", low=0, high=1, open_low=True, open_high=True)
    kernel = bind_kernel("rbf", sources, gamma, n_jobs=check_n_jobs(n_jobs))[0]
    with np.errstate(over="ignore", invalid="ignore"):  # of squared distances, where the kernel is zero
        exponent = _scale_of(weights)
        weights = np.ldexp(weights, -exponent)
        if tol is None:
            sums = kernel.sums(rows, sources, weights)
        else:
            sums = fast_sums(rows, sources, weights, kernel.gamma, tol, kernel.n_jobs)
        return np.ldexp(sums, exponent)


def _scale_of(weights):
    """Return 0, or the power of two without which products with such weights leave the normal numbers."""
    exponent = int(np.frexp(np.abs(weights).max())[1])
    return exponent if abs(exponent) > 100 else 0
