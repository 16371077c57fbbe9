"""Failure rates of the paper's bounds over many draws, and how far from failing they are.

A bound far above what it bounds would hold in a simulation that measures nothing. So where the mean squared
error has a closed form, it stands beside the one that was measured.
"""

import numpy as np
from scipy.stats import binomtest

from paperlib._common.kernels import bind_kernel
from paperlib._common.validation import check_number
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.approximations import clustered_draws
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean.sparse_expansion import sparsify

_ROUNDING = 1.0 + 1e-12


def squared_lengths(K, weights):
    """``w^T K w`` for each row of `weights` (t, k), never negative.

    >>> squared_lengths(np.eye(2), np.array([[3.0, 4.0]])).tolist()
    [25.0]
    """
    return np.maximum(np.einsum("ij,ij->i", weights @ K, weights), 0.0)


def binomial_interval(failures, trials, confidence=0.95):
    """Clopper and Pearson's exact interval for a rate.

    >>> [round(end, 4) for end in binomial_interval(0, 200)]
    [0.0, 0.0183]
    """
    interval = binomtest(int(failures), int(trials)).proportion_ci(confidence)
    return float(interval.low), float(interval.high)


def failure_row(statement, setting, errors, bounds, expected=None):
    """One row of the table of bounds.

    Parameters
    ----------
    statement, setting : str
    errors : array-like of shape (t,)
        What is bounded, a number a draw.
    bounds : float or array-like of shape (t,)
    expected : float, optional
        Mean of the squared errors, from a closed form; zero is nothing to compare with.

    Returns
    -------
    dict
        statement, setting, draws, failures, rate, stderr, low, high (95 % interval of the rate), error,
        bound (means), squared (mean squared error over the expected one) and squared_stderr; the last two
        are NaN where nothing is expected.
    """
    errors = np.asarray(errors, dtype=float)
    draws = check_number(errors.size, "number of errors", low=1, integer=True)
    failures = int((errors > np.asarray(bounds) * _ROUNDING).sum())
    rate = failures / draws
    low, high = binomial_interval(failures, draws)
    squared = squared_stderr = float("nan")
    if expected:
        squared = np.mean(errors**2) / expected
        squared_stderr = np.std(errors**2) / expected / np.sqrt(draws)
    return {
        "statement": statement,
        "setting": setting,
        "draws": draws,
        "failures": failures,
        "rate": rate,
        "stderr": np.sqrt(rate * (1.0 - rate) / draws),
        "low": low,
        "high": high,
        "error": errors.mean(),
        "bound": np.mean(bounds),
        "squared": squared,
        "squared_stderr": squared_stderr,
    }


def mean_rows(populations, sizes, noise_rates, *, delta, n_draws, random_state=None):
    """Theorem 5 and Lemma 9: the mean of a sample, divided by ``1 - 2 noise``, against the true one.

    The squared error is expected to be ``(E K(x, x) / (1 - 2 noise)^2 - ||Phi(P)||^2) / n``.

    Parameters
    ----------
    populations : dict of str to Population
    sizes : sequence of int >= 1
    noise_rates : sequence of float in [0, 1/2)
        No noise is Theorem 5.
    delta : float in (0, 1)
    n_draws : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    list of dict, as `failure_row` makes them
    """
    rng, rows = np.random.default_rng(random_state), []
    for name, population in populations.items():
        K, y, p = population.gram, population.y, population.p
        for noise in noise_rates:
            both = np.concatenate([p * (1.0 - noise), p * noise])
            for n in sizes:
                draws = rng.multinomial(n, both / both.sum(), size=n_draws) / n
                estimate = (draws[:, : p.size] - draws[:, p.size :]) / (1.0 - 2.0 * noise)
                errors = np.sqrt(squared_lengths(K, (p - estimate) * y))
                expected = p @ np.diag(K) / (1.0 - 2.0 * noise) ** 2 - (p * y) @ K @ (p * y)
                statement = "lemma-9" if noise else "theorem-5"
                setting = f"{name}, n = {n}" + (f", σ = {noise:g}" if noise else "")
                bound = theory.lemma_9(n, delta, noise)
                rows.append(failure_row(statement, setting, errors, bound, expected / n))
    return rows


def kernels_row(populations, n, *, delta, n_draws, random_state=None):
    """Theorem 6: the worst of several kernels' means on one sample, true less sample's linear risk.

    Parameters
    ----------
    populations : sequence of Population
        The same labels and probabilities under each of the kernels.

    Returns
    -------
    dict, as `failure_row` makes it
    """
    rng = np.random.default_rng(random_state)
    y, p = populations[0].y, populations[0].p
    weights = rng.multinomial(n, p, size=n_draws) / n * y
    gaps = []
    for population in populations:
        K = population.gram
        norms = np.sqrt(squared_lengths(K, weights))
        # Risk(P) - Risk(S) of the normalised mean is ||Phi(S)|| - <Phi(P), Phi(S)> / ||Phi(S)||.
        gaps.append(norms - weights @ (K @ (p * y)) / np.where(norms > 0, norms, 1.0))
    setting = f"{len(populations)} kernels, n = {n}"
    return failure_row(
        "theorem-6", setting, np.max(gaps, axis=0), theory.theorem_6(n, len(populations), delta)
    )


def clustered_row(setting, X, weights, m, *, gamma, delta, n_draws, random_state=None):
    """Theorem 21: many clustered sub-samples from one partition, with its exact diameter in the bound.

    Parameters
    ----------
    setting : str
    X : ndarray of shape (n, d)
    weights : ndarray of shape (n,)
        Of any sign (Section 5.3); the bound is multiplied by their total weight.
    m : int >= 1
    gamma : float
        Of the Gaussian kernel.

    Returns
    -------
    row : dict, as `failure_row` makes it
    points : int
        The largest number of points that any of the draws kept.
    """
    rng = np.random.default_rng(random_state)
    kernel, points = bind_kernel("rbf", X, gamma)
    signs, total = np.where(weights < 0, -1.0, 1.0), np.abs(weights).sum()
    alpha = np.abs(weights) / total
    _, part, _ = farthest_first(kernel, points, signs, m, int(rng.choice(len(X), p=alpha)))
    K = np.outer(signs, signs) * kernel.matrix(points, points)
    diameter, expected = 0.0, 0.0
    for i in range(m):
        own = part == i
        share = alpha[own].sum()
        if share > 0:
            inner = K[np.ix_(own, own)]
            diameter = max(diameter, np.sqrt(np.maximum(2.0 - 2.0 * inner, 0.0).max()))
            q = alpha[own] / share
            size = max(1, np.ceil(share * m * (1.0 - 1e-12)))
            expected += share**2 / size * (q @ np.diag(inner) - q @ inner @ q)
    draws = np.array([clustered_draws(alpha, part, m, rng) for _ in range(n_draws)])
    errors = total * np.sqrt(squared_lengths(K, draws - alpha))
    bound = total * theory.theorem_21(float(diameter), m, delta)
    row = failure_row("theorem-21", setting, errors, bound, total**2 * expected)
    return row, int((draws > 0).sum(axis=1).max())


def tolerance_row(setting, X, weights, tol, *, gamma, delta, n_draws, random_state=None):
    """Algorithm 2: how often an approximation that was asked to be within `tol` is not.

    Returns
    -------
    dict, as `failure_row` makes it
    """
    rng = np.random.default_rng(random_state)
    options = {"tol": tol, "delta": delta, "gamma": gamma, "random_state": rng}
    errors = [sparsify(X, weights, **options).error for _ in range(n_draws)]
    return failure_row("algorithm-2", setting, errors, tol)


def worst_rows(rows):
    """The row of the highest failure rate of each statement, indexed by it.

    >>> import pandas as pd
    >>> rows = [failure_row("a", "one", [1.0, 3.0], 2.0), failure_row("a", "two", [1.0, 1.0], 2.0)]
    >>> worst_rows(pd.DataFrame(rows)).loc["a", "setting"]
    'one'
    """
    order = rows.sort_values("rate", ascending=False, kind="stable")
    return order.drop_duplicates("statement").set_index("statement")
