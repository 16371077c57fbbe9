"""The trials of lemmas and theorems: what they compute, and that a wrong statement would fail in them."""

import numpy as np
import pytest
from scipy.stats import binom

from paperlib.feature_deletion import statements


def test_equation_3_by_hand():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    # Without deletions 1 - w_1; with one feature deleted the margin asked of it alone is gamma.
    assert np.isclose(statements.equation_3(X, y, 0), 0.0)
    assert np.isclose(statements.equation_3(X, y, 0, C=0.5), 0.5)
    assert np.isclose(statements.equation_3(X, y, 1), 1.0)


def test_half_a_feature_makes_the_two_programmes_differ():
    by_3, by_4 = statements.half_a_feature()
    assert np.isclose(by_3, 1 / 3) and np.isclose(by_4, 1 / 2)


def test_lemma_1_has_cases_in_which_the_relaxation_is_loose():
    cases = statements.lemma_1(60, 0)
    loose = cases.least - cases.relaxed
    assert (loose > -1e-9).all() and (loose[cases.whole] < 1e-9).all()
    assert (loose[~cases.whole] > 1e-3).any() and (cases.between == 1).any()
    assert cases.equals(statements.lemma_1(60, 0))


def test_theorem_1_has_cases_in_which_the_programmes_differ():
    rows = statements.theorem_1(12, 0)
    assert (rows.difference > -1e-6).all() and (rows.difference < rows.allowed + 1e-6).all()
    largest = rows.groupby("kind").difference.max()
    assert largest["0 or 1, N whole"] < 1e-6 < 1e-3 < largest["0 or 1, any N"]


def test_theorem_2_is_above_its_loss_and_below_its_weaker_form():
    rows = statements.theorem_2([50, 400], 2, random_state=0)
    assert (rows.loss <= rows.bound).all() and (rows.bound <= rows.weaker).all()
    assert (rows.risk < rows.loss).all()
    assert rows.groupby("m").bound.mean().is_monotonic_decreasing


@pytest.mark.parametrize("n_deleted", [10, 100])
def test_the_rates_of_theorem_3_are_those_of_coins(n_deleted):
    rows = statements.theorem_3([n_deleted], 0.05, 40_000, random_state=0).set_index("constant")
    assert (rows.loss == 0).all()
    for row in rows.itertuples():
        heads = (n_deleted - row.gamma * (1 + 1e-6)) / 2
        assert abs(row.rate - binom.cdf(np.floor(heads), n_deleted, 0.5)) < 4 * max(row.stderr, 1e-3)
    assert rows.rate["printed"] > 0.05 > rows.rate["corrected"]


def test_theorem_4_covers_hard_orders():
    rows = statements.theorem_4(2, [40, 160], random_state=0)
    assert (rows.online <= rows.fixed + rows.allowed).all()
    assert rows.groupby("order").size().eq(4).all()
    # A bound a tenth as large would fail: the sequences do come near it.
    assert (rows.online > rows.fixed + 0.1 * rows.allowed).any()


def test_corollary_1_and_the_mean_loss():
    rows = statements.corollary_1([60, 600], 2, random_state=0)
    assert (rows.excess > -1e-3).all() and (rows.excess <= rows.allowed).all()
    assert rows.groupby("m").excess.mean().is_monotonic_decreasing
    X, y = np.array([[0.5, 0.5]]), np.array([1.0])
    # gamma V / P = 2; either feature may go: 2 - 1 + (1/2 - 1)_+ without weights on the other.
    assert np.isclose(statements.mean_loss(np.ones(2), 0.0, X, y, 1), 1.0)
    assert np.isclose(statements.mean_loss(np.array([3.0, 0.0]), 0.0, X, y, 1), 1.0)


def test_corruption_comes_to_deletion_as_features_grow():
    rows = statements.corruption_limit([10, 1000], 0.5, 4000, random_state=0)
    assert rows.changed.iloc[0] > 3 * rows.changed.iloc[1] > 0
    # Quality is uniform: deletion of half of the features costs those below one half.
    assert abs(rows.deletion.iloc[1] - 0.5) < 0.03
