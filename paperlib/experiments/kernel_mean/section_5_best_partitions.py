"""Section 5 on samples so small that the best partition can be found: ``D*(S, m)`` exactly."""

import numpy as np
import pandas as pd

from paperlib._common.kernels import Linear
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.bound_failures import gaussian_matrix, largest_ratio
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.populations import gaussian_features
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean import sparsify, theory
from paperlib.kernel_mean._sparsify.approximations import clustered_draws, herd, project
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first

_SIZE = 7  # points of a random sample
_TRIES = 50  # draws among which one within a bound on their mean is looked for
DRAWS = 60  # of Algorithm 1 on each sample


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


@step
def small_sample_ratios(n_samples, *, parts=(2, 3, 4), delta=0.05, seed):
    """Ratio of what is bounded to each bound of Section 5 on ``D*(S, m)``, on small samples.

    Half of the random ones are tight clusters, as many as there are parts, where every bound is small.

    Parameters
    ----------
    n_samples : int >= 1
        Random samples of seven signed points under a Gaussian kernel; those of `tight_samples` come on top.
    parts : sequence of int, each below 7
        Values of m, taken in turn.
    delta : float in (0, 1)
        Of the statements with a probability.
    seed : int

    Returns
    -------
    DataFrame with a row per sample: sample, m, and a column per statement
        What is bounded over its bound, above one where the statement fails:

        ``section-5.2.greedy``: diameter of the farthest-first partition, over ``2 D*``;
        ``algorithm-1.result``: error that 60 draws of Algorithm 1 on this sample exceed with probability
        delta, over its guarantee;
        ``section-5.5.1``: error of the best of 50 sub-samples of the best partition, over
        ``sqrt(2) D*(S, k/2) / sqrt(k)``;
        ``section-5.5.2``: herding's error over ``sqrt(V / k)``, the root mean squared error of k random
        draws, V being the variance of one; the largest over all k;
        ``section-5.5.3``: error of projecting on the centres, over ``(1 - m/n) D*``;
        ``section-6.signed``: 1 where ``D*(S, m)`` is above ``D*(+-S, m)``, else 0;
        ``section-6.immune``: change of ``D*(+-S, m)`` when labels are flipped, no ratio but a difference.
    """
    check_number(n_samples, "n_samples", low=1, integer=True)
    rng, tight = stream(seed, "small samples"), tight_samples().items()
    rows = [
        {"sample": name, "m": m} | _ratios(points, m, first, delta, rng) for name, (points, m, first) in tight
    ]
    for t in range(n_samples):
        m, spread = parts[t % len(parts)], (0.02, 1.0)[t // len(parts) % 2]
        X = 2.0 * rng.normal(size=(m, 2))[np.arange(_SIZE) % m] + spread * rng.normal(size=(_SIZE, 2))
        points = rng.choice([-1.0, 1.0], m)[np.arange(_SIZE) % m, None] * gaussian_features(X, 0.5)
        found = _ratios(points, m, int(rng.integers(_SIZE)), delta, rng)
        rows.append({"sample": ("tight", "wide")[t // len(parts) % 2], "m": m} | found)
    return pd.DataFrame(rows)


def tight_samples():
    """Return samples on which a bound is attained, by name: points, m, and the point to begin with.

    On the line 0, 1, 2, 3 the traversal from 1 makes a part twice as wide as the best. Among orthonormal
    points a single one is as far from the mean as a random draw is. A point that differs from one of m
    orthogonal centres at a right angle to all of them is as far from their span as from its centre.
    """
    line, crossed = np.arange(4.0)[:, None], np.vstack([np.eye(5)[:4], 0.5 * np.eye(5)[4] + np.eye(5)[0]])
    return {"line": (line, 2, 1), "orthonormal": (np.eye(_SIZE), 3, 0), "crossed": (crossed, 4, 0)}


def _ratios(points, m, first, delta, rng):
    kernel, n = Linear(), len(points)
    alpha, ones, distances = np.full(n, 1.0 / n), np.ones(n), _distances(points)
    centres, part, _ = farthest_first(kernel, points, ones, m, first)
    best_part, best = optimal_partition(distances, m)

    def error(weights):
        return np.linalg.norm((weights - alpha) @ points)

    greedy = max(distances[np.ix_(part == i, part == i)].max(initial=0.0) for i in range(len(centres)))
    drawn = [error(clustered_draws(alpha, part, m, rng)) for _ in range(DRAWS)]
    lucky = min(error(clustered_draws(alpha, best_part, m, rng)) for _ in range(_TRIES))
    variance = np.mean((points**2).sum(axis=1)) - ((alpha @ points) ** 2).sum()
    herded = [error(herd(kernel, points, ones, alpha, k)) / np.sqrt(variance / k) for k in range(1, n)]
    signed, flipped = (
        optimal_partition(_distances(np.vstack([each, -each])), m)[1]
        for each in (points, rng.choice([1.0, -1.0], n)[:, None] * points)
    )
    projected = np.zeros(n)
    projected[centres] = project(kernel, points, alpha, centres)
    return {
        "section-5.2.greedy": greedy / (2.0 * best),
        "algorithm-1.result": largest_ratio(drawn, theory.section_5_5_1(best, 2 * m, delta), delta),
        "section-5.5.1": lucky / (best / np.sqrt(m)),
        "section-5.5.2": max(herded),
        "section-5.5.3": error(projected) / theory.section_5_5_3(best, m, n),
        "section-6.signed": float(best > signed),
        "section-6.immune": abs(signed - flipped),
        "draws": DRAWS,
    }


def _distances(points):
    # Rounded, so that equal distances are equal whichever way they were computed.
    return np.linalg.norm(points[:, None] - points, axis=-1).round(12)


@step
def theorem_20_errors(n, n_weightings, *, seed):
    """Errors of approximations of n orthonormal points by k of them, and Theorem 20's bound.

    Parameters
    ----------
    n, n_weightings : int >= 1
    seed : int

    Returns
    -------
    DataFrame with a row for each k of 1..n: k, weightings, bound, plain, least
        `plain` is the error of the plain mean of k points that herding takes; `least` the least error among
        random weightings of k points.
    """
    rng, rows = stream(seed, "theorem 20"), []
    for k in range(1, n + 1):
        found = sparsify(
            np.eye(n), np.full(n, 1.0 / n), k, kernel="precomputed", method="herding", random_state=0
        )
        plain = np.zeros(n)
        plain[found.support] = found.weights
        weights = np.zeros((n_weightings, n))
        weights[:, :k] = rng.dirichlet(np.ones(k), size=n_weightings)
        errors = np.linalg.norm(weights - 1.0 / n, axis=1)
        bound, error = theory.theorem_20(k, n), np.linalg.norm(plain - 1.0 / n)
        rows.append((k, n_weightings, bound, error, errors.min()))
    return pd.DataFrame(rows, columns=["k", "weightings", "bound", "plain", "least"])


def printed_partition(points, m):
    """Return the part of each point as Algorithm 1 makes them where it is printed, ``while |S| <= m``.

    >>> printed_partition(np.arange(4.0)[:, None], 2).tolist()
    [0, 2, 1, 1]
    """
    centres, nearest = [0], [np.linalg.norm(points - points[0], axis=1)]
    while len(centres) <= m:
        centres.append(int(np.min(nearest, axis=0).argmax()))
        nearest.append(np.linalg.norm(points - points[centres[-1]], axis=1))
    return np.argmin(nearest, axis=0)


@step
def part_counts(board, m, *, seed):
    """Count the parts that Algorithm 1 makes of the checkerboard, as it is printed and as it is here.

    Returns
    -------
    DataFrame with a row per loop: loop, m, parts
    """
    X, weights, gamma = on_board(board, seed=seed)
    printed = len(np.unique(printed_partition(X, m)))
    ours = sparsify(X, weights, m, method="project", gamma=gamma, random_state=0).support
    rows = [("while |S| <= m", m, printed), ("while |S| < m", m, len(ours))]
    return pd.DataFrame(rows, columns=["loop", "m", "parts"])


class Names(dict):
    """What a pseudo-code has set; a name that it reads before gets what is meant, and is noted in `unset`.

    >>> names = Names({"m": 2}, meant={"k": 1})
    >>> names["m"] + names["k"], names.unset
    (3, ['k'])
    """

    def __init__(self, given, meant):
        super().__init__(given)
        self.meant, self.unset = meant, []

    def __missing__(self, name):
        self.unset.append(name)
        self[name] = self.meant[name]
        return self[name]


def algorithm_2(distances, names):
    """Run Algorithm 2 line by line as it is printed, from distances and its `Names`: the centres."""
    centres, nearest = [0], distances[0]
    while (
        2.0 * names["d"] * (1.0 / np.sqrt(names["k"]) + np.sqrt(np.log(1.0 / names["delta"]) / names["k"]))
        > names["epsilon"]
    ):
        farthest = int(nearest.argmax())
        names["d"] = nearest.max()
        names["k"] = names["k"] + 1
        centres.append(farthest)
        nearest = np.minimum(nearest, distances[farthest])
    return centres


@step
def pseudo_code(board, m, delta, *, seed):
    """Run Algorithm 2 on the checkerboard from the inputs that are printed, and from those that are meant.

    Returns
    -------
    DataFrame with a row per inputs: inputs, unset (names that are read before they are set), parts
    """
    X, weights, gamma = on_board(board, seed=seed)
    similar = np.outer(np.sign(weights), np.sign(weights)) * gaussian_matrix(X, gamma)
    distances = np.sqrt(2.0 - 2.0 * similar).round(9)  # ties are ties
    meant = {"d": np.inf, "k": 1, "epsilon": 0.5, "delta": delta}
    rows = []
    for inputs, given in (("printed", {"m": m, "delta": delta}), ("meant", meant)):
        names = Names(given, meant)
        centres = algorithm_2(distances, names)
        rows.append((inputs, len(names.unset), len(centres)))
    return pd.DataFrame(rows, columns=["inputs", "unset", "parts"])


@step
def largest_supports(m, n_draws, *, seed):
    """Count the points that Algorithm 1 keeps of samples that need the most.

    A cluster of a thousand points gives `m` of them, as it has nearly all weight, and each lone point one.
    With `m` parts there are ``m - 1`` lone points, ``2 m - 1`` kept in all; with the ``m + 1`` parts of the
    printed loop there are m, and ``ceil(alpha m)`` points from each part are ``2 m``.

    Returns
    -------
    DataFrame with a row per loop and draw: loop, draw, points, allowed (``2 m``)
    """
    rng, rows = stream(seed, "largest supports"), []
    for loop, lone in (("while |S| <= m", m), ("while |S| < m", m - 1)):
        points = np.concatenate([0.01 * rng.random(1000), 10.0 * np.arange(1.0, lone + 1)])[:, None]
        alpha = np.full(len(points), 1.0 / len(points))
        for draw in range(n_draws):
            if lone == m:
                drawn = clustered_draws(alpha, printed_partition(points, m), m, rng)
            else:
                sparse = sparsify(points, alpha, m, gamma=1.0, method="farthest_first", random_state=rng)
                drawn = sparse.weights
            rows.append((loop, draw, np.count_nonzero(drawn), 2 * m))
    return pd.DataFrame(rows, columns=["loop", "draw", "points", "allowed"])
