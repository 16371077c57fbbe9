"""The abstract's many classes and structured outputs, of which the printed text lacks Section 6."""

from typing import Any

import numpy as np
import pandas as pd

from paperlib.coresets import ChainDecoder, MulticlassCoresetSVC, StructuredCoresetSVM, theory
from paperlib.experiments.coresets.samples import digit_sequences


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
        rows.append((eps, pairs, len(fit.coreset_indices_), fit.n_iter_, certificate, wrong))
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
        rows.append((rule, len(fit.coreset_indices_), bound, fit.n_iter_, certificate, wrong))
    width = X.shape[2]
    single = MulticlassCoresetSVC(eps).fit(X.reshape(-1, width), Y.ravel())
    wrong = float((single.predict(X_test.reshape(-1, width)) != Y_test.ravel()).mean())
    certificate = single.margin_ / single.margin_upper_bound_
    rows.append(("image by image", len(single.coreset_indices_), None, single.n_iter_, certificate, wrong))
    return pd.DataFrame(rows, columns=["rule", "size", "bound", "passes", "certificate", "test_error"])
