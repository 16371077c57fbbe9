"""Passes over the pairs of an example and a feature that may be deleted from it, for the interior point.

A pair is a non-zero entry ``g = y_i x_ij`` of the signed data, in row order: row i has the pairs ``start[i]``
to ``start[i + 1]``, and `column` says which feature. With the multipliers in brackets and ``c = price v``,
Equation (4) reads, m times over::

    minimise  sum_i xi_i
    s = a + v lam + c - g w                                 >= 0   (e)
    t = xi + y b + sum (g w - a) - N lam - price V          >= 0   (alpha)
    a   >= 0   (r = alpha - e)         xi >= 0   (1 - alpha)
    lam >= 0   (q = N alpha - sum v e) -C <= w <= C

Newton's equations are solved pair by pair, then row by row, which leaves one system in the weights. Rows
whose features all fit into the budget need no `lam`; it is zero there, and stays so. So it is with `e` and
`a` of a pair that no budget allows to delete.
"""

from typing import NamedTuple

import numpy as np

from paperlib._common.jit import jit

# A division by a product that has come to zero is no error but the end of the run, which the solver sees.
KEPT = 1e300  # slack of a pair that cannot be deleted


class Pairs(NamedTuple):
    """The data."""

    start: np.ndarray
    column: np.ndarray
    g: np.ndarray
    v: np.ndarray
    signs: np.ndarray
    budget: float
    price: float
    total_value: float


class Point(NamedTuple):
    """Where the method stands, for the rows and pairs; all of it positive."""

    alpha: np.ndarray
    lam: np.ndarray
    xi: np.ndarray
    t: np.ndarray
    q: np.ndarray
    e: np.ndarray
    a: np.ndarray
    s: np.ndarray
    r: np.ndarray


class Step(NamedTuple):
    """Directions of the same."""

    alpha: np.ndarray
    lam: np.ndarray
    xi: np.ndarray
    t: np.ndarray
    q: np.ndarray
    e: np.ndarray
    a: np.ndarray


class Targets(NamedTuple):
    """By how much each product of a slack and its multiplier is to change, and the rows' share of it."""

    e: np.ndarray
    a: np.ndarray
    t: np.ndarray
    xi: np.ndarray
    lam: np.ndarray
    h_alpha: np.ndarray
    h_lam: np.ndarray


@jit(error_model="numpy")
def linearise(pairs, point, w, b, inverse, rows, diagonal, gradient):
    """Compute the slacks at a point, and eliminate its pairs; return the sum of all products.

    `inverse` gets each pair's denominator. The columns of `rows` are ``T``, ``nu / eta`` and ``1 / eta``:
    the row's own equations are ``[[-T0, nu], [nu, eta]]`` in the steps of alpha and lam, and ``T = T0 +
    nu^2 / eta``. The diagonal of the weights' system and ``sum_i g r`` are added up.
    """
    start, column, g, v, signs, budget, price, total_value = pairs
    alpha, lam, xi, t, q, e, a, s, r = point
    n = v.size
    products = 0.0
    for i in range(alpha.size):
        ti = xi[i] + signs[i] * b - budget * lam[i] - price * total_value
        qi, total, nu, eta = budget * alpha[i], 0.0, budget, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            x = g[k] * w[j]
            rk = alpha[i] - e[k]
            if a[k] > 0.0:
                sk = a[k] + v[j] * (lam[i] + price) - x
                inv = 1.0 / (rk * sk + a[k] * e[k])
            else:
                sk, inv = KEPT, 0.0
            s[k], r[k] = sk, rk
            ti += x - a[k]
            qi -= v[j] * e[k]
            products += sk * e[k] + a[k] * rk
            inverse[k] = inv
            total += a[k] * sk * inv
            nu -= e[k] * a[k] * inv * v[j]
            eta += e[k] * rk * inv * v[j] * v[j]
            gradient[j] += g[k] * rk
        t[i], q[i] = ti, qi
        products += ti * alpha[i] + xi[i] * (1.0 - alpha[i])
        total += ti / alpha[i] + xi[i] / (1.0 - alpha[i])
        if lam[i] > 0.0:
            products += lam[i] * qi
            eta += qi / lam[i]
            ratio, over = nu / eta, 1.0 / eta
            total += nu * ratio
        else:
            ratio, over = 0.0, 0.0
        rows[i, 0], rows[i, 1], rows[i, 2] = total, ratio, over
        for k in range(start[i], start[i + 1]):
            j = column[k]
            D = e[k] * r[k] * inverse[k]
            p = 1.0 - e[k] * a[k] * inverse[k] - ratio * D * v[j]
            diagonal[j] += g[k] * g[k] * (D * (1.0 - D * v[j] * v[j] * over) + p * p / total)
        diagonal[n] += 1.0 / total
    return products


@jit(error_model="numpy")
def fill(first, pairs, point, inverse, rows, scale, tiny, P, Q):
    """Dense rows of the two matrices whose Gram matrices make up the weights' system off its diagonal.

    From row `first` until either matrix is full; returns the next row, and how many were filled of each.
    Rows that matter less than `tiny` are left out, with `scale` for the roots of the system's diagonal.
    """
    start, column, g, v, signs, _, _, _ = pairs
    n, used_p, used_q, i = v.size, 0, 0, first
    while i < signs.size and used_p < P.shape[0] and used_q < Q.shape[0]:
        over, root = 1.0 / np.sqrt(rows[i, 0]), np.sqrt(rows[i, 2])
        P[used_p, :] = 0.0
        Q[used_q, :] = 0.0
        P[used_p, n] = signs[i] * over
        size_p, size_q, square_q = over / scale[n], 0.0, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            d = point.e[k] * point.r[k] * inverse[k] * v[j] * g[k]
            p = (g[k] * (1.0 - point.e[k] * point.a[k] * inverse[k]) - rows[i, 1] * d) * over
            P[used_p, j] = p
            Q[used_q, j] = d * root
            size_p += abs(p) / scale[j]
            part = abs(d) * root / scale[j]
            size_q += part
            square_q += part * part
        if size_p * size_p > tiny:
            used_p += 1
        if size_q * size_q - square_q > tiny:
            used_q += 1
        i += 1
    return i, used_p, used_q


@jit(error_model="numpy")
def aim(pairs, point, step, dw, mu, targets):
    """Targets of the second-order corrector: every product is to become `mu`."""
    start, column, g, v = pairs.start, pairs.column, pairs.g, pairs.v
    for i in range(pairs.signs.size):
        alpha, xi = point.alpha[i], point.xi[i]
        targets.t[i] = mu - point.t[i] * alpha - step.t[i] * step.alpha[i]
        targets.xi[i] = mu - xi * (1.0 - alpha) + step.xi[i] * step.alpha[i]
        targets.lam[i] = mu - point.lam[i] * point.q[i] - step.lam[i] * step.q[i]
        for k in range(start[i], start[i + 1]):
            j = column[k]
            ds = step.a[k] + v[j] * step.lam[i] - g[k] * dw[j]
            targets.e[k] = mu - point.s[k] * point.e[k] - ds * step.e[k]
            targets.a[k] = mu - point.a[k] * point.r[k] - step.a[k] * (step.alpha[i] - step.e[k])


@jit(error_model="numpy")
def outside(product, low, high):
    """What takes a product into [low, high], but no more than `high` down (Gondzio)."""
    if product < low:
        return low - product
    if product > high:
        return max(high - product, -high)
    return 0.0


@jit(error_model="numpy")
def centre(pairs, point, step, dw, primal, dual, low, high, old, new):
    """Targets `old`, changed so that no product at the end of the step would be outside [low, high]."""
    start, column, g, v = pairs.start, pairs.column, pairs.g, pairs.v
    for i in range(pairs.signs.size):
        alpha = point.alpha[i] + dual * step.alpha[i]
        xi, lam = point.xi[i] + primal * step.xi[i], point.lam[i] + primal * step.lam[i]
        new.t[i] = old.t[i] + outside((point.t[i] + primal * step.t[i]) * alpha, low, high)
        new.xi[i] = old.xi[i] + outside(xi * (1.0 - alpha), low, high)
        new.lam[i] = old.lam[i] + outside(lam * (point.q[i] + dual * step.q[i]), low, high)
        for k in range(start[i], start[i + 1]):
            j = column[k]
            a = point.a[k] + primal * step.a[k]
            s = point.s[k] + primal * (step.a[k] + v[j] * step.lam[i] - g[k] * dw[j])
            e = point.e[k] + dual * step.e[k]
            new.e[k] = old.e[k] + outside(s * e, low, high)
            new.a[k] = old.a[k] + outside(a * (alpha - e), low, high)


@jit(error_model="numpy")
def right_side(pairs, point, inverse, rows, targets, out):
    """Add the rows' share of the right-hand side to `out`, and keep in `targets` what `expand` needs."""
    start, column, g, v, signs, _, _, _ = pairs
    n = v.size
    for i in range(signs.size):
        alpha = point.alpha[i]
        first, second = targets.xi[i] / (1.0 - alpha) - targets.t[i] / alpha, 0.0
        for k in range(start[i], start[i + 1]):
            ke = (point.r[k] * targets.e[k] - point.e[k] * targets.a[k]) * inverse[k]
            first -= (point.s[k] * targets.a[k] + point.a[k] * targets.e[k]) * inverse[k]
            second += v[column[k]] * ke
        if point.lam[i] > 0.0:
            second += targets.lam[i] / point.lam[i]
        targets.h_alpha[i] = rows[i, 1] * second - first
        targets.h_lam[i] = second
        x = targets.h_alpha[i] / rows[i, 0]
        z = second * rows[i, 2] - rows[i, 1] * x
        for k in range(start[i], start[i + 1]):
            j = column[k]
            ke = (point.r[k] * targets.e[k] - point.e[k] * targets.a[k]) * inverse[k]
            ei = point.e[k] * inverse[k]
            out[j] += g[k] * ((1.0 - ei * point.a[k]) * x + ei * point.r[k] * v[j] * z - ke)
        out[n] += signs[i] * x


@jit(error_model="numpy")
def shorten(longest, x, dx):
    """The longest step, at most `longest`, that keeps ``x + step dx`` from being negative."""
    return -x / dx if x + longest * dx < 0.0 else longest


@jit(error_model="numpy")
def expand(pairs, point, inverse, rows, targets, dw, db, step):
    """The step of rows and pairs from that of the weights.

    Returns how far the primal and the dual may go, at most 1, and the change of ``sum_i xi_i`` and of
    ``sum_i V alpha_i - sum v e`` in a full step.
    """
    start, column, g, v, signs, budget, _, total_value = pairs
    alpha, lam, xi, t, q, e, a, s, r = point
    primal, dual, rise, kept = 1.0, 1.0, 0.0, 0.0
    for i in range(signs.size):
        along, through = signs[i] * db, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            x, ei = g[k] * dw[j], e[k] * inverse[k]
            along += (1.0 - ei * a[k]) * x
            through += ei * r[k] * v[j] * x
        dalpha = (targets.h_alpha[i] - along + rows[i, 1] * through) / rows[i, 0]
        dlam = (targets.h_lam[i] + through) * rows[i, 2] - rows[i, 1] * dalpha
        used = 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            u = v[j] * dlam - g[k] * dw[j]
            re, ra = targets.e[k], targets.a[k]
            de = (r[k] * re - e[k] * ra + e[k] * (a[k] * dalpha - r[k] * u)) * inverse[k]
            da = (s[k] * ra + a[k] * re - a[k] * (s[k] * dalpha + e[k] * u)) * inverse[k]
            used += v[j] * de
            primal = shorten(shorten(primal, a[k], da), s[k], da + u)
            dual = shorten(shorten(dual, e[k], de), r[k], dalpha - de)
            step.e[k], step.a[k] = de, da
        dt = (targets.t[i] - t[i] * dalpha) / alpha[i]
        dxi = (targets.xi[i] + xi[i] * dalpha) / (1.0 - alpha[i])
        dq = 0.0
        primal = shorten(shorten(primal, t[i], dt), xi[i], dxi)
        dual = shorten(shorten(dual, alpha[i], dalpha), 1.0 - alpha[i], -dalpha)
        if lam[i] > 0.0:
            dq = budget * dalpha - used
            primal = shorten(primal, lam[i], dlam)
            dual = shorten(dual, q[i], dq)
        step.alpha[i], step.lam[i], step.xi[i], step.t[i], step.q[i] = dalpha, dlam, dxi, dt, dq
        rise += dxi
        kept += total_value * dalpha - used
    return primal, dual, rise, kept
