"""Scores of linear classifiers, one or a majority of them, on dense or sparse rows."""

import numpy as np


def linear_scores(X, coef, intercept):
    """Return the scores (n,) of one vector, or (n, n_classes) of one for each class, all finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = X @ coef.T + intercept
    finite = np.isfinite(scores)
    if not finite.all():
        raise ValueError(
            f"X must have finite scores, got {scores[~finite][0]} for row {np.argwhere(~finite)[0, 0]}: its "
            "entries are too large"
        )
    return scores[:, 0] if len(coef) == 1 else scores


def shares_of_votes(X, voters):
    """Return the shares of the voters (k, n_vectors, d + 1) that choose each class, shape (n, n_classes).

    With one vector, which stands for two classes, their difference, shape (n,).
    """
    votes = np.zeros((X.shape[0], max(2, voters.shape[1])))
    for voter in voters:
        chosen = chosen_classes(linear_scores(X, voter[:, :-1], voter[:, -1]))
        votes[np.arange(len(votes)), chosen] += 1.0
    votes /= len(voters)
    # A difference of shares has the sign of the majority, and zero is a tie.
    return votes[:, 1] - votes[:, 0] if voters.shape[1] == 1 else votes


def chosen_classes(scores):
    """Return the number of the class that each row's scores choose."""
    return (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
