"""Layers of the network and their gradients, against sums in double precision and against PyTorch."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.experiments.max_loss import convolutions as layers
from paperlib.experiments.max_loss.network import (
    NetworkLearner,
    Weights,
    activations,
    gradients,
    images_for,
    initial_weights,
)

shapes = st.fixed_dictionaries(
    {
        "outputs": st.integers(1, 3),
        "channels": st.integers(1, 3),
        "side": st.integers(1, 7),
        "more": st.integers(0, 9),  # rows and columns beyond those that a filter covers
        "batch": st.integers(1, 9),
        "padding": st.integers(0, 3),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def drawn(outputs, channels, side, more, batch, padding, seed):
    """Random inputs, filters, biases and slopes; a padding is less than the filter's side."""
    rng, padding = np.random.default_rng(seed), min(padding, side - 1)
    rows = max(1, side + more - 2 * padding)
    inputs = rng.normal(size=(channels, rows, rows + 1, batch)).astype(np.float32)
    filters = rng.normal(size=(outputs, channels, side, side)).astype(np.float32)
    bias = rng.normal(size=outputs).astype(np.float32)
    size = (outputs, rows + 2 * padding - side + 1, rows + 2 + 2 * padding - side, batch)
    return inputs, filters, bias, padding, rng.normal(size=size).astype(np.float32)


def convolved(inputs, filters, bias, padding):
    """`convolve` by its definition, in double precision."""
    margin = [(0, 0), (padding, padding), (padding, padding), (0, 0)]
    padded = np.pad(inputs.astype(float), margin)
    _, _, height, width = filters.shape
    rows, columns = padded.shape[1] - height + 1, padded.shape[2] - width + 1
    outputs = np.empty((len(filters), rows, columns, inputs.shape[3]))
    for i in range(rows):
        for j in range(columns):
            window = padded[:, i : i + height, j : j + width]
            outputs[:, i, j] = np.einsum("ocab,cabk->ok", filters, window) + bias[:, None]
    return outputs


@given(shapes)
@settings(max_examples=60, deadline=None)
def test_a_convolution_is_its_definition(shape):
    inputs, filters, bias, padding, _ = drawn(**shape)
    found = layers.convolve(inputs, filters, bias, padding)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, convolved(inputs, filters, bias, padding), rtol=1e-4, atol=1e-4)


@given(shapes)
@settings(max_examples=60, deadline=None)
def test_gradients_of_a_convolution_are_its_adjoints(shape):
    """It is linear in inputs and in filters, so that inner products with slopes give the gradients."""
    inputs, filters, bias, padding, slopes = drawn(**shape)
    rng = np.random.default_rng(shape["seed"])
    none = np.zeros_like(bias)
    by_inputs = layers.gradient_of_inputs(slopes, filters, padding)
    by_filters = layers.gradient_of_filters(slopes, inputs, padding)
    assert by_inputs.shape == inputs.shape and by_filters.shape == filters.shape
    other = rng.normal(size=inputs.shape)
    expected = (slopes * convolved(other, filters, none, padding)).sum()
    assert np.isclose((by_inputs * other).sum(), expected, rtol=1e-4, atol=1e-2)
    other = rng.normal(size=filters.shape)
    expected = (slopes * convolved(inputs, other, none, padding)).sum()
    assert np.isclose((by_filters * other).sum(), expected, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(
        layers.gradient_of_bias(slopes), slopes.sum(axis=(1, 2, 3)), rtol=1e-4, atol=1e-3
    )


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_maxima_and_where_their_gradient_goes(n_channels, half, batch, seed):
    # Few different values: ties and zeros are frequent.
    rng = np.random.default_rng(seed)
    values = rng.integers(-2, 2, (n_channels, 2 * half, 2 * half, batch)).astype(np.float32)
    slopes = rng.normal(size=(n_channels, half, half, batch)).astype(np.float32)
    maxima = layers.rectified_maxima(values)
    gradient = layers.gradient_of_maxima(slopes, values, maxima)
    expected = np.zeros_like(values)
    for at in np.ndindex(slopes.shape):
        c, i, j, k = at
        window = values[c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, k]
        assert maxima[at] == max(window.max(), 0.0)
        if window.max() > 0:
            a, b = np.unravel_index(window.argmax(), (2, 2))
            expected[c, 2 * i + a, 2 * j + b, k] = slopes[at]
    assert np.array_equal(gradient, expected)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=9))
def test_slopes_of_losses_are_probabilities_less_labels(apart):
    apart = np.array(apart, np.float32)
    labels = np.arange(len(apart)) % 2
    found = layers.slopes_of_losses(np.stack([np.zeros_like(apart), apart]), labels)
    second = 1.0 / (1.0 + np.exp(-np.clip(apart.astype(float), -500.0, 500.0)))
    np.testing.assert_allclose(found[1] * len(apart), second - labels, atol=1e-6)
    assert np.array_equal(found[0], -found[1])


def test_a_step_of_nesterov_by_hand():
    weights, velocity = np.array([1.0, 0.0], np.float32), np.array([0.5, 0.0], np.float32)
    rule = np.float32(0.1), np.float32(0.5), np.float32(0.2)  # rate, momentum, l2
    layers.nesterov_step(weights, velocity, np.array([1.0, -2.0], np.float32), *rule)
    # gradient 1.2 and -2; velocity 0.25 + 1.2 and -2; weights less 0.1 (gradient + velocity / 2)
    assert np.allclose(velocity, [1.45, -2.0]) and np.allclose(weights, [1.0 - 0.1925, 0.3])


def test_the_gradient_of_the_whole_network_by_small_steps():
    """The loss is smooth but where a maximum or a sign changes."""
    rng = np.random.default_rng(0)
    X, y = rng.random((7, 28, 28)), np.array([0, 1, 1, 0, 1, 0, 0])
    weights = initial_weights(0.05, 2, seed=3)
    images = images_for(weights, X)

    def loss(weights):
        scores = activations(weights, images).scores.astype(float)
        return np.logaddexp(0.0, (scores[0] - scores[1]) * (2 * y - 1)).mean()

    found = gradients(weights, activations(weights, images), y)
    for name in Weights._fields:
        direction = rng.normal(size=getattr(weights, name).shape).astype(np.float32)
        step = np.float32(1e-3)
        there, back = (
            loss(weights._replace(**{name: getattr(weights, name) + sign * step * direction}))
            for sign in (1, -1)
        )
        expected = (getattr(found, name) * direction).sum()
        assert np.isclose((there - back) / (2 * float(step)), expected, rtol=0.05, atol=2e-4), name


def test_training_is_that_of_pytorch():
    """The same weights after thirty steps, from PyTorch in double precision."""
    torch = pytest.importorskip("torch")
    nn, rng = torch.nn, np.random.default_rng(0)
    X, y = rng.random((200, 28, 28)).astype(np.float32), rng.integers(0, 2, 200)
    weights = initial_weights(0.05, 2, seed=1)
    (a, _, _, _), (b, _, _, _), (c, _, _, _) = (
        w.shape for w in (weights.first, weights.second, weights.third)
    )
    network = nn.Sequential(
        *(nn.Conv2d(2, a, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(a, b, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(b, c, 7, bias=False), nn.ReLU(), nn.Flatten(), nn.Linear(c, 2)),
    ).double()
    with torch.no_grad():
        for theirs, ours in zip(network.parameters(), weights, strict=True):
            theirs.copy_(torch.as_tensor(ours))
    settings = {"lr": 0.01, "momentum": 0.9, "nesterov": True, "weight_decay": 5e-4}
    optimizer = torch.optim.SGD(network.parameters(), **settings)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda t: (1 + 1e-4 * t) ** -0.75)
    learner = NetworkLearner(X, y, weights)
    images = torch.as_tensor((X.astype(float) - 0.5) * 4)[:, None].expand(-1, 2, -1, -1)
    for _ in range(30):
        at = rng.integers(0, 200, 64)
        scores = network(images[at])
        wrong = scores.argmax(dim=1).numpy() != y[at]
        optimizer.zero_grad()
        nn.functional.cross_entropy(scores, torch.as_tensor(y[at])).backward()
        optimizer.step()
        schedule.step()
        assert np.array_equal(learner.step(at), wrong)
    for theirs, ours in zip(network.parameters(), learner.weights, strict=True):
        assert np.abs(theirs.detach().numpy() - ours).max() <= 2e-6 * np.abs(ours).max()


def test_training_is_the_same_to_the_last_bit_on_every_processor():
    """Compared with the bits of another processor: here they were written down once."""
    rng = np.random.default_rng(0)
    X, y = rng.random((256, 28, 28)).astype(np.float32), rng.integers(0, 2, 256)
    learner = NetworkLearner(X, y, initial_weights(0.05, 1, seed=1))
    for _ in range(20):
        learner.step(rng.integers(0, 256, 64))
    found = hashlib.sha256(b"".join(each.astype("<f4").tobytes() for each in learner.weights)).hexdigest()
    assert found[:16] == "9e55386f7e9acb9b"
