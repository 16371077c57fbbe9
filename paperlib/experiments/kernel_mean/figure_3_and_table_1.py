"""Three points that break convex potentials (Section 7.2): Figure 3, and Table 1 from samples."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

from paperlib._common.validation import check_sample_weight
from paperlib.experiments.kernel_mean.risk_minimizers import minimize_hinge
from paperlib.experiments.kernel_mean.samples import (
    LONG_SERVEDIO_POINTS,
    LONG_SERVEDIO_PROBABILITIES,
    check_counts,
    check_noise_rates,
)

# Convex potentials psi(u) beside the hinge, each with its slope.
POTENTIALS = {
    "logistic": (lambda u: np.logaddexp(0.0, -u), lambda u: -expit(-u)),
    # Cut off far beyond where any minimum is, as a line search may overflow.
    "exponential": (lambda u: np.exp(np.minimum(-u, 500.0)), lambda u: -np.exp(np.minimum(-u, 500.0))),
    "squared hinge": (lambda u: np.maximum(0.0, 1.0 - u) ** 2, lambda u: -2.0 * np.maximum(0.0, 1.0 - u)),
}
PRINTED_TRIALS = 125  # of the paper's Table 1
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


def off_by(rows, printed, column):
    """Largest distance of a column from what is printed, over the distance that the printed numbers allow.

    A number is allowed to be off by half a unit of its last digit and four standard errors: ``s / sqrt(n)``
    for a mean and ``s / sqrt(2 n)`` for a standard deviation s of n = 125 trials. Cells that print no
    deviation have no standard error, and are left out.

    Parameters
    ----------
    rows : DataFrame
        Rows of one learner in `table_1`.
    printed : dict of float to (float, float)
        Noise rates to the printed mean and standard deviation.
    column : {"mean", "std"}

    Returns
    -------
    tuple of (float, float), or None where none of these noise rates is in the table
        At most 1 where all cells are as printed, and the standard error of the cell that is farthest.
    """
    found = []
    for row in rows.to_dict("records"):
        mean, std = printed.get(row["noise"], (0.0, 0.0))
        if std > 0:
            target, share = (mean, 1.0) if column == "mean" else (std, 2.0)
            allowed = 0.005 + 4.0 * std / np.sqrt(share * PRINTED_TRIALS)
            found.append((abs(row[column] - target) / allowed, row[f"{column}_stderr"] / allowed))
    return max(found) if found else None


def least_lead(table, cells, first="Linear"):
    """Least risk of other learners less that of the `first`, and its standard error.

    Parameters
    ----------
    table : DataFrame
        As `table_1` makes it.
    cells : sequence of (float, str)
        Noise rates and learners; those that are not in the table are left out.

    Returns
    -------
    tuple of (float, float), or None where none of the cells is in the table
    """
    rows, found = table.set_index(["noise", "learner"]), []
    for noise, learner in cells:
        if (noise, learner) in rows.index:
            other, own = rows.loc[noise, learner], rows.loc[noise, first]
            stderr = np.hypot(other["mean_stderr"], own["mean_stderr"])
            found.append((float(other["mean"] - own["mean"]), float(stderr)))
    return min(found) if found else None


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


def broken_potentials(noise_rates, distance=300.0):
    """0-1 risk, on the clean distribution, of the minimisers of convex potentials under label noise.

    Long and Servedio's statement is about all of them. The far point is moved out to `distance`, where even
    noise of 0.01 breaks those that are tried.

    Returns
    -------
    DataFrame of shape (len(noise_rates), 4)
        Indexed by the noise rate, a column for each potential.
    """
    points, p = LONG_SERVEDIO_POINTS.copy(), LONG_SERVEDIO_PROBABILITIES
    points[2, 0] = distance
    # Solvers want coordinates of one size; the first weight is scaled back afterwards.
    scale = np.array([distance, 1.0])
    signed, rows = np.vstack([points, -points]) / scale, []
    for noise in check_noise_rates(noise_rates):
        counts = np.concatenate([p * (1 - noise), p * noise])
        weights = [minimize_hinge(signed, counts[None])[0]]
        for loss, slope in POTENTIALS.values():

            def risk_and_slope(w, loss=loss, slope=slope, counts=counts):
                margins = signed @ w
                return counts @ loss(margins), (counts * slope(margins)) @ signed

            weights.append(minimize(risk_and_slope, np.zeros(2), jac=True, method="BFGS").x)
        rows.append(p @ (points / scale @ np.transpose(weights) <= 1e-9))
    return pd.DataFrame(rows, index=pd.Index(noise_rates, name="noise"), columns=["hinge", *POTENTIALS])
