"""Weights of rows times those of their classes, as scikit-learn understands them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None  # as a user gives it


def weigh_classes(class_weight: ClassWeight, classes: np.ndarray, codes: Integers, weights: Floats) -> Floats:
    """Return the weights (n,) of rows times those of their classes.

    Parameters
    ----------
    class_weight : "balanced", dict or None
        ``"balanced"`` gives each class the same sum of weights, and leaves the sum of all as it is; a dict
        has the weights > 0 of classes, and a class that it leaves out has weight 1.
    classes : ndarray of shape (k,)
    codes : ndarray of shape (n,)
        Positions of the rows' labels in `classes`.
    weights : ndarray of shape (n,)
        Of the rows, >= 0, with a positive sum in each class.

    Raises
    ------
    ValueError
        For anything else, a weight that is no finite number > 0, or a dict with a class that there is not.

    Examples
    --------
    >>> classes, codes = np.array(["a", "b"]), np.array([0, 1, 1])
    >>> weigh_classes("balanced", classes, codes, np.ones(3)).tolist()
    [1.5, 0.75, 0.75]
    >>> weigh_classes({"b": 4}, classes, codes, np.ones(3)).tolist()
    [1.0, 4.0, 4.0]
    """
    if class_weight is None:
        return weights
    factors = class_factors(class_weight, classes, codes, weights)
    with np.errstate(over="ignore"):
        weights = weights * factors[codes]
        total = weights.sum()
    if not 0.0 < total < np.inf:
        raise ValueError(f"class_weight times sample_weight must have a finite sum > 0, got {total}")
    return weights


def class_factors(class_weight: ClassWeight, classes: np.ndarray, codes: Integers, weights: Floats) -> Floats:
    """Return the weight (k,) of each class, by which those of its rows are multiplied."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, Mapping):
        return _of_mapping(class_weight, classes.tolist())
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(codes, weights, minlength=len(classes))
        # A class without weight does not count among the classes, and has the factor 0.
        return weights.sum() / (np.count_nonzero(sums) * np.where(sums > 0.0, sums, np.inf))
    raise ValueError(f"class_weight must be 'balanced', a dict or None, got {class_weight!r}")


def copies_of_rows(weights: Floats, factors: Floats) -> tuple[Integers, Floats]:
    """Return the copies that rows of such weights stand for: which row each is one of, and its own weight.

    A row of weight w is ``floor(w)`` copies and, where w is no integer, one that counts in part. The weight
    of its class, in `factors` (n,), is one of each copy, so that an integer weight is as many rows of it.

    >>> copies_of_rows(np.array([2.0, 0.5]), np.array([1.5, 3.0]))
    (array([0, 0, 1]), array([1.5, 1.5, 1.5]))
    """
    times = np.ceil(weights).astype(np.int64)
    rows, own = np.repeat(np.arange(len(weights)), times), np.ones(times.sum())
    some = times > 0
    # The last copy of a row has what the others leave of its weight: 1 where that is whole.
    own[np.cumsum(times)[some] - 1] = (weights - (times - 1))[some]
    return rows, own * factors[rows]


def _of_mapping(class_weight, classes):
    unknown = [key for key in class_weight if key not in classes]
    if unknown and not all(label in class_weight for label in classes):
        raise ValueError(f"class_weight must name classes of y, {classes}, got {unknown[0]!r}")
    weights = (class_weight.get(label, 1.0) for label in classes)
    return np.array(
        [
            check_number(weight, f"class_weight[{label!r}]", low=0, open_low=True)
            for label, weight in zip(classes, weights)
        ]
    )
