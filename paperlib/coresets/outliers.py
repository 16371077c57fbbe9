"""Large margins in the presence of outliers (Section 5, Figure 4) as a scikit-learn estimator."""

import itertools
import warnings
from collections.abc import Iterator
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.random_state import RandomState, check_random_state
from paperlib._common.rounding import ascending
from paperlib._common.validation import check_binary_labels, check_choice, check_number
from paperlib.coresets._outliers import trimmed
from paperlib.coresets._solver.sizes import check_size
from paperlib.coresets.theory import lemma_5_2_ratio, lemma_5_2_size


class OutlierCoresetSVC(LinearBinaryClassifier, BaseEstimator):
    """The hyperplane through the origin with the largest margin on all points but k, up to ``1 - eps``.

    Parameters
    ----------
    n_outliers : int, 0 <= n_outliers < n, default=1
        The number k of points that are left out of the margin.
    eps : float in (0, 1), default=0.1
        Except for ``"sampled"``, `margin_` is at least ``1 - eps`` times the optimum.
    method : {"exhaustive", "doubling", "branch", "sampled"}, default="exhaustive"
        ``"exhaustive"`` and ``"doubling"`` are OUTLIER SVM and SIMPLE OUTLIER SVM (Figure 4): the hyperplanes
        of all subsets of up to d points, for small n and d. ``"branch"`` has the same guarantee at
        ``sum_j (d + 1)^j, j <= k`` coresets for any n: the choice for few outliers. ``"sampled"``, for real
        sizes, follows random paths of that search. It does not promise that `margin_` is within ``1 - eps``
        of the optimum, unless `halted_` is "certified". The margin itself is still achieved, and the upper
        bound still holds.
    n_samples : int >= 1, default=30
        Paths of ``"sampled"``.
    on_nonseparable : {"raise", "warn"}, default="raise"
        If no hyperplane separates all points but k: a ``ValueError``, or a
        ``ConvergenceWarning`` and the best hyperplane met, with ``margin_ <= 0``.
    random_state : int, numpy.random.Generator, RandomState or None
        Of ``"sampled"``.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
        Unit normal.
    intercept_ : ndarray of shape (1,)
        Zero.
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive one.
    outlier_indices_ : ndarray of shape (n_outliers,)
        The points of smallest margin, in order of their rows.
    margin_ : float
        ``rho_k``: the (k+1)-th smallest margin, that of the worst point that is not an outlier.
    margin_upper_bound_ : float
        No hyperplane has a larger ``rho_k``; ``inf`` if nothing is known.
    halted_ : str
        Reason to stop. "margin": the paper's rule. "complete": all subsets of min(d, n - k) points were
        tried, which is exact. "certified": within ``1 - eps`` of an upper bound. "searched": all of the tree
        of ``"branch"``; "node limit": not all of it, no guarantee but the bound. "samples used".
    n_looked_at_ : int
        Subsets, or coresets, that were solved.

    Raises
    ------
    ValueError
        If an argument is out of its range, for n <= n_outliers, for too many subsets, for non-separable data.

    See Also
    --------
    paperlib.experiments.coresets.mixed_integer.trimmed_optimum : the exact optimum, to hold these against.

    Notes
    -----
    Figure 4's test ``rho_k > rho`` is taken as ``rho_k >= (1 - eps) rho``, which has the same guarantee and
    stops at the first guess below the optimum; and the subsets have *up to* c points. With the constants of
    the figure c is at least ``32 / eps``, so at any feasible size it is the dimension that ends the search:
    d points bear the hyperplane. Without such a rule the loop of the figure would never end on data that k
    removals do not make separable.

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
    ([4], 2.0, 'complete')
    """

    def __init__(
        self,
        n_outliers: int = 1,
        eps: float = 0.1,
        *,
        method: Literal["exhaustive", "doubling", "branch", "sampled"] = "exhaustive",
        n_samples: int = 30,
        on_nonseparable: Literal["raise", "warn"] = "raise",
        random_state: RandomState = None,
    ) -> None:
        self.n_outliers = n_outliers
        self.eps = eps
        self.method = method
        self.n_samples = n_samples
        self.on_nonseparable = on_nonseparable
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the hyperplane.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            Two distinct labels of any type; the larger one is positive.

        Returns
        -------
        self
        """
        k = check_number(self.n_outliers, "n_outliers", low=0, integer=True)
        eps = check_number(self.eps, "eps", low=0, high=1, open_low=True, open_high=True)
        check_choice(self.method, "method", ("exhaustive", "doubling", "branch", "sampled"))
        check_number(self.n_samples, "n_samples", low=1, integer=True)
        check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
        rng = check_random_state(self.random_state)
        X, y = self._validate(X, y)
        check_size(X)
        self.classes_, signs = check_binary_labels(y, np.ones(len(X)))
        if k >= len(X):
            raise ValueError(f"n_outliers must be < n, the number of rows of X, got {k} for {len(X)} rows")

        points = np.ascontiguousarray(signs[:, None] * X)
        best = trimmed.Best(points, k)
        if self.method == "branch":
            outcome = trimmed.branch(points, k, eps, best)
        elif self.method == "sampled":
            outcome = trimmed.sampled(points, k, eps, best, self.n_samples, rng)
        else:
            outcome = trimmed.all_subsets(points, k, eps, best, self.method, _guesses(self.method, eps))
        if best.margin <= 0.0:
            self._not_separable(k, outcome)
        elif outcome.halted == "node limit":
            warnings.warn(
                f"the search stopped after {outcome.n_looked_at} coresets: margin_ may be below 1 - eps "
                "of the optimum; method='sampled' is for more outliers than this",
                ConvergenceWarning,
                stacklevel=2,
            )

        self.coef_, self.intercept_ = best.normal[None], np.zeros(1)
        order = ascending(points @ best.normal, abs(best.margin))
        self.outlier_indices_ = np.sort(order[:k])
        self.margin_ = best.margin
        bound, self.n_looked_at_, self.halted_ = outcome
        self.margin_upper_bound_ = max(bound, best.margin)  # which rounding may have put in another order
        return self

    def _not_separable(self, k, outcome):
        words = (
            "no hyperplane through the origin that separates X"
            + (f" but for {k} of its points" if k else "")
            + (" was found" if outcome.upper_bound > 0.0 else " exists")
            + "; n_outliers must be larger (or X have a column of ones, for an intercept)"
        )
        if self.on_nonseparable == "raise":
            raise ValueError(words)
        warnings.warn(words, ConvergenceWarning, stacklevel=3)


def _guesses(method: str, eps: float) -> Iterator[tuple[int, float]]:
    """Yield sizes of subsets and the ratios ``R / rho`` that they are enough for, for `trimmed.all_subsets`.

    ``"exhaustive"`` halves the guess at rho, ``"doubling"`` doubles the size.
    """
    for i in itertools.count():
        if method == "doubling":
            yield 2**i, lemma_5_2_ratio(2**i, eps)
        else:
            yield lemma_5_2_size(2.0**i, eps), 2.0**i
