"""The exact sign of a triple product: a floating filter first, expansion arithmetic when it cannot tell.

Exact as long as nothing under- or overflows: every coordinate is zero or of magnitude 1e-65 to 1e90.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.boosting2d._geometry.predicates import _grow, orientation, two_product, two_sum

_FILTER = (7.0 + 56.0 * 2.0**-53) * 2.0**-53  # Shewchuk's bound A for three dimensions, with u = 2**-53
_PAIR_FILTER = 2.0**-96  # 1024 u^2, in place of less than 50 that two products and five sums are off by


@jit
def _add_triple(expansion, size, a, b, c):
    """Add a b c to an expansion in place."""
    if a == 0.0 or b == 0.0 or c == 0.0:
        return size
    high, low = two_product(a, b)
    for part in (low, high):
        p, e = two_product(part, c)
        if e != 0.0:
            size = _grow(expansion, size, e)
        if p != 0.0:
            size = _grow(expansion, size, p)
    return size


@jit
def _pair_sum(a, a_low, b, b_low):
    """Return the sum of two unevaluated sums; off by less than ``4 u^2 (|a| + |b|)``."""
    s, e = two_sum(a, b)
    return two_sum(s, e + (a_low + b_low))


@jit
def _pair_product(a, a_low, b, b_low):
    """Return the product of two unevaluated sums; off by less than ``8 u^2 |a b|``."""
    p, e = two_product(a, b)
    return two_sum(p, e + (a * b_low + a_low * b))


@jit
def _exact_sign(points, a, b, c, d, value, permanent):
    u, v, w = np.empty((3, 2)), np.empty((3, 2)), np.empty((3, 2))
    for k in range(3):
        u[k, 0], u[k, 1] = two_sum(points[b, k], -points[a, k])
        v[k, 0], v[k, 1] = two_sum(points[c, k], -points[a, k])
        w[k, 0], w[k, 1] = two_sum(points[d, k], -points[a, k])
    # As on a grid: every operation was exact if every difference was and is a multiple of 2**-17, for then
    # all products are multiples of 2**-51.
    exact = permanent < 4.0
    for difference in (u, v, w):
        for k in range(3):
            scaled = difference[k, 0] * 131072.0
            exact = exact and difference[k, 1] == 0.0 and scaled == np.floor(scaled)
    if exact:
        return int(np.sign(value))
    total, total_low = 0.0, 0.0
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        left, left_low = _pair_product(v[y, 0], v[y, 1], w[z, 0], w[z, 1])
        right, right_low = _pair_product(v[z, 0], v[z, 1], w[y, 0], w[y, 1])
        minor, minor_low = _pair_sum(left, left_low, -right, -right_low)
        term, term_low = _pair_product(u[x, 0], u[x, 1], minor, minor_low)
        total, total_low = _pair_sum(total, total_low, term, term_low)
    if abs(total) > _PAIR_FILTER * permanent:
        return 1 if total > 0.0 else -1
    expansion, size = np.empty(194), 0  # 6 products of three differences, each of two parts: 192 terms
    for i in (1, 0):
        for j in (1, 0):
            for k in (1, 0):
                for x in range(3):
                    y, z = (x + 1) % 3, (x + 2) % 3
                    size = _add_triple(expansion, size, u[x, i], v[y, j], w[z, k])
                    size = _add_triple(expansion, size, -u[x, i], v[z, j], w[y, k])
    if size == 0:
        return 0
    return 1 if expansion[size - 1] > 0.0 else -1  # the last term outweighs all others together


@jit
def triple_sign(points, a, b, c, d):
    """Return the exact sign in {-1, 0, 1} of ``det(b - a, c - a, d - a)``.

    Seen along the way from a to b, it is 1 if d is counter-clockwise of c by less than half a turn.

    Parameters
    ----------
    points : ndarray of shape (n, 3)
    a, b, c, d : int
    """
    ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
    ux, uy, uz = points[b, 0] - ax, points[b, 1] - ay, points[b, 2] - az
    vx, vy, vz = points[c, 0] - ax, points[c, 1] - ay, points[c, 2] - az
    wx, wy, wz = points[d, 0] - ax, points[d, 1] - ay, points[d, 2] - az
    yz, zy = vy * wz, vz * wy
    zx, xz = vz * wx, vx * wz
    xy, yx = vx * wy, vy * wx
    value = ux * (yz - zy) + uy * (zx - xz) + uz * (xy - yx)
    permanent = (abs(yz) + abs(zy)) * abs(ux) + (abs(zx) + abs(xz)) * abs(uy) + (abs(xy) + abs(yx)) * abs(uz)
    bound = _FILTER * permanent
    if value > bound:
        return 1
    if -value > bound:
        return -1
    return _exact_sign(points, a, b, c, d, value, permanent)


@jit
def turn_in_shadow(points, a, b, c, axis):
    """Return the orientation of a, b, c with coordinate `axis` left out; exact."""
    k, m = (axis + 1) % 3, (axis + 2) % 3
    return orientation(points[a, k], points[a, m], points[b, k], points[b, m], points[c, k], points[c, m])


@jit
def open_shadow(points, a, b, c):
    """Return a coordinate without which a, b, c are not in line, or -1 if they are in line; exact."""
    for axis in range(3):
        if turn_in_shadow(points, a, b, c, axis) != 0:
            return axis
    return -1
