"""Failure rates of the paper's bounds over many draws, and how far from failing they are.

What is judged is the error that is exceeded with probability delta, divided by the bound: 0.3 shows itself
where no failure at all would not. A bound far above what it bounds would hold in a simulation that measures
nothing, too. So where the mean squared error has a closed form, it stands beside the one that was measured.
"""

import numpy as np
from scipy.stats import binomtest

from paperlib._common.kernels import bind_kernel
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.populations import learned_mean
from paperlib.kernel_mean import flip_labels, losses, theory
from paperlib.kernel_mean._sparsify.approximations import clustered_draws
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean.noise import corrected_loss
from paperlib.kernel_mean.sparse_expansion import sparsify

_ROUNDING = 1.0 + 1e-12
_CANCELLED = 1e-7
_LEARNED = 100  # sample means of each setting that the estimator is fitted for; the others are plain sums
_EXAMPLES = 1 << 21  # examples whose labels are flipped at a time


def squared_lengths(K, weights):
    """``w^T K w`` for each row of `weights` (t, k), never negative.

    >>> squared_lengths(np.eye(2), np.array([[3.0, 4.0]])).tolist()
    [25.0]
    """
    return np.maximum(np.einsum("ij,ij->i", weights @ K, weights), 0.0)


def gaussian_matrix(X, gamma):
    """Kernel matrix (n, n) of the Gaussian kernel, from the points alone.

    >>> gaussian_matrix(np.array([[0.0], [1.0]]), np.log(2)).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    return np.exp(-gamma * ((X[:, None] - X) ** 2).sum(axis=-1))


def binomial_interval(failures, trials, confidence=0.95):
    """Clopper and Pearson's exact interval for a rate.

    >>> [round(end, 4) for end in binomial_interval(0, 200)]
    [0.0, 0.0183]
    """
    interval = binomtest(int(failures), int(trials)).proportion_ci(confidence)
    return float(interval.low), float(interval.high)


def largest_ratio(errors, bounds, delta):
    """Return the share of its bound that an error exceeds in at most a share `delta` of all draws.

    >>> largest_ratio([1.0, 2.0, 3.0, 8.0], 4.0, 0.25)
    0.75
    """
    errors = np.asarray(errors, dtype=float)
    # The root of a sum of kernel values that cancel is not zero but 1e-8, also where the bound is zero.
    shares = np.where(errors > _CANCELLED, errors / np.maximum(bounds, _CANCELLED), 0.0)
    return float(np.quantile(shares, 1.0 - delta, method="inverted_cdf"))


def failure_row(statement, setting, errors, bounds, expected=None, *, delta):
    """One row of the table of bounds.

    Parameters
    ----------
    statement, setting : str
    errors : array-like of shape (t,)
        What is bounded, a number a draw.
    bounds : float or array-like of shape (t,)
    expected : float, optional
        Mean of the squared errors, from a closed form; zero is nothing to compare with.
    delta : float in (0, 1)
        The bound's failure probability.

    Returns
    -------
    dict
        statement, setting, draws, failures, low, high (95 % interval of their rate), error, bound (means),
        ratio (as `largest_ratio`), squared (mean squared error over the expected one) and squared_stderr; the
        last two are NaN where nothing is expected.
    """
    errors = np.asarray(errors, dtype=float)
    draws = check_number(errors.size, "number of errors", low=1, integer=True)
    failures = int((errors > np.asarray(bounds) * _ROUNDING).sum())
    low, high = binomial_interval(failures, draws)
    squared = squared_stderr = float("nan")
    if expected:
        squared = np.mean(errors**2) / expected
        squared_stderr = np.std(errors**2, ddof=min(1, draws - 1)) / expected / np.sqrt(draws)
    return {
        "statement": statement,
        "setting": setting,
        "draws": draws,
        "failures": failures,
        "low": low,
        "high": high,
        "error": errors.mean(),
        "bound": np.mean(bounds),
        "ratio": largest_ratio(errors, bounds, delta),
        "squared": squared,
        "squared_stderr": squared_stderr,
    }


def mean_rows(populations, sizes, noise_rates, *, delta, n_draws, random_state=None):
    """Theorem 5 and Lemma 9: the mean of a sample, divided by ``1 - 2 noise``, against the true one.

    The squared error is expected to be ``(E K(x, x) / (1 - 2 noise)^2 - ||Phi(P)||^2) / n``. Labels are
    flipped by `flip_labels`, and the means of the first hundred samples are those that `KernelMeanClassifier`
    learns.

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
        Two for each setting: of all samples, and of those that were learned from.
    """
    rng, rows = np.random.default_rng(random_state), []
    for name, population in populations.items():
        K, y, p = population.gram, population.y, population.p
        for noise in noise_rates:
            for n in sizes:
                right, wrong = noisy_counts(population, n, noise, n_draws, rng)
                scale = n * (1.0 - 2.0 * noise)
                errors = np.sqrt(squared_lengths(K, (p - (right - wrong) / scale) * y))
                learned = [_learned(population, *each) for each in zip(right[:_LEARNED], wrong[:_LEARNED])]
                learned = np.linalg.norm(population.mean() - np.array(learned) / (1.0 - 2.0 * noise), axis=1)
                expected = p @ np.diag(K) / (1.0 - 2.0 * noise) ** 2 - (p * y) @ K @ (p * y)
                statement = "lemma-9" if noise else "theorem-5"
                setting = f"{name}, n = {n}" + (f", σ = {noise:g}" if noise else "")
                bound = theory.lemma_9(n, delta, noise)
                rows.append(failure_row(statement, setting, errors, bound, expected / n, delta=delta))
                rows.append(failure_row(statement, f"{setting}, learned", learned, bound, delta=delta))
    return rows


def uniform_rows(populations, sizes, noise_rates, *, delta, n_draws, random_state=None):
    """The risk bounds that hold for all of the unit ball at once, after Theorem 5 and Lemma 9.

    Parameters and return value as of `mean_rows`, with a row for each setting.
    """
    rng, rows = np.random.default_rng(random_state), []
    for name, population in populations.items():
        for noise in noise_rates:
            for n in sizes:
                right, wrong = noisy_counts(population, n, noise, n_draws, rng)
                excess = uniform_excess(population, right, wrong, noise)
                statement = ("lemma-9" if noise else "theorem-5") + ".uniform"
                setting = f"{name}, n = {n}" + (f", σ = {noise:g}" if noise else "")
                bound = theory.lemma_9(n, delta, noise)
                rows.append(failure_row(statement, setting, excess, bound, delta=delta))
    return rows


def uniform_excess(population, right, wrong, noise):
    """Most by which the linear risk of a member of the unit ball is above what a noisy sample says of it.

    The sample's word is the mean of the loss corrected for the noise, at the noisy labels. Both risks are
    affine in the member, so that the coordinates' unit vectors show where in the ball their difference is
    largest. It is taken there.

    Parameters
    ----------
    population : Population
    right, wrong : ndarrays of shape (t, k)
        Examples of each of t samples with the instance's own label, and with the other.
    noise : float in [0, 1/2)

    Returns
    -------
    ndarray of shape (t,)
    """
    features, y, p = population
    corrected = corrected_loss(losses.linear, noise)

    def excess(scores):
        true = (p * losses.linear(y, scores)).sum(axis=-1)
        said = right * corrected(y, scores) + wrong * corrected(-y, scores)
        return true - said.sum(axis=-1) / (right + wrong).sum(axis=-1)

    at_zero = excess(np.zeros(y.size))
    steepest = np.column_stack([excess(column) - at_zero for column in features.T])
    length = np.linalg.norm(steepest, axis=1, keepdims=True)
    return excess(np.divide(steepest, length, out=np.zeros_like(steepest), where=length > 0) @ features.T)


def noisy_counts(population, n, noise, n_draws, rng):
    """Draw samples of `n` examples with noisy labels: how often each instance has its label, and the other.

    Returns
    -------
    right, wrong : ndarrays of shape (n_draws, k)
    """
    k, found = population.p.size, []
    for start in range(0, n_draws, max(1, _EXAMPLES // n)):
        size = min(max(1, _EXAMPLES // n), n_draws - start)
        counts = rng.multinomial(n, population.p, size=size)
        which = np.repeat(np.tile(np.arange(k), size) + k * np.repeat(np.arange(size), k), counts.ravel())
        labels = population.y[which % k]
        flipped = flip_labels(labels, noise, random_state=rng) != labels
        wrong = np.bincount(which[flipped], minlength=k * size).reshape(size, k)
        found.append((counts - wrong, wrong))
    right, wrong = (np.concatenate(each) for each in zip(*found))
    return right, wrong


def _learned(population, right, wrong):
    features, y, _ = population
    both = np.vstack([features, features]), np.concatenate([y, -y])
    return learned_mean(*both, np.concatenate([right, wrong]))


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
    bound = theory.theorem_6(n, len(populations), delta)
    return failure_row("theorem-6", setting, np.max(gaps, axis=0), bound, delta=delta)


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
    dict, as `failure_row` makes it
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
    return failure_row("theorem-21", setting, errors, bound, total**2 * expected, delta=delta)


def tolerance_row(setting, X, weights, tol, *, gamma, delta, n_draws, random_state=None):
    """Algorithm 2: how often an approximation that was asked to be within `tol` is not.

    Returns
    -------
    dict, as `failure_row` makes it
    """
    rng, K, left = np.random.default_rng(random_state), gaussian_matrix(X, gamma), []
    for _ in range(n_draws):
        sparse = sparsify(
            X, weights, tol=tol, delta=delta, gamma=gamma, random_state=rng, method="farthest_first"
        )
        left.append(weights.copy())
        left[-1][sparse.support] -= sparse.weights
    errors = np.sqrt(squared_lengths(K, np.array(left)))
    return failure_row("algorithm-2", setting, errors, tol, delta=delta)


def worst_rows(rows):
    """The row of the largest ratio of each statement, indexed by it.

    >>> import pandas as pd
    >>> rows = [failure_row("a", name, [error], 2.0, delta=0.1) for name, error in [("x", 3.0), ("z", 1.0)]]
    >>> worst_rows(pd.DataFrame(rows)).loc["a", "setting"]
    'x'
    """
    order = rows.sort_values("ratio", ascending=False, kind="stable")
    return order.drop_duplicates("statement").set_index("statement")
