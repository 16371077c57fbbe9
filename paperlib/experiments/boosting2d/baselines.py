"""Other ways to combine two classifiers: each gives a line in the plane of their scores, too."""

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from paperlib.boosting2d.optimal_separator import optimal_separator


def vote(scores, y):
    """The sum of both scores, each in units of its own root mean square."""
    size = np.sqrt((scores**2).mean(axis=0))
    size = np.where(size > 0, size, 1.0)
    return lambda scores: (scores / size).sum(axis=1)


def optimal_line(scores, y):
    """The optimal fat separator (Theorem 1.4)."""
    line = optimal_separator(scores, y)
    return lambda scores: scores @ line.normal + line.offset


def _fitted(classifier):
    def combine(scores, y):
        # On scores of one scale: what is a large coefficient should not hang on a classifier's units.
        return make_pipeline(StandardScaler(), classifier()).fit(scores, y).decision_function

    return combine


def lda(scores, y):
    """The linear discriminant; where no class varies, and it has none, the nearer of the two means."""
    classes = [scores[y < 0], scores[y > 0]]
    if any(np.ptp(each, axis=0).any() for each in classes):
        return _fitted(LinearDiscriminantAnalysis)(scores, y)
    negative, positive = (each[0] for each in classes)
    return lambda scores: (scores - (negative + positive) / 2) @ (positive - negative)


def as_line(combined):
    """Return the unit normal (2,) and the offset of what a combiner made, an affine function of two scores.

    A constant is a line at infinity: its offset is infinite and has the constant's sign.

    >>> normal, offset = as_line(vote(np.eye(2), np.array([-1, 1])))
    >>> normal.round(3).tolist(), float(offset)
    ([0.707, 0.707], 0.0)
    """
    offset, *ends = combined(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    normal = np.array(ends) - offset
    length = np.hypot(*normal)
    if length == 0:
        return np.array([1.0, 0.0]), np.copysign(np.inf, offset)
    return normal / length, offset / length


# (scores (n, 2), y (n,) of -1 and +1) -> function of scores (m, 2) whose sign is the prediction.
COMBINERS = {
    "first": lambda scores, y: lambda scores: scores[:, 0],
    "second": lambda scores, y: lambda scores: scores[:, 1],
    "voting": vote,
    "LDA": lda,
    "logistic stacking": _fitted(LogisticRegression),
    "linear SVM": _fitted(lambda: SVC(kernel="linear")),
    "optimal line": optimal_line,
}
