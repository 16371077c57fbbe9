"""Sets that other methods of Sections 1 and 3.1 build: of enclosing balls, and of means, as SVM-Perf does."""

import itertools
import math

import numpy as np
import pandas as pd

from paperlib._common.typing import Floats
from paperlib.coresets import CoresetSVC
from paperlib.experiments.coresets import data_sets
from paperlib.experiments.coresets.measures import best_hyperplane, radius, supporting
from paperlib.experiments.coresets.samples import half_spaces, star
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

RATIOS = (1.5, 1.75, 2.0)  # R / rho* of the stars on which balls are compared


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


@step
def ball_sizes(slab, most, epsilons, *, data, seed):
    """Compare coresets of enclosing balls with those of CORESET SVM, on points brought to one length.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.usual`, whose samples these are, and stars.
    epsilons : list of float
        Those that are 0.05 or more count.

    Returns
    -------
    DataFrame with a row per sample and eps: sample, eps, coreset, ball (points of either)
    """
    named = data_sets.usual(slab, most, data=data, seed=seed)
    named |= {f"star, {ratio:g}": star(400, ratio) for ratio in RATIOS}
    large = [eps for eps in epsilons if eps >= 0.05]
    return pd.concat([balls_of(name, X, y, large) for name, (X, y) in named.items()], ignore_index=True)


@step
def balls_of(name, X, y, epsilons):
    """Compare both on one sample, as `ball_sizes` does.

    Parameters
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    epsilons : list of float

    Returns
    -------
    DataFrame with a row per eps
    """
    X = X / np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    points = y[:, None] * X
    best = best_hyperplane(points).margin
    rows = []
    for eps in epsilons:
        size = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
        rows.append((name, eps, size, enclosing_ball(points, eps, best)))
    return pd.DataFrame(rows, columns=["sample", "eps", "coreset", "ball"])


@step
def support_of_a_star(n, ratio, eps):
    """Count the points of a star that support its exact hyperplane, beside those of a coreset.

    Parameters
    ----------
    n, ratio
        As for `samples.star`.
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with one row: n, ratio, eps, supporting, coreset
    """
    X, y = star(n, ratio)
    coreset = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
    row = n, ratio, eps, supporting(y[:, None] * X), coreset
    return pd.DataFrame([row], columns=["n", "ratio", "eps", "supporting", "coreset"])


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


@step
def plane_counts(slab, n_slabs, most, eps, *, data, seed):
    """Compare numbers of means with numbers of points, where the worst violator joins and where any does.

    The paper's coreset is that of the worst violator.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.with_star`, whose samples these are.
    n_slabs : int >= 1
        Draws beside the slab, the first of which is the one that other steps have; of the others there is
        one.
    eps : float

    Returns
    -------
    DataFrame with a row per draw: sample, draw, means, worst, first (points of either)
    """
    named = data_sets.with_star(slab, most, data=data, seed=seed)
    draws = [(name, 0, X, y) for name, (X, y) in named.items()]
    rng = stream(seed, "slabs")
    draws[1:1] = [("slab", draw, *half_spaces(*slab, random_state=rng)) for draw in range(1, n_slabs)]
    rows = []
    for name, draw, X, y in draws:
        sizes = [
            len(CoresetSVC(eps, selection=rule).fit(X, y).coreset_indices_) for rule in ("worst", "first")
        ]
        rows.append((name, draw, means_of_violators(y[:, None] * X, eps), *sizes))
    return pd.DataFrame(rows, columns=["sample", "draw", "means", "worst", "first"])


@step
def planes_in_n(sizes, d, margin, eps, *, n_draws, seed):
    """Count the means of violators, and the points of the worst ones, on samples of growing size.

    Parameters
    ----------
    sizes : list of int
    d, margin
        As for `samples.half_spaces`.
    eps : float in (0, 1)
    n_draws : int >= 2
        Of each size.
    seed : int

    Returns
    -------
    DataFrame with a row per size and draw: n, draw, means, worst
    """
    rng = stream(seed, "planes in n")
    rows = []
    for n, draw in progress(list(itertools.product(sizes, range(n_draws))), "samples"):
        X, y = half_spaces(n, d, margin, random_state=rng)
        worst = len(CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_)
        rows.append((n, draw, means_of_violators(y[:, None] * X, eps), worst))
    return pd.DataFrame(rows, columns=["n", "draw", "means", "worst"])


@step
def planes_of_one_example(slab, most, eps, *, data, seed):
    """Run a cutting-plane algorithm whose planes are of one example each, beside CORESET SVM (Section 3.1).

    Its hyperplane is that of least length that each plane so far allows, found by `measures.best_hyperplane`;
    the next plane is of the example that this violates most.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.with_star`, whose samples these are.
    eps : float

    Returns
    -------
    DataFrame with a row per sample and plane: sample, plane, example, coreset (the example that joined there)
    """
    tables = []
    for name, (X, y) in data_sets.with_star(slab, most, data=data, seed=seed).items():
        points, examples = y[:, None] * X, [0]
        while True:
            margin, normal = best_hyperplane(points[examples])
            margins = points @ normal
            if margins.min() >= (1.0 - eps) * margin * (1.0 - 1e-9):
                break
            examples.append(int(margins.argmin()))
        joined = CoresetSVC(eps, selection="worst").fit(X, y).coreset_indices_
        columns = {"sample": name, "example": pd.Series(examples), "coreset": pd.Series(joined)}
        tables.append(pd.DataFrame(columns).rename_axis("plane").reset_index())
    return pd.concat(tables, ignore_index=True).fillna(-1).astype({"example": int, "coreset": int})
