"""Every learner's grid of settings, of one size for all, and the choice among them by held-out errors.

What is fixed here was fixed before any test error was looked at.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_choice
from paperlib.experiments.feature_deletion.baselines import FDROP, hinge_svm_of_many
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron

Kind: TypeAlias = Literal["images", "counts", "raw counts", "measurements"]
Learner: TypeAlias = Literal["LP", "perceptron", "FDROP", "SVM"]
Errors: TypeAlias = Callable[[Floats, float], Floats]

LEARNERS = ("LP", "perceptron", "FDROP", "SVM")
# Five sizes by the budgets to prepare for, three or four: settings are fifteen or twenty for every learner.
STEPS = (1.0, 3.0, 10.0, 30.0, 100.0)  # largest weights, in units of margin / (mean of |x|_1)
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)  # C of FDROP, in units of 1 / (mean of |x|^2)
SVM_STRENGTHS = (1e-4, 10.0)  # the least and the largest C of the SVM, in the same units
MANY = 200  # features from which on the programme is solved by gradients: no product of n by n
TOL = 1e-2  # relative gap of the LP and of FDROP: errors do not see more
COARSE = 1e-1  # of both with that many features: on 11,000 images the LP's errors moved by 0.005 at most


class Candidate(NamedTuple):
    """An estimator, with its regularisation in units of the data and the budget that it prepares for."""

    estimator: Any
    strength: float
    budget: float


class Fitted(NamedTuple):
    """Weights and bias of a linear classifier."""

    w: Floats
    b: float


class Tuned(NamedTuple):
    """Result of tuning, for each budget that was tested."""

    errors: Floats  # on the test examples
    chosen: list[Candidate]  # for each budget
    unfinished: int  # candidates whose solver stopped before its tolerance


def scaled(train: np.ndarray, others: Sequence[np.ndarray], kind: Kind) -> list[Floats]:
    """Scale data by what is known of the training examples.

    Parameters
    ----------
    train : ndarray of shape (m, n)
    others : list of ndarray of n columns
    kind : {"images", "counts", "raw counts", "measurements"}
        Images of 0 to 255 are divided by that. Counts become ``log(1 + x)``, divided by each feature's
        largest; raw ones are divided by it as they are. Zeros stay zeros in all three. Measurements are
        standardised, so that a deleted one is replaced by its mean, and divided by their largest absolute
        value.

    Returns
    -------
    list of ndarray
        `train`, within [-1, 1], and the others, which need not be.

    Examples
    --------
    >>> import numpy as np
    >>> [x.tolist() for x in scaled(np.array([[1.0], [3.0]]), [np.array([[2.0]])], "measurements")]
    [[[-1.0], [1.0]], [[0.0]]]
    """
    check_choice(kind, "kind", get_args(Kind))
    parts = [np.asarray(part, dtype=float) for part in (train, *others)]
    if kind == "images":
        return [part / 255.0 for part in parts]
    if kind == "counts":
        # The last digits of a logarithm differ between processors.
        parts = [np.log1p(part).round(12) for part in parts]
    elif kind == "measurements":
        centre = parts[0].mean(axis=0)
        parts = [part - centre for part in parts]
    largest = np.abs(parts[0]).max(axis=0)
    largest[largest == 0] = 1.0
    return [part / largest for part in parts]


def sizes(learner: Learner, n_budgets: int) -> list[float]:
    """Return the sizes of weights that a grid offers, in units of the data, the most regularised first."""
    if learner == "SVM":
        return np.geomspace(*SVM_STRENGTHS, len(STEPS) * n_budgets).tolist()
    return list(STRENGTHS if learner == "FDROP" else STEPS)


def grid(
    learner: Learner,
    X: Floats,
    budgets: Sequence[float],
    values: Floats | None = None,
    random_state: int = 0,
) -> list[Candidate]:
    """Settings of a learner: five sizes of its weights by the budgets, or as many sizes as these are.

    Parameters
    ----------
    learner : {"LP", "perceptron", "FDROP", "SVM"}
    X : ndarray of shape (m, n)
        Training examples; the sizes are relative to theirs.
    budgets : sequence of float
        That the learner is to prepare for. FDROP knows of no values: its numbers of features are those that
        a budget pays for at the mean value of what is not zero, rounded up.
    values : ndarray of shape (n,), optional
        Of the features, for the learners that know of them.
    random_state : int
        Of the perceptron's and of FDROP's orders.

    Returns
    -------
    list of `Candidate`, five for each of the budgets
        The most regularised first.
    """
    check_choice(learner, "learner", LEARNERS)
    size, square = np.abs(X).sum(axis=1).mean(), (X**2).sum(axis=1).mean()
    offered = sizes(learner, len(budgets))
    many = X.shape[1] > MANY
    tol = COARSE if many else TOL
    if learner == "SVM":
        return [Candidate(hinge_svm_of_many(C / square, square**0.5), C, 0.0) for C in offered]
    if learner == "FDROP":
        counts = [min(int(np.ceil(budget / _price(X, values))), X.shape[1] - 1) for budget in budgets]
        return [
            Candidate(FDROP(count, C=C / square, tol=tol, random_state=random_state), C, count)
            for C in offered
            for count in counts
        ]
    kind: Any = FeatureDeletionLP if learner == "LP" else FeatureDeletionPerceptron
    options: dict[str, Any] = {"random_state": random_state}
    if learner == "LP":
        options = {"tol": tol, "solver": "first_order" if many else "auto"}
    return [
        Candidate(kind(budget, C=step / size, feature_values=values, **options), step, budget)
        for step in offered
        for budget in budgets
    ]


def tune(
    candidates: Sequence[Candidate], train: tuple[Floats, np.ndarray], validation: Errors, test: Errors
) -> Tuned:
    """Fit candidates, and take for each budget the one of least held-out error.

    Parameters
    ----------
    candidates : sequence of `Candidate`
        The first of equally good ones is taken.
    train : (X, y)
    validation, test : callable
        ``(w, b) -> errors``, an array with an entry per budget.

    Returns
    -------
    Tuned
    """
    fits = [_fit(candidate, *train) for candidate in candidates]
    best = np.argmin([validation(*fitted) for fitted, _ in fits], axis=0)
    tested = np.asarray([test(*fitted) for fitted, _ in fits])
    errors = tested[best, np.arange(best.size)]
    return Tuned(errors, [candidates[k] for k in best], sum(stopped for _, stopped in fits))


def tune_on_a_chunk(
    candidates: Sequence[Candidate],
    train: tuple[Floats, np.ndarray],
    validation: Errors,
    test: Errors,
    chunk: int,
) -> tuple[Tuned, Tuned]:
    """Choose among candidates by what they make of the first chunk, then fit those on all, in two ways.

    Parameters
    ----------
    candidates, train, validation, test
        As in `tune`; the training examples are in random order.
    chunk : int >= 1
        Size of a chunk, or a little more.

    Returns
    -------
    whole : Tuned
        Of what is chosen, each fitted on all training examples at once.
    averaged : Tuned
        Each fitted on every chunk by itself, and the weights averaged (Section 4: "a variant of bagging").
    """
    X, y = train
    chunks = np.array_split(np.arange(len(y)), max(1, len(y) // chunk))
    first = [_fit(candidate, X[chunks[0]], y[chunks[0]]) for candidate in candidates]
    best = np.argmin([validation(*fitted) for fitted, _ in first], axis=0)
    unfinished, whole, averaged = sum(stopped for _, stopped in first), {}, {}
    for k in set(best.tolist()):
        parts = [first[k][0]]
        for rows in chunks[1:]:
            fitted, stopped = _fit(candidates[k], X[rows], y[rows])
            parts.append(fitted)
            unfinished += stopped
        averaged[k] = test(np.mean([part.w for part in parts], axis=0), float(np.mean([p.b for p in parts])))
        fitted, stopped = _fit(candidates[k], X, y) if len(chunks) > 1 else first[k]
        unfinished += stopped
        whole[k] = test(*fitted)
    chosen = [candidates[k] for k in best]
    one, many = (
        Tuned(np.array([errors[k][at] for at, k in enumerate(best.tolist())]), chosen, unfinished)
        for errors in (whole, averaged)
    )
    return one, many


def _price(X, values):
    """Mean value of the entries that are not zero."""
    if values is None:
        return 1.0
    counts = np.count_nonzero(X, axis=0)
    return (values * counts).sum() / counts.sum()


def _fit(candidate, X, y):
    """The classifier that a candidate becomes, and whether its solver stopped before its tolerance."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fitted = clone(candidate.estimator).fit(X, y)
    stopped = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    return Fitted(fitted.coef_[0], float(fitted.intercept_[0])), stopped


def ninth(y: np.ndarray, seed: int) -> tuple[Integers, Integers]:
    """Indices of a training and of a validation part, a ninth of the examples, stratified."""
    return train_test_split(np.arange(len(y)), test_size=1 / 9, stratify=y, random_state=seed)
