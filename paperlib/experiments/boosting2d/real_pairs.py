"""Pairs of weak classifiers on real data, combined in every way that `baselines` knows."""

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
from paperlib.experiments.boosting2d.baselines import COMBINERS

WEAK = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
DIGIT_PAIRS = ((1, 8), (3, 8), (3, 9))


def tasks(real_data):
    """Return the tasks of the notebook: a data set, and the columns that each of the two classifiers sees.

    Parameters
    ----------
    real_data : dict of str to Dataset
        With ``"breast_cancer"`` and ``"digits"``, maybe with ``"spambase"``.

    Returns
    -------
    dict of str to (X, y, first, second)
        `y` is -1 and +1; `first` and `second` are arrays of columns.
    """
    found = {}
    if "breast_cancer" in real_data:
        # Ten quantities, each as mean, error and worst: texture is the second, smoothness the fifth.
        cancer = real_data["breast_cancer"]
        found["breast cancer"] = cancer.X, cancer.y, np.arange(1, 30, 10), np.arange(4, 30, 10)
    if "digits" in real_data:
        # Images of 8 x 8 pixels: one classifier sees the upper half, one the lower.
        digits = real_data["digits"]
        for a, b in DIGIT_PAIRS:
            rows = np.isin(digits.y, (a, b))
            y = np.where(digits.y[rows] == b, 1, -1)
            found[f"digits {a}, {b}"] = digits.X[rows], y, np.arange(32), np.arange(32, 64)
    if "spambase" in real_data:
        # Frequencies of 48 words; frequencies of 6 characters, and runs of capitals.
        spam = real_data["spambase"]
        found["spambase"] = spam.X, spam.y, np.arange(48), np.arange(48, 57)
    return found


def pair_trials(X, y, first, second, weak, *, n_splits, max_train=400, random_state=None):
    """Errors of every way to combine two classifiers, over random splits.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
    first, second : ndarray of int
        Columns that the two classifiers see.
    weak : scikit-learn classifier
    n_splits : int >= 1
        Stratified; half of the data trains, at most `max_train` examples.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per combiner and split: combiner, split, training, test, leave_one_out
        A score of zero is an error. The leave-one-out error is that of the optimal line in the plane of the
        scores, and missing for the others.
    """
    n_splits = check_number(n_splits, "n_splits", low=1, integer=True)
    rng = np.random.default_rng(random_state)
    size = min(max_train, len(y) // 2)
    splitter = StratifiedShuffleSplit(n_splits, train_size=size, random_state=int(rng.integers(2**31)))
    rows = []
    for split, (train, test) in enumerate(splitter.split(X, y)):
        scores = pair_scores(X, y, first, second, weak, train)
        for name, combiner in COMBINERS.items():
            wrong = y * combiner(scores[train], y[train])(scores) <= 0
            loo = leave_one_out(scores[train], y[train]).error if name == "optimal line" else np.nan
            rows.append((name, split, wrong[train].mean(), wrong[test].mean(), loo))
    return pd.DataFrame(rows, columns=["combiner", "split", "training", "test", "leave_one_out"])


def one_split(X, y, first, second, weak, max_train=400, random_state=None):
    """Return the scores of two classifiers on all of a data set, and the rows that trained them.

    Parameters
    ----------
    X, y, first, second, weak, max_train, random_state
        As in `pair_trials`.

    Returns
    -------
    scores : ndarray of shape (n, 2)
    train : ndarray of int
    """
    size = min(max_train, len(y) // 2)
    [(train, _)] = StratifiedShuffleSplit(1, train_size=size, random_state=random_state).split(X, y)
    return pair_scores(X, y, first, second, weak, train), train


def pair_scores(X, y, first, second, weak, train):
    scores = []
    for columns in (first, second):
        fitted = clone(weak).fit(X[train][:, columns], y[train])
        scores.append(classifier_scores("g", fitted, X[:, columns], np.array([-1, 1])))
    return np.column_stack(scores)
