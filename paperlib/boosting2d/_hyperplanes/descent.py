"""Local search: the hyperplane is turned in the best way about what it has in common with another one."""

import numpy as np

from paperlib._common.deadline import NO_LIMIT
from paperlib.boosting2d._hyperplanes.boxes import ON

FAR = 1e100  # a ratio that is as good as infinite
_SEED = 0  # of the directions; they are the same in every call


def descend(sample, plane, tries, deadline=NO_LIMIT):
    """Turn a hyperplane in `tries` directions, each time to the best angle of all, while there is time.

    Parameters
    ----------
    sample : Sample
    plane : ndarray of shape (D,)
    tries : int
    deadline : Deadline

    Returns
    -------
    plane : ndarray of shape (D,)
    weight : float
        Of the points on its wrong side or on it.
    """
    vectors, weights = sample
    rng = np.random.default_rng(_SEED)
    plane = plane / np.linalg.norm(plane)
    products = vectors @ plane
    weight = float(weights[products <= ON].sum())
    for k in range(tries):
        if deadline.is_over():
            break
        direction = rng.normal(size=len(plane)) if k % 2 else np.eye(len(plane))[k // 2 % len(plane)]
        turned = turn(products, vectors @ direction, weights, weight)
        if turned is not None:
            candidate = turned[0] * plane + turned[1] * direction
            length = np.linalg.norm(candidate)
            if length == 0.0:  # the direction is the plane's own normal
                continue
            candidate /= length
            changed = vectors @ candidate
            lighter = float(weights[changed <= ON].sum())
            if lighter < weight:
                plane, products, weight = candidate, changed, lighter
    return plane, weight


def turn(products, others, weights, least):
    """Return (c, s) on the unit circle for which ``c products + s others`` is best, None if none is better.

    The best has the least weight at or below zero; it is better if that is below `least`.
    """
    # At c / s = infinity the signs are those of `products`; on its way down to minus infinity each product
    # changes its sign once. Quotients are the same on every processor, angles are not.
    divisors = np.where(products == 0, 1.0, products)
    ratios = np.clip(np.where(products == 0, FAR, -others / divisors), -FAR, FAR)
    order = np.argsort(-ratios, kind="stable")
    signed = np.where(products > 0, weights, -weights)[order]
    half = weights[products <= 0].sum() + np.cumsum(signed)
    # Just past each change of sign, and the same with all signs turned.
    costs = np.concatenate([half, weights.sum() - half])
    k = int(np.argmin(costs))
    if not costs[k] < least:
        return None
    ordered = ratios[order]
    ordered = np.append(ordered, ordered[-1] - 1.0 - abs(ordered[-1]))
    place = k % len(ratios)
    ratio = (ordered[place] + ordered[place + 1]) / 2
    sign = 1.0 if k < len(ratios) else -1.0
    return sign * ratio / np.sqrt(1.0 + ratio * ratio), sign / np.sqrt(1.0 + ratio * ratio)
