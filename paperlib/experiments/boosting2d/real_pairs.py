"""Pairs of weak classifiers on real data, combined in every way that `baselines` knows."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split
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
DIGIT_PAIRS = ((3, 5), (4, 9), (1, 7), (2, 6), (0, 8))  # each digit once, so that no two tasks share an image
STROKES = (10, 17)  # columns of pixels, of 28: one to the left of the middle, one to the right
BETTER = "better of the two"
NAMES = ["first", "second", BETTER, *(name for name in COMBINERS if name not in ("first", "second"))]


class Task(NamedTuple):
    """A problem with two classes, and the columns that each of two classifiers sees.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    first, second : ndarray of int
    """

    X: np.ndarray
    y: np.ndarray
    first: np.ndarray
    second: np.ndarray


def two_digits(a, b, data, name="digits"):
    """Return images of two digits (n, d), and whether each is the second, -1 and +1."""
    digits = datasets.load(name, data)
    rows = np.isin(digits.y, (a, b))
    return digits.X[rows], np.where(digits.y[rows] == b, 1, -1)


def split_seed(seed, name):
    """Return the seed of scikit-learn's splits for one experiment."""
    return int(stream(seed, f"splits of {name}").integers(2**31))


def task_names(data):
    """Return the names of the notebook's tasks; spambase is among the full data only."""
    names = ["breast cancer", *(f"digits {a}, {b}" for a, b in DIGIT_PAIRS)]
    return [*names, "spambase"] if data == "full" else names


def task(name, data):
    """Return a `Task` by its name: neither classifier is good, and neither has the other's columns."""
    if name == "breast cancer":
        # Ten quantities, each as mean, error and worst: texture is the second, smoothness the fifth.
        cancer = datasets.load("breast_cancer", data)
        return Task(cancer.X, cancer.y, np.arange(1, 30, 10), np.arange(4, 30, 10))
    if name == "spambase":
        # Frequencies of 48 words; frequencies of 6 characters, and runs of capitals.
        spam = datasets.load("spambase", data)
        return Task(spam.X, spam.y, np.arange(48), np.arange(48, 57))
    a, b = (int(digit) for digit in name.removeprefix("digits ").split(", "))
    images = two_digits(a, b, "bundled", "mnist")
    return Task(*images, *(28 * np.arange(28) + column for column in STROKES))


def splits_of(its, name, n_splits, max_train, seed):
    """Yield rows to train on and rows to test on: two to one, stratified, at most `max_train` to train on."""
    size = min(max_train, 2 * len(its.y) // 3)
    splitter = StratifiedShuffleSplit(
        n_splits, train_size=size, test_size=size // 2, random_state=split_seed(seed, name)
    )
    return splitter.split(its.X, its.y)


@step
def pair_errors(n_splits, max_train, *, data, seed):
    """Errors of every way to combine two classifiers, over random splits of each task.

    Parameters
    ----------
    n_splits : int >= 1
    max_train : int
        As of `splits_of`.
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    DataFrame with a row per task, kind of classifiers, split and combiner
        task, weak, split, combiner, n_train, n_test, training, test, leave_one_out. A score of zero is an
        error. The leave-one-out error is that of the optimal line in the plane of the scores; none for the
        others.
    """
    n_splits = check_number(n_splits, "n_splits", low=1, integer=True)
    rows = []
    for name, weak in progress([(name, weak) for name in task_names(data) for weak in WEAK], "tasks"):
        its = task(name, data)
        splits = splits_of(its, f"{name}, {weak}", n_splits, max_train, seed)
        rows += [(name, weak, *row) for row in _errors(its, WEAK[weak], splits)]
    columns = "task weak split combiner n_train n_test training test leave_one_out"
    return pd.DataFrame(rows, columns=columns.split())


def means(errors):
    """Return the means of `pair_errors`, or of a table like it, with the standard error of the test's.

    By task, kind and combiner, as far as the table has them. Training sets of different splits overlap, and
    so do test sets, so that the variance of the mean of J splits is not 1/J of theirs: it is taken to be
    1/J + n_test / n_train of it (Nadeau and Bengio, 2003).
    """
    keys = [key for key in ("task", "weak", "combiner") if key in errors]
    groups = errors.groupby(keys, sort=False)
    found = groups[[name for name in ("training", "test", "leave_one_out") if name in errors]].mean()
    overlap = (errors.n_test / errors.n_train).groupby([errors[key] for key in keys], sort=False).first()
    return found.assign(stderr=groups.test.std() * np.sqrt(1 / groups.size() + overlap))


def _errors(its, weak, splits):
    for split, (train, test) in enumerate(splits):
        y, scores = its.y, pair_scores(its, weak, train)
        for name in NAMES:
            wrong = y * combined(name, its, weak, train, scores)(scores) <= 0
            loo = leave_one_out(scores[train], y[train]).error if name == "optimal line" else np.nan
            yield split, name, len(train), len(test), wrong[train].mean(), wrong[test].mean(), loo


def combined(name, its, weak, train, scores):
    """Return what a combiner makes of scores (n, 2), of which it knows the training rows."""
    if name == BETTER:
        k = better_by_validation(its, weak, train)
        return lambda scores: scores[:, k]
    return COMBINERS[name](scores[train], its.y[train])


def better_by_validation(its, weak, train):
    """Return which of two classifiers errs less on a third of the training rows, trained on the others."""
    rows, held_out = train_test_split(train, test_size=1 / 3, stratify=its.y[train], random_state=0)
    scores = pair_scores(its, weak, rows)[held_out]
    return int(np.argmin((its.y[held_out, None] * scores <= 0).sum(axis=0)))


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
def training_plane(name, weak, combiners, max_train, *, data, seed):
    """Return the first training set of one task of `pair_errors`, and the lines of some combiners.

    Parameters
    ----------
    name, weak : str
        The task, and the kind of its classifiers.
    combiners : list of str
    max_train : int
    data : {"bundled", "full"}
    seed : int

    Returns
    -------
    TrainingPlane
    """
    its = task(name, data)
    train, _ = next(splits_of(its, f"{name}, {weak}", 1, max_train, seed))
    scores = pair_scores(its, WEAK[weak], train)
    rows = []
    for combiner in combiners:
        normal, offset = as_line(combined(combiner, its, WEAK[weak], train, scores))
        rows.append((combiner, *normal, offset))
    lines = pd.DataFrame(rows, columns=["combiner", "normal_1", "normal_2", "offset"])
    return TrainingPlane(scores[train], its.y[train], lines)


def pair_scores(its, weak, train):
    """Return the scores (n, 2) of two classifiers, trained on some rows, for all rows of a task."""
    scores = []
    for columns in (its.first, its.second):
        fitted = clone(weak).fit(its.X[train][:, columns], its.y[train])
        scores.append(classifier_scores("g", fitted, its.X[:, columns], np.array([-1, 1])))
    return np.column_stack(scores)


@step
def voice(data):
    """Return the least number of errors on the voice recordings, and how many sets are optimal."""
    voices = datasets.load("voicepath", data)
    line = optimal_separator(voices.X, voices.y)
    errors = int(wrong_side(line, voices.X, voices.y > 0).sum())
    return pd.DataFrame({"n": [len(voices.y)], "errors": [errors], "optimal_sets": [line.n_optimal]})
