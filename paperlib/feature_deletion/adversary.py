"""Features deleted at classification time: by the worst adversary, by a greedy one, and at random."""

import itertools
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from paperlib._common.caller_warning import warn_caller
from paperlib._common.feature_names import check_names, check_same_names
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.typing import Floats
from paperlib._common.validation import (
    check_binary_signs,
    check_choice,
    check_number,
    check_real,
    check_vector,
)
from paperlib.feature_deletion._deletion.knapsack import (
    ROUNDING,
    as_rows,
    greedy,
    worst_subsets,
    worst_subsets_of_sparse,
)
from paperlib.feature_deletion._deletion.validation import (
    check_adversary,
    check_known_labels,
    check_labels,
    check_rows,
)

TOO_LARGE = "w and X must be so small that all margins are finite, got one that is not"
_BLOCK = 1 << 16  # entries of a matrix that are sorted at a time: they stay in the cache
ADVERSARIES = ("greedy", "exact", "random")


def worst_case_deletion(
    w: ArrayLike,
    b: float,
    X: Any,
    y: ArrayLike,
    n_deleted: float,
    feature_values: ArrayLike | None = None,
) -> tuple[Floats, Any]:
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
    X : array-like or sparse matrix of shape (m, n)
    y : array-like of shape (m,), of -1 and +1
    n_deleted : float >= 0
        The budget N: a number of features where all values are one. With the sum of all values, or more, all
        that carries a margin is deleted.
    feature_values : array-like of shape (n,), optional
        What deleting each feature costs, >= 0 and not all zero; ones by default. A value of 0 is free.

    Returns
    -------
    margins : ndarray of shape (m,)
        ``y (w_J . x_J + b)`` over the features J that are left; <= 0 is a mistake.
    masks : ndarray of shape (m, n), bool
        True where a feature is deleted; a ``csr_array`` where `X` is sparse.

    Raises
    ------
    ValueError
        For a negative budget, a negative value or values that are all zero, numbers that are not finite,
        other labels, lengths that do not match, or a `w` or `feature_values` whose entries are named, as a
        pandas Series has them, and otherwise than the columns of `X`.

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
    signs = check_binary_signs(check_labels(y))
    check_same_names(X=X, w=w, feature_values=feature_values)
    X = check_rows(X, signs)
    w = check_vector(w, "w", X.shape[1], "feature of X")
    b = check_number(b, "b")
    values, budget = check_adversary(n_deleted, feature_values, X.shape[1], any_budget=True)
    return _deleted(_Game(X, signs, w, b), values, budget, by_size=False)


def robust_score(
    estimator: Any,
    X: Any,
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
        Any object with `coef_` (1, n) or (n,), `intercept_` and two `classes_`.
    X : array-like or sparse matrix of shape (m, n)
    y : array-like of shape (m,)
        Labels among ``estimator.classes_``.
    n_deleted : float >= 0
        The budget N of the adversary, in units of the values.
    adversary : {"greedy", "exact", "random"}, default="greedy"
        ``"exact"`` is `worst_case_deletion`. ``"greedy"`` is the paper's (Section 4): it goes through the
        features that carry the margin, from the largest ``y w_j x_j`` down, and deletes each that still fits
        into the budget; with equal values that is the worst case too. ``"random"`` goes through the features
        of the example that are not zero in random order (Figure 1); in another one where `X` is sparse.
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
        As `worst_case_deletion`, for an estimator that is not a binary linear classifier, and for columns of
        other names, or in another order, than it was fitted to.

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
    rng = check_random_state(random_state)
    game = _check_game(estimator, X, y, feature_values)
    values, budget = check_adversary(n_deleted, feature_values, game.w.size, any_budget=True)
    if adversary == "random":
        margins = _margins_at_random(game, values, budget, rng)
    else:
        margins, _ = _deleted(game, values, budget, by_size=adversary == "greedy")
    return float(np.mean(margins > 0))


def robustness_curve(
    clf: Any,
    X: Any,
    y: ArrayLike,
    budgets: ArrayLike,
    *,
    feature_values: ArrayLike | None = None,
    adversary: Literal["greedy", "exact"] = "greedy",
) -> Floats:
    """Accuracy of a linear classifier as an adversary deletes more and more of each example (Figure 2).

    Parameters
    ----------
    clf : fitted linear classifier
        Any object with `coef_` (1, n) or (n,), `intercept_` and two `classes_`, as scikit-learn's
        `LogisticRegression`.
    X : array-like or sparse matrix of shape (m, n)
    y : array-like of shape (m,)
        Labels among ``clf.classes_``.
    budgets : array-like of shape (k,), >= 0
        What may be deleted of each example, in units of the values: numbers of features where all values are
        one. A budget of 0 gives the usual accuracy (but for margins of zero, which count as mistakes); with
        the sum of all values what is left of an example is the intercept, or speaks against its label.
    feature_values : array-like of shape (n,), optional
        Ones by default.
    adversary : {"greedy", "exact"}, default="greedy"
        As in `robust_score`; with equal values both are the worst case.

    Returns
    -------
    ndarray of shape (k,)
        Share of the examples that are still right at each budget.

    Raises
    ------
    ValueError
        As `robust_score`.

    References
    ----------
    O. Dekel, O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008, Section 4.

    Examples
    --------
    ``plt.plot(budgets, curve)`` makes a picture of it.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from paperlib.feature_deletion import robustness_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 20)) + np.repeat([[0.5], [-0.5]], 100, axis=0)
    >>> y = np.repeat([1, 0], 100)
    >>> robustness_curve(LogisticRegression().fit(X, y), X, y, [0, 1, 2, 20]).tolist()
    [1.0, 0.97, 0.88, 0.0]
    """
    check_choice(adversary, "adversary", ADVERSARIES[:2])
    game = _check_game(clf, X, y, feature_values)
    offered = check_real(budgets, "budgets")
    if offered.ndim != 1 or not offered.size:
        raise ValueError(f"budgets must be a list of numbers, got shape {offered.shape}")
    for each in offered.tolist():
        check_number(each, "each of the budgets", low=0)
    asked = [check_adversary(each, feature_values, game.w.size, any_budget=True) for each in offered.tolist()]
    values = asked[0][0]
    # With equal values both adversaries delete the most harmful features, so one sort serves all budgets.
    if values.min() == values.max() and not sp.issparse(game.X):
        return _curve(game, [int(budget * (1.0 + ROUNDING) / values[0]) for _, budget in asked])
    deleted = [_deleted(game, values, budget, by_size=adversary == "greedy") for _, budget in asked]
    return np.array([np.mean(margins > 0) for margins, _ in deleted])


def _curve(game, counts):
    """Return the share of examples that are right without their most harmful `counts` features.

    One sort serves all: what is left is a sum of the smallest profits, all that are not positive included.
    """
    X, signs, w, b = game
    (m, n), right = X.shape, np.zeros(len(counts))
    size = max(1, _BLOCK // n)
    for start in range(0, m, size):
        rows = slice(start, start + size)
        with np.errstate(over="ignore", invalid="ignore"):
            profits = np.sort(X[rows] * w * signs[rows, None], axis=1)
            left = np.cumsum(profits, axis=1)
        harmless = np.count_nonzero(profits <= 0.0, axis=1)
        if not np.isfinite(left).all():
            raise ValueError(TOO_LARGE)
        # Column k is what the k smallest profits leave.
        left = np.column_stack([np.zeros(len(left)), left])
        for k, count in enumerate(counts):
            # What does not carry the margin is never deleted, however large the budget.
            kept = np.maximum(harmless, n - count)
            right[k] += np.count_nonzero(left[np.arange(len(left)), kept] + signs[rows] * b > 0.0)
    return right / m


def random_deletion(X, values, budget, random_state):
    """Masks of features deleted in random order, among those not zero, while they fit into the budget."""
    rng = check_random_state(random_state)
    masks = np.zeros(X.shape, dtype=bool)
    for x, mask in zip(X, masks):
        # Sizes in the place of profits: `greedy` passes over those that are zero.
        greedy(np.abs(x), values, budget, rng.permutation(x.size), mask)
    return masks


class _Game(NamedTuple):
    """A linear classifier and the examples that the adversary deletes from."""

    X: Any
    signs: Floats
    w: Floats
    b: float


def _check_game(estimator, X, y, feature_values):
    if hasattr(estimator, "fit"):
        check_is_fitted(estimator)
    coef: Any = getattr(estimator, "coef_", None)
    coef = coef.toarray() if sp.issparse(coef) else np.asarray(coef)
    coef = coef[None] if coef.ndim == 1 else coef  # as of a RidgeClassifier
    intercept = np.ravel(getattr(estimator, "intercept_", ()))
    classes = np.asarray(getattr(estimator, "classes_", ()))
    if coef.ndim != 2 or coef.shape[0] != 1 or intercept.size != 1 or classes.shape != (2,):
        raise ValueError(
            "estimator must be a binary linear classifier with coef_ of shape (1, n_features) or "
            f"(n_features,), one intercept_ and two classes_, got {estimator!r}"
        )
    check_names(estimator, X)
    check_same_names(estimator=estimator, X=X, feature_values=feature_values)
    X = check_rows(X, check_labels(y))
    signs = check_known_labels(y, estimator.classes_)
    w = check_vector(coef[0], "coef_", X.shape[1], "feature of X")
    return _Game(X, signs, w, float(check_vector(intercept, "intercept_", 1, "classifier")[0]))


def _margins_at_random(game, values, budget, rng):
    X, signs, w, b = game
    if not sp.issparse(X):
        return signs * (np.where(random_deletion(X, values, budget, rng), 0.0, X) @ w + b)
    left = X.copy()
    for start, stop in itertools.pairwise(X.indptr.tolist()):
        gone, own = np.zeros(stop - start, dtype=bool), values[X.indices[start:stop]]
        greedy(np.abs(X.data[start:stop]), own, budget, rng.permutation(stop - start), gone)
        left.data[start:stop][gone] = 0.0
    return signs * (left @ w + b)


def _deleted(game, values, budget, by_size):
    X, signs, w, b = game
    margins = np.empty(X.shape[0])
    differ = None if values.min() == values.max() else True
    if sp.issparse(X):
        gone = np.empty(X.nnz, dtype=bool)
        rows = as_rows(X)
        gap = worst_subsets_of_sparse(rows, signs, w, b, values, budget, by_size, margins, gone, differ)
        # A copy, since zeros are eliminated in place and the indices are those of X.
        masks = sp.csr_array((gone, X.indices, X.indptr), shape=X.shape, copy=True)
        masks.eliminate_zeros()
    else:
        masks = np.empty(X.shape, dtype=bool)
        gap = worst_subsets(X, signs, w, b, values, budget, by_size, margins, masks, differ)
    if not np.isfinite(margins).all():
        raise ValueError(TOO_LARGE)
    if gap > 0.0:
        warn_caller(
            f"the search for the worst deletion was cut short; margins may be up to {gap:.3g} too high",
            ConvergenceWarning,
        )
    return margins, masks
