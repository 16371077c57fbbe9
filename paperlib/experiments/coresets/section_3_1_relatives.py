"""Section 3.1: the online learners that the paper names, beside a coreset."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from paperlib.coresets import CoresetSVC, theory
from paperlib.experiments.coresets import baselines
from paperlib.experiments.coresets.measures import achieved_margin, optimal_margin, radius
from paperlib.experiments.coresets.samples import axes


def relatives_table(data_sets, eps):
    """Updates of the learners of Section 3.1 until they stop by themselves, beside a coreset.

    Parameters
    ----------
    data_sets : dict of name -> (X, y)
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per sample and learner
        sample, learner, updates, passes (over the data), achieved (margin over the optimal one), bound (of
        the updates, where the paper names one)
    """
    rows = []
    for name, (X, y) in data_sets.items():
        points, best = y[:, None] * X, optimal_margin(X, y)
        ratio = radius(X) / best
        runs = {
            "perceptron": (baselines.perceptron(points), baselines.perceptron_bound(ratio)),
            "Kowalczyk": (baselines.kowalczyk(points, eps), baselines.kowalczyk_bound(ratio, eps)),
            "ROMMA": (baselines.romma(points, eps), None),
            "ALMA": (baselines.alma(points, eps), baselines.alma_bound(ratio, eps)),
        }
        for learner, (run, bound) in runs.items():
            achieved = achieved_margin(X, y, run.w) / best
            rows.append((name, learner, run.n_updates, run.n_passes, achieved, bound))
        fit = CoresetSVC(eps, selection="worst").fit(X, y)
        bound = theory.lemma_3_1(radius(X), best, eps)
        achieved = achieved_margin(X, y, fit.coef_[0]) / best
        rows.append((name, "coreset", len(fit.coreset_indices_), fit.n_passes_, achieved, bound))
    return pd.DataFrame(rows, columns=["sample", "learner", "updates", "passes", "achieved", "bound"])


def alma_beside_romma(samples, eps, n_train, n_draws, *, random_state=None):
    """Compare ALMA with ROMMA, each until it stops by itself: errors on new points, and updates.

    Parameters
    ----------
    samples : dict of name -> (X, y)
    eps : float in (0, 1)
    n_train : int
        Points that they learn from, half of a sample at most, drawn anew each time; the others are new to
        them.
    n_draws : dict of name -> int
        Of each sample.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample and draw
        sample, romma, alma (errors on the new points), romma_updates, alma_updates
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for name, (X, y) in samples.items():
        points = y[:, None] * X
        for _ in range(n_draws[name]):
            order = rng.permutation(len(X))
            n_known = min(n_train, len(X) // 2)
            known, new = points[order[:n_known]], points[order[n_known:]]
            runs = baselines.romma(known, eps), baselines.alma(known, eps)
            errors = (float((new @ run.w <= 0.0).mean()) for run in runs)
            rows.append((name, *errors, *(run.n_updates for run in runs)))
    return pd.DataFrame(rows, columns=["sample", "romma", "alma", "romma_updates", "alma_updates"])


def perceptron_shares(counts, copies=3):
    """Count updates of the perceptron on `samples.axes`, over those that its bound allows.

    Parameters
    ----------
    counts : list of int
        Axes.
    copies : int
        Of each point, so that they are more than the bound.

    Returns
    -------
    ndarray of shape (counts,)
    """
    shares = []
    for n in counts:
        X, y = axes(n, copies)
        allowed = baselines.perceptron_bound(radius(X) / optimal_margin(X, y))
        shares.append(baselines.perceptron(y[:, None] * X).n_updates / allowed)
    return np.array(shares)


def relatives_seconds(data_sets, eps):
    """Time the same learners until they have ``1 - eps`` of the largest margin, for a reader to see.

    Those that stop by themselves are stopped there; the coreset stops when it can certify it.

    Parameters
    ----------
    data_sets, eps
        As for `relatives_table`.

    Returns
    -------
    DataFrame with a row per sample and learner: sample, learner, seconds
    """
    rows = []
    for name, (X, y) in data_sets.items():
        points, target = y[:, None] * X, (1.0 - eps) * optimal_margin(X, y)
        learners: dict[str, Callable[[], Any]] = {
            "Kowalczyk": partial(baselines.kowalczyk, points, eps, target=target),
            "ROMMA": partial(baselines.romma, points, eps, target=target),
            "ALMA": partial(baselines.alma, points, eps, target=target),
            "coreset": partial(CoresetSVC(eps, random_state=0).fit, X, y),
        }
        for learner, run in learners.items():
            start = time.perf_counter()
            run()
            rows.append((name, learner, time.perf_counter() - start))
    return pd.DataFrame(rows, columns=["sample", "learner", "seconds"])
