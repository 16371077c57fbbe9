"""Figure 1: mirrored-radial coordinates, and the order that the algorithm has the points in."""

import numpy as np

from paperlib.boosting2d._geometry.mirrored_order import mirrored_order
from paperlib.experiments.boosting2d.samples import clouds


def mirrored_radial(X, centre):
    """Return the mirrored-radial projections of points, and their coordinates (Lemma 2.6, Figure 1).

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Other points than the centre; the base vector points to the right.
    centre : ndarray of shape (2,)

    Returns
    -------
    projection : ndarray of shape (n, 2)
        On the upper half of the unit circle around the centre.
    angle : ndarray of shape (n,), in [0, pi)

    Examples
    --------
    >>> mirrored_radial(np.array([[0.0, -2.0]]), np.zeros(2))[1] / np.pi
    array([0.5])
    """
    offset = X - centre
    below = (offset[:, 1] < 0) | ((offset[:, 1] == 0) & (offset[:, 0] < 0))
    offset = np.where(below[:, None], -offset, offset)
    projection = centre + offset / np.hypot(*offset.T)[:, None]
    return projection, np.arctan2(offset[:, 1], offset[:, 0])


def order_failures(n, n_samples, *, random_state=None):
    """Count points that the algorithm has at another place than their mirrored-radial coordinate (Figure 1).

    Parameters
    ----------
    n : int >= 2
    n_samples : int >= 1
        Samples of `samples.clouds`, each with its first point as the central one.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    int
    """
    rng = np.random.default_rng(random_state)
    failures = 0
    for _ in range(n_samples):
        X, _ = clouds(n, random_state=rng)
        x, y = np.ascontiguousarray(X.T)
        half, order = np.ones(n, dtype=np.int64), np.empty(n - 1, dtype=np.int64)
        scratch = np.empty((2, n), dtype=np.uint64)
        mirrored_order(x, y, 0, half, *scratch, order, np.empty(n - 1, dtype=np.bool_))
        expected = 1 + np.argsort(mirrored_radial(X[1:], X[0])[1], kind="stable")
        failures += int((order != expected).sum())
    return failures
