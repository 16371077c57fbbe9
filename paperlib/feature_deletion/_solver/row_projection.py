"""Projection of an example's dual variables onto what the adversary and the hinge allow.

For one example these are its weight alpha and, for each of its features, the part r_j of alpha that the
adversary keeps (the e of `pairs` is alpha - r). The set is ``0 <= r_j <= alpha <= 1`` and ``sum_j v_j r_j >=
kept alpha``, where `kept` is the value that the budget does not cover.
"""

from paperlib._common.jit import jit

ROUNDED = 1e-12  # relative to `kept`: the constraint is met
MOST_STEPS = 60  # of the search for the multiplier; it takes two or three


# Inlined by force, since sums may be reordered: `jit` says why.
@jit(error_model="numpy", fastmath={"reassoc", "nnan", "nsz"}, forceinline=True)
def largest_weight(alpha, r, v, kept, lam, a):
    """Return the alpha in [0, 1] nearest to a point whose r is free to follow, for a given multiplier.

    It is the root of ``a - alpha + lam kept - sum_j (r_j + lam v_j - a)_+``, which is concave and increases:
    wherever Newton's steps start, the first ends on the left, and the others stay there. They end after as
    many as there are kinks.

    Parameters
    ----------
    a : float in [0, 1]
        Where the search starts.
    """
    for step in range(r.size + 2):
        total, count = alpha - lam * kept, 1.0
        for j in range(r.size):
            x = r[j] + lam * v[j]
            above = x > a
            total += x if above else 0.0
            count += above
        nearer = min(max(total / count, 0.0), 1.0)
        if nearer == a or (step > 0 and nearer < a):
            break
        a = nearer
    return a


@jit(error_model="numpy", fastmath={"reassoc", "nnan", "nsz"}, forceinline=True)
def project(alpha, r, v, kept, lam):
    """Move `r` in place, and return alpha and the multiplier of the budget; `lam` is where its search starts.

    Parameters
    ----------
    alpha : float
    r, v : ndarray of shape (k,)
        Of the features that are not zero, as are their values.
    kept : float
        Where it is not positive the budget covers the example, and only ``0 <= r_j <= alpha <= 1`` is left.
    lam : float >= 0

    Returns
    -------
    alpha, lam : float
    """
    low, high = 0.0, -1.0  # of the multiplier; -1 stands for no limit yet
    lam = lam if kept > 0.0 else 0.0
    a = largest_weight(alpha, r, v, kept, lam, min(max(alpha, 0.0), 1.0))
    for _ in range(MOST_STEPS):
        if kept <= 0.0 or a <= 0.0:
            break
        excess, slope, capped, count = -kept * a, 0.0, 0.0, 1.0
        for j in range(r.size):
            x = r[j] + lam * v[j]
            is_capped, is_inside = x >= a, x > 0.0 and x < a
            excess += v[j] * min(max(x, 0.0), a)
            capped += v[j] if is_capped else 0.0
            count += is_capped
            slope += v[j] * v[j] if is_inside else 0.0
        # The excess grows with the multiplier. One above zero may stay only where the multiplier is zero:
        # the constraint does not bind then.
        if abs(excess) <= ROUNDED * kept or (excess > 0.0 and lam == 0.0):
            break
        if excess < 0.0:
            low = lam
        else:
            high = lam
        # With a multiplier that grows, a capped feature moves alpha along, but not beyond 1.
        if a < 1.0:
            slope += (capped - kept) * (capped - kept) / count
        lam = lam - excess / slope if slope > 0.0 else -1.0
        # Where Newton's step leaves the bracket, double as long as there is no upper limit, then halve.
        if not (lam > low or lam == low == 0.0) or (high >= 0.0 and lam >= high):
            if high < 0.0:
                lam = 2.0 * low + 1.0
            else:
                lam = 0.5 * (low + high) if low > 0.0 or high > ROUNDED else 0.0
        a = largest_weight(alpha, r, v, kept, lam, a)
    for j in range(r.size):
        r[j] = min(max(r[j] + lam * v[j], 0.0), a)
    return a, lam
