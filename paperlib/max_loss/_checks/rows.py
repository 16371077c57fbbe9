"""What is asked of labels and rows, dense or sparse, before a game."""

import numpy as np
from scipy.sparse import issparse

MUCH = 10.0  # ranges that differ by more than this factor, and distances from zero beyond them, are too much


def codes_of(labels, classes):
    """Return the index of each label in `classes`, else raise ``ValueError``."""
    same = labels[:, None] == classes
    strange = ~same.any(axis=1)
    if strange.any():
        raise ValueError(
            f"y must hold the classes {classes.tolist()} only, got {labels[strange].tolist()[0]!r}"
        )
    return same.argmax(axis=1)


def check_several(classes, sample_weight, when=""):
    """Raise ``ValueError`` for labels of one class only; where there are weights, they may have left it."""
    if len(classes) < 2:
        of_weight = "" if sample_weight is None else " of positive weight"
        raise ValueError(
            f"y must have two classes or more{of_weight}{when}, got one class only: {classes.tolist()[0]!r}"
        )


def largest_entry(X):
    """Return the largest absolute entry."""
    return float(np.abs(X.data if issparse(X) else X).max(initial=0.0))


def advice_on_features(X, scale):
    """Return what to do about features that make a game long, words each; `scale` is a power of two.

    The Perceptron's mistakes are bounded by the square of the longest row. So a feature that is far from zero
    everywhere, beside the ranges of all, should be centred, and ranges that differ much should be made alike.
    """
    if issparse(X):
        low, high = (getattr(X, end)(axis=0).toarray().ravel() * scale for end in ("min", "max"))
    else:
        low, high = X.min(axis=0) * scale, X.max(axis=0) * scale
    ranges, away = high - low, np.maximum(low, -high)
    k, found = int(away.argmax()), []
    if away[k] > MUCH * ranges.max() > 0.0:
        value = (low[k] / 2 + high[k] / 2) / scale
        found.append(f"centre the features, or leave out feature {k}, which is about {value:.2g} throughout")
    ranges = ranges[ranges > 0.0]
    with np.errstate(over="ignore"):
        ratio = ranges.max() / ranges.min() if len(ranges) else 1.0
    if ratio > MUCH:
        found.append(f"scale the features, whose ranges differ {ratio:.2g}-fold")
    return found
