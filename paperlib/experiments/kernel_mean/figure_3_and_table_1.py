"""Three points that break convex potentials (Section 7.2): Figure 3, and Table 1 from samples."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

from paperlib.experiments.kernel_mean.risk_minimizers import (
    minimize_hinge,
    minimize_linear,
    minimize_t_logistic,
)
from paperlib.experiments.kernel_mean.samples import (
    LONG_SERVEDIO_POINTS,
    LONG_SERVEDIO_PROBABILITIES,
    check_counts,
    check_noise_rates,
)
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import to_resolution
from paperlib.experiments.steps import step

# Convex potentials psi(u) beside the hinge, each with its slope.
POTENTIALS = {
    "logistic": (lambda u: np.logaddexp(0.0, -u), lambda u: -expit(-u)),
    # Cut off far beyond where any minimum is, as a line search may overflow.
    "exponential": (lambda u: np.exp(np.minimum(-u, 500.0)), lambda u: -np.exp(np.minimum(-u, 500.0))),
    "squared hinge": (lambda u: np.maximum(0.0, 1.0 - u) ** 2, lambda u: -2.0 * np.maximum(0.0, 1.0 - u)),
}
SIGNED_POINTS = np.vstack([LONG_SERVEDIO_POINTS, -LONG_SERVEDIO_POINTS])
POINTS = ("south", "north", "far")
_AT_A_TIME = 3000  # trials, for memory
LEARNERS = {"Hinge": minimize_hinge, "t-logistic": minimize_t_logistic, "Linear": minimize_linear}


@step
def table_1(noise_rates, n_train, n_test, n_trials, n_close, *, seed):
    """0-1 risks of exact minimisers on the data of Long and Servedio (Table 1).

    Parameters
    ----------
    noise_rates : sequence of distinct floats in [0, 1/2)
    n_train, n_test, n_trials : int >= 1
        Sizes of a training and of a (clean) test sample, and how many pairs of them are drawn.
    n_close : int >= 0
        Further trials of the t-logistic loss at the last noise rate, where ours and the printed mean are so
        close to the edge of what is allowed that it takes many to tell.
    seed : int

    Returns
    -------
    DataFrame, as `risks_of` makes it
        All learners see the same samples, but for the further ones.
    """
    tables = [risks_of(LEARNERS, noise_rates, n_train, n_test, n_trials, stream(seed, "table 1"))]
    close, rng = {"t-logistic": minimize_t_logistic}, stream(seed, "table 1, one cell")
    for start in range(0, n_close, _AT_A_TIME):
        size = min(_AT_A_TIME, n_close - start)
        tables.append(risks_of(close, [max(noise_rates)], n_train, n_test, size, rng))
    table, kind = pd.concat(tables, ignore_index=True), ["noise", "learner", "wrong", "risk"]
    return table.groupby(kind, sort=False).trials.sum().reset_index()


def risks_of(learners, noise_rates, n_train, n_test, n_trials, rng, points=LONG_SERVEDIO_POINTS, p=None):
    """Draw trials of Table 1 for some learners.

    A training sample is only six counts, of three points with either label, so counts are what is drawn.

    Parameters
    ----------
    learners : dict of str to callable
        Each takes signed points (6, 2) and counts of them (t, 6), and returns weight vectors (t, 2).
    noise_rates, n_train, n_test, n_trials
        As in `table_1`.
    rng : numpy.random.Generator
    points, p : arrays of shape (3, 2), (3,), optional
        The three points, and their probabilities; the paper's by default.

    Returns
    -------
    DataFrame with a row per noise rate, learner, and kind of trial: noise, learner, wrong (those of the three
        points that are misclassified), risk (on the test sample), trials (how many of this kind)
    """
    noise_rates = check_noise_rates(noise_rates)
    check_counts(n_train=n_train, n_test=n_test, n_trials=n_trials)
    p, tables = LONG_SERVEDIO_PROBABILITIES if p is None else np.asarray(p), []
    for noise in noise_rates:
        train = rng.multinomial(n_train, np.concatenate([p * (1 - noise), p * noise]), size=n_trials)
        test = rng.multinomial(n_test, p, size=n_trials)
        for name, learner in learners.items():
            weights = learner(np.vstack([points, -points]), train.astype(float))
            wrong = wrong_points(weights, points)
            named = [" ".join(np.compress(each, POINTS)) or "none" for each in wrong]
            trials = pd.DataFrame({"wrong": named, "risk": (test * wrong).sum(axis=1) / n_test})
            counted = trials.value_counts(sort=False).sort_index().rename("trials").reset_index()
            tables.append(counted.assign(noise=noise, learner=name))
    return pd.concat(tables, ignore_index=True)[["noise", "learner", "wrong", "risk", "trials"]]


def zero_one_risk(weights, test):
    """Share of the clean test points (t, 3 counts) that each weight vector (t, 2) gets wrong."""
    return (test * wrong_points(weights)).sum(axis=1) / test.sum(axis=1)


def wrong_points(weights, points=LONG_SERVEDIO_POINTS):
    """Mark those of the three points that each weight vector (t, 2) gets wrong, as booleans (t, 3).

    A score of zero is wrong (Section 2); zero is taken with a tolerance of rounding.
    """
    scores = weights @ points.T
    size = np.linalg.norm(weights, axis=1)[:, None] * np.linalg.norm(points, axis=1)
    return scores <= 1e-12 * size


@step
def population_risks(noise_rates):
    """0-1 risk, on the clean distribution, of what each loss makes of the noisy one (Figure 3).

    Nothing in it is random.

    Returns
    -------
    DataFrame with a row per loss and noise rate: loss, noise, w1, w2 (the minimiser), risk
    """
    p = LONG_SERVEDIO_PROBABILITIES
    noise = np.array(check_noise_rates(noise_rates))[:, None]
    counts, test, tables = np.hstack([p * (1 - noise), p * noise]), np.tile(p, (len(noise), 1)), []
    for name, learner in LEARNERS.items():
        weights = learner(SIGNED_POINTS, counts)
        shown = weights.round(5) + 0.0  # more digits of a minimum depend on the processor
        columns = {"noise": noise[:, 0], "w1": shown[:, 0], "w2": shown[:, 1]}
        tables.append(pd.DataFrame({"loss": name} | columns | {"risk": zero_one_risk(weights, test)}))
    return pd.concat(tables, ignore_index=True)


@step
def lines(noise):
    """Return the three lines of Figure 3: a row each, line, loss, noise, w1, w2 (the minimiser), risk."""
    tables = [population_risks([each]) for each in (0.0, noise)]
    both = pd.concat(tables, keys=["clean", "noisy"], names=["sample", None]).reset_index("sample")
    both["line"] = both.loss.str.lower() + ", " + both["sample"]
    columns = ["line", "loss", "noise", "w1", "w2", "risk"]
    return both[both.loss != "t-logistic"][columns].reset_index(drop=True)


@step
def breaking_table():
    """Return the least noise rate that breaks the hinge loss on data that are scaled or spread out.

    Returns
    -------
    DataFrame with a row per change: change ("scale" or "far point"), to, noise (1/2 where none does)
    """
    points, rows = LONG_SERVEDIO_POINTS, []
    for scale in (0.01, 1.0, 100.0):
        rows.append(("scale", scale, breaking_noise(points * scale)))
    for x in (30.0, 300.0, 3000.0):
        rows.append(("far point", x, breaking_noise([*points[:2], [x, 0.0]])))
    return pd.DataFrame(rows, columns=["change", "to", "noise"])


def breaking_noise(points):
    """Least noise rate at which the hinge minimiser errs on half of the distribution or more, by bisection.

    Parameters
    ----------
    points : array-like of shape (3, 2)
        Where the three points of Long and Servedio are moved to.

    Returns
    -------
    float
        In multiples of 1e-9; 1/2 when no noise breaks it.

    Examples
    --------
    >>> breaking_noise(LONG_SERVEDIO_POINTS), round(4 / 53, 9)
    (0.075471698, 0.075471698)
    """
    points, p = np.asarray(points, dtype=float), LONG_SERVEDIO_PROBABILITIES
    if points.shape != (3, 2) or not np.isfinite(points).all():
        raise ValueError(f"points must be three finite points in the plane, got {points.tolist()}")
    low, high = 0.0, 0.5
    while high - low > 1e-11:
        noise = (low + high) / 2.0
        counts = np.concatenate([p * (1 - noise), p * noise])
        scores = points @ minimize_hinge(np.vstack([points, -points]), counts[None])[0]
        low, high = (low, noise) if p @ (scores <= 1e-9) >= 0.5 else (noise, high)
    return to_resolution(high, 1e-9)


def random_potential(rng):
    """Draw a convex potential: a sum of three softened hinges, with its slope.

    Each is ``a log(1 + exp(b (c - u))) / b``: it falls from infinity to zero, and the larger b the sharper it
    bends at c. Hinge and logistic loss are members, or limits of some.

    Returns
    -------
    psi, slope : callable

    Examples
    --------
    >>> psi, slope = random_potential(np.random.default_rng(0))
    >>> bool(psi(0.0) > psi(1.0) > psi(60.0) >= 0.0 > slope(0.0)), bool(psi(60.0) < 1e-6)
    (True, True)
    """
    size, sharpness, bend = rng.dirichlet(np.ones(3)), rng.uniform(0.5, 5.0, 3), rng.uniform(-1.0, 2.0, 3)

    def psi(u):
        each = np.logaddexp(0.0, sharpness * (bend - np.asarray(u)[..., None])) / sharpness
        return each @ size

    def slope(u):
        return -expit(sharpness * (bend - np.asarray(u)[..., None])) @ size

    return psi, slope


@step
def broken_potentials(noise_rates, n_random, distance=300.0, *, seed):
    """0-1 risk, on the clean distribution, of the minimisers of convex potentials under label noise.

    Long and Servedio's statement is about all of them: to four known ones come `n_random` of
    `random_potential`. The far point is moved out to `distance`, where even noise of 0.01 breaks those that
    are tried.

    Returns
    -------
    DataFrame with a row per noise rate and potential: noise, potential, risk
    """
    points, p = LONG_SERVEDIO_POINTS.copy(), LONG_SERVEDIO_PROBABILITIES
    points[2, 0] = distance
    # Solvers want coordinates of one size; the first weight is scaled back afterwards.
    scale, rng = np.array([distance, 1.0]), stream(seed, "random potentials")
    signed, rows = np.vstack([points, -points]) / scale, []
    potentials = POTENTIALS | {f"random {i}": random_potential(rng) for i in range(n_random)}
    for noise in check_noise_rates(noise_rates):
        counts = np.concatenate([p * (1 - noise), p * noise])
        weights = [minimize_hinge(signed, counts[None])[0]]
        for loss, slope in potentials.values():

            def risk_and_slope(w, loss=loss, slope=slope, counts=counts):
                margins = signed @ w
                return counts @ loss(margins), (counts * slope(margins)) @ signed

            weights.append(minimize(risk_and_slope, np.zeros(2), jac=True, method="BFGS").x)
        risks = p @ (points / scale @ np.transpose(weights) <= 1e-9)
        rows += [(noise, name, risk) for name, risk in zip(("hinge", *potentials), risks)]
    return pd.DataFrame(rows, columns=["noise", "potential", "risk"])
