"""Weights of examples in the mean classifier, and scikit-learn's machinery around it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator

from paperlib.kernel_mean import KernelMeanClassifier, TLogisticRegression, select_kernel, sparsify_classifier
from tests.paperlib.weighting import (
    X,
    Y,
    bad_class_weights,
    bad_weights,
    check_many_classes,
    check_refused,
    check_routing,
)

CLASSIFIERS = [
    (KernelMeanClassifier(gamma=0.1, class_weight="balanced"), 0.95),
    (KernelMeanClassifier("linear"), 0.6),
    (TLogisticRegression(class_weight="balanced"), 0.95),
]
KINDS = [
    {"gamma": 0.7},
    {"gamma": "scale"},
    {"kernel": "poly", "gamma": "scale", "class_weight": "balanced"},
    {"kernel": "linear", "class_weight": "balanced"},
    {"kernel": "poly", "degree": 2, "class_weight": {1: 3.0}},
]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 999), kind=st.sampled_from(KINDS), n=st.integers(4, 40))
def test_integer_weights_are_repeated_rows(seed, kind, n):
    rng = np.random.default_rng(seed)
    X, y, weights = rng.normal(size=(n, 2)), np.arange(n) % 2, rng.integers(0, 4, size=n)
    weights[:2] += 1
    repeated, labels = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    one, other = KernelMeanClassifier(**kind).fit(X, y, weights), KernelMeanClassifier(**kind)
    other.fit(repeated, labels)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-11, atol=1e-13)
    assert one.norm_ == pytest.approx(other.norm_, rel=1e-9)
    options = {key: value for key, value in kind.items() if key != "class_weight"}
    rules = {"class_weight": kind.get("class_weight")}
    chosen = select_kernel(X, y, [options], weights, **rules)
    assert chosen.norms[0] == pytest.approx(one.norm_, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_matrix])
def test_the_width_by_scale_counts_rows_as_often_as_their_weights_say(form):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)) * (rng.random((40, 3)) < 0.6), np.arange(40) % 2
    weights = rng.integers(0, 4, size=40)

    def width(rows, labels, weights=None, **options):
        fitted = KernelMeanClassifier(gamma="scale", **options).fit(form(rows), labels, weights)
        return fitted._kernel.gamma

    found = width(X, y, weights)
    assert found == pytest.approx(1.0 / (3 * np.repeat(X, weights, axis=0).var()), rel=1e-6)
    assert width(X, y, weights, class_weight={1: 9.0}) == found
    far = np.where(weights[:, None] > 0, X, 1e30)  # left out, they are not looked at
    assert width(far, y, weights) == found
    equal = width(X, y)
    assert equal == pytest.approx(1.0 / (3 * X.var()), rel=1e-6)
    assert width(X, y, np.full(40, 3)) == width(X, y, np.full(40, 0.1)) == equal
    assert width(X, y, np.arange(40) < 30) == width(X[:30], y[:30])


def test_a_weighted_classifier_is_thinned_with_its_own_width():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(30, 2)), np.arange(30) % 2, rng.uniform(0.0, 9.0, 30)
    clf = KernelMeanClassifier(gamma="scale").fit(X, y, weights)
    thin = sparsify_classifier(clf, 30, method="project", random_state=0)
    np.testing.assert_allclose(thin.decision_function(X), clf.decision_function(X), atol=1e-12)


def test_selection_takes_sparse_rows_and_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)) * (rng.random((300, 4)) < 0.5)
    y = (X[:, 0] > 0).astype(int)
    kernels = ["linear", {"gamma": 0.2}, {"gamma": 2.0}]
    for rule in ("max_norm", "leave_one_out"):
        dense = select_kernel(X, y, kernels, rule=rule)
        threads = select_kernel(X, y, kernels, rule=rule, n_jobs=2)
        np.testing.assert_array_equal(dense.norms, threads.norms)
        thin = select_kernel(sparse.csc_matrix(X), y, kernels, rule=rule)
        np.testing.assert_allclose(thin.norms, dense.norms)
        assert dense.best == thin.best == threads.best
        if rule == "leave_one_out":
            np.testing.assert_allclose(thin.errors, dense.errors)


@pytest.mark.routes_weights
@pytest.mark.parametrize("clf", [KernelMeanClassifier(gamma=0.5), TLogisticRegression()])
def test_weights_are_routed_through_a_search(clf):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 2)), np.arange(60) % 2, rng.uniform(0.1, 5.0, size=60)
    X[y == 1] += 1.0
    check_routing(clf, X, y, weights, class_weight=[None])


@pytest.mark.parametrize("clf, least", CLASSIFIERS)
def test_one_against_the_rest_and_probabilities(clf, least):
    check_many_classes(clf, least)


@pytest.mark.parametrize("clf", [clf for clf, _ in CLASSIFIERS])
@bad_weights
def test_weights_that_are_none(clf, weights, words):
    check_refused(clf, words, weights)


@pytest.mark.parametrize("clf", [clf for clf, _ in CLASSIFIERS])
@bad_class_weights
def test_class_weights_that_are_none(clf, class_weight, words):
    check_refused(clf, words, class_weight=class_weight)
    with pytest.raises(ValueError, match=words):
        select_kernel(X, Y, ["rbf"], class_weight=class_weight)


def test_probabilities_of_a_thinned_classifier():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], 100)
    X[y == 1] += 2.0
    thin = sparsify_classifier(KernelMeanClassifier().fit(X, y), 10, random_state=0)
    shares = CalibratedClassifierCV(FrozenEstimator(thin)).fit(X, y).predict_proba(X)[:, 1]
    assert np.isfinite(shares).all() and np.mean((shares > 0.5) == y) > 0.85
