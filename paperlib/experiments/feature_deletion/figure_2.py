"""Figure 2: errors against a greedy adversary, by cross-validation, repeated."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_number
from paperlib.experiments.feature_deletion import data_sets
from paperlib.experiments.feature_deletion.deletion_curves import errors_after
from paperlib.experiments.feature_deletion.tuning import (
    CHOSEN,
    COARSE,
    MANY,
    TOL,
    check_budgets,
    chosen_rows,
    grid,
    ninth,
    scaled,
    tune,
    tune_on_a_chunk,
    whole_shares,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step
from paperlib.feature_deletion import mutual_information_values

SHARES = (1 / 9, 1 / 3, 1.0)  # of the largest budget that is tested, for which the learners prepare
WEIGHTINGS = ("ones", "informative")
BLIND = "LP, values one"  # the programme where it is not told the values
FIRST = 500  # examples that settings of the programme are tried on where features are many


class Met(NamedTuple):
    """What a classifier meets: deletions, or noise in their place, and in which order an adversary goes."""

    noise: Floats | None = None
    by_value: bool = False


class Protocol(NamedTuple):
    """How Figure 2 is tested.

    Parameters
    ----------
    n_folds : int >= 2
        Of a cross-validation.
    n_repeats : int >= 1
        Cross-validations, each with folds of its own.
    max_train : int
        A fold trains on no more examples than this, drawn at random. A ninth is for tuning.
    chunks : sequence of int
        Train the programme also on chunks of about so many examples by themselves and average the weights, as
        the paper did; those rows are of a learner "LP, chunks of ...". Its settings are chosen by what they
        make of one chunk.
    """

    n_folds: int
    n_repeats: int
    max_train: int
    chunks: Sequence[int] = ()


@step
def adversary_curves(
    name: str,
    weighting: Literal["ones", "informative"],
    budgets: Sequence[float],
    learners: Sequence[str],
    protocol: Protocol,
    *,
    data: str,
    seed: int,
) -> pd.DataFrame:
    """Errors after the deletions of a greedy adversary, by repeated cross-validation.

    With values of one every classifier is met a second time, by noise, uniform in [-1, 1], in the place of
    what the adversary chooses (Section 2.4); with other values by an adversary who deletes the features of
    the largest value first, of those that carry the margin: another reading of the paper's greedy one.
    Settings are chosen for each by itself.

    Parameters
    ----------
    name : str
        Of `data_sets.load`.
    weighting : {"ones", "informative"}
        The features' values; informative are those by mutual information with the fold's training labels.
    budgets : sequence of float
        Of the adversary, in units of the values.
    learners : sequence of str
        See `tuning.grid`; and `BLIND`.
    protocol : Protocol
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per fold, learner, order and budget: values, met ("harm", "value" or "noise"), fold
        (counted over all repetitions), learner, budget, error, and of what was chosen strength, ready_for,
        at_least, at_largest (whether no setting is smaller, or larger), unfinished
    """
    check_choice(weighting, "weighting", WEIGHTINGS)
    n_folds, n_repeats, max_train, chunks = protocol
    check_number(n_folds, "n_folds", low=2, integer=True)
    X, y, kind = data_sets.load(name, data)
    checked, rows = check_budgets(budgets, "budgets", X.shape[1]), []
    # The folds of a repetition are the same for all weightings, so that these can be compared.
    seeds = stream(seed, f"figure 2, {name}").integers(2**31, size=n_repeats).tolist()
    rng = stream(seed, f"figure 2, {name}, {weighting}")
    folds = [
        parts
        for first in seeds
        for parts in StratifiedKFold(n_folds, shuffle=True, random_state=first).split(X, y)
    ]
    orders = np.repeat(("harm", "noise" if weighting == "ones" else "value"), checked.size).tolist()
    for fold, (train, test) in enumerate(progress(folds, f"{name}, values {weighting}")):
        drawn = rng.permutation(train)[:max_train]
        task = _Task(X, y, kind, weighting, checked, drawn, test, fold, rng)
        for learner in learners:
            for shown, candidates, tuned in task.run(learner, chunks):
                found = chosen_rows((fold, shown), np.tile(checked, 2), candidates, tuned)
                rows += [(weighting, met, *row) for met, row in zip(orders, found)]
    return pd.DataFrame(rows, columns=["values", "met", "fold", "learner", "budget", "error", *CHOSEN])


class _Task:
    """One fold: what to train on, and what of it meets whom."""

    def __init__(self, X, y, kind, weighting, budgets, train, test, fold, rng):
        signs = y.astype(float)
        seen, unseen = scaled(X[train], [X[test]], kind)
        fit, held_out = ninth(y[train], fold)
        ones = weighting == "ones"
        self.values = np.ones(X.shape[1]) if ones else mutual_information_values(seen, y[train])
        self.ready = whole_shares(budgets[-1], SHARES) if ones else [share * budgets[-1] for share in SHARES]
        self.seen, self.fold, self.train = seen, fold, (seen[fit], signs[train[fit]])
        self.judges = []
        for part, labels in ((seen[held_out], signs[train[held_out]]), (unseen, signs[test])):
            other = Met(noise=rng.uniform(-1, 1, size=part.shape)) if ones else Met(by_value=True)
            self.judges.append(_judge(part, labels, self.values, budgets, [Met(), other]))

    def run(self, learner, chunks):
        """Yield a learner's name, its settings and what was tuned; of the programme for each chunk, too."""
        values = None if learner == BLIND else self.values
        many = self.seen.shape[1] > MANY
        options = {"random_state": self.fold, "tol": COARSE if many else TOL}
        candidates = grid(learner.partition(",")[0], self.seen, self.ready, values, **options)
        task = candidates, self.train, *self.judges
        # With few features it takes no time to try every setting on all of the examples.
        if many and learner == "LP":
            yield learner, candidates, tune_on_a_chunk(*task, FIRST, average=False)  # type: ignore[misc, arg-type]
        else:
            yield learner, candidates, tune(*task)
        for chunk in chunks if learner == "LP" else ():
            yield f"LP, chunks of {chunk}", candidates, tune_on_a_chunk(*task, chunk, average=True)  # type: ignore[misc]


def _judge(X, signs, values, budgets, met):
    """Errors by budget, for each that is met after each other."""
    return lambda w, b: np.concatenate([errors_after(w, b, X, signs, values, budgets, *each) for each in met])
