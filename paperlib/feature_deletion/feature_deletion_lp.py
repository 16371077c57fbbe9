"""The linear programme of Section 2 as a scikit-learn classifier."""

import warnings
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.classifier import LinearBinaryClassifier
from paperlib._common.validation import check_choice, check_flag
from paperlib.feature_deletion._deletion.validation import check_stopping, check_training
from paperlib.feature_deletion._solver import interior_point
from paperlib.feature_deletion._solver.linear_programme import solve_highs

SOLVERS = ("auto", "highs")


class FeatureDeletionLP(LinearBinaryClassifier, BaseEstimator):
    """Linear classifier that withstands an adversary who deletes features: Equation (4), solved exactly.

    Minimises the mean over the examples of ::

        [margin V / P - y (w . x + b) + max_d sum_j d_j (y w_j x_j - margin v_j / P)]_+

    over ``|w_j| <= C`` and any ``b``, where the adversary's d is in ``0 <= d <= 1, sum_j d_j v_j <= N``, V is
    the sum of the values v, and P = V - N. With values of 0 and 1 and an integer N this is the robust hinge
    loss of Equation (3); otherwise it is not below that, by at most `theory.theorem_1`'s bound.

    Parameters
    ----------
    n_deleted : float in [0, V), default=1
        The budget N: a number of features where all values are one.
    margin : float > 0, default=1.0
        The paper's gamma: when nothing is deleted, a margin of ``margin V / P`` is asked for. Only
        ``C / margin`` matters to what is predicted.
    C : float > 0, default=1.0
        Largest weight of a feature. The bias is not bounded. ``"auto"`` bounds the weight of feature j by
        ``1e8 margin / max_i |x_ij|`` where that is less than C.
    feature_values : array-like of shape (n_features,), optional
        What deleting a feature costs the adversary: >= 0, not all zero; ones by default.
    solver : {"auto", "highs"}, default="auto"
        ``"auto"`` is an interior point made for this problem, with memory O(mn) and time O(m n^2) an
        iteration. ``"highs"`` hands the sparse linear programme, of mn variables more, to HiGHS.
    tol : float > 0, default=1e-6
        Value and lower bound differ by at most `tol` times the value, or times a thousandth of the value at
        zero, ``margin V / P``, where that is more. HiGHS has tolerances of its own; the gap that it leaves is
        checked against this one.
    max_iter : int >= 1, default=500
        Of the interior point.
    warm_start : bool, default=False
        Start from a point that the last fit passed through, if that was on the same data: for a grid of
        `n_deleted`, `C` or `margin`. Keeps the data, and as much again.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    objective_ : float
        Value of Equation (4) at `coef_` and `intercept_`, by an exact adversary.
    dual_gap_ : float
        `objective_` less a bound that no classifier's value is below, from a feasible point of the dual;
        both are computed from the data, whatever the solver says, and true up to rounding.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        For a parameter out of range, a budget that is not below the sum of the values, `X` that is not
        finite, lengths that differ, or `y` without exactly two classes.

    Warns
    -----
    ConvergenceWarning
        When the solver stopped before `tol`; the message gives the gap.

    Notes
    -----
    Features beyond ``|x_j| <= 1`` are taken as they are. The generalisation bounds of `theory` then do not
    apply, nor that on the difference to Equation (3); scale the data, or scale `C` with it, to have them.

    References
    ----------
    O. Dekel, O. Shamir, "Learning to Classify with Missing and Corrupted Features", ICML 2008, Section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from paperlib.feature_deletion import FeatureDeletionLP
    >>> X = np.array([[1.0, 1.0, 1.0], [1.0, 0.8, 0.9], [-1.0, -1.0, -0.9], [-0.9, -1.0, -1.0]])
    >>> y = np.array(["up", "up", "down", "down"])
    >>> clf = FeatureDeletionLP(n_deleted=1).fit(X, y)
    >>> clf.predict([[0.0, 1.0, 1.0], [-1.0, 0.0, -1.0]]).tolist()
    ['up', 'down']
    >>> clf.dual_gap_ <= 1e-6
    True
    """

    def __init__(
        self,
        n_deleted: float = 1,
        *,
        margin: float = 1.0,
        C: float = 1.0,
        feature_values: ArrayLike | None = None,
        solver: Literal["auto", "highs"] = "auto",
        tol: float = 1e-6,
        max_iter: int = 500,
        warm_start: bool = False,
    ) -> None:
        self.n_deleted = n_deleted
        self.margin = margin
        self.C = C
        self.feature_values = feature_values
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Minimise Equation (4).

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)
            Two distinct labels of any type; the larger one is positive.

        Returns
        -------
        self
        """
        X, classes, signs, game = check_training(self, X, y)
        warm_start = check_flag(self.warm_start, "warm_start")
        tol, max_iter = check_stopping(self.tol, self.max_iter)
        check_choice(self.solver, "solver", SOLVERS)
        if self.solver == "highs":
            found = solve_highs(X, signs, *game, tol)
        else:
            warm = getattr(self, "_ended", None) if warm_start else None
            found = interior_point.solve(X, signs, *game, tol, max_iter, warm)
        self.__dict__.pop("_ended", None)
        if warm_start and found.ended is not None:
            self._ended = found.ended
        self.classes_, self.coef_, self.intercept_ = classes, found.w[None], np.array([found.b])
        self.objective_, self.n_iter_ = found.objective, found.n_iter
        self.dual_gap_ = max(found.objective - found.bound, 0.0)
        if not found.converged:
            warnings.warn(
                f"stopped after {self.n_iter_} iterations with value {self.objective_:.8g} of Equation (4), "
                f"which is within {self.dual_gap_:.3g} of the least one, but not within tol={self.tol}",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self
