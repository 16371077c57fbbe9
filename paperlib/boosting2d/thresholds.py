"""Where no optimal separator set can be written in doubles: thresholds along given directions."""

import numpy as np

from paperlib.boosting2d.fat_line import settle_offset

_TRIES = 16  # cuts that rounding may spoil before a direction is given up


def directions(X):
    """Return unit vectors (d + 1, d): the principal axis of the points (n, d) and all coordinate axes."""
    centred = X - X.mean(axis=0)
    centred /= np.abs(centred).max() or 1.0
    principal = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return np.vstack([principal / np.linalg.norm(principal), np.eye(len(principal))])


def best_threshold(scores, positive, weights):
    """Return the offset for which ``scores + offset`` has the lightest misclassified weight, or None.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)

    Returns
    -------
    float or None
        None if no two of the scores have room between them.
    """
    order = np.argsort(scores)
    ordered = scores[order]
    gain = np.cumsum(np.where(positive, weights, -weights)[order])[:-1]
    cuts = np.flatnonzero(np.diff(ordered) > 0)
    for cut in cuts[np.argsort(gain[cuts], kind="stable")[:_TRIES]]:
        offset = settle_offset(ordered[cut], ordered[cut + 1])
        if offset is not None:
            return offset
    return None
