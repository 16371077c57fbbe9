"""Which of its solutions the programme takes where it has many: the one of least norm, or a vertex."""

from typing import Any, Self

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.feature_deletion import FeatureDeletionLP
from paperlib.feature_deletion._solver.linear_programme import equation_4

TIES_LEFT = "LP, ties left"  # the programme that takes whichever solution its solver ends at
SIMPLEX = "LP, simplex"  # the one that takes a vertex
# Of the programme's value, as a share of that of zero weights: what a solver with a gap of a hundredth leaves
# of a least value of 0.
LEFT = 1e-5
FEASIBLE = 1e-6  # the same of a value that is 0 but for a library's rounding


class TiedLP(FeatureDeletionLP):
    """The programme whose ties are broken by a rule, `chosen`.

    It has many solutions where the least value of Equation (4) is 0: all that leave no loss.

    Attributes
    ----------
    coef_, intercept_, objective_
        As of `FeatureDeletionLP`, of the solution that the rule takes.
    tied_ : bool
        Whether the least value is 0.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:  # type: ignore[override]
        """Minimise Equation (4), then break the tie, if there is one."""
        super().fit(X, y)
        rows = np.asarray(X, dtype=float)
        values = np.ones(rows.shape[1]) if self.feature_values is None else np.asarray(self.feature_values)
        signs = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        of_zero = self.margin * values.sum() / (values.sum() - self.n_deleted)
        self.tied_ = False
        if self.objective_ > LEFT * of_zero:
            return self
        game = self.n_deleted, self.margin
        found = self.chosen(len(rows), *equation_4(rows, signs, values, *game, self.C, zeros=False))
        if found is None:
            return self
        value = float(relaxed_losses(*found, rows, signs, *game, values).mean())
        self.tied_ = value <= FEASIBLE * of_zero
        if self.tied_:
            self.coef_, self.intercept_, self.objective_ = found[0][None], np.array([found[1]]), value
        return self

    def chosen(self, m: int, cost: Any, A: Any, limits: Any, bounds: Any) -> tuple[Any, float] | None:
        """Return w and b of the solution without a loss that is taken, or None where there is none."""
        raise NotImplementedError


class LeastNormLP(TiedLP):
    """The programme that takes of its solutions that of least ``|w|^2 + b^2``, which is FDROP's penalty.

    By Clarabel, with the slacks of Equation (4) at zero. There is one such solution only.

    Examples
    --------
    >>> X, y = [[1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]], [1, -1]
    >>> clf = LeastNormLP(n_deleted=0, C=3.0).fit(X, y)
    >>> bool(clf.tied_), (clf.coef_[0].round(4) + 0.0).tolist()
    (True, [0.5, 0.5, 0.0])
    """

    def chosen(self, m: int, cost: Any, A: Any, limits: Any, bounds: Any) -> tuple[Any, float] | None:
        """Minimise the norm."""
        n = self.n_features_in_
        used = np.flatnonzero(np.diff(A[:, :n].tocsc().indptr))  # all other weights are zero
        # w, b and the multipliers, without the slacks.
        kept = np.concatenate([used, [n], np.arange(n + 1 + m, len(cost))])
        z, k = cp.Variable(len(kept)), used.size
        limited = [A[:, kept] @ z <= limits, cp.abs(z[:k]) <= self.C, z[k + 1 :] >= 0]
        problem = cp.Problem(cp.Minimize(cp.sum_squares(z[: k + 1])), limited)
        problem.solve(solver="CLARABEL")
        if problem.status != "optimal":
            return None
        w = np.zeros(n)
        w[used] = np.clip(z.value[:k], -self.C, self.C)
        return w, float(z.value[k])


class VertexLP(TiedLP):
    """The programme that takes of its solutions the vertex at which HiGHS' simplex method ends.

    The paper solved Equation (4) by GLPK, whose simplex method ends at a vertex, too, if not at the same.

    Examples
    --------
    >>> X, y = [[1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]], [1, -1]
    >>> clf = VertexLP(n_deleted=0, C=3.0).fit(X, y)
    >>> bool(clf.tied_), bool(np.isin(np.abs(clf.coef_), (0, 1, 3)).sum() >= 2)
    (True, True)
    """

    def chosen(self, m: int, cost: Any, A: Any, limits: Any, bounds: Any) -> tuple[Any, float] | None:
        """Solve Equation (4) by the simplex method."""
        found = linprog(cost, A, limits, bounds=bounds, method="highs-ds")
        n = self.n_features_in_
        return (found.x[:n], float(found.x[n])) if found.status == 0 else None


# By the name of the learner. What is left: gradients stop at the first solution that they meet on their way
# from zero, an interior point ends amid all of them.
RULES: dict[str, type[FeatureDeletionLP]] = {
    "LP": LeastNormLP,
    TIES_LEFT: FeatureDeletionLP,
    SIMPLEX: VertexLP,
}
