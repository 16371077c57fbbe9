"""Data of the paper's examples: the gap of Section 3.1, typical and rare examples, wrong labels."""

import numpy as np

from paperlib._common.validation import check_binary_signs, check_number


def gap_points(alpha):
    """Return ``z_1 = (alpha, 1)`` and ``z_2 = (alpha, -2 alpha)`` of Section 3.1, as rows.

    Parameters
    ----------
    alpha : float > 0

    Returns
    -------
    ndarray of shape (2, 2)

    Examples
    --------
    >>> gap_points(0.5).tolist()
    [[0.5, 1.0], [0.5, -1.0]]
    """
    alpha = check_number(alpha, "alpha", low=0, open_low=True)
    return np.array([[alpha, 1.0], [alpha, -2.0 * alpha]])


def gap_sample(m, alpha, eps, *, random_state=None):
    """Draw from the distribution of Section 3.1: ``x = y z_2`` with probability eps, else ``y z_1``.

    Parameters
    ----------
    m : int >= 1
    alpha : float > 0
    eps : float in (0, 1)
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (m, 2)
    y : ndarray of shape (m,)
        Labels -1 and +1, as likely.

    Examples
    --------
    >>> X, y = gap_sample(3, 0.1, 0.5, random_state=0)
    >>> X.tolist(), y.tolist()
    ([[0.1, -0.2], [0.1, -0.2], [0.1, 1.0]], [1.0, 1.0, 1.0])
    """
    m = check_number(m, "m", low=1, integer=True)
    eps = check_number(eps, "eps", low=0, high=1, open_low=True, open_high=True)
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1.0, 1.0], size=m)
    rare = rng.random(m) < eps
    return y[:, None] * gap_points(alpha)[rare.astype(int)], y


def gap_training_set(alpha, eps, *, random_state=None):
    """Return the sample of `gap_sample` with the counts of its expectation: ``2 / eps`` rows.

    Two of them are rare, one of each label, so that a consistent hypothesis has no error at all.

    Parameters
    ----------
    alpha : float > 0
    eps : float in (0, 1/2]
    random_state : int, numpy.random.Generator or None
        For the order of the rows.

    Returns
    -------
    X : ndarray of shape (m, 2)
    y : ndarray of shape (m,)

    Examples
    --------
    >>> X, y = gap_training_set(0.1, 0.1, random_state=0)
    >>> len(y), int((abs(X[:, 1]) < 1).sum()), int(y.sum())
    (20, 2, 0)
    """
    eps = check_number(eps, "eps", low=0, high=0.5, open_low=True)
    m = 2 * round(1.0 / eps)
    y = np.tile([-1.0, 1.0], m // 2)
    kinds = np.zeros(m, dtype=int)
    kinds[:2] = 1
    order = np.random.default_rng(random_state).permutation(m)
    return (y[:, None] * gap_points(alpha)[kinds])[order], y[order]


def mostly_easy_sample(m=300, n_hard=3, *, random_state=None):
    """Draw points of the plane that nearly any line through the origin separates, but for a few.

    Times their labels, the easy ones are about (0.01, 1); the hard ones lie close to the origin, at about
    (0.01, -0.02). A line for all is nearly upright, such as that of w = (5, 1).

    Parameters
    ----------
    m : int >= 1
    n_hard : int in [0, m]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (m, 2)
        The hard points first.
    y : ndarray of shape (m,)
        Labels -1 and +1, in turns.

    Examples
    --------
    >>> X, y = mostly_easy_sample(random_state=0)
    >>> ((y * X[:, 1])[:4] > 0).tolist(), int((y * (X @ [5.0, 1.0]) <= 0.0).sum())
    ([False, False, False, True], 0)
    """
    m = check_number(m, "m", low=1, integer=True)
    n_hard = check_number(n_hard, "n_hard", low=0, high=m, integer=True)
    rng = np.random.default_rng(random_state)
    y = np.resize([-1.0, 1.0], m)
    X = np.column_stack([rng.normal(0.01, 0.01, m), rng.normal(1.0, 0.22, m).clip(0.3, 1.7)])
    X[:n_hard] = rng.normal((0.01, -0.02), 0.001, (n_hard, 2))
    return X * y[:, None], y


def ten_points():
    """Return ten points of the plane, one of them hard: nine ask for a flat line, this one for a steep one.

    Times their labels, the easy ones lie about (0.2, 1.2), the hard one at (0.15, -0.25).

    Returns
    -------
    X : ndarray of shape (10, 2)
        The hard point first.
    y : ndarray of shape (10,)
        Labels -1 and +1, in turns.

    Examples
    --------
    >>> X, y = ten_points()
    >>> int((y * (X @ [0.0, 1.0]) <= 0.0).sum()), int((y * (X @ [2.0, 1.0]) <= 0.0).sum())
    (1, 0)
    """
    first = [0.15, -0.4, 0.1, 0.45, 0.0, -0.2, 0.3, 0.6, 0.75, -0.1]
    second = [-0.25, 1.5, 0.7, 1.1, 1.15, 1.8, 1.55, 0.75, 1.7, 0.95]
    signed = np.column_stack([first, second])
    y = np.resize([-1.0, 1.0], 10)
    return y[:, None] * signed, y


def separable_sample(m, d, margin=0.1, *, random_state=None):
    """Draw Gaussian points at least `margin` away from a random hyperplane through the origin.

    Parameters
    ----------
    m, d : int >= 1
    margin : float >= 0
        Points that are nearer are moved away from the hyperplane by twice as much.
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : ndarray of shape (m, d)
    y : ndarray of shape (m,)
        Labels -1 and +1.
    normal : ndarray of shape (d,)
        Of length one.

    Examples
    --------
    >>> X, y, normal = separable_sample(100, 3, 0.2, random_state=0)
    >>> bool((y * (X @ normal)).min() >= 0.2)
    True
    """
    m = check_number(m, "m", low=1, integer=True)
    d = check_number(d, "d", low=1, integer=True)
    margin = check_number(margin, "margin", low=0)
    rng = np.random.default_rng(random_state)
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    X = rng.normal(size=(m, d))
    distance = X @ normal
    y = np.where(distance > 0.0, 1.0, -1.0)
    X += np.where(abs(distance) < margin, 2.0 * margin * y, 0.0)[:, None] * normal
    return X, y, normal


def crossing_sample(m, spread, *, random_state=None):
    """Draw three points, each with both signs, on which a step on the rare one undoes one on another.

    One row is ``y (-1, spread, 0)``, a tenth of them ``y (1, spread, 0)`` and all others ``y (1/2, 0, 1)``.
    The least w with a margin of 1 is ``(0, 1 / spread, 1)``. Uniform draws wait m rounds for the one row, and
    a step on it is undone by the next of the tenth, again and again.

    Parameters
    ----------
    m : int >= 20
    spread : float in (0, 1/2]
    random_state : int, numpy.random.Generator or None
        For the labels.

    Returns
    -------
    X : ndarray of shape (m, 3)
    y : ndarray of shape (m,)
        Labels -1 and +1, as likely.

    Examples
    --------
    >>> X, y = crossing_sample(20, 0.1, random_state=0)
    >>> np.unique(y[:, None] * X, axis=0, return_counts=True)[1].tolist()
    [1, 17, 2]
    """
    m = check_number(m, "m", low=20, integer=True)
    spread = check_number(spread, "spread", low=0, high=0.5, open_low=True)
    points = np.array([[-1.0, spread, 0.0], [1.0, spread, 0.0], [0.5, 0.0, 1.0]])
    kinds = np.repeat([0, 1, 2], [1, m // 10, m - 1 - m // 10])
    y = np.random.default_rng(random_state).choice([-1.0, 1.0], size=m)
    return y[:, None] * points[kinds], y


def flip_labels(y, n_flipped, *, random_state=None):
    """Return a copy of labels -1 and +1 of which `n_flipped` are wrong, and their positions.

    Parameters
    ----------
    y : ndarray of shape (m,)
    n_flipped : int in [0, m]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    y : ndarray of shape (m,)
    flipped : ndarray of shape (n_flipped,)

    Examples
    --------
    >>> flip_labels(np.ones(4), 1, random_state=0)
    (array([ 1.,  1.,  1., -1.]), array([3]))
    """
    wrong = check_binary_signs(y)
    n_flipped = check_number(n_flipped, "n_flipped", low=0, high=len(y), integer=True)
    flipped = np.random.default_rng(random_state).choice(len(y), n_flipped, replace=False)
    wrong[flipped] *= -1.0
    return wrong, flipped


def conjunction_sample(m, rare, n_features=8, n_relevant=4, *, random_state=None):
    """Draw the faces of Section 3.2: typical examples have all relevant features or none, rare ones lack one.

    Half of the typical examples are faces, which have all relevant features, and half have none of them. Rare
    examples are no faces, and lack one relevant feature, by the shares of `shares_of_lacking`. All other
    features are a coin each.

    Parameters
    ----------
    m : int >= 1
    rare : float in [0, 1]
        Share of the rare distribution.
    n_features : int >= 1
    n_relevant : int in [1, n_features]
    random_state : int, numpy.random.Generator or None

    Returns
    -------
    X : boolean ndarray of shape (m, n_features)
        The relevant features first.
    y : boolean ndarray of shape (m,)
        True for a face.
    is_rare : boolean ndarray of shape (m,)

    Examples
    --------
    >>> X, y, is_rare = conjunction_sample(1000, 0.1, random_state=0)
    >>> bool((X[:, :4].all(axis=1) == y).all()), X[is_rare, :4].sum(axis=1).tolist() == [3] * is_rare.sum()
    (True, True)
    """
    m = check_number(m, "m", low=1, integer=True)
    rare = check_number(rare, "rare", low=0, high=1)
    n_features = check_number(n_features, "n_features", low=1, integer=True)
    n_relevant = check_number(n_relevant, "n_relevant", low=1, high=n_features, integer=True)
    rng = np.random.default_rng(random_state)
    X = rng.random((m, n_features)) < 0.5
    is_rare = rng.random(m) < rare
    y = (rng.random(m) < 0.5) & ~is_rare
    X[:, :n_relevant] = (y | is_rare)[:, None]
    lacking = np.flatnonzero(is_rare)
    X[lacking, rng.choice(n_relevant, size=len(lacking), p=shares_of_lacking(n_relevant))] = False
    return X, y, is_rare


def shares_of_lacking(n_relevant):
    """Return the share of the rare examples that lack each feature.

    "Let us also assume", writes Section 3.2 of four features, "that each lacking feature takes at least 1/8
    of the mass". Half of the features take just that, ``1 / (2 n_relevant)``, and the others what is left.

    Examples
    --------
    >>> shares_of_lacking(4).tolist(), shares_of_lacking(1).tolist()
    ([0.125, 0.125, 0.375, 0.375], [1.0])
    """
    few = n_relevant // 2
    least = 0.5 / n_relevant
    return np.repeat([least, (1.0 - few * least) / (n_relevant - few)], [few, n_relevant - few])
