"""Every method, the paper's and what else one could try, on the same splits with as many settings each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from paperlib._common.typing import Floats
from paperlib.experiments.feature_deletion import data_sets
from paperlib.experiments.feature_deletion.adversarial_training import SubgradientClassifier
from paperlib.experiments.feature_deletion.deletion_curves import errors_after
from paperlib.experiments.feature_deletion.tuning import (
    CHOSEN,
    LEARNERS,
    Candidate,
    chosen_rows,
    grid,
    ninth,
    scaled,
    tune,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

METHODS = (*LEARNERS, "adversarial training", "dropout")
STEPS = (0.001, 0.01, 0.1, 1.0, 10.0)  # of subgradients, in units of 1 / (mean of |x|^2)
RATES = (0.2, 0.5, 0.8)  # of dropout
DELETED = (0.0, 1 / 60, 1 / 20)  # shares of the features that the adversary deletes, rounded up
READY = (1 / 3, 2 / 3, 1.0)  # shares of the most of it, for which the methods prepare


def candidates(method: str, X: Floats, budgets: Sequence[float], random_state: int = 0) -> list[Candidate]:
    """Fifteen settings of a method, as `tuning.grid` has them for the paper's.

    Parameters
    ----------
    method : one of `METHODS`
    X : ndarray of shape (m, n)
        Training examples.
    budgets : sequence of 3 whole numbers
        That the method is to prepare for, where it can.
    random_state : int

    Returns
    -------
    list of 15 `Candidate`
    """
    seed = {"random_state": random_state}
    if method == "adversarial training":
        return [
            Candidate(SubgradientClassifier(int(k), step=each, **seed), each, k)
            for each in STEPS
            for k in budgets
        ]
    if method == "dropout":
        return [
            Candidate(SubgradientClassifier(rate=rate, step=each, **seed), each, rate)
            for each in STEPS
            for rate in RATES
        ]
    return grid(method, X, budgets, random_state=random_state)  # type: ignore[arg-type]


@step
def compare(
    names: Sequence[str],
    n_splits: int,
    n_train: int,
    n_test: int = 2000,
    methods: Sequence[str] = METHODS,
    *,
    data: str,
    seed: int,
) -> pd.DataFrame:
    """Errors of methods under the greedy adversary, on random stratified splits that all methods share.

    Parameters
    ----------
    names : sequence of str
        Of `data_sets.load`.
    n_splits : int >= 1
        Of each data set.
    n_train, n_test : int
        At most; no more than three and one quarter of the examples. A ninth of the first is for tuning.
    methods : sequence of str, of `METHODS`
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per data set, split, method and budget: data, run, learner, deleted (the share),
        budget, error, strength, ready_for, at_least, at_largest (whether no setting is smaller, or larger),
        unfinished
    """
    rows = []
    for name in names:
        X, y, kind = data_sets.load(name, data)
        signs, ones = y.astype(float), np.ones(X.shape[1])
        budgets = np.ceil(np.array(DELETED) * X.shape[1])
        sizes = {"train_size": min(n_train, 3 * len(y) // 4), "test_size": min(n_test, len(y) // 4)}
        first = int(stream(seed, f"methods, {name}").integers(2**31))
        splits = list(StratifiedShuffleSplit(n_splits, **sizes, random_state=first).split(X, y))
        ready = [max(1, round(share * budgets[-1])) for share in READY]
        for run, (train, test) in enumerate(progress(splits, f"methods, {name}")):
            seen, unseen = scaled(X[train], [X[test]], kind)
            fit, held_out = ninth(y[train], run)

            def errors(X, signs, ones=ones, budgets=budgets):
                return lambda w, b: errors_after(w, b, X, signs, ones, budgets)

            judges = errors(seen[held_out], signs[train[held_out]]), errors(unseen, signs[test])
            for method in methods:
                offered = candidates(method, seen, ready, run)
                found = tune(offered, (seen[fit], signs[train[fit]]), *judges)
                chosen = chosen_rows((name, run, method), budgets, offered, found)
                rows += [(*row[:3], share, *row[3:]) for share, row in zip(DELETED, chosen)]
    return pd.DataFrame(rows, columns=["data", "run", "learner", "deleted", "budget", "error", *CHOSEN])
