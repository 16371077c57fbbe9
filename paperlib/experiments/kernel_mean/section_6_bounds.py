"""The bounds that may fail with a probability, each on many samples: steps over `bound_failures`."""

import numpy as np
import pandas as pd
from sklearn.svm import SVC

from paperlib.experiments.kernel_mean import bound_failures, populations, tight_bounds
from paperlib.experiments.kernel_mean.expansions import on_board
from paperlib.experiments.kernel_mean.section_6_tradeoff import corollary_23_rows, four_pairs
from paperlib.experiments.random_streams import stream
from paperlib.experiments.steps import step

SIZES = (50, 500)
NOISE_RATES = (0.0, 0.2, 0.4)
CORNERS = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])


def worlds(seed):
    """Return the distributions of which samples are drawn, by name."""
    return {
        "twelve points": populations.random_population(12, stream(seed, "twelve points")),
        "coin": populations.coin(),
        "orthonormal": populations.orthonormal(50),
    }


@step
def bounds_of_means(delta, n_draws, *, seed):
    """Theorems 5 and 6 and Lemma 9, and the bounds on the risk of the whole unit ball that follow.

    Returns
    -------
    DataFrame with a row per setting, as `bound_failures.failure_row` makes them
    """
    asked = {"delta": delta, "n_draws": n_draws}
    of_world, rng = worlds(seed), stream(seed, "bounds of means")
    rows = bound_failures.mean_rows(of_world, SIZES, NOISE_RATES, **asked, random_state=rng)
    rng = stream(seed, "bounds of kernels")
    spots = rng.normal(size=(12, 2))
    features = [populations.gaussian_features(spots, gamma) for gamma in (0.1, 1.0, 10.0)]
    kernels = [of_world["twelve points"]._replace(features=each) for each in features]
    rows += [bound_failures.kernels_row(kernels, n, **asked, random_state=rng) for n in SIZES]
    spread = {name: of_world[name] for name in ("twelve points", "orthonormal")}
    rng = stream(seed, "bounds of the ball")
    rows += bound_failures.uniform_rows(spread, SIZES, NOISE_RATES, **asked, random_state=rng)
    return pd.DataFrame(rows)


@step
def bounds_of_sparse_means(board, m, delta, n_draws, *, seed):
    """Theorem 21, Algorithms 1 and 2, Section 5.3 and Corollary 23.

    Returns
    -------
    DataFrame with a row per setting, as `bound_failures.failure_row` makes them
    """
    X, weights, gamma = on_board(board, seed=seed)
    rng = stream(seed, "bounds of sparse means")
    svm = SVC(gamma=gamma).fit(X, np.sign(weights))
    asked = {"delta": delta, "n_draws": n_draws, "random_state": rng}
    rows = []
    for name, points, its_weights, parts in [
        ("checkerboard", X, weights, m),
        ("checkerboard", X, weights, 4 * m),
        ("SVM", svm.support_vectors_, svm.dual_coef_[0], m),
    ]:
        many = asked | {"gamma": gamma, "n_draws": 5 * n_draws}
        row = bound_failures.clustered_row(f"{name}, m = {parts}", points, its_weights, parts, **many)
        rows.append(row | ({"statement": "section-5.3"} if name == "SVM" else {}))
    for signed in (False, True):
        rows += tight_bounds.pairs_rows(signed=signed, **asked)
    setting = "checkerboard, within 0.1"
    rows.append(bound_failures.tolerance_row(setting, X, weights, 0.1, gamma=gamma, **asked))
    pairs, diameter = four_pairs()
    for name, points, width in (("four points", CORNERS, 0.0), ("four pairs", pairs, diameter)):
        y = np.ones(len(points))
        rows += corollary_23_rows(name, points, y, 20_000, 8, 0.3, width, gamma=1.0, **asked)
    return pd.DataFrame(rows)


@step
def exact_bounds():
    """Return the bounds beside the exact quantiles of coins, as `tight_bounds` has them."""
    return pd.concat([tight_bounds.coin_rows(), tight_bounds.uniform_coin_rows()], ignore_index=True)
