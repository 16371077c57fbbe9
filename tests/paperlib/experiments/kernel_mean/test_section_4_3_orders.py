"""Losses that noise reorders, each way of finding out on its own."""

import itertools

import numpy as np
import pytest

from paperlib.experiments.kernel_mean import section_4_3_losses, section_4_3_orders, theory_noise
from paperlib.experiments.kernel_mean.section_4_3_orders import LOSSES, ROBUST, SCORES, order_violation
from paperlib.kernel_mean import losses

THREE_ROBUST = {"linear": losses.linear, "zero_one": losses.zero_one, "probe": lambda y, v: np.tanh(-y * v)}
THREE_FRAGILE = {"hinge": losses.hinge, "logistic": losses.logistic, "t_logistic": losses.t_logistic}


@pytest.mark.parametrize("name", THREE_ROBUST)
@pytest.mark.parametrize("sigma", [0.1, 0.45])
def test_robust_losses_keep_the_order(name, sigma):
    """Definitions 12 and 13, Theorems 14 and 15, and random pairs of distributions besides."""
    loss = THREE_ROBUST[name]
    assert order_violation(loss, SCORES, sigma) is None
    fit = theory_noise.theorem_14(loss, SCORES, sigma)
    assert fit.deviation < 1e-12 and fit.slope > 0
    assert np.ptp(theory_noise.theorem_15(loss, SCORES)) < 1e-12
    rng = np.random.default_rng(0)
    y, v = np.repeat([1, -1], 6), np.tile(SCORES, 2)
    for first, second in rng.dirichlet(np.full(12, 0.2), size=(200, 2)):
        clean = (first - second) @ loss(y, v)
        noisy = (first - second) @ ((1 - sigma) * loss(y, v) + sigma * loss(-y, v))
        assert clean * noisy > 0 or abs(clean) < 1e-12


@pytest.mark.parametrize("name", THREE_FRAGILE)
def test_other_losses_have_a_counterexample(name):
    loss, sigma = THREE_FRAGILE[name], 0.2
    found = order_violation(loss, SCORES, sigma)
    for shares in (found.first, found.second):
        assert (shares >= 0).all() and np.isclose(shares.sum(), 1)
    step = found.first - found.second
    noisy = (1 - sigma) * loss(found.labels, found.scores) + sigma * loss(-found.labels, found.scores)
    assert np.isclose(step @ loss(found.labels, found.scores), found.clean)
    assert np.isclose(step @ noisy, found.noisy)
    assert (found.clean <= 1e-9 < found.noisy) or (found.noisy <= 1e-9 < found.clean)
    assert theory_noise.theorem_14(loss, SCORES, sigma).deviation > 1e-3
    assert np.ptp(theory_noise.theorem_15(loss, SCORES)) > 0.1


def test_the_order_table_finds_the_robust_losses():
    table = section_4_3_orders.order_table(0.2).set_index("loss")
    for column in ("keeps_order", "equivalent", "constant_sum"):
        assert tuple(table.index[table[column]]) == ROBUST
    at_zero = section_4_3_orders.order_table(0.2, [0.0, 1.0], {"0-1": losses.zero_one})
    assert not at_zero[["keeps_order", "equivalent", "constant_sum"]].to_numpy().any()


@pytest.mark.parametrize("name", LOSSES)
def test_reversals_against_a_double_loop(name):
    loss, noise = LOSSES[name], 0.3
    pairs = [(y, v) for y in (1, -1) for v in SCORES]
    expected = 0
    for (a, u), (b, v) in itertools.product(pairs, pairs):
        first, second = loss(a, u), loss(b, v)
        noisy = [(1 - noise) * loss(s, t) + noise * loss(-s, t) for s, t in ((a, u), (b, v))]
        expected += first < second - 1e-9 and noisy[0] > noisy[1] + 1e-9
    found = section_4_3_orders.reversals(loss, noise)
    assert len(found) == expected
    assert (found.clean < found.clean_other).all() and (found.noisy > found.noisy_other).all()
    assert (section_4_3_orders.order_changes(loss, noise, 2000, random_state=0) == 0) == (name in ROBUST)


def test_no_convex_loss_with_a_constant_sum_bends():
    for scores in ([-1.0, 0.0, 1.0], np.linspace(-3, 3, 31), SCORES):
        assert abs(section_4_3_orders.convex_robust_bend(scores)) < 1e-9
    with pytest.raises(ValueError, match="number of distinct scores"):
        section_4_3_orders.convex_robust_bend([0.0, 1.0, 1.0])


def test_calibration_is_a_matter_of_the_sign():
    found = section_4_3_orders.calibration_errors([-3, -0.01, 0, 0.01], [0.1, 0.49, 0.5, 0.51, 1.0])
    assert found.regret.tolist() == [0, 0, 1, 1]
    as_printed = section_4_3_orders.calibration_errors([-3], [0.49, 0.51], zeros="error")
    assert as_printed.regret.tolist() == [0]
    at_a_half = section_4_3_orders.calibration_errors([-3], [0.5], zeros="error")
    assert at_a_half.regret.tolist() == [0.5]


def test_noises_leave_losses_in_order_exactly_where_a_loss_is_known():
    kept = section_4_3_orders.kept_under_both
    # A loss with sigma_+ l(-1, v) + sigma_- l(1, v) constant keeps its order under all noise of that ratio.
    assert kept((0.1, 0.2), (0.2, 0.4)) == kept((0.3, 0.3), (0.1, 0.1)) == 1
    tilted = [
        theory_noise.same_order(lambda y, v: np.where(y > 0, 2 * v, -v), SCORES, s, 2 * s) for s in (0.1, 0.2)
    ]
    assert all(tilted)
    assert kept((0.1, 0.2), (0.1, 0.3)) == kept((0.0, 0.3), (0.3, 0.0)) == 0


def test_no_scores_are_refused():
    with pytest.raises(ValueError, match="scores must be"):
        order_violation(losses.hinge, [], 0.1)


def test_proposition_26_needs_the_sign_of_the_slope_and_an_exact_fit(monkeypatch):
    def failures(seed):
        pairs = section_4_3_orders.proposition_26_pairs(12, np.random.default_rng(seed))
        return (pairs.alike != pairs.affine).sum()

    assert failures(1) == 0
    fitted = theory_noise.affine_fit
    monkeypatch.setattr(theory_noise, "affine_fit", lambda x, t: fitted(x, t)._replace(slope=1.0))
    assert failures(1) == 4
    monkeypatch.setattr(theory_noise, "affine_fit", lambda x, t: fitted(x, t)._replace(deviation=0.0))
    assert failures(1) == 4


def test_tables_of_losses():
    orders = section_4_3_losses.order_table()
    assert len(orders) == 3 * len(LOSSES) and (orders.keeps_order == orders.known).all()
    found = section_4_3_losses.reordered(500, seed=0).set_index(["loss", "search"]).reordered
    assert found["linear", "all"] == found["linear", "random"] == 0 < found["t-logistic", "random"]
    many = section_4_3_losses.random_losses(12, seed=0)
    assert many.constant_sum.tolist() == [True, False] * 6
    assert (many.keeps_order == many.constant_sum).all() and (many.equivalent == many.constant_sum).all()
    labels = section_4_3_losses.two_labels().set_index(["loss", "score"])
    assert labels.loc[("linear", 1.0)].tolist() == [2.0, 0.0]
    assert labels.loc[("0-1", 0.0)].tolist() == [1.0, 1.0]
    calibration = section_4_3_losses.calibration()
    worst = calibration.groupby("slope").regret.max()
    assert (worst[worst.index < 0] == 0).all() and (worst[worst.index >= 0] > 0).all()
    assert section_4_3_losses.convex_robust_losses().bend.tolist() == [0.0]
    sums = section_4_3_losses.sums_under_conditional_noise()
    assert np.allclose(sums["sum"], 0.4 + 0.2 * sums.score)
