"""The network of one hidden layer, against the same in double precision and by matrices."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.experiments.max_loss import convolutions as layers
from paperlib.experiments.max_loss import hidden_layer, network
from paperlib.experiments.max_loss.hidden_layer import HiddenWeights, initial_weights
from paperlib.experiments.max_loss.hidden_layer_learner import HiddenLayerLearner
from paperlib.experiments.max_loss.network import NetworkLearner

shapes = st.fixed_dictionaries(
    {
        "batch": st.integers(1, 9),
        "n_inputs": st.integers(1, 11),
        "n_hidden": st.integers(1, 9),
        "lit": st.sampled_from([0.0, 0.3, 1.0]),  # share of the pixels that are not zero
        "seed": st.integers(0, 2**32 - 1),
    }
)


def drawn(batch, n_inputs, n_hidden, lit, seed):
    """Weights, examples, of which some are chosen more than once, and their labels."""
    rng = np.random.default_rng(seed)
    X = (rng.random((6, n_inputs)) * (rng.random((6, n_inputs)) < lit)).astype(np.float32)
    return (
        initial_weights(n_inputs, n_hidden, seed=seed),
        X,
        rng.integers(0, 6, batch),
        rng.integers(0, 2, batch),
    )


def twin(weights, X, labels):
    """Hidden units, scores and gradients by their definition, in double precision."""
    W, b, V, c = (each.astype(float) for each in weights)
    X = X.astype(float)
    hidden = X @ W + b
    units = np.maximum(hidden, 0.0)
    scores = V @ units.T + c[:, None]
    second = 1.0 / (1.0 + np.exp(scores[0] - scores[1]))
    slopes = np.stack([labels - second, second - labels]) / len(labels)
    through = (slopes.T @ V) * (hidden > 0)
    found = HiddenWeights(X.T @ through, through.sum(axis=0), slopes @ units, slopes.sum(axis=1))
    return units, scores, found


def loss(weights, X, labels):
    """Mean logistic loss."""
    _, scores, _ = twin(weights, X, labels)
    return np.logaddexp(0.0, (scores[0] - scores[1]) * (2 * labels - 1)).mean()


@given(shapes)
@settings(max_examples=60, deadline=None)
def test_outputs_and_gradients_are_their_definition(shape):
    weights, X, chosen, labels = drawn(**shape)
    units, scores = hidden_layer.outputs(weights, X, chosen)
    found = hidden_layer.gradients(weights, X, chosen, units, layers.slopes_of_losses(scores, labels))
    expected_units, expected_scores, expected = twin(weights, X[chosen], labels)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(units, expected_units, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(scores, expected_scores, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-6)


def test_the_gradient_by_small_steps():
    weights, X, chosen, labels = drawn(9, 11, 9, 1.0, seed=3)
    _, _, found = twin(weights, X[chosen], labels)
    rng = np.random.default_rng(0)
    for name in HiddenWeights._fields:
        own = getattr(weights, name).astype(float)
        direction = rng.normal(size=own.shape)
        there, back = (
            loss(weights._replace(**{name: own + sign * 1e-5 * direction}), X[chosen], labels)
            for sign in (1, -1)
        )
        assert np.isclose((there - back) / 2e-5, (getattr(found, name) * direction).sum(), rtol=1e-4), name


def test_thirty_steps_are_those_of_the_twin():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 20)) * (rng.random((200, 20)) < 0.5)).astype(np.float32)
    y = rng.integers(0, 2, 200)
    start = initial_weights(20, 8, seed=1)
    learner = HiddenLayerLearner(X, y, start, l2=1e-2)
    own = HiddenWeights(*(each.astype(float) for each in start))
    velocity = [np.zeros_like(each) for each in own]
    for t in range(30):
        at = rng.integers(0, 200, 64)
        _, scores, slopes = twin(own, X[at], y[at])
        rate = 0.01 * (1 + 1e-4 * t) ** -0.75
        for each, moving, slope in zip(own, velocity, slopes, strict=True):
            slope = slope + 1e-2 * each
            moving[:] = 0.9 * moving + slope
            each -= rate * (slope + 0.9 * moving)
        assert np.array_equal(learner.step(at), (scores[1] > scores[0]) != y[at])
    for ours, theirs in zip(learner.weights, own, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    "Learner, shape, weights",
    [
        (HiddenLayerLearner, (9,), initial_weights(9, 4)),
        (NetworkLearner, (28, 28), network.initial_weights(0.05, 1)),
    ],
)
def test_a_learner_leaves_the_weights_that_it_was_given_and_can_go_back(Learner, shape, weights):
    X, y = np.random.default_rng(0).random((70, *shape)), np.arange(70) % 2
    before = [each.copy() for each in weights]
    learner = Learner(X, y, weights)
    at, own = learner.snapshot(), learner.predict(X)
    assert learner.loss(3) == float(own[3] != y[3]) == learner.step(3)
    learner.step(np.arange(64))
    assert all(map(np.array_equal, weights, before))
    assert not any(map(np.array_equal, learner.weights, before))
    learner.restore(at)
    assert np.array_equal(learner.predict(X), own) and learner.errors() == (own != y).sum()
    with pytest.raises(IndexError):
        learner.step(70)


def test_the_same_seed_gives_the_same_weights():
    one, two, other = (np.concatenate([w.ravel() for w in initial_weights(seed=s)]) for s in (3, 3, 4))
    assert np.array_equal(one, two) and not np.array_equal(one, other)
    assert one.size == 196 * 48 + 48 + 2 * 48 + 2 and one.dtype == np.float32 and np.abs(one).max() <= 0.145
    with pytest.raises(ValueError, match="n_hidden"):
        initial_weights(4, 0)


def test_training_is_the_same_to_the_last_bit_on_every_processor():
    """Compared with the bits of another processor: here they were written down once."""
    rng = np.random.default_rng(0)
    X = (rng.random((256, 196)) * (rng.random((256, 196)) < 0.3)).astype(np.float32)
    learner = HiddenLayerLearner(X, rng.integers(0, 2, 256), initial_weights(seed=1))
    for _ in range(20):
        learner.step(rng.integers(0, 256, 64))
    found = hashlib.sha256(b"".join(each.astype("<f4").tobytes() for each in learner.weights)).hexdigest()
    assert found[:16] == "e5a75118a49eaf51"
