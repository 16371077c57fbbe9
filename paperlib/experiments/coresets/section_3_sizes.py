"""Section 3: sizes of coresets, what each step takes, and what is read on the way (Figure 1, Lemma 3.1)."""

import time
from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd

from paperlib.coresets import CoresetSVC, theory
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets.measures import optimal_margin, radius
from paperlib.experiments.coresets.samples import half_spaces, star

# Of the size of a coreset, by the rule that makes it.
BOUNDS: dict[Literal["worst", "first"], Callable[[float, float, float], int]] = {
    "worst": theory.lemma_3_1,
    "first": theory.corollary_3_2,
}


def hyperplanes_on_the_way(X, y, joined):
    """Find the hyperplane of largest margin after each point that joined a coreset, for a reader to see.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    joined : ndarray of shape (k,)
        Rows in the order in which they joined, such as `CoresetSVC.coreset_indices_` of any selection but
        ``"batch"``.

    Returns
    -------
    normals : ndarray of shape (k, d), of length one
    of_coreset : ndarray of shape (k,)
        The margin that each has on the points that had joined.
    on_all : ndarray of shape (k,)
        The one that it achieves on all.

    Examples
    --------
    >>> X, y = np.array([[2.0, 0.0], [0.0, -2.0]]), np.array([1, -1])
    >>> normals, of_coreset, on_all = hyperplanes_on_the_way(X, y, [0, 1])
    >>> normals.round(3).tolist(), of_coreset.round(3).tolist(), on_all.round(3).tolist()
    ([[1.0, 0.0], [0.707, 0.707]], [2.0, 1.414], [0.0, 1.414])
    """
    points = y[:, None] * X
    work, normals, of_coreset = WorkingSet(X.shape[1]), [], []
    for row in joined:
        work.add(points[row])
        work.solve()
        normals.append(work.normal)
        of_coreset.append(work.margin)
    return np.array(normals), np.array(of_coreset), (points @ np.array(normals).T).min(axis=0)


def coreset_runs(samples, epsilons):
    """Run CORESET SVM (Figure 1) by either rule on samples, and keep every step of it.

    Parameters
    ----------
    samples : dict of name -> (X, y)
    epsilons : list of float

    Returns
    -------
    runs : DataFrame with a row per run
        sample, selection, eps, n, ratio (R over the optimal margin), size, passes, achieved (margin on all
        data over the optimal one), certificate (the same over the coreset's), above (steps until the margin
        of the coreset is within ``1 + eps`` of the optimum), bound (of Lemma 3.1 or Corollary 3.2).
    steps : DataFrame with a row per step
        sample, selection, eps, step, margin, violation (each over R), kept (next margin over this one), and
        what Equation (1) and Corollary 3.2 allow it to be.
    """
    runs, steps = [], []
    for name, (X, y) in samples.items():
        R, best = radius(X), optimal_margin(X, y)
        for selection, bound in BOUNDS.items():
            for eps in epsilons:
                fit = CoresetSVC(eps, selection=selection, max_iter=10**6).fit(X, y)
                path, size = fit.margin_path_, len(fit.coreset_indices_)
                violation = path[:-1] - fit.added_margin_path_
                where = {"sample": name, "selection": selection, "eps": eps}
                runs.append(
                    where
                    | {
                        "n": len(X),
                        "ratio": R / best,
                        "size": size,
                        "passes": fit.n_passes_,
                        "achieved": fit.margin_ / best,
                        "certificate": fit.margin_ / fit.margin_upper_bound_,
                        "above": int((path > (1.0 + eps) * best).sum()),
                        "bound": bound(R, best, eps),
                    }
                )
                step = {"step": np.arange(1, size), "margin": path[:-1] / R, "violation": violation / R}
                step["kept"] = path[1:] / path[:-1]
                step["equation_1"] = theory.equation_1(path[:-1], violation, R) / path[:-1]
                step["corollary_3_2"] = theory.equation_1(path[:-1], eps * path[:-1], R) / path[:-1]
                steps.append(pd.DataFrame(where | step))
    return pd.DataFrame(runs), pd.concat(steps, ignore_index=True)


def star_sizes(epsilons, ratios, *, eps, ratio):
    """Sizes of coresets of `samples.star`, with one of eps and R / rho fixed and the other one varied.

    Parameters
    ----------
    epsilons, ratios : list of float
    eps, ratio : float
        What is fixed in turn.

    Returns
    -------
    DataFrame with a row per run
        varied ("eps" or "ratio"), selection, eps, ratio, size, bound (of Lemma 3.1 or Corollary 3.2)
    """
    rows = []
    for varied, pairs in (("eps", [(e, ratio) for e in epsilons]), ("ratio", [(eps, r) for r in ratios])):
        for each, r in pairs:
            n = int(40 * r**2 / each) if each > 0.05 else int(4 * r**2 / each)
            X, y = star(min(n, 600), r)
            true = radius(X) / np.sqrt(1.0 + (r**2 - 1.0) / len(X))
            for selection, bound in BOUNDS.items():
                size = len(CoresetSVC(each, selection=selection).fit(X, y).coreset_indices_)
                rows.append((varied, selection, each, true, size, bound(true, 1.0, each)))
    return pd.DataFrame(rows, columns=["varied", "selection", "eps", "ratio", "size", "bound"])


def growth_in_n(sizes, d, margin, eps, *, random_state=None):
    """Count points that are read to find a coreset, on `samples.half_spaces` of growing size.

    Parameters
    ----------
    sizes : list of int
    d : int
    margin, eps : float
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size and selection: n, selection, size, passes, points_read
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for n in sizes:
        X, y = half_spaces(n, d, margin, random_state=rng)
        for selection in ("worst", "first", "batch"):
            fit = CoresetSVC(eps, selection=selection, random_state=0).fit(X, y)
            rows.append((n, selection, len(fit.coreset_indices_), fit.n_passes_, n * fit.n_passes_))
    return pd.DataFrame(rows, columns=["n", "selection", "size", "passes", "points_read"])


def seconds(sizes, d, margin, eps, *, random_state=None):
    """Time `CoresetSVC` on growing samples of `samples.half_spaces`, for a reader to see.

    Parameters
    ----------
    sizes, d, margin, eps, random_state
        As for `growth_in_n`.

    Returns
    -------
    DataFrame with a row per size: n, selection, seconds
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for n in sizes:
        X, y = half_spaces(n, d, margin, random_state=rng)
        for selection in ("worst", "batch"):
            start = time.perf_counter()
            CoresetSVC(eps, selection=selection, random_state=0).fit(X, y)
            rows.append((n, selection, time.perf_counter() - start))
    return pd.DataFrame(rows, columns=["n", "selection", "seconds"])
