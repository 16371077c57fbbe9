"""Shared input validation: each check returns the valid value or raises a ``ValueError``."""

import math
import numbers
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from paperlib._common.typing import Floats, Integers


def check_number(
    value: Any,
    name: str,
    *,
    low: float | None = None,
    high: float | None = None,
    open_low: bool = False,
    open_high: bool = False,
    integer: bool = False,
) -> Any:
    """Return `value` if it is a finite number of the stated kind and range, else raise ``ValueError``."""
    kind: Any = numbers.Integral if integer else numbers.Real
    allowed = _describe(low, high, open_low, open_high, integer)
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind) or not _is_finite(value):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    number = int(value) if integer else float(value)  # a bound may be beyond the range of its own type
    if low is not None and (number < low or (open_low and number == low)):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    if high is not None and (number > high or (open_high and number == high)):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def check_choice(value: Any, name: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, else raise a ``ValueError`` that lists them."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def check_flag(value: object, name: str) -> bool:
    """Return `value` as a bool if it is True, False, 1 or 0, else raise ``ValueError``."""
    if not isinstance(value, bool | np.bool_ | numbers.Integral) or value not in (0, 1):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_real(values: ArrayLike, name: str) -> np.ndarray:
    """Return `values` as an array of booleans, integers or floats of any shape, else raise ``ValueError``."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be real numbers, got lists of several lengths") from None
    if array.dtype.kind not in "buif":
        raise ValueError(f"{name} must be real numbers, got dtype {array.dtype}")
    return array


def check_vector(values: ArrayLike, name: str, length: int, per: str = "row of X") -> Floats:
    """Return `values` as a finite float64 vector of shape (length,), else raise ``ValueError``.

    `per` names what an entry belongs to, for the message.
    """
    values = check_real(values, name)
    if values.shape != (length,):
        raise ValueError(f"{name} must have shape ({length},), one entry per {per}, got {values.shape}")
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite, got {values[~np.isfinite(values)][0]} among its entries")
    return values


def check_sample_weight(
    sample_weight: ArrayLike | None, n_samples: int, name: str = "sample_weight", per: str = "row of X"
) -> Floats:
    """Return the weights as a float64 vector; ones for None.

    `name` is the argument's, and `per` what a weight belongs to, for the message.

    Raises ``ValueError`` unless all weights are >= 0 and their sum is positive and finite.
    """
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_vector(sample_weight, name, n_samples, per)
    if (weights < 0).any():
        raise ValueError(f"{name} must be >= 0, got {weights.min()} among its entries")
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"{name} must not be all zero, and have a finite sum, got the sum {total}")
    return weights


def without_strides(X: Any) -> Any:
    """Return `X`, or a copy of a sparse matrix whose array of entries has strides, or is not aligned.

    SciPy takes such an array; scikit-learn's sums over rows do not.
    """
    return X.copy() if issparse(X) and not (X.data.flags.c_contiguous and X.data.flags.aligned) else X


def check_scores(scores: Floats) -> Floats:
    """Return the scores of the rows of X (m, ...), else raise ``ValueError`` for those beyond the floats."""
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(np.argwhere(~finite)[0, 0])
        raise ValueError(
            f"X must have finite scores, got {scores[~finite][0]} for row {row}: its entries are too large"
        )
    return scores


def check_classes(y: Any) -> tuple[np.ndarray, Integers]:
    """Return ``(classes, codes)``: the distinct labels in order, and the index of each row's label."""
    if np.asarray(y).dtype == object:  # sorting compares the labels
        types = sorted({type(label).__name__ for label in np.asarray(y).ravel().tolist()})
        if len(types) > 1:
            raise ValueError(f"y must hold labels of one type, got {', '.join(types)}")
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def check_binary_labels(y: Any, sample_weight: ArrayLike | None) -> tuple[np.ndarray, Floats]:
    """Return ``(classes, signs)``: the two labels in order, and -1.0 for the first, +1.0 for the second.

    A class whose weights are all zero is missing: a weight of zero is the same as leaving the row out.
    """
    classes, codes = check_classes(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y, input_name='y')}: y must have two classes, got {len(classes)}"
        )
    weighted = classes[np.bincount(codes, weights=sample_weight, minlength=len(classes)) > 0]
    if len(weighted) < 2:
        raise ValueError(
            f"y must have two classes of positive weight, got one class only: {weighted.tolist()[0]!r}"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)


def check_binary_signs(y: ArrayLike) -> Floats:
    """Return labels of -1 and +1 as floats; raise a ``ValueError`` that shows any other label."""
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have shape (m,), got {y.shape}")
    if y.dtype.kind not in "buif":  # words, or labels of several types, have no order that shows the others
        others = [label for label in y.tolist() if label not in (-1, 1)]
    else:
        others = np.setdiff1d(y, (-1, 1)).tolist()
    if others:
        raise ValueError(f"y must hold the labels -1 and +1 only, got {others[0]!r} too")
    return y.astype(np.float64)


def _is_finite(number):
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond the floats
        return False


def _describe(low, high, open_low, open_high, integer):
    words = "an integer" if integer else "a finite number"
    bounds = []
    if low is not None:
        bounds.append(f"{'>' if open_low else '>='} {low}")
    if high is not None:
        bounds.append(f"{'<' if open_high else '<='} {high}")
    return " ".join([words, " and ".join(bounds)]).rstrip()
