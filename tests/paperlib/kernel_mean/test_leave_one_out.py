"""Scores of the examples left out, and the threshold and the kernel that they choose."""

import numpy as np
import pytest

from paperlib.kernel_mean import KernelMeanClassifier, select_kernel
from paperlib.kernel_mean._leave_one_out.scores import leave_one_out_scores
from paperlib.kernel_mean._leave_one_out.thresholds import best_threshold
from paperlib.kernel_mean.noise import flip_by_label, flip_labels


def twin_scores(X, y, weights, **options):
    """Fit to all others, and score the one left out."""
    rows = np.arange(len(y))
    fitted = [
        KernelMeanClassifier(**options).fit(X[rows != i], y[rows != i], weights[rows != i]) for i in rows
    ]
    return np.array([mean.decision_function(X[[i]])[0] for i, mean in enumerate(fitted)])


def sample(n=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), np.where(rng.random(n) < 0.3, 1, -1), rng.integers(0, 4, n)


@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 3.0}])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", lambda A, B: (1 + A @ B.T) ** 2])
def test_scores_are_those_of_a_classifier_of_the_others(class_weight, kernel):
    X, y, weights = sample()
    options = {"kernel": kernel, "class_weight": class_weight}
    mean = KernelMeanClassifier(**options).fit(X, y, weights)
    scores = leave_one_out_scores(mean._kernel, mean._points, mean.dual_coef_, class_weight == "balanced")
    assert np.allclose(scores, twin_scores(X, y, weights, **options), atol=1e-12)


def test_scores_of_single_precision_and_of_a_kernel_matrix():
    X, y, _ = sample()
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    for data, options in [(X.astype("f4"), {}), (K, {"kernel": "precomputed"})]:
        mean = KernelMeanClassifier(**options).fit(data, y)
        scores = leave_one_out_scores(mean._kernel, mean._points, mean.dual_coef_, False)
        assert np.allclose(scores, twin_scores(X, y, np.ones(30)), atol=1e-6)


@pytest.mark.parametrize("balanced", [True, False])
def test_who_is_alone_in_a_class_is_scored_by_the_other(balanced):
    mean = KernelMeanClassifier(gamma=1.0, class_weight="balanced" if balanced else None)
    mean.fit([[0.0], [1.0]], [0, 1])
    scores = leave_one_out_scores(mean._kernel, mean._points, mean.dual_coef_, balanced)
    share = 0.5 if balanced else 1.0
    assert np.allclose(scores, [share * np.exp(-1), -share * np.exp(-1)])


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("heavy", [1e7, 1e12, 1e17, 1e100])
def test_what_is_left_beside_nearly_all_weight_is_not_lost(heavy, kernel, class_weight):
    X, y, _ = sample()
    for row in (0, int(np.argmax(y))):  # one of each class
        weights = np.arange(1.0, 31.0)
        weights[row] = heavy
        options = {"kernel": kernel, "class_weight": class_weight}
        mean = KernelMeanClassifier(threshold="balanced_error", **options).fit(X, y, weights)
        scores = leave_one_out_scores(mean._kernel, mean._points, mean.dual_coef_, class_weight == "balanced")
        np.testing.assert_allclose(scores, twin_scores(X, y, weights, **options), rtol=1e-7)
        assert np.isfinite(mean.intercept_)
        chosen = select_kernel(X, y, [kernel], weights, class_weight=class_weight, rule="leave_one_out")
        wrong = np.abs(mean.dual_coef_)[scores * y <= 0].sum()
        np.testing.assert_allclose(chosen.errors, [wrong], rtol=1e-9)


def test_a_score_of_rounding_is_zero_and_wrong_for_either_label():
    X, y = np.array([[0.0], [0.1], [0.2], [9.0]]), [0, 1, 0, 1]
    mean = KernelMeanClassifier("linear").fit(X - 0.1, y)
    scores = leave_one_out_scores(mean._kernel, mean._points, mean.dual_coef_, False)
    assert scores[1] == 0 and scores[0] < 0 < scores[2]
    far = select_kernel(
        [[0.0], [100.0], [1.0], [101.0]], [0, 1, 0, 1], [{"gamma": 1.0}, {"gamma": 1e4}], rule="leave_one_out"
    )
    assert far.errors.tolist() == [0, 1]


def weighted_error(threshold, scores, signs, weights):
    return weights @ ((scores > threshold) != (signs > 0))


@pytest.mark.parametrize("seed", range(20))
def test_no_threshold_has_less_error(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    scores = rng.normal(size=n) if seed % 2 else rng.integers(-2, 3, n).astype(float)
    signs, weights = rng.choice([-1.0, 1.0], n), rng.integers(0, 3, n) + 0.1
    grid = [*scores - 1e-9, *scores, *scores + 1e-9, 0.0, -9.0, 9.0]
    least = min(weighted_error(t, scores, signs, weights) for t in grid)
    found = best_threshold(scores, signs, weights)
    assert np.isclose(weighted_error(found, scores, signs, weights), least)
    if np.isclose(weighted_error(0.0, scores, signs, weights), least):
        assert found == 0.0


def test_of_equal_thresholds_the_one_nearest_to_zero_is_taken():
    signs = np.array([-1.0, 1.0, -1.0, 1.0])
    assert best_threshold(np.array([-4.0, -3.0, -2.0, -1.0]), signs, np.ones(4)) == -1.5
    assert best_threshold(np.array([1.0, 2.0, 3.0, 4.0]), signs, np.ones(4)) == 1.5


def test_no_threshold_parts_what_differs_by_rounding():
    third = np.array([1 / 3, np.nextafter(1 / 3, 1)])
    scores = np.r_[third, 0.5, 0.0]
    found = best_threshold(scores, np.array([-1.0, 1.0, 1.0, -1.0]), np.ones(4))
    assert found == 0  # one of the two is wrong wherever it is
    shifted = best_threshold(scores + 1, np.array([-1.0, 1.0, 1.0, -1.0]), np.ones(4))
    assert np.isclose(shifted, 1 + 1 / 6)
    assert best_threshold(np.zeros(3), np.array([-1.0, 1.0, 1.0]), np.ones(3)) == 0.0


def test_thresholds_that_tie_but_for_rounding_tie():
    rng = np.random.default_rng(5)
    for _ in range(200):
        scores, signs = rng.normal(size=12), rng.choice([-1.0, 1.0], 12)
        weights = rng.integers(1, 4, 12).astype(float)
        assert best_threshold(scores, signs, 0.1 * weights) == best_threshold(scores, signs, weights)


def test_a_threshold_by_number_moves_the_score():
    X, y, weights = sample()
    plain, moved = (KernelMeanClassifier(threshold=t).fit(X, y, weights) for t in (0.0, 0.05))
    assert plain.intercept_ == 0 and moved.intercept_ == -0.05
    assert np.allclose(moved.decision_function(X), plain.decision_function(X) - 0.05)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(-1))
    table = KernelMeanClassifier("precomputed", threshold=0.05).fit(K, y, weights)
    assert np.allclose(table.decision_function(K), moved.decision_function(X))


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("threshold", ["error", "balanced_error"])
def test_a_threshold_by_name_is_the_best_for_scores_left_out(class_weight, threshold):
    X, y, weights = sample(seed=3)
    mean = KernelMeanClassifier(class_weight=class_weight, threshold=threshold).fit(X, y, weights)
    scores = twin_scores(X, y, weights, class_weight=class_weight)
    counted = weights.astype(float)
    if threshold == "balanced_error":
        for label in (-1, 1):
            counted[y == label] /= counted[y == label].sum()
    assert np.isclose(-mean.intercept_, best_threshold(scores, np.sign(y), counted), atol=1e-12)


def unequal_line(n, seed):
    """One feature; 70 % of the labels negative. Least error is at 1.21, least balanced error at 1."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.3, 1, -1)
    return rng.normal(1.0 + y, 0.7 * np.sqrt(2), n)[:, None], y


def boundary(threshold, X, y):
    """Where a linear mean with that threshold changes sign."""
    mean = KernelMeanClassifier("linear", class_weight="balanced", threshold=threshold).fit(X, y)
    at_zero, at_one = mean.decision_function([[0.0], [1.0]])
    return at_zero / (at_zero - at_one)


def test_symmetric_noise_leaves_the_threshold_of_least_error():
    right = 1.0 + 0.49 * np.log(7 / 3)
    X, y = unequal_line(40_000, 0)
    for noise in (0.0, 0.3):
        labels = flip_labels(y, noise, random_state=1)
        assert abs(boundary("error", X, labels) - right) < 0.15
        assert abs(boundary("balanced_error", X, labels) - 1.0) < 0.15


def test_noise_of_two_rates_leaves_that_of_least_balanced_error_only():
    X, y = unequal_line(40_000, 0)
    labels = flip_by_label(y, 0.05, 0.45, random_state=1)
    assert abs(boundary("balanced_error", X, labels) - 1.0) < 0.15
    assert boundary("error", X, labels) > 1.8


def test_errors_are_those_of_the_classifiers_left_out_and_the_least_wins():
    X, y, weights = sample(seed=5)
    kernels = [{"gamma": gamma} for gamma in (0.01, 1.0, 5.0)] + ["linear"]
    for class_weight in (None, "balanced", {1: 2.0}):
        chosen = select_kernel(X, y, kernels, weights, class_weight=class_weight, rule="leave_one_out")
        for options, error in zip(kernels, chosen.errors):
            options = {"kernel": options} if isinstance(options, str) else options
            scores = twin_scores(X, y, weights, class_weight=class_weight, **options)
            coef = KernelMeanClassifier(class_weight=class_weight).fit(X, y, weights).dual_coef_
            assert np.isclose(error, np.abs(coef)[scores * y <= 0].sum())
        assert chosen.best == chosen.errors.round(9).argmin()
        assert chosen.kernel is kernels[chosen.best]
        by_norm = select_kernel(X, y, kernels, weights, class_weight=class_weight)
        assert by_norm.errors is None and np.array_equal(by_norm.norms, chosen.norms)


def test_of_equal_errors_the_first_is_taken_and_scale_does_not_count():
    X, y = np.array([[0.0], [0.1], [3.0], [3.1]]), [0, 0, 1, 1]
    kernels = [{"kernel": "precomputed", "K": c * np.exp(-0.5 * (X - X.T) ** 2)} for c in (1.0, 1e6, 1e-6)]
    chosen = select_kernel(X, y, kernels, rule="leave_one_out")
    assert chosen.best == 0 and chosen.errors.tolist() == [0, 0, 0]


def test_a_good_width_is_found_from_labels_of_which_two_fifths_are_wrong():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, size=(3000, 2))
    y = np.where(np.floor(X).sum(axis=1) % 2 == 0, 1, -1)
    kernels = [{"gamma": 4.0**k} for k in range(-3, 6)]
    noisy = flip_labels(y[:1500], 0.4, random_state=1)
    chosen = select_kernel(X[:1500], noisy, kernels, class_weight="balanced", rule="leave_one_out")
    errors = [
        1 - KernelMeanClassifier(**k, class_weight="balanced").fit(X[:1500], noisy).score(X[1500:], y[1500:])
        for k in kernels
    ]
    assert errors[chosen.best] < min(errors) + 0.01 < max(errors) - 0.1


BAD = [
    ({"threshold": "half"}, "threshold must be a finite number, 'error' or 'balanced_error', got 'half'"),
    ({"threshold": np.nan}, "threshold must be a finite number, got nan"),
    ({"threshold": None}, "threshold must be a finite number, got None"),
]


@pytest.mark.parametrize("options, words", BAD)
def test_bad_thresholds_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        KernelMeanClassifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_a_bad_rule_is_named():
    with pytest.raises(ValueError, match="rule must be one of 'max_norm', 'leave_one_out', got 'cv'"):
        select_kernel([[0.0], [1.0]], [0, 1], ["rbf"], rule="cv")
