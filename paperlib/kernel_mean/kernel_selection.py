"""Choosing among kernels: by the length of the mean vector (Section 3.4), or by errors on labels left out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.kernels import bind_kernel, check_range, quadratic_form
from paperlib._common.rounding import first_smallest
from paperlib._common.sklearn_checks import check_array, check_X_y
from paperlib._common.threads import check_n_jobs
from paperlib._common.typing import Floats
from paperlib._common.validation import (
    check_binary_labels,
    check_choice,
    check_sample_weight,
    without_strides,
)
from paperlib.kernel_mean._leave_one_out.scores import leave_one_out_scores

Kernel: TypeAlias = (
    Literal["rbf", "linear", "polynomial", "poly", "precomputed"] | Callable[[Floats, Floats], ArrayLike]
)


class KernelSelection(NamedTuple):
    """The chosen kernel, and what decided.

    Attributes
    ----------
    best : int
        Position in the sequence of kernels; the first where several are equally good.
    kernel : object
        That kernel, as it was given.
    norms : ndarray of shape (k,)
        ``||Phi_i(S)||`` for each; ``1 - norms`` are the least linear losses over the unit balls.
    errors : ndarray of shape (k,) or None
        Leave-one-out errors of their means, in [0, 1]; None unless they decide.

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
    errors: Floats | None = None


def select_kernel(
    X: ArrayLike,
    y: ArrayLike,
    kernels: Sequence[Kernel | Mapping[str, Any]],
    sample_weight: ArrayLike | None = None,
    *,
    class_weight: ClassWeight = None,
    rule: Literal["max_norm", "leave_one_out"] = "max_norm",
    n_jobs: int | None = None,
) -> KernelSelection:
    """Choose a kernel for the mean classifier, from labels that may be noisy.

    The paper's rule, ``"max_norm"``, takes the kernel whose mean vector is longest (Section 3.4): over the
    convex hull of the kernels' unit balls the linear loss is least there. ``"leave_one_out"`` takes the
    kernel whose mean classifier has the least error on the training labels, each scored by the mean of the
    others. Symmetric label noise shortens the mean vectors of all kernels alike, and keeps classifiers in the
    order of their errors.

    Parameters
    ----------
    X : array-like of shape (n, d)
        For Gaussian, linear and precomputed kernels also a sparse matrix, which stays sparse.
    y : array-like of shape (n,)
        Two distinct labels, of any type but fractions.
    kernels : sequence
        Of names or callables as `KernelMeanClassifier` takes them, or dicts of its parameters `kernel`,
        `gamma`, `degree` and `coef0`; with ``{"kernel": "precomputed", "K": matrix}`` a kernel matrix (n, n).
    sample_weight : array-like of shape (n,), optional
        As of `KernelMeanClassifier`, in the variance of ``gamma="scale"``, too.
    class_weight : "balanced", dict or None, default=None
        As of `KernelMeanClassifier`. Errors are counted with the same weights, so that with ``"balanced"``
        both classes' errors count alike, and noise may have another rate in each class.
    rule : {"max_norm", "leave_one_out"}, default="max_norm"
    n_jobs : int or None, default=None
        Threads of a dense Gaussian kernel: None is 1, -1 all cores. The result does not depend on it. Other
        kernels take one, and gain nothing.

    Returns
    -------
    KernelSelection
        In O(k n^2 d) time; kernel matrices are made a block at a time.

    Raises
    ------
    ValueError
        For bad data or class weights as in `KernelMeanClassifier`, another rule, no kernels, or a bad one
        among them, which is named.

    Notes
    -----
    ``"max_norm"`` is for kernels bounded alike, ``K(x, x) <= 1``: one of larger values wins by its scale. Of
    Gaussian kernels it prefers wide ones, the more so where classes are unequal: there
    ``(n_+ - n_-) / n`` is the length of the mean of the constant kernel, which knows the share of the classes
    and nothing else, and a useful kernel's is often less. Give ``class_weight="balanced"`` then.

    ``"leave_one_out"`` compares errors, on any scale. With n examples and symmetric noise of rate ``sigma``
    errors nearer than about ``1 / ((1 - 2 sigma) sqrt(n))`` are not told apart; of equal errors the first
    kernel is taken. The threshold of the mean classifier is zero here: choose another after the kernel.

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

    Of unequal classes the widest kernel has the longest mean, which calls everything 0:

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 2)), np.repeat([0, 1], [85, 15])
    >>> X[y == 1] += 3
    >>> kernels = [{"gamma": gamma} for gamma in (0.001, 0.5, 50.0)]
    >>> select_kernel(X, y, kernels).kernel
    {'gamma': 0.001}
    >>> chosen = select_kernel(X, y, kernels, class_weight="balanced", rule="leave_one_out")
    >>> chosen.kernel, chosen.errors.round(2).tolist()
    ({'gamma': 0.5}, [0.05, 0.04, 0.2])
    """
    check_choice(rule, "rule", ("max_norm", "leave_one_out"))
    threads = check_n_jobs(n_jobs)
    rows, labels = check_X_y(X, y, dtype=np.float64, accept_sparse="csr")
    rows = without_strides(rows)
    weights = check_sample_weight(sample_weight, len(labels))
    classes, signs = check_binary_labels(labels, weights)
    counted = weights
    weights = weigh_classes(class_weight, classes, (signs > 0).astype(int), weights)
    weights = signs * weights / weights.sum()
    if not isinstance(kernels, Iterable) or isinstance(kernels, str | bytes | Mapping):
        raise ValueError(
            f"kernels must be a sequence of kernels, got {kernels!r}: put a single one in a list"
        )
    kernels = list(kernels)
    if not kernels:
        raise ValueError("kernels must hold at least one kernel")
    balanced = isinstance(class_weight, str)
    measure = partial(
        _norm_and_error,
        X=rows,
        counted=counted,
        weights=weights,
        balanced=balanced,
        rule=rule,
        n_jobs=threads,
    )
    norms, errors = np.array([measure(kernel, place) for place, kernel in enumerate(kernels)]).T
    if rule == "leave_one_out":
        # Errors are shares of 1, by which ties are judged: relative to an error near zero they would be none.
        best = first_smallest(errors, 1.0)
        return KernelSelection(best, kernels[best], norms, errors)
    best = first_smallest(-norms)
    return KernelSelection(best, kernels[best], norms)


def _norm_and_error(kernel, place, X, counted, weights, balanced, rule, n_jobs):
    options = dict(kernel) if isinstance(kernel, dict) else {"kernel": kernel}
    unknown = set(options) - {"kernel", "gamma", "degree", "coef0", "K"}
    if unknown:
        raise ValueError(f"kernels[{place}] has the unknown parameter {min(unknown, key=repr)!r}")
    options.setdefault("kernel", "rbf")
    precomputed = options["kernel"] == "precomputed" if isinstance(options["kernel"], str) else False
    if precomputed != ("K" in options):
        raise ValueError(
            f"kernels[{place}] must have K, the kernel matrix, if and only if it is 'precomputed'"
        )
    try:
        if issparse(X) and options["kernel"] not in ("rbf", "linear", "precomputed"):
            raise ValueError("X must be dense but for the kernels 'rbf' and 'linear': use X.toarray()")
        if precomputed:
            n = X.shape[0]
            options["X"] = check_array(options.pop("K"), dtype=np.float64, input_name="K")
            if options["X"].shape != (n, n):
                raise ValueError(f"K must be a finite matrix of shape ({n}, {n}), got {options['X'].shape}")
        bound, points = bind_kernel(**{"X": X, "weights": counted, "n_jobs": n_jobs} | options)
        check_range(bound, points)
        norm = np.sqrt(quadratic_form(bound, points, weights))
        if rule == "max_norm":
            return norm, np.nan
        scores = leave_one_out_scores(bound, points, weights, balanced)
        return norm, np.abs(weights)[scores * weights <= 0].sum()
    except ValueError as error:
        raise ValueError(f"kernels[{place}]: {error}") from error
