"""The soft margin by an interior point (Mehrotra), for rows on which coordinate steps are slow.

Steps along the coordinates of the dual know the rows by their products alone, so that scaling the columns
does not help them: a column that is large beside the others, or far from zero, makes all products alike. A
step of the interior point solves a least-squares problem in the variables ``w = units * u`` of columns of
equal length, by a QR factor, which bears any such columns. Nothing else changes: ``||w||^2 / 2`` remains the
penalty, and units are those of the data in all that goes in and out.

With multipliers ``a`` of the margins ``Z w + xi - s = 1`` and ``c - a`` of ``xi >= 0`` a point is optimal
where ``w = Z' a``, ``a s = 0``, ``(c - a) xi = 0``; a step aims at products that are equal and small.
"""

import numpy as np
from scipy.linalg import solve_triangular

MOST_STEPS = 100  # 15 to 40 are usual
KEPT = 0.995  # share of the way to the nearest bound that a step goes
CUTS = (1e-6, 1e-9)  # shares of the largest weight, and of a weight's bound, that count as nothing


def interior_point(Z, box):
    """Yield pairs ``(w, a)`` that come nearer to the optimum, the weights `a` inside of their bounds.

    Parameters
    ----------
    Z : ndarray of shape (m, d)
        The signed rows.
    box : ndarray of shape (m,)
        The bounds, > 0.
    """
    lengths = np.linalg.norm(Z, axis=0)
    units = 1.0 / np.where(lengths > 0.0, lengths, 1.0)
    Z = Z * units
    # With w = 0 these have Z w + xi - s = 1, and `a` is in the middle of its bounds.
    u, a, s, xi = np.zeros(len(units)), box / 2.0, np.ones(len(box)), np.full(len(box), 2.0)
    for _ in range(MOST_STEPS):
        rest = box - a
        products, others = a * s, rest * xi
        mu = (products.sum() + others.sum()) / (2 * len(box))
        newton = _Newton(Z, units, u, a, rest, s, xi)
        # The predictor aims at products of zero. How near it comes says how much to centre.
        du, da, ds, dxi = newton.step(-products, -others)
        length = _longest(a, da, rest, s, ds, xi, dxi)
        after = ((a + length * da) @ (s + length * ds) + (rest - length * da) @ (xi + length * dxi)) / (
            2 * len(box)
        )
        aim = (after / mu) ** 3 * mu
        # The corrector, with the second order of the predictor. `rest` moves by -da, hence its other sign.
        du, da, ds, dxi = newton.step(aim - products - da * ds, aim - others + da * dxi)
        length = min(1.0, KEPT * _longest(a, da, rest, s, ds, xi, dxi))
        u, a, s, xi = u + length * du, a + length * da, s + length * ds, xi + length * dxi
        if not (np.isfinite(u).all() and np.isfinite(a).all() and min(a.min(), s.min(), xi.min()) > 0.0):
            return
        a = np.minimum(a, box)
        yield units * u, a
        if not (a < box).all():  # `rest` would be zero, and is divided by
            return


class _Newton:
    """The equations of Newton's step at a point, with the step's own weights eliminated."""

    def __init__(self, Z, units, u, a, rest, s, xi):
        self._at = a, rest, s, xi
        self._Z, self._over = Z, 1.0 / (s / a + xi / rest)
        # Its transpose times itself is the matrix of `du`, and R the Cholesky factor of that. To form the
        # product would square the spread of the columns.
        self._stack = np.vstack([np.sqrt(self._over)[:, None] * Z, np.diag(units)])
        self._R = np.linalg.qr(self._stack, mode="r")
        self._short = 1.0 + s - xi - Z @ u
        self._slope = Z.T @ a - units * (units * u)

    def step(self, products, others):
        """Return the step for which the two kinds of products change by `products` and `others`."""
        a, rest, s, xi = self._at
        right = self._short - others / rest + products / a
        du = self._solve(self._slope + self._Z.T @ (self._over * right))
        da = self._over * (right - self._Z @ du)
        return du, da, (products - s * da) / a, (others + xi * da) / rest

    def _solve(self, right):
        found = np.zeros(len(right))
        for _ in range(2):  # the second time for the rounding of the first
            left = right - self._stack.T @ (self._stack @ found)
            half = solve_triangular(self._R, left, trans="T", check_finite=False)
            found += solve_triangular(self._R, half, check_finite=False)
        return found


def _longest(a, da, rest, s, ds, xi, dxi):
    """Return the longest step, 1 at most, that keeps all of them from being negative."""
    falls = [(a, da), (rest, -da), (s, ds), (xi, dxi)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return min(1.0, *(np.min(np.where(dx < 0.0, -x / dx, 1.0)) for x, dx in falls))


def vertex(Z, box, w, a, cut):
    """Return `a` with few weights that are not at a bound, so that ``Z' a`` is still as near to `w`."""
    small = cut * np.minimum(box, a.max())
    near = np.where(a <= small, 0.0, np.where(a >= box - small, box, a))
    free = (near > 0.0) & (near < box)
    if free.any():
        near[free] += np.linalg.lstsq(Z[free].T, w - Z.T @ near, rcond=None)[0]
    return np.clip(near, 0.0, box)
