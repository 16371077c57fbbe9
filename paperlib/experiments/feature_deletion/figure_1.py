"""Figure 1: errors as features are deleted at random, of classifiers that were trained on few examples."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.feature_deletion import data_sets
from paperlib.experiments.feature_deletion.deletion_curves import errors_at_random, random_survival
from paperlib.experiments.feature_deletion.tied_solutions import RULES, TIES_LEFT
from paperlib.experiments.feature_deletion.tuning import (
    CHOSEN,
    MANY,
    Errors,
    check_budgets,
    chosen_rows,
    grid,
    scaled,
    tune,
    whole_shares,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

DRAWN = ("LP", "FDROP", "SVM", "perceptron")
LEARNERS = (*DRAWN, TIES_LEFT)
N_HELD_OUT, N_TEST = 200, 1000  # at most; a third of what is left after training is held out if that is less
# Shares of the largest number of deletions that the learners prepare for: random ones do as little harm as
# far fewer that an adversary chooses.
SHARES = (0.0, 1 / 30, 1 / 10, 1 / 3)
# Times the strength at an end of a learner's grid. On e-mails with up to 20 words gone, four in five of
# FDROP's choices and half of the programme's were the largest there, and those of the perceptron the least.
BEYOND = {"LP": (10.0, 100.0), "FDROP": (10.0, 100.0), "SVM": (10.0, 100.0), "perceptron": (0.01, 0.1)}


@step
def random_deletion_curves(
    name: str,
    budgets: Sequence[float],
    n_train: int,
    n_trials: int,
    learners: Sequence[str] = LEARNERS,
    *,
    data: str,
    seed: int,
) -> pd.DataFrame:
    """Errors after random deletions, trained on a few examples.

    Parameters
    ----------
    name : str
        Of `data_sets.load`.
    budgets : sequence of float
        Numbers of features that are not zero to delete.
    n_train : int
    n_trials : int >= 1
        Random stratified splits. All learners see the same ones, and the same deletions.
    learners : sequence of str
        See `tuning.grid`, and `tied_solutions.RULES` for the programme.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per run, learner and budget: run, learner, budget, error, strength, ready_for,
        at_least, at_largest (whether no setting is smaller, or larger), unfinished
    """
    rows = []
    for run, case, checked in _cases(name, budgets, n_train, n_trials, data, seed):
        for learner in learners:
            candidates = _candidates(learner, case, checked, run)
            found = tune(candidates, (case.seen, case.signs), case.held_out, case.test)
            rows += chosen_rows((run, learner), checked, candidates, found)
    return pd.DataFrame(rows, columns=["run", "learner", "budget", "error", *CHOSEN])


@step
def ties(
    name: str, budgets: Sequence[float], n_train: int, n_trials: int, *, data: str, seed: int
) -> pd.DataFrame:
    """How often Equation (4)'s least value is 0, so that any classifier that has this value is a solution.

    Parameters
    ----------
    name, budgets, n_train, n_trials, data, seed
        As for `random_deletion_curves`, whose first splits these are.

    Returns
    -------
    DataFrame with a row per run and setting of the programme: run, ready_for, strength, tied (whether it is)
    """
    rows = []
    for run, case, checked in _cases(name, budgets, n_train, n_trials, data, seed):
        for each in _candidates("LP", case, checked, run):
            fitted = clone(each.estimator).fit(case.seen, case.signs)
            rows.append((run, each.budget, each.strength, fitted.tied_))
    return pd.DataFrame(rows, columns=["run", "ready_for", "strength", "tied"])


def _candidates(learner, case, budgets, run):
    """The settings of a learner; those of the programme by the rule that breaks its ties."""
    kind: Any = "LP" if learner in RULES else learner
    offered = grid(kind, case.seen, whole_shares(budgets[-1], SHARES), random_state=run)
    # With few features more settings take no time; with many the perceptron alone stands at an edge.
    if kind == "perceptron" or case.seen.shape[1] <= MANY:
        offered = _continued(offered, BEYOND[kind])
    if learner not in RULES:
        return offered
    return [each._replace(estimator=RULES[learner](**each.estimator.get_params())) for each in offered]


def _continued(candidates, factors):
    """Return candidates, and others of so many times the strength of the strongest or the weakest."""
    end = (max if factors[0] > 1.0 else min)(each.strength for each in candidates)
    at_end = [each for each in candidates if each.strength == end]
    beyond = [
        each._replace(
            estimator=clone(each.estimator).set_params(C=factor * each.estimator.C),
            strength=factor * each.strength,
        )
        for factor in factors
        for each in at_end
    ]
    return [*beyond, *candidates] if factors[0] < 1.0 else [*candidates, *beyond]


class _Case(NamedTuple):
    """A split: what to train on, and the errors by number of deletions on the other parts."""

    seen: Floats
    signs: Floats
    held_out: Errors
    test: Errors


def _cases(name, budgets, n_train, n_trials, data, seed):
    """Yield the number of each split, the split, and the checked budgets."""
    check_number(n_trials, "n_trials", low=1, integer=True)
    X, y, kind = data_sets.load(name, data)
    checked, signs = check_budgets(budgets, "budgets", X.shape[1]), y.astype(float)
    n_held_out = min(N_HELD_OUT, (len(y) - n_train) // 3)
    n_test = min(N_TEST, len(y) - n_train - n_held_out)
    rng = stream(seed, f"figure 1, {name}")
    splits = StratifiedShuffleSplit(
        n_trials, train_size=n_train, test_size=n_held_out + n_test, random_state=int(rng.integers(2**31))
    )
    for run, (train, rest) in enumerate(progress(list(splits.split(X, y)), name)):
        held_out, test = rest[:n_held_out], rest[n_held_out:]
        seen, *others = scaled(X[train], [X[held_out], X[test]], kind)
        held_out, test = (
            partial(
                errors_at_random,
                X=part,
                signs=signs[which],
                survived=random_survival(part, checked, rng),
                n_budgets=checked.size,
            )
            for part, which in zip(others, (held_out, test))
        )
        yield run, _Case(seen, signs[train], held_out, test), checked
