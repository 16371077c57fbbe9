"""Weights of the two classes, as scikit-learn understands them."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from paperlib._common.typing import Floats
from paperlib._common.validation import check_number

ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None  # as a user gives it


def apply_class_weight(
    class_weight: ClassWeight, classes: np.ndarray, signs: Floats, weights: Floats
) -> Floats:
    """Return the examples' weights (n,) times those of their classes.

    Parameters
    ----------
    class_weight : "balanced", dict or None
        ``"balanced"`` gives both classes the same sum of weights; a dict has the classes' weights > 0, and a
        class that it leaves out has weight 1.
    classes : ndarray of shape (2,)
    signs : ndarray of shape (n,)
        -1 for ``classes[0]``, +1 for ``classes[1]``.
    weights : ndarray of shape (n,)
        Of the examples, >= 0, with a positive sum in either class.

    Raises
    ------
    ValueError
        For anything else, a weight that is no finite number > 0, or a dict that names other classes in
        place of these.

    Examples
    --------
    >>> signs = np.array([-1.0, 1.0, 1.0])
    >>> apply_class_weight("balanced", np.array([0, 1]), signs, np.ones(3)).tolist()
    [1.5, 0.75, 0.75]
    >>> apply_class_weight({1: 4}, np.array([0, 1]), signs, np.ones(3)).tolist()
    [1.0, 4.0, 4.0]
    """
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        negative, positive = _of_mapping(class_weight, classes.tolist())
    elif isinstance(class_weight, str) and class_weight == "balanced":
        total = weights.sum()
        negative, positive = (total / (2.0 * weights[signs == sign].sum()) for sign in (-1.0, 1.0))
    else:
        raise ValueError(f"class_weight must be 'balanced', a dict or None, got {class_weight!r}")
    with np.errstate(over="ignore"):
        weights = weights * np.where(signs > 0, positive, negative)
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
