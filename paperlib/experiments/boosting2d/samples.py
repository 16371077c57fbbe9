"""The notebook's points: those of the paper's pictures, its counterexamples, and random ones."""

import math

import numpy as np

from paperlib._common.validation import check_number

# The shift of the positive cloud; that of the negative one is its opposite.
CLOUD_SHIFT = np.array([0.8, 0.4])

# One positive point amid negative ones: the optimal line predicts everything negative.
LONELY = (
    np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]),
    np.array([True, False, False, False, False]),
    np.ones(5),
)
# Three points in line, each an optimal separator set or heavier: e_i is a weight, not 1.
WEIGHTED = (
    np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]),
    np.array([True, False, True]),
    np.array([5.0, 2.0, 5.0]),
)
# Points of both classes at one place: every line through the positive one has the negative one on it.
COINCIDING = (np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([False, True]), np.ones(2))
# A point that a line labels type III, is of type II, and is labelled so by no line through another point.
UNLABELLED = (
    np.array([[2.0, 0.0], [2.0, 2.0], [2.0, 1.0], [2.0, 2.0]]),
    np.array([True, True, False, False]),
    np.array([1.0, 2.0, 1.0, 1.0]),
)
# What is counted decides: distinct sets, occurrences, and the printed counters give three errors.
FIVE = (
    np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 1.0]]),
    np.array([False, False, True, True, False]),
    np.ones(5),
)
COUNTEREXAMPLES = (LONELY, WEIGHTED, COINCIDING, UNLABELLED, FIVE)


def introduction(*, noise=0.0, n=14, random_state=None):
    """Draw the introduction's pictures: two classifiers that each err never, or sometimes.

    Parameters
    ----------
    noise : float in [0, 1]
        Share of the points of each class that are put on the other side.
    n : int >= 1
        Points of each class.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (2 n, 2)
        Scores of the two classifiers.
    y : ndarray of shape (2 n,), of -1 and +1
    """
    noise = check_number(noise, "noise", low=0, high=1)
    n = check_number(n, "n", low=1, integer=True)
    rng = np.random.default_rng(random_state)
    y = np.repeat([-1, 1], n)
    side = y * np.where(np.arange(2 * n) % n < round(noise * n), -1, 1)
    X = side[:, None] * (0.35 + rng.gamma(2.0, 0.35, size=(2 * n, 2)))
    if noise:
        X += rng.normal(scale=0.35, size=X.shape)
    return X, y


def two_optimal_sets():
    """Return Figure 2: two separator sets of two points each, one of which leaves a wider gap.

    Returns
    -------
    X : ndarray of shape (16, 2)
        The two points of each class that are on the other's side come last in it.
    y : ndarray of shape (16,), of -1 and +1
    """
    negative = [
        (0.3, 1.0),
        (0.2, 2.3),
        (0.5, 3.4),
        (1.0, 0.4),
        (1.1, 3.0),
        (0.9, 1.9),
        (3.8, 2.3),
        (3.9, 1.7),
    ]
    positive = [
        (4.9, 0.8),
        (4.6, 3.2),
        (5.4, 2.5),
        (5.6, 1.4),
        (5.1, 3.9),
        (4.8, 2.0),
        (3.1, 2.3),
        (2.9, 1.4),
    ]
    return np.array(negative + positive), np.repeat([-1, 1], 8)


def clouds(n, *, balanced=False, random_state=None):
    """Draw two overlapping unit Gaussian clouds, of equal probability.

    Parameters
    ----------
    n : int >= 1
    balanced : bool
        Whether the clouds take turns, so that they have as many points each; else each point is drawn from
        either by lot.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,), of -1 and +1

    Examples
    --------
    >>> X, y = clouds(5, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((5, 2), [-1, 1])
    """
    n = check_number(n, "n", low=1, integer=True)
    rng = np.random.default_rng(random_state)
    y = np.where(np.arange(n) % 2 == 0 if balanced else rng.random(n) < 0.5, -1, 1)
    return rng.normal(size=(n, 2)) + y[:, None] * CLOUD_SHIFT, y


def clouds_error(normal, offset):
    """Return the probability that a line misclassifies a point of `clouds`.

    Parameters
    ----------
    normal : ndarray of shape (2,)
        Of length one.
    offset : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(clouds_error(np.array([1.0, 0.0]), 0.0), 6)
    0.211855
    """
    shift = float(normal @ CLOUD_SHIFT)
    tails = (math.erfc((shift + sign * offset) / math.sqrt(2)) / 2 for sign in (1, -1))
    return sum(tails) / 2


def bayes_error():
    """Return the error of the best line for `clouds`, whose normal is their shift.

    >>> round(bayes_error(), 4)
    0.1855
    """
    return clouds_error(CLOUD_SHIFT / np.hypot(*CLOUD_SHIFT), 0.0)


def small_sample(rng, largest=7):
    """Draw a small sample with every kind of degeneracy: grids, lines, coinciding points, equal weights.

    Parameters
    ----------
    rng : numpy.random.Generator
    largest : int >= 2

    Returns
    -------
    X : ndarray of shape (n, 2), 2 <= n <= largest
        Integers in half of the cases.
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers, so that their sums are exact.
    """
    n = int(rng.integers(2, largest + 1))
    X = [
        lambda: rng.normal(size=(n, 2)),
        lambda: rng.integers(0, 3, size=(n, 2)).astype(float),
        lambda: rng.normal(size=(n, 2)),
        lambda: rng.integers(0, 5, size=(n, 1)) * np.array([[1.0, 2.0]]),
    ][rng.integers(4)]()
    positive = rng.random(n) < rng.choice([0.3, 0.5, 0.7])
    if rng.random() < 0.3:  # clean but for one: then the margin matters
        positive = X @ rng.normal(size=2) > 0
        positive[rng.integers(n)] ^= True
    weights = np.ones(n) if rng.random() < 0.5 else rng.integers(1, 5, size=n).astype(float)
    return X, positive, weights


def larger_sample(rng):
    """Draw a sample that branch and bound has to divide, of points on a grid of one kind or another.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n, 2), 30 <= n <= 50
        Two clouds on a fine grid, with few ties; or points on a coarse one, where they coincide and are in
        line. Either is such that 64 bits hold all products of integers.
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers.
    """
    n = int(rng.integers(30, 51))
    X, y = clouds(n, random_state=rng)
    if rng.random() < 0.3:
        X = (3 * X).round()
    positive = rng.random(n) < 0.5 if rng.random() < 0.3 else y > 0
    weights = np.ones(n) if rng.random() < 0.5 else rng.integers(1, 5, size=n).astype(float)
    return np.round(X * 2.0**20) / 2.0**20, positive, weights


def nearly_in_line(rng):
    """Draw points that are in line but for the rounding of tenths: no floating-point sign can be trusted.

    Parameters
    ----------
    rng : numpy.random.Generator

    Returns
    -------
    X : ndarray of shape (n, 2), 4 <= n <= 12
    positive : ndarray of shape (n,), bool
    weights : ndarray of shape (n,)
        Integers.
    """
    n = int(rng.integers(4, 13))
    along = rng.permutation(40)[:n]
    X = np.column_stack([0.1 * along, 0.3 * along + 0.7])
    return X, rng.random(n) < 0.5, rng.integers(1, 5, size=n).astype(float)
