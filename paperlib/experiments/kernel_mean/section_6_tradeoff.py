"""A finite noisy sample, thinned: the three approximations of Section 6 at once (Corollary 23)."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from paperlib._common.kernels import bind_kernel
from paperlib._common.typing import Floats
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.bound_failures import failure_row, gaussian_matrix, squared_lengths
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.section_7_1_checkerboard import Board
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean._validation.parameters import check_noise
from paperlib.kernel_mean.noise import flip_labels
from paperlib.kernel_mean.sparse_expansion import SparseExpansion, sparsify


class Spent(NamedTuple):
    """A noisy sample of a population and its sparse mean, as weights (k,) on the population's points.

    Attributes
    ----------
    clean, noisy : ndarray of shape (k,)
        The mean of the sample with its own labels, and with the flipped ones.
    sparse : ndarray of shape (k,)
        What Algorithm 1 makes of the noisy one.
    kept : SparseExpansion
        The same, with either label of a point by itself.
    """

    clean: Floats
    noisy: Floats
    sparse: Any
    kept: SparseExpansion


def noisy_sample(y, n, noise, rng):
    """Draw `n` examples of k equally likely ones, and flip labels: counts of the right and the wrong ones."""
    counts = rng.multinomial(n, np.full(len(y), 1.0 / len(y)))
    wrong = rng.binomial(counts, check_noise(noise))
    return counts - wrong, wrong


def thinned(X, y, sample, m, *, gamma, rng):
    """Take the mean of a noisy sample, and thin it by Algorithm 1 to `m` parts.

    Parameters
    ----------
    X, y : ndarrays of shapes (k, d), (k,)
        The population's points.
    sample : (ndarray of shape (k,), ndarray of shape (k,))
        How often each was drawn with its own label, and with the other, as of `noisy_sample`.
    m : int >= 1
    gamma : float
    rng : numpy.random.Generator

    Returns
    -------
    Spent
    """
    right, wrong = sample
    k, n = len(X), right.sum() + wrong.sum()
    both, signs, counts = np.vstack([X, X]), np.concatenate([y, -y]), np.concatenate([right, wrong])
    drawn = np.flatnonzero(counts)
    weights = (signs * counts / n)[drawn]
    asked = {"gamma": gamma, "random_state": rng}
    kept = sparsify(both[drawn], weights, min(m, len(drawn)), method="farthest_first", **asked)
    sparse = np.bincount(drawn[kept.support] % k, weights=kept.weights, minlength=k)
    return Spent(y * (right + wrong) / n, y * (right - wrong) / n, sparse, kept)


def corollary_23_rows(setting, X, y, n, m, noise, diameter, *, gamma, delta, n_draws, random_state=None):
    """Corollary 23: a sparse mean of a noisy sample against the true mean, scaled and as printed.

    Parameters
    ----------
    setting : str
    X, y : ndarrays of shapes (k, d), (k,)
        The population, all equally likely.
    n, m, noise
        As in `noisy_sample` and `thinned`.
    diameter : float
        ``D*(S, m)``, or that of a known partition into `m` parts, which is not below it.
    gamma : float
    delta : float in (0, 1)
    n_draws : int >= 1
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    list of two dicts, as `failure_row` makes them
        Statements "corollary-23.corrected", divided by ``1 - 2 noise``, and "corollary-23".
    """
    rng, errors = np.random.default_rng(random_state), []
    K = bind_kernel("rbf", X, gamma)[0].matrix(X, X)
    for _ in range(n_draws):
        sparse = thinned(X, y, noisy_sample(y, n, noise, rng), m, gamma=gamma, rng=rng).sparse
        differences = y / len(X) - np.array([sparse / (1.0 - 2.0 * noise), sparse])
        errors.append(np.sqrt(squared_lengths(K, differences)))
    bound = theory.corollary_23(n, m, delta, noise, diameter)
    setting = f"{setting}, n = {n}, m = {m}, σ = {noise:g}"
    names = ("corollary-23.corrected", "corollary-23")
    rows = zip(names, np.transpose(errors))
    return [failure_row(name, setting, each, bound, delta=delta) for name, each in rows]


def four_pairs():
    """Four pairs of points, far apart, and under the Gaussian kernel of gamma 1 each of diameter 1.

    With noisy labels there are eight pairs of signed points, so that ``D*(S, 8)`` is 1: any fewer than eight
    parts, or other ones, put points together that are more than 1.4 apart.

    >>> X, diameter = four_pairs()
    >>> bool(np.isclose(2.0 - 2.0 * np.exp(-((X[0] - X[1]) ** 2).sum()), diameter**2))
    True
    """
    corners = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])
    return np.repeat(corners, 2, axis=0) + np.tile([[0.0, 0.0], [np.sqrt(np.log(2.0)), 0.0]], (4, 1)), 1.0


def errors_of(K, y, spent, noise):
    """Return what each approximation adds to the error, all of it, and the 0-1 risk.

    Returns
    -------
    dict of str to float
        statistical (of the clean sample), noise (of the flipped labels), sparsity (of the points left out),
        error (of all together, which is at most their sum), each after division by ``1 - 2 noise`` where
        labels are noisy; and zero_one (0-1 risk on the population).
    """
    scaled = [y / len(y), spent.clean, *(each / (1.0 - 2.0 * noise) for each in (spent.noisy, spent.sparse))]
    true, clean, noisy, sparse = scaled
    steps = np.array([true - clean, clean - noisy, noisy - sparse, true - sparse])
    found = dict(
        zip(("statistical", "noise", "sparsity", "error"), np.sqrt(squared_lengths(K, steps)).tolist())
    )
    return found | {"zero_one": float((y * (K @ sparse) <= 0).mean())}


@step
def tradeoff(board, n, parts, noise_rates, n_draws, *, seed):
    """Measure what is left of the margin for error after sample size, noise and sparsity.

    Parameters
    ----------
    board : Board
        The population.
    n : int >= 1
        Examples of a sample.
    parts : sequence of int >= 1
        Of the partition.
    noise_rates : sequence of float in [0, 1/2)
    n_draws : int >= 1
        Samples for each of these.
    seed : int

    Returns
    -------
    DataFrame with a row per number of parts, noise rate and draw: parts, sigma, draw, points (that are kept),
        margin (``Gamma(P, Phi(P))``: an error below it leaves the 0-1 risk as it is), the columns of
        `errors_of`, broken (whether the error is below the margin and the 0-1 risk is larger than that of
        ``Phi(P)``; Theorem 7 excludes it)
    """
    X, weights, gamma = on_board(board, seed=seed)
    K, y = gaussian_matrix(X, gamma), np.sign(weights)
    clean = K @ weights
    margin, least = theory.margin_for_error(y, clean), (y * clean <= 0).mean()
    rows: list[dict[str, Any]] = []
    for m in parts:
        for noise in noise_rates:
            rng = stream(seed, f"m = {m}, noise {noise:g}")
            for draw in range(n_draws):
                spent = thinned(X, y, noisy_sample(y, n, noise, rng), m, gamma=gamma, rng=rng)
                found = errors_of(K, y, spent, noise)
                row = {"parts": m, "sigma": noise, "draw": draw, "points": len(spent.kept.support)}
                broken = found["error"] < margin and found["zero_one"] > least
                rows.append(row | {"margin": margin} | found | {"broken": broken})
    return pd.DataFrame(rows)


class Budget(NamedTuple):
    """What the figure of Section 6 draws.

    Attributes
    ----------
    errors : DataFrame
        A row per number of parts: parts, points, margin, and the columns of `errors_of`.
    kept : DataFrame
        Points of the sparse mean with `chosen` parts: x1, x2, label, weight.
    scores : ndarray of shape (41 * 41,)
        Of that mean, on a grid over the board.
    """

    errors: pd.DataFrame
    kept: pd.DataFrame
    scores: Floats


@step
def budget(board, n, noise, parts, chosen, *, seed):
    """Spend the margin on one noisy sample of the checkerboard, thinned to each of `parts`.

    Returns
    -------
    Budget
    """
    X, weights, gamma = on_board(board, seed=seed)
    K, y = gaussian_matrix(X, gamma), np.sign(weights)
    margin = theory.margin_for_error(y, K @ weights)
    rng = stream(seed, f"budget of {n}, noise {noise:g}")
    sample, rows = noisy_sample(y, n, noise, rng), []
    for m in parts:
        spent = thinned(X, y, sample, m, gamma=gamma, rng=rng)
        row = {"parts": m, "points": len(spent.kept.support), "margin": margin}
        rows.append(row | errors_of(K, y, spent, noise))
        if m == chosen:
            drawn = spent.kept
    grid = np.stack(np.meshgrid(*[np.linspace(0, 4, 41)] * 2), axis=-1).reshape(-1, 2)
    columns = {"x1": drawn.points[:, 0], "x2": drawn.points[:, 1], "label": np.sign(drawn.weights)}
    kept = pd.DataFrame(columns | {"weight": np.abs(drawn.weights)})
    return Budget(pd.DataFrame(rows), kept, drawn.decision_function(grid).round(9))


@step
def worst_moves(board, *, seed):
    """Move the mean within its margin for error straight at each point, in the direction that hurts it most.

    Less than ``Gamma`` away from ``Phi(P)`` nothing is lost (Theorem 7). The move ``-0.999 Gamma y phi(x)``
    takes all that there is from the margin of x.

    Returns
    -------
    DataFrame with a row per point that the mean is moved at: point, lost (increase of the 0-1 risk)
    """
    X, weights, gamma = on_board(board, seed=seed)
    K, y = gaussian_matrix(X, gamma), np.sign(weights)
    clean = K @ weights
    margin = theory.margin_for_error(y, clean)
    moved = clean - 0.999 * min(margin, 1.0) * y[:, None] * K
    lost = (y * moved <= 0).mean(axis=1) - (y * clean <= 0).mean()
    return pd.DataFrame({"point": range(len(X)), "lost": lost})


@step
def widened_by_noise(board, m, noise, n_draws, *, seed):
    """How much noisy labels widen the best partition of ``y phi(x)`` into `m` parts, at the least.

    ``D*(S, m)`` itself is hard to find. The farthest point from `m` farthest-first centres makes ``m + 1``
    points, any two of which are at least its distance apart, and two of them share a part: with noise D* is
    not below that distance. Without noise it is not above the diameter of the parts of those centres.

    Returns
    -------
    DataFrame with a row per draw: draw, noisy, clean
        The lower bound with noise and the upper bound without, each from a checkerboard, a starting point and
        flips of its own.
    """
    check_number(n_draws, "n_draws", low=1, integer=True)
    board, rng, rows = Board(*board), stream(seed, "parts that noise widens"), []
    for draw in range(n_draws):
        X, y, _ = board.draw(rng)
        kernel, points = bind_kernel("rbf", X, board.gamma)
        first, flipped = int(rng.integers(len(X))), flip_labels(y, noise, random_state=rng)
        noisy, clean = (np.asarray(signs, dtype=float) for signs in (flipped, y))
        *_, radii = farthest_first(kernel, points, noisy, m, first)
        _, part, _ = farthest_first(kernel, points, clean, m, first)
        inner = (clean[:, None] * clean * kernel.matrix(points, points))[part[:, None] == part]
        rows.append((draw, radii[-1], np.sqrt(max(0.0, 2.0 - 2.0 * inner.min()))))
    return pd.DataFrame(rows, columns=["draw", "noisy", "clean"])
