"""Every method, ours and what else one could try, on the same splits with as many settings each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats
from paperlib.experiments.feature_deletion.adversarial_training import SubgradientClassifier
from paperlib.experiments.feature_deletion.deletion_curves import errors_after
from paperlib.experiments.feature_deletion.feature_bagging import FeatureBagging
from paperlib.experiments.feature_deletion.tuning import (
    LEARNERS,
    Candidate,
    Kind,
    grid,
    ninth,
    scaled,
    sizes,
    tune,
)

PEERS = ("logistic regression", "adversarial training", "dropout", "feature bagging")
METHODS = (*LEARNERS, *PEERS)
STEPS = (0.001, 0.01, 0.1, 1.0, 10.0)  # of subgradients, in units of 1 / (mean of |x|^2)
RATES = (0.2, 0.5, 0.8)  # of dropout
SHARES = (0.1, 0.3, 0.6)  # of the features that a member of a bag sees
MEMBER_STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)  # C of the bag's members, in units of 1 / (mean of |x|^2)
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
    square, seed = (X**2).sum(axis=1).mean(), {"random_state": random_state}
    if method == "logistic regression":
        return [
            # To many digits: where it stops early depends on the processor's rounding.
            Candidate(LogisticRegression(C=C / square, tol=1e-9, max_iter=10_000), C, 0.0)
            for C in sizes("SVM", len(budgets))
        ]
    if method == "adversarial training":
        return [
            Candidate(SubgradientClassifier(int(k), step=step, **seed), step, k)
            for step in STEPS
            for k in budgets
        ]
    if method == "dropout":
        return [
            Candidate(SubgradientClassifier(rate=rate, step=step, **seed), step, rate)
            for step in STEPS
            for rate in RATES
        ]
    if method == "feature bagging":
        return [
            Candidate(FeatureBagging(share, C=C / square, **seed), C, share)
            for C in MEMBER_STRENGTHS
            for share in SHARES
        ]
    return grid(method, X, budgets, random_state=random_state)  # type: ignore[arg-type]


def compare(
    X: Floats,
    y: np.ndarray,
    kind: Kind,
    *,
    methods: Sequence[str] = METHODS,
    n_train: int = 400,
    n_test: int = 2000,
    n_splits: int = 5,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Errors of methods under the greedy adversary, on random stratified splits that all methods share.

    Parameters
    ----------
    X : ndarray of shape (m, n)
    y : ndarray of shape (m,), of -1 and 1
    kind : {"images", "counts", "measurements"}
        See `tuning.scaled`.
    methods : sequence of str, of `METHODS`
    n_train, n_test : int
        At most; no more than three and one quarter of the examples. A ninth of the first is for tuning.
    n_splits : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per split, method and budget: run, learner, deleted (the share), budget, error,
        strength, ready_for, at_edge (whether no setting has smaller, or larger, strength), unfinished
    """
    signs, ones = y.astype(float), np.ones(X.shape[1])
    budgets = np.ceil(np.array(DELETED) * X.shape[1])
    n_train, n_test = min(n_train, 3 * len(y) // 4), min(n_test, len(y) // 4)
    first = int(np.random.default_rng(random_state).integers(2**31))
    splits = StratifiedShuffleSplit(n_splits, train_size=n_train, test_size=n_test, random_state=first)
    ready, rows = [max(1, round(share * budgets[-1])) for share in READY], []
    for run, (train, test) in enumerate(splits.split(X, y)):
        seen, unseen = scaled(X[train], [X[test]], kind)
        fit, held_out = ninth(y[train], run)

        def errors(X, signs):
            return lambda w, b: errors_after(w, b, X, signs, ones, budgets)

        for method in methods:
            offered = candidates(method, seen, ready, run)
            edges = {pick(each.strength for each in offered) for pick in (min, max)}
            found = tune(
                offered,
                (seen[fit], signs[train[fit]]),
                errors(seen[held_out], signs[train[held_out]]),
                errors(unseen, signs[test]),
            )
            rows += [
                (run, method, share, budget, error, *chosen[1:], chosen.strength in edges, found.unfinished)
                for share, budget, error, chosen in zip(DELETED, budgets.tolist(), found.errors, found.chosen)
            ]
    chosen = ["strength", "ready_for", "at_edge", "unfinished"]
    return pd.DataFrame(rows, columns=["run", "learner", "deleted", "budget", "error", *chosen])


def lead(rows: pd.DataFrame, ahead: str, behind: str) -> tuple[float, float, float]:
    """Errors of a method less those of another, after deletions, averaged over these and the data sets.

    Parameters
    ----------
    rows : DataFrame
        Of `compare`, with a column data.
    ahead, behind : str, of `METHODS`
        Positive where `ahead` errs less.

    Returns
    -------
    mean, stderr, dof : float
        The splits of a data set are its runs. Their variances differ between data sets, so that the degrees
        of freedom are those of Welch and Satterthwaite.
    """
    deleted = rows[rows.deleted > 0]
    errors = deleted.pivot_table(index=["data", "run"], columns="learner", values="error")
    each = (errors[behind] - errors[ahead]).groupby("data").agg(["mean", "sem", "size"])
    parts = (each["sem"] / len(each)) ** 2
    variance = parts.sum()
    dof = (
        variance**2 / (parts**2 / (each["size"] - 1)).sum()
        if variance > 0
        else each["size"].sum() - len(each)
    )
    return float(each["mean"].mean()), float(np.sqrt(variance)), float(dof)
