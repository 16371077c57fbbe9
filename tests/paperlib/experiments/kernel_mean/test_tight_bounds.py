"""Bounds where they bite: exact quantiles, and pairs of points whose partition is known."""

import numpy as np
import pytest
from scipy.stats import binom

from paperlib.experiments.kernel_mean import tight_bounds
from paperlib.kernel_mean import sparsify, theory


@pytest.mark.parametrize("n, delta", [(10, 0.3), (101, 0.05), (10_000, 1e-12)])
def test_coin_quantiles_are_the_least_that_will_do(n, delta):
    heads = round(n * (1 + tight_bounds.coin_quantile(n, delta)) / 2)
    assert 2 * binom.sf(heads, n, 0.5) <= delta < 2 * binom.sf(heads - 1, n, 0.5)


@pytest.mark.parametrize("n, delta", [(3, 0.3), (4, 0.05), (2, 0.5), (6, 1e-4)])
def test_quantiles_in_three_dimensions_against_all_outcomes(n, delta):
    sums = np.arange(-n, n + 1, 2)
    a, b, c = np.meshgrid(sums, sums, sums)
    lengths = np.sqrt((a**2 + b**2 + c**2) / 3.0).ravel() / n
    chances = np.prod([binom.pmf((each + n) // 2, n, 0.5) for each in (a, b, c)], axis=0).ravel()
    found = tight_bounds.signs_quantile(n, delta)
    assert chances[lengths > found + 1e-9].sum() <= delta + 1e-12
    assert chances[lengths > found - 1e-9].sum() > delta


def test_signs_in_space_are_worse_than_a_coin_for_large_delta_only():
    rows = tight_bounds.coin_rows()
    ratio = rows[rows.statement == "theorem-5"].pivot(index="delta", columns="dimensions", values="ratio")
    assert (ratio[3] > ratio[1]).to_dict() == {delta: delta == 0.3 for delta in tight_bounds.DELTAS}
    assert np.isclose(ratio.loc[0.3, 3], 0.311, atol=5e-4)  # the root of a chi-square over the bound


def test_coins_keep_every_bound_and_would_break_half_of_it():
    ratios = tight_bounds.coin_rows().groupby("statement").ratio.max()
    doubled = ["algorithm-1.result", "algorithm-2"]  # which allow for a partition twice as wide as the best
    assert (ratios < 1).all() and (ratios.drop(doubled) > 0.5).all()
    assert (
        np.allclose(ratios[doubled], ratios["theorem-21"] / 2)
        and ratios["section-5.3"] == ratios["theorem-21"]
    )
    assert set(ratios.index) == {
        "theorem-24", "theorem-5", "theorem-6", "lemma-9", "theorem-21", "corollary-23.corrected",
        "section-5.3", *doubled
    }  # fmt: skip


@pytest.mark.parametrize("by_tolerance", [False, True])
def test_equal_pairs_are_coins_to_the_algorithms(by_tolerance):
    """What the exact rows suppose: the pairs are the parts, and the error is half of D times a coin's."""
    m, apart = 12, 0.2
    X = np.repeat(np.column_stack([np.zeros(m), 3.0 * np.eye(m)]), 2, axis=0)
    X[1::2, 0] = apart
    weights, squares = np.full(2 * m, 1 / (2 * m)), []
    asked = {"tol": 1.001 * theory.section_5_5_1(apart, 2 * m, 0.05)} if by_tolerance else {"m": m}
    for seed in range(300):
        sparse = sparsify(X, weights, kernel="linear", method="farthest_first", random_state=seed, **asked)
        assert len(sparse.support) == m and len(set((sparse.support // 2).tolist())) == m
        off = sparse.weights @ X[sparse.support] - weights @ X
        signs = 2 * (sparse.support % 2) - 1
        assert np.isclose(np.linalg.norm(off), apart / 2 * abs(signs.mean()))
        squares.append(signs.mean() ** 2)
    assert abs(np.mean(squares) * m - 1) < 5 * np.std(squares) * m / np.sqrt(300)


def test_the_number_of_kernels_matters(monkeypatch):
    monkeypatch.setattr(theory, "theorem_6", lambda n, k, delta: theory.theorem_5(n, delta))
    rows = tight_bounds.coin_rows()
    assert rows.ratio[rows.statement == "theorem-6"].max() > 1


def test_the_worst_member_of_the_ball_is_off_by_the_error_of_the_coin():
    rows = tight_bounds.uniform_coin_rows(400)
    assert set(rows.statement) == {"theorem-5.uniform", "lemma-9.uniform"}
    for row in rows.itertuples():
        assert np.isclose(row.quantile, tight_bounds.coin_quantile(400, row.delta) / (1 - 2 * row.noise))
        assert 0 < row.ratio < 1


@pytest.mark.parametrize("signed", [False, True])
def test_pairs_are_the_best_partition(signed):
    X, weights = tight_bounds.pairs(6, np.random.default_rng(0), signed=signed)
    distances = np.linalg.norm(
        np.sign(weights)[:, None] * X - (np.sign(weights)[:, None] * X)[:, None], axis=-1
    )
    assert np.allclose(distances[::2, 1::2].diagonal(), 0.2)
    assert (np.sort(distances, axis=1)[:, 2] > 4).all()
    assert np.isclose(np.abs(weights).sum(), 3.0 if signed else 1.0)
    rows = tight_bounds.pairs_rows(20, signed=signed, delta=0.05, n_draws=50, random_state=0)
    assert all(0 < row["ratio"] < 1 and row["failures"] == 0 for row in rows)
    names = [row["statement"] for row in rows]
    assert names == (["section-5.3"] if signed else ["theorem-21", "algorithm-1.result"])
    if not signed:
        assert np.isclose(rows[0]["ratio"], 2 * rows[1]["ratio"])
