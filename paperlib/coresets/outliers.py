"""Large margins in the presence of outliers (Section 5, Figure 4) as a scikit-learn estimator."""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.all_or_nothing import all_or_nothing
from paperlib._common.caller_warning import warn_caller
from paperlib._common.class_weights import ClassWeight
from paperlib._common.deadline import Deadline, LimitReached
from paperlib._common.kernels import Gamma
from paperlib._common.progress import Progress
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.rounding import TIED, ascending
from paperlib._common.typing import Floats
from paperlib._common.validation import check_choice, check_flag, check_number
from paperlib.coresets._outliers import trimmed
from paperlib.coresets._outliers.auto import WORK, auto
from paperlib.coresets._outliers.weighted import WeightedBest
from paperlib.coresets._search.inputs import check_size, weighted_labels
from paperlib.coresets._solver.feature_space import FeatureSpaceClassifier
from paperlib.coresets._solver.hull import min_norm_point
from paperlib.coresets.theory import corollary_3_2, lemma_5_2_ratio, lemma_5_2_size

METHODS = ("auto", "exhaustive", "doubling", "branch", "sampled")
UNFINISHED = ("time limit", "work limit", "node limit")


class OutlierCoresetSVC(FeatureSpaceClassifier, BaseEstimator):
    """The hyperplane with the largest margin on all points but k, and how far from it that may be.

    The points that are left out are chosen by the hyperplane: its margin is the (k+1)-th smallest one. No
    other hyperplane has a larger one than `margin_upper_bound_`, however the search ended.

    With `sample_weight` or `class_weight` a point counts its weight towards the k: whole numbers are the same
    as to repeat it that often. A point that weighs more than is left of k cannot be left out.

    Parameters
    ----------
    n_outliers : int, 0 <= n_outliers < n, default=1
        The number k of points that are left out of the margin, or what they weigh together at most.
    eps : float in (0, 1), default=0.1
        Share of the largest margin that may be missed: when the search has come to its end, ``margin_ >=
        (1 - eps) margin_upper_bound_`` (except for ``"sampled"``). The smaller, the longer it takes.
    method : {"auto", "exhaustive", "doubling", "branch", "sampled"}, default="auto"
        ``"auto"`` needs no choice and takes any size. It looks for a good hyperplane, and then for k + 1
        disjoint sets of points of which no other has a larger margin; k points are not enough to leave out
        one of each. That ends it at once where outliers stand out. Else it searches all sets of k points
        that matter, until it is through or `time_limit` is over.
        The others are the paper's and what comes from it. ``"exhaustive"`` and ``"doubling"`` are OUTLIER SVM
        and SIMPLE OUTLIER SVM (Figure 4): the hyperplanes of all subsets of up to d points, for small n and
        d. ``"branch"`` has the same guarantee at ``sum_j (d + 1)^j, j <= k`` coresets for any n.
        ``"sampled"`` follows random paths of that search, and does not promise the share `eps`.
    time_limit : float > 0 or None, default=None
        Seconds after which the best hyperplane so far, and its bound, are what is returned. With None
        ``"auto"`` ends after a fixed amount of work, about half a minute of it, so that the result does not
        hang on the clock.
    fit_intercept : bool, default=False
        Add a constant feature 1 to every point, as in `CoresetSVC`: what is maximised is then ``y_i (<w, x_i>
        + b)`` with ``||w||^2 + b^2 = 1``, and `margin_` and its bound are in those units.
    kernel : {"linear", "rbf", "polynomial"} or callable, default="linear"
        As in `CoresetSVC`; the hyperplane is one of the feature space. The Gram matrix of all rows is
        factored, which is exact but for rounding, and takes at most 4,000 distinct rows. The search then has
        as many dimensions as that has rank: few thousands of rows take seconds to minutes.
    gamma, degree, coef0 : default=None, 3, 1.0
        Of the kernel, as in `CoresetSVC`.
    n_samples : int >= 1, default=30
        Paths of ``"sampled"``.
    on_nonseparable : {"raise", "warn"}, default="raise"
        If no hyperplane that separates all points but k was found: a ``ValueError``, or a
        ``ConvergenceWarning`` and the best hyperplane met, with ``margin_ <= 0``.
    random_state : int, numpy.random.Generator, RandomState or None
        Of ``"sampled"``.
    class_weight : "balanced", dict or None, default=None
        By which the weights of rows are multiplied: a class of weight 3 is left out a third as easily. A dict
        has the weights > 0 of classes, 1 where it has none; ``"balanced"`` gives both classes the same sum.
    verbose : bool or int >= 0, default=0
        Whether to print the margin and its bound about once a second.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Unit normal; of unit norm together with `intercept_` where there is one. Only for the linear kernel.
    intercept_ : ndarray of shape (1,)
        Zero without `fit_intercept`.
    support_, dual_coef_ : ndarray of shape (s,)
        Only for other kernels: rows of X and their weights in the decision function, which is ``sum_j
        dual_coef_[j] K(X[support_[j]], x) + intercept_``.
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive one.
    outlier_indices_ : ndarray of shape (n_outliers,)
        The points of smallest margin, in order of their rows; with weights as many as weigh `n_outliers`
        together at most, and none of weight zero.
    margin_ : float
        ``rho_k``: the (k+1)-th smallest margin, that of the worst point that is not left out; with a kernel
        computed from its values. Below 1e-6 of the largest norm it is rounding there, and separates nothing.
    margin_upper_bound_ : float
        No hyperplane has a larger ``rho_k``, but for rounding. Always finite; zero where it was shown that k
        points less do not make the data separable.
    halted_ : str
        Reason to stop. "margin": the paper's rule. "complete": all subsets of min(d, n - k) points were
        tried, which is exact. "certified": within ``1 - eps`` of an upper bound. "searched": all of the tree
        of ``"auto"`` or ``"branch"``. With these `margin_` is within ``1 - eps`` of the optimum. "time
        limit", "work limit" (of ``"auto"``) and "node limit" (of ``"branch"``): not all of it, and a
        ``ConvergenceWarning`` says how far off it may be. "samples used".
    n_looked_at_ : int
        Subsets, coresets or conflicts that were solved.

    Raises
    ------
    ValueError
        If an argument is out of its range, for n <= n_outliers (or a sum of weights that is no larger), for
        non-separable data, and for too many subsets for Figure 4's methods without a time limit.

    See Also
    --------
    paperlib.experiments.coresets.mixed_integer.trimmed_optimum : the exact optimum, to hold these against.

    Notes
    -----
    Figure 4's test ``rho_k > rho`` is taken as ``rho_k >= (1 - eps) rho``, which has the same guarantee and
    stops at the first guess below the optimum; and the subsets have *up to* c points. The figure's c is at
    least ``32 / eps``, more than could be tried. The smaller one of Lemma 5.2 and Corollary 3.2 is taken,
    which is 1 where R and rho are equal, so that the rule ends the search where the points are close together
    beside their distance from the hyperplane. Else the dimension does: d points bear the hyperplane. Without
    that the loop of the figure would never end on data that k removals do not make separable.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, Section 5, Definition 5.1, Figure 4, Lemma 5.2.

    Examples
    --------
    >>> from paperlib.coresets import OutlierCoresetSVC
    >>> X = [[2.0, 0.0], [2.0, 1.0], [-2.0, 0.5], [-2.0, -1.0], [3.0, 0.0]]
    >>> clf = OutlierCoresetSVC(n_outliers=1).fit(X, [1, 1, 0, 0, 0])
    >>> clf.outlier_indices_.tolist(), round(clf.margin_, 3), clf.halted_
    ([4], 2.0, 'certified')
    >>> clf.margin_ >= 0.9 * clf.margin_upper_bound_
    True
    """

    def __init__(
        self,
        n_outliers: int = 1,
        eps: float = 0.1,
        *,
        method: Literal["auto", "exhaustive", "doubling", "branch", "sampled"] = "auto",
        time_limit: float | None = None,
        fit_intercept: bool = False,
        kernel: Literal["linear", "rbf", "polynomial"] | Callable[[Floats, Floats], ArrayLike] = "linear",
        gamma: Gamma = None,
        degree: int = 3,
        coef0: float = 1.0,
        n_samples: int = 30,
        on_nonseparable: Literal["raise", "warn"] = "raise",
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        verbose: bool | int = 0,
    ) -> None:
        self.n_outliers = n_outliers
        self.eps = eps
        self.method = method
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_samples = n_samples
        self.on_nonseparable = on_nonseparable
        self.random_state = random_state
        self.class_weight = class_weight
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the hyperplane. An error, or an interrupt, leaves the estimator as it was.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (n,), optional
            Non-negative: what each row counts towards `n_outliers`, and in ``gamma="scale"``. A row of weight
            zero is left out of all, whatever its margin.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X, y, sample_weight):
        deadline = Deadline(self.time_limit, WORK if self.method == "auto" else math.inf)
        k = check_number(self.n_outliers, "n_outliers", low=0, integer=True)
        eps = check_number(self.eps, "eps", low=0, high=1, open_low=True, open_high=True)
        check_choice(self.method, "method", METHODS)
        check_number(self.n_samples, "n_samples", low=1, integer=True)
        check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
        check_flag(self.fit_intercept, "fit_intercept")
        rng, progress = check_random_state(self.random_state), Progress(self.verbose, "OutlierCoresetSVC")
        X, y = self._validate(X, y)
        check_size(X)
        self.classes_, signs, weights = weighted_labels(y, sample_weight, self.class_weight)
        rows: Any = slice(None)
        if weights is None and k >= len(X):
            raise ValueError(f"n_outliers must be < n, the number of rows of X, got {k} for {len(X)} rows")
        if weights is not None:
            rows = np.flatnonzero(weights)
            X, signs, weights = X[rows], signs[rows], weights[rows]
            if k * (1.0 + TIED) >= weights.sum():  # as `WeightedBest` counts
                raise ValueError(f"n_outliers must be < the sum of the weights, got {k} for {weights.sum()}")

        counts = None if sample_weight is None else np.asarray(sample_weight)[rows]
        space = self._feature_space(X, counts)
        if space is None:
            features = np.column_stack([X, np.ones(len(X))]) if self.fit_intercept else X
        else:
            features = space.rows
        points = np.ascontiguousarray(signs[:, None] * features)
        best = trimmed.Best(points, k) if weights is None else WeightedBest(points, k, weights)
        deadline.on_spend = partial(progress.tell, best.describe)
        try:
            self.halted_ = self._search(points, eps, best, deadline, rng)
        except LimitReached as reached:
            self.halted_ = str(reached)
        self.n_looked_at_ = best.n_looked_at
        self._publish(best, signs, space, np.arange(len(y))[rows])
        progress.end(lambda: f"{self.halted_}, {best.describe()}")
        self._warn(k, 0.0 if space is None else space.least)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.on_nonseparable == "warn"  # as in `CoresetSVC`
        return tags

    def _publish(self, best, signs, space, rows):
        """Set the hyperplane and its certificate, from the data; `rows` are the row numbers of the points."""
        margins, bound, hull = best.points @ best.normal, best.upper_bound, None
        if space is not None and best.margin > space.least:
            order = ascending(margins, abs(best.margin))
            kept = np.sort(order[best.cut(order) :])
            weights = min_norm_point(np.ascontiguousarray(best.points[kept]))[1]
            hull = kept, signs[kept] * weights  # the widest of what is kept: along the normal, or better
        self._set_hyperplane(best.normal, space, hull)
        if space is not None:
            margins, bound = signs * space.scores(self._plane), space.bound(bound)
            self.support_ = rows[self.support_]
        order = ascending(margins, abs(best.margin))
        # A kernel's scores are computed anew; with weights their order says how many may be left out.
        best.k = best.cut(order)
        self.outlier_indices_ = np.sort(rows[order[: best.k]])
        self.margin_ = float(np.partition(margins, best.k)[best.k])
        self.margin_upper_bound_ = max(bound, self.margin_)  # rounding may have crossed them

    def _search(self, points, eps, best, deadline, rng):
        if self.method == "auto":
            return auto(eps, best, deadline)
        if self.method == "branch":
            return trimmed.branch(points, eps, best, deadline)
        if self.method == "sampled":
            return trimmed.sampled(points, eps, best, deadline, self.n_samples, rng)
        guesses = _guesses(self.method, eps)
        most = trimmed.MAX_SUBSETS if self.time_limit is None else math.inf
        return trimmed.all_subsets(points, eps, best, deadline, self.method, guesses, most)

    def _warn(self, k, least):
        """Say what the hyperplane is not: separating, or as good as was asked for."""
        if self.margin_ <= least:
            words = (
                "no hyperplane that separates X"
                + (f" but for {k} of its points" if k else "")
                + (f" was found ({self.halted_})" if self.margin_upper_bound_ > least else " exists")
                + "; n_outliers must be larger"
                + ("" if self.fit_intercept else ", or fit_intercept True")
            )
            if self.on_nonseparable == "raise":
                raise ValueError(words)
        elif self.halted_ in UNFINISHED and self.margin_ < (1.0 - self.eps) * self.margin_upper_bound_:
            words = (
                f"stopped by the {self.halted_}: margin_ {self.margin_:.6g} is at least "
                f"{self.margin_ / self.margin_upper_bound_:.3g} of the largest one, less than 1 - eps; "
                "a longer time_limit may show more"
            )
        else:
            return
        warn_caller(words, ConvergenceWarning)


def _guesses(method: str, eps: float) -> Iterator[tuple[int, float]]:
    """Yield sizes of subsets and the ratios ``R / rho`` that they are enough for, for `trimmed.all_subsets`.

    ``"exhaustive"`` halves the guess at rho, ``"doubling"`` doubles the size. Corollary 3.2 has the smaller
    size where R is not much more than rho.
    """
    for i in itertools.count():
        if method == "doubling":
            # The inverse of Corollary 3.2, as `lemma_5_2_ratio` is that of `lemma_5_2_size`.
            close = math.sqrt(1.0 + (2**i - 1) * eps**2 / 4.0)
            yield 2**i, max(close, lemma_5_2_ratio(2**i, eps))
        else:
            yield min(corollary_3_2(2.0**i, 1.0, eps), lemma_5_2_size(2.0**i, eps)), 2.0**i
