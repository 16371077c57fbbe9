"""Section 1: errors of the optimal line on growing samples, and the bias of leave-one-out."""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.optimal_sets import optimal_sets
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.max_margin_line import max_margin_line
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d.samples import clouds, clouds_error, introduction


def growth(sizes, *, random_state=None):
    """Optimal lines of samples of `samples.clouds` of growing size: errors in training and in truth.

    Parameters
    ----------
    sizes : list of int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per size: n, errors, optimal_sets, training, true
    """
    rng = np.random.default_rng(random_state)
    rows = []
    for n in sizes:
        X, y = clouds(n, random_state=rng)
        line = optimal_separator(X, y)
        errors = int(line.weight)
        rows.append((n, errors, line.n_optimal, errors / n, clouds_error(line.normal, line.offset)))
    return pd.DataFrame(rows, columns=["n", "errors", "optimal_sets", "training", "true"])


def picture_errors(noise, n_pictures, *, random_state=None):
    """Count errors on many drawings of the introduction's picture, in which both classifiers may err.

    Parameters
    ----------
    noise : float in [0, 1]
        As in `samples.introduction`.
    n_pictures : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    ndarray of shape (n_pictures, 3)
        Training errors of the first classifier, of the second, and of the optimal line.

    Examples
    --------
    >>> picture_errors(0.0, 2, random_state=0).tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    rng = np.random.default_rng(random_state)
    errors = np.empty((n_pictures, 3), dtype=int)
    for found in errors:
        X, y = introduction(noise=noise, random_state=rng)
        line = optimal_separator(X, y)
        found[:] = [np.count_nonzero(y * g <= 0) for g in (*X.T, X @ line.normal + line.offset)]
    return errors


def leave_one_out_bias(n, n_trials, *, random_state=None):
    """Leave-one-out error of n points, and the true errors of training on them and on n - 1 of them.

    Each counts every optimal separator set once; the true error is that of its fat line on fresh points of
    `samples.clouds`, known in closed form. Training errors come along.

    Parameters
    ----------
    n : int >= 3
    n_trials : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per trial: leave_one_out, true, resulting, training
        `true` is of n - 1 points, `resulting` of all n.
    """
    n = check_number(n, "n", low=3, integer=True)
    rng = np.random.default_rng(random_state)
    rows = []
    for _ in range(check_number(n_trials, "n_trials", low=1, integer=True)):
        X, y = clouds(n, random_state=rng)
        found = leave_one_out(X, y).error
        true = _mean_true_error(X[:-1], y[:-1] > 0)
        resulting = _mean_true_error(X, y > 0)
        rows.append((found, true, resulting, optimal_separator(X, y).weight / n))
    return pd.DataFrame(rows, columns=["leave_one_out", "true", "resulting", "training"])


def _mean_true_error(X, positive):
    places = merge(X, positive, np.ones(len(X)))
    sets = optimal_sets(places, 0.0)
    errors = []
    for k in range(len(sets.packed)):
        right = sets.side(k)[places.of_row] == positive
        if not (right & positive).any() or not (right & ~positive).any():
            errors.append(0.5)  # everything is predicted alike
            continue
        fat = max_margin_line(X[right & positive], X[right & ~positive])
        assert fat is not None  # what an optimal line classifies correctly, it separates
        errors.append(clouds_error(fat.normal, fat.offset))
    return np.mean(errors)
