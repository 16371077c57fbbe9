"""Projection of an example's dual variables onto what the adversary and the hinge allow.

For one example these are its weight alpha and, for each of its features, the part r_j of alpha that the
adversary keeps (the e of `pairs` is alpha - r). The set is ``0 <= r_j <= alpha <= 1`` and ``sum_j v_j r_j >=
kept alpha``, where `kept` is the value that the budget does not cover.
"""

from paperlib._common.jit import jit

ROUNDED = 1e-12  # relative to `kept`: the constraint is met
MOST_STEPS = 60  # of the search for the multiplier; it takes two or three


@jit(error_model="numpy")
def largest_weight(alpha, r, v, kept, lam):
    """Return the alpha in [0, 1] nearest to a point whose r is free to follow, for a given multiplier.

    It is the root of ``a - alpha + lam kept - sum_j (r_j + lam v_j - a)_+``, which is concave and increases:
    Newton's steps from the left stay on the left, and end after as many as there are kinks.
    """
    a = 0.0
    for _ in range(r.size + 1):
        total, count = alpha - lam * kept, 1.0
        for j in range(r.size):
            x = r[j] + lam * v[j]
            if x > a:
                total += x
                count += 1.0
        nearer = total / count
        if nearer >= 1.0:
            return 1.0
        if not nearer > a:
            break
        a = nearer
    return a


@jit(error_model="numpy")
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
    a = largest_weight(alpha, r, v, kept, lam)
    for _ in range(MOST_STEPS):
        if kept <= 0.0 or a <= 0.0:
            break
        excess, slope, capped, count = -kept * a, 0.0, 0.0, 1.0
        for j in range(r.size):
            x = r[j] + lam * v[j]
            if x >= a:
                excess += v[j] * a
                capped += v[j]
                count += 1.0
            elif x > 0.0:
                excess += v[j] * x
                slope += v[j] * v[j]
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
        if not (lam > low or lam == low == 0.0) or (high >= 0.0 and lam >= high):
            if high < 0.0:
                lam = 2.0 * low + 1.0
            else:
                lam = 0.5 * (low + high) if low > 0.0 or high > ROUNDED else 0.0
        a = largest_weight(alpha, r, v, kept, lam)
    for j in range(r.size):
        r[j] = min(max(r[j] + lam * v[j], 0.0), a)
    return a, lam
