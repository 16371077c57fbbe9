"""Exact signs of cross products: a floating filter first, expansion arithmetic when it cannot tell.

Exact as long as nothing under- or overflows: every coordinate is zero or of magnitude 1e-140 to 1e150.
"""

import numpy as np

from paperlib._common.jit import jit

_FILTER = (3.0 + 16.0 * 2.0**-53) * 2.0**-53  # Shewchuk's bound A, with u = 2**-53
_CLOSE_FILTER = 20.0 * 2.0**-106  # after the first-order terms: twice Shewchuk's bound C
_SPLITTER = 2.0**27 + 1.0


@jit
def two_sum(a, b):
    """Return ``(s, e)`` with ``s = fl(a + b)`` and ``s + e = a + b`` exactly (Knuth)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@jit
def two_product(a, b):
    """Return ``(p, e)`` with ``p = fl(a b)`` and ``p + e = a b`` exactly (Dekel, Veltkamp)."""
    p = a * b
    c = _SPLITTER * a
    a_high = c - (c - a)
    a_low = a - a_high
    c = _SPLITTER * b
    b_high = c - (c - b)
    b_low = b - b_high
    return p, a_low * b_low - (((p - a_high * b_high) - a_low * b_high) - a_high * b_low)


@jit
def _grow(expansion, size, term):
    """Add `term` to a non-overlapping expansion in place (Shewchuk's Grow-Expansion, zeros left out)."""
    kept = 0
    for i in range(size):
        term, low = two_sum(term, expansion[i])
        # `kept` is at most i: nothing is overwritten before it was read.
        if low != 0.0:
            expansion[kept] = low
            kept += 1
    if term != 0.0:
        expansion[kept] = term
        kept += 1
    return kept


@jit
def _add_product(expansion, size, a, b):
    """Add a b to an expansion in place."""
    if a == 0.0 or b == 0.0:
        return size
    high, low = two_product(a, b)
    return _grow(expansion, _grow(expansion, size, low), high)


@jit
def cross(px, py, qx, qy, rx, ry, sx, sy):
    """Return ``(q - p) x (s - r)`` of the exact differences: sign exact, relative error about 2**-52."""
    ux, ux_low = two_sum(qx, -px)
    uy, uy_low = two_sum(qy, -py)
    vx, vx_low = two_sum(sx, -rx)
    vy, vy_low = two_sum(sy, -ry)
    if ux_low == 0.0 and uy_low == 0.0 and vx_low == 0.0 and vy_low == 0.0:
        left, left_low = two_product(ux, vy)
        right, right_low = two_product(uy, vx)
        # Where the rounded products are far apart this is rounded once, where they are close it is exact.
        return (left - right) + (left_low - right_low)
    expansion = np.empty(16)
    size = _add_product(expansion, 0, ux_low, vy_low)
    size = _add_product(expansion, size, -uy_low, vx_low)
    size = _add_product(expansion, size, ux, vy_low)
    size = _add_product(expansion, size, -uy, vx_low)
    size = _add_product(expansion, size, ux_low, vy)
    size = _add_product(expansion, size, -uy_low, vx)
    size = _add_product(expansion, size, ux, vy)
    size = _add_product(expansion, size, -uy, vx)
    # Parts come by rising magnitude and do not overlap: their sum has the sign of the last one.
    total = 0.0
    for i in range(size):
        total += expansion[i]
    return total


@jit
def _first_order(px, py, qx, qy, rx, ry, sx, sy):
    """The cross product but for the products of two differences' rounding errors (Shewchuk's stage C)."""
    ux, ux_low = two_sum(qx, -px)
    uy, uy_low = two_sum(qy, -py)
    vx, vx_low = two_sum(sx, -rx)
    vy, vy_low = two_sum(sy, -ry)
    left, left_low = two_product(ux, vy)
    right, right_low = two_product(uy, vx)
    heads = (left - right) + (left_low - right_low)
    return heads + ((ux * vy_low + vy * ux_low) - (uy * vx_low + vx * uy_low))


@jit
def cross_sign(px, py, qx, qy, rx, ry, sx, sy):
    """Return the exact sign in {-1, 0, 1} of ``(q - p) x (s - r)``."""
    # Each stage decides only beyond a bound on its own rounding error; nearly all calls end with the first.
    left = (qx - px) * (sy - ry)
    right = (qy - py) * (sx - rx)
    value = left - right
    bound = _FILTER * (abs(left) + abs(right))
    if value > bound:
        return 1
    if -value > bound:
        return -1
    # A rounded difference is zero only where the exact one is.
    if left == 0.0 and right == 0.0:
        return 0
    value = _first_order(px, py, qx, qy, rx, ry, sx, sy)
    if abs(value) <= _CLOSE_FILTER * (abs(left) + abs(right)):
        value = cross(px, py, qx, qy, rx, ry, sx, sy)
    if value > 0.0:
        return 1
    if value < 0.0:
        return -1
    return 0


@jit
def orientation(ax, ay, bx, by, cx, cy):
    """Return the side of the line from a to b that c is on: 1 for left, -1 for right, 0 on it; exact."""
    return cross_sign(ax, ay, bx, by, ax, ay, cx, cy)
