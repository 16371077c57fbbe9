"""Exact minimisers of the empirical risk over ``f(x) = <w, x>``, for the losses that Table 1 compares.

A sample is a row of counts of a few signed points ``y_k x_k``, as losses of a margin see nothing else. All
rows are minimised side by side.
"""

from itertools import combinations

import numpy as np

from paperlib._common.rounding import TIED
from paperlib.experiments.kernel_mean.populations import learned_mean
from paperlib.kernel_mean.losses import hinge, t_logistic, t_logistic_slope

_DIRECTIONS = 24  # random ones, beside those of the points and of their mean
_LENGTHS = 10.0 ** np.arange(-1.0, 4.0, 0.5)
_FOLLOWED = 4  # starts
_STEPS = 200  # of Newton's method at most
_SMALL = 1e-10  # a gradient that counts as zero, in coordinates where the second moments are one


def minimize_linear(points, counts):
    """Return the unit vectors of least linear loss: the means that `KernelMeanClassifier` learns, normalised.

    Points that are the negative of another one are the same instance with the other label.

    Parameters
    ----------
    points, counts
        As in `minimize_hinge`.

    Returns
    -------
    ndarray of shape (t, d)
        Zero where the mean vector is zero and every vector minimises.

    Examples
    --------
    >>> minimize_linear(np.array([[3.0, 0.0], [0.0, 4.0]]), np.array([[4.0, 3.0]])).round(3).tolist()
    [[0.707, 0.707]]
    """
    # The first point that is not zero decides which label an instance has.
    leading = np.take_along_axis(points, (points != 0).argmax(axis=1)[:, None], axis=1)[:, 0]
    labels = np.where(leading < 0, -1.0, 1.0)
    _, exponent = np.frexp(np.abs(points).max(initial=0.0))
    points = np.ldexp(points, -exponent)  # a power of two: exact, and no square overflows
    means = np.array([learned_mean(labels[:, None] * points, labels, row) for row in counts])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    return means / np.where(lengths > 0, lengths, 1.0)


def minimize_hinge(points, counts):
    """Minimise ``sum_k counts[k] max(0, 1 - <w, points[k]>)`` over all w in the plane, row by row.

    The sum is bent along the lines ``<w, points[k]> = 1`` only, so it is least where two of them cross: all
    crossings are tried.

    Parameters
    ----------
    points : ndarray of shape (k, 2)
        Not all on one line through the origin.
    counts : ndarray of shape (t, k)

    Returns
    -------
    ndarray of shape (t, 2)

    Examples
    --------
    >>> points = np.array([[1.0, -1.0], [1.0, 3.0], [30.0, 0.0]])
    >>> w = minimize_hinge(points, np.array([[2.0, 1.0, 1.0]]))[0]
    >>> bool((points @ w >= 1 - 1e-9).all())
    True
    """
    pairs = np.array([points[list(pair)] for pair in combinations(range(len(points)), 2)])
    sizes = np.linalg.norm(pairs, axis=2).prod(axis=1)
    crossing = np.abs(np.linalg.det(pairs)) > 1e-12 * sizes
    if not crossing.any():
        raise ValueError("points must not all be on one line through the origin")
    vertices = np.linalg.solve(pairs[crossing], np.ones((crossing.sum(), 2, 1)))[:, :, 0]
    risks = counts @ hinge(1.0, points @ vertices.T)
    # Of several minimisers the first, on every processor.
    least = risks.min(axis=1) + TIED * counts.sum(axis=1)
    return vertices[(risks <= least[:, None]).argmax(axis=1)]


def minimize_t_logistic(points, counts):
    """Minimise the t-logistic risk (t = 2) over all w, for each row of counts: the best of many local minima.

    The loss is not convex. Starts are the directions of the points and of their mean, and fixed random ones,
    each at ten lengths; the four best are followed by Newton's method, downhill also where the risk is not
    convex. For separable data, where the risk has no minimum, the result is a vector of large norm.

    Parameters
    ----------
    points : ndarray of shape (k, d)
    counts : ndarray of shape (t, k)

    Returns
    -------
    ndarray of shape (t, d)

    Examples
    --------
    >>> w = minimize_t_logistic(np.array([[1.0, 0.0], [0.0, -1.0]]), np.ones((1, 2)))[0]
    >>> bool(w[0] > 0 > w[1])
    True
    """
    shares = counts / counts.sum(axis=1, keepdims=True)
    # In coordinates where the second moments are one, all local minima are about equally wide.
    to_white = _whitening(points, shares)
    white = np.einsum("ki,tij->tkj", points, to_white)
    starts = _starts(white, shares)
    risks = np.einsum("tsk,tk->ts", t_logistic(1.0, np.einsum("tsd,tkd->tsk", starts, white)), shares)
    best = np.argsort(risks, axis=1, kind="stable")[:, :_FOLLOWED]
    followed = np.take_along_axis(starts, best[:, :, None], axis=1)
    t, count, d = followed.shape
    white, shares = np.repeat(white, count, axis=0), np.repeat(shares, count, axis=0)
    ends, values = _descend(followed.reshape(-1, d), white, shares)
    values = values.reshape(t, count)
    least = (values <= values.min(axis=1, keepdims=True) + TIED).argmax(axis=1)
    return np.einsum("tij,tj->ti", to_white, ends.reshape(t, count, d)[np.arange(t), least])


def _whitening(points, shares):
    """Matrices (t, d, d) that give `points` unit second moments; zero in directions that they do not span."""
    scale = np.abs(points).max() or 1.0
    moments = np.einsum("tk,ki,kj->tij", shares, points / scale, points / scale)
    values, vectors = np.linalg.eigh(moments)
    kept = values > np.maximum(values[:, -1:], 0.0) * values.shape[1] * np.finfo(float).eps
    return vectors * np.where(kept, 1.0 / (scale * np.sqrt(np.where(kept, values, 1.0))), 0.0)[:, None]


def _starts(white, shares):
    t, _, d = white.shape
    random = np.broadcast_to(np.random.default_rng(0).normal(size=(_DIRECTIONS, d)), (t, _DIRECTIONS, d))
    mean = np.einsum("tk,tkd->td", shares, white)[:, None]
    directions = np.concatenate([white, mean, random], axis=1)
    lengths = np.linalg.norm(directions, axis=2, keepdims=True)
    directions = directions / np.where(lengths > 0, lengths, 1.0)
    return (directions[:, :, None] * _LENGTHS[:, None]).reshape(t, -1, d)


def _descend(w, white, shares):
    """Follow Newton's method from each row of `w` (p, d); return the ends and their risks (p,)."""

    def risk(w):
        return (shares * t_logistic(1.0, np.einsum("pkd,pd->pk", white, w))).sum(axis=1)

    values = risk(w)
    for _ in range(_STEPS):
        margins = np.einsum("pkd,pd->pk", white, w)
        gradient = np.einsum("pk,pkd->pd", shares * t_logistic_slope(margins), white)
        if np.abs(gradient).max() < _SMALL:
            break
        curvature = np.einsum("pk,pki,pkj->pij", shares * _t_logistic_curvature(margins), white, white)
        scales, axes = np.linalg.eigh(curvature)
        # The size of the curvature, whatever its sign, keeps the step downhill.
        scales = np.maximum(np.abs(scales), 1e-12)
        step = -np.einsum("pij,pj->pi", axes, np.einsum("pji,pj->pi", axes, gradient) / scales)
        longest = 2.0 * (1.0 + np.linalg.norm(w, axis=1))
        step *= np.minimum(1.0, longest / np.maximum(np.linalg.norm(step, axis=1), 1e-300))[:, None]
        slope = np.einsum("pd,pd->p", gradient, step)
        moved = np.zeros(len(w), dtype=bool)
        for _halving in range(30):
            tried = np.where(moved[:, None], w, w + step)
            found = risk(tried)
            better = ~moved & (found < values + 1e-4 * np.minimum(slope, 0.0))
            w, values = np.where(better[:, None], tried, w), np.where(better, found, values)
            moved |= better
            if moved.all():
                break
            step, slope = np.where(moved[:, None], step, step / 2), np.where(moved, slope, slope / 2)
        if not moved.any():
            break
    return w, values


def _t_logistic_curvature(margin):
    """Second derivative of the t-logistic loss in the margin."""
    half = margin / 2.0
    root = np.hypot(1.0, half)
    size = root * (1.0 + root + half)
    return 0.25 * (half / root + 2.0 * half + root + half**2 / root) / size**2
