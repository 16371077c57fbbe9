"""Local search: the hyperplane is turned in the best way about what it has in common with another one."""

import numpy as np

from paperlib.boosting2d._hyperplanes.boxes import ON

_SEED = 0  # of the directions; they are the same in every call


def descend(sample, plane, tries):
    """Turn a hyperplane in `tries` directions, each time to the best angle of all.

    Parameters
    ----------
    sample : Sample
    plane : ndarray of shape (D,)
    tries : int

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
        direction = rng.normal(size=len(plane)) if k % 2 else np.eye(len(plane))[k // 2 % len(plane)]
        turned = turn(products, vectors @ direction, weights, weight)
        if turned is not None:
            candidate = turned[0] * plane + turned[1] * direction
            candidate /= np.linalg.norm(candidate)
            changed = vectors @ candidate
            lighter = float(weights[changed <= ON].sum())
            if lighter < weight:
                plane, products, weight = candidate, changed, lighter
    return plane, weight


def turn(products, others, weights, least):
    """Return (c, s) for which ``c products + s others`` has the least weight at or below zero.

    None if that is not less than `least`.
    """
    # Where c, s = cos, sin of an angle in [0, pi), each changes its sign once, at its own angle.
    angles = np.mod(np.arctan2(products, -others), np.pi)
    order = np.argsort(angles, kind="stable")
    signed = np.where(products > 0, weights, -weights)[order]
    half = weights[products <= 0].sum() + np.cumsum(signed)
    costs = np.concatenate([half, weights.sum() - half])
    k = int(np.argmin(costs))
    if not costs[k] < least:
        return None
    ordered = np.append(angles[order], np.pi)
    place = k % len(angles)
    angle = (ordered[place] + ordered[place + 1]) / 2 + (np.pi if k >= len(angles) else 0.0)
    return np.cos(angle), np.sin(angle)
