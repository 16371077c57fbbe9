"""Samples, and the paper's formulas with every set of features tried."""

import itertools

import numpy as np


def sample(m, n, seed=0, density=None, noise=0.3):
    """Features in [-1, 1], a share of which may be zero, and labels of a noisy hyperplane."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(m, n))
    if density is not None:
        X *= rng.uniform(size=(m, n)) < density
    y = np.where(X @ rng.normal(size=n) + noise * rng.normal(size=m) > 0, 1.0, -1.0)
    y[:2] = [1, -1]
    return X, y


def rounded_sample(m=60, n=9, seed=0):
    """Features with one digit, a third of which are zero; and the generator, to go on with."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.uniform(-1, 1, size=(m, n)), 1) * (rng.uniform(size=(m, n)) > 0.3)
    y = np.where(X @ rng.normal(size=n) + 0.3 * rng.normal(size=m) > 0, 1.0, -1.0)
    return X, y, rng


def kept_sets(values, budget):
    """All that a deletion within the budget may leave, as zeros and ones; all features come first."""
    sets = map(np.array, itertools.product([1.0, 0.0], repeat=len(values)))
    return [kept for kept in sets if (1 - kept) @ values <= budget * (1 + 1e-12)]


def best_of_all_subsets(profits, values, budget):
    return max((1 - kept) @ profits for kept in kept_sets(values, budget))


def equation_6(w, b, x, y, budget, margin, values):
    P = values.sum() - budget
    return min(y * b + kept @ (y * w * x - margin * values / P) for kept in kept_sets(values, budget))


def slow_perceptron(
    X, y, n_deleted, order=None, margin=1.0, C=1.0, feature_values=None, weights=None, tau=None
):
    """Section 3.1 with the average taken as it is written; an example's last meeting counts in part."""
    m, n = X.shape
    v = np.ones(n) if feature_values is None else np.asarray(feature_values)
    P, sets = v.sum() - n_deleted, kept_sets(v, n_deleted)
    tau = C * np.sqrt((n + 1) / (2 * m)) if tau is None else tau
    w, b, total, count, losses = np.zeros(n), 0.0, 0.0, 0.0, 0.0
    for i in range(m) if order is None else order:
        left = 1.0 if weights is None else weights[i]
        while left > 0.0:
            share, left = min(1.0, left), left - 1.0
            total, count = total + share * np.append(w, b), count + share
            each = [margin * kept @ v / P - y[i] * (b + (w * kept) @ X[i]) for kept in sets]
            loss, kept = max(each), sets[int(np.argmax(each))]
            if loss > 0.0:
                losses += share * loss
                w = np.clip(w + share * tau * y[i] * X[i] * kept, -C, C)
                b = np.clip(b + share * tau * y[i], -C, C)
    return total / count, losses / count
