"""Section 3.1: the online learners that the paper names, beside a coreset."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from paperlib.coresets import CoresetSVC, theory
from paperlib.experiments import datasets
from paperlib.experiments.coresets import baselines, data_sets
from paperlib.experiments.coresets.measures import achieved_margin, optimal_margin, radius, share_missed
from paperlib.experiments.coresets.samples import axes, half_spaces, two_digits
from paperlib.experiments.coresets.section_3_sizes import slowest_samples
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step

SAMPLES = ("slab", "digits 0, 1")  # of `data_sets.usual`, on which the learners run until they stop
N_SLAB = 4100  # points that are drawn from, beside a slab, where ROMMA and ALMA are compared


@step
def relatives_table(slab, most, eps, *, data, seed):
    """Updates of the learners of Section 3.1 until they stop by themselves, beside a coreset.

    Parameters
    ----------
    slab, most, data, seed
        As for `data_sets.usual`, of which two samples are taken.
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per sample and learner
        sample, learner, updates, passes (over the data), achieved (margin over the optimal one), missed
        (share of eps by which it is below 1), bound (of the updates, where there is one), used (share of it)
    """
    named = data_sets.usual(slab, most, data=data, seed=seed)
    return pd.concat([relatives_on(name, *named[name], eps) for name in SAMPLES], ignore_index=True)


@step
def relatives_on(name, X, y, eps):
    """Run the learners of Section 3.1 on one sample, as `relatives_table` does.

    Parameters
    ----------
    name : str
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    eps : float in (0, 1)

    Returns
    -------
    DataFrame with a row per learner
    """
    points, best = y[:, None] * X, optimal_margin(X, y)
    ratio = radius(X) / best
    runs = {
        "perceptron": (baselines.perceptron(points), baselines.perceptron_bound(ratio)),
        "Kowalczyk": (baselines.kowalczyk(points, eps), baselines.kowalczyk_bound(ratio, eps)),
        "ROMMA": (baselines.romma(points, eps), None),
        "ALMA": (baselines.alma(points, eps), baselines.alma_bound(ratio, eps)),
    }
    found = [(learner, run.n_updates, run.n_passes, run.w, bound) for learner, (run, bound) in runs.items()]
    fit = CoresetSVC(eps, selection="worst").fit(X, y)
    most = theory.lemma_3_1(radius(X), best, eps)
    found.append(("coreset", len(fit.coreset_indices_), fit.n_passes_, fit.coef_[0], most))
    rows = []
    for learner, updates, passes, w, allowed in found:
        achieved = achieved_margin(X, y, w) / best
        missed = to_resolution(share_missed(achieved, 1.0, eps), 1e-9)
        used = None if allowed is None else updates / allowed
        rows.append((name, learner, updates, passes, achieved, missed, allowed, used))
    columns = ["sample", "learner", "updates", "passes", "achieved", "missed", "bound", "used"]
    return pd.DataFrame(rows, columns=columns)


@step
def kowalczyk_updates(epsilons, ratios, *, eps, ratio):
    """Count updates of Kowalczyk's rule where coresets are largest, on `section_3_sizes.slowest_samples`.

    Parameters
    ----------
    epsilons, ratios, eps, ratio
        As there: one of eps and R / rho* is fixed, and the other one varied.

    Returns
    -------
    DataFrame with a row per sample
        varied ("eps" or "ratio"), sample ("star" or "staircase"), eps, n, ratio, updates, bound (of them),
        used (share of it), coreset (points that have joined one, the worst each time)
    """
    rows = []
    for known, X, y, true in slowest_samples(epsilons, ratios, eps=eps, ratio=ratio):
        each = known[-1]
        updates = baselines.kowalczyk(y[:, None] * X, each).n_updates
        allowed = baselines.kowalczyk_bound(true, each)
        size = len(CoresetSVC(each, selection="worst").fit(X, y).coreset_indices_)
        rows.append((*known, len(X), true, updates, allowed, updates / allowed, size))
    columns = ["varied", "sample", "eps", "n", "ratio", "updates", "bound", "used", "coreset"]
    return pd.DataFrame(rows, columns=columns)


@step
def alma_beside_romma(d, margin, most, eps, *, data, seed, n_train=100, n_draws=(120, 40)):
    """Compare ALMA with ROMMA, each until it stops by itself: errors on new points, and updates.

    Parameters
    ----------
    d : int
    margin : float
        Dimension and half-width of a slab, as for `samples.half_spaces`.
    most : int
        Images of a pair of digits, at most.
    eps : float in (0, 1)
    data : {"bundled", "full"}
        Which MNIST.
    seed : int
    n_train : int
        Points that they learn from, half of a sample at most, drawn anew each time; the others are new to
        them.
    n_draws : (int, int)
        Beside the slab, and of the digits.

    Returns
    -------
    DataFrame with a row per sample and draw
        sample, romma, alma (errors on the new points), romma_updates, alma_updates
    """
    rng = stream(seed, "similar")
    samples = {
        "slab": half_spaces(N_SLAB, d, margin, random_state=rng),
        "digits 6, 7": two_digits(datasets.load("mnist", data), 6, 7, most),
    }
    rows = []
    for (name, (X, y)), draws in zip(samples.items(), n_draws):
        points = y[:, None] * X
        for _ in range(draws):
            order = rng.permutation(len(X))
            n_known = min(n_train, len(X) // 2)
            known, new = points[order[:n_known]], points[order[n_known:]]
            runs = baselines.romma(known, eps), baselines.alma(known, eps)
            errors = (float((new @ run.w <= 0.0).mean()) for run in runs)
            rows.append((name, *errors, *(run.n_updates for run in runs)))
    return pd.DataFrame(rows, columns=["sample", "romma", "alma", "romma_updates", "alma_updates"])


@step
def perceptron_updates(counts, copies=3):
    """Count updates of the perceptron on `samples.axes`, beside those that its bound allows.

    Parameters
    ----------
    counts : list of int
        Axes.
    copies : int
        Of each point, so that they are more than the bound.

    Returns
    -------
    DataFrame with a row per count: axes, updates, bound, used (share of it)
    """
    rows = []
    for n in counts:
        X, y = axes(n, copies)
        allowed = baselines.perceptron_bound(radius(X) / optimal_margin(X, y))
        updates = baselines.perceptron(y[:, None] * X).n_updates
        rows.append((n, updates, allowed, updates / allowed))
    return pd.DataFrame(rows, columns=["axes", "updates", "bound", "used"])


def relatives_seconds(slab, most, eps, *, data, seed):
    """Time the same learners until they have ``1 - eps`` of the largest margin, for a reader to see.

    Those that stop by themselves are stopped there; the coreset stops when it can certify it.

    Parameters
    ----------
    slab, most, eps, data, seed
        As for `relatives_table`.

    Returns
    -------
    DataFrame with a row per sample and learner: sample, learner, seconds
    """
    named = data_sets.usual(slab, most, data=data, seed=seed)
    rows = []
    for name in SAMPLES:
        X, y = named[name]
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
