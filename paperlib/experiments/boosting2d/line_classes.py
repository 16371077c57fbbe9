"""Section 2's definitions to the letter: every class of lines through a point, and what each misclassifies.

Slow and obvious, and without a line of the library's. The paper's statements are held against these.
"""

from functools import cmp_to_key

import numpy as np

from paperlib.experiments.boosting2d.exact import turns


def line_classes(X, centre, turn=None):
    """List the classes of oriented lines through a point (Lemma 2.7), each by where it has the points.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    centre : int
        Row of X.
    turn : ndarray of shape (n, n, n), optional
        The `exact.turns` of X, where they are known.

    Returns
    -------
    ndarray of shape (c, n), int8, of -1, 0 and 1
        Side of every point: positive, on the line, negative. In general position c is 4 n - 4, each oriented
        class once: Lemma 2.7 lists 4 n - 2, as it has the one about its base vector twice.

    Examples
    --------
    >>> line_classes(np.array([[0.0, 0.0], [1.0, 0.0]]), 0).tolist()
    [[0, 1], [0, -1], [0, 0], [0, 0]]
    """
    about = (turns(X) if turn is None else turn)[centre].tolist()
    place = X[centre]
    others = [i for i in range(len(X)) if tuple(X[i]) != tuple(place)]
    half = {i: 1 if (X[i, 1] - place[1], X[i, 0] - place[0]) > (0, 0) else -1 for i in others}

    def apart(i, j):
        return half[i] * half[j] * about[i][j]

    group, last, groups = {}, None, 0
    for i in sorted(others, key=cmp_to_key(lambda i, j: -apart(i, j))):
        groups += last is None or apart(last, i) != 0
        group[i], last = groups - 1, i
    positions = np.arange(max(2 * groups, 1))
    sides = np.zeros((len(positions), 2, len(X)), dtype=np.int8)
    for i in others:  # the line is on group g at position 2 g + 1, and between groups at even ones
        sides[:, 0, i] = half[i] * np.sign(2 * group[i] + 1 - positions)
    sides[:, 1] = -sides[:, 0]
    return sides.reshape(-1, len(X))


def misclassified(sides, positive, spared=None):
    """Return which points a line misclassifies, those on it included: Q(l).

    Parameters
    ----------
    sides : ndarray of shape (..., n)
    positive : ndarray of shape (n,), bool
    spared : bool, optional
        The class whose points on the line do not count: True for the positive separator set (Definition 2.4),
        False for the negative one of Section 3.

    Returns
    -------
    ndarray of the shape of `sides`, bool
    """
    signed = np.where(positive, sides, -sides)
    if spared is None:
        return signed <= 0
    return np.where(positive == spared, signed < 0, signed <= 0)


def dichotomies(X, turn=None):
    """List the ways in which lines that avoid all points divide them.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    turn : ndarray of shape (n, n, n), optional
        As for `line_classes`.

    Returns
    -------
    ndarray of shape (s, n), bool
        Without repeats.

    Examples
    --------
    >>> len(dichotomies(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])))
    6
    """
    n, turn = len(X), turns(X) if turn is None else turn
    found = [np.ones((1, n), dtype=bool), np.zeros((1, n), dtype=bool)]
    for centre in range(n):
        sides = line_classes(X, centre, turn)
        found += [sides > 0, sides >= 0]
    return distinct(np.concatenate(found))


def distinct(rows):
    """Return the distinct rows (s, n) of booleans in order, n at most 62; faster than `np.unique`."""
    codes = rows @ (1 << np.arange(rows.shape[1])[::-1])
    return rows[np.unique(codes, return_index=True)[1]]
