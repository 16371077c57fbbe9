"""Samples, slow twins and certificates that several tests of coresets hold the estimators against."""

import itertools

import numpy as np

from paperlib.coresets._solver.hull import min_norm_point

SELECTIONS = ("batch", "worst", "first")


def sample(n, d, gap=0.2, seed=0, density=None):
    """Normal points, some of whose entries may be zero, on either side of a street through the origin."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d))
    if density is not None:
        X *= rng.uniform(size=(n, d)) < density
    y = np.where(X @ w > 0, 1, -1)
    return X + gap * y[:, None] * w, y


def pool(n, d, gap, seed):
    """Normal points on either side of a street whose normal is the first axis."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] += np.sign(X[:, 0]) * gap
    return X, np.where(X[:, 0] > 0, 1, -1)


def mapped(X, folder):
    """The array in a file, which is read as it is needed."""
    X.tofile(folder / "rows")
    return np.memmap(folder / "rows", dtype=X.dtype, mode="r", shape=X.shape)


def best_margin(Z):
    """The largest margin of signed points: the distance of their hull from the origin."""
    return float(np.linalg.norm(min_norm_point(np.ascontiguousarray(Z))[0]))


def best_by_removal(Z, k):
    """The largest margin after k removals, by all of them."""
    subsets = itertools.combinations(range(len(Z)), len(Z) - k)
    return max(best_margin(Z[list(rest)]) for rest in subsets)


def root(gram):
    """Points with these inner products."""
    values, vectors = np.linalg.eigh(gram)
    return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def check_certificate(clf, X, y, sample_weight=None, by_steps=False):
    """What a fitted linear classifier claims, from the data alone."""
    X = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=float)
    signs = np.where(y == clf.classes_[1], 1.0, -1.0)
    kept = np.ones(len(X), bool) if sample_weight is None else np.asarray(sample_weight) > 0
    assert clf.coef_.shape == (1, clf.n_features_in_) and clf.intercept_.shape == (1,)
    normal = clf.coef_[0]
    if clf.fit_intercept:
        X, normal = np.column_stack([X, np.ones(len(X))]), np.append(normal, clf.intercept_)
    R = np.linalg.norm(X[kept], axis=1).max()
    assert np.isclose(np.linalg.norm(normal), 1.0, rtol=0, atol=1e-12)
    assert abs((signs * (X @ normal))[kept].min() - clf.margin_) <= 1e-13 * R
    assert kept[clf.coreset_indices_].all()
    assert len(np.unique(clf.coreset_indices_)) == len(clf.coreset_indices_)
    hull = clf.hull_weights_ @ (signs[:, None] * X)[clf.coreset_indices_]
    assert (clf.hull_weights_ >= 0).all() and np.isclose(clf.hull_weights_.sum(), 1.0)
    assert np.isclose(np.linalg.norm(hull), clf.margin_upper_bound_, rtol=1e-9, atol=1e-14 * R)
    assert clf.margin_ <= clf.margin_upper_bound_ + 1e-13 * R
    assert (np.diff(clf.margin_path_) <= 1e-13 * R).all()
    assert len(clf.margin_path_) == clf.n_iter_ == len(clf.added_margin_path_) + 1
    if clf.margin_ > 0:
        rounding = 1e-11 if by_steps else 0.0
        assert clf.margin_ >= (1 - clf.eps) * clf.margin_upper_bound_ * (1 - rounding)
    if by_steps:
        assert (clf.hull_weights_ > 0).all()
        assert clf.margin_ <= 0 or np.allclose(hull / np.linalg.norm(hull), normal, atol=1e-9)
