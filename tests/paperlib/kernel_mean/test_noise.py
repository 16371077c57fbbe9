"""Samplers flip whom they should, as often as they should."""

import itertools

import numpy as np
import pytest

from paperlib.kernel_mean import flip_labels, losses, noise


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


def test_more_noise_flips_the_same_labels_and_more():
    y = np.ones(500, dtype=int)
    flipped = [flip_labels(y, noise, random_state=3) == -1 for noise in (0.0, 0.1, 0.3, 1.0)]
    assert not flipped[0].any() and flipped[3].all()
    assert all((less <= more).all() for less, more in itertools.pairwise(flipped))


def test_mutual_contamination_draws_both_classes_in_their_shares():
    positive, negative = noise.contaminate_mutually([[1.0]], [[0.0], [0.0]], 0.3, 0.2, 20_000, random_state=0)
    assert abs(positive.mean() - 0.7) < 0.015 and abs(negative.mean() - 0.2) < 0.015
    assert positive.shape == negative.shape == (20_000, 1)


SAMPLERS = {
    "flip_labels": lambda rng: noise.flip_labels(np.ones(40), 0.5, random_state=rng),
    "flip_by_label": lambda rng: noise.flip_by_label(np.ones(40), 0.0, 0.5, random_state=rng),
    "flip_by_instance": lambda rng: noise.flip_by_instance(
        np.ones((40, 1)), np.ones(40), lambda X, y: X[:, 0] / 2, random_state=rng
    ),
    "contaminate_mutually": lambda rng: noise.contaminate_mutually(
        [[1.0]], [[0.0]], 0.5, 0.25, 40, random_state=rng
    )[0],
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_random_state_of_every_form(name):
    sample = SAMPLERS[name]
    for form in (int, np.random.default_rng, np.random.RandomState):
        assert (sample(form(3)) == sample(form(3))).all()
    rng = np.random.RandomState(3)
    assert (sample(rng) != sample(rng)).any()
    with pytest.raises(ValueError, match=r"random_state must be an integer >= 0, .* got 'x'"):
        sample("x")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: noise.flip_labels([1, -1], float("nan")), "noise must be"),
        (lambda: noise.flip_by_label([1, -1], -0.1, 0.1), "noise_negative must be"),
        (
            lambda: noise.flip_by_instance([[0.0]], [1], lambda X, y: [2.0]),
            "noise must return 1 probabilities",
        ),
        (lambda: noise.contaminate_mutually([[1.0]], [[0.0]], 0.6, 0.4, 3), "alpha \\+ beta must be < 1"),
        (lambda: noise.corrected_loss(losses.linear, 0.5), "noise must be .* < 0.5, got 0.5"),
        (lambda: noise.corrected_loss(losses.linear, 0.6, 0.4), "must be < 1, got 1.0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
