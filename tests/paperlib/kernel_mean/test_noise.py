"""Samplers flip whom they should, as often as they should."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from paperlib.kernel_mean import experiments, losses, noise


@pytest.mark.parametrize("kind", [np.int64, np.int8, float])
def test_labels_keep_their_type(kind):
    y = np.array([1, -1, 1], dtype=kind)
    assert noise.flip_labels(y, 1.0).tolist() == [-1, 1, -1]
    assert noise.flip_labels(y, 0.5, random_state=0).dtype == kind


@pytest.mark.parametrize("kind", [np.uint8, np.uint64, bool])
def test_labels_without_a_sign_get_one(kind):
    y = np.ones(4, dtype=kind)
    assert noise.flip_labels(y, 1.0).tolist() == [-1] * 4
    assert noise.flip_labels(y, 0.0).tolist() == [1] * 4


def test_rates_of_every_sampler():
    n = 40_000
    y = np.repeat([1, -1], n)
    X = np.tile([[0.0], [1.0]], (n, 1))
    for flipped, rates in [
        (noise.flip_labels(y, 0.2, random_state=0), {1: 0.2, -1: 0.2}),
        (noise.flip_by_label(y, 0.1, 0.6, random_state=0), {1: 0.6, -1: 0.1}),
        (noise.flip_by_instance(X, y, lambda X, y: 0.1 + 0.3 * X[:, 0], random_state=0), {1: 0.25, -1: 0.25}),
    ]:
        for label, rate in rates.items():
            own = (flipped != y)[y == label].mean()
            assert abs(own - rate) < 4 * np.sqrt(rate * (1 - rate) / n)
    by_instance = noise.flip_by_instance(X, y, lambda X, y: X[:, 0] * (y > 0), random_state=0)
    assert ((by_instance != y) == ((X[:, 0] == 1) & (y > 0))).all()


def test_mutual_contamination_draws_both_classes_in_their_shares():
    positive, negative = noise.contaminate_mutually([[1.0]], [[0.0], [0.0]], 0.3, 0.2, 20_000, random_state=0)
    assert abs(positive.mean() - 0.7) < 0.015 and abs(negative.mean() - 0.2) < 0.015
    assert positive.shape == negative.shape == (20_000, 1)


def test_contamination_moves_the_mean_by_its_share():
    rng = np.random.default_rng(0)
    X, y, p, q = rng.normal(size=(9, 3)), rng.choice([-1, 1], 9), rng.random(9), rng.random(9)
    mean = [X.T @ (w / w.sum() * y) for w in (p, q)]
    mixed = X.T @ (noise.contaminate(p, q, 0.3) * y)
    assert np.allclose(mixed, 0.7 * mean[0] + 0.3 * mean[1])
    assert np.isclose(np.linalg.norm(mixed - mean[0]), 0.3 * np.linalg.norm(mean[0] - mean[1]))


def test_balanced_error_and_area_against_scikit_learn():
    rng = np.random.default_rng(0)
    y, scores = np.repeat([1, -1], [30, 50]), np.round(rng.normal(size=80), 1) + 0.05
    found = noise.balanced_error(losses.zero_one, scores[:30], scores[30:])
    assert np.isclose(found, 1 - balanced_accuracy_score(y, np.sign(scores)))
    assert np.isclose(noise.area_under_curve(scores[:30], scores[30:]), roc_auc_score(y, scores))


def test_a_score_that_is_not_a_number_has_no_loss():
    assert np.isnan(losses.zero_one(1, np.nan))
    assert np.isnan(losses.margin(np.array([1, -1]), np.array([np.nan, 0.0]), 0.5)).tolist() == [True, False]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: noise.flip_labels([1, 2], 0.1), "labels -1 and \\+1 only"),
        (lambda: noise.flip_by_label([1, -1], -0.1, 0.1), "noise_negative must be"),
        (
            lambda: noise.flip_by_instance([[0.0]], [1], lambda X, y: [2.0]),
            "noise must return 1 probabilities",
        ),
        (lambda: noise.contaminate_mutually([[1.0]], [[0.0]], 0.6, 0.4, 3), "alpha \\+ beta must be < 1"),
        (lambda: noise.contaminate_mutually([[1.0]], [[0.0, 1.0]], 0.1, 0.1, 3), "negatives must be rows"),
        (lambda: noise.corrected_loss(losses.linear, 0.5), "noise must be .* < 0.5, got 0.5"),
        (lambda: noise.corrected_loss(losses.linear, 0.6, 0.4), "must be < 1, got 1.0"),
        (lambda: noise.contaminate([1.0], [1.0, 2.0], 0.1), "one shape"),
        (lambda: noise.margin_for_error([1, -1], [0.1]), "one a label"),
        (lambda: noise.order_violation(losses.hinge, [], 0.1), "scores must be"),
        (lambda: noise.balanced_error(losses.hinge, [], [1.0]), "positive_scores must be"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


SIZES = {"n_train": 5, "n_test": 5, "n_trials": 2}


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: experiments.table_1({}, [0.1], **SIZES | {"n_trials": 0}),
            "n_trials must be an integer >= 1",
        ),
        (lambda: experiments.table_1({}, [0.5], **SIZES), "noise_rates must be .* < 0.5, got 0.5"),
        (lambda: experiments.table_1({}, [0.1, 0.1], **SIZES), "noise_rates must be distinct"),
        (lambda: experiments.table_1({}, [], **SIZES), "at least one"),
        (lambda: experiments.table_1({}, [0.1], **SIZES, probabilities=[1, 1, 1]), "sum to 1, got 3"),
        (lambda: experiments.population_risks({}, [0.7]), "noise_rates"),
        (lambda: experiments.breaking_noise([[1, 2]], [0.1]), "three finite points"),
        (lambda: experiments.noise_curves(np.eye(2), np.ones(2), {}, [0.1], n_splits=0), "n_splits must be"),
    ],
)
def test_experiments_name_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()
