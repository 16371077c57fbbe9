"""Validation of the data and parameters that the estimators and functions of this subpackage share."""

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from paperlib._common.class_weights import class_factors, weigh_classes
from paperlib._common.feature_names import check_same_names
from paperlib._common.sklearn_checks import check_array
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_number, check_real, check_sample_weight

LARGEST_RATIO = 1e100  # of two values, and of C, margin and a step to 1: products then stay in the floats

MOST_COPIES = 1e12  # that weights may stand for


class Game(NamedTuple):
    """The adversary that a classifier is to withstand, and the regularisation of Equation (4)."""

    values: Floats
    budget: float
    margin: float
    C: float

    @property
    def price(self) -> float:
        """Rise of the margin that is asked for, for a feature of value 1 that is kept: ``margin / P``."""
        return self.margin / (self.values.sum() - self.budget)


def check_matrix(X: ArrayLike, y: ArrayLike) -> Floats:
    """Return `X` as a finite matrix of floats with a row for each entry of `y`, else raise ``ValueError``."""
    matrix = check_array(X, dtype=np.float64, input_name="X")
    check_consistent_length(matrix, y)
    return matrix


def check_rows(X: Any, y: ArrayLike) -> Any:
    """Return what `check_matrix` does; of a sparse `X` a ``csr_array`` in which no entry comes twice."""
    if not sp.issparse(X):
        return check_matrix(X, y)
    matrix = sp.csr_array(check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X"))
    check_consistent_length(matrix, y)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def check_training(
    estimator: Any, X: ArrayLike, y: ArrayLike, **options: Any
) -> tuple[Floats, np.ndarray, Floats, Game]:
    """Return ``(X, classes, signs, game)`` for `fit`, and set the estimator's `n_features_in_` and names."""
    return check_weighted_training(estimator, X, y, None, **options)[:4]


def check_weighted_training(
    estimator: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, **options: Any
) -> tuple[Floats, np.ndarray, Floats, Game, Floats, Floats]:
    """Return ``(X, classes, signs, game, weights, factors)`` for `fit`, without the rows of weight zero.

    The weights are those of the rows themselves, and factors those of their classes. Sets the estimator's
    `n_features_in_` and names.
    """
    matrix, labels = estimator._validate(X, y, **options)
    weights = check_sample_weight(sample_weight, len(labels))
    classes, signs = check_binary_labels(labels, weights)
    class_weight, codes = getattr(estimator, "class_weight", None), (signs > 0).astype(np.intp)
    products = weigh_classes(class_weight, classes, codes, weights)
    check_binary_labels(labels, products)  # a product of weights may be zero
    factors = class_factors(class_weight, classes, codes, weights)[codes]
    game, used = check_game(estimator, matrix.shape[1]), products > 0.0
    if not used.all():
        matrix, signs, weights, factors = matrix[used], signs[used], weights[used], factors[used]
    return matrix, classes, signs, game, weights, factors


def as_counts(weights):
    """Return weights of which only the ratios matter as they are where they are counts, else with mean 1."""
    if weights is None or (weights.sum() <= MOST_COPIES and (weights == np.floor(weights)).all()):
        return weights
    return weights / weights.mean()


def check_stopping(tol: Any, max_iter: Any) -> tuple[float, int]:
    """Return ``(tol, max_iter)``, both checked."""
    return (
        check_number(tol, "tol", low=0, open_low=True),
        check_number(max_iter, "max_iter", low=1, integer=True),
    )


def check_size(value, name):
    """Return `value` as a float when it is positive, and neither tiny nor huge, else raise ``ValueError``."""
    number = check_number(value, name, low=0, open_low=True)
    if not 1.0 / LARGEST_RATIO <= number <= LARGEST_RATIO:
        raise ValueError(f"{name} must be between {1 / LARGEST_RATIO:g} and {LARGEST_RATIO:g}, got {value!r}")
    return number


def check_values(feature_values, n_features):
    """Return the value of each feature as floats, ones for ``None``, else raise ``ValueError``."""
    if feature_values is None:
        return np.ones(n_features)
    values = check_real(feature_values, "feature_values")
    if values.shape != (n_features,):
        raise ValueError(
            f"feature_values must have shape ({n_features},), one entry per feature of X, got {values.shape}"
        )
    values = values.astype(np.float64)
    wrong = ~(np.isfinite(values) & (values >= 0))
    if wrong.any():
        raise ValueError(f"feature_values must be finite and >= 0, got {values[wrong][0]} among its entries")
    with np.errstate(over="ignore"):
        total = values.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"feature_values must not be all zero, and have a finite sum, got the sum {total}")
    least, most = values[values > 0].min(), values.max()
    if least < most / LARGEST_RATIO:
        raise ValueError(
            f"feature_values must be 0 or at least {1 / LARGEST_RATIO:g} of the largest one, got {least} "
            f"beside {most}"
        )
    return values


def check_budget(n_deleted, values):
    """Return the budget N in [0, V) as a float, V the sum of `values`, else raise ``ValueError``."""
    budget, total = check_number(n_deleted, "n_deleted", low=0), float(values.sum())
    if budget >= total:
        raise ValueError(
            f"n_deleted must be below {total:g}, the value of all features together, got {n_deleted!r} "
            f"with n_features={values.size}"
        )
    return budget


def check_adversary(n_deleted, feature_values, n_features, *, any_budget=False):
    """Return ``(values, budget)``, both checked, and times a power of 4 that takes the values to about 1.

    Only their ratios matter. No bit of what is computed changes by it, square roots included. With
    `any_budget` the budget may be the value of all features, or more: all of them can then be deleted.
    """
    values = check_values(feature_values, n_features)
    if any_budget:
        budget = min(check_number(n_deleted, "n_deleted", low=0), float(values.sum()))
    else:
        budget = check_budget(n_deleted, values)
    power = -2 * (math.frexp(values.max())[1] // 2)
    return np.ldexp(values, power), math.ldexp(budget, power)


def check_game(estimator: Any, n_features: int) -> Game:
    """Return an estimator's `n_deleted`, `feature_values`, `margin` and `C`, all checked.

    One that has no `feature_values` or `margin`, as FDROP, stands for values of one and a margin of 1.
    """
    margin, C = check_size(getattr(estimator, "margin", 1.0), "margin"), check_size(estimator.C, "C")
    feature_values = getattr(estimator, "feature_values", None)
    check_same_names(X=estimator, feature_values=feature_values)
    values, budget = check_adversary(estimator.n_deleted, feature_values, n_features)
    return Game(values, budget, margin, C)


def check_labels(y):
    """Return `y` as an array with one label a row, of any type, else raise ``ValueError``."""
    shape = y.shape if sp.issparse(y) else np.shape(labels := np.asarray(y))
    if len(shape) != 1:
        raise ValueError(f"y must be dense and have shape (m,), got shape {shape}")
    return labels


def check_known_labels(y, classes):
    """Return +1.0 where `y` is ``classes[1]``, -1.0 where it is ``classes[0]``, else raise ``ValueError``."""
    y, classes = check_labels(y), np.asarray(classes)
    positive = np.asarray(y == classes[1])
    known = positive | (y == classes[0])
    if not np.all(known):
        raise ValueError(f"y must hold the classes {classes.tolist()}, got {y[~known].tolist()[0]!r}")
    return np.where(positive, 1.0, -1.0)
