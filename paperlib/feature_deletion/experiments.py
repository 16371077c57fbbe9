"""The experiments of Section 4, each returning a tidy table; drawing them is the notebook's."""

import itertools
from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from paperlib._common.typing import Floats, RandomState
from paperlib._common.validation import check_choice, check_number
from paperlib.feature_deletion.baselines import hinge_svm
from paperlib.feature_deletion.deletion_curves import errors_after
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.feature_values import mutual_information_values
from paperlib.feature_deletion.tuning import Kind, Learner, grid, ninth, scaled, tune

# Shares of the largest budget that is tested, for which the learners prepare. Random deletions do as little
# harm as far fewer that an adversary chooses.
ADVERSARY_SHARES = (1 / 9, 1 / 3, 1.0)
RANDOM_SHARES = (1 / 30, 1 / 10, 1 / 3)
WEIGHTINGS = ("ones", "mutual information")
N_NOISY, COPY_VALUE, FLIPS = 20, 10.0, 0.2  # the data of the sanity check
SANITY_STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)


def check_budgets(budgets: Sequence[float] | Floats, name: str, n_features: int) -> Floats:
    """Return budgets, ascending and below the number of features, as floats, else raise ``ValueError``."""
    checked = [check_number(each, f"every one of {name}", low=0) for each in budgets]
    if len(checked) < 2 or sorted(set(checked)) != checked or checked[-1] >= n_features:
        raise ValueError(
            f"{name} must be at least two numbers in ascending order, below the {n_features} features, "
            f"got {checked}"
        )
    return np.array(checked)


def sanity_sample(n_samples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The data of the sanity check: 20 features, two copies of the label, and a fifth of the labels flipped.

    Parameters
    ----------
    n_samples : int >= 1
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n_samples, 22)
        Uniform in ``[-1, 1]^20``, then the label twice.
    y : ndarray of shape (n_samples,), of -1.0 and 1.0
        The side of a random hyperplane through the origin; each flipped with probability 0.2.
    """
    points = rng.uniform(-1, 1, size=(n_samples, N_NOISY))
    y = np.where(points @ rng.normal(size=N_NOISY) > 0, 1.0, -1.0)
    y[rng.uniform(size=n_samples) < FLIPS] *= -1
    return np.column_stack([points, y, y]), y


def sanity_values() -> Floats:
    """One for each of the 20 features, ten for each copy of the label."""
    return np.array([1.0] * N_NOISY + [COPY_VALUE] * 2)


def sanity_learners(X: Floats, strength: float, budget: float) -> dict[str, ClassifierMixin]:
    """The LP and the SVM of the sanity check, by name.

    Parameters
    ----------
    X : ndarray of shape (m, 22)
    strength : float > 0
        C of the LP, at gamma = 1, and C of the SVM in units of 1 / (mean of |x|^2), the default of the
        package that the paper used.
    budget : float
        The LP's N.
    """
    values = sanity_values()
    return {
        "LP": FeatureDeletionLP(budget, C=strength, feature_values=values, tol=1e-3),
        "SVM": hinge_svm(strength / (X**2).sum(axis=1).mean()),
    }


def sanity_check(n_samples: int, n_trials: int, random_state: RandomState = None) -> pd.DataFrame:
    """Train on half of a sample, and take copies of the label away from the other half.

    Both learners have five sizes of their C; a ninth of the training half is held out to choose among them.
    The LP's budget is the value of what is removed.

    Parameters
    ----------
    n_samples : int >= 40
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per run, learner, number of copies removed and strength: ..., error, held_out, copies
        Errors on the test half and on the ninth, with the same copies removed, and the share of the sum of
        all absolute weights that is on the two copies.
    """
    check_number(n_samples, "n_samples", low=40, integer=True)
    check_number(n_trials, "n_trials", low=1, integer=True)
    rng, rows = np.random.default_rng(random_state), []
    for run in range(n_trials):
        X, y = sanity_sample(n_samples, rng)
        train, test = np.split(rng.permutation(n_samples), [n_samples // 2])
        fit, held_out = ninth(y[train], run)
        fit, held_out = train[fit], train[held_out]
        for removed, strength in itertools.product(range(3), SANITY_STRENGTHS):
            left = X.copy()
            left[:, N_NOISY : N_NOISY + removed] = 0.0
            learners = sanity_learners(X[fit], strength, COPY_VALUE * removed)
            for name, learner in learners.items():
                learner.fit(X[fit], y[fit])
                wrong = y * learner.decision_function(left) <= 0
                weights = np.abs(learner.coef_[0])
                copies = weights[N_NOISY:].sum() / max(weights.sum(), 1e-300)
                found = wrong[test].mean(), wrong[held_out].mean(), copies
                rows.append((run, name, removed, strength, *found))
    columns = ["run", "learner", "removed", "strength", "error", "held_out", "copies"]
    return pd.DataFrame(rows, columns=columns)


def tuned(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each run, learner and number of copies removed, the row of least held-out error.

    Parameters
    ----------
    rows : DataFrame
        Of `sanity_check`. The first of equally good rows is taken.
    """
    return rows.loc[rows.groupby(["run", "learner", "removed"], sort=False).held_out.idxmin()]


def residual_weights(
    n_samples: int, tol: float, n_trials: int = 5, random_state: RandomState = 0
) -> dict[str, float]:
    """What an SVM of the sanity check leaves for the twenty features, at a tolerance of its solver.

    Parameters
    ----------
    n_samples : int >= 40
        All of them to train on, and as many to test.
    tol : float > 0
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None
        The samples are the same for every `tol` where this is an int.

    Returns
    -------
    dict
        tol; largest (absolute weight of the twenty, that of a copy being about 1/2) and error (with both
        copies removed), means over the trials.
    """
    rng, found = np.random.default_rng(random_state), []
    for _ in range(n_trials):
        X, y = sanity_sample(2 * n_samples, rng)
        svm = sanity_learners(X[:n_samples], 1.0, 0.0)["SVM"].set_params(tol=tol)
        svm.fit(X[:n_samples], y[:n_samples])
        X[:, N_NOISY:] = 0.0
        wrong = y * svm.decision_function(X) <= 0
        found.append((np.abs(svm.coef_[0, :N_NOISY]).max(), wrong[n_samples:].mean()))
    largest, error = np.mean(found, axis=0)
    return {"tol": tol, "largest": largest, "error": error}


def random_deletion_curves(
    X: Floats,
    y: np.ndarray,
    kind: Kind,
    budgets: Sequence[float],
    learners: Sequence[Learner],
    *,
    n_train: int = 50,
    n_held_out: int = 200,
    n_test: int = 1000,
    n_trials: int,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Errors after random deletions, trained on a few examples (Figure 1).

    Parameters
    ----------
    X : ndarray of shape (m, n)
    y : ndarray of shape (m,), of -1 and 1
    kind : str
        See `tuning.scaled`.
    budgets : sequence of float
        Numbers of features that are not zero to delete.
    learners : sequence of str
        See `tuning.grid`.
    n_train, n_held_out, n_test : int
        The last two at most; a third of what is left after training is held out where that is less.
    n_trials : int >= 1
        Random stratified splits. All learners see the same ones, and the same deletions.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per run, learner and budget: ..., error, strength and ready_for
        (as chosen), unfinished
    """
    check_number(n_trials, "n_trials", low=1, integer=True)
    checked, signs = check_budgets(budgets, "budgets", X.shape[1]), y.astype(float)
    n_held_out = min(n_held_out, (len(y) - n_train) // 3)
    n_test = min(n_test, len(y) - n_train - n_held_out)
    rng, rows = np.random.default_rng(random_state), []
    ones = np.ones(X.shape[1])
    splits = StratifiedShuffleSplit(
        n_trials, train_size=n_train, test_size=n_held_out + n_test, random_state=int(rng.integers(2**31))
    )
    for run, (train, rest) in enumerate(splits.split(X, y)):
        held_out, test = rest[:n_held_out], rest[n_held_out:]
        parts = scaled(X[train], [X[held_out], X[test]], kind)
        keys = [rng.uniform(size=part.shape) for part in parts[1:]]
        for learner in learners:
            candidates = grid(learner, parts[0], _whole(checked[-1], RANDOM_SHARES), random_state=run)
            found = tune(
                candidates,
                (parts[0], signs[train]),
                _curve(parts[1], signs[held_out], ones, checked, keys[0]),
                _curve(parts[2], signs[test], ones, checked, keys[1]),
            )
            rows += _rows((run, learner), checked, found)
    return _frame(rows)


def adversary_curves(
    X: Floats,
    y: np.ndarray,
    kind: Kind,
    budgets: Sequence[float],
    learners: Sequence[Learner],
    weighting: Literal["ones", "mutual information"] = "ones",
    *,
    corrupt: bool = False,
    n_folds: int = 10,
    max_train: int = 400,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Errors after the deletions of a greedy adversary, by cross-validation (Figure 2).

    Parameters
    ----------
    X, y, kind, learners, random_state
        As in `random_deletion_curves`.
    budgets : sequence of float
        Of the adversary, in units of the values.
    weighting : {"ones", "mutual information"}
        The features' values; those by mutual information are of the fold's training examples.
    corrupt : bool, default=False
        Replace what the adversary chooses by noise, uniform in [-1, 1], and not by 0 (Section 2.4).
    n_folds : int >= 2
    max_train : int
        A fold trains on no more examples than this, drawn at random; a ninth of them is for tuning.

    Returns
    -------
    DataFrame with a row per fold, learner and budget: run, ..., error, strength and ready_for
        (as chosen), unfinished
    """
    check_choice(weighting, "weighting", WEIGHTINGS)
    check_number(n_folds, "n_folds", low=2, integer=True)
    checked, signs = check_budgets(budgets, "budgets", X.shape[1]), y.astype(float)
    rng, rows = np.random.default_rng(random_state), []
    noise_rng = rng.spawn(1)[0]  # so that the folds are the same with and without
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    for run, (train, test) in enumerate(folds.split(X, y)):
        train = rng.permutation(train)[:max_train]
        parts = scaled(X[train], [X[test]], kind)
        fit, held_out = ninth(y[train], run)
        values = np.ones(X.shape[1])
        if weighting != "ones":
            values = mutual_information_values(parts[0], y[train])
        ready = [share * checked[-1] for share in ADVERSARY_SHARES]
        if weighting == "ones":
            ready = _whole(checked[-1], ADVERSARY_SHARES)
        noise: list[Floats | None] = [None, None]
        if corrupt:
            noise = [noise_rng.uniform(-1, 1, size=(len(part), X.shape[1])) for part in (held_out, test)]
        for learner in learners:
            found = tune(
                grid(learner, parts[0], ready, values, random_state=run),
                (parts[0][fit], signs[train[fit]]),
                _curve(parts[0][held_out], signs[train[held_out]], values, checked, None, noise[0]),
                _curve(parts[1], signs[test], values, checked, None, noise[1]),
            )
            rows += _rows((run, learner), checked, found)
    return _frame(rows)


def summarise(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Mean, standard error and number of the errors for each combination of `keys`, in their order."""
    found = rows.groupby(keys, sort=False).error.agg(["mean", "sem", "size"]).fillna(0.0)
    return found.rename(columns={"mean": "error", "sem": "stderr", "size": "runs"})


def gap(
    rows: pd.DataFrame, behind: Learner, ahead: Learner, budgets: Sequence[float] | None = None
) -> Floats:
    """Errors of one learner less those of another, averaged over budgets, for each run.

    Parameters
    ----------
    rows : DataFrame with run, learner, budget and error
    behind, ahead : str
        Positive where `ahead` errs less.
    budgets : sequence of float, optional
        Only these.

    Returns
    -------
    ndarray with an entry per run
    """
    if budgets is not None:
        rows = rows[rows.budget.isin(budgets)]
    errors = rows.pivot_table(index="run", columns="learner", values="error")
    return (errors[behind] - errors[ahead]).to_numpy()


def _whole(largest, shares):
    return [max(1, round(share * largest)) for share in shares]


def _curve(X, signs, values, budgets, keys=None, noise=None):
    return lambda w, b: errors_after(w, b, X, signs, values, budgets, keys, noise)


def _rows(start, budgets, tuned):
    return [
        (*start, budget, error, chosen.strength, chosen.budget, tuned.unfinished)
        for budget, error, chosen in zip(budgets.tolist(), tuned.errors, tuned.chosen)
    ]


def _frame(rows):
    columns = ["run", "learner", "budget", "error", "strength", "ready_for", "unfinished"]
    return pd.DataFrame(rows, columns=columns)
