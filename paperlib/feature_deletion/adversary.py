"""Features deleted at classification time: by the worst adversary, by a greedy one, and at random."""

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Flags, Floats
from paperlib._common.validation import check_binary_signs, check_choice, check_number, check_vector
from paperlib.feature_deletion._deletion.knapsack import greedy, worst_subsets
from paperlib.feature_deletion._deletion.validation import check_adversary, check_known_labels, check_matrix

ADVERSARIES = ("greedy", "exact", "random")


def worst_case_deletion(
    w: ArrayLike,
    b: float,
    X: ArrayLike,
    y: ArrayLike,
    n_deleted: float,
    feature_values: ArrayLike | None = None,
) -> tuple[Floats, Flags]:
    """Delete from each example what hurts a linear classifier most (Equation 1).

    The adversary may delete any features whose values sum to at most `n_deleted`, for each example others.
    Deleting feature j takes ``y w_j x_j`` off the margin, so this is a knapsack problem, solved exactly but
    for the rounding of sums: features of equal value by taking the most harmful ones, others by branch and
    bound. Only features that carry the margin are deleted. A sum of values that exceeds the budget by a
    relative 1e-12 still fits.

    Parameters
    ----------
    w : array-like of shape (n,)
    b : float
    X : array-like of shape (m, n)
    y : array-like of shape (m,), of -1 and +1
    n_deleted : float in [0, V)
        The budget N; V is the sum of the values. A number of features where all values are one.
    feature_values : array-like of shape (n,), optional
        What deleting each feature costs, >= 0 and not all zero; ones by default. A value of 0 is free.

    Returns
    -------
    margins : ndarray of shape (m,)
        ``y (w_J . x_J + b)`` over the features J that are left; <= 0 is a mistake.
    masks : ndarray of shape (m, n), bool
        True where a feature is deleted.

    Raises
    ------
    ValueError
        For a budget outside [0, V), a negative value or values that are all zero, numbers that are not
        finite, other labels, or lengths that do not match.

    Warns
    -----
    ConvergenceWarning
        Where values and harms are such that no search of reasonable length ends (a subset-sum problem on
        real numbers, say); gives by how much a margin may be too high.

    References
    ----------
    O. Dekel, O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008, Section 2.1.

    Examples
    --------
    >>> from paperlib.feature_deletion import worst_case_deletion
    >>> margins, masks = worst_case_deletion([2.0, 1.0, -3.0], 0.5, [[1.0, 1.0, 1.0]], [1], 1)
    >>> margins.tolist(), masks.tolist()
    ([-1.5], [[True, False, False]])
    """
    X = check_matrix(X, y)
    signs = check_binary_signs(y)
    w = check_vector(w, "w", X.shape[1], "feature of X")
    b = check_number(b, "b")
    values, budget = check_adversary(n_deleted, feature_values, X.shape[1])
    return _deleted(X, signs, w, b, values, budget, by_size=False)


def robust_score(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    n_deleted: float,
    adversary: Literal["greedy", "exact", "random"] = "greedy",
    *,
    feature_values: ArrayLike | None = None,
    random_state: RandomState = None,
) -> float:
    """Share of examples that a linear classifier still gets right after features were deleted.

    Parameters
    ----------
    estimator : fitted linear classifier
        With `coef_` (1, n), `intercept_` and two `classes_`.
    X : array-like of shape (m, n)
    y : array-like of shape (m,)
        Labels among ``estimator.classes_``.
    n_deleted : float in [0, V)
        The budget N of the adversary, in units of the values.
    adversary : {"greedy", "exact", "random"}, default="greedy"
        ``"exact"`` is `worst_case_deletion`. ``"greedy"`` is the paper's (Section 4): it goes through the
        features that carry the margin, from the largest ``y w_j x_j`` down, and deletes each that still fits
        into the budget; with equal values that is the worst case too. ``"random"`` goes through the features
        of the example that are not zero in random order (Figure 1).
    feature_values : array-like of shape (n,), optional
        Ones by default.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Of the random adversary.

    Returns
    -------
    float
        Share of the examples with ``y (w_J . x_J + b) > 0``. A margin of zero counts as a mistake, as in
        Equation (1).

    Raises
    ------
    ValueError
        As `worst_case_deletion`, and for an estimator that is not a binary linear classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> from paperlib.feature_deletion import robust_score
    >>> X, y = np.array([[1.0, 0.1], [0.9, 0.2], [-1.0, 0.0], [-0.8, -0.3]]), np.array([1, 1, 0, 0])
    >>> clf = LinearSVC(C=100.0).fit(X, y)
    >>> robust_score(clf, X, y, 0), robust_score(clf, X, y, 1)
    (1.0, 0.75)
    """
    check_choice(adversary, "adversary", ADVERSARIES)
    check_is_fitted(estimator)
    coef = np.asarray(getattr(estimator, "coef_", None))
    if coef.ndim != 2 or coef.shape[0] != 1 or len(getattr(estimator, "classes_", ())) != 2:
        raise ValueError(
            f"estimator must be a binary linear classifier with coef_ of shape (1, n_features), "
            f"got {estimator!r}"
        )
    X = check_matrix(X, y)
    signs = check_known_labels(y, estimator.classes_)
    w = check_vector(coef[0], "coef_", X.shape[1], "feature of X")
    b = float(np.ravel(estimator.intercept_)[0])
    values, budget = check_adversary(n_deleted, feature_values, X.shape[1])
    if adversary == "random":
        masks = random_deletion(X, values, budget, random_state)
        margins = signs * (np.where(masks, 0.0, X) @ w + b)
    else:
        margins, _ = _deleted(X, signs, w, b, values, budget, by_size=adversary == "greedy")
    return float(np.mean(margins > 0))


def random_deletion(X, values, budget, random_state):
    """Masks of features deleted in random order, among those not zero, while they fit into the budget."""
    rng = check_random_state(random_state)
    masks = np.zeros(X.shape, dtype=bool)
    for x, mask in zip(X, masks):
        greedy(np.abs(x), values, budget, rng.permutation(x.size), mask)
    return masks


def _deleted(X, signs, w, b, values, budget, by_size):
    margins, masks = np.empty(len(X)), np.empty(X.shape, dtype=bool)
    gap = worst_subsets(X, signs, w, b, values, budget, by_size, margins, masks)
    if not np.isfinite(margins).all():
        raise ValueError("w and X must be so small that all margins are finite, got one that is not")
    if gap > 0.0:
        warnings.warn(
            f"the search for the worst deletion was cut short; margins may be up to {gap:.3g} too high",
            ConvergenceWarning,
            stacklevel=3,
        )
    return margins, masks
