"""The trials of Theorems 2 and 4 and of Corollary 1, and that a wrong bound would fail in them."""

import numpy as np

from paperlib.experiments.feature_deletion import theorems_2_and_4
from paperlib.experiments.feature_deletion.samples import redundant_sample
from paperlib.feature_deletion import FeatureDeletionPerceptron, theory


def test_theorem_2_is_above_its_risk_where_the_loss_alone_is_not():
    rows = theorems_2_and_4.theorem_2([50, 400], 4, seed=0)
    assert (rows.loss <= rows.bound).all() and (rows.bound <= rows.weaker).all()
    assert (rows.risk < rows.bound).all()
    redundant = rows[rows["sample"] == "redundant"]
    assert len(redundant) == 16 and redundant.groupby("m").bound.mean().is_monotonic_decreasing
    thin = redundant[redundant.margin == theorems_2_and_4.THIN]
    assert (thin.risk > thin.loss).any() and (thin.risk > 0.3 * thin.bound).any()


def test_theorem_2_meets_weights_that_only_overfit():
    rows = theorems_2_and_4.theorem_2([50], 4, seed=0)
    rows = rows[rows["sample"] == "random labels"]
    assert len(rows) == 4 and (rows.m == 300).all()
    # Nobody can foretell a coin, and a deletion adds to the mistakes.
    assert (rows.risk > 0.5).all() and (rows.loss < rows.risk - 0.1).all()
    # Without the logarithms of the box the bound would be below the risk.
    rate = np.log(300 / 0.05) / 299
    assert all(theory.divergence(row.loss, row.risk) > rate for row in rows.itertuples())


def test_the_hypotheses_are_those_of_the_fit():
    X, y = redundant_sample(60, 10, np.random.default_rng(0))
    clf = FeatureDeletionPerceptron(2, C=0.3, shuffle=False).fit(X, y)
    met = list(theorems_2_and_4.hypotheses(clf, X, y))
    assert len(met) == 60 and not met[0][0].any()
    assert np.allclose(np.mean([w for w, _ in met], axis=0), clf.coef_[0], atol=1e-14)
    assert np.isclose(np.mean([b for _, b in met]), clf.intercept_[0], atol=1e-14)


def test_theorem_4_covers_hard_orders():
    rows = theorems_2_and_4.theorem_4(2, [40, 160], seed=0)
    assert (rows.online <= rows.fixed + rows.allowed).all()
    assert rows.groupby("order").size().eq(4).all()
    # A bound half as large would fail: the sequences do come near it.
    assert (rows.online > rows.fixed + 0.5 * rows.allowed).any()


def test_corollary_1_is_beyond_a_perceptron_that_never_moves():
    rows = theorems_2_and_4.corollary_1([600, 10_000], 2, seed=0)
    assert (rows.excess > -1e-3).all() and (rows.excess <= rows.allowed).all()
    redundant = rows[rows["sample"] == "redundant"]
    assert redundant.groupby("m").excess.mean().is_monotonic_decreasing
    assert (redundant.idle > redundant.allowed)[redundant.m == 10_000].all()
    # Where the best weights are in a corner, all of the loss at zero can be avoided.
    corner = rows[rows["sample"] == "corner"]
    assert np.allclose(corner.idle, 1.0, atol=2e-3) and len(corner) == 4
    assert (corner.excess / corner.allowed).max() > (redundant.excess / redundant.allowed).max()


def test_the_risk_is_below_the_hinge_loss_and_not_far_below():
    rows = theorems_2_and_4.corollary_1([600], 2, seed=0)
    assert (rows.risk > 0).any() and (rows.risk <= rows.loss).all()


def test_the_step_is_the_best_for_the_bound():
    rows = theorems_2_and_4.step_sizes()
    assert np.allclose(rows.tau, rows.best, rtol=1e-5) and np.allclose(rows.bound, rows.allowed)
    ratio = (rows.n + 1) * rows.C**2 / (2 * rows.m)
    for factor in (0.9, 1.1):
        assert (ratio / (factor * rows.best) + factor * rows.best > rows.bound * 1.001).all()
