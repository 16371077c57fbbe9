"""A finite noisy sample, thinned: the three approximations of Section 6 at once (Corollary 23)."""

from typing import Any

import numpy as np
import pandas as pd

from paperlib._common.kernels import bind_kernel
from paperlib._common.validation import check_number
from paperlib.experiments.kernel_mean.bound_failures import failure_row, gaussian_matrix, squared_lengths
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.experiments.kernel_mean.section_7_1_checkerboard import gamma_of
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step
from paperlib.kernel_mean import theory
from paperlib.kernel_mean._sparsify.farthest_first import farthest_first
from paperlib.kernel_mean._validation.parameters import check_noise
from paperlib.kernel_mean.noise import flip_labels
from paperlib.kernel_mean.sparse_expansion import sparsify


def noisy_sparse_means(X, y, n, m, noise, *, gamma, n_draws, rng):
    """Draw `n` examples with noisy labels, take their mean, thin it by Algorithm 1; again and again.

    Parameters
    ----------
    X, y : ndarrays of shapes (k, d), (k,)
        The population, all equally likely.
    n, m : int >= 1
        Draws from it, and parts of the partition.
    noise : float in [0, 1/2)
    gamma : float
    n_draws : int >= 1
    rng : numpy.random.Generator

    Yields
    ------
    kept : ndarray of shape (k,)
        Weights of the sparse mean on the population's points.
    points : int
        How many signed points it keeps.
    """
    k, noise = len(X), check_noise(noise)
    both, signs = np.vstack([X, X]), np.concatenate([y, -y])
    probabilities = np.repeat([(1.0 - noise) / k, noise / k], k)
    for counts in rng.multinomial(n, probabilities / probabilities.sum(), size=n_draws):
        drawn = np.flatnonzero(counts)
        weights = (signs * counts / n)[drawn]
        sparse = sparsify(
            both[drawn], weights, min(m, len(drawn)), gamma=gamma, random_state=rng, method="farthest_first"
        )
        kept = np.bincount(drawn[sparse.support] % k, weights=sparse.weights, minlength=k)
        yield kept, len(sparse.support)


def corollary_23_rows(setting, X, y, n, m, noise, diameter, *, gamma, delta, n_draws, random_state=None):
    """Corollary 23: a sparse mean of a noisy sample against the true mean, scaled and as printed.

    Parameters
    ----------
    setting : str
    X, y, n, m, noise, gamma, n_draws
        As in `noisy_sparse_means`.
    diameter : float
        ``D*(S, m)``, or that of a known partition into `m` parts, which is not below it.
    delta : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    list of two dicts, as `failure_row` makes them
        Statements "corollary-23.corrected", divided by ``1 - 2 noise``, and "corollary-23".
    """
    rng, errors = np.random.default_rng(random_state), []
    K = bind_kernel("rbf", X, gamma)[0].matrix(X, X)
    options = {"gamma": gamma, "n_draws": n_draws, "rng": rng}
    for kept, _ in noisy_sparse_means(X, y, n, m, noise, **options):
        differences = y / len(X) - np.array([kept / (1.0 - 2.0 * noise), kept])
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


@step
def tradeoff(board, n, parts, noise_rates, n_draws, *, seed):
    """Measure what is left of the margin for error after sample size, noise and sparsity.

    Parameters
    ----------
    board : (int, float)
        As for `expansions.on_board`: the population.
    n, n_draws
        As in `noisy_sparse_means`.
    parts : sequence of int >= 1
    noise_rates : sequence of float in [0, 1/2)
    seed : int

    Returns
    -------
    DataFrame with a row per number of parts, noise rate and draw: parts, noise, draw, points (that are kept),
        margin (``Gamma(P, Phi(P))``: an error below it leaves the 0-1 risk as it is), error
        (``||Phi(P) - w / (1 - 2 noise)||``), zero_one (0-1 risk on the population), broken (whether the error
        is below the margin and the 0-1 risk is larger than that of ``Phi(P)``; Theorem 7 excludes it)
    """
    X, weights, gamma = on_board(board, seed=seed)
    K, y = gaussian_matrix(X, gamma), np.sign(weights)
    clean = K @ weights
    margin, least = theory.margin_for_error(y, clean), (y * clean <= 0).mean()
    rows: list[tuple[Any, ...]] = []
    for m in parts:
        for noise in noise_rates:
            options = {"gamma": gamma, "n_draws": n_draws, "rng": stream(seed, f"m = {m}, noise {noise:g}")}
            for draw, (kept, points) in enumerate(noisy_sparse_means(X, y, n, m, noise, **options)):
                error = np.sqrt(squared_lengths(K, (weights - kept / (1.0 - 2.0 * noise))[None])).item()
                risk = (y * (kept @ K) <= 0).mean()
                rows.append((m, noise, draw, points, margin, error, risk, error < margin and risk > least))
    columns = ["parts", "noise", "draw", "points", "margin", "error", "zero_one", "broken"]
    return pd.DataFrame(rows, columns=columns)


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
    (n, kappa), rng, rows = board, stream(seed, "parts that noise widens"), []
    for draw in range(n_draws):
        X, y, _ = checkerboard(n, random_state=rng)
        kernel, points = bind_kernel("rbf", X, gamma_of(kappa))
        first, flipped = int(rng.integers(len(X))), flip_labels(y, noise, random_state=rng)
        noisy, clean = (np.asarray(signs, dtype=float) for signs in (flipped, y))
        *_, radii = farthest_first(kernel, points, noisy, m, first)
        _, part, _ = farthest_first(kernel, points, clean, m, first)
        inner = (clean[:, None] * clean * kernel.matrix(points, points))[part[:, None] == part]
        rows.append((draw, radii[-1], np.sqrt(max(0.0, 2.0 - 2.0 * inner.min()))))
    return pd.DataFrame(rows, columns=["draw", "noisy", "clean"])
