"""Samples on which the bounds that hold with a probability bite: fair coins, whose errors are known exactly.

On most data the bounds of the paper are far above what they bound, and half of each would hold as well. For
small delta the mean of n fair signs is the worst that we know, and its distribution is binomial. So the error
that is exceeded with probability delta can be held against the bound, to the last digit, for a delta as small
as 1e-12. At 0.3 signs in three dimensions are a little worse.
"""

import numpy as np
import pandas as pd
from scipy.stats import binom

from paperlib.experiments.kernel_mean import populations, theory_mean
from paperlib.experiments.kernel_mean.bound_failures import failure_row, uniform_excess
from paperlib.kernel_mean import sparsify, theory

COLUMNS = ["statement", "delta", "kernels", "dimensions", "noise", "quantile", "bound", "ratio"]
DELTAS = (0.3, 0.05, 1e-3, 1e-6, 1e-12)
_LEAST = 1e-13  # quantiles of the binomial distribution are exact down to here
_APART = 0.2  # the two points of a pair


def coin_quantile(n, delta):
    """Return the least t that ``|mean of n fair signs|`` exceeds with probability `delta` at most.

    >>> coin_quantile(2, 0.5), coin_quantile(2, 0.49)
    (0.0, 1.0)
    """
    return float(2.0 * binom.isf(delta / 2.0, n, 0.5) / n - 1.0)


def signs_quantile(n, delta):
    """Return the least t that ``||mean of n vectors||`` exceeds with probability `delta` at most.

    Each vector is three fair signs over the root of three. Sums that are rarer than 1e-18 are left out.

    >>> signs_quantile(1, 0.5)
    1.0
    """
    sums = np.arange(-n, n + 1, 2)
    chances = binom.pmf((sums + n) // 2, n, 0.5)
    sums, chances = sums[chances > 1e-18], chances[chances > 1e-18]
    two, of_two = np.add.outer(sums**2, sums**2).ravel(), np.multiply.outer(chances, chances).ravel()
    order = np.argsort(two)
    beyond = np.append(np.cumsum(of_two[order][::-1])[::-1], 0.0)
    squares, low, high = two[order], -1, int(3 * (sums**2).max())
    while high - low > 1:  # the chance of more than `high` is at most delta
        middle = (low + high) // 2
        more = chances @ beyond[np.searchsorted(squares, middle - sums**2, side="right")]
        low, high = (low, middle) if more <= delta * (1.0 + 1e-9) else (middle, high)
    return float(np.sqrt(high / 3.0) / n)


def coin_rows(n=10_000, n_kernels=(1, 1000, 10**9), noise_rates=(0.2, 0.4)):
    """Hold the exact quantiles of a coin's error against the bounds.

    Theorem 24
        The mean of `n` signs is zero on average, and one sign moves it by ``2 / n`` at most.
    Theorem 5
        One instance with a random label: its mean is zero, and a sample's is the mean of `n` signs. In three
        dimensions four instances, at the corners of a cube, of which none is opposite to another.
    Theorem 6
        Each kernel sees a coin of its own, so that the largest error of k is that of one coin at another
        delta.
    Lemma 9
        With its label flipped a coin is a coin, and the error is divided by ``1 - 2 noise``. So it is in
        three dimensions.
    Corollary 23
        Two parts, one for each label, hold the same point many times: nothing is lost by thinning.
    Theorem 21, Section 5.3
        Pairs of points, a distance D apart, all in one direction, with a part for each of `n` pairs: the
        error is D/2 times the mean of `n` signs. A total weight multiplies both sides.
    Algorithms 1 and 2
        The same pairs. They are the best partition, so that what Algorithm 1 promises is twice as much.
        Algorithm 2 stops at them when it is asked for that.

    Returns
    -------
    DataFrame with a row per statement and setting: statement, delta, kernels, dimensions, noise, quantile,
        bound, ratio
    """
    rows = []

    def add(statement, delta, quantile, bound, kernels=1, dimensions=1, noise=0.0):
        rows.append((statement, delta, kernels, dimensions, noise, quantile, bound, quantile / bound))

    for delta in DELTAS:
        one_sided = float(2.0 * binom.isf(delta, n, 0.5) / n - 1.0)
        add("theorem-24", delta, one_sided, theory_mean.theorem_24(np.full(n, 2.0 / n), delta))
        error = coin_quantile(n, delta)
        in_space = signs_quantile(n, delta)
        for dimensions, each in ((1, error), (3, in_space)):
            add("theorem-5", delta, each, theory.theorem_5(n, delta), dimensions=dimensions)
        for statement in ("theorem-21", "section-5.3"):
            add(statement, delta, error / 2.0, theory.theorem_21(1.0, n, delta))
        for statement in ("algorithm-1.result", "algorithm-2"):
            add(statement, delta, error / 2.0, theory.section_5_5_1(1.0, 2 * n, delta))
        for k in n_kernels:
            of_each = -np.expm1(np.log1p(-delta) / k)
            if of_each > _LEAST:
                add("theorem-6", delta, coin_quantile(n, of_each), theory.theorem_6(n, k, delta), kernels=k)
        for noise in noise_rates:
            scaled = error / (1.0 - 2.0 * noise)
            for dimensions, each in ((1, error), (3, in_space)):
                asked = {"dimensions": dimensions, "noise": noise}
                add("lemma-9", delta, each / (1.0 - 2.0 * noise), theory.lemma_9(n, delta, noise), **asked)
            bound = theory.corollary_23(n, 2, delta, noise, 0.0)
            add("corollary-23.corrected", delta, scaled, bound, noise=noise)
    return pd.DataFrame(rows, columns=COLUMNS)


def uniform_coin_rows(n=10_000, noise_rates=(0.0, 0.2, 0.4)):
    """Hold the bounds for the whole unit ball against their exact quantiles for a coin.

    `uniform_excess` is computed for each number of heads, whose probability is binomial. A flipped label of a
    coin is a coin's.

    Returns
    -------
    DataFrame, as `coin_rows` makes it
    """
    heads, rows = np.arange(n + 1), []
    chances = binom.pmf(heads, n, 0.5)
    samples = np.column_stack([heads, n - heads])
    for noise in noise_rates:
        excess = uniform_excess(populations.coin(), samples, np.zeros_like(samples), noise)
        order = np.argsort(-excess, kind="stable")
        beyond = np.cumsum(chances[order])  # of this or a larger excess
        for delta in DELTAS:
            quantile = float(excess[order[np.searchsorted(beyond, delta, side="right")]])
            bound = theory.lemma_9(n, delta, noise)
            statement = ("lemma-9" if noise else "theorem-5") + ".uniform"
            rows.append((statement, delta, 1, 1, noise, quantile, bound, quantile / bound))
    return pd.DataFrame(rows, columns=COLUMNS)


def pairs(m, rng, *, signed):
    """Draw the weights of `m` pairs of points, each pair far from all others.

    The two points of a pair are 0.2 apart, in the same direction for all pairs, and the second has 19 times
    the weight of the first. Pairs have different weights, and where `signed` different signs and a total of
    3.

    Returns
    -------
    X : ndarray of shape (2 m, m + 1)
    weights : ndarray of shape (2 m,)
    """
    X = np.repeat(np.column_stack([np.zeros(m), 3.0 * np.eye(m)]), 2, axis=0)
    X[1::2, 0] = _APART
    alpha = np.repeat(rng.uniform(0.5, 1.5, m), 2) * np.tile([0.05, 0.95], m)
    total, signs = (3.0, np.repeat(rng.choice([-1.0, 1.0], m), 2)) if signed else (1.0, np.ones(2 * m))
    return X, total * signs * alpha / alpha.sum()


def pairs_rows(m=100, *, signed, delta, n_draws, random_state=None):
    """Theorem 21 through `sparsify` where the best partition is known: a part for each of `m` pairs.

    Returns
    -------
    list of dict, as `failure_row` makes them
        Of Section 5.3 where the weights are `signed`, else of Theorem 21 and Algorithm 1, which promises
        twice as much.
    """
    rng = np.random.default_rng(random_state)
    X, weights = pairs(m, rng, signed=signed)
    errors = []
    for _ in range(n_draws):
        sparse = sparsify(X, weights, m, kernel="linear", random_state=rng, method="farthest_first")
        left = weights.copy()
        left[sparse.support] -= sparse.weights
        errors.append(np.linalg.norm(left @ X))
    bounds = {"section-5.3": 3.0 * theory.theorem_21(_APART, m, delta)}
    if not signed:
        promised = theory.section_5_5_1(_APART, 2 * m, delta)
        bounds = {"theorem-21": theory.theorem_21(_APART, m, delta), "algorithm-1.result": promised}
    return [failure_row(name, f"{m} pairs", errors, bound, delta=delta) for name, bound in bounds.items()]
