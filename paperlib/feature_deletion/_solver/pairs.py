"""The arrays of the interior point: a row for each example, a pair for each feature that it may lose.

A pair is a non-zero entry ``g = y_i x_ij`` of the signed data, in row order: row i has the pairs ``start[i]``
to ``start[i + 1]``, and `column` says which feature. With the multipliers in brackets and ``c = price v``,
Equation (4) reads, m times over::

    minimise  sum_i xi_i
    s = a + v lam + c - g w                                 >= 0   (e)
    t = xi + y b + sum (g w - a) - N lam - price V          >= 0   (alpha)
    a   >= 0   (r = alpha - e)         xi >= 0   (1 - alpha)
    lam >= 0   (q = N alpha - sum v e) -C <= w <= C

A row of weight k counts k times in each sum over rows, which is what k copies of it would do: their unknowns
are the same ones in every iterate, so that one row's stand for all.

Rows whose features all fit into the budget need no `lam`; it is zero there, and stays so. So it is with `e`
and `a` of a pair that no budget allows to delete.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class Pairs(NamedTuple):
    """Data of the problem, as the pairs of all rows."""

    start: np.ndarray
    column: np.ndarray
    g: np.ndarray
    v: np.ndarray
    signs: np.ndarray
    budget: float
    price: float
    total_value: float
    weights: np.ndarray  # of the rows


class Point(NamedTuple):
    """Present values of the variables, multipliers and slacks of the rows and pairs, all positive."""

    alpha: np.ndarray
    lam: np.ndarray
    xi: np.ndarray
    t: np.ndarray
    q: np.ndarray
    e: np.ndarray
    a: np.ndarray
    s: np.ndarray
    r: np.ndarray


class Step(NamedTuple):
    """Directions of the variables, multipliers and slacks of a `Point`."""

    alpha: np.ndarray
    lam: np.ndarray
    xi: np.ndarray
    t: np.ndarray
    q: np.ndarray
    e: np.ndarray
    a: np.ndarray


class Targets(NamedTuple):
    """Changes asked of each product of a slack and its multiplier, and the rows' right-hand sides."""

    e: np.ndarray
    a: np.ndarray
    t: np.ndarray
    xi: np.ndarray
    lam: np.ndarray
    h_alpha: np.ndarray
    h_lam: np.ndarray


class Eliminated(NamedTuple):
    """Coefficients that Newton's equations leave of each pair and row once its own unknowns are eliminated.

    A row's equations are ``[[-T0, nu], [nu, eta]]`` in the steps of alpha and lam, and T is ``T0 + nu^2 /
    eta``.
    """

    inverse: np.ndarray  # of each pair's denominator
    T: np.ndarray
    ratio: np.ndarray  # nu / eta
    over: np.ndarray  # 1 / eta


class Reach(NamedTuple):
    """Largest feasible lengths of a step, at most 1, and the changes that a full one brings."""

    primal: float
    dual: float
    rise: float  # of the weighted sum_i xi_i
    kept: float  # change of the weighted sum_i V alpha_i - sum v e


def make_pairs(X, signs, values, budget, price, weights=None):
    """Return the non-zero entries of the data as `Pairs`: deleting a zero is never worth anything.

    `X` is an ndarray or a csr_array; without `weights` those of the rows are ones.
    """
    weights = np.ones(signs.size) if weights is None else weights
    total = float(values.sum())
    if sp.issparse(X):
        X = X.copy()
        X.eliminate_zeros()
        g = X.data * np.repeat(signs, np.diff(X.indptr))
        start, column = X.indptr.astype(np.int64), X.indices.astype(np.int32)
        return Pairs(start, column, g, values, signs, budget, price, total, weights)
    mask = X != 0
    start = np.concatenate([[0], np.cumsum(mask.sum(axis=1))]).astype(np.int64)
    column = np.nonzero(mask)[1].astype(np.int32)
    g = (signs[:, None] * X)[mask]
    return Pairs(start, column, g, values, signs, budget, price, total, weights)
