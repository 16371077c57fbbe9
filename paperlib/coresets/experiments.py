"""The notebook's experiments, each returning a tidy table or numbers; drawing them is the notebook's."""

import time
from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.coresets import theory
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.samples import half_spaces, star
from paperlib.coresets.working_set import WorkingSet

SLACK = 1e-9  # relative: what rounding may take from an inequality
NARROW = 1e-6  # eps of what is taken for the optimal margin
# Of the size of a coreset, by the rule that makes it.
BOUNDS: dict[Literal["worst", "first"], Callable[[float, float, float], int]] = {
    "worst": theory.lemma_3_1,
    "first": theory.corollary_3_2,
}


def radius(X):
    """Return R, the largest norm of a row of `X` (n, d).

    >>> float(radius(np.array([[3.0, 4.0], [1.0, 0.0]])))
    5.0
    """
    return np.sqrt(np.einsum("ij,ij->i", X, X).max())


def optimal_margin(X, y):
    """Find the optimal margin to six digits.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)

    Returns
    -------
    float
        The coreset's margin, which is not below it.
    """
    return CoresetSVC(NARROW, selection="batch", random_state=0).fit(X, y).margin_upper_bound_


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


def either_label(n_cases, eps, *, random_state=None):
    """Add points near the hyperplane of random coresets, with the one label and with the other (Section 4.2).

    Parameters
    ----------
    n_cases : int >= 1
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    cases, failures : int
        A failure is a margin above ``(1 - eps^2 rho^2 / (8 R^2)) rho``.
    """
    rng = np.random.default_rng(random_state)
    failures = 0
    for _ in range(check_number(n_cases, "n_cases", low=1, integer=True)):
        X, y = half_spaces(int(rng.integers(2, 12)), int(rng.integers(2, 8)), 0.2, random_state=rng)
        before = WorkingSet.of(y[:, None] * X)
        direction = rng.normal(size=X.shape[1])
        near = direction - (direction @ before.normal) * before.normal
        near /= np.linalg.norm(near)
        offset = rng.uniform(-1, 1) * (1.0 - eps) * before.margin
        near = np.sqrt(1.0 - offset**2) * near + offset * before.normal
        most = theory.equation_1(before.margin, eps * before.margin, 1.0) * (1.0 + SLACK)
        for sign in (-1, 1):
            failures += WorkingSet.of(np.vstack([y[:, None] * X, sign * near])).margin > most
    return 2 * n_cases, int(failures)


def fitted_exponent(x, y):
    """Slope of ``log y`` against ``log x``, by least squares, with its standard error.

    >>> [round(float(number), 9) + 0.0 for number in fitted_exponent([1, 2, 4], [3, 12, 48])]
    [2.0, 0.0]
    """
    x, y = np.log(np.asarray(x, float)), np.log(np.asarray(y, float))
    x = x - x.mean()
    slope = x @ y / (x @ x)
    rest = y - y.mean() - slope * x
    return float(slope), float(np.sqrt(rest @ rest / max(len(x) - 2, 1) / (x @ x)))
