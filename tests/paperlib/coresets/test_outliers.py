"""Outliers: every method against every set of k removals, tried one by one."""

import itertools
import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.coresets import OutlierCoresetSVC
from paperlib.coresets._outliers import trimmed
from paperlib.coresets._outliers.subsets import best_of_size
from paperlib.coresets._solver.hull import min_norm_point

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

EXACT = ["exhaustive", "doubling", "branch"]


@parametrize_with_checks(
    [
        OutlierCoresetSVC(method="branch", on_nonseparable="warn"),
        OutlierCoresetSVC(2, method="sampled", n_samples=3, on_nonseparable="warn"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    """The methods of Figure 4 refuse the suite's data: they have too many subsets."""
    check(estimator)


def best_by_removal(Z, k):
    """The largest margin after k removals, by all of them."""
    best = 0.0
    for rest in itertools.combinations(range(len(Z)), len(Z) - k):
        kept = np.ascontiguousarray(Z[list(rest)])
        best = max(best, np.linalg.norm(min_norm_point(kept, np.zeros(len(kept)))[0]))
    return best


def noisy(n, d, k, seed):
    """Labelled points of which k are flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] += np.sign(X[:, 0])
    y = np.where(X[:, 0] > 0, 1, -1)
    y[rng.choice(n, k, replace=False)] *= -1
    return X, y


def margins_of(clf, X, y):
    return np.where(y == clf.classes_[1], 1, -1) * (X @ clf.coef_[0])


@pytest.mark.parametrize("method", [*EXACT, "sampled"])
@pytest.mark.parametrize("seed", range(15))
def test_against_all_removals(method, seed):
    rng = np.random.default_rng(seed)
    d, k = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    n = int(rng.integers(k + 4, 12))
    X, y = noisy(n, d, min(k, n - 2), seed)
    if len(set(y)) == 1:
        y[0] *= -1
    best = best_by_removal(y[:, None] * X, k)
    eps = rng.choice([0.02, 0.4])
    clf = OutlierCoresetSVC(k, eps, method=method, on_nonseparable="warn", random_state=0)
    if best == 0:
        with pytest.warns(ConvergenceWarning):
            clf.fit(X, y)
        assert clf.margin_ <= 0
        return
    clf.fit(X, y)
    assert clf.margin_ <= best * (1 + 1e-9)
    assert clf.margin_upper_bound_ >= best * (1 - 1e-9)
    if clf.halted_ != "samples used":
        assert clf.margin_ >= (1 - eps) * best * (1 - 1e-9)
    if clf.halted_ == "complete":
        assert math.isclose(clf.margin_, best, rel_tol=1e-9)
    margins = margins_of(clf, X, y)
    assert math.isclose(clf.margin_, np.sort(margins)[k], rel_tol=1e-9)
    assert len(clf.outlier_indices_) == k
    kept = np.delete(margins, clf.outlier_indices_)
    assert math.isclose(kept.min(), clf.margin_, rel_tol=1e-9)
    assert math.isclose(np.linalg.norm(clf.coef_), 1)


@pytest.mark.parametrize("seed", range(20))
def test_the_peeling_bound_holds(seed):
    X, y = noisy(10, 2, 2, seed)
    Z = y[:, None] * X
    for k in range(4):
        bound = trimmed.peeling_bound(Z, k, 0.2, trimmed.Best(Z, k))
        assert bound >= best_by_removal(Z, k) * (1 - 1e-9)


def test_the_kernel_is_every_subset():
    rng = np.random.default_rng(5)
    for _ in range(10):
        Z = rng.normal(size=(7, 3)) + np.eye(3)[0]
        for size, k in itertools.product((1, 2, 3, 7), (0, 2)):
            best = -np.inf
            for subset in itertools.combinations(range(7), size):
                x = min_norm_point(np.ascontiguousarray(Z[list(subset)]), np.zeros(size))[0]
                if x.any():
                    best = max(best, np.sort(Z @ x)[k] / np.linalg.norm(x))
            margin, normal = best_of_size(Z, size, k)
            assert math.isclose(margin, best, rel_tol=1e-9) if np.isfinite(best) else margin == best
            assert np.isfinite(best) == normal.any()


@pytest.mark.parametrize("method", ["branch", "sampled"])
def test_flipped_labels_are_found_among_many(method):
    X, y = noisy(3000, 5, 4, 0)
    clean = y * np.sign(X[:, 0]) > 0
    clf = OutlierCoresetSVC(4, 0.2, method=method, n_samples=5, random_state=0).fit(X, y)
    assert clf.margin_ > 0
    assert clf.outlier_indices_.tolist() == np.flatnonzero(~clean).tolist()
    best = np.linalg.norm(min_norm_point((y[:, None] * X)[clean], np.zeros(clean.sum()))[0])
    assert clf.margin_ >= 0.8 * best


def test_a_point_at_the_origin_can_only_be_an_outlier():
    X, y = noisy(10, 2, 0, 1)
    X[3] = 0.0
    with pytest.raises(ValueError, match="no hyperplane"):
        OutlierCoresetSVC(0).fit(X, y)
    for at, method in itertools.product((3, 0), [*EXACT, "sampled"]):  # searches begin with row 0
        X, y = noisy(10, 2, 0, 1)
        X[at] = 0.0
        clf = OutlierCoresetSVC(1, method=method, random_state=0).fit(X, y)
        best = best_by_removal(y[:, None] * X, 1)
        assert clf.outlier_indices_.tolist() == [at]
        assert 0.9 * best <= clf.margin_ <= best * (1 + 1e-9) <= clf.margin_upper_bound_ * (1 + 2e-9)


@pytest.mark.parametrize("method", EXACT)
def test_all_points_but_one(method):
    X, y = noisy(6, 3, 0, 2)
    clf = OutlierCoresetSVC(5, method=method).fit(X, y)
    assert clf.margin_ >= 0.9 * np.linalg.norm(X, axis=1).max()


@pytest.mark.parametrize("method", EXACT)
def test_a_bound_ends_the_search_early(method):
    X = np.hstack([np.full((40, 1), 10.0), 1e-3 * np.eye(40)])
    X[:20] *= -1
    y = np.repeat([0, 1], 20)
    if method == "exhaustive":  # its first size is too large for any bound to be looked at
        with pytest.raises(ValueError, match="would look at"):
            OutlierCoresetSVC(0, 0.2, method=method).fit(X, y)
        return
    clf = OutlierCoresetSVC(0, 0.2, method=method).fit(X, y)
    assert clf.halted_ == "certified" and clf.margin_ >= 8 and clf.n_looked_at_ <= 40


@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_random_state_decides(make):
    X, y = noisy(60, 4, 6, 3)
    first, second = (
        OutlierCoresetSVC(6, method="sampled", random_state=make(7), on_nonseparable="warn").fit(X, y)
        for _ in range(2)
    )
    assert (first.coef_ == second.coef_).all()


def test_the_node_limit_says_so(monkeypatch):
    monkeypatch.setattr(trimmed, "MAX_NODES", 3)
    X, y = noisy(60, 3, 0, 0)
    with pytest.warns(ConvergenceWarning, match="stopped after 3 coresets"):
        clf = OutlierCoresetSVC(2, 0.01, method="branch", on_nonseparable="warn").fit(X, y)
    assert clf.halted_ == "node limit" and clf.margin_ <= clf.margin_upper_bound_


X2, Y2 = [[1.0], [2.0], [-1.0]], [1, 1, 0]
BAD = [
    ({"n_outliers": 3}, X2, Y2, "n_outliers must be < n, the number of rows of X, got 3 for 3 rows"),
    ({"n_outliers": -1}, X2, Y2, "n_outliers must be an integer >= 0, got -1"),
    ({"n_outliers": 1.5}, X2, Y2, "n_outliers must be an integer"),
    ({"eps": 0.0}, X2, Y2, "eps must be"),
    ({"eps": 1}, X2, Y2, "eps must be"),
    ({"method": "milp"}, X2, Y2, "method must be one of 'exhaustive', 'doubling', 'branch', 'sampled'"),
    ({"n_samples": 0}, X2, Y2, "n_samples must be"),
    ({"on_nonseparable": "no"}, X2, Y2, "on_nonseparable must be"),
    ({"random_state": "x"}, X2, Y2, "random_state must be .*RandomState or None, got 'x'"),
    ({}, X2, [1, 1, 1], "one class only"),
    ({}, X2, [1, 2, 3], "must have two classes, got 3"),
    ({}, X2, [1, 0], "inconsistent numbers of samples"),
    ({}, [[np.nan], [1.0]], [1, 0], "X contains NaN"),
    ({}, [[1e160], [-1.0], [2.0]], [1, 0, 1], "X is too large in size"),
    ({}, [[1e-160], [-1e-170], [1e-165]], [1, 0, 1], "X is too small in size"),
    ({}, X2, np.array(["a", None, "a"], dtype=object), "y must hold labels of one type, got NoneType, str"),
    ({}, [[1.0], [1.0], [1.0], [1.0]], [0, 0, 1, 1], "no hyperplane .* but for 1 of its points exists"),
    ({}, np.random.default_rng(0).normal(size=(200, 9)), np.arange(200) % 2, "method must be 'branch' or"),
]


@pytest.mark.parametrize("parameters, X, y, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, y, words):
    with pytest.raises(ValueError, match=words):
        OutlierCoresetSVC(**parameters).fit(X, y)
