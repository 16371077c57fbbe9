"""Lemma 1 against every subset of the features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.experiments.feature_deletion import theory_lemma_1
from tests.paperlib.feature_deletion.helpers import equation_6


@st.composite
def examples(draw, zero_one=False):
    n = draw(st.integers(1, 7))
    numbers = st.one_of(st.integers(-2, 2).map(float), st.floats(-1, 1))
    w, x = (np.array(draw(st.lists(numbers, min_size=n, max_size=n))) for _ in range(2))
    one = st.sampled_from([0.0, 1.0]) if zero_one else st.one_of(st.integers(0, 3), st.floats(0.1, 3))
    values = np.array(draw(st.lists(one, min_size=n, max_size=n)), dtype=float)
    values[0] = 1.0
    if zero_one:
        budget = draw(st.integers(0, int(values.sum()) - 1))
    else:
        budget = draw(st.floats(0, 0.95)) * values.sum()
    return w, draw(st.floats(-1, 1)), x, draw(st.sampled_from([-1, 1])), budget, values


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(examples(), st.floats(0.01, 3))
def test_lemma_1_a_and_c(example, margin):
    w, b, x, y, budget, values = example
    inner = theory_lemma_1.lemma_1(w, b, x, y, budget, margin, values)
    assert np.isclose(inner.integer, equation_6(w, b, x, y, budget, margin, values), atol=1e-9)
    assert inner.relaxed <= inner.integer + 1e-9
    P = values.sum() - budget
    assert np.isclose(inner.relaxed, y * b + inner.kept @ (y * w * x - margin * values / P), atol=1e-9)
    assert inner.kept @ values >= P - 1e-9
    assert ((inner.kept > 0) & (inner.kept < 1)).sum() <= 1


@settings(max_examples=200, deadline=None)
@given(examples(zero_one=True), st.floats(0.01, 3))
def test_lemma_1_b(example, margin):
    w, b, x, y, budget, values = example
    inner = theory_lemma_1.lemma_1(w, b, x, y, budget, margin, values)
    assert np.isclose(inner.relaxed, inner.integer, atol=1e-9)


def test_lemma_1_b_needs_an_integer_budget():
    inner = theory_lemma_1.lemma_1([1.0, 1.0], 0.0, [1.0, 1.0], 1, 0.5, 0.1)
    assert inner.relaxed < inner.integer - 0.1


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: theory_lemma_1.lemma_1([1.0], 0.0, [1.0, 2.0], 1, 1), r"w must have shape \(2,\)"),
        (lambda: theory_lemma_1.lemma_1(np.ones(4), 0.0, np.ones(4), 0, 1), "y must hold the labels -1 and"),
        (lambda: theory_lemma_1.lemma_1(np.ones(4), "a", np.ones(4), 1, 1), "b must be a finite number"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
