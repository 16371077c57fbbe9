"""Large margins among many classes, by a coreset of pairs (example, wrong label)."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from paperlib._common.all_or_nothing import all_or_nothing
from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.sklearn_checks import validate_data
from paperlib._common.typing import Floats
from paperlib._common.validation import (
    check_choice,
    check_classes,
    check_number,
    check_sample_weight,
    check_scores,
)
from paperlib.coresets._outputs.many_classes import CERTIFIED, Fit
from paperlib.coresets._outputs.pairs import report
from paperlib.coresets._search.inputs import check_size
from paperlib.coresets._search.search import Limits

SOLVERS = ("auto", "coreset", "steps")


class MulticlassCoresetSVC(ClassifierMixin, BaseEstimator):
    """The linear classifier ``argmax_c <w_c, x>`` of largest margin, up to ``1 - eps``, by a coreset.

    With ``Phi(x, c)`` the vector that has x in the block of class c, each pair of an example and a wrong
    label is a point ``Phi(x, y) - Phi(x, c)``, and the margin is the smallest ``<w, point>`` over all of
    them, ``||w|| = 1``. The points are never written down: the most violated pair is found by arg-max.

    The paper's abstract promises this case, Section 6 of the printed text is missing; this is its algorithm
    of Figure 1 on those points.

    Parameters
    ----------
    eps : float in (0, 1), default=0.1
        `margin_` is at least ``1 - eps`` times the optimum.
    on_nonseparable : {"raise", "warn"}, default="raise"
        For data without a classifier that is right everywhere: a ``ValueError``, or a ``ConvergenceWarning``
        and the best classifier met (right on the most weight), with ``margin_ <= 0``.
    max_iter : int >= 1, default=10000
        Passes over the data; a ``ConvergenceWarning`` if they are used up.
    class_weight : "balanced", dict or None, default=None
        By which the weights of rows are multiplied, for the best classifier met where none is right on all. A
        dict has the weights > 0 of classes, 1 where it has none; a margin has no use for them.
    time_limit : float > 0 or None, default=None
        Seconds, looked at after each pass; a ``ConvergenceWarning`` if they are used up.
    verbose : bool or int >= 0, default=0
        Whether to print the margin and its bound about once a second.
    solver : {"auto", "coreset", "steps"}, default="auto"
        ``"coreset"`` is the paper's algorithm, and holds the fewest pairs it can. ``"steps"`` goes through
        all pairs by coordinate steps in the dual, and ends as the other does where that is quicker; from 300
        coefficients on it is 2 to 400 times as quick. ``"auto"`` takes it there, for X in memory.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, d)
        Of Frobenius norm one.
    intercept_ : ndarray of shape (n_classes,)
        Zeros. A column of ones in X gives an intercept.
    classes_ : ndarray of shape (n_classes,)
    coreset_indices_ : ndarray of shape (k,)
        Rows of X whose pairs are in the coreset; a row may occur with several labels.
    coreset_rivals_ : ndarray of shape (k,)
        The wrong labels they are paired with.
    margin_ : float
        ``min_i min_{c != y_i} <w_{y_i} - w_c, x_i>``, achieved on all data.
    margin_upper_bound_ : float
        Length of a convex combination of the coreset's pairs, which no margin exceeds.
    n_iter_ : int
        Passes over the data.

    Raises
    ------
    ValueError
        If an argument is out of its range, for fewer than two classes, or for non-separable data.

    Notes
    -----
    A pass of ``"coreset"`` adds up to one pair a class: the most violated one among the examples of that
    class. With two classes ``coef_[1] = -coef_[0]``, and `margin_` is ``sqrt(2)`` times the one of
    `CoresetSVC`. Memory is O(n n_classes) for scores and weights, and O(k n_classes d) for the coreset of
    ``"coreset"``.

    References
    ----------
    S. Har-Peled, D. Roth, D. Zimak, "Maximum Margin Coresets for Active and Noise Tolerant Learning", IJCAI
    2007, abstract and introduction; K. Crammer, Y. Singer, JMLR 2, 2001, for the margin and for the steps.

    Examples
    --------
    >>> from paperlib.coresets import MulticlassCoresetSVC
    >>> X = [[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0], [3.0, 0.5]]
    >>> clf = MulticlassCoresetSVC(eps=0.01).fit(X, ["a", "b", "c", "a"])
    >>> clf.predict([[5.0, 1.0], [-1.0, -1.0]]).tolist()
    ['a', 'c']
    >>> 0.99 * clf.margin_upper_bound_ <= clf.margin_ <= clf.margin_upper_bound_
    True
    """

    def __init__(
        self,
        eps: float = 0.1,
        *,
        on_nonseparable: Literal["raise", "warn"] = "raise",
        max_iter: int = 10_000,
        class_weight: ClassWeight = None,
        time_limit: float | None = None,
        verbose: bool | int = 0,
        solver: Literal["auto", "coreset", "steps"] = "auto",
    ) -> None:
        self.eps = eps
        self.on_nonseparable = on_nonseparable
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.verbose = verbose
        self.solver = solver

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the classifier. An error, or an interrupt, leaves the estimator as it was.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
            Of a sparse matrix only the rows that join the coreset are written out.
        y : array-like of shape (n,)
            At least two distinct labels, of any one type but fractions.
        sample_weight : array-like of shape (n,), optional
            Non-negative. A row of weight zero is left out. Other weights do not change a margin; where no
            classifier is right everywhere, the best one is right on the most weight.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            eps = check_number(self.eps, "eps", low=0, high=1, open_low=True, open_high=True)
            solver = check_choice(self.solver, "solver", SOLVERS)
            check_choice(self.on_nonseparable, "on_nonseparable", ("raise", "warn"))
            limits = Limits(self.max_iter, self.time_limit, self.verbose, "MulticlassCoresetSVC", "passes")
            X, y = validate_data(self, X, y, dtype=np.float64, accept_sparse="csr")
            check_size(X.data[None] if issparse(X) else X)
            rows, codes, weights = self._weighted(y, sample_weight)
            X = X if rows is None else X[rows]
            fit = Fit(X, codes, len(self.classes_), weights, eps, limits)
            if solver == "steps" or (solver == "auto" and fit.suits_steps()):
                fit.by_steps()
            if not fit.halted:
                fit.by_coreset()
            limits.end(lambda: fit.words(len(fit.rows)))
            if fit.halted != CERTIFIED:
                report(self, fit.halted, "X")

            self.coef_, self.intercept_ = fit.coef.copy(), np.zeros(len(self.classes_))
            held = np.array(fit.rows)
            self.coreset_indices_ = held if rows is None else rows[held]
            self.coreset_rivals_ = self.classes_[fit.rivals]
            self.margin_, self.margin_upper_bound_ = fit.margin, fit.bound
            self.n_iter_ = fit.passes
            return self

    def _weighted(self, y, sample_weight):
        """Set `classes_`; return the rows of positive weight (None: all), codes, and weights or None."""
        rows, weights = None, None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, len(y))
            rows = np.flatnonzero(weights)
            y, weights = y[rows], weights[rows]
        self.classes_, codes = check_classes(y)
        if len(self.classes_) < 2:
            of_weight = "" if rows is None else " of positive weight"
            only = self.classes_.tolist()[0]
            raise ValueError(f"y must have two classes or more{of_weight}, got one class only: {only!r}")
        if self.class_weight is not None:
            weights = np.ones(len(y)) if weights is None else weights
            weights = weigh_classes(self.class_weight, self.classes_, codes, weights)
        return rows, codes, weights

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of all classes, (m, n_classes); for two classes their difference, (m,).

        `X` is array-like or a CSR matrix, (m, d).
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")
        with np.errstate(over="ignore", invalid="ignore"):
            scores = X @ self.coef_.T
            return check_scores(scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict(self, X: Any) -> NDArray:
        """Return the class of largest score for each row of `X`, shape (m,)."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
