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
from paperlib._common.validation import check_choice, check_number
from paperlib.experiments.feature_deletion.baselines import FDROP, hinge_svm_of_many
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron

Kind: TypeAlias = Literal["images", "counts", "raw counts", "measurements"]
Learner: TypeAlias = Literal["LP", "perceptron", "FDROP", "SVM"]
Errors: TypeAlias = Callable[[Floats, float], Floats]

LEARNERS = ("LP", "perceptron", "FDROP", "SVM")
# Five sizes by the budgets to prepare for, three or four: settings are fifteen or twenty for every learner.
STEPS = (1.0, 3.0, 10.0, 30.0, 100.0)  # largest weights, in units of margin / (mean of |x|_1)
# Of the perceptron, too: from a thousand on the cube does not bind any more, and its errors stay as they are.
PERCEPTRON_STEPS = (1.0, 10.0, 100.0, 1000.0, 10000.0)
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)  # C of FDROP, in units of 1 / (mean of |x|^2)
# Largest C of the SVM, in the same units. The least is 1 / m: with less no margin can reach one, and the SVM
# is a bias.
SVM_LARGEST = 10.0
MANY = 200  # features from which on the programme is solved by gradients: no product of n by n
# Deletions that FDROP is offered beside those that budgets pay for at a mean price, where features are many:
# of dear ones they pay for fewer. With 0 it is an SVM.
FEW = (0, 1, 3)
TOL = 1e-2  # relative gap of the LP and of FDROP
COARSE = 1e-1  # of both where images are many: on 11,000 of them the LP's errors moved by 0.005 at most
CHOSEN = ("strength", "ready_for", "at_least", "at_largest", "unfinished")  # columns of `chosen_rows`


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


def check_budgets(budgets: Sequence[float] | Floats, name: str, n_features: int) -> Floats:
    """Return budgets, ascending and below the number of features, as floats, else raise ``ValueError``."""
    checked = [check_number(each, f"every one of {name}", low=0) for each in budgets]
    if len(checked) < 2 or sorted(set(checked)) != checked or checked[-1] >= n_features:
        raise ValueError(
            f"{name} must be at least two numbers in ascending order, below the {n_features} features, "
            f"got {checked}"
        )
    return np.array(checked)


def whole_shares(largest: float, shares: Sequence[float]) -> list[int]:
    """Return shares of a number of features, as whole numbers: at least one, but for a share of 0.

    >>> whole_shares(10, (0.0, 1 / 30, 1 / 3))
    [0, 1, 3]
    """
    return [max(1, round(share * largest)) if share else 0 for share in shares]


def grid(
    learner: Learner,
    X: Floats,
    budgets: Sequence[float],
    values: Floats | None = None,
    random_state: int = 0,
    tol: float = TOL,
) -> list[Candidate]:
    """Settings of a learner: five sizes of its weights by the budgets, or as many sizes as these are.

    Parameters
    ----------
    learner : {"LP", "perceptron", "FDROP", "SVM"}
    X : ndarray of shape (m, n)
        Training examples; the sizes are relative to theirs.
    budgets : sequence of float
        That the learner is to prepare for. FDROP knows of no values: its numbers of features are those that
        a budget pays for at the mean value of what is not zero, rounded up, and of many features `FEW`, too.
    values : ndarray of shape (n,), optional
        Of the features, for the learners that know of them.
    random_state : int
        Of the perceptron's and of FDROP's orders.
    tol : float, default=TOL
        Relative gap of the programme and of FDROP.

    Returns
    -------
    list of `Candidate`, five for each of the budgets, of FDROP of many features for each of `FEW`, too
        The most regularised first.
    """
    check_choice(learner, "learner", LEARNERS)
    size, square = np.abs(X).sum(axis=1).mean(), (X**2).sum(axis=1).mean()
    if learner == "SVM":
        offered = np.geomspace(min(1 / len(X), SVM_LARGEST / 100), SVM_LARGEST, len(STEPS) * len(budgets))
        return [Candidate(hinge_svm_of_many(C / square, square**0.5), C, 0.0) for C in offered.tolist()]
    if learner == "FDROP":
        counts = [min(int(np.ceil(budget / _price(X, values))), X.shape[1] - 1) for budget in budgets]
        if values is not None and X.shape[1] > MANY:
            counts = sorted({*FEW, *counts})
        return [
            Candidate(FDROP(count, C=C / square, tol=tol, random_state=random_state), C, count)
            for C in STRENGTHS
            for count in counts
        ]
    kind: Any = FeatureDeletionPerceptron
    options: dict[str, Any] = {"random_state": random_state}
    if learner == "LP":
        kind = FeatureDeletionLP
        options = {"tol": tol, "solver": "first_order" if X.shape[1] > MANY else "auto"}
    return [
        Candidate(kind(budget, C=step / size, feature_values=values, **options), step, budget)
        for step in (STEPS if learner == "LP" else PERCEPTRON_STEPS)
        for budget in budgets
    ]


def chosen_rows(
    start: tuple[Any, ...], budgets: Floats, candidates: Sequence[Candidate], tuned: Tuned
) -> list[tuple[Any, ...]]:
    """Return a row per budget: `start`, the budget, the error, and of what was chosen the `CHOSEN`."""
    strengths = [each.strength for each in candidates]
    least, largest = min(strengths), max(strengths)
    return [
        (
            *(*start, budget, error, chosen.strength, chosen.budget),
            *(chosen.strength == least, chosen.strength == largest, tuned.unfinished / len(candidates)),
        )
        for budget, error, chosen in zip(budgets.tolist(), tuned.errors.tolist(), tuned.chosen)
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
    *,
    average: bool,
) -> Tuned:
    """Choose among candidates by what they make of the first chunk, then fit those that are chosen to all.

    Parameters
    ----------
    candidates, train, validation, test
        As in `tune`; the training examples are in random order.
    chunk : int >= 1
        Size of a chunk, or a little more.
    average : bool
        Fit what is chosen to every chunk by itself, and average the weights (Section 4: "a variant of
        bagging"), and not to all training examples at once.

    Returns
    -------
    Tuned
    """
    X, y = train
    chunks = np.array_split(np.arange(len(y)), max(1, len(y) // chunk))
    first = [_fit(candidate, X[chunks[0]], y[chunks[0]]) for candidate in candidates]
    best = np.argmin([validation(*fitted) for fitted, _ in first], axis=0)
    unfinished, errors = sum(stopped for _, stopped in first), {}
    for k in set(best.tolist()):
        fits = [_fit(candidates[k], X[rows], y[rows]) for rows in (chunks[1:] if average else [slice(None)])]
        unfinished += sum(stopped for _, stopped in fits)
        parts = [fitted for fitted, _ in fits] + ([first[k][0]] if average else [])
        errors[k] = test(np.mean([part.w for part in parts], axis=0), float(np.mean([p.b for p in parts])))
    tested = np.array([errors[k][at] for at, k in enumerate(best.tolist())])
    return Tuned(tested, [candidates[k] for k in best], unfinished)


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
