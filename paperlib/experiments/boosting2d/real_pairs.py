"""Pairs of weak classifiers on real data, combined in every way that `baselines` knows."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from paperlib._common.validation import check_number
from paperlib.boosting2d._inputs.classifiers import classifier_scores
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments import datasets
from paperlib.experiments.boosting2d.baselines import COMBINERS, as_line
from paperlib.experiments.boosting2d.exact import wrong_side
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

WEAK = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
DIGIT_PAIRS = ((1, 8), (3, 8), (3, 9))


def two_digits(a, b, data):
    """Return images of two digits (n, 64), and whether each is the second, -1 and +1."""
    digits = datasets.load("digits", data)
    rows = np.isin(digits.y, (a, b))
    return digits.X[rows], np.where(digits.y[rows] == b, 1, -1)


def split_seed(seed, name):
    """Return the seed of scikit-learn's splits for one experiment."""
    return int(stream(seed, f"splits of {name}").integers(2**31))


def tasks(data):
    """Return the tasks of the notebook: a data set, and the columns that each of the two classifiers sees.

    Parameters
    ----------
    data : {"bundled", "full"}
        Spambase is among the full ones.

    Returns
    -------
    dict of str to (X, y, first, second)
        `y` is -1 and +1; `first` and `second` are arrays of columns.
    """
    found = {}
    # Ten quantities, each as mean, error and worst: texture is the second, smoothness the fifth.
    cancer = datasets.load("breast_cancer", data)
    found["breast cancer"] = cancer.X, cancer.y, np.arange(1, 30, 10), np.arange(4, 30, 10)
    for a, b in DIGIT_PAIRS:  # images of 8 x 8 pixels: one classifier sees the upper half, one the lower
        found[f"digits {a}, {b}"] = *two_digits(a, b, data), np.arange(32), np.arange(32, 64)
    if data == "full":
        # Frequencies of 48 words; frequencies of 6 characters, and runs of capitals.
        spam = datasets.load("spambase", data)
        found["spambase"] = spam.X, spam.y, np.arange(48), np.arange(48, 57)
    return found


@step
def pair_errors(n_splits, max_train, *, data, seed):
    """Errors of every way to combine two classifiers, over random splits of each of `tasks`.

    Parameters
    ----------
    n_splits : int >= 1
        Stratified; half of the data trains, at most `max_train` examples.
    max_train : int
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per task, kind of classifiers, split and combiner
        task, weak, split, combiner, training, test, leave_one_out. A score of zero is an error. The
        leave-one-out error is that of the optimal line in the plane of the scores; none for the others.
    """
    n_splits = check_number(n_splits, "n_splits", low=1, integer=True)
    tables = []
    for name, task in progress(list(tasks(data).items()), "tasks"):
        for weak in WEAK:
            splits = split_seed(seed, f"{name}, {weak}")
            table = _errors_of_a_task(*task, WEAK[weak], n_splits, max_train, splits)
            tables.append(pd.DataFrame({"task": name, "weak": weak}, index=table.index).join(table))
    return pd.concat(tables, ignore_index=True)


def means(pairs):
    """Return the means of `pair_errors` by task, kind and combiner, with the standard error of the test's."""
    return pairs.groupby(["task", "weak", "combiner"], sort=False).agg(
        training=("training", "mean"),
        test=("test", "mean"),
        stderr=("test", "sem"),
        leave_one_out=("leave_one_out", "mean"),
    )


def _errors_of_a_task(X, y, first, second, weak, n_splits, max_train, seed):
    size, rows = min(max_train, len(y) // 2), []
    splitter = StratifiedShuffleSplit(n_splits, train_size=size, random_state=seed)
    for split, (train, test) in enumerate(splitter.split(X, y)):
        scores = pair_scores(X, y, first, second, weak, train)
        for name, combiner in COMBINERS.items():
            wrong = y * combiner(scores[train], y[train])(scores) <= 0
            loo = leave_one_out(scores[train], y[train]).error if name == "optimal line" else np.nan
            rows.append((split, name, wrong[train].mean(), wrong[test].mean(), loo))
    return pd.DataFrame(rows, columns=["split", "combiner", "training", "test", "leave_one_out"])


class TrainingPlane(NamedTuple):
    """The training points of a split in the plane of two scores, and where some lines run.

    Attributes
    ----------
    scores : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1
    lines : DataFrame with a row per combiner
        combiner, normal_1, normal_2, offset: of a unit normal.
    """

    scores: np.ndarray
    y: np.ndarray
    lines: pd.DataFrame


@step
def training_plane(task, weak, combiners, max_train, *, data, seed):
    """Return the first training set of one task of `pair_errors`, and the lines of some combiners.

    Parameters
    ----------
    task, weak : str
    combiners : list of str
    max_train : int
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    TrainingPlane
    """
    X, y, first, second = tasks(data)[task]
    splitter = StratifiedShuffleSplit(
        1, train_size=min(max_train, len(y) // 2), random_state=split_seed(seed, f"{task}, {weak}")
    )
    [(train, _)] = splitter.split(X, y)
    scores, labels = pair_scores(X, y, first, second, WEAK[weak], train)[train], y[train]
    rows = []
    for name in combiners:
        normal, offset = as_line(COMBINERS[name](scores, labels))
        rows.append((name, *normal, offset))
    return TrainingPlane(
        scores, labels, pd.DataFrame(rows, columns=["combiner", "normal_1", "normal_2", "offset"])
    )


def pair_scores(X, y, first, second, weak, train):
    scores = []
    for columns in (first, second):
        fitted = clone(weak).fit(X[train][:, columns], y[train])
        scores.append(classifier_scores("g", fitted, X[:, columns], np.array([-1, 1])))
    return np.column_stack(scores)


@step
def voice(data):
    """Return the least number of errors on the voice recordings, and how many sets are optimal."""
    voices = datasets.load("voicepath", data)
    line = optimal_separator(voices.X, voices.y)
    errors = int(wrong_side(line, voices.X, voices.y > 0).sum())
    return pd.DataFrame({"n": [len(voices.y)], "errors": [errors], "optimal_sets": [line.n_optimal]})
