"""Minimisers of the empirical risk over ``f(x) = <w, x>``, for the losses that Table 1 compares.

The exact ones merge equal examples first and count them: with few distinct points, as in Section 7.2, a fit
does not depend on the sample's size.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_array, eye_array, hstack
from sklearn.utils import check_X_y

from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_signs, check_sample_weight
from paperlib.experiments.kernel_mean.populations import learned_mean
from paperlib.kernel_mean.losses import t_logistic, t_logistic_slope


def minimize_linear(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
    """Return the unit vector of least linear loss: the mean of `KernelMeanClassifier`, normalised (Lemma 4).

    Parameters
    ----------
    X, y, sample_weight
        As in `minimize_hinge`.

    Returns
    -------
    ndarray of shape (d,)
        Zero where the mean vector is zero and every vector minimises.

    Examples
    --------
    >>> minimize_linear([[3.0, 0.0], [0.0, 4.0]], [1, 1], [4, 3]).round(3).tolist()
    [0.707, 0.707]
    """
    points, labels = check_X_y(X, y, dtype=np.float64)
    signs = check_binary_signs(labels)
    mean = learned_mean(points, signs, check_sample_weight(sample_weight, signs.size))
    length = np.linalg.norm(mean)
    return mean / length if length > 0 else mean


def minimize_hinge(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
    """Minimise ``sum_i c_i max(0, 1 - y_i <w, x_i>)`` over all w, as a linear programme.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,), of -1 and +1 (one class is enough)
    sample_weight : array-like of shape (n,), optional
        The counts ``c_i``, one each by default.

    Returns
    -------
    ndarray of shape (d,)
        A vertex of the set of minimisers.

    Examples
    --------
    >>> X = [[1.0, -1.0], [1.0, 3.0], [30.0, 0.0]]
    >>> w = minimize_hinge(X, [1, 1, 1], [2, 1, 1])
    >>> bool((np.array(X) @ w >= 1 - 1e-9).all())
    True
    """
    signed, counts = _signed_points(X, y, sample_weight)
    n, d = signed.shape
    scale = np.abs(signed).max() or 1.0
    solution = linprog(
        c=np.concatenate([np.zeros(d), counts / counts.sum()]),
        A_ub=-hstack([csr_array(signed / scale), eye_array(n)], format="csr"),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * d + [(0, None)] * n,
        method="highs",
    )
    if solution.status != 0:
        raise RuntimeError(f"the linear programme of the hinge loss was not solved: {solution.message}")
    return solution.x[:d] / scale


def minimize_t_logistic(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Floats:
    """Minimise the t-logistic risk (t = 2) over all w: the best of many local minima.

    The loss is not convex. Starts are the directions of the signed points and of their mean, and fixed
    random ones, each at ten lengths; the four best are followed by BFGS. For separable data, where the risk
    has no minimum, the result is a vector of large norm.

    Parameters
    ----------
    X, y, sample_weight
        As in `minimize_hinge`.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> w = minimize_t_logistic([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    >>> bool(w[0] > 0 > w[1])
    True
    """
    signed, counts = _signed_points(X, y, sample_weight)
    counts = counts / counts.sum()
    # In coordinates where the second moments are one, all local minima are about equally wide.
    to_white = _whitening(signed, counts)
    white = signed @ to_white
    if white.shape[1] == 0:
        return np.zeros(signed.shape[1])

    def risk(w):
        margins = white @ w
        return counts @ t_logistic(1.0, margins), (counts * t_logistic_slope(margins)) @ white

    starts = _starts(white, counts)
    risks = t_logistic(1.0, starts @ white.T) @ counts
    best = starts[np.argsort(risks, kind="stable")[:4]]
    fits = [minimize(risk, start, jac=True, method="BFGS", options={"gtol": 1e-9}) for start in best]
    return to_white @ min(fits, key=lambda fit: fit.fun).x


def _signed_points(X, y, sample_weight):
    """Distinct ``y_i x_i`` and the weight of each; losses of a margin see nothing else."""
    X, y = check_X_y(X, y, dtype=np.float64)
    weights = check_sample_weight(sample_weight, len(y))
    signed = check_binary_signs(y)[:, None] * X
    points, which = np.unique(signed[weights > 0], axis=0, return_inverse=True)
    return points, np.bincount(which.ravel(), weights=weights[weights > 0])


def _whitening(points, counts):
    """Matrix (d, r) that gives `points` unit second moments, r being their rank."""
    scale = np.abs(points).max() or 1.0
    values, vectors = np.linalg.eigh((points / scale).T @ (counts[:, None] * points / scale))
    kept = values > max(values[-1], 0.0) * len(values) * np.finfo(float).eps
    return vectors[:, kept] / (scale * np.sqrt(values[kept]))


def _starts(points, counts):
    random = np.random.default_rng(0).normal(size=(64, points.shape[1]))
    directions = np.concatenate([points[:64], [counts @ points], random])
    lengths = np.linalg.norm(directions, axis=1)
    directions = directions[lengths > 0] / lengths[lengths > 0, None]
    return np.concatenate([directions * 10.0**power for power in np.arange(-1.0, 4.0, 0.5)])


def subgradient_descent(slope, points, counts, steps):
    """Minimise ``sum_k counts[k] l(<w, points[k]>) / sum(counts)`` by subgradient steps from zero.

    The last iterate of plain full-batch descent: no averaging, no line search, no convergence test. Stopped
    early it is the setting that comes closest to the hinge column of Table 1, whose optimiser the paper does
    not state.

    Parameters
    ----------
    slope : callable
        Derivative of the loss in the margin, elementwise.
    points : ndarray of shape (k, d)
        Signed points ``y_k x_k``.
    counts : ndarray of shape (t, k)
        How often each point occurs; one row per sample, all followed side by side.
    steps : sequence of float
        The step sizes, in order.

    Returns
    -------
    ndarray of shape (t, d)

    Examples
    --------
    >>> from paperlib.kernel_mean.losses import hinge_slope
    >>> points = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> subgradient_descent(hinge_slope, points, np.array([[1.0, 1.0]]), [1.0]).tolist()
    [[0.5, 1.0]]
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    w = np.zeros((len(counts), points.shape[1]))
    for step in steps:
        w -= step * (shares * slope(w @ points.T)) @ points
    return w
