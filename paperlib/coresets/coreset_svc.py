"""The maximum-margin hyperplane of a coreset, as a scikit-learn classifier (Section 3)."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from paperlib._common.all_or_nothing import all_or_nothing
from paperlib._common.chunks import is_dask
from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.classifier import BinaryClassifier
from paperlib._common.kernels import Gamma, check_kernel, resolve_kernel
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.sklearn_checks import assert_all_finite, validate_data
from paperlib._common.spread import spread
from paperlib._common.threads import check_n_jobs
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_flag, check_number, check_scores
from paperlib.coresets._coordinate.hard import fit_hard, suits
from paperlib.coresets._coordinate.soft import fit_soft
from paperlib.coresets._kernel_solver.pool import KernelPool
from paperlib.coresets._search.inputs import (
    check_dask,
    class_weighted,
    dtypes,
    forget,
    labels,
    rows_before,
    still_there,
    without_repeats,
)
from paperlib.coresets._search.search import FINER, Limits, Search, rows_of, run
from paperlib.coresets._search.streams import StreamRows
from paperlib.coresets._solver.coresets import KernelCoreset, LinearCoreset, WithConstant

SELECTIONS = ("batch", "worst", "first")


class CoresetSVC(BinaryClassifier, BaseEstimator):
    """Linear or kernel classifier of large margin, certified to within ``1 - eps`` of the largest one.

    A hyperplane through the origin has the margin ``min_i y_i <w, x_i>``, for a unit normal ``w``. The
    classifier keeps a small subset of the data, the coreset, and its own maximum-margin hyperplane; while
    points of the data violate that by more than the share `eps`, some of them join (Figure 1). No separator
    of the data has a larger margin than that of the coreset, so that ``margin_ >= (1 - eps) *
    margin_upper_bound_`` (but for rounding, 1e-11 of it) proves what was found. Points of equal margin, again
    but for rounding, join in order of their rows, so that every processor finds the same coreset.

    Parameters
    ----------
    eps : float in (0, 1), default=0.1
        Share of the largest margin that may be missed, or, with `C`, of the objective.
    C : float > 0 or None, default=None
        None is a hard margin. A number is for data that no hyperplane separates: it minimises ``||w||^2 / 2 +
        C sum_i xi_i`` with ``y_i <w, x_i> >= 1 - xi_i``, until the duality gap is at most `eps` of it, in the
        units of `X`, whatever these are: where coordinate steps are slow, an interior point in scaled columns
        takes over, unless `X` is so large that one of its steps takes seconds. Only for the linear kernel,
        ``selection="batch"``, and data in memory; `on_nonseparable` does not matter then.
    kernel : {"linear", "rbf", "polynomial"} or callable, default="linear"
        A callable takes two arrays (a, d), (b, d) and returns the kernel matrix (a, b). The hyperplane is
        then one of the feature space; only the Gram matrix of the coreset is ever formed.
    gamma : float > 0, "scale", "auto" or None, default=None
        ``exp(-gamma ||x - x'||^2)`` and ``(gamma <x, x'> + coef0)^degree``. As in scikit-learn ``"scale"`` is
        ``1 / (n_features Var(X))``, at the cost of one more pass over the data, in which a row counts by its
        `sample_weight`, and ``"auto"`` is ``1 / n_features``, as is None.
    degree, coef0 : int >= 1, default=3; float >= 0, default=1.0
        Of the polynomial kernel.
    fit_intercept : bool, default=False
        Add a constant feature 1 to every point. The default differs from that of scikit-learn's linear
        classifiers, because the paper's hyperplanes go through the origin. With the constant they need not,
        and what is maximised is the margin of the longer vectors, ``min_i y_i (<w, x_i> + b)`` with
        ``||w||^2 + b^2 = 1``: `coef_` and `intercept_` are of unit norm together, `margin_` and its bound are
        in those units, and the distance of the nearest point to the hyperplane is ``margin_ / ||coef_||``.
        Where all points have norm `r` or less, no hyperplane is farther from all of them than
        ``margin_upper_bound_ * sqrt(1 + r^2)``: divide the data by a number that makes `r` small, such as
        0.1, where the largest distance is wanted.
    selection : {"batch", "worst", "first"}, default="batch"
        Which violators join. ``"worst"`` is the paper's rule: one an iteration, of smallest margin, beginning
        with the first row. ``"first"``: the first one that is met, going round (Corollary 3.2). ``"batch"``
        needs the fewest passes: it solves for a random sample first, then reads all data for what that
        missed, several at a time. For rows in memory it begins with dual coordinate steps from 500 features
        on, or 100 where rows are at most ``d * d``, and ends in a coreset's hull where that is quicker.
    on_nonseparable : {"raise", "warn"}, default="raise"
        When no hyperplane separates the data: an error, or a warning and the best hyperplane that was met.
    max_iter : int >= 1, default=10000
        How often the coreset is solved at most; a `ConvergenceWarning` says where that was not enough.
    random_state : int, numpy.random.Generator, RandomState or None
        Of the sample that ``"batch"`` begins with.
    n_jobs : int or None, default=None
        Threads for sums of ``kernel="rbf"``, which change no result; None means 1, -1 all cores.
    class_weight : "balanced", dict or None, default=None
        By which `C` is multiplied for the rows of a class, besides `sample_weight`. A dict has weights > 0, 1
        for a class that it leaves out. A hard margin has no use for it.
    warm_start : bool, default=False
        Begin with the rows of the last fit, and their weights, for a path over `C` or `eps`: what is promised
        stays the same. Only for ``selection="batch"`` and data in memory.
    time_limit : float > 0 or None, default=None
        Seconds; looked at when the coreset was solved. A `ConvergenceWarning` says where they were too few.
    verbose : bool or int >= 0, default=0
        Whether to print how far it is, about once a second.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    coef_ : ndarray of shape (1, n_features)
        The unit normal, with `fit_intercept` of norm 1 together with `intercept_`; only for the linear
        kernel.
    intercept_ : ndarray of shape (1,)
        Zero without `fit_intercept`.
    margin_ : float
        ``min_i y_i f(x_i)`` over all rows of positive weight, with the sign of the class for ``y_i`` and the
        decision function for ``f``.
    margin_upper_bound_ : float
        The coreset's own margin, or the norm of another combination of its signed points (with a kernel and
        ``selection="batch"`` longer by the share ``eps / 4`` at most): no hyperplane, of unit norm, has a
        larger one on the data.
    coreset_indices_ : ndarray of shape (k,)
        Row numbers, in the order they joined. With ``selection="batch"`` only those that the hyperplane rests
        on, at most ``n_features + 1``; of coordinate steps all that have weight, in order of their rows.
    hull_weights_ : ndarray of shape (k,)
        Of the combination of the points ``y_i x_i`` whose norm is `margin_upper_bound_`, along the normal.
    margin_path_ : ndarray of shape (n_iter_,)
        The upper bound after each iteration; it never rises. Not with `C`, nor is the next one.
    added_margin_path_ : ndarray of shape (n_iter_ - 1,)
        The smallest margin, to the hyperplane before, of the points that joined in each later iteration.
    n_iter_ : int
        How often the coreset was solved, or all margins were computed between coordinate steps or in the
        interior point.
    n_passes_ : int
        How often all data were gone through, a sample not counted, nor that rows whose margin cannot have
        fallen far enough are not read again. Coordinate steps over some rows count as that part of a pass.
    objective_, dual_objective_, gap_ : float
        Only with `C`, as the next two: ``||w||^2 / 2 + C sum_i xi_i`` of ``w = coef_ / margin_``, what no
        other ``w`` comes below, and their difference. `margin_` is ``1 / ||w||`` then, the distance at which
        the loss begins (infinite for ``w = 0``), and `margin_upper_bound_` that of the best ``w`` at most.
    gap_path_ : ndarray of shape (n_iter_,)
    dual_coef_ : ndarray of shape (k,)
        ``a_i`` in ``[0, C]``, so that ``w = sum_i a_i y_i x_i`` over the coreset, up to the rounding of sums
        of the size of ``C ||x_i||``.
    n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
        The latter only where `X` has names.

    Raises
    ------
    ValueError
        If the data are not separable (without `C`), empty, of different lengths or not finite, `y` has not
        exactly two classes of positive weight, or a parameter is out of range.

    Notes
    -----
    A hyperplane counts as separating if its margin is above 1e-12 of the largest norm of the coreset, or 1e-6
    for kernels other than the linear one: below that is rounding. A point at the origin is separated by none.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, Figure 1, Definition 2.2, Lemma 3.1, Corollary 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.coresets import CoresetSVC
    >>> X = np.array([[2.0, 1.0], [1.0, 3.0], [-1.0, -1.0], [-4.0, 1.0]])
    >>> y = np.array(["up", "up", "down", "down"])
    >>> clf = CoresetSVC(eps=0.01).fit(X, y)
    >>> clf.predict([[1.0, 1.0], [-1.0, 0.0]]).tolist()
    ['up', 'down']
    >>> round(clf.margin_, 3), clf.margin_ >= 0.99 * clf.margin_upper_bound_
    (1.414, True)

    Labels that no hyperplane explains:

    >>> clf = CoresetSVC(eps=1e-6, C=1.0).fit(np.vstack([X, X[:1]]), np.append(y, "down"))
    >>> round(clf.objective_, 3), clf.gap_ <= 1e-6 * clf.objective_
    (2.444, True)
    """

    def __init__(
        self,
        eps: float = 0.1,
        *,
        C: float | None = None,
        kernel: Literal["linear", "rbf", "polynomial"] | Callable[[Floats, Floats], ArrayLike] = "linear",
        gamma: Gamma = None,
        degree: int = 3,
        coef0: float = 1.0,
        fit_intercept: bool = False,
        selection: Literal["batch", "worst", "first"] = "batch",
        on_nonseparable: Literal["raise", "warn"] = "raise",
        max_iter: int = 10_000,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        time_limit: float | None = None,
        verbose: bool | int = 0,
    ) -> None:
        self.eps = eps
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.selection = selection
        self.on_nonseparable = on_nonseparable
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the coreset and its hyperplane. An error, or an interrupt, leaves the estimator as it was.

        Parameters
        ----------
        X : array-like, CSR matrix or dask array of shape (n, d)
            Arrays of float64 or float32, memory maps of any numbers, and CSR matrices for the linear kernel,
            are read where they lie; a hard linear margin keeps one byte of each row. A dask array, chunked
            along its rows, is gone through chunk by chunk on whatever scheduler is active.
        y : array-like of shape (n,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (n,), optional
            Non-negative. It multiplies `C`, and counts in ``gamma="scale"``. Else a positive weight does not
            change a hard margin; a row of weight zero is left out.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            rng, limits = self._check_parameters()
            before = rows_before(self)
            forget(self)
            if is_dask(X):
                self._refuse_soft("a dask array")
                y = check_dask(X, y)
                self.n_features_in_ = X.shape[1]
            else:
                if callable(X) or isinstance(X, Iterator):
                    raise ValueError(
                        f"X must be an array, got {type(X).__name__}; fit_stream takes a function that "
                        "returns chunks (X, y) anew at each call"
                    )
                forms = {"accept_sparse": self._sparse_form(), "dtype": dtypes(X, self.C)}
                X, y = validate_data(self, X, y, ensure_all_finite=False, **forms)
                X = without_repeats(X)
                if not self._is_linear():  # a linear search meets them on its way
                    assert_all_finite(X, input_name="X")
            self.classes_, signs = labels(y, sample_weight)
            weights = class_weighted(self, signs, sample_weight)
            start = None if is_dask(X) else still_there(before, signs)
            if self.C is not None:
                fit_soft(self, X, signs, weights, rng, limits, start)
                return self
            seen, n_passes = None if start is None else start[0], 0
            if self.selection == "batch" and self._is_linear() and suits(X):
                seen, n_passes = fit_hard(self, X, signs, rng, limits, start)
                if seen is None:
                    return self
            coreset = self._coreset(X.shape[1], partial(spread, X, sample_weight, signs), limits.deadline)
            rows = rows_of(X, signs, coreset, float(self._is_linear() and self.fit_intercept))
            rows.n_passes = n_passes
            return self._finish(Search(coreset, rows, self.eps, limits), rng, seen)

    def fit_stream(self, chunks: Callable[[], Iterable[Any]], y: str | None = None) -> Self:
        """Find the coreset in data that can only be read in order, in memory that does not grow with these.

        The first pass takes in violators as it meets them (Corollary 3.2); later ones look for what it left.
        An error, or an interrupt, leaves the estimator as it was.

        Parameters
        ----------
        chunks : callable
            ``chunks()`` returns an iterator of pairs of arrays ``(X, y)``, of shapes (m, d) and (m,) for any
            `m`, or of tables of m rows with named columns: Arrow record batches, as
            ``pyarrow.dataset.dataset(path).to_batches`` gives them of Parquet files, or data frames of polars
            or pandas, for which pyarrow is needed too. It gives the same rows each time it is called.
        y : str, optional
            Of tables the name of the column that holds the labels; all others are features.

        Returns
        -------
        self
            `coreset_indices_` are row numbers in the order of the stream.

        Raises
        ------
        ValueError
            As `fit`, and if the calls give different numbers of rows, or chunks other names of columns, or in
            another order, or `chunks` is not callable.

        Examples
        --------
        >>> def chunks():
        ...     for i in range(1, 5):
        ...         yield np.array([[i, 1.0], [-i, 1.0]]), np.array([1, 0])
        >>> CoresetSVC(eps=0.01).fit_stream(chunks).coef_.round(12).tolist()
        [[1.0, -0.0]]
        """
        with all_or_nothing(self):
            rng, limits = self._check_parameters()
            self._refuse_soft("a stream")
            forget(self)
            rows = StreamRows(chunks, y)
            rows.peek()
            self.n_features_in_ = rows.n_features
            if rows.names is not None:
                self.feature_names_in_ = np.array(rows.names, dtype=object)
            coreset = self._coreset(self.n_features_in_, rows.variance, limits.deadline)
            return self._finish(Search(coreset, rows, self.eps, limits), rng)

    def decision_function(self, X: ArrayLike) -> Floats:
        """Return the signed distance of each row of `X` to the hyperplane in the feature space, shape (m,).

        It is positive for ``classes_[1]``; `X` is array-like or a CSR matrix, (m, d).
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse=self._sparse_form())
        with np.errstate(over="ignore", invalid="ignore"):
            return check_scores(self._sign * self._plane.scores(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where nothing separates the classes, the hyperplane that was met says little about most rows.
        tags.classifier_tags.poor_score = self.on_nonseparable == "warn" and self.C is None
        tags.input_tags.sparse = self._is_linear()
        return tags

    def _check_parameters(self):
        """Raise ``ValueError`` for a parameter out of its range; return the random generator and limits."""
        check_number(self.eps, "eps", low=0, high=1, open_low=True, open_high=True)
        check_kernel(self.kernel, self.gamma, self.degree, self.coef0)
        check_choice(self.selection, "selection", SELECTIONS)
        if self.C is not None:
            check_number(self.C, "C", low=0, open_low=True)
            if not self._is_linear():
                self._refuse_soft(f"kernel={self.kernel!r}", "a soft margin is for the linear kernel only")
            if self.selection != "batch":
                self._refuse_soft(f"selection={self.selection!r}", "a soft margin has no violators to select")
        check_flag(self.fit_intercept, "fit_intercept")
        check_flag(self.warm_start, "warm_start")
        check_n_jobs(self.n_jobs)
        check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
        limits = Limits(self.max_iter, self.time_limit, self.verbose, "CoresetSVC")
        return check_random_state(self.random_state), limits

    def _sparse_form(self):
        return "csr" if self._is_linear() else False

    def _refuse_soft(self, what, why="its rows would have to be read in any order"):
        if self.C is not None:
            raise ValueError(f"C must be None for {what}, got C={self.C!r}: {why}")

    def _coreset(self, n_features, spread, deadline):
        """Return an empty coreset in the space of the kernel; `spread` as `resolve_kernel` takes it."""
        widths = self.gamma, self.degree, self.coef0
        kernel = resolve_kernel(self.kernel, *widths, n_features, spread, check_n_jobs(self.n_jobs))
        if self._is_linear():
            return LinearCoreset(n_features, bool(self.fit_intercept))
        kernel = WithConstant(kernel) if self.fit_intercept else kernel
        if self.selection == "batch":
            return KernelPool(kernel, n_features, FINER * self.eps, deadline)
        return KernelCoreset(kernel, n_features)

    def _is_linear(self):
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _finish(self, search, rng, seen=None):
        coreset, rows = search.coreset, search.rows
        run(self, search, rng, seen)
        if isinstance(rows, StreamRows):
            self.classes_ = np.sort(np.array(rows.labels))
            weigh_classes(self.class_weight, self.classes_, np.arange(2), np.ones(2))
        self._sign = -1.0 if getattr(rows, "flipped", False) else 1.0
        self._plane = search.plane
        if isinstance(coreset, LinearCoreset):
            self.coef_ = self._sign * search.plane.w[None]
            self.intercept_ = np.array([self._sign * search.plane.b])
        else:
            constant = search.plane.weights.sum() if self.fit_intercept else 0.0
            self.intercept_ = np.array([self._sign * constant])
        held = coreset.support() if self.selection == "batch" else np.arange(len(coreset))
        self.coreset_indices_ = np.array(coreset.indices, dtype=np.int64)[held]
        self.hull_weights_ = coreset.dual[held]
        self.margin_ = float(search.margin)
        self.margin_upper_bound_ = max(float(coreset.margin), self.margin_)  # equal but for rounding, then
        self.margin_path_ = np.array(coreset.path)
        self.added_margin_path_ = np.array(search.added)
        self.n_iter_, self.n_passes_ = len(coreset.path), rows.n_passes
        return self
