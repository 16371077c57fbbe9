"""Figures 1 and 2: errors as features are deleted at random, or by an adversary, as tidy tables."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple, cast

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_number
from paperlib.experiments.feature_deletion.deletion_curves import (
    errors_after,
    errors_at_random,
    random_survival,
)
from paperlib.experiments.feature_deletion.tuning import (
    MANY,
    Kind,
    Learner,
    grid,
    ninth,
    scaled,
    sizes,
    tune,
    tune_on_a_chunk,
)
from paperlib.feature_deletion import mutual_information_values

# Shares of the largest budget that is tested, for which the learners prepare. Random deletions do as little
# harm as far fewer that an adversary chooses.
ADVERSARY_SHARES = (1 / 9, 1 / 3, 1.0)
RANDOM_SHARES = (0.0, 1 / 30, 1 / 10, 1 / 3)
WEIGHTINGS = ("ones", "mutual information")


class Protocol(NamedTuple):
    """How Figure 2 is tested: the number of folds, and what of them the learners see.

    Parameters
    ----------
    n_folds : int >= 2
        Of the cross-validation.
    programme_folds : int, optional
        The programme, which takes longest, has rows for so many of them; by default for all.
    max_train : int, optional
        A fold trains on no more examples than this, drawn at random; by default on all. A ninth is for
        tuning.
    chunk : int, optional
        Train the programme also on chunks of about so many examples by themselves and average the weights, as
        the paper did; those rows are of a learner "LP, chunks". Its settings are chosen by what they make of
        one chunk. With more than `tuning.MANY` features those of "LP", on all examples at once, are, too.
    """

    n_folds: int = 10
    programme_folds: int | None = None
    max_train: int | None = None
    chunk: int | None = None


class Met(NamedTuple):
    """What a classifier meets: deletions, or noise in their place, and in which order an adversary goes."""

    noise: Floats | None = None
    by_value: bool = False


def check_budgets(budgets: Sequence[float] | Floats, name: str, n_features: int) -> Floats:
    """Return budgets, ascending and below the number of features, as floats, else raise ``ValueError``."""
    checked = [check_number(each, f"every one of {name}", low=0) for each in budgets]
    if len(checked) < 2 or sorted(set(checked)) != checked or checked[-1] >= n_features:
        raise ValueError(
            f"{name} must be at least two numbers in ascending order, below the {n_features} features, "
            f"got {checked}"
        )
    return np.array(checked)


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
    splits = StratifiedShuffleSplit(
        n_trials, train_size=n_train, test_size=n_held_out + n_test, random_state=int(rng.integers(2**31))
    )
    for run, (train, rest) in enumerate(splits.split(X, y)):
        held_out, test = rest[:n_held_out], rest[n_held_out:]
        parts = scaled(X[train], [X[held_out], X[test]], kind)
        survived = [random_survival(part, checked, rng) for part in parts[1:]]
        for learner in learners:
            candidates = grid(learner, parts[0], _whole(checked[-1], RANDOM_SHARES), random_state=run)
            found = tune(
                candidates,
                (parts[0], signs[train]),
                partial(
                    errors_at_random,
                    X=parts[1],
                    signs=signs[held_out],
                    survived=survived[0],
                    n_budgets=checked.size,
                ),
                partial(
                    errors_at_random,
                    X=parts[2],
                    signs=signs[test],
                    survived=survived[1],
                    n_budgets=checked.size,
                ),
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
    by_value: bool = False,
    protocol: Protocol | None = None,
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
        Test the same classifiers a second time, with noise, uniform in [-1, 1], in the place of what the
        adversary chooses, and not 0 (Section 2.4). Settings are chosen for either by itself.
    by_value : bool, default=False
        Test them once more, by themselves too, on an adversary who deletes the features of the largest value
        first, of those that carry the margin: another reading of the paper's greedy adversary.
    protocol : Protocol, optional

    Returns
    -------
    DataFrame with a row per fold, learner and budget: run, ..., error, strength and ready_for
        (as chosen), unfinished, corrupted (False where features are deleted), by_value
    """
    check_choice(weighting, "weighting", WEIGHTINGS)
    n_folds, programme_folds, max_train, chunk = protocol or Protocol()
    check_number(n_folds, "n_folds", low=2, integer=True)
    checked, signs = check_budgets(budgets, "budgets", X.shape[1]), y.astype(float)
    rng, rows = np.random.default_rng(random_state), []
    noise_rng = rng.spawn(1)[0]  # so that the folds are the same with and without
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
    for run, (train, test) in enumerate(folds.split(X, y)):
        train = rng.permutation(train)[:max_train]  # all, if it is None
        parts = scaled(X[train], [X[test]], kind)
        fit, held_out = ninth(y[train], run)
        values = np.ones(X.shape[1])
        if weighting != "ones":
            values = mutual_information_values(parts[0], y[train])
        ready = [share * checked[-1] for share in ADVERSARY_SHARES]
        if weighting == "ones":
            ready = _whole(checked[-1], ADVERSARY_SHARES)
        # Each is met for every budget: deletions first, then what else is asked for.
        met: list[list[Met]] = [[Met()], [Met()]]
        for part, each in zip((held_out, test), met):
            if corrupt:
                each.append(Met(noise=noise_rng.uniform(-1, 1, size=(len(part), X.shape[1]))))
            if by_value:
                each.append(Met(by_value=True))
        for learner in learners:
            if learner == "LP" and programme_folds is not None and run >= programme_folds:
                continue
            task = (
                grid(learner, parts[0], ready, values, random_state=run),
                (parts[0][fit], signs[train[fit]]),
                _curve(parts[0][held_out], signs[train[held_out]], values, checked, met[0]),
                _curve(parts[1], signs[test], values, checked, met[1]),
            )
            if learner == "LP" and chunk is not None:
                whole, averaged = tune_on_a_chunk(*task, chunk)
                if X.shape[1] <= MANY:  # it takes no time to try every setting on all of the examples
                    whole = tune(*task)
                rows += _rows((run, "LP"), checked, whole) + _rows((run, "LP, chunks"), checked, averaged)
            else:
                rows += _rows((run, learner), checked, tune(*task))
    frame = _frame(rows)
    which = np.arange(len(frame)) // checked.size % (1 + corrupt + by_value)
    return frame.assign(corrupted=corrupt & (which == 1), by_value=by_value & (which == 1 + corrupt))


def summarise(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Mean, standard error and number of the errors for each combination of `keys`, in their order."""
    found = rows.groupby(keys, sort=False).error.agg(["mean", "sem", "size"]).fillna(0.0)
    return found.rename(columns={"mean": "error", "sem": "stderr", "size": "runs"})


def gap(rows: pd.DataFrame, behind: str, ahead: str, budgets: Sequence[float] | None = None) -> Floats:
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
    ndarray with an entry per run that has both
    """
    if budgets is not None:
        rows = rows[rows.budget.isin(budgets)]
    errors = rows.pivot_table(index="run", columns="learner", values="error")
    return (errors[behind] - errors[ahead]).dropna().to_numpy()


def at_the_edge(rows: pd.DataFrame, n_budgets: int) -> pd.DataFrame:
    """How often the least and the largest size that a grid offers was chosen, of all runs and budgets.

    Parameters
    ----------
    rows : DataFrame
        Of `random_deletion_curves` or `adversary_curves`.
    n_budgets : int
        That each learner could prepare for: four in the former, three in the latter.

    Returns
    -------
    DataFrame with a row per learner: learner, least, largest (shares of the choices)
    """
    found = []
    for learner, each in rows.groupby("learner", sort=False):
        offered = sizes(cast(Learner, str(learner).split(",")[0]), n_budgets)
        found.append((learner, (each.strength == offered[0]).mean(), (each.strength == offered[-1]).mean()))
    return pd.DataFrame(found, columns=["learner", "least", "largest"])


def _whole(largest, shares):
    return [max(1, round(share * largest)) if share else 0 for share in shares]


def _curve(X, signs, values, budgets, met):
    """Errors by budget, for each that is met after each other."""
    return lambda w, b: np.concatenate([errors_after(w, b, X, signs, values, budgets, *each) for each in met])


def _rows(start, budgets, tuned):
    every = np.tile(budgets, tuned.errors.size // budgets.size)
    return [
        (*start, budget, error, chosen.strength, chosen.budget, tuned.unfinished)
        for budget, error, chosen in zip(every.tolist(), tuned.errors, tuned.chosen)
    ]


def _frame(rows):
    columns = ["run", "learner", "budget", "error", "strength", "ready_for", "unfinished"]
    return pd.DataFrame(rows, columns=columns)
