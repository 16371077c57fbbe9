"""Outliers: every method against every set of k removals, tried one by one."""

import itertools
import math
import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib._common.deadline import Deadline, LimitReached
from paperlib.coresets import OutlierCoresetSVC
from paperlib.coresets import outliers as module
from paperlib.coresets._outliers import auto as automatic
from paperlib.coresets._outliers import cover, starts, trimmed
from paperlib.coresets._outliers.conflicts import conflict
from paperlib.coresets._outliers.subsets import best_of_size
from paperlib.coresets._solver.hull import min_norm_point
from tests.paperlib.coresets.helpers import best_by_removal, best_margin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

EXACT = ["auto", "exhaustive", "doubling", "branch"]


@parametrize_with_checks(
    [
        OutlierCoresetSVC(on_nonseparable="warn"),
        OutlierCoresetSVC(3, fit_intercept=True, on_nonseparable="warn"),
        OutlierCoresetSVC(method="branch", on_nonseparable="warn"),
        OutlierCoresetSVC(2, method="sampled", n_samples=3, on_nonseparable="warn"),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": "its random paths draw rows, not copies of them"}
        if estimator.method == "sampled"
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    """The methods of Figure 4 refuse the suite's data: they have too many subsets."""
    check(estimator)


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
        bound = trimmed.peeling_bound(Z, k, 0.2, trimmed.Best(Z, k), Deadline(None))
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
            margin, normal, tried, left = best_of_size(Z, np.arange(size), float(k), 10**6, np.zeros(0))
            assert tried == math.comb(7, size) and not left
            chosen, left, pieces = np.arange(size), True, []
            while left:
                *piece, left = best_of_size(Z, chosen, float(k), 4, np.zeros(0))
                pieces.append(piece)
            assert all(piece[2] == 4 for piece in pieces[:-1])
            assert max(piece[0] for piece in pieces) == margin and sum(piece[2] for piece in pieces) == tried
            assert math.isclose(margin, best, rel_tol=1e-9) if np.isfinite(best) else margin == best
            assert np.isfinite(best) == normal.any()


@pytest.mark.parametrize("method", ["auto", "branch", "sampled"])
def test_flipped_labels_are_found_among_many(method):
    X, y = noisy(3000, 5, 4, 0)
    clean = y * np.sign(X[:, 0]) > 0
    clf = OutlierCoresetSVC(4, 0.2, method=method, n_samples=5, random_state=0).fit(X, y)
    assert clf.margin_ > 0
    assert clf.outlier_indices_.tolist() == np.flatnonzero(~clean).tolist()
    best = best_margin((y[:, None] * X)[clean])
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
    clf = OutlierCoresetSVC(0, 0.2, method=method).fit(X, y)
    by_rule = method in ("exhaustive", "doubling")  # all points are nearly one
    assert clf.halted_ == ("margin" if by_rule else "certified")
    assert clf.margin_ >= 8 and clf.n_looked_at_ <= 40


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
    X, y = narrow()
    with pytest.warns(ConvergenceWarning, match="stopped by the node limit"):
        clf = OutlierCoresetSVC(2, 0.01, method="branch", on_nonseparable="warn").fit(X, y)
    assert clf.halted_ == "node limit" and clf.margin_ <= clf.margin_upper_bound_


X2, Y2 = [[1.0], [2.0], [-1.0]], [1, 1, 0]
BIG = np.random.default_rng(0).normal(size=(200, 9)), np.arange(200) % 2
BAD = [
    ({"n_outliers": 3}, X2, Y2, "n_outliers must be < n, the number of rows of X, got 3 for 3 rows"),
    ({"n_outliers": -1}, X2, Y2, "n_outliers must be an integer >= 0, got -1"),
    ({"n_outliers": 1.5}, X2, Y2, "n_outliers must be an integer"),
    ({"eps": 0.0}, X2, Y2, "eps must be"),
    ({"eps": 1}, X2, Y2, "eps must be"),
    (
        {"method": "milp"},
        X2,
        Y2,
        "method must be one of 'auto', 'exhaustive', 'doubling', 'branch', 'sampled'",
    ),
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
    ({"method": "doubling"}, *BIG, "method must be 'auto', 'branch' or 'sampled' for 200 points"),
    ({"method": "exhaustive"}, *BIG, "method must be 'auto', 'branch' or 'sampled' for 200 points"),
    ({"time_limit": -1.0}, X2, Y2, "time_limit must be .* > 0, got -1.0"),
    ({"time_limit": "long"}, X2, Y2, "time_limit must be"),
    ({"fit_intercept": "no"}, X2, Y2, "fit_intercept must be True or False, got 'no'"),
]


@pytest.mark.parametrize("parameters, X, y, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, y, words):
    with pytest.raises(ValueError, match=words):
        OutlierCoresetSVC(**parameters).fit(X, y)


# Figure 4's stopping rule, where it can end the search


def bunch(n, d, spread, seed):
    """Points about 1 on the first axis; one of them is on the other side."""
    rng = np.random.default_rng(seed)
    X = np.eye(d)[0] + spread * rng.uniform(-1, 1, size=(n, d)) / math.sqrt(d)
    y = np.where(np.arange(n) % 2, 1, -1)
    X *= y[:, None]
    X[3] *= -1
    return X, y


@pytest.mark.parametrize("method", ["exhaustive", "doubling"])
@pytest.mark.parametrize("spread, eps", [(0.05, 0.1), (0.3, 0.3), (0.6, 0.5)])
def test_the_rule_of_figure_4_ends_the_search(method, spread, eps):
    """Without the rule the first would go on to more subsets than are allowed, and so would the others."""
    X, y = bunch(60, 12, spread, 0)
    clf = OutlierCoresetSVC(1, eps, method=method).fit(X, y)
    assert clf.halted_ == "margin" and clf.n_looked_at_ <= 60 + math.comb(60, 2)
    assert clf.outlier_indices_.tolist() == [3]
    best = best_margin(np.delete(y[:, None] * X, 3, axis=0))
    assert (1 - eps) * best <= clf.margin_ <= best * (1 + 1e-9) <= clf.margin_upper_bound_ * (1 + 2e-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_rule_keeps_its_guarantee(seed):
    """It fires after few sizes, and what was met by then is within 1 - eps of all that k removals give."""
    rng = np.random.default_rng(seed)
    X, y = bunch(9, 4, rng.choice([0.3, 0.7, 1.1]), seed)
    k, halted = int(rng.integers(0, 3)), set()
    best = best_by_removal(y[:, None] * X, k)
    for method, eps in itertools.product(("exhaustive", "doubling"), (0.05, 0.3, 0.6, 0.9)):
        clf = OutlierCoresetSVC(k, eps, method=method, on_nonseparable="warn").fit(X, y)
        halted.add(clf.halted_)
        assert clf.margin_upper_bound_ >= best * (1 - 1e-9)
        if best > 0:
            assert clf.margin_ >= (1 - eps) * best * (1 - 1e-9)
    assert k == 0 or "margin" in halted


@pytest.mark.parametrize("method", ["exhaustive", "doubling"])
def test_guesses_are_enough(method):
    """The sizes that go with the guesses are the ones that the theory has."""
    from paperlib.coresets import theory

    for eps in (0.05, 0.3, 0.9):
        for size, ratio in itertools.islice(module._guesses(method, eps), 12):
            if ratio:
                allowed = min(theory.corollary_3_2(ratio, 1.0, eps), theory.lemma_5_2_size(ratio, eps))
                assert size >= allowed - (method == "doubling")  # which inverts it, but for rounding


# The method that needs no choice


def awkward(kind, rng):
    """Small data of one kind, and k."""
    n, d, k = int(rng.integers(5, 10)), int(rng.integers(1, 4)), int(rng.integers(0, 4))
    if kind == "grid":  # ties, duplicates, collinear points, opposite points, the origin
        Z = rng.integers(-2, 3, size=(n, d)).astype(float)
        Z[:, 0] += rng.integers(0, 3)
    elif kind == "equal":
        Z = np.repeat(rng.normal(size=(2, d)), [n - 2, 2], axis=0)
    elif kind == "scales":
        Z = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-4, 4, size=(n, 1)) + 0.5
    else:
        Z = rng.normal(size=(n, d)) + rng.choice([0.0, 0.5, 1.5])
    return np.ascontiguousarray(Z), min(k, n - 1)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("size", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("kind", ["normal", "grid", "equal", "scales"])
def test_auto_against_all_removals(kind, size):
    rng = np.random.default_rng(int(abs(math.log10(size))))
    for _ in range(25):
        Z, k = awkward(kind, rng)
        best = best_by_removal(Z, k)
        y = np.where(np.arange(len(Z)) % 2, 1, -1)
        for eps in (1e-9, 0.1, 0.5):
            clf = OutlierCoresetSVC(k, eps, on_nonseparable="warn").fit(size * y[:, None] * Z, y)
            assert clf.halted_ in ("certified", "searched")
            assert clf.margin_ <= size * best * (1 + 1e-8)
            assert clf.margin_upper_bound_ >= size * best * (1 - 1e-8)
            if best > 0:
                assert clf.margin_ >= (1 - eps) * size * best * (1 - 1e-8)
                assert clf.margin_ >= (1 - eps) * clf.margin_upper_bound_ * (1 - 1e-8)
            else:
                assert clf.margin_ <= 0 == clf.margin_upper_bound_


@pytest.mark.parametrize("seed", range(8))
def test_auto_against_branch_where_sets_are_too_many(seed):
    X, y = noisy(120, 3, 2, seed)
    slow = OutlierCoresetSVC(3, 1e-6, method="branch", on_nonseparable="warn").fit(X, y)
    fast = OutlierCoresetSVC(3, 1e-6, on_nonseparable="warn").fit(X, y)
    assert slow.halted_ in ("searched", "certified") and fast.halted_ in ("searched", "certified")
    assert math.isclose(slow.margin_, fast.margin_, rel_tol=3e-6)
    assert math.isclose(fast.margin_, np.sort(margins_of(fast, X, y))[3], rel_tol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_a_pool_that_is_too_small_grows(seed, monkeypatch):
    X, y = noisy(150, 3, 2, seed)
    wanted = OutlierCoresetSVC(2, 1e-6, on_nonseparable="warn").fit(X, y)
    monkeypatch.setattr(cover.Cover, "settle", lone_pool)
    found = OutlierCoresetSVC(2, 1e-6, on_nonseparable="warn").fit(X, y)
    assert math.isclose(found.margin_, wanted.margin_, rel_tol=1e-6)
    assert math.isclose(found.margin_upper_bound_, wanted.margin_upper_bound_, rel_tol=1e-5)


@pytest.mark.parametrize("seed", [2, 3])  # where five points prove nothing
def test_a_proof_takes_in_what_it_lacks(seed, monkeypatch):
    X, y = noisy(150, 3, 2, seed)
    Z = np.ascontiguousarray(y[:, None] * X)
    best = trimmed.Best(Z, 2)
    best.offer(OutlierCoresetSVC(2, 1e-6).fit(X, y).coef_[0])
    monkeypatch.setattr(cover.Cover, "settle", lone_pool)
    search = cover.Cover(best, Deadline(None))
    limit = best.margin * (1 + 1e-5)
    assert math.isclose(search.proves(limit), limit, rel_tol=1e-9) and len(search.rows) > 5


def lone_pool(self):
    """`Cover.settle` with five points."""
    margins = self.best.points @ self.best.normal
    self._take_in(np.argsort(margins, kind="stable")[:5])
    self.margins = margins[self.rows]
    self.price = self._prices(self.margins)
    self.outlier = np.isin(self.rows, np.argsort(margins, kind="stable")[: self.best.k])
    self.bears = ~self.outlier & (self.margins <= self.best.margin * (1 + 1e-7))


@pytest.mark.parametrize("seed", range(10))
def test_a_conflict_is_one(seed):
    """Its length is that of the combination, and at most the limit unless it is the nearest point of all."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(30, 4)) + rng.choice([0.0, 1.0, 2.0])
    Z = np.ascontiguousarray(np.vstack([Z, Z[:3], np.zeros((seed % 2, 4))]) / np.linalg.norm(Z, axis=1).max())
    norms = np.linalg.norm(Z, axis=1)
    price = np.where(rng.random(len(Z)) < 0.3, np.inf, rng.choice([0.0, 0.4]) * rng.random(len(Z)))
    first = rng.choice(len(Z), size=int(rng.integers(1, 9)), replace=False)
    for limit in (0.0, 0.05, 0.3, 0.9):
        x, rows, weights, _ = conflict(Z, norms, price, first, limit)
        assert len(rows) <= 5 and weights.min() >= 0 and math.isclose(weights.sum(), 1)
        assert len(set(rows)) == len(rows) and not (np.isinf(price[rows]) & ~np.isin(rows, first)).any()
        assert np.allclose(weights @ Z[rows], x, atol=1e-12)
        if np.linalg.norm(x) > max(limit, 1e-9):
            open_to_it = np.unique(np.append(rows, np.flatnonzero(price < np.inf)))
            assert math.isclose(np.linalg.norm(x), best_margin(Z[open_to_it]), rel_tol=1e-9)


@pytest.mark.parametrize("short", [1e-11, 3e-11])
def test_a_cheap_point_that_changes_nothing_is_not_the_end(short):
    """It violates by less than the root of rounding; the one that helps costs more."""
    Z = np.array([[1.0, 0.0], [1.0 - short, 0.5], [0.0, 1.0]]) / 1.2
    price = np.array([0.0, 0.0, 2.0])
    x, rows, weights, steps = conflict(Z, np.linalg.norm(Z, axis=1), price, np.array([0]), 0.0)
    assert np.allclose(x, np.array([0.5, 0.5]) / 1.2, atol=1e-10) and steps <= 4
    assert math.isclose(np.linalg.norm(x), best_margin(Z), rel_tol=1e-9)
    assert np.allclose(weights @ Z[rows], x, atol=1e-12)


def test_outliers_leave_the_points_near_the_hyperplane_to_others():
    X, y = noisy(3000, 8, 6, 0)
    best = trimmed.Best(np.ascontiguousarray(y[:, None] * X), 10)
    starts.soft_margins(best, Deadline(None))
    starts.retrim(best, Deadline(None))
    search = cover.Cover(best, Deadline(None))
    wrong = np.flatnonzero(search.outlier & (search.margins < 0.0))
    assert len(wrong) == 6
    limit = best.margin / 0.9
    sparing, greedy = (search.pack(limit, sparing=sparing).sets for sparing in (True, False))
    for row in wrong:
        others = next(rows[rows != row] for rows in sparing if row in rows)
        assert search.margins[others].min() >= cover.LEVELS[-1] * best.margin
    near = search.margins[np.concatenate(greedy)] < cover.LEVELS[-1] * best.margin
    assert near.sum() > 0


@pytest.mark.drawn(2)
@pytest.mark.parametrize("seed", range(12))
def test_a_packing_is_disjoint_and_bounds_the_margin(seed):
    """Of its part of the tree: the removed points are out, the kept ones stay."""
    X, y = noisy(12, 2, 2, seed)
    Z = np.ascontiguousarray(y[:, None] * X)
    k = 1 + seed % 3
    best = trimmed.Best(Z, k)
    starts.soft_margins(best, Deadline(None))
    found = cover.Cover(best, Deadline(None))
    Zp, rng = Z[found.rows], np.random.default_rng(seed)
    for share in (0.8, 1.0, 1.1, 1.5, 3.0):
        removed, kept = rng.permutation(12)[: k - 1].tolist(), []
        kept = [row for row in rng.permutation(12)[:4].tolist() if row not in removed]
        parts = ([], [], True), ([], [], False), (removed, [], False), (removed, kept, False)
        for out, stay, sparing in parts:
            limit = share * max(best.margin, 0.1)
            packing = found.pack(limit, out, stay, sparing=sparing)
            taken = np.concatenate([np.zeros(0, int), *packing.sets])
            assert len(set(taken)) == len(taken) and not set(taken) & {*out, *stay}
            for free in packing.sets:
                assert best_margin(Zp[[*free, *stay]]) <= limit * (1 + 1e-9)
            sets = itertools.combinations([i for i in range(12) if i not in out + stay], k - len(out))
            optimum = max(best_margin(np.delete(Zp, [*out, *more], axis=0)) for more in sets)
            if packing.closed:
                assert optimum <= limit * (1 + 1e-9)
            elif not packing.sets:
                assert len(packing.normal) == 2
    assert found.smallest(0.0, best.upper_bound) >= best_by_removal(Z, k) * (1 - 1e-9)


def test_soft_margins_are_those_of_scikit_learn():
    from sklearn.svm import LinearSVC

    X, y = noisy(200, 4, 20, 0)
    Z = y[:, None] * X
    for penalty in (0.01, 1.0, 30.0):
        w = starts._squared_hinge(Z, 2 * penalty, np.zeros(4), Deadline(None))
        peer = LinearSVC(C=penalty, fit_intercept=False, dual=False, tol=1e-10, max_iter=10**5).fit(X, y)
        assert np.allclose(w, peer.coef_[0], rtol=1e-4, atol=1e-6)


def test_the_widest_hyperplane_of_some_points():
    X, y = noisy(800, 6, 5, 4)
    Z = np.ascontiguousarray(y[:, None] * X)
    alive = Z[:, 0] > 0
    normal = starts.widest(trimmed.Best(Z, 5), alive, np.flatnonzero(alive)[:1], Deadline(None))
    nearest = min_norm_point(np.ascontiguousarray(Z[alive]))[0]
    assert np.allclose(normal, nearest / np.linalg.norm(nearest), atol=1e-7)
    assert starts.widest(trimmed.Best(Z, 5), np.ones(800, dtype=bool), np.arange(9), Deadline(None)) is None
    assert starts.widest(trimmed.Best(0.0 * Z, 5), alive, np.flatnonzero(alive)[:1], Deadline(None)) is None


def test_what_is_too_large_for_the_paper_is_not_for_the_default():
    rng = np.random.default_rng(0)
    for n, d in ((60, 5), (200, 40), (3, 50)):
        X, y = rng.normal(size=(n, d)), np.arange(n) % 2
        clf = OutlierCoresetSVC(on_nonseparable="warn", time_limit=1.0).fit(X, y)
        assert np.isfinite(clf.margin_upper_bound_) and clf.margin_ <= clf.margin_upper_bound_


def test_many_outliers_are_certified_at_once():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 20))
    X[:, 0] += 0.3 * np.sign(X[:, 0])
    y = np.where(X[:, 0] > 0, 1, -1)
    planted = np.sort(rng.choice(4000, 40, replace=False))
    y[planted] *= -1
    clf = OutlierCoresetSVC(40).fit(X, y)
    assert clf.halted_ == "certified" and clf.outlier_indices_.tolist() == planted.tolist()
    best = best_margin(np.delete(y[:, None] * X, planted, axis=0))
    assert math.isclose(clf.margin_, best, rel_tol=1e-9)
    assert math.isclose(clf.margin_upper_bound_, best, rel_tol=1e-9)  # exact, though eps is 0.1


def test_intercept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) + 5.0
    y = np.where(X[:, 0] > 5.0, "right", "wrong")[::1]
    X[:, 0] += np.where(y == "right", 0.3, -0.3)
    y[7] = "right" if y[7] == "wrong" else "wrong"
    clf = OutlierCoresetSVC(1, 1e-6, fit_intercept=True).fit(X, y)
    with_ones = OutlierCoresetSVC(1, 1e-6).fit(np.column_stack([X, np.ones(40)]), y)
    assert clf.margin_ == with_ones.margin_ and clf.outlier_indices_.tolist() == [7]
    assert np.allclose(np.append(clf.coef_[0], clf.intercept_), with_ones.coef_[0])
    margins = np.where(y == "wrong", 1, -1) * clf.decision_function(X)
    assert math.isclose(np.sort(margins)[1], clf.margin_) and clf.score(X, y) == 39 / 40
    assert OutlierCoresetSVC(2).fit(np.eye(3) + 1, [0, 1, 1]).intercept_.tolist() == [0.0]


# Limits


def narrow():
    """Separable by little, and no points that stand out."""
    X = np.random.default_rng(0).normal(size=(600, 15))
    X[:, 0] += 0.1 * np.sign(X[:, 0])
    return X, X[:, 0] > 0


def wide(n=400, d=12):
    """Separable by far."""
    X, y = np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 2
    X[:, 0] += np.where(y, 4.0, -4.0)
    return X, y


@pytest.mark.parametrize("method", [*EXACT, "sampled"])
def test_a_time_limit_ends_every_method_with_a_bound(method):
    X, y = narrow() if method == "auto" else wide()
    clf = OutlierCoresetSVC(6, 1e-6, method=method, time_limit=0.3, n_samples=10**6, random_state=0)
    OutlierCoresetSVC(1, method=method, time_limit=0.1, on_nonseparable="warn").fit(X[:6], y[:6])
    start = time.monotonic()
    with pytest.warns(ConvergenceWarning, match="stopped by the time limit: margin_ .* is at least 0"):
        clf.fit(X, y)
    assert time.monotonic() - start < 5.0
    assert clf.halted_ == "time limit" and clf.margin_ > 0 and np.isfinite(clf.margin_upper_bound_)
    assert math.isclose(clf.margin_, np.sort(margins_of(clf, X, y))[6], rel_tol=1e-9)


@pytest.mark.parametrize("method", [*EXACT, "sampled"])
def test_no_time_at_all(method):
    X, y = wide(50, 3)
    clf = OutlierCoresetSVC(2, method=method, time_limit=1e-9, on_nonseparable="warn").fit(X, y)
    norms = np.sort(np.linalg.norm(X, axis=1))
    assert clf.halted_ == "time limit" and 0 < clf.margin_ <= clf.margin_upper_bound_ <= norms[2] * (1 + 1e-9)


def test_without_a_time_limit_the_work_is_limited(monkeypatch):
    monkeypatch.setattr(module, "WORK", 3e8)
    X, y = narrow()
    fits = []
    for _ in range(2):
        with pytest.warns(ConvergenceWarning, match="stopped by the work limit"):
            fits.append(OutlierCoresetSVC(6, 1e-6).fit(X, y))
    assert fits[0].halted_ == "work limit" and (fits[0].coef_ == fits[1].coef_).all()
    assert fits[0].margin_upper_bound_ == fits[1].margin_upper_bound_
    assert fits[0].n_looked_at_ == fits[1].n_looked_at_


def test_what_is_left_when_the_work_is_done():
    """The bound is far better than what the norms say."""
    X, y = narrow()
    best = trimmed.Best(np.ascontiguousarray(np.where(y, 1, -1)[:, None] * X), 4)
    trivial = best.upper_bound
    with pytest.raises(LimitReached, match="work limit"):
        automatic.auto(1e-6, best, Deadline(None, work=3e8))
    assert 0 < best.margin <= best.upper_bound <= 0.1 * trivial


@pytest.mark.parametrize("method", [*EXACT, "sampled"])
def test_an_interrupt_leaves_the_estimator_as_it_was(method, monkeypatch):
    X, y = wide(30, 3)
    clf = OutlierCoresetSVC(1, method=method, on_nonseparable="warn", random_state=0)
    fresh = dict(clf.__dict__)

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(trimmed.Best, "offer", interrupt)
        with pytest.raises(KeyboardInterrupt):
            clf.fit(X, y)
        assert clf.__dict__ == fresh
    fitted = dict(clf.fit(X, y).__dict__)
    monkeypatch.setattr(trimmed.Best, "offer", interrupt)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X[:, :2], y)
    assert clf.__dict__.keys() == fitted.keys() and clf.n_features_in_ == 3
    assert (clf.coef_ == fitted["coef_"]).all()


def test_a_deadline():
    deadline = Deadline(None, work=3)
    deadline.spend(3)
    with pytest.raises(LimitReached, match="work limit"):
        deadline.spend(1)
    Deadline(60.0, work=3).spend(100)  # then only time counts
    with pytest.raises(LimitReached, match="time limit"):
        Deadline(1e-9).spend()
