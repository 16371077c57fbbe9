"""The losses of Equation (4) against a linear programme for each example, the risk against the library's."""

import numpy as np
from scipy.optimize import linprog

from paperlib.experiments.feature_deletion.losses import BLOCK, relaxed_losses, risk
from paperlib.feature_deletion import worst_case_deletion


def test_losses_are_the_formula():
    rng = np.random.default_rng(2)
    X, w, b = rng.normal(size=(20, 5)), rng.normal(size=5), -0.2
    y = rng.choice([-1.0, 1.0], 20)
    for values, budget in ((rng.uniform(0, 2, 5), 1.7), (np.array([0.0, 1, 2, 0, 1]), 0.0), (None, 2.5)):
        v = np.ones(5) if values is None else values
        price = 0.8 / (v.sum() - budget)
        for x, s, loss in zip(X, y, relaxed_losses(w, b, X, y, budget, 0.8, values)):
            profits = s * w * x - price * v
            inner = -linprog(-profits, A_ub=v[None], b_ub=[budget], bounds=(0, 1)).fun
            assert np.isclose(loss, max(0, price * v.sum() - s * (w @ x + b) + inner))


def test_the_risk_is_that_of_the_exact_adversary():
    rng = np.random.default_rng(3)
    X, w, values = rng.normal(size=(BLOCK + 100, 5)), rng.normal(size=5), rng.uniform(0.2, 2, 5)
    y = np.where(X @ w > 0, 1.0, -1.0)
    margins, _ = worst_case_deletion(w, 0.1, X, y, 1.5, values)
    assert risk(w, 0.1, X, y, 1.5, values) == np.mean(margins <= 0) > 0.2


def test_for_values_of_one_the_loss_is_that_of_fdrop_but_for_a_raised_margin():
    """FDROP's is the hinge after the worst N deletions; Equation 4's is at most margin N / P more."""
    rng = np.random.default_rng(4)
    X, w, b, N, margin = rng.normal(size=(400, 9)), rng.normal(size=9), 0.1, 3, 0.8
    y = np.where(X @ w + rng.normal(size=400) > 0, 1.0, -1.0)
    left, _ = worst_case_deletion(w, b, X, y, N)
    fdrop = np.maximum(margin - left, 0.0)
    more = relaxed_losses(w, b, X, y, N, margin) - fdrop
    P = 9 - N
    assert (more >= -1e-12).all() and (more <= margin * N / P + 1e-12).all()
    alike = np.sum(y[:, None] * X * w > margin / P, axis=1) >= N
    assert 0.3 < alike.mean() < 0.95
    assert np.abs(more[alike]).max() < 1e-12 < more[~alike & (fdrop > 0)].max()
