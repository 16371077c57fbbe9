"""Three points that break convex potentials (Section 7.2): Figure 3, and Table 1 from samples."""

import numpy as np
import pandas as pd

from paperlib._common.validation import check_sample_weight
from paperlib.experiments.kernel_mean.risk_minimizers import minimize_hinge
from paperlib.experiments.kernel_mean.samples import (
    LONG_SERVEDIO_POINTS,
    LONG_SERVEDIO_PROBABILITIES,
    check_counts,
    check_noise_rates,
)

SIGNED_POINTS = np.vstack([LONG_SERVEDIO_POINTS, -LONG_SERVEDIO_POINTS])


def table_1(learners, noise_rates, *, n_train, n_test, n_trials, probabilities=None, random_state=None):
    """Mean and standard deviation of the 0-1 risk on the data of Long and Servedio (Table 1).

    A training sample is only six counts, of three points with either label, so counts are what is drawn.

    Parameters
    ----------
    learners : dict of str to callable
        Each takes `SIGNED_POINTS` (6, 2) and counts of them (t, 6), and returns weight vectors (t, 2).
    noise_rates : sequence of distinct floats in [0, 1/2)
    n_train, n_test, n_trials : int >= 1
        Sizes of a training and of a (clean) test sample, and how many pairs of them are drawn.
    probabilities : sequence of 3 floats, optional
        Of the three points; the paper's by default.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per noise rate and learner: noise, learner, mean, std, mean_stderr, std_stderr,
        right, south_only, north_only
        All learners see the same samples. The last three are shares of the trials: nothing wrong, and
        nothing but (1, -1) or (1, 3) wrong.
    """
    noise_rates = check_noise_rates(noise_rates)
    check_counts(n_train=n_train, n_test=n_test, n_trials=n_trials)
    rng = np.random.default_rng(random_state)
    p = np.asarray(LONG_SERVEDIO_PROBABILITIES)
    if probabilities is not None:
        p = check_sample_weight(probabilities, 3)
        if not np.isclose(p.sum(), 1.0):
            raise ValueError(f"probabilities must sum to 1, got {p.sum()}")
    rows = []
    for noise in noise_rates:
        train = rng.multinomial(n_train, np.concatenate([p * (1 - noise), p * noise]), size=n_trials)
        test = rng.multinomial(n_test, p, size=n_trials)
        for name, learner in learners.items():
            weights = learner(SIGNED_POINTS, train.astype(float))
            risk, wrong = zero_one_risk(weights, test), wrong_points(weights)
            std = risk.std(ddof=1) if n_trials > 1 else 0.0
            alone = [(wrong == which).all(axis=1).mean() for which in ([0, 0, 0], [1, 0, 0], [0, 1, 0])]
            errors = std / np.sqrt(n_trials), _stderr_of_std(risk)
            rows.append((noise, name, risk.mean(), std, *errors, *alone))
    columns = ["noise", "learner", "mean", "std", "mean_stderr", "std_stderr", "right", "south_only"]
    return pd.DataFrame(rows, columns=[*columns, "north_only"])


def _stderr_of_std(risk):
    """Standard error of a standard deviation, from the fourth moment."""
    squares = (risk - risk.mean()) ** 2
    if not squares.any():
        return 0.0
    return np.sqrt(squares.var() / len(risk)) / (2.0 * np.sqrt(squares.mean()))


def nearer(one, other, printed, column):
    """How much nearer to what is printed `other` is than `one`, and the standard error of that.

    Parameters
    ----------
    one, other : DataFrame
        Rows of one learner in `table_1`.
    printed : dict of float to float
        Noise rates to printed numbers; rates that are not in the tables are left out.
    column : {"mean", "std"}

    Returns
    -------
    tuple of (float, float), or None where no printed noise rate is in the tables
        Mean over the noise rates of the distance of `one` from the printed number less that of `other`.
    """
    one, other = (rows.set_index("noise") for rows in (one, other))
    target = pd.Series({noise: each for noise, each in printed.items() if noise in one.index}, dtype=float)
    if target.empty:
        return None
    distances = [(rows[column].loc[target.index] - target).abs() for rows in (one, other)]
    variances = [rows[f"{column}_stderr"].loc[target.index] ** 2 for rows in (one, other)]
    return float((distances[0] - distances[1]).mean()), float(np.sqrt(sum(variances).sum()) / len(target))


def zero_one_risk(weights, test):
    """Share of the clean test points (t, 3 counts) that each weight vector (t, 2) gets wrong."""
    return (test * wrong_points(weights)).sum(axis=1) / test.sum(axis=1)


def wrong_points(weights):
    """Mark those of the three points that each weight vector (t, 2) gets wrong, as booleans (t, 3).

    A score of zero is wrong (Section 2); zero is taken with a tolerance of rounding.
    """
    scores = weights @ LONG_SERVEDIO_POINTS.T
    size = np.linalg.norm(weights, axis=1)[:, None] * np.linalg.norm(LONG_SERVEDIO_POINTS, axis=1)
    return scores <= 1e-12 * size


def population_risks(learners, noise_rates):
    """0-1 risk, on the clean distribution, of what each learner makes of the noisy one (Figure 3).

    Returns
    -------
    DataFrame of shape (len(noise_rates), len(learners))
        Indexed by the noise rate. Nothing in it is random.
    """
    p = LONG_SERVEDIO_PROBABILITIES
    noise = np.array(check_noise_rates(noise_rates))[:, None]
    counts = np.hstack([p * (1 - noise), p * noise])
    test = np.tile(p, (len(noise), 1))
    risks = {name: zero_one_risk(learner(SIGNED_POINTS, counts), test) for name, learner in learners.items()}
    return pd.DataFrame(risks, index=pd.Index(noise[:, 0], name="noise"))


def breaking_noise(points, grid):
    """Least noise rate in `grid` at which the hinge minimiser errs on half of the distribution or more.

    Parameters
    ----------
    points : array-like of shape (3, 2)
        Where the three points of Long and Servedio are moved to.
    grid : sequence of float
        Noise rates, ascending.

    Returns
    -------
    float
        NaN when none of them breaks it.
    """
    points, p = np.asarray(points, dtype=float), LONG_SERVEDIO_PROBABILITIES
    if points.shape != (3, 2) or not np.isfinite(points).all():
        raise ValueError(f"points must be three finite points in the plane, got {points.tolist()}")
    for noise in check_noise_rates(grid):
        counts = np.concatenate([p * (1 - noise), p * noise])
        scores = points @ minimize_hinge(np.vstack([points, -points]), counts[None])[0]
        if p @ (scores <= 1e-9) >= 0.5:
            return float(noise)
    return float("nan")
