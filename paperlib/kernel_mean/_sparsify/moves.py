"""Squared length of a sum of short moves between nearby points, without cancellation."""

import math

from paperlib._common.jit import jit
from paperlib._common.signals import hear


@jit
def form_of_moves(centres, masses, places, moves, weights, gamma):
    """Squared length of ``sum_c masses[c] phi(centres[c])`` plus weighted moves.

    A move is ``phi(centre + moves[i]) - phi(centre)`` with ``centre = centres[places[i]]``; its weight is
    ``weights[i]``. `centres` is (k, d), `moves` (n, d), none of them longer than ``1 / sqrt(gamma)``. Every
    inner product is accurate to rounding, however short the moves; those of centres more than
    ``10 / sqrt(gamma)`` apart, which are below 1e-25, are left out.
    """
    d = centres.shape[1]
    total = 0.0
    for i in range(masses.size):
        hear(10 * masses.size * d)
        for j in range(masses.size):
            apart = 0.0
            for k in range(d):
                apart += (centres[i, k] - centres[j, k]) ** 2
            total += masses[i] * masses[j] * math.exp(-gamma * apart)
    for j in range(weights.size):
        t, own = moves[j], centres[places[j]]
        hear(10 * (masses.size + j) * d)
        for i in range(masses.size):
            # The squared distance from the place where the move begins, and by how much the move changes it.
            apart, along = 0.0, 0.0
            for k in range(d):
                difference = centres[i, k] - own[k]
                apart += difference * difference
                along += t[k] * (t[k] - 2.0 * difference)
            if gamma * apart < 100.0:
                moved = math.exp(-gamma * apart) * math.expm1(-gamma * along)
                total += 2.0 * masses[i] * weights[j] * moved
        for i in range(j + 1):  # the form is symmetric: each pair once, counted twice
            s, other = moves[i], centres[places[i]]
            # What the exponent gains as the other point moves, as the own one does, and as both do besides.
            apart, first, second, cross = 0.0, 0.0, 0.0, 0.0
            for k in range(d):
                difference = other[k] - own[k]
                apart += difference * difference
                first -= gamma * s[k] * (s[k] + 2.0 * difference)
                second -= gamma * t[k] * (t[k] - 2.0 * difference)
                cross += 2.0 * gamma * s[k] * t[k]
            if gamma * apart < 100.0:
                # exp(first + second + cross) - exp(first) - exp(second) + 1, without a difference of ones
                moved = math.expm1(first) * math.expm1(second) + math.exp(first + second) * math.expm1(cross)
                pairs = 1.0 if i == j else 2.0
                total += pairs * weights[i] * weights[j] * math.exp(-gamma * apart) * moved
    return total
