"""Sets that other methods of Sections 1 and 3.1 build: of enclosing balls, and of means, as SVM-Perf does."""

import math

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.coresets import CoresetSVC
from paperlib.experiments.coresets.measures import best_hyperplane, exponent, radius


def enclosing_ball(points: Floats, eps: float, margin: float) -> int:
    """Count points of a coreset of the smallest enclosing ball that has ``1 - eps`` of the largest margin.

    For points of one length R the ball about them has its centre in the point of their hull that is nearest
    to the origin, and the radius ``sqrt(R^2 - rho^2)``. This is the reduction of core vector machines: the
    point farthest from the centre of the coreset's ball joins, until all are within ``1 + e`` of its
    radius. With ``(1 + e)^2 = 1 + 2 eps rho^2 / (R^2 - rho^2)`` no margin is then below ``(1 - eps) rho``.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Signed points of one length.
    eps : float in (0, 1)
    margin : float
        The largest one, rho, below the length of the points.

    Returns
    -------
    int

    Examples
    --------
    >>> enclosing_ball(np.eye(3), 0.1, 3**-0.5)
    3
    """
    squared = radius(points) ** 2
    allowed = 1.0 + 2.0 * eps * margin**2 / (squared - margin**2)
    rows, centre = [0], points[0]
    while True:
        distances = np.square(points - centre).sum(axis=1)
        farthest = int(distances.argmax())
        if distances[farthest] <= allowed * (squared - centre @ centre) + 1e-9 * squared or farthest in rows:
            return len(rows)
        rows.append(farthest)
        best = best_hyperplane(points[rows])
        centre = best.margin * best.normal


def ball_sizes(samples, epsilons):
    """Compare coresets of enclosing balls with those of CORESET SVM, on points brought to one length.

    Parameters
    ----------
    samples : dict of name -> (X, y)
    epsilons : list of float

    Returns
    -------
    DataFrame with a row per sample and eps: sample, eps, coreset, ball (points of either)
    """
    rows = []
    for name, (X, y) in samples.items():
        X = X / np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
        points = y[:, None] * X
        best = best_hyperplane(points).margin
        for eps in epsilons:
            size = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
            rows.append((name, eps, size, enclosing_ball(points, eps, best)))
    return pd.DataFrame(rows, columns=["sample", "eps", "coreset", "ball"])


def improvement(sizes):
    """Fit, for each sample, the power of 1 / eps by which coresets of balls are larger.

    A power is what remains as eps falls: on a star of ratio r a ball takes about ``(r^2 - 1) / eps + 1``
    points and a coreset ``(r^2 - 1) (1 / eps - 1)``, which differ by a constant that is nearly all of them
    where eps is large. So only the two smallest values of eps count.

    Parameters
    ----------
    sizes : DataFrame
        Of `ball_sizes`.

    Returns
    -------
    ndarray of shape (samples,)
        Of those with two values of eps.
    """
    each = (one.nsmallest(2, "eps") for _, one in sizes.groupby("sample", sort=False))
    powers = [exponent(1.0 / one.eps, one.ball / one.coreset) for one in each]
    return np.array([power["value"] for power in powers if power["cases"]])


def means_of_violators(points: Floats, eps: float) -> int:
    """Count the means that join a coreset, each of all points that violate at the time.

    SVM-Perf's cutting planes, for a hard margin: each stands for a subset of the points. Corollary 3.2 bounds
    their number as it does that of points, ``O((R / rho)^2 / eps^2)``.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Signed points that a hyperplane separates.
    eps : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> means_of_violators(np.eye(30), 0.1)
    2
    """
    means = points[:1]
    while True:
        margin, normal = best_hyperplane(means)
        bad = points @ normal < (1.0 - eps) * margin * (1.0 - 1e-9)
        if not bad.any() or math.isclose(margin, 0.0):
            return len(means)
        means = np.vstack([means, points[bad].mean(axis=0)])


def plane_counts(samples, eps):
    """Compare numbers of means with numbers of points, where the worst violator joins and where any does.

    The paper's coreset is that of the worst violator.

    Parameters
    ----------
    samples : dict of name -> list of (X, y)
        Draws of a kind.
    eps : float

    Returns
    -------
    DataFrame with a row per draw: sample, draw, means, worst, first (points of either)
    """
    rows = []
    for name, draws in samples.items():
        for draw, (X, y) in enumerate(draws):
            sizes = [
                len(CoresetSVC(eps, selection=rule).fit(X, y).coreset_indices_) for rule in ("worst", "first")
            ]
            rows.append((name, draw, means_of_violators(y[:, None] * X, eps), *sizes))
    return pd.DataFrame(rows, columns=["sample", "draw", "means", "worst", "first"])


def least_lead(counts):
    """Return by which share the worst violators are more than the means, where that is least.

    Parameters
    ----------
    counts : DataFrame
        Of `plane_counts`.

    Returns
    -------
    dict
        value : that of the kind of sample for which the mean over draws is least; stderr, dof : of this
        mean, left out where there is one draw; cases : all draws.
    """
    leads = (counts.worst / counts["means"] - 1).groupby(counts["sample"])
    least = leads.mean().idxmin()
    stderr, n_draws = leads.sem()[least], leads.size()[least]
    errors = {"stderr": float(stderr), "dof": int(n_draws) - 1} if n_draws > 1 else {}
    return {"value": float(leads.mean()[least]), **errors, "cases": len(counts)}
