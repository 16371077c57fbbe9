"""Choosing among kernels by the length of the mean vector (Section 3.4)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_X_y

from paperlib._common.kernels import bind_kernel, quadratic_form
from paperlib._common.rounding import first_smallest
from paperlib._common.typing import Floats
from paperlib._common.validation import check_binary_labels, check_sample_weight

Kernel: TypeAlias = (
    Literal["rbf", "linear", "polynomial", "poly", "precomputed"] | Callable[[Floats, Floats], ArrayLike]
)


class KernelSelection(NamedTuple):
    """The chosen kernel, and the lengths that decided.

    Attributes
    ----------
    best : int
        Position in the sequence of kernels; the first where several are equally good.
    kernel : object
        That kernel, as it was given.
    norms : ndarray of shape (k,)
        ``||Phi_i(S)||`` for each; ``1 - norms`` are the least linear losses over the unit balls.

    Examples
    --------
    >>> from paperlib.kernel_mean import select_kernel
    >>> chosen = select_kernel([[0.0], [1.0]], [0, 1], [{"gamma": 0.1}, {"gamma": 10.0}])
    >>> chosen.best, chosen.norms.round(3).tolist()
    (1, [0.218, 0.707])
    """

    best: int
    kernel: Kernel | Mapping[str, Any]
    norms: Floats


def select_kernel(
    X: ArrayLike,
    y: ArrayLike,
    kernels: Sequence[Kernel | Mapping[str, Any]],
    sample_weight: ArrayLike | None = None,
) -> KernelSelection:
    """Choose the kernel whose mean vector is longest: the multiple kernel learning of Section 3.4.

    Over the convex hull of the kernels' unit balls the linear loss is least at a single kernel, the one of
    largest ``||Phi_i(S)||``. The kernels should be bounded alike, ``K(x, x) <= 1``; a kernel of larger values
    wins by its scale.

    Parameters
    ----------
    X : array-like of shape (n, d)
    y : array-like of shape (n,)
        Two distinct labels of any type.
    kernels : sequence
        Of names or callables as `KernelMeanClassifier` takes them, or dicts of its parameters `kernel`,
        `gamma`, `degree` and `coef0`; with ``{"kernel": "precomputed", "K": matrix}`` a kernel matrix (n, n).
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    KernelSelection
        In O(k n^2 d) time; kernel matrices are made a block at a time.

    Raises
    ------
    ValueError
        For bad data as in `KernelMeanClassifier`, no kernels, or a bad one among them, which is named.

    References
    ----------
    B. van Rooyen, A. K. Menon, R. C. Williamson, "Sparse Robust Classification via the Kernel Mean",
    Section 3.4, Theorem 6.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.kernel_mean import select_kernel
    >>> X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), [0, 0, 1, 1]
    >>> select_kernel(X, y, [{"gamma": gamma} for gamma in (0.01, 3.0, 1000.0)]).kernel
    {'gamma': 3.0}
    """
    rows, labels = check_X_y(X, y, dtype=np.float64)
    weights = check_sample_weight(sample_weight, len(labels))
    _, signs = check_binary_labels(labels, weights)
    weights = signs * weights / weights.sum()
    kernels = list(kernels)
    if not kernels:
        raise ValueError("kernels must hold at least one kernel")
    norms = np.array([_norm(kernel, place, rows, weights) for place, kernel in enumerate(kernels)])
    best = first_smallest(-norms)
    return KernelSelection(best, kernels[best], norms)


def _norm(kernel, place, X, weights):
    options = dict(kernel) if isinstance(kernel, dict) else {"kernel": kernel}
    unknown = set(options) - {"kernel", "gamma", "degree", "coef0", "K"}
    if unknown:
        raise ValueError(f"kernels[{place}] has the unknown parameter {min(unknown)!r}")
    options.setdefault("kernel", "rbf")
    precomputed = options["kernel"] == "precomputed" if isinstance(options["kernel"], str) else False
    if precomputed != ("K" in options):
        raise ValueError(
            f"kernels[{place}] must have K, the kernel matrix, if and only if it is 'precomputed'"
        )
    try:
        if precomputed:
            options["X"] = np.asarray(options.pop("K"), dtype=float)
            if options["X"].shape != (len(X), len(X)) or not np.isfinite(options["X"]).all():
                raise ValueError(f"K must be a finite matrix of shape ({len(X)}, {len(X)})")
        bound, points = bind_kernel(**{"X": X} | options)
        return np.sqrt(quadratic_form(bound, points, weights))
    except ValueError as error:
        raise ValueError(f"kernels[{place}]: {error}") from error
