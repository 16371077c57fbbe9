"""The linear programme of Section 2 as a scikit-learn classifier."""

from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.all_or_nothing import whole
from paperlib._common.caller_warning import warn_caller
from paperlib._common.class_weights import ClassWeight
from paperlib._common.classifier import SparseLinearClassifier
from paperlib._common.memory import require_memory
from paperlib._common.validation import check_choice, check_flag
from paperlib.feature_deletion._deletion.validation import as_counts, check_stopping, check_weighted_training
from paperlib.feature_deletion._solver import first_order, interior_point
from paperlib.feature_deletion._solver.linear_programme import solve_highs
from paperlib.feature_deletion._solver.lopsided import lighten, with_full_weights
from paperlib.feature_deletion._solver.stopping import Stopping

SOLVERS = ("auto", "highs", "first_order")
EXACT, COARSE = (1e-6, 500), (1e-3, 20_000)  # tol and max_iter where they are None
# Numbers held at most for each entry that is not zero, entry of an array, row, and pair of columns: measured.
HELD = {
    "auto": (16.0, 1.7, 40.0, 5.0),
    "first_order": (13.0, 1.2, 10.0, 0.0),
    "highs": (0.0, 360.0, 40.0, 0.0),
}

_INSTEAD = (
    "fit fewer rows or features; give X as a sparse matrix, if many entries are zero; or take "
    "FeatureDeletionPerceptron, which holds next to nothing beside X"
)


def numbers_held(X, solver):
    """Return how many numbers of 8 bytes a fit holds beside `X` (m, n) at most."""
    (m, n), is_sparse = X.shape, sp.issparse(X)
    sizes = X.nnz if is_sparse else np.count_nonzero(X), 0 if is_sparse else m * n, m, (n + 1) ** 2
    return sum(held * size for held, size in zip(HELD[solver], sizes))


class FeatureDeletionLP(SparseLinearClassifier, BaseEstimator):
    """Linear classifier that withstands an adversary who deletes features: Equation (4), solved exactly.

    Minimises the weighted mean over the examples of ::

        [margin V / P - y (w . x + b) + max_d sum_j d_j (y w_j x_j - margin v_j / P)]_+

    over ``|w_j| <= C`` and any ``b``, where the adversary's d is in ``0 <= d <= 1, sum_j d_j v_j <= N``, V is
    the sum of the values v, and P = V - N. With values of 0 and 1 and an integer N this is the robust hinge
    loss of Equation (3); otherwise it is not below that, by at most `theory.theorem_1`'s bound.

    Parameters
    ----------
    n_deleted : float in [0, V), default=1
        The budget N: a number of features where all values are one.
    margin : float in [1e-100, 1e100], default=1.0
        The paper's gamma: when nothing is deleted, a margin of ``margin V / P`` is asked for. Only
        ``C / margin`` matters to what is predicted.
    C : float in [1e-100, 1e100], default=1.0
        Largest weight of a feature. The bias is not bounded. ``"auto"`` bounds the weight of feature j by
        ``1e8 margin / max_i |x_ij|`` where that is less than C.
    feature_values : array-like of shape (n_features,), optional
        What deleting a feature costs the adversary: >= 0, not all zero; ones by default.
    class_weight : dict, "balanced" or None, default=None
        Weights > 0 of the classes, as in scikit-learn, by which those of the examples are multiplied.
    solver : {"auto", "highs", "first_order"}, default="auto"
        ``"auto"`` is, for dense data, an interior point made for this problem, with memory O(mn) and time
        O(m n^2) an iteration; for sparse data it is ``"first_order"``, a primal-dual gradient method with
        memory and time an iteration of the order of the entries that are not zero, which is for many
        features and a few digits. ``"highs"`` hands the linear programme, of mn variables more, to HiGHS; for
        dense data only.
    tol : float > 0, optional
        Value and lower bound differ by at most `tol` times the value, or times a thousandth of the value at
        zero, ``margin V / P``, where that is more. HiGHS has tolerances of its own; the gap that it leaves is
        checked against this one. By default 1e-6, and 1e-3 for ``"first_order"``.
    max_iter : int >= 1, optional
        Of the interior point, by default 500, or of the gradient method, by default 20,000.
    warm_start : bool, default=False
        Start from a point that the last fit passed through, or, by gradients, ended at, if that was on the
        same data: for a grid of `n_deleted`, `C` or `margin`. Keeps the data, and as much again. Not of
        HiGHS, and of the interior point for the same weights only, where it saves a quarter to a half of the
        iterations; an `n_deleted` too far from the last starts afresh.
    time_limit : float > 0, optional
        In seconds, after which the iteration that is under way is the last one.
    verbose : bool or int >= 0, default=False
        Print the gap, at most once a second; of HiGHS, its own log.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
        ``classes_[1]`` is the positive class.
    objective_ : float
        Value of Equation (4) at `coef_` and `intercept_`, by an exact adversary.
    gap_ : float
        `objective_` less a bound that no classifier's value is below, from a feasible point of the dual;
        both are computed from the data, whatever the solver says, and true up to rounding.
    dual_gap_ : float
        The same, by its older name.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where `X` has names.

    Raises
    ------
    ValueError
        For a parameter out of range, a budget that is not below the sum of the values, `X` that is not
        finite, lengths that differ, weights that are negative or not finite, or `y` without exactly two
        classes of positive weight.
    MemoryError
        If the machine, or the process's control group, has less memory left than the solver is going to take:
        some 18 times that of a dense `X`, 13 times that of the entries for gradients, 360 times for HiGHS.

    Warns
    -----
    ConvergenceWarning
        When the solver stopped before `tol`, by `max_iter` or `time_limit`; the message gives the gap.

    Notes
    -----
    Features beyond ``|x_j| <= 1`` are taken as they are. The generalisation bounds of `theory` then do not
    apply, nor that on the difference to Equation (3); scale the data, or scale `C` with it, to have them.

    With a small `C` all rows are predicted to be of the heavier class, as by any soft margin: where C times
    the largest ``|x_i|_1`` is below half of ``margin V / P``, the bias alone decides. Give a larger one then.

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
    >>> clf.gap_ <= 1e-6
    True
    """

    def __init__(
        self,
        n_deleted: float = 1,
        *,
        margin: float = 1.0,
        C: float = 1.0,
        feature_values: ArrayLike | None = None,
        class_weight: ClassWeight = None,
        solver: Literal["auto", "highs", "first_order"] = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        warm_start: bool = False,
        time_limit: float | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_deleted = n_deleted
        self.margin = margin
        self.C = C
        self.feature_values = feature_values
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.verbose = verbose

    @whole
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise Equation (4).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
        y : array-like of shape (m,)
            Two distinct labels, of any type but fractions; the larger one is positive.
        sample_weight : array-like of shape (m,), optional
            Weights >= 0 of the losses; only their ratios matter. A whole number is as many copies of the row,
            and a zero leaves it out.

        Returns
        -------
        self
        """
        X, classes, signs, game, own, factors = check_weighted_training(self, X, y, sample_weight)
        weights = None if (own * factors == 1.0).all() else own * factors
        lighter, cut = lighten(weights, signs)
        counts = as_counts(lighter)
        solver, stop = self._check_solver(sp.issparse(X))
        require_memory(
            8.0 * numbers_held(X, solver), f"FeatureDeletionLP of X with shape {X.shape}", _INSTEAD
        )
        warm = getattr(self, "_ended", None) if check_flag(self.warm_start, "warm_start") else None
        if solver == "first_order":
            found = first_order.solve(sp.csr_array(X), signs, *game, stop, counts, warm)
        elif solver == "highs":
            found = solve_highs(X, signs, *game, stop, counts)
        else:
            found = interior_point.solve(X, signs, *game, stop, counts, warm)
        if cut is not None:
            found = with_full_weights(found, X, signs, game, stop.tol, weights, lighter, cut)
        # Forgotten also where the parameter is off by now: the state holds a copy of the data.
        self.__dict__.pop("_ended", None)
        if self.warm_start and found.ended is not None:
            self._ended = found.ended
        self.classes_, self.coef_, self.intercept_ = classes, found.w[None], np.array([found.b])
        self.objective_, self.n_iter_ = found.objective, found.n_iter
        self.gap_ = max(float(found.objective - found.bound), 0.0)
        if not found.converged:
            ended = f", by time_limit={self.time_limit!r}," if stop.is_over() else ""
            warn_caller(
                f"stopped after {self.n_iter_} iterations{ended} with value {self.objective_:.8g} of "
                f"Equation (4), which is within "
                f"{self.gap_:.3g} of the least one, but not within tol={stop.tol:g}",
                ConvergenceWarning,
            )
        return self

    @property
    def dual_gap_(self) -> float:
        """`gap_`, by its older name."""
        return self.gap_

    def _check_solver(self, is_sparse):
        """Return the solver that is to run, and when it is to stop."""
        solver = check_choice(self.solver, "solver", SOLVERS)
        if is_sparse and solver == "highs":
            raise ValueError("solver='highs' takes dense X only: leave solver='auto' for sparse data")
        solver = "first_order" if is_sparse else solver
        tol, max_iter = COARSE if solver == "first_order" else EXACT
        tol, max_iter = check_stopping(
            tol if self.tol is None else self.tol, max_iter if self.max_iter is None else self.max_iter
        )
        return solver, Stopping(tol, max_iter, self.time_limit, self.verbose)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.solver != "highs"
        return tags
