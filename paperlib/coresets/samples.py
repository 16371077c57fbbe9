"""Point sets that the notebook's experiments run on."""

import numpy as np

from paperlib._common.validation import check_number


def half_spaces(n, d, margin, *, random_state=None):
    """Draw unit vectors on both sides of a slab of half-width `margin` about the origin.

    The coordinate across the slab is uniform outside of it, the rest has a uniform direction, so that
    ``R = 1`` and the optimal margin is `margin` or a little more.

    Parameters
    ----------
    n : int >= 2
    d : int >= 2
    margin : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1, both met

    Examples
    --------
    >>> X, y = half_spaces(50, 3, 0.2, random_state=0)
    >>> bool((y * X[:, 0] >= 0.2).all()), np.linalg.norm(X, axis=1).round(9).max().item()
    (True, 1.0)
    """
    n = check_number(n, "n", low=2, integer=True)
    d = check_number(d, "d", low=2, integer=True)
    margin = check_number(margin, "margin", low=0, high=1, open_low=True, open_high=True)
    rng = np.random.default_rng(random_state)
    y = rng.permutation(np.where(np.arange(n) % 2, 1, -1))
    across = rng.uniform(margin, 1.0, size=n)
    rest = rng.normal(size=(n, d - 1))
    rest *= (np.sqrt(1.0 - across**2) / np.linalg.norm(rest, axis=1))[:, None]
    return np.column_stack([y * across, rest]), y


def star(n, ratio):
    """Make signed points that share one coordinate and have one of their own each: the slowest coresets.

    ``z_i = e_0 + sqrt(ratio^2 - 1) e_i``. Of k points the margin is ``sqrt(1 + (ratio^2 - 1) / k)``, and the
    reciprocal of it that of every other point. So about ``(ratio^2 - 1) / eps`` points are needed, whichever
    they are.

    Parameters
    ----------
    n : int >= 2
    ratio : float > 1
        ``R / rho`` for infinitely many points.

    Returns
    -------
    X : ndarray of shape (n, n + 1)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> X, y = star(4, 2.0)
    >>> (y[:, None] * X)[1].round(2).tolist()
    [1.0, 0.0, 1.73, 0.0, 0.0]
    """
    n = check_number(n, "n", low=2, integer=True)
    ratio = check_number(ratio, "ratio", low=1, open_low=True)
    y = np.where(np.arange(n) % 2, 1, -1)
    points = np.column_stack([np.ones(n), np.sqrt(ratio**2 - 1.0) * np.eye(n)])
    return y[:, None] * points, y


def hidden(n, k, *, random_state=None):
    """Put k of n points where the others say nothing of their label: Figure 3's needle, as a small cluster.

    The others are positive, about ``(1, 0, 0)``; the k are negative, about ``(1, -2, 0)``. A hyperplane that
    rests on the former alone has the latter on its positive side, and not near. ``R / rho`` is about 3.

    Parameters
    ----------
    n : int >= 2
    k : int, 1 <= k < n
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, 3)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> hidden(5, 2, random_state=0)[1].tolist()
    [-1, -1, 1, 1, 1]
    """
    n = check_number(n, "n", low=2, integer=True)
    k = check_number(k, "k", low=1, high=n - 1, integer=True)
    rng = np.random.default_rng(random_state)
    negative = np.arange(n) < k
    X = np.where(negative[:, None], [1.0, -2.0, 0.0], [1.0, 0.0, 0.0]) + rng.uniform(-0.05, 0.05, size=(n, 3))
    return X, np.where(negative, -1, 1)


def flipped(n, d, margin, k, *, random_state=None):
    """`half_spaces` with the labels of k points turned round.

    Parameters
    ----------
    n, d, margin
        As there.
    k : int, 0 <= k < n
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    outliers : ndarray of shape (k,), ascending

    Examples
    --------
    >>> X, y, outliers = flipped(20, 2, 0.2, 3, random_state=0)
    >>> bool((np.flatnonzero(y * X[:, 0] < 0) == outliers).all())
    True
    """
    rng = np.random.default_rng(random_state)
    X, y = half_spaces(n, d, margin, random_state=rng)
    k = check_number(k, "k", low=0, high=n - 1, integer=True)
    outliers = np.sort(rng.choice(n, size=k, replace=False))
    y[outliers] *= -1
    return X, y, outliers
