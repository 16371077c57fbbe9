"""Equation (4) with all its variables, as a sparse linear programme for a library to solve."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import OptimizeResult, linprog

from paperlib._common.deadline import LimitReached
from paperlib.feature_deletion._solver.certificate import Solution, lower_bound, objective
from paperlib.feature_deletion._solver.pairs import make_pairs


def equation_4(X, signs, values, budget, margin, C, *, zeros=True, weights=None):
    """Return the matrices of Equation (4): O(mn) variables, constraints and entries.

    Without `zeros` the inner variables of features that are zero are put in beforehand: such a feature's is
    ``a = v (lam + margin / P)``, whatever w. The minimum is the same.

    Parameters
    ----------
    X : ndarray of shape (m, n)
    signs : ndarray of shape (m,), of -1 and 1
    values : ndarray of shape (n,)
    budget, margin, C : float
    zeros : bool
    weights : ndarray of shape (m,), optional
        Of the examples; ones without.

    Returns
    -------
    cost : ndarray of shape (n + 1 + 2m + k,)
        Of the variables w, b, xi, lam and a, this last one in row order; k is mn, or the number of entries
        of `X` that are not zero.
    A : sparse array, and limits : ndarray
        ``A z <= limits``: first one row for each example, then one for each of the k entries.
    bounds : ndarray of shape (n + 1 + 2m + k, 2)
    """
    m, n = X.shape
    total = values.sum()
    price = margin / (total - budget)
    mask = np.ones((m, n), dtype=bool) if zeros else X != 0
    row, column = np.nonzero(mask)
    k, absent = row.size, np.where(mask, 0.0, values).sum(axis=1)
    entries = sp.csr_array((-(signs[row] * X[mask]), (np.arange(k), column)), shape=(k, n))
    entries.eliminate_zeros()
    member = sp.csr_array((np.ones(k), (row, np.arange(k))), shape=(m, k))
    # P lam - sum a + y b >= -xi, and y w x - price v >= lam v - a, with the signs turned round.
    # What the zeros' v (lam + price) add to a row's sum of a goes to the factor of its lam, and to its limit.
    lam = sp.diags_array(budget - total + absent)
    examples = sp.hstack([sp.csr_array((m, n)), sp.csr_array(-signs[:, None]), -sp.eye_array(m), lam, member])
    of_pairs = sp.csr_array((values[column], (np.arange(k), row)), shape=(k, m))
    pairs = sp.hstack([entries, sp.csr_array((k, 1 + m)), of_pairs, -sp.eye_array(k)])
    A = sp.vstack([examples, pairs], format="csr")
    limits = np.concatenate([-price * absent, -price * values[column]])
    share = np.full(m, 1.0 / m) if weights is None else weights / weights.sum()
    cost = np.concatenate([np.zeros(n + 1), share, np.zeros(m + k)])
    bounds = np.zeros((cost.size, 2))
    bounds[:, 1] = np.inf
    bounds[: n + 1] = [[-C, C]] * n + [[-np.inf, np.inf]]
    return cost, A, limits, bounds


def solve_highs(X, signs, values, budget, margin, C, stop, weights=None):
    """Minimise Equation (4) by HiGHS' interior point, which has tolerances of its own.

    Returns
    -------
    Solution
        Converged if value and bound, both from the data, have met as in `interior_point.solve`.
    """
    m, n = X.shape
    weights = np.ones(m) if weights is None else weights
    cost, A, limits, bounds = equation_4(X, signs, values, budget, margin, C, weights=weights)
    options = {"disp": bool(stop.verbose)}
    if stop.deadline.left() is not None:
        options["time_limit"] = stop.deadline.left()  # so that it ends, once it is left behind

    def programme():
        return linprog(cost, A, limits, bounds=bounds, method="highs-ipm", options=options)

    try:
        found = stop.deadline.call(programme)
    except LimitReached:
        found = OptimizeResult(x=None, status=1)
    w, b, alpha, e, n_iter = np.zeros(n), 0.0, np.zeros(m), np.zeros((m, n)), 0
    if found.x is not None:
        w, b, n_iter = found.x[:n], float(found.x[n]), int(found.nit)
        # The multipliers, m times over: 0 <= e <= alpha <= 1, once a row's weight is taken out. The paper's
        # matrix has what is kept in the place of what is deleted.
        multipliers = -weights.sum() * found.ineqlin.marginals
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # the bound takes NaN as well
            alpha = multipliers[:m] / weights
            e = alpha[:, None] - multipliers[m:].reshape(m, n) / weights[:, None]
    price = margin / (values.sum() - budget)
    pairs = make_pairs(X, signs, values, budget, price, weights)
    value = objective(pairs, w, b) / float(weights.sum())
    bound = lower_bound(pairs, np.full(n, C), alpha, e[X != 0]) / float(weights.sum())
    met = value - bound <= stop.tol * max(value, 1e-3 * price * values.sum())
    return Solution(w, b, value, bound, n_iter, found.status == 0 and met)
