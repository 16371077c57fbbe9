"""Passes over the pairs that eliminate them from Newton's equations, and that recover their steps.

The equations are solved pair by pair, then row by row, which leaves one system in the weights.
"""

import numpy as np

from paperlib._common.jit import jit
from paperlib.feature_deletion._solver.pairs import Reach

# A division by a product that has come to zero is no error but the end of the run, which the solver sees.
KEPT = 1e300  # slack of a pair that cannot be deleted; finite, since it is multiplied by an `inverse` of 0


@jit(error_model="numpy")
def linearise(pairs, point, w, b, eliminated, diagonal, gradient):
    """Compute the slacks at a point, and eliminate its pairs; return the sum of all products.

    Fills the slacks of `point` and all of `eliminated`; the diagonal of the weights' system and ``sum_i g r``
    are added to `diagonal` and `gradient`. Each row counts in the sums as often as its weight says.
    """
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    alpha, lam, xi, e, a, inverse = point.alpha, point.lam, point.xi, point.e, point.a, eliminated.inverse
    budget, price = pairs.budget, pairs.price
    n = v.size
    products = 0.0
    for i in range(alpha.size):
        weight = pairs.weights[i]
        ti = xi[i] + signs[i] * b - budget * lam[i] - price * pairs.total_value
        qi, total, nu, eta = budget * alpha[i], 0.0, budget, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            x = g[k] * w[j]
            rk = alpha[i] - e[k]
            # An `a` of zero marks a pair that no budget allows to delete; a huge slack takes it out of all.
            if a[k] > 0.0:
                sk = a[k] + v[j] * (lam[i] + price) - x
                # One over the determinant of the pair's two equations: see `expand`.
                inv = 1.0 / (rk * sk + a[k] * e[k])
            else:
                sk, inv = KEPT, 0.0
            point.s[k], point.r[k] = sk, rk
            ti += x - a[k]
            qi -= v[j] * e[k]
            products += (sk * e[k] + a[k] * rk) * weight
            inverse[k] = inv
            total += a[k] * sk * inv
            nu -= e[k] * a[k] * inv * v[j]
            eta += e[k] * rk * inv * v[j] * v[j]
            gradient[j] += g[k] * rk * weight
        point.t[i], point.q[i] = ti, qi
        products += (ti * alpha[i] + xi[i] * (1.0 - alpha[i])) * weight
        total += ti / alpha[i] + xi[i] / (1.0 - alpha[i])
        # A row whose features all fit into the budget has no `lam`, and one unknown less to eliminate.
        if lam[i] > 0.0:
            products += lam[i] * qi * weight
            eta += qi / lam[i]
            ratio, over = nu / eta, 1.0 / eta
            total += nu * ratio
        else:
            ratio, over = 0.0, 0.0
        eliminated.T[i], eliminated.ratio[i], eliminated.over[i] = total, ratio, over
        for k in range(start[i], start[i + 1]):
            j = column[k]
            # Not negative: eta, whose inverse `over` is, has D v^2 among its terms.
            D = e[k] * point.r[k] * inverse[k]
            p = 1.0 - e[k] * a[k] * inverse[k] - ratio * D * v[j]
            diagonal[j] += g[k] * g[k] * (D * (1.0 - D * v[j] * v[j] * over) + p * p / total) * weight
        diagonal[n] += 1.0 / total * weight
    return products


@jit(error_model="numpy")
def fill(first, pairs, point, eliminated, scale, tiny, P, Q):
    """Fill dense rows of the two matrices whose Gram matrices make up the weights' system off its diagonal.

    From row `first` until either matrix is full; returns the next row, and how many were filled of each.
    Rows that matter less than `tiny` are left out, with `scale` for the roots of the system's diagonal.
    """
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    inverse = eliminated.inverse
    n, used_p, used_q, i = v.size, 0, 0, first
    while i < signs.size and used_p < P.shape[0] and used_q < Q.shape[0]:
        often = np.sqrt(pairs.weights[i])
        over, root = often / np.sqrt(eliminated.T[i]), often * np.sqrt(eliminated.over[i])
        # A row that is left out is overwritten by the next.
        P[used_p, :] = 0.0
        Q[used_q, :] = 0.0
        P[used_p, n] = signs[i] * over
        size_p, size_q, square_q = over / scale[n], 0.0, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            d = point.e[k] * point.r[k] * inverse[k] * v[j] * g[k]
            p = (g[k] * (1.0 - point.e[k] * point.a[k] * inverse[k]) - eliminated.ratio[i] * d) * over
            P[used_p, j] = p
            Q[used_q, j] = d * root
            size_p += abs(p) / scale[j]
            part = abs(d) * root / scale[j]
            size_q += part
            square_q += part * part
        if size_p * size_p > tiny:
            used_p += 1
        # The sum of the row's products off the diagonal, in the scaled system: the diagonal is already there.
        if size_q * size_q - square_q > tiny:
            used_q += 1
        i += 1
    return i, used_p, used_q


@jit(error_model="numpy")
def right_side(pairs, point, eliminated, targets, out):
    """Add the rows' share of the right-hand side to `out`, and keep in `targets` what `expand` needs."""
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    inverse = eliminated.inverse
    n = v.size
    for i in range(signs.size):
        alpha = point.alpha[i]
        first, second = targets.xi[i] / (1.0 - alpha) - targets.t[i] / alpha, 0.0
        for k in range(start[i], start[i + 1]):
            # What the targets alone make of de and, in the line below, of da.
            ke = (point.r[k] * targets.e[k] - point.e[k] * targets.a[k]) * inverse[k]
            first -= (point.s[k] * targets.a[k] + point.a[k] * targets.e[k]) * inverse[k]
            second += v[column[k]] * ke
        if point.lam[i] > 0.0:
            second += targets.lam[i] / point.lam[i]
        targets.h_alpha[i] = eliminated.ratio[i] * second - first
        targets.h_lam[i] = second
        # The steps of alpha and lam that the row would take if w and b stayed.
        x = targets.h_alpha[i] / eliminated.T[i]
        z = second * eliminated.over[i] - eliminated.ratio[i] * x
        for k in range(start[i], start[i + 1]):
            j = column[k]
            ke = (point.r[k] * targets.e[k] - point.e[k] * targets.a[k]) * inverse[k]
            ei = point.e[k] * inverse[k]
            change = (1.0 - ei * point.a[k]) * x + ei * point.r[k] * v[j] * z - ke
            out[j] += g[k] * change * pairs.weights[i]
        out[n] += signs[i] * x * pairs.weights[i]


@jit(error_model="numpy")
def shorten(longest, x, dx):
    """Return the longest step, at most `longest`, that keeps ``x + step dx`` from being negative."""
    return -x / dx if x + longest * dx < 0.0 else longest


@jit(error_model="numpy")
def expand(pairs, point, eliminated, targets, dw, db, step):
    """Fill `step` for the rows and pairs from the weights' step, and return its `Reach`.

    Undoes the elimination in reverse: the two unknowns of a row first, and then those of its pairs.
    """
    start, column, g, v, signs = pairs.start, pairs.column, pairs.g, pairs.v, pairs.signs
    alpha, lam, xi, t, q = point.alpha, point.lam, point.xi, point.t, point.q
    e, a, s, r, inverse = point.e, point.a, point.s, point.r, eliminated.inverse
    primal, dual, rise, kept = 1.0, 1.0, 0.0, 0.0
    for i in range(signs.size):
        along, through = signs[i] * db, 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            x, ei = g[k] * dw[j], e[k] * inverse[k]
            along += (1.0 - ei * a[k]) * x
            through += ei * r[k] * v[j] * x
        dalpha = (targets.h_alpha[i] - along + eliminated.ratio[i] * through) / eliminated.T[i]
        dlam = (targets.h_lam[i] + through) * eliminated.over[i] - eliminated.ratio[i] * dalpha
        used = 0.0
        for k in range(start[i], start[i + 1]):
            j = column[k]
            # s de + e ds and a dr + r da are to be the targets, where ds = da + u and dr = dalpha - de: two
            # equations in de and da, solved by Cramer's rule.
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
        # Rows without `lam` have a `ratio` and an `over` of zero, and so a dlam of zero.
        if lam[i] > 0.0:
            dq = pairs.budget * dalpha - used
            primal = shorten(primal, lam[i], dlam)
            dual = shorten(dual, q[i], dq)
        step.alpha[i], step.lam[i], step.xi[i], step.t[i], step.q[i] = dalpha, dlam, dxi, dt, dq
        rise += dxi * pairs.weights[i]
        kept += (pairs.total_value * dalpha - used) * pairs.weights[i]
    return Reach(primal, dual, rise, kept)
