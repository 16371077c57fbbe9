"""What is asked of labels and rows, dense or sparse, before a game."""

import numpy as np
from scipy.sparse import issparse


def codes_of(labels, classes):
    """Return the index of each label in `classes`, else raise ``ValueError``."""
    same = labels[:, None] == classes
    strange = ~same.any(axis=1)
    if strange.any():
        raise ValueError(
            f"y must hold the classes {classes.tolist()} only, got {labels[strange].tolist()[0]!r}"
        )
    return same.argmax(axis=1)


def largest_entry(X):
    """Return the largest absolute entry."""
    return float(np.abs(X.data if issparse(X) else X).max(initial=0.0))


def ratio_of_ranges(X):
    """Return the largest range of a feature over the smallest, constant features left out."""
    if issparse(X):
        ranges = X.max(axis=0).toarray().ravel() - X.min(axis=0).toarray().ravel()
    else:
        ranges = np.ptp(X, axis=0)
    ranges = ranges[ranges > 0.0]
    with np.errstate(over="ignore"):
        return ranges.max() / ranges.min() if len(ranges) else 1.0
