"""Weights of the classes, of the mean classifier and of the choice of its kernel."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from paperlib.experiments.datasets import load
from paperlib.kernel_mean import KernelMeanClassifier, select_kernel, sparsify_classifier


@pytest.fixture
def unequal():
    """Two well-separated classes of 170 and 30 in the plane."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], [170, 30])
    X[y == 1] += 3
    return X, y


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1, 1: 5}, {1: 0.25}])
def test_class_weights_are_sample_weights(unequal, class_weight):
    X, y = unequal
    given = np.random.default_rng(1).integers(0, 3, len(y))
    by_class = KernelMeanClassifier(gamma=0.5, class_weight=class_weight).fit(X, y, given)
    classes = class_weight
    if class_weight == "balanced":  # scikit-learn counts rows here, and not their weights
        classes = {label: 1 / given[y == label].sum() for label in (0, 1)}
    by_row = KernelMeanClassifier(gamma=0.5).fit(X, y, given * compute_sample_weight(classes, y))
    assert np.allclose(by_class.dual_coef_, by_row.dual_coef_, atol=1e-15)
    assert np.isclose(np.abs(by_class.dual_coef_).sum(), 1)


def test_balanced_is_the_difference_of_the_class_means(unequal):
    X, y = unequal
    balanced = KernelMeanClassifier("linear", class_weight="balanced").fit(X, y)
    difference = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    assert np.allclose(balanced.decision_function(np.eye(2)), difference / 2)
    assert np.isclose(balanced.norm_, np.linalg.norm(difference) / 2)


def test_classes_of_any_type_and_others_in_the_dict(unequal):
    X, y = unequal
    numbers = KernelMeanClassifier(class_weight={0: 1, 1: 7}).fit(X, y)
    words = KernelMeanClassifier(class_weight={"no": 1, "yes": 7, "perhaps": 3})
    words.fit(X, np.where(y == 1, "yes", "no"))
    assert np.array_equal(numbers.dual_coef_, words.dual_coef_)


def test_a_thinned_mean_keeps_weights_and_threshold(unequal):
    X, y = unequal
    mean = KernelMeanClassifier(gamma=0.5, class_weight="balanced", threshold=0.1).fit(X, y)
    thin = sparsify_classifier(mean, 40, random_state=0, method="greedy")
    assert np.allclose(thin.decision_function(X), mean.decision_function(X), atol=0.02)


def test_breast_cancer_is_better_with_equal_classes():
    cancer = load("breast_cancer")
    X = (cancer.X - cancer.X.mean(axis=0)) / cancer.X.std(axis=0)
    errors = [
        1 - KernelMeanClassifier(class_weight=w).fit(X, cancer.y).score(X, cancer.y)
        for w in (None, "balanced")
    ]
    assert errors[0] > 0.1 and errors[1] < 0.07


def test_the_longest_mean_of_unequal_classes(unequal):
    """The widest kernel wins by the share of the larger class, and then all is of that class."""
    X, y = unequal
    kernels = [{"gamma": gamma} for gamma in (1e-4, 0.5, 50.0)]
    errors = {}
    for weight in (None, "balanced"):
        chosen = select_kernel(X, y, kernels, class_weight=weight)
        errors[weight] = 1 - KernelMeanClassifier(**chosen.kernel, class_weight=weight).fit(X, y).score(X, y)
    assert np.isclose(errors[None], 0.15) and errors["balanced"] < 0.05


def test_norms_are_those_of_the_weighted_classifier(unequal):
    X, y = unequal
    for weight in ("balanced", {0: 2, 1: 3}):
        chosen = select_kernel(X, y, ["linear", "rbf"], class_weight=weight)
        means = [KernelMeanClassifier(k, class_weight=weight).fit(X, y) for k in ("linear", "rbf")]
        assert np.allclose(chosen.norms, [mean.norm_ for mean in means])
