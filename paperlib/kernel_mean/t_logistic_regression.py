"""The t-logistic loss as a linear classifier."""

from functools import cached_property
from typing import Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from paperlib._common.all_or_nothing import whole
from paperlib._common.caller_warning import warn_caller
from paperlib._common.class_weights import ClassWeight, weigh_classes
from paperlib._common.classifier import SparseLinearClassifier
from paperlib._common.validation import check_binary_labels, check_flag, check_number, check_sample_weight
from paperlib.kernel_mean.losses import _t_logistic_with_slope

_SMALL = 1e-2  # share of its first step that the next one is at a minimum; ordinary fits end below 1e-3
_FINE = 1e-6  # share of the largest first step, that of the intercept included, which is small enough as well
_STARTS = 5  # a line search that fails far from one in the old units goes on in new ones
_ROWS = 2048  # at a time, of which a copy is made
_LARGE = 1e150  # entries above which squares overflow
_FAR = 1e3  # units of its variable that a column's mean may be from zero, for L-BFGS in the old units
_POLISHED = 5  # Newton steps at most
_PROBE = 1e-5  # of a variable, by which curvature is measured
_ROUNDING = 1e-11  # share of the largest step there is, below which a step is rounding


class TLogisticRegression(SparseLinearClassifier, BaseEstimator):
    """Logistic regression with the t-logistic loss (t = 2): bent less by outliers, and not convex.

    Minimises ``||w||^2 / 2 + C sum_i l(y_i (<w, x_i> + b))`` by L-BFGS from zero: a local minimum, the one
    that the direction of the mean leads to. The intercept is always fitted, and not penalised. Columns far
    from zero, or of other sizes than their neighbours, do no harm: where L-BFGS stops early on such data it
    goes on in variables that are centred and scaled. The penalty is always that of the columns as they are.

    Parameters
    ----------
    C : float > 0, default=1.0
        As in scikit-learn's `LogisticRegression`.
    max_iter : int >= 1, default=500
        Iterations of L-BFGS at most.
    class_weight : "balanced", dict or None, default=None
        What an example's weight, a factor of its loss, is multiplied by; a class that a dict leaves out has
        weight 1. With ``"balanced"`` both classes have the same sum of weights.
    warm_start : bool, default=False
        Start from the last fit, not from zero: for a path over C. The minimum is then the one that the last
        leads to.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, d)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
        Iterations of L-BFGS that were made, at least 1.
    n_features_in_ : int

    Raises
    ------
    ValueError
        For data or labels that `KernelMeanClassifier` does not take, weights that are negative or sum to
        zero, a parameter out of its range, or data so large that the loss leaves the floats.

    Warns
    -----
    ConvergenceWarning
        Where the point that it ends at is no minimum: a step from there would move the scores by more than a
        hundredth of what the first one does.

    References
    ----------
    N. Ding, S. V. N. Vishwanathan, "t-Logistic Regression", NIPS 2010.

    Examples
    --------
    >>> clf = TLogisticRegression().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> clf.predict([[0.5], [3.5]]).tolist()
    [0, 1]
    """

    def __init__(
        self,
        C: float = 1.0,
        max_iter: int = 500,
        *,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
    ) -> None:
        self.C, self.max_iter = C, max_iter
        self.class_weight, self.warm_start = class_weight, warm_start

    @whole
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to the sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            A sparse one stays sparse.
        y : array-like of shape (n,)
            Two distinct labels, of any type but fractions.
        sample_weight : array-like of shape (n,), optional
            Factors >= 0 of the examples' losses: an integer is as many copies, zero leaves a row out.

        Returns
        -------
        self
        """
        C = check_number(self.C, "C", low=0, open_low=True)
        max_iter = check_number(self.max_iter, "max_iter", low=1, integer=True)
        on = check_flag(self.warm_start, "warm_start") and hasattr(self, "coef_")
        rows, labels = self._validate(X, y, reset=not on)
        weights = check_sample_weight(sample_weight, rows.shape[0])
        classes, signs = check_binary_labels(labels, weights)
        if on and not np.array_equal(classes, self.classes_):
            raise ValueError(f"y must hold the classes {self.classes_.tolist()}, got {classes.tolist()}")
        weights = weigh_classes(self.class_weight, classes, (signs > 0).astype(int), weights)
        kept = weights > 0.0
        if not kept.all():
            rows, signs, weights = rows[kept], signs[kept], weights[kept]

        end, n_iter = np.append(self.coef_[0], self.intercept_) if on else np.zeros(rows.shape[1] + 1), 0
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = _ScaledRisk(rows, signs, C * weights)
            if not scaled.is_far:  # else sums of such columns are rounding before they are anything else
                found = minimize(
                    scaled.in_old_units, end, jac=True, method="L-BFGS-B", options={"maxiter": max_iter}
                )
                if not (np.isfinite(found.x).all() and np.isfinite(found.fun)):
                    raise ValueError(
                        "X has entries so large, or so many, that the loss leaves the floats: scale X"
                    )
                end, n_iter = found.x, found.nit
            # L-BFGS stops by the size of the gradient, and steps by it, in the units of X, C and the columns.
            arrived = not scaled.is_far and scaled.at_minimum(end)
            if n_iter < max_iter and not arrived:
                end, more = scaled.descend(end, max_iter - n_iter)
                n_iter += more
                arrived = scaled.at_minimum(end)
                end = scaled.polish(end) if arrived else end
        if not arrived:
            message = f"no minimum found in {n_iter} iterations: scale X, or change max_iter={max_iter} or C"
            warn_caller(message, ConvergenceWarning)
        self.classes_ = classes
        self.coef_, self.intercept_, self.n_iter_ = end[None, :-1], end[-1:], max(1, n_iter)
        return self


def _moments(rows, shares):
    """Return means (d,) and variances of the columns, rows weighted by `shares`, which sum to one.

    Squares are of what differs from the mean, so that a column far from zero keeps its digits.
    """
    centre = shares @ rows
    if not sp.issparse(rows):
        blocks = [slice(start, start + _ROWS) for start in range(0, len(rows), _ROWS)]
        return centre, sum(shares[here] @ (rows[here] - centre) ** 2 for here in blocks)

    def total(values):
        return shares @ sp.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)

    squares = rows.data - centre[rows.indices]
    squares *= squares
    zeros = np.where(_is_full(rows), 0.0, np.maximum(1.0 - total(np.ones(rows.nnz)), 0.0))  # their share
    return centre, total(squares) + zeros * centre**2


def _is_full(rows):
    """Return of each column of a CSR matrix whether it has no zero."""
    return np.bincount(rows.indices, minlength=rows.shape[1]) == rows.shape[0]


class _ScaledRisk:
    """The objective in variables of centred columns in each of which its curvature is about one at zero.

    The curvature of the penalty is 1, and that of the loss at zero, at most, a sixteenth of the weights times
    the squared spread.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n, d)
    signs, weights : ndarrays of shape (n,)
        The weights are factors of the losses.
    """

    def __init__(self, rows, signs, weights):
        self.signs, self.weights, self._plain = signs, weights, rows
        total, shares = weights.sum(), weights / weights.sum()
        values = rows.data if sp.issparse(rows) else rows
        largest = max(values.max(initial=0.0), -values.min(initial=0.0))
        self._divisors = np.ones(rows.shape[1])
        if is_large := largest > _LARGE:  # whose squares overflow
            columns = abs(rows).max(axis=0)
            columns = columns.toarray().ravel() if sp.issparse(rows) else columns
            self._divisors = np.exp2(np.frexp(columns)[1] - 1)  # powers of two round nothing
            rows = rows @ sp.diags_array(1.0 / self._divisors) if sp.issparse(rows) else rows / self._divisors
        centre, variances = _moments(rows, shares)
        spread, self._centre = self._divisors * np.sqrt(variances), self._divisors * centre
        root = np.sqrt(total) / 4.0
        # One over the root of the curvature at zero, 1 for the penalty and total spread^2 / 16 for the loss.
        units = 1.0 / np.hypot(1.0, root * spread)
        self.is_far = bool((np.abs(self._centre) * root * units > _FAR).any())
        self._as_they_are = not (is_large or self.is_far)
        self._units = np.append(units, 1.0 / root)
        self._reach = self._units * np.append(spread, 1.0)  # how far a unit of each variable moves scores
        first = self._step(np.zeros(len(self._units)))
        rounding = _ROUNDING * total / 4.0 * self._reach**2
        small = max(_SMALL * first[:-1].max(), _FINE * np.where(first > rounding, first, 0.0).max())
        self._small = np.maximum(small, rounding)

    @cached_property
    def _scaled(self):
        """Rows of centred and scaled columns, and what is left to be subtracted from each column.

        Columns of a CSR matrix that have a zero are not centred, so that it stays sparse: their mean is of
        the size of their spread, and loses few digits where it is subtracted from scores.
        """
        centre, factors = self._centre / self._divisors, self._divisors * self._units[:-1]
        if not sp.issparse(self._plain):
            return (self._plain / self._divisors - centre) * factors, np.zeros(len(centre))
        full, rows = _is_full(self._plain), self._plain.copy()
        of = rows.indices
        rows.data = (rows.data / self._divisors[of] - np.where(full, centre, 0.0)[of]) * factors[of]
        return rows, np.where(full, 0.0, centre) * factors

    def in_old_units(self, end):
        """Return the objective and its gradient by coefficients and intercept, of rows as they are."""
        coef = end[:-1]
        loss, slope = _t_logistic_with_slope(self.signs * (self._plain @ coef + end[-1]))
        pulls = self.signs * self.weights * slope
        return coef @ coef / 2 + self.weights @ loss, np.append(coef + pulls @ self._plain, pulls.sum())

    def __call__(self, at):
        """Return the objective and its gradient."""
        (rows, offset), coef = self._scaled, self._units[:-1] * at[:-1]
        scores = rows @ at[:-1] - offset @ at[:-1] + self._units[-1] * at[-1]
        loss, slope = _t_logistic_with_slope(self.signs * scores)
        pulls = self.signs * self.weights * slope
        slopes = pulls @ rows - offset * pulls.sum() + self._units[:-1] * coef
        return coef @ coef / 2 + self.weights @ loss, np.append(slopes, self._units[-1] * pulls.sum())

    def at_minimum(self, end):
        """Whether the next step from coefficients and intercept ``end`` (d + 1,) hardly moves any score."""
        return bool((self._step(end) <= self._small).all())

    def descend(self, start, max_iter):
        """Return the end of L-BFGS from `start`, coefficients and intercept, and how many steps it made."""
        end, n_iter = start, 0
        for _ in range(_STARTS):
            # Neither the size of the objective nor that of its gradient says when to stop: the first is one.
            unit = np.linalg.norm(self(self._variables(end))[1])
            if n_iter >= max_iter or unit * unit == 0.0:  # nothing can be measured by it
                break

            def objective(at, unit=unit):
                # The gradient's length is 1 at the start, and curvatures are what they were.
                value, slopes = self(unit * at)
                return value / unit / unit, slopes / unit

            options = {"maxiter": max_iter - n_iter, "gtol": 1e-9, "ftol": 0.0}
            found = minimize(
                objective, self._variables(end) / unit, jac=True, method="L-BFGS-B", options=options
            )
            new = self._coefficients(unit * found.x)
            if found.nit == 0 or not np.isfinite(new).all():
                break
            end, n_iter = new, n_iter + found.nit
            if self.at_minimum(end):
                break
        return end, n_iter

    def polish(self, end):
        """Return `end` after a few Newton steps by gradients alone.

        L-BFGS ends where the objective no longer changes, at half of the digits, and where exactly depends on
        the order of sums, which differs between dense and sparse rows.
        """
        at = self._variables(end)
        slopes = self(at)[1]
        for _ in range(_POLISHED):

            def curvature(v, at=at):
                # Central differences of gradients: products with the Hessian, which is not made.
                small = _PROBE * (1.0 + float(np.linalg.norm(at))) / max(float(np.linalg.norm(v)), 1e-300)
                return (self(at + small * v)[1] - self(at - small * v)[1]) / (2.0 * small)

            step, _ = cg(LinearOperator((at.size, at.size), curvature), -slopes, rtol=1e-3, maxiter=100)
            new = self(at + step)[1]
            if not np.linalg.norm(new) < np.linalg.norm(slopes):
                break
            at, slopes = at + step, new
        return self._coefficients(at)

    def _coefficients(self, at):
        end = self._units * at
        end[-1] -= self._centre @ end[:-1]
        return end

    def _variables(self, end):
        return np.append(end[:-1], end[-1] + self._centre @ end[:-1]) / self._units

    def _step(self, end):
        """How far the next step from `end`, coefficients and intercept, moves scores, by variable."""
        if not self._as_they_are:
            return np.abs(self(self._variables(end))[1]) * self._reach
        slopes = self.in_old_units(end)[1]
        slopes[:-1] -= self._centre * slopes[-1]
        return np.abs(self._units * slopes) * self._reach
