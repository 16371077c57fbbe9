"""Section 1: errors on its pictures and on growing samples, and the bias of leave-one-out."""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_number
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.optimal_sets import optimal_sets
from paperlib.boosting2d.leave_one_out import leave_one_out
from paperlib.boosting2d.max_margin_line import max_margin_line
from paperlib.boosting2d.optimal_separator import optimal_separator
from paperlib.experiments.boosting2d.samples import bayes_error, clouds, clouds_error, introduction
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import progress, step

MOST_POINTS = 1_000_000  # of all samples of one size together


def picture(noise, number, *, seed):
    """Draw one of the introduction's pictures, as `samples.introduction` does."""
    return introduction(noise=noise, random_state=stream(seed, f"picture {noise} {number}"))


@step
def picture_errors(noises, n_pictures, *, seed):
    """Count errors on the introduction's pictures, in which the classifiers err never or sometimes.

    Parameters
    ----------
    noises : list of float in [0, 1]
        As in `samples.introduction`.
    n_pictures : int >= 1
        With each noise.
    seed : int

    Returns
    -------
    DataFrame with a row per picture: noise, picture, n, first, second, line
        Training errors of the first classifier, of the second, and of the optimal line.

    Examples
    --------
    >>> picture_errors([0.0], 2, seed=0).line.tolist()
    [0, 0]
    """
    rows = []
    for noise, number in ((noise, number) for noise in noises for number in range(n_pictures)):
        X, y = picture(noise, number, seed=seed)
        line = optimal_separator(X, y)
        errors = [np.count_nonzero(y * g <= 0) for g in (*X.T, X @ line.normal + line.offset)]
        rows.append((noise, number, len(y), *errors))
    return pd.DataFrame(rows, columns=["noise", "picture", "n", "first", "second", "line"])


@step
def growth(sizes, n_samples, *, seed):
    """Optimal lines of samples of `samples.clouds` of growing size: errors in training and in truth.

    Parameters
    ----------
    sizes : list of int >= 1
    n_samples : int >= 1
        Of each size, fewer where they would have more than `MOST_POINTS` together.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: n, sample, errors, optimal_sets, training, true, bayes
    """
    rows = []
    for n in progress(sizes, "sizes"):
        for k, rng in enumerate(stream(seed, f"growth {n}").spawn(max(1, min(n_samples, MOST_POINTS // n)))):
            X, y = clouds(n, random_state=rng)
            line = optimal_separator(X, y)
            errors = int(line.weight)
            true = clouds_error(line.normal, line.offset)
            rows.append((n, k, errors, line.n_optimal, errors / n, true, bayes_error()))
    return pd.DataFrame(rows, columns=["n", "sample", "errors", "optimal_sets", "training", "true", "bayes"])


@step
def leave_one_out_bias(sizes, n_trials, *, seed):
    """Leave-one-out error of n points, and the true errors of training on them and on n - 1 of them.

    Each counts every optimal separator set once; the true error is that of its fat line on fresh points of
    `samples.clouds`, known in closed form. Training errors come along.

    Parameters
    ----------
    sizes : list of int >= 3
        n.
    n_trials : list of int >= 1
        Of each size.
    seed : int

    Returns
    -------
    DataFrame with a row per trial: n, leave_one_out, one_left_out, true, resulting, training
        `one_left_out` is the last point's part of the leave-one-out error, `true` is of the n - 1 others,
        `resulting` of all n.
    """
    trials = [check_number(each, "n_trials", low=1, integer=True) for each in n_trials]
    rngs = {n: stream(seed, f"bias {n}") for n in (check_number(n, "n", low=3, integer=True) for n in sizes)}
    rows = []
    for n in progress(np.repeat(sizes, trials).tolist(), "trials"):
        X, y = clouds(n, random_state=rngs[n])
        found = leave_one_out(X, y)
        true, _ = _mean_errors(X[:-1], y[:-1] > 0)
        rows.append((n, found.error, found.contribution[-1], true, *_mean_errors(X, y > 0)))
    columns = ["n", "leave_one_out", "one_left_out", "true", "resulting", "training"]
    return pd.DataFrame(rows, columns=columns)


def _mean_errors(X, positive):
    """Return the true error of the optimal sets' fat lines, mean over the sets, and the training error."""
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
    return np.mean(errors), np.mean(~right)
