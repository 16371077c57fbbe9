"""Section 5 on samples so small that the best partition can be found: ``D*(S, m)`` exactly."""

import numpy as np
import pandas as pd

from paperlib._common.kernels import Linear
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.populations import random_population
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.approximations import clustered_draws, herd, project
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first

_TRIES = 50  # draws among which one within a bound on their mean is looked for


def optimal_partition(distances, m):
    """Partition points into at most `m` parts of the least possible diameter; exponential time.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
    m : int >= 1

    Returns
    -------
    part : ndarray of shape (n,)
    diameter : float
        ``D*(S, m)``.

    Examples
    --------
    >>> x = np.array([0.0, 3.0, 0.5])
    >>> optimal_partition(np.abs(x[:, None] - x), 2)
    (array([0, 1, 0]), 0.5)
    """
    m, n = check_number(m, "m", low=1, integer=True), len(distances)
    levels = np.unique(np.concatenate([[0.0], distances[np.triu_indices(n, 1)]]))
    low, high, best = 0, len(levels) - 1, np.zeros(n, dtype=int)
    while low < high:
        middle = (low + high) // 2
        part = _colour(distances > levels[middle], m)
        if part is None:
            low = middle + 1
        else:
            high, best = middle, part
    if low == 0 and len(levels) > 1:
        best = _colour(distances > 0.0, m)
    return best, float(levels[low])


def _colour(apart, m):
    """Colour a graph with `m` colours so that no edge joins equal ones, or None if there is no way."""
    n, colours = len(apart), np.full(len(apart), -1)

    def place(i, used):
        if i == n:
            return True
        for colour in range(min(used + 1, m)):
            if not (apart[i, :i] & (colours[:i] == colour)).any():
                colours[i] = colour
                if place(i + 1, max(used, colour + 1)):
                    return True
        colours[i] = -1
        return False

    return colours if place(0, 0) else None


def small_sample_excesses(n_samples, *, n=7, parts=(2, 3, 4), delta=0.05, random_state=None):
    """Excess over each bound of Section 5 on ``D*(S, m)``, on random samples of `n` points.

    Parameters
    ----------
    n_samples : int >= 1
    n : int >= 2
        Points in a sample, signed, under a Gaussian kernel.
    parts : sequence of int, each below `n`
        Values of m, taken in turn.
    delta : float in (0, 1)
        Of the statements with a probability.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame with a row per sample and a column per statement
        What is bounded less its bound, positive where the statement fails:

        ``section-5.2.greedy``: diameter of the farthest-first partition, less ``2 D*``;
        ``algorithm-1.result``: error of Algorithm 1, less its guarantee (it may fail with probability delta);
        ``section-5.5.1``: error of the best of 50 sub-samples of the best partition, less
        ``sqrt(2) D*(S, k/2) / sqrt(k)``;
        ``section-5.5.2``: largest excess, over all k, of herding's error over ``sqrt(V / k)``, the root mean
        squared error of k random draws, V being the variance of one;
        ``section-5.5.3``: error of projecting on the centres, less ``(1 - m/n) D*``;
        ``section-6.signed``: ``D*(S, m) - D*(+-S, m)``;
        ``section-6.immune``: change of ``D*(+-S, m)`` when labels are flipped.
    """
    check_number(n_samples, "n_samples", low=1, integer=True)
    rng, rows, kernel = np.random.default_rng(random_state), [], Linear()
    for t in range(n_samples):
        m = parts[t % len(parts)]
        population = random_population(n, rng, gamma=rng.choice([0.1, 0.5, 2.0]))
        points, alpha, ones = population.y[:, None] * population.features, np.full(n, 1.0 / n), np.ones(n)
        distances = _distances(points)
        centres, part, _ = farthest_first(kernel, points, ones, m, int(rng.integers(n)))
        best_part, best = optimal_partition(distances, m)

        def error(weights, points=points, alpha=alpha):
            return np.linalg.norm((weights - alpha) @ points)

        greedy = max(distances[np.ix_(part == i, part == i)].max() for i in range(len(centres)))
        drawn = error(clustered_draws(alpha, part, m, rng))
        lucky = min(error(clustered_draws(alpha, best_part, m, rng)) for _ in range(_TRIES))
        variance = np.mean((points**2).sum(axis=1)) - ((alpha @ points) ** 2).sum()
        herded = [error(herd(kernel, points, ones, alpha, k)) - np.sqrt(variance / k) for k in range(1, n)]
        signed, flipped = (
            optimal_partition(_distances(np.vstack([each, -each])), m)[1]
            for each in (points, rng.choice([1.0, -1.0], n)[:, None] * points)
        )
        projected = np.zeros(n)
        projected[centres] = project(kernel, points, alpha, centres)
        rows.append(
            {
                "section-5.2.greedy": greedy - 2 * best,
                "algorithm-1.result": drawn - theory.section_5_5_1(best, 2 * m, delta),
                "section-5.5.1": lucky - best / np.sqrt(m),
                "section-5.5.2": max(herded),
                "section-5.5.3": error(projected) - theory.section_5_5_3(best, m, n),
                "section-6.signed": best - signed,
                "section-6.immune": abs(signed - flipped),
            }
        )
    return pd.DataFrame(rows)


def _distances(points):
    # Rounded, so that equal distances are equal whichever way they were computed.
    return np.linalg.norm(points[:, None] - points, axis=-1).round(12)


def theorem_20_gaps(n, rng):
    """Distance of the best plain mean of k of n orthonormal points from Theorem 20's bound, and of others.

    Parameters
    ----------
    n : int >= 1
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame with a row for each k of 1..n: k, bound, plain, least
        `plain` is the error of the plain mean of k points, which are alike; `least` the least error among
        1,000 random weightings of them.
    """
    rows = []
    for k in range(1, n + 1):
        weights = np.zeros((1001, n))
        weights[:, :k] = rng.dirichlet(np.ones(k), size=1001)
        weights[0, :k] = 1.0 / k
        errors = np.linalg.norm(weights - 1.0 / n, axis=1)
        rows.append((k, theory.theorem_20(k, n), errors[0], errors[1:].min()))
    return pd.DataFrame(rows, columns=["k", "bound", "plain", "least"])
