"""Structured outputs: the decoder against all outputs, the machine against all pairs."""

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import (
    ChainDecoder,
    MulticlassCoresetSVC,
    MulticlassDecoder,
    StructuredCoresetSVM,
)
from paperlib.coresets._outputs.viterbi import two_best_paths
from paperlib.experiments.coresets.samples import digit_sequences
from tests.paperlib.coresets.helpers import best_margin


@pytest.mark.parametrize("seed", range(30))
def test_viterbi_against_all_paths(seed):
    rng = np.random.default_rng(seed)
    T, L = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    draw = rng.normal if seed % 2 else lambda size: rng.integers(-1, 2, size=size).astype(float)
    emissions, transitions = draw(size=(T, L)), draw(size=(L, L))

    def score(path):
        steps = sum(transitions[a, b] for a, b in itertools.pairwise(path))
        return emissions[np.arange(T), list(path)].sum() + steps

    every = sorted((score(path) for path in itertools.product(range(L), repeat=T)), reverse=True)
    paths, scores = two_best_paths(emissions, transitions)
    assert math.isclose(scores[0], every[0], abs_tol=1e-12)
    assert math.isclose(score(paths[0]), every[0], abs_tol=1e-12)
    if L > 1:
        assert math.isclose(scores[1], every[1], abs_tol=1e-12)
        assert math.isclose(score(paths[1]), every[1], abs_tol=1e-12)
        assert (paths[0] != paths[1]).any()
    else:
        assert scores[1] == -np.inf


@pytest.mark.parametrize("seed", range(10))
def test_the_chain_decoder_is_its_features(seed):
    rng = np.random.default_rng(seed)
    decoder, x = ChainDecoder(3), rng.normal(size=(4, 2))
    w = rng.normal(size=3 * 2 + 9)
    outputs = [np.array(y) for y in itertools.product(range(3), repeat=4)]
    scores = [w @ decoder.features(x, y) for y in outputs]
    assert np.array_equal(decoder.decode(w, x), outputs[np.argmax(scores)])
    for y in (outputs[np.argmax(scores)], outputs[seed]):
        wrong = [s for s, other in zip(scores, outputs) if (other != y).any()]
        found = decoder.argmax(w, x, y)
        assert (found != y).any()
        assert math.isclose(w @ decoder.features(x, found), max(wrong))


def chains(n, seed, L=3):
    rng = np.random.default_rng(seed)
    Y = [rng.integers(L, size=rng.integers(1, 5)) for _ in range(n)]
    return [np.eye(L)[y] + 0.15 * rng.normal(size=(len(y), L)) for y in Y], Y


def all_pairs(decoder, X, Y):
    return np.array(
        [
            decoder.features(x, y) - decoder.features(x, other)
            for x, y in zip(X, Y)
            for other in itertools.product(range(decoder.n_labels), repeat=len(y))
            if (np.array(other) != y).any()
        ]
    )


@pytest.mark.parametrize("selection", ["worst", "first", "mean"])
@pytest.mark.parametrize("seed", range(8))
def test_against_all_pairs(selection, seed):
    X, Y = chains(8, seed)
    decoder = ChainDecoder(3)
    Z = all_pairs(decoder, X, Y)
    best = best_margin(Z)
    eps = (0.2, 0.01)[seed % 2]
    svm = StructuredCoresetSVM(decoder, eps, selection=selection).fit(X, Y)
    assert (1 - eps) * svm.margin_upper_bound_ <= svm.margin_ * (1 + 1e-9)
    assert svm.margin_ <= best * (1 + 1e-9) <= svm.margin_upper_bound_ * (1 + 1e-8)
    assert math.isclose(svm.margin_, (Z @ svm.coef_).min(), rel_tol=1e-9)
    assert svm.score(X, Y) == 1.0
    assert svm.n_decoded_ == len(X) * svm.n_iter_
    assert len(svm.coreset_indices_) == len(svm.coreset_outputs_)


def test_with_one_label_an_example_it_is_the_multiclass_machine():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    X = 3 * np.eye(4)[y] + 0.5 * rng.normal(size=(40, 4))
    svm = StructuredCoresetSVM(MulticlassDecoder(4), 1e-7).fit(X, y)
    clf = MulticlassCoresetSVC(1e-7).fit(X, y)
    assert np.allclose(svm.coef_.reshape(4, 4), clf.coef_, atol=1e-5)
    assert svm.predict(X) == clf.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("selection", ["worst", "first", "mean"])
def test_data_that_cannot_be_separated(selection):
    X, Y = [np.ones((2, 1)), np.ones((2, 1))], [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="no linear classifier"):
        StructuredCoresetSVM(ChainDecoder(2), selection=selection).fit(X, Y)
    with pytest.warns(ConvergenceWarning):
        svm = StructuredCoresetSVM(ChainDecoder(2), selection=selection, on_nonseparable="warn").fit(X, Y)
    assert svm.margin_ <= 0 and svm.margin_upper_bound_ == 0


def test_sequences_of_digits_are_learnt_and_the_order_helps():
    X, Y = digit_sequences(60, 5, noise=0.2, random_state=0)
    T, U = digit_sequences(60, 5, noise=0.2, part="test", random_state=1)
    svm = StructuredCoresetSVM(ChainDecoder(10), 0.3).fit(X, Y)
    alone = MulticlassCoresetSVC(0.3).fit(X.reshape(-1, 65), Y.ravel())
    assert svm.score(X, Y) == 1.0
    right = (np.array(svm.predict(T)) == U).mean()
    first = StructuredCoresetSVM(ChainDecoder(10), 0.3, selection="first").fit(X, Y)
    assert first.n_decoded_ < svm.n_decoded_ and len(svm.coreset_indices_) < len(first.coreset_indices_)
    assert right > (alone.predict(T.reshape(-1, 65)) == U.ravel()).mean() + 0.03


def test_clones_and_parameters():
    svm = StructuredCoresetSVM(MulticlassDecoder(2), 0.2)
    assert clone(svm).get_params()["eps"] == 0.2
    assert svm.set_params(eps=0.3).eps == 0.3


class Half:
    features = argmax = staticmethod(lambda *a: None)


GOOD = [np.ones((2, 1))]
BAD = [
    ({"eps": 0}, GOOD, [[0, 1]], "eps must be"),
    ({"selection": "best"}, GOOD, [[0, 1]], "selection must be one of"),
    ({"max_iter": -1}, GOOD, [[0, 1]], "max_iter must be"),
    ({"decoder": Half()}, GOOD, [[0, 1]], "decoder must have .* without decode"),
    ({}, GOOD, [], "same length, at least 1, got 1 inputs and 0 outputs"),
    ({}, [], [], "same length, at least 1"),
    ({}, GOOD, [[0, 2]], r"integers from 0 to 1, of shape \(2,\) at position 0, got \[0, 2\]"),
    ({}, GOOD, [[0, 1, 1]], "Y must hold integers"),
    ({}, GOOD, [[0.0, 1.0]], "Y must hold integers"),
    ({}, [np.ones(2)], [[0, 1]], r"sequences \(T, d\)"),
    ({}, [np.full((2, 1), np.nan)], [[0, 1]], "with NaN or infinity at position 0"),
    (
        {},
        [np.ones((2, 1)), np.ones((1, 3))],
        [[0, 1], [1]],
        "X must have 1 features throughout, got 3 at position 1",
    ),
]


@pytest.mark.parametrize("parameters, X, Y, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, Y, words):
    with pytest.raises(ValueError, match=words):
        StructuredCoresetSVM(**({"decoder": ChainDecoder(2)} | parameters)).fit(X, Y)


def test_a_sparse_matrix_is_no_sequence_of_inputs():
    with pytest.raises(ValueError, match="got a csr_matrix; MulticlassCoresetSVC takes sparse"):
        StructuredCoresetSVM(MulticlassDecoder(2)).fit(csr_matrix(np.eye(2)), [0, 1])


@pytest.mark.parametrize("make", [ChainDecoder, MulticlassDecoder])
def test_one_label_is_no_choice(make):
    with pytest.raises(ValueError, match="n_labels must be an integer >= 2, got 1"):
        make(1)


def test_features_that_do_not_fit_together_or_cannot_be_squared():
    decoder, Y = ChainDecoder(2), [[0, 1], [1, 0]]
    bad = [
        ([np.ones((2, 2)), np.ones((2, 3))], "X must have 2 features throughout, got 3 at position 1"),
        ([1e160 * np.ones((2, 2)), np.ones((2, 2))], "X is too large in size"),
        ([np.ones((2, 2)), 1e160 * np.ones((2, 2))], "small enough to be squared.*at position 1"),
    ]
    for X, words in bad:
        with pytest.raises(ValueError, match=words):
            StructuredCoresetSVM(decoder).fit(X, Y)
    with pytest.raises(ValueError, match="X is too small in size"):
        StructuredCoresetSVM(MulticlassDecoder(2)).fit(1e-160 * np.eye(2), [0, 1])


class OneOutput:
    """A decoder that knows one output only, and says so in one of two ways."""

    def __init__(self, rival):
        self.rival = rival

    def features(self, x, y):
        return np.asarray(x, dtype=float) * (y + 1)

    def argmax(self, w, x, y):
        return self.rival

    def decode(self, w, x):
        return 0


@pytest.mark.parametrize("rival", [None, 0])
def test_a_decoder_without_a_rival_is_named(rival):
    """And not data that no classifier separates."""
    words = f"decoder.argmax must return an output other than y, got {rival} for y=0 at position 1: an input"
    with pytest.raises(ValueError, match=words):
        StructuredCoresetSVM(OneOutput(rival)).fit([[1.0], [2.0]], [0, 0], sample_weight=[0.0, 1.0])
    model = StructuredCoresetSVM(OneOutput(1)).fit([[-1.0], [-2.0]], [0, 0])
    model.set_params(decoder=OneOutput(rival))
    with pytest.raises(ValueError, match=words.replace("position 1", "position 0")):
        model.decision_function([[1.0]])
