"""Weights of which one class has nearly all, for solvers to which sums of such different size are too much.

Where the value is least, no row that is heavier than the whole other class has a loss: the bias could be
moved until it has none, which costs the other class less than it saves. So it need not be as heavy as it is.
"""

import numpy as np

from paperlib.feature_deletion._solver.certificate import objective
from paperlib.feature_deletion._solver.pairs import make_pairs

LOPSIDED = 1e6  # ratio of the classes' weights; not far beyond it the interior point cannot leave its start
ENOUGH = 2.0  # weight of a row in units of the other class: above 1, for its loss to be zero


def lighten(weights, signs):
    """Return weights with the same best classifiers, and a mask of the rows that are lighter in them.

    The weights are the same ones, and the mask is None, where they may stay as they are.
    """
    if weights is None:
        return weights, None
    # Each is positive on its own class.
    light, heavy = sorted((signs, -signs), key=lambda side: weights[side > 0].sum())
    other = weights[light > 0].sum()
    cut = (heavy > 0) & (weights / ENOUGH > other)
    if weights[heavy > 0].sum() / LOPSIDED <= other or not cut.any():
        return weights, None
    return np.where(cut, ENOUGH * other, weights), cut


def with_full_weights(found, X, signs, game, tol, weights, lighter, cut):
    """Return a `Solution` for the weights of `lighten` as one for the full weights."""
    values, budget, price = game.values, game.budget, game.price
    # What the lighter rows still lose is small, but would now count in full.
    lost = objective(make_pairs(X[cut], signs[cut], values, budget, price), found.w, found.b)
    # The rows that were cut are of one class, and none loses more than all together: so none does any more.
    b = found.b + signs[cut][0] * lost
    value = objective(make_pairs(X, signs, values, budget, price, weights / weights.sum()), found.w, b)
    # The sum of the losses is not less for it that rows weigh more.
    bound = found.bound * float(lighter.sum() / weights.sum())
    met = value - bound <= tol * max(value, 1e-3 * price * values.sum())
    return found._replace(b=b, objective=value, bound=bound, converged=met)
