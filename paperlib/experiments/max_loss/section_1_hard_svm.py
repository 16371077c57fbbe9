"""Section 1: the hard SVM as the minimiser of a largest loss, ``lambda ||w||^2 + 1[y <w, x> < 1]``."""

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

SLACK = 1e-9  # of a margin of 1, for rounding
N_POINTS, DIMENSION = 12, 3


def hard_svm(Z):
    """Return the shortest w with ``<w, z> >= 1`` for every row z, by Lawson and Hanson's least squares.

    >>> import numpy as np
    >>> hard_svm(np.array([[2.0, 1.0], [2.0, -1.0]])).round(12).tolist()
    [0.5, 0.0]
    """
    rows = np.column_stack([Z, np.ones(len(Z))]).T
    target = np.append(np.zeros(Z.shape[1]), 1.0)
    left = target - rows @ nnls(rows, target)[0]
    return -left[:-1] / left[-1]


def largest_loss(w, Z, penalty):
    """Return the largest of ``penalty ||w||^2 + 1[<w, z> < 1]`` over the rows z."""
    return penalty * (w @ w) + float((Z @ w < 1.0 - SLACK).any())


@step
def hard_svm_rivals(n_samples, n_rivals, strengths, *, seed):
    """Look for a w whose largest loss is below the hard SVM's.

    Parameters
    ----------
    n_samples : int
        Separable samples of 12 points in three dimensions.
    n_rivals : int
        Of each kind: random directions, and the hard SVM moved a little; each as it is, and just as long as
        its margins ask for; all of these a tenth shorter, too, and w = 0.
    strengths : list of float
        ``lambda ||w||^2`` of the hard SVM.
    seed : int

    Returns
    -------
    DataFrame with a row per sample and strength
        sample, strength, rivals, better (of them).
    """
    rng, found = stream(seed, "hard SVM"), []
    for sample in range(n_samples):
        X = rng.standard_normal((N_POINTS, DIMENSION))
        Z = X * np.sign(X @ rng.standard_normal(DIMENSION))[:, None]
        best = hard_svm(Z)
        random = rng.standard_normal((n_rivals, DIMENSION)) * np.linalg.norm(best)
        near = best + 0.03 * random
        rivals = np.concatenate([random, near, *map(_just_long_enough, (random, near), (Z, Z))])
        rivals = np.concatenate([rivals, 0.9 * rivals, np.zeros((1, DIMENSION))])
        for strength in strengths:
            penalty = strength / (best @ best)
            least = largest_loss(best, Z, penalty) - SLACK
            better = sum(largest_loss(w, Z, penalty) < least for w in rivals)
            found.append((sample, strength, len(rivals), better))
    return pd.DataFrame(found, columns=["sample", "strength", "rivals", "better"])


def _just_long_enough(rivals, Z):
    """Return those of the rivals that separate the points, with a smallest margin of 1."""
    margins = (rivals @ Z.T).min(axis=1)
    return rivals[margins > 0.0] / margins[margins > 0.0, None]
