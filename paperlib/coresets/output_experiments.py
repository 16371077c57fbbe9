"""The notebook's experiments with the relatives of Section 3.1, many classes, and sequences."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from paperlib.coresets import baselines, theory
from paperlib.coresets.coreset_svc import CoresetSVC
from paperlib.coresets.decoders import ChainDecoder
from paperlib.coresets.experiments import optimal_margin, radius
from paperlib.coresets.multiclass import MulticlassCoresetSVC
from paperlib.coresets.sequences import digit_sequences
from paperlib.coresets.structured import StructuredCoresetSVM


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
            rows.append((name, learner, run.n_updates, run.n_passes, run.margin / best, bound))
        fit = CoresetSVC(eps, selection="worst").fit(X, y)
        bound = theory.lemma_3_1(radius(X), best, eps)
        rows.append((name, "coreset", len(fit.coreset_indices_), fit.n_passes_, fit.margin_ / best, bound))
    return pd.DataFrame(rows, columns=["sample", "learner", "updates", "passes", "achieved", "bound"])


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


def multiclass_digits(X, y, epsilons, n_train):
    """Learn all classes at once from the first examples, and test on the others.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    epsilons : list of float in (0, 1)
    n_train : int < n

    Returns
    -------
    DataFrame with a row per eps: eps, pairs, size, passes, certificate, test_error
    """
    X = np.column_stack([X / X.max(), np.ones(len(X))])
    rows = []
    for eps in epsilons:
        fit = MulticlassCoresetSVC(eps).fit(X[:n_train], y[:n_train])
        wrong = float((fit.predict(X[n_train:]) != y[n_train:]).mean())
        pairs = n_train * (len(fit.classes_) - 1)
        certificate = fit.margin_ / fit.margin_upper_bound_
        rows.append((eps, pairs, len(fit.coreset_indices_), fit.n_passes_, certificate, wrong))
    return pd.DataFrame(rows, columns=["eps", "pairs", "size", "passes", "certificate", "test_error"])


def chain_labelling(n, length, eps, *, random_state=None):
    """Label sequences of digits with every rule of `StructuredCoresetSVM`, and image by image.

    Parameters
    ----------
    n, length : int
        Sequences for training, as many for testing, and their length.
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per rule: rule, size, bound (Corollary 3.2), passes, certificate, test_error
    """
    rng = np.random.default_rng(random_state)
    X, Y = digit_sequences(n, length, noise=0.3, random_state=rng)
    X_test, Y_test = digit_sequences(n, length, noise=0.3, part="test", random_state=rng)
    # No pair differs by more: all labels and all steps are other ones.
    R = np.sqrt(2.0) * (np.linalg.norm(X, axis=2).sum(axis=1).max() + length - 1)
    rows: list[tuple[Any, ...]] = []
    for rule in ("worst", "first", "mean"):
        fit = StructuredCoresetSVM(ChainDecoder(10), eps, selection=rule).fit(list(X), list(Y))
        wrong = float((np.array(fit.predict(list(X_test))) != Y_test).mean())
        bound = theory.corollary_3_2(R, fit.margin_, eps)  # its margin is at most the optimum
        certificate = fit.margin_ / fit.margin_upper_bound_
        rows.append((rule, len(fit.coreset_indices_), bound, fit.n_passes_, certificate, wrong))
    width = X.shape[2]
    single = MulticlassCoresetSVC(eps).fit(X.reshape(-1, width), Y.ravel())
    wrong = float((single.predict(X_test.reshape(-1, width)) != Y_test.ravel()).mean())
    certificate = single.margin_ / single.margin_upper_bound_
    rows.append(("image by image", len(single.coreset_indices_), None, single.n_passes_, certificate, wrong))
    return pd.DataFrame(rows, columns=["rule", "size", "bound", "passes", "certificate", "test_error"])
