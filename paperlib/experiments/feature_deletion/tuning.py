"""Every learner's grid of settings, of one size for all, and the choice among them by held-out errors.

What is fixed here was fixed before any test error was looked at.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_choice
from paperlib.experiments.feature_deletion.baselines import FDROP, hinge_svm
from paperlib.feature_deletion.feature_deletion_lp import FeatureDeletionLP
from paperlib.feature_deletion.perceptron import FeatureDeletionPerceptron

Kind: TypeAlias = Literal["images", "counts", "measurements"]
Learner: TypeAlias = Literal["LP", "perceptron", "FDROP", "SVM"]
Errors: TypeAlias = Callable[[Floats, float], Floats]

LEARNERS = ("LP", "perceptron", "FDROP", "SVM")
STEPS = (3.0, 10.0, 30.0)  # largest weights, in units of margin / (mean of |x|_1)
STRENGTHS = (0.1, 1.0, 10.0)  # C of FDROP, in units of 1 / (mean of |x|^2)
SVM_STRENGTHS = np.geomspace(0.01, 100.0, 9)
TOL = 1e-2  # relative gap of the LP and of FDROP: errors do not see more


class Candidate(NamedTuple):
    """An estimator, with its regularisation in units of the data and the budget that it prepares for."""

    estimator: Any
    strength: float
    budget: float


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
    kind : {"images", "counts", "measurements"}
        Images of 0 to 255 are divided by that. Counts become ``log(1 + x)``, divided by each feature's
        largest. Measurements are standardised, so that a deleted one is replaced by its mean, and divided by
        their largest absolute value.

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
    check_choice(kind, "kind", ("images", "counts", "measurements"))
    parts = [np.asarray(part, dtype=float) for part in (train, *others)]
    if kind == "images":
        return [part / 255.0 for part in parts]
    if kind == "counts":
        # The last digits of a logarithm differ between processors.
        parts = [np.log1p(part).round(12) for part in parts]
    else:
        centre = parts[0].mean(axis=0)
        parts = [part - centre for part in parts]
    largest = np.abs(parts[0]).max(axis=0)
    largest[largest == 0] = 1.0
    return [part / largest for part in parts]


def grid(
    learner: Learner,
    X: Floats,
    budgets: Sequence[float],
    values: Floats | None = None,
    random_state: int = 0,
) -> list[Candidate]:
    """Nine settings of a learner: three sizes of its weights by three budgets, or nine sizes.

    Parameters
    ----------
    learner : {"LP", "perceptron", "FDROP", "SVM"}
    X : ndarray of shape (m, n)
        Training examples; the sizes are relative to theirs.
    budgets : sequence of 3 floats
        That the learner is to prepare for; FDROP's numbers of features are rounded.
    values : ndarray of shape (n,), optional
        Of the features, for the learners that know of them.
    random_state : int
        Of the perceptron's and of FDROP's orders.

    Returns
    -------
    list of 9 `Candidate`
        The most regularised first.
    """
    check_choice(learner, "learner", LEARNERS)
    size, square = np.abs(X).sum(axis=1).mean(), (X**2).sum(axis=1).mean()
    if learner == "SVM":
        return [Candidate(hinge_svm(C / square), C, 0.0) for C in SVM_STRENGTHS.tolist()]
    if learner == "FDROP":
        counts = [min(int(np.ceil(budget)), X.shape[1] - 1) for budget in budgets]
        return [
            Candidate(FDROP(k, C=C / square, tol=TOL, random_state=random_state), C, k)
            for C in STRENGTHS
            for k in counts
        ]
    kind: Any = FeatureDeletionLP if learner == "LP" else FeatureDeletionPerceptron
    options = {"tol": TOL} if learner == "LP" else {"random_state": random_state}
    return [
        Candidate(kind(budget, C=step / size, feature_values=values, **options), step, budget)
        for step in STEPS
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
    held_out, tested, unfinished = [], [], 0
    for candidate in candidates:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            fitted = clone(candidate.estimator).fit(*train)
        unfinished += any(issubclass(each.category, ConvergenceWarning) for each in caught)
        w, b = fitted.coef_[0], float(fitted.intercept_[0])
        held_out.append(validation(w, b))
        tested.append(test(w, b))
    best = np.argmin(held_out, axis=0)
    errors = np.asarray(tested)[best, np.arange(best.size)]
    return Tuned(errors, [candidates[k] for k in best], unfinished)


def ninth(y: np.ndarray, seed: int) -> tuple[Integers, Integers]:
    """Indices of a training and of a validation part, a ninth of the examples, stratified."""
    return train_test_split(np.arange(len(y)), test_size=1 / 9, stratify=y, random_state=seed)
