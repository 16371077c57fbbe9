"""Targets of a step of the interior point: the change asked of each product of a slack and its multiplier."""

from paperlib._common.jit import jit


@jit(error_model="numpy")
def outside(product, low, high):
    """Return the change that takes a product into [low, high], but at most `high` down (Gondzio)."""
    if product < low:
        return low - product
    if product > high:
        return max(high - product, -high)
    return 0.0


@jit(error_model="numpy")
def aim(pairs, point, step, dw, mu, targets):
    """Fill `targets` for the second-order corrector: every product is to become `mu`.

    The predictor `step` gives the second-order terms that a Newton step leaves out.
    """
    start, column, g, v = pairs.start, pairs.column, pairs.g, pairs.v
    for i in range(pairs.signs.size):
        alpha, xi = point.alpha[i], point.xi[i]
        targets.t[i] = mu - point.t[i] * alpha - step.t[i] * step.alpha[i]
        # Plus, since the multiplier of xi is 1 - alpha, which falls as alpha rises.
        targets.xi[i] = mu - xi * (1.0 - alpha) + step.xi[i] * step.alpha[i]
        targets.lam[i] = mu - point.lam[i] * point.q[i] - step.lam[i] * step.q[i]
        for k in range(start[i], start[i + 1]):
            j = column[k]
            # A pair that cannot be deleted has targets, too; its `inverse` of zero takes them out.
            ds = step.a[k] + v[j] * step.lam[i] - g[k] * dw[j]
            targets.e[k] = mu - point.s[k] * point.e[k] - ds * step.e[k]
            targets.a[k] = mu - point.a[k] * point.r[k] - step.a[k] * (step.alpha[i] - step.e[k])


@jit(error_model="numpy")
def centre(pairs, point, step, dw, primal, dual, low, high, old, new):
    """Fill `new` with the targets `old`, changed so that no product would end outside [low, high]."""
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
