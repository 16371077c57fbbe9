"""Points of which some count more than others towards those that are left out."""

import numpy as np

from paperlib._common.rounding import TIED, ascending
from paperlib.coresets._outliers.trimmed import Best


class WeightedBest(Best):
    """As `Best` has it of points that are repeated as often as their weights say, which may be fractions.

    A hyperplane leaves out the points of smallest margin, for as long as they weigh k at most together. A
    point that is too heavy for that stays, and so do those above it: leaving these out would gain nothing.

    Parameters
    ----------
    points : ndarray of shape (n, d)
    k : number >= 0, below the sum of the weights
    weights : ndarray of shape (n,), > 0
    """

    def __init__(self, points, k, weights):
        self.points, self.weights = points, weights
        self.budget = k * (1.0 + TIED)  # a sum of weights is rounded
        # The most that fit are the lightest; a hyperplane whose lowest point is too heavy leaves out none.
        self.most, self.least = self.cut(np.argsort(weights, kind="stable")), 0
        norms = np.linalg.norm(points, axis=1)
        order = ascending(norms)
        self.k = self.cut(order)
        self.upper_bound = float(norms[order[self.k]])
        self._begin(weights @ points / weights.sum())

    def offer(self, normal):
        """Look at a unit normal (d,) and return the margins (n,) that it gives."""
        margins = self.points @ normal
        order = ascending(margins)
        k = self.cut(order)
        # `ascending` has ties in the order of the rows: the first one need not be the smallest.
        margin = float(margins[order[k:]].min())
        if margin > self.margin:
            self.margin, self.normal, self.k = margin, normal, k
        return margins

    def cut(self, order):
        """Return how many of the first points of `order` (n,) may be left out together."""
        return int(np.searchsorted(np.cumsum(self.weights[order]), self.budget, side="right"))

    def weights_of(self, rows):
        """Return the weights of some points."""
        return self.weights[rows]
