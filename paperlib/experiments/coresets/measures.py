"""Measures of several sections: radius, optimal margin, what a hyperplane achieves, calls of a method.

Margins are found here by non-negative least squares, which shares no code with the library's own solver.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from paperlib._common.typing import Floats

BATCH = 100  # rows that join a programme at a time
EXACT = 1e-10  # relative: how far a row may violate the hyperplane that is taken for the best one


class Hyperplane(NamedTuple):
    """The best hyperplane through the origin for signed points.

    Attributes
    ----------
    margin : float
        Zero where nothing separates.
    normal : ndarray of shape (d,)
        Of length one; zero where the margin is.
    """

    margin: float
    normal: Floats


def radius(X):
    """Return R, the largest norm of a row of `X` (n, d).

    >>> float(radius(np.array([[3.0, 4.0], [1.0, 0.0]])))
    5.0
    """
    return np.sqrt(np.einsum("ij,ij->i", X, X).max())


def best_hyperplane(points: Floats) -> Hyperplane:
    """Find the hyperplane of largest margin, by Lawson and Hanson's least distance programming.

    ``min ||Z' u||^2 + (1 - sum u)^2`` over ``u >= 0`` has its minimum where ``u / sum u`` gives the point of
    the hull that is nearest to the origin. Rows join until the hyperplane of some is that of all.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Signed points ``y_i x_i``.

    Returns
    -------
    Hyperplane

    References
    ----------
    C. Lawson, R. Hanson, Solving Least Squares Problems, 1974, Chapter 23.

    Examples
    --------
    >>> best = best_hyperplane(np.array([[3.0, 0.0], [0.0, 4.0]]))
    >>> round(best.margin, 9), best.normal.round(9).tolist()
    (2.4, [0.8, 0.6])
    """
    scale = radius(points)
    nothing = Hyperplane(0.0, np.zeros(points.shape[1]))
    if scale == 0.0:
        return nothing
    scaled = points / scale
    rows = np.argsort(np.einsum("ij,ij->i", scaled, scaled), kind="stable")[:BATCH]
    while True:
        programme = np.vstack([scaled[rows].T, np.ones(len(rows))])
        weights = nnls(programme, np.eye(len(programme))[-1])[0]
        nearest = weights @ scaled[rows] / weights.sum()
        margin = float(np.linalg.norm(nearest))
        if margin < EXACT:
            return nothing
        margins = scaled @ (nearest / margin)
        violators = np.setdiff1d(np.flatnonzero(margins < margin * (1.0 - EXACT)), rows)
        if len(violators) == 0:
            return Hyperplane(margin * float(scale), nearest / margin)
        rows = np.append(rows, violators[np.argsort(margins[violators], kind="stable")[:BATCH]])


def supporting(points: Floats) -> int:
    """Count points without which the largest margin of all would be another: those that bear weight in it.

    Unlike `best_hyperplane` it takes all points at once, and so is for a few hundred.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Linearly independent signed points, for which the weights are the only ones.

    Returns
    -------
    int

    Examples
    --------
    >>> supporting(np.array([[3.0, 0.0], [0.0, 4.0]])), supporting(np.array([[3.0, 0.0], [5.0, 4.0]]))
    (2, 1)
    """
    programme = np.vstack([points.T / radius(points), np.ones(len(points))])
    weights = nnls(programme, np.eye(len(programme))[-1])[0]
    return int((weights > EXACT * weights.sum()).sum())


def optimal_margin(X, y):
    """Find the largest margin that a hyperplane through the origin has on the data.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1

    Returns
    -------
    float
    """
    return best_hyperplane(y[:, None] * X).margin


def achieved_margin(X, y, w):
    """Return the smallest margin that the normal `w` (d,), of any length, has on the data."""
    return float((y * (X @ w)).min() / np.linalg.norm(w))


def share_missed(achieved, best, eps):
    """Return how much of `eps` is used: 0 at the best margin, 1 where ``1 - eps`` of it is left.

    >>> round(share_missed(0.95, 1.0, 0.1), 9)
    0.5
    """
    return (1.0 - achieved / best) / eps


@dataclass
class Calls:
    """How often a method was called."""

    count: int = 0


@contextmanager
def calls(owner: type, name: str) -> Iterator[Calls]:
    """Count the calls of a class's method from outside, for as long as the block runs.

    >>> with calls(Calls, "__init__") as made:
    ...     several = [Calls(), Calls(3)]
    >>> made.count, several[1].count
    (2, 3)
    """
    sound, made = getattr(owner, name), Calls()

    def counting(*args, **keywords):
        made.count += 1
        return sound(*args, **keywords)

    setattr(owner, name, counting)
    try:
        yield made
    finally:
        setattr(owner, name, sound)
