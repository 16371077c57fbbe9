"""The losses of Equation (4) against a linear programme for each example."""

import numpy as np
from scipy.optimize import linprog

from paperlib.experiments.feature_deletion.losses import hinge_losses


def test_losses_are_the_formula():
    rng = np.random.default_rng(2)
    X, w, b = rng.normal(size=(20, 5)), rng.normal(size=5), -0.2
    y = rng.choice([-1.0, 1.0], 20)
    values, budget, margin = rng.uniform(0, 2, 5), 1.7, 0.8
    price = margin / (values.sum() - budget)
    losses, fractions = np.empty(20), np.empty((20, 5))
    hinge_losses(X, y, w, b, values, budget, price, losses, fractions)
    for x, s, loss, d in zip(X, y, losses, fractions):
        profits = s * w * x - price * values
        inner = -linprog(-profits, A_ub=values[None], b_ub=[budget], bounds=(0, 1)).fun
        assert np.isclose(loss, max(0, price * values.sum() - s * (w @ x + b) + inner))
        assert np.isclose(loss, max(0, price * values.sum() - s * (w @ x + b) + profits @ d))
