"""Many classes: against Wolfe's algorithm on all pairs written down."""

import math
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.coresets import MulticlassCoresetSVC
from paperlib.coresets._coordinate.pair_ascent import PairAscent
from paperlib.coresets._coordinate.pairs import best_weights
from paperlib.coresets._outputs.pairs import most_violated, pair
from paperlib.coresets._solver.hull import min_norm_point
from tests.paperlib.coresets.helpers import best_margin

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


EQUIVALENCE = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]


@parametrize_with_checks(
    [MulticlassCoresetSVC(on_nonseparable="warn", solver=solver) for solver in ("coreset", "steps")],
    expected_failed_checks=lambda estimator: {
        "check_class_weight_classifiers": "a margin has no use for weights, nor is there a constant",
        **dict.fromkeys(EQUIVALENCE if estimator.solver == "steps" else [], "copies come in another order"),
    },
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def all_pairs(X, y, n_classes):
    return np.array([pair(x, c, r, n_classes) for x, c in zip(X, y) for r in range(n_classes) if r != c])


def clusters(n, d, n_classes, spread, seed):
    rng = np.random.default_rng(seed)
    centres = 3 * rng.normal(size=(n_classes, d))
    y = np.arange(n) % n_classes
    return centres[y] + spread * rng.normal(size=(n, d)), y


@pytest.mark.drawn(7)
@pytest.mark.parametrize("solver", ["coreset", "steps"])
@pytest.mark.parametrize("seed", range(25))
def test_against_all_pairs(seed, solver):
    rng = np.random.default_rng(seed)
    n_classes, d = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    eps = rng.choice([0.3, 0.05, 1e-6])
    X, y = clusters(40, d, n_classes, rng.choice([0.0, 0.3, 1.0]), seed)
    Z = all_pairs(X, y, n_classes)
    best = best_margin(Z)
    if best == 0:
        with pytest.raises(ValueError, match="no linear classifier without an intercept"):
            MulticlassCoresetSVC(eps, solver=solver).fit(X, y)
        with pytest.warns(ConvergenceWarning, match="holds the origin"):
            clf = MulticlassCoresetSVC(eps, on_nonseparable="warn", solver=solver).fit(X, y)
        assert clf.margin_ <= 0 == clf.margin_upper_bound_
    else:
        clf = MulticlassCoresetSVC(eps, solver=solver).fit(X, y)
        assert (1 - eps) * clf.margin_upper_bound_ <= clf.margin_ * (1 + 1e-9)
        assert clf.margin_ <= best * (1 + 1e-9) <= clf.margin_upper_bound_ * (1 + 1e-8)
        assert (clf.predict(X) == y).all()
        assert math.isclose(np.linalg.norm(clf.coef_), 1)
        held = [pair(X[i], y[i], r, n_classes) for i, r in zip(clf.coreset_indices_, clf.coreset_rivals_)]
        assert best <= best_margin(np.array(held)) * (1 + 1e-9) <= clf.margin_upper_bound_ * (1 + 1e-8)
    assert math.isclose(clf.margin_, (Z @ clf.coef_.ravel()).min(), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_weights_of_a_row_are_the_maximum(seed):
    """No step along an axis betters ``s'(b - a) - q (||b - a||^2 + (1'b - 1'a)^2) / 2`` over b >= 0."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 8))
    labels = np.flatnonzero(rng.permutation(n_classes) >= 1)
    a = rng.uniform(size=n_classes) * (rng.uniform(size=n_classes) < 0.5)
    a[np.setdiff1d(np.arange(n_classes), labels)] = 0.0
    slopes, q = rng.normal(size=len(labels)).round(rng.choice([1, 9])), rng.choice([1e-8, 0.3, 1.0])
    found = slopes.copy()
    assert best_weights(found, labels, q, a) or ((slopes <= 0) & ((slopes == 0) | (a[labels] == 0))).all()
    moved = found - a[labels] if best_weights(slopes.copy(), labels, q, a) else np.zeros(len(labels))
    rest = slopes - q * (moved + moved.sum())
    held = a[labels] + moved
    assert (held >= 0).all() and (rest <= 1e-9).all() and np.abs(rest[held > 0]).max(initial=0.0) <= 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_steps_keep_their_sums_and_never_lower_the_dual(seed):
    n_classes = 2 + seed % 4
    X, y = clusters(50, 6, n_classes, 1.0, seed)
    X[np.random.default_rng(seed).uniform(size=X.shape) < 0.4] = 0.0
    X[:, 0] += 1.0
    dense, sparse = (
        PairAscent(each, y, n_classes, np.random.default_rng(1)) for each in (X, sp.csr_matrix(X))
    )
    Z = dense.scale * all_pairs(X, y, n_classes)
    before = 0.0
    for _ in range(12):
        for ascent in (dense, sparse):
            ascent.round()
        a = dense.a[y[:, None] != np.arange(n_classes)]
        np.testing.assert_allclose(dense.W.ravel(), a @ Z, atol=1e-9)
        np.testing.assert_allclose(sparse.W, dense.W, atol=1e-9)
        dual = a.sum() - dense.W.ravel() @ dense.W.ravel() / 2
        assert dual >= before * (1 - 1e-12)
        before = dual
        for ascent in (dense, sparse):
            ascent.go_on()


def test_steps_are_taken_where_there_are_many_coefficients_and_hold_what_certifies():
    rng = np.random.default_rng(0)
    W, X = rng.normal(size=(10, 40)), rng.normal(size=(3000, 40))
    scores = np.sort(X @ W.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 3.0]
    y = (X @ W.T).argmax(axis=1)
    by = {
        solver: MulticlassCoresetSVC(0.01, solver=solver).fit(X, y) for solver in ("auto", "steps", "coreset")
    }
    assert (by["auto"].coef_ == by["steps"].coef_).all() and (by["auto"].coef_ != by["coreset"].coef_).any()
    for clf in by.values():
        assert (clf.predict(X) == y).all()
        assert 0.99 * clf.margin_upper_bound_ <= clf.margin_ * (1 + 1e-9)
        assert clf.margin_ <= by["coreset"].margin_upper_bound_ <= clf.margin_upper_bound_ * (1 + 1e-9)


@pytest.mark.parametrize(
    "kind", ["copies", "zero row", "opposite copies", "one of each", "more columns than rows"]
)
def test_steps_on_degenerate_rows(kind):
    X, y = clusters(60, 5, 3, 0.3, 2)
    if kind == "copies":
        X, y = np.repeat(X, 4, axis=0), np.repeat(y, 4)
    elif kind == "zero row":
        X[7] = 0.0
    elif kind == "opposite copies":
        X, y = np.vstack([X, X]), np.append(y, (y + 1) % 3)
    elif kind == "one of each":
        X, y = X[:3], y[:3]
    else:
        X, y = np.random.default_rng(0).normal(size=(20, 100)), y[:20]
    fits = [
        MulticlassCoresetSVC(1e-3, on_nonseparable="warn", solver=s).fit(X, y) for s in ("steps", "coreset")
    ]
    assert all(clf.margin_ <= clf.margin_upper_bound_ for clf in fits)
    assert fits[0].margin_ == pytest.approx(fits[1].margin_, rel=2e-3, abs=1e-9) or fits[1].margin_ <= 0
    assert (fits[0].margin_ > 0) == (fits[1].margin_ > 0) == (kind not in ("zero row", "opposite copies"))


def test_steps_end_soon_where_nothing_separates_many_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 50)), np.arange(5000) % 10
    clf = MulticlassCoresetSVC(1e-9, on_nonseparable="warn").fit(X, y)
    assert clf.n_iter_ < 100 and clf.margin_ < 0 == clf.margin_upper_bound_


def test_a_coreset_begins_with_the_heaviest_pairs():
    X, y = clusters(60, 4, 3, 1.0, 0)
    ascent = PairAscent(X, y, 3, np.random.default_rng(0))
    ascent.round()
    rows, rivals = ascent.pairs()
    some, theirs = ascent.pairs(5)
    weights = np.sort(ascent.a[rows, rivals])
    assert len(rows) > 5 and (np.diff(some) >= 0).all()
    np.testing.assert_array_equal(np.sort(ascent.a[some, theirs]), weights[-5:])


def test_the_most_violated_pair_is_found_without_the_pairs():
    rng = np.random.default_rng(0)
    X, y, W = rng.normal(size=(30, 4)), rng.integers(5, size=30), rng.normal(size=(5, 4))
    margins, rival = most_violated(X, y, W)
    for i in range(30):
        every = {r: (W[y[i]] - W[r]) @ X[i] for r in range(5) if r != y[i]}
        assert math.isclose(margins[i], min(every.values()))
        assert math.isclose(margins[i], every[rival[i]])


def test_two_classes_are_the_binary_case():
    X, y = clusters(50, 3, 2, 0.5, 4)
    Z = np.where(y == 1, 1.0, -1.0)[:, None] * X
    nearest = min_norm_point(np.ascontiguousarray(Z), np.zeros(50))[0]
    clf = MulticlassCoresetSVC(1e-8).fit(X, y)
    assert np.allclose(clf.coef_[1], -clf.coef_[0])
    assert np.allclose(clf.coef_[1] * np.sqrt(2), nearest / np.linalg.norm(nearest), atol=1e-6)
    assert math.isclose(clf.margin_, np.sqrt(2) * np.linalg.norm(nearest), rel_tol=1e-6)
    assert clf.decision_function(X).shape == (50,)


def test_the_bundled_digits_are_separated_by_a_small_part_of_the_pairs():
    X, y = load_digits(return_X_y=True)
    clf = MulticlassCoresetSVC(0.2).fit(X / 16, y)
    assert (clf.predict(X / 16) == y).all()
    assert clf.margin_ >= 0.8 * clf.margin_upper_bound_ > 0
    assert len(clf.coreset_indices_) < 0.1 * 9 * len(X)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("seed", range(6))
def test_sparse_rows_give_what_dense_ones_do(make, seed):
    X, y = clusters(60, 8, 2 + seed % 4, 0.5, seed)
    X[np.random.default_rng(seed).uniform(size=X.shape) < 0.5] = 0.0
    X[::7] = 0.0 if seed == 5 else X[::7]
    with np.errstate(all="raise"):
        dense = MulticlassCoresetSVC(0.01, on_nonseparable="warn").fit(X, y)
        sparse = MulticlassCoresetSVC(0.01, on_nonseparable="warn").fit(make(X), y)
    assert np.allclose(sparse.coef_, dense.coef_, atol=1e-9) and np.isclose(sparse.margin_, dense.margin_)
    assert np.isclose(sparse.margin_upper_bound_, dense.margin_upper_bound_, atol=1e-12)
    assert sparse.coreset_indices_.tolist() == dense.coreset_indices_.tolist()
    assert (sparse.predict(make(X)) == dense.predict(X)).all()
    assert np.allclose(sparse.decision_function(make(X)), sparse.decision_function(X))
    scores = X @ sparse.coef_.T
    right = scores[np.arange(60), y]
    scores[np.arange(60), y] = -np.inf
    assert np.isclose((right - scores.max(axis=1)).min(), sparse.margin_, atol=1e-12)


def test_sparse_rows_are_not_written_out_and_copies_of_the_estimator_agree():
    rng = np.random.default_rng(0)
    n, d = 6000, 3000
    y = rng.integers(3, size=n)
    topic, noise = 20 * y[:, None] + rng.integers(20, size=(n, 6)), rng.integers(60, d, size=(n, 2))
    words = np.column_stack([topic, noise])
    X = sp.csr_matrix((np.ones(words.size), words.ravel(), np.arange(0, 8 * n + 1, 8)), shape=(n, d))
    X.sum_duplicates()
    before = X.copy()
    tracemalloc.start()
    fits = {solver: MulticlassCoresetSVC(0.5, solver=solver).fit(X, y) for solver in ("coreset", "auto")}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for clf in fits.values():
        assert 0.0 < clf.margin_ >= 0.5 * clf.margin_upper_bound_ and (clf.predict(X) == y).all()
    assert len(fits["coreset"].coreset_indices_) < 200 and peak < 0.2 * 8 * n * d and (before != X).nnz == 0
    again = pickle.loads(pickle.dumps(clf))
    assert (again.predict(X) == y).all() and (clone(clf).fit(X, y).coef_ == clf.coef_).all()


def test_bad_numbers_in_sparse_rows_are_named():
    X, y = clusters(30, 4, 3, 0.3, 0)
    for value, words in ((np.nan, "X contains NaN"), (np.inf, "infinity"), (1e160, "too large in size")):
        bad = X.copy()
        bad[4, 1] = value
        with pytest.raises(ValueError, match=words):
            MulticlassCoresetSVC().fit(sp.csr_matrix(bad), y)
    with pytest.raises(ValueError, match="too small in size"):
        MulticlassCoresetSVC().fit(sp.csr_matrix(X * 1e-160), y)
    with pytest.raises(ValueError, match="holds the origin"):
        MulticlassCoresetSVC().fit(sp.csr_matrix((30, 4)), y)


def test_passes_used_up():
    X, y = clusters(60, 4, 4, 0.8, 1)
    with pytest.warns(ConvergenceWarning, match="max_iter=2 passes were used up"):
        MulticlassCoresetSVC(1e-6, max_iter=2).fit(X, y)


BAD = [
    ({"eps": 0}, [[1.0], [2.0]], [0, 1], "eps must be"),
    ({"eps": 1.0}, [[1.0], [2.0]], [0, 1], "eps must be"),
    ({"max_iter": 0}, [[1.0], [2.0]], [0, 1], "max_iter must be"),
    ({"on_nonseparable": 3}, [[1.0], [2.0]], [0, 1], "on_nonseparable must be"),
    ({"solver": "hull"}, [[1.0], [2.0]], [0, 1], "solver must be one of 'auto', 'coreset', 'steps'"),
    ({}, [[1.0], [2.0]], [0, 0], "got one class only: 0"),
    ({}, [[1.0], [np.inf]], [0, 1], "X contains infinity"),
    ({}, [[1.0], [2.0]], [0.5, 1.2], "Unknown label type"),
    ({}, [[0.0], [0.0]], [0, 1], "no linear classifier"),
    ({}, [[1.0], [1.0]], [0, 1], "no linear classifier"),
]


@pytest.mark.parametrize("parameters, X, y, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, y, words):
    with pytest.raises(ValueError, match=words):
        MulticlassCoresetSVC(**parameters).fit(X, y)
