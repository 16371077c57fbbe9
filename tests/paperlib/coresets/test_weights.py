"""Weights of rows and classes: whole numbers are repetitions, and zero leaves a row out."""

import itertools
import warnings

import dask.array as da
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.class_weight import compute_class_weight

from paperlib._common.class_weights import weigh_classes
from paperlib._common.deadline import Deadline
from paperlib.coresets import (
    ChainDecoder,
    CoresetSVC,
    MulticlassCoresetSVC,
    MulticlassDecoder,
    OutlierCoresetSVC,
    StructuredCoresetSVM,
)
from paperlib.coresets._outliers import cover, starts, trimmed
from paperlib.coresets._outliers.subsets import best_of_size
from paperlib.coresets._outliers.weighted import WeightedBest
from paperlib.coresets._outputs.many_classes import weight_of
from paperlib.coresets._solver.hull import min_norm_point
from tests.paperlib.coresets.helpers import best_margin
from tests.paperlib.weighting import bad_class_weights, bad_weights, check_refused

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
seeds = st.integers(0, 10**6)
few = settings(max_examples=25, deadline=None)


def noisy(seed, n=9, d=2, flips=2):
    """Labelled points, some of them wrong, of whole coordinates every third time; and weights 0, ..., 3."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = np.round(2 * X) / 2 if seed % 3 == 0 else X
    X[:, 0] += 2 * np.where(X[:, 0] > 0, 1, -1)
    y = (X[:, 0] > 0).astype(int)
    y[rng.choice(n, flips, replace=False)] ^= 1
    weights = rng.integers(0, 4, n).astype(float)
    y[:2] = 0, 1
    weights[:2] = 1.0  # of either class
    return X, y, weights, rng


def repeated(weights):
    return np.repeat(np.arange(len(weights)), weights.astype(int))


def widest(Z, weights, k):
    """The largest margin on all but points that weigh k together, by all choices of these."""
    best = 0.0
    for size in range(len(Z)):
        for out in map(list, itertools.combinations(range(len(Z)), size)):
            if weights[out].sum() <= k:
                best = max(best, best_margin(np.delete(Z, out, axis=0)))
    return best


# Outliers


@pytest.mark.drawn(1)
@pytest.mark.parametrize("method", ["auto", "branch", "exhaustive", "doubling"])
@few
@given(seeds, st.integers(0, 5), st.booleans())
def test_outliers_by_weight_are_those_of_all_choices(method, seed, k, fit_intercept):
    X, y, weights, _ = noisy(seed)
    weights /= 1 + seed % 2  # halves, too
    assume(k < weights.sum())
    clf = OutlierCoresetSVC(
        k, 1e-6, method=method, fit_intercept=fit_intercept, on_nonseparable="warn", random_state=0
    ).fit(X, y, weights)
    used = weights > 0
    features = np.column_stack([X, np.ones(len(X))]) if fit_intercept else X
    Z = (np.where(y == 1, 1.0, -1.0)[:, None] * features)[used]
    optimum = widest(Z, weights[used], k)
    assert (1 - 2e-6) * optimum - 1e-9 <= max(clf.margin_, 0.0) <= optimum * (1 + 1e-9) + 1e-9
    assert clf.margin_upper_bound_ >= optimum * (1 - 1e-9)
    assert weights[clf.outlier_indices_].sum() <= k and (weights[clf.outlier_indices_] > 0).all()
    kept = np.delete(np.arange(len(X)), clf.outlier_indices_)
    margins = np.where(y == 1, 1, -1) * clf.decision_function(X)
    assert np.isclose(margins[kept][weights[kept] > 0].min(), clf.margin_, rtol=1e-12, atol=1e-12)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("method", ["auto", "branch", "exhaustive", "doubling"])
@few
@given(seeds, st.integers(0, 5), st.sampled_from([{}, {"kernel": "rbf", "gamma": 0.3}]))
def test_outliers_of_repeated_rows(method, seed, k, space):
    X, y, weights, _ = noisy(seed, n=8)
    rows = repeated(weights)
    assume(k < len(rows))
    space = {} if method in ("exhaustive", "doubling") else space  # too many subsets
    clf = OutlierCoresetSVC(k, 1e-7, method=method, on_nonseparable="warn", **space)
    margin = clf.fit(X, y, weights).margin_
    scores = clf.decision_function(X)
    clf.fit(X[rows], y[rows])
    assert np.isclose(max(margin, 0.0), max(clf.margin_, 0.0), rtol=1e-6, atol=1e-6)
    if margin > 1e-3 and k == 0:  # there is one best hyperplane then
        np.testing.assert_allclose(scores, clf.decision_function(X), atol=1e-5)


def test_weights_of_one_change_no_bit():
    X, y, *_ = noisy(1, n=40, d=3, flips=3)
    for method in ("auto", "branch", "sampled"):
        clf = OutlierCoresetSVC(3, method=method, on_nonseparable="warn", random_state=0).fit(X, y)
        weighted = OutlierCoresetSVC(3, method=method, on_nonseparable="warn", random_state=0)
        weighted.fit(X, y, np.ones(len(X)))
        np.testing.assert_allclose(weighted.coef_, clf.coef_, rtol=1e-9)
        assert weighted.outlier_indices_.tolist() == clf.outlier_indices_.tolist()


def test_a_heavy_outlier_stays():
    X = np.array([[2.0, 0.0], [2.0, 1.0], [-2.0, 0.5], [-2.0, -1.0], [3.0, 0.0]])
    y = [1, 1, 0, 0, 0]
    assert OutlierCoresetSVC(2).fit(X, y, [1, 1, 1, 1, 2]).outlier_indices_.tolist() == [4]
    with pytest.raises(ValueError, match="n_outliers must be larger"):
        OutlierCoresetSVC(2).fit(X, y, [9, 9, 9, 9, 3])
    clf = OutlierCoresetSVC(2, class_weight={0: 1 / 3}).fit(X, y, [9, 9, 9, 9, 6])
    assert clf.outlier_indices_.tolist() == [4]
    clf = OutlierCoresetSVC(1).fit(X[[0, 4, 1, 2, 3]], [1, 0, 1, 0, 0], [1, 0, 1, 1, 1])
    assert clf.outlier_indices_.tolist() in ([0], [2], [3], [4])  # row 1 is not there at all


def test_outliers_and_support_are_rows_of_the_data():
    X, y, weights, _ = noisy(2, n=30, flips=3)
    weights[:5] = 0.0
    clf = OutlierCoresetSVC(4, kernel="rbf", gamma=1.0, on_nonseparable="warn").fit(X, y, weights)
    assert (weights[clf.support_] > 0).all() and clf.support_.min() >= 5
    by_hand = np.exp(-((X[:, None] - X[clf.support_]) ** 2).sum(axis=2)) @ clf.dual_coef_
    np.testing.assert_allclose(clf.decision_function(X), by_hand, atol=1e-9)


@few
@given(seeds, st.integers(0, 6))
def test_the_trimmed_margin_is_that_of_copies(seed, k):
    X, y, weights, rng = noisy(seed)
    weights = np.maximum(weights, 1.0)
    assume(k < weights.sum())
    Z = np.ascontiguousarray(np.where(y == 1, 1.0, -1.0)[:, None] * X)
    best = WeightedBest(Z, k, weights)
    copies = Z[repeated(weights)]
    assert best.upper_bound == np.partition(np.linalg.norm(copies, axis=1), k)[k]
    for _ in range(5):
        normal = rng.normal(size=Z.shape[1])
        normal /= np.linalg.norm(normal)
        best.margin = -np.inf
        best.offer(normal)
        assert np.isclose(best.margin, np.partition(copies @ normal, k)[k], rtol=1e-12, atol=1e-12)
    found = best_of_size(Z, np.arange(2), float(k), 10**6, weights)[0]
    subsets = (Z[list(rows)] for rows in itertools.combinations(range(len(Z)), 2))
    nearest = [x for x in (min_norm_point(np.ascontiguousarray(rows))[0] for rows in subsets) if x.any()]
    expected = [np.partition(copies @ x, k)[k] / np.linalg.norm(x) for x in nearest]
    assert np.isclose(found, max(expected, default=-np.inf), rtol=1e-9, atol=1e-12)


@few
@given(seeds, st.integers(0, 5), st.booleans())
def test_conflicts_by_weight_prove_what_they_say(seed, k, sparing):
    X, y, weights, _ = noisy(seed)
    weights = np.maximum(weights, 0.5)
    assume(k < weights.sum())
    Z = np.ascontiguousarray(np.where(y == 1, 1.0, -1.0)[:, None] * X)
    best = WeightedBest(Z, k, weights)
    optimum = widest(Z, weights, k)
    bound = trimmed.peeling_bound(Z, best.most, 1e-9, best, Deadline(None))
    assert bound >= optimum * (1 - 1e-9)
    starts.soft_margins(best, Deadline(None))
    search = cover.Cover(best, Deadline(None))
    for share in (0.3, 0.9, 0.99, 1.1, 2.0):
        packing = search.pack(share * optimum, sparing=sparing)
        assert not (packing.closed and share < 1 and optimum > 0), "it would say that there is no such margin"
    if optimum > 1e-6:
        assert search.proves(optimum * 1.01) is not None


# The soft margin


@few
@given(
    seeds, st.sampled_from([0.1, 1.0, 10.0]), st.booleans(), st.sampled_from([np.asarray, sparse.csr_matrix])
)
def test_a_soft_margin_of_repeated_rows(seed, C, fit_intercept, form):
    X, y, weights, _ = noisy(seed, n=12, d=3)
    rows = repeated(weights)
    clf = CoresetSVC(1e-9, C=C, fit_intercept=fit_intercept, random_state=0)
    clf.fit(form(X), y, weights)
    objective, w = clf.objective_, clf.coef_ / clf.margin_
    clf.fit(form(X[rows]), y[rows])
    assert np.isclose(objective, clf.objective_, rtol=1e-7)
    np.testing.assert_allclose(w, clf.coef_ / clf.margin_, atol=1e-3)  # the root of a gap
    half = CoresetSVC(1e-9, C=2.0 * C, fit_intercept=fit_intercept, random_state=0)
    assert np.isclose(half.fit(form(X), y, weights / 2).objective_, objective, rtol=1e-7)


@few
@given(seeds, st.sampled_from(["balanced", {1: 3.0}, {0: 0.5, 1: 2.0}]))
def test_class_weights_of_a_soft_margin(seed, class_weight):
    X, y, weights, _ = noisy(seed, n=12, d=3)
    product = weigh_classes(class_weight, np.array([0, 1]), y, weights)
    clf = CoresetSVC(1e-9, C=1.0, class_weight=class_weight).fit(X, y, weights)
    plain = CoresetSVC(1e-9, C=1.0).fit(X, y, product)
    assert np.isclose(clf.objective_, plain.objective_, rtol=1e-8)
    # "balanced" of repeated rows is that of their weights
    rows = repeated(weights)
    again = CoresetSVC(1e-9, C=1.0, class_weight=class_weight).fit(X[rows], y[rows])
    assert np.isclose(clf.objective_, again.objective_, rtol=1e-7)


def test_class_weights_are_those_of_liblinear():
    X, y, *_ = noisy(5, n=60, d=3, flips=6)
    for class_weight in ("balanced", {1: 4.0}):
        clf = CoresetSVC(1e-9, C=0.5, class_weight=class_weight).fit(X, y)
        peer = LinearSVC(
            C=0.5, loss="hinge", class_weight=class_weight, fit_intercept=False, tol=1e-10, max_iter=10**6
        ).fit(X, y)
        np.testing.assert_allclose(clf.coef_ / clf.margin_, peer.coef_, rtol=1e-3, atol=1e-4)


# Hard margins


def separable(seed, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(24) % n_classes
    X = 4.0 * np.eye(n_classes)[y] + rng.normal(size=(24, n_classes)) * 0.3
    return X, y, rng.integers(0, 3, 24).astype(float)


@few
@given(seeds)
def test_a_hard_margin_knows_zero_or_not(seed):
    X, y, weights = separable(seed, 2)
    used = weights > 0
    for clf in (CoresetSVC(1e-9), CoresetSVC(1e-6, kernel="rbf", gamma=0.1), MulticlassCoresetSVC(1e-9)):
        weighted = clf.fit(X, y, weights).margin_, clf.decision_function(X)
        rows = clf.coreset_indices_
        assert used[rows].all()
        only = clf.fit(X[used], y[used]).margin_, clf.decision_function(X)
        assert np.isclose(weighted[0], only[0], rtol=1e-6)
        np.testing.assert_allclose(weighted[1], only[1], atol=1e-2)
    X, y, weights = separable(seed, 3)
    many = MulticlassCoresetSVC(1e-9, class_weight="balanced").fit(X, y, weights)
    rows = repeated(weights)
    again = MulticlassCoresetSVC(1e-9).fit(X[rows], y[rows])
    assert np.isclose(many.margin_, again.margin_, rtol=1e-8)
    np.testing.assert_allclose(many.coef_, again.coef_, atol=1e-4)


@few
@given(seeds)
def test_the_best_of_many_classes_met_is_right_on_the_most_weight(seed):
    X, y, weights = separable(seed, 3)
    y[:3] = (y[:3] + 1) % 3
    weights = np.maximum(weights, 1.0)
    rows = repeated(weights)
    clf = MulticlassCoresetSVC(1e-6, on_nonseparable="warn", max_iter=40)
    weighted = clf.fit(X, y, weights).score(X, y, weights)
    assert np.isclose(clf.fit(X[rows], y[rows]).score(X, y, weights), weighted)
    right = np.array([True, False, False, True])
    assert weight_of(right, np.array([1.0, 2.0, 4.0, 1.0])) == 0.25 and weight_of(right, None) == 2


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**1010])
def test_the_scale_of_weights_changes_no_bit_of_many_classes(scale):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(30, 3)), rng.integers(3, size=30), rng.uniform(0.5, 2.0, 30)
    clf = MulticlassCoresetSVC(on_nonseparable="warn", max_iter=40)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        scaled, plain = (clone(clf).fit(X, y, each).coef_ for each in (scale * weights, weights))
    np.testing.assert_array_equal(scaled, plain)


@pytest.mark.parametrize("selection", ["worst", "first", "mean"])
def test_structured_examples_of_weight_zero_are_left_out(selection):
    rng = np.random.default_rng(0)
    X = [np.array([3.0, 0.0]) + rng.normal(size=2) * 0.2 for _ in range(5)]
    X += [np.array([0.0, 3.0]) + rng.normal(size=2) * 0.2 for _ in range(5)]
    Y, weights = [0] * 5 + [1] * 5, np.array([1, 2, 0, 3, 1, 1, 0, 1, 2, 1])
    Y[2] = 1  # wrong, and left out
    rows = repeated(weights)
    svm = StructuredCoresetSVM(MulticlassDecoder(2), 1e-6, selection=selection)
    weighted = svm.fit(X, Y, weights).margin_
    assert 2 not in svm.coreset_indices_ and set(svm.coreset_indices_) <= {-1, *np.flatnonzero(weights)}
    again = svm.fit([X[i] for i in rows], [Y[i] for i in rows])
    assert np.isclose(weighted, again.margin_, rtol=2e-6)
    assert svm.score(X, Y, weights) == 1.0 and svm.score(X, Y) == 0.9


# Class weights


@given(st.integers(2, 4), seeds)
def test_balanced_weights_are_scikit_learns(n_classes, seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=10)])
    expected = compute_class_weight("balanced", classes=np.arange(n_classes), y=y)[y]
    found = weigh_classes("balanced", np.arange(n_classes), y, np.ones(len(y)))
    np.testing.assert_allclose(found, expected)


WEIGHED = [CoresetSVC(), CoresetSVC(C=1.0), OutlierCoresetSVC(), MulticlassCoresetSVC()]


@pytest.mark.parametrize("estimator", WEIGHED, ids=repr)
@bad_weights
def test_bad_weights(estimator, weights, words):
    check_refused(estimator, words, weights)


@pytest.mark.parametrize("estimator", WEIGHED, ids=repr)
@bad_class_weights
def test_bad_class_weights(estimator, class_weight, words):
    check_refused(estimator, words, class_weight=class_weight)


@bad_weights
def test_bad_weights_of_structures(weights, words):
    svm = StructuredCoresetSVM(ChainDecoder(2))
    if words != "one class only":
        with pytest.raises(ValueError, match=words):
            svm.fit([np.ones((2, 1))] * 20, [[0, 1]] * 20, sample_weight=weights)


# The width of a kernel


def scaled(weights):
    """Fits with ``gamma="scale"`` of two estimators: to weighted and to repeated rows."""
    X, y, _, _ = noisy(1, n=20, flips=0)
    width = {"kernel": "rbf", "gamma": "scale"}
    rows = repeated(weights)
    for make in (lambda: CoresetSVC(1e-7, **width), lambda: OutlierCoresetSVC(0, 1e-7, **width)):
        yield X, make().fit(X, y, weights), make().fit(X[rows], y[rows])


def test_weights_count_in_the_width_as_repeated_rows_do():
    weights = np.random.default_rng(0).integers(0, 9, 20).astype(float)
    for X, weighted, copies in scaled(weights):
        np.testing.assert_allclose(weighted.decision_function(X), copies.decision_function(X), atol=1e-5)
        assert np.isclose(weighted.margin_, copies.margin_, rtol=1e-6)
    X, y, _, _ = noisy(1, n=20, flips=0)
    clf = CoresetSVC(1e-7, kernel="rbf", gamma="scale")
    dasked = clf.fit(da.from_array(X, chunks=(7, 1)), y, weights).margin_
    assert np.isclose(dasked, clf.fit(X, y, weights).margin_, rtol=1e-6)


@pytest.mark.parametrize("weight", [0.3, 1.0, 7.0])
def test_equal_weights_change_no_bit_of_the_width(weight):
    X, y, _, _ = noisy(1, n=20, flips=0)
    weights = np.where(np.arange(20) % 5, weight, 0.0)
    kept = weights > 0
    for clf in (CoresetSVC(kernel="rbf", gamma="scale"), OutlierCoresetSVC(0, kernel="rbf", gamma="scale")):
        scores = clf.fit(X, y, weights).decision_function(X)
        assert (scores == clf.fit(X[kept], y[kept]).decision_function(X)).all()
