"""Weights of the classes, as scikit-learn understands them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from paperlib._common.typing import Floats, Integers
from paperlib._common.validation import check_number

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None  # as a user gives it


def apply_class_weight(
    class_weight: ClassWeight, classes: np.ndarray, codes: Integers, weights: Floats
) -> Floats:
    """Return the examples' weights (n,) times those of their classes.

    Parameters
    ----------
    class_weight : "balanced", dict or None
        ``"balanced"`` gives all classes the same sum of weights; a dict has the classes' weights > 0, and a
        class that it leaves out has weight 1.
    classes : ndarray of shape (k,)
    codes : ndarray of shape (n,)
        Position in `classes` of each example's label.
    weights : ndarray of shape (n,)
        Of the examples, >= 0, with a positive sum in each class.

    Raises
    ------
    ValueError
        For anything else, a weight that is no finite number > 0, or a dict that names other classes in
        place of these.

    Examples
    --------
    >>> codes = np.array([0, 1, 1])
    >>> apply_class_weight("balanced", np.array([0, 1]), codes, np.ones(3)).tolist()
    [1.5, 0.75, 0.75]
    >>> apply_class_weight({1: 4}, np.array([0, 1]), codes, np.ones(3)).tolist()
    [1.0, 4.0, 4.0]
    """
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        factors = np.array(_of_mapping(class_weight, classes.tolist()))
    elif isinstance(class_weight, str) and class_weight == "balanced":
        each = np.array([weights[codes == code].sum() for code in range(len(classes))])
        factors = weights.sum() / (len(classes) * each)
    else:
        raise ValueError(f"class_weight must be 'balanced', a dict or None, got {class_weight!r}")
    with np.errstate(over="ignore"):
        weights = weights * factors[codes]
        total = weights.sum()
    if not total < np.inf:
        raise ValueError(f"class_weight times sample_weight must have a finite sum, got {total}")
    return weights


def _of_mapping(class_weight, classes):
    unknown = [key for key in class_weight if key not in classes]
    if unknown and not all(label in class_weight for label in classes):
        raise ValueError(f"class_weight must name classes of y, {classes}, got {unknown[0]!r}")
    return [
        check_number(class_weight.get(label, 1.0), f"class_weight[{label!r}]", low=0, open_low=True)
        for label in classes
    ]
