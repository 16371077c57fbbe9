"""Point sets that the notebook's experiments run on."""

from typing import Literal

import numpy as np

from paperlib._common.random_state import RandomState
from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number
from paperlib.experiments import datasets
from paperlib.experiments.coresets.measures import best_hyperplane


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
    reciprocal of it that of every other point. So the rule of Figure 1 ends after about ``(ratio^2 - 1) (1 /
    eps - 1)`` points, whichever they are. Half of them are a coreset by Definition 2.2 already.

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


def staircase(ratio, eps, filler=0):
    """Make signed points of length one, each of which violates by hardly more than it must.

    The coreset of those before has the normal w and the margin rho. The next point is ``(1 - eps) rho``
    along w, less one part in a million, and the rest of it is along an axis of its own. So it takes as
    little from rho as a violator can, and all before it keep the coreset's margin: taken in this order, all
    of them join.

    Parameters
    ----------
    ratio : float > 1
        ``R / rho``; the steps end before it is passed.
    eps : float in (0, 1)
    filler : int
        Copies of the last normal behind them, which never violate.

    Returns
    -------
    X : ndarray of shape (k + filler, k)
    y : ndarray of shape (k + filler,), of -1 and +1
    k : int
        Steps.

    Examples
    --------
    >>> X, y, k = staircase(2.0, 0.5, 3)
    >>> X.shape, k
    ((14, 11), 11)
    """
    ratio = check_number(ratio, "ratio", low=1, open_low=True)
    eps = check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True) * (1.0 + 1e-6)
    margins = [1.0]
    while True:
        q = margins[-1] ** -2
        q += eps**2 * q / (q - (1.0 - eps) ** 2)
        if q > ratio**2:
            break
        margins.append(q**-0.5)
    k = len(margins)
    points, nearest = np.eye(k), np.eye(k)[0]
    for i in range(1, k):
        along = (1.0 - eps) * margins[i - 1]
        points[i, i] = np.sqrt(1.0 - along**2)
        points[i, :i] = along * nearest[:i] / margins[i - 1]
        apart = nearest - points[i]
        nearest = nearest - (nearest @ apart) / (apart @ apart) * apart
    points = np.vstack([points, np.tile(nearest / np.linalg.norm(nearest), (filler, 1))])
    y = np.where(np.arange(len(points)) % 2, 1, -1)
    return y[:, None] * points, y, k


def uneven(n, d, *, random_state=None):
    """Draw points in all directions whose lengths differ by factors, on both sides of a thin slab.

    The hyperplane of the first few is far from the last one, and some point lies almost in the direction in
    which it moves: what is not read again in time is missed here.

    Parameters
    ----------
    n, d : int >= 2
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1, both met

    Examples
    --------
    >>> X, y = uneven(50, 2, random_state=0)
    >>> bool((y * X[:, 0] > 0.1).all()), abs(y.sum()).item()
    (True, 0)
    """
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n, d))
    X *= np.exp(rng.normal(size=n))[:, None] / np.linalg.norm(X, axis=1)[:, None]
    y = rng.permutation(np.where(np.arange(n) % 2, 1, -1))
    X[:, 0] = y * (np.abs(X[:, 0]) + 0.1)
    return X, y


def axes(n, copies=1):
    """Make signed points along n axes, all of length one: a perceptron has to see each of them.

    ``R / rho`` is ``sqrt(n)``, so that its bound, the square of that, is n.

    >>> X, y = axes(2, 2)
    >>> (y[:, None] * X).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    y = np.where(np.arange(n * copies) % 2, 1, -1)
    return y[:, None] * np.tile(np.eye(n), (copies, 1)), y


def hidden(n, k, *, spread=0.05, random_state=None):
    """Put k of n points where the others say nothing of their label: Figure 3's needle, as a small cluster.

    The others are positive, about ``(1, 0, 0)``; the k are negative, about ``(1, -2, 0)``. A hyperplane that
    rests on the former alone has the latter on its positive side, and not near. ``R / rho`` is about 3.

    Parameters
    ----------
    n : int >= 2
    k : int, 1 <= k < n
    spread : float
        Half-width of the two clusters.
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
    X = np.where(negative[:, None], [1.0, -2.0, 0.0], [1.0, 0.0, 0.0])
    X = X + rng.uniform(-spread, spread, size=(n, 3))
    return X, np.where(negative, -1, 1)


def in_turn(n, k, size):
    """Put points in k clusters of which verification finds one at a time, after all those before it.

    A cluster is one point many times. With signed points ``z_1, ..., z_k`` and the hyperplane of largest
    margin of the first j of them, all have that margin or more but ``z_(j+1)``, which has its negative: it is
    on the wrong side, and no point is near. So a learner which knows j clusters is wrong on the next only.

    Parameters
    ----------
    n, k : int
        Points, and clusters, two or more.
    size : int >= 1
        Of each cluster but the first, which has those that are left.

    Returns
    -------
    X : ndarray of shape (n, k)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> X, y = in_turn(4, 3, 1)
    >>> (y[:, None] * X).round(2).tolist()
    [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [1.0, -1.0, 1.41]]
    """
    n = check_number(n, "n", low=1 + (k - 1) * size, integer=True)
    centres, normals, wanted = np.zeros((k, k)), np.zeros((k - 1, k)), np.zeros(k - 1)
    centres[0, 0] = 1.0
    for j in range(1, k):
        wanted[j - 1], normals[j - 1] = best_hyperplane(centres[:j])
        signs = np.where(np.arange(j) == j - 1, -1.0, 1.0)
        centres[j, :j] = np.linalg.lstsq(normals[:j, :j], signs * wanted[:j], rcond=None)[0]
        centres[j, j] = max(1.0, np.linalg.norm(centres[j, :j]))
    points = np.repeat(centres, [n - (k - 1) * size] + [size] * (k - 1), axis=0)
    y = np.where(np.arange(n) % 2, 1, -1)
    return y[:, None] * points, y


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


def bunch(n, d, spread, k=1, *, random_state=None):
    """Signed points about one place, the largest norm little more than the margin, and k outliers.

    Parameters
    ----------
    n, d, k : int
    spread : float > 0
        Largest distance from that place, which has length one.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,), of -1 and +1
        Every second one of either.
    outliers : ndarray of shape (k,)

    Examples
    --------
    >>> X, y, outliers = bunch(20, 3, 0.2, random_state=0)
    >>> bool((np.flatnonzero(y * X[:, 0] < 0) == outliers).all())
    True
    """
    rng = np.random.default_rng(random_state)
    X = np.eye(d)[0] + spread * rng.uniform(-1, 1, size=(n, d)) / np.sqrt(d)
    y = np.where(np.arange(n) % 2, 1, -1)
    outliers = rng.choice(n, size=k, replace=False)
    X[outliers] *= -1
    return y[:, None] * X, y, outliers


def two_digits(images, a, b, n):
    """Take the images of two digits, as they come, at most n of them, and of both.

    Parameters
    ----------
    images : paperlib.experiments.datasets.Dataset
        Images of digits, with pixels of 0 to 255.
    a, b : int
        The negative digit and the positive one.
    n : int >= 2

    Returns
    -------
    X : ndarray of shape (m, d), m <= n
        Pixels between 0 and 1.
    y : ndarray of shape (m,), of -1 and +1

    Examples
    --------
    >>> X, y = two_digits(datasets.load("mnist"), 6, 7, 100)
    >>> X.shape, y.sum().item()
    ((100, 784), 0)
    """
    rows = np.flatnonzero(np.isin(images.y, (a, b)))
    labels = images.y[rows]
    if (np.diff(labels) >= 0).all():  # the bundled ones are sorted by class: both classes by turns
        place_in_class = np.arange(len(rows)) - np.searchsorted(labels, labels)
        rows = np.sort(rows[np.argsort(place_in_class, kind="stable")[:n]])
    rows = rows[:n]
    return images.X[rows] / 255.0, np.where(images.y[rows] == b, 1, -1)


def digit_sequences(
    n: int = 100,
    length: int = 6,
    *,
    follow: float = 0.9,
    noise: float = 0.0,
    part: Literal["train", "test"] = "train",
    random_state: RandomState = None,
) -> tuple[Floats, Integers]:
    """Make sequences of digit images in which one digit tends to follow another.

    The first digit is drawn at random; each next one is the one before plus one, modulo 10, with probability
    `follow`, and any digit otherwise. Its image is a random one of that digit: of the first half of the
    bundled 8x8 images for training, of the second half for testing.

    Parameters
    ----------
    n : int, >= 1
        Number of sequences.
    length : int, >= 1
        Images a sequence.
    follow : float in [0, 1]
    noise : float, >= 0
        Standard deviation of Gaussian noise on the pixels, which are between 0 and 1.
    part : {"train", "test"}
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, length, 65)
        Pixels between 0 and 1 before the noise, and a last entry of one.
    Y : ndarray of shape (n, length)
        The digits.

    Examples
    --------
    >>> X, Y = digit_sequences(3, 4, follow=1.0, random_state=0)
    >>> X.shape, Y.tolist()
    ((3, 4, 65), [[8, 9, 0, 1], [6, 7, 8, 9], [5, 6, 7, 8]])
    """
    n = check_number(n, "n", low=1, integer=True)
    length = check_number(length, "length", low=1, integer=True)
    check_number(follow, "follow", low=0, high=1)
    check_number(noise, "noise", low=0)
    if part not in ("train", "test"):
        raise ValueError(f"part must be 'train' or 'test', got {part!r}")
    rng = np.random.default_rng(random_state)
    images = datasets.load("digits")
    half = len(images.y) // 2
    rows = np.arange(half) if part == "train" else np.arange(half, len(images.y))
    Y = np.empty((n, length), dtype=np.int64)
    Y[:, 0] = rng.integers(10, size=n)
    for t in range(1, length):
        jumps = rng.random(n) >= follow
        Y[:, t] = np.where(jumps, rng.integers(10, size=n), (Y[:, t - 1] + 1) % 10)
    chosen = np.empty_like(Y)
    for digit in range(10):
        at = np.equal(Y, digit)
        chosen[at] = rng.choice(rows[images.y[rows] == digit], at.sum())
    pixels = images.X[chosen] / images.X.max()
    if noise > 0.0:
        pixels = pixels + rng.normal(scale=noise, size=pixels.shape)
    return np.concatenate([pixels, np.ones((n, length, 1))], axis=2), Y
