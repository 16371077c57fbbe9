"""Optima that are computed in another way than in the library: by enumeration, or by solvers of others."""

from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog, nnls
from sklearn.svm import LinearSVC


def nearest(Z):
    """The point of the hull of signed points that is nearest to the origin: by Lawson and Hanson.

    A hyperplane that has that margin proves it; zero where none has any.
    """
    unit = np.abs(Z).max()
    for one in (1.0, 0.3, 0.1, 0.03, 0.01, 0.001):  # what rounds least: about the margin
        u, _ = nnls(np.vstack([Z.T / unit, np.full(len(Z), one)]), np.append(np.zeros(Z.shape[1]), 1.0))
        point = Z.T @ u / u.sum()
        length = float(np.linalg.norm(point))
        if length <= 1e-7 * unit:
            return 0.0 * point
        if (Z @ point).min() / length >= length * (1.0 - 1e-8) - 1e-9 * unit:
            return point
    raise AssertionError("nnls does not come to an end")


def largest_margin(Z):
    """The largest margin of signed points."""
    return float(np.linalg.norm(nearest(Z)))


def margin_of_first(Z, at):
    """The largest margin on all points of the best hyperplanes of the first ones of `at`, but not of all."""
    normals = [nearest(Z[at[:k]]) for k in range(1, len(at))]
    return max((Z @ x).min() / np.linalg.norm(x) for x in normals)


def fattest(Z, k, weights=None):
    """The largest margin of signed points but k of them, or but some of a weight of k: of all such sets."""
    weights = np.ones(len(Z)) if weights is None else weights
    sets = (list(out) for size in range(k + 1) for out in combinations(range(len(Z)), size))
    return max(largest_margin(np.delete(Z, out, axis=0)) for out in sets if weights[out].sum() <= k)


def soft_value(Z, C, w):
    """Half the squared norm, and what the rows lose."""
    return float(w @ w / 2.0 + C @ np.maximum(0.0, 1.0 - Z @ w))


def soft_optimum(Z, C):
    """The least of these, by liblinear, and the length of that w: above the least by 1e-8 of it or so."""
    machine = LinearSVC(
        loss="hinge", C=1.0, fit_intercept=False, tol=1e-11, max_iter=1_000_000, random_state=0
    )
    pairs = (
        np.vstack([Z, -Z]),
        np.repeat([1, 0], len(Z)),
    )  # both classes: a row, or its opposite, says the same
    machine.fit(*pairs, sample_weight=np.tile(C / 2.0, 2))
    return soft_value(Z, C, machine.coef_[0]), float(np.linalg.norm(machine.coef_[0]))


def separable(X, side):
    """Whether a hyperplane has these sides, off all points, by HiGHS."""
    signs = np.where(side, 1.0, -1.0)
    d = X.shape[1]
    found = linprog(
        np.append(np.zeros(d + 1), -1.0),
        A_ub=np.column_stack([-signs[:, None] * X, -signs, np.ones(len(X))]),
        b_ub=np.zeros(len(X)),
        bounds=[(-1.0, 1.0)] * d + [(None, None), (None, 1.0)],
    )
    return -found.fun > 1e-7


def lightest(X, positive, weights, flip=False):
    """The least weight that any hyperplane misclassifies, and the sides of those that do no more.

    Points that coincide are on one side.
    """
    places, at = np.unique(X, axis=0, return_inverse=True)
    sides = np.array(list(product([False, True], repeat=len(places))))
    lost = ((sides[:, at.ravel()] != positive) * weights).sum(axis=1)
    order = np.argsort(lost, kind="stable")
    best, found = np.inf, []
    for i in order:
        if lost[i] > best + 1e-9 * weights.sum():
            break
        if separable(places, sides[i]):
            best = min(best, lost[i])
            found.append(sides[i][at.ravel()])
    return float(best), found


def width(X, positive, side, flip=False):
    """Half the gap of the points that a side classifies correctly, or, flipped, of its two halves."""
    right = np.ones(len(X), dtype=bool) if flip else side == positive
    ahead, behind = X[right & side], X[right & ~side]
    if len(ahead) == 0 or len(behind) == 0:
        return np.inf
    return largest_margin((ahead[:, None] - behind).reshape(-1, X.shape[1])) / 2.0


def fat_side(X, positive, side, point):
    """Whether the fat line of a side has a point ahead of it."""
    right = side == positive
    ahead, behind = X[right & side], X[right & ~side]
    if len(ahead) == 0 or len(behind) == 0:
        return len(ahead) > 0
    Z = (ahead[:, None] - behind).reshape(-1, X.shape[1])
    u, _ = nnls(np.vstack([Z.T, np.ones(len(Z))]), np.append(np.zeros(X.shape[1]), 1.0))
    normal = Z.T @ u
    return bool(point @ normal > ((ahead @ normal).min() + (behind @ normal).max()) / 2.0)


def left_out(X, positive, weights):
    """What each point adds to the leave-one-out error, by leaving it out."""
    added = np.empty(len(X))
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        _, sides = lightest(X[rest], positive[rest], weights[rest])
        votes = [fat_side(X[rest], positive[rest], side, X[i]) for side in sides]
        added[i] = weights[i] * np.mean(np.array(votes) != positive[i])
    return added


def deleted(profits, values, budget):
    """The most that an adversary gains by deleting features, the last one in part: by the ratio, greedily."""
    total = float(profits[(values == 0.0) & (profits > 0.0)].sum())
    for j in sorted(np.flatnonzero((profits > 0) & (values > 0)), key=lambda j: -profits[j] / values[j]):
        part = min(1.0, budget / values[j])
        total, budget = total + part * float(profits[j]), budget - part * values[j]
    return total


def robust_loss(w, b, X, signs, values, budget, margin):
    """Equation (4)'s loss of each row."""
    price = margin / (values.sum() - budget)
    profits = signs[:, None] * X * w - price * values
    lost = price * values.sum() - signs * (X @ w + b)
    return np.maximum(0.0, lost + [deleted(row, values, budget) for row in profits])


def robust_optimum(X, signs, values, budget, margin, C, weights):
    """The least weighted mean of the losses of Equation (4), by HiGHS.

    Of each row the adversary's part is the dual of its knapsack: ``N lam + sum_j a_j`` at the least, with
    ``v_j lam + a_j`` at least what deleting feature j gains.
    """
    m, n = X.shape
    price, eye = margin / (values.sum() - budget), np.eye(m)
    losses = [-signs[:, None] * X, -signs[:, None], -eye, budget * eye, np.repeat(eye, n, axis=1)]
    gains = [
        np.vstack([np.diag(row) for row in signs[:, None] * X]),
        np.zeros((m * n, 1 + m)),
        -np.kron(eye, values[:, None]),
        -np.eye(m * n),
    ]
    A = np.vstack([np.column_stack(losses), np.column_stack(gains)])
    limits = np.append(np.full(m, -price * values.sum()), np.tile(price * values, m))
    cost = np.concatenate([np.zeros(n + 1), weights / weights.sum(), np.zeros(m + m * n)])
    bounds = [(-C, C)] * n + [(None, None)] + [(0.0, None)] * (2 * m + m * n)
    digits = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    return float(linprog(cost, A, limits, bounds=bounds, options=digits).fun)
