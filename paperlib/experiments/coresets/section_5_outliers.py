"""Section 5: searches for outliers beside the true optimum (Lemma 5.2), and outliers that were planted."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.validation import check_number
from paperlib.coresets import OutlierCoresetSVC, theory
from paperlib.coresets._solver.working_set import WorkingSet
from paperlib.experiments.coresets.measures import SLACK, radius
from paperlib.experiments.coresets.mixed_integer import trimmed_optimum
from paperlib.experiments.coresets.samples import flipped

MAX_SETS = 1000  # of outliers that are removed one after the other


def outlier_trials(n_trials, n, d, counts, eps, *, random_state=None):
    """Hold each search for outliers against the true optimum (Lemma 5.2).

    That is found by removing all sets of k points, or where they are more than `MAX_SETS` by a mixed-integer
    programme.

    Parameters
    ----------
    n_trials : int >= 1
    n, d : int
    counts : list of int
        The values of k.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial, k and method
        n, k, method, achieved (margin over ``rho_k``), bound_holds, looked_at, allowed (subsets of up to c
        points, with the c of Lemma 5.2)
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for _, k in itertools.product(range(check_number(n_trials, "n_trials", low=1, integer=True)), counts):
        X, y, _ = flipped(n, d, 0.2, k, random_state=rng)
        points = y[:, None] * X
        best = _optimum_without(points, k)
        for method in ("exhaustive", "doubling", "branch"):
            fit = OutlierCoresetSVC(k, eps, method=method).fit(X, y)
            holds = fit.margin_upper_bound_ >= best * (1.0 - SLACK)
            size = min(n, theory.lemma_5_2_size(radius(X) / best, eps))
            allowed = sum(math.comb(n, c) for c in range(1, size + 1))
            rows.append((n, k, method, fit.margin_ / best, holds, fit.n_looked_at_, allowed))
    columns = ["n", "k", "method", "achieved", "bound_holds", "looked_at", "allowed"]
    return pd.DataFrame(rows, columns=columns)


def _optimum_without(points, k):
    if math.comb(len(points), k) > MAX_SETS:
        return trimmed_optimum(points, k).margin
    sets = itertools.combinations(range(len(points)), k)
    return max(WorkingSet.of(np.delete(points, out, axis=0)).margin for out in sets)


def outlier_path(X, y, outliers, counts, eps):
    """Trimmed margins of growing numbers of outliers that are allowed for.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    outliers : ndarray of shape (k,)
        The points that were planted.
    counts : list of int
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per count: allowed, margin, upper, found (of the planted ones), looked_at
    """
    rows = []
    for k in counts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a margin below zero says it
            fit = OutlierCoresetSVC(k, eps, method="branch", on_nonseparable="warn").fit(X, y)
        found = len(np.intersect1d(fit.outlier_indices_, outliers))
        rows.append((k, fit.margin_, fit.margin_upper_bound_, found, fit.n_looked_at_))
    return pd.DataFrame(rows, columns=["allowed", "margin", "upper", "found", "looked_at"])
