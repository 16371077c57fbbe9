"""The trials of Theorems 2 and 4 and of Corollary 1, and that a wrong bound would fail in them."""

import numpy as np

from paperlib.experiments.feature_deletion import losses, theorems_2_and_4


def test_theorem_2_is_above_its_loss_and_below_its_weaker_form():
    rows = theorems_2_and_4.theorem_2([50, 400], 2, random_state=0)
    assert (rows.loss <= rows.bound).all() and (rows.bound <= rows.weaker).all()
    assert (rows.risk < rows.loss).all()
    assert rows.groupby("m").bound.mean().is_monotonic_decreasing


def test_theorem_4_covers_hard_orders():
    rows = theorems_2_and_4.theorem_4(2, [40, 160], random_state=0)
    assert (rows.online <= rows.fixed + rows.allowed).all()
    assert rows.groupby("order").size().eq(4).all()
    # A bound a tenth as large would fail: the sequences do come near it.
    assert (rows.online > rows.fixed + 0.1 * rows.allowed).any()


def test_corollary_1_and_the_mean_loss():
    rows = theorems_2_and_4.corollary_1([60, 600], 2, random_state=0)
    assert (rows.excess > -1e-3).all() and (rows.excess <= rows.allowed).all()
    assert rows.groupby("m").excess.mean().is_monotonic_decreasing
    X, y = np.array([[0.5, 0.5]]), np.array([1.0])
    # margin V / P = 2; either feature may go: 2 - 1 + (1/2 - 1)_+ without weights on the other.
    assert np.isclose(losses.mean_loss(np.ones(2), 0.0, X, y, 1), 1.0)
    assert np.isclose(losses.mean_loss(np.array([3.0, 0.0]), 0.0, X, y, 1), 1.0)
