"""The variance of weighted rows: that of repeated ones, in every form of data."""

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from paperlib._common import chunks
from paperlib._common.weighted_variance import weighted_variance


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1e-300, 1e300]), st.sampled_from([0.0, 1e8]))
def test_whole_weights_are_repeated_rows_in_every_form(seed, unit, centre):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 30), rng.integers(1, 4)
    X = centre + rng.normal(size=(n, d)) * rng.integers(0, 2, size=(n, d))
    weights = rng.integers(0, 4, size=n)
    weights[rng.integers(n)] = 1
    wanted = np.repeat(X, weights, axis=0).var()
    for form in (X, np.asfortranarray(X), sparse.csr_array(X), da.from_array(X, chunks=(7, 1))):
        assert np.isclose(weighted_variance(form, unit * weights), wanted, rtol=1e-12, atol=1e-14 * centre)


def test_chunks_and_integers(monkeypatch):
    rng = np.random.default_rng(0)
    X, weights = rng.integers(0, 255, size=(100, 3), dtype=np.uint8), rng.random(100)
    whole = weighted_variance(X, weights)
    monkeypatch.setattr(chunks, "ROWS", 7)
    assert np.isclose(weighted_variance(X, weights), whole, rtol=1e-14)
    assert np.isclose(whole, np.average((X - np.average(X.mean(1), weights=weights)) ** 2, 0, weights).mean())


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_equal_entries_do_not_vary_and_rows_of_weight_zero_are_not_looked_at(form):
    X = np.full((7, 3), 0.1)
    weights = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0])
    assert weighted_variance(form(X), weights) == 0.0
    X[6] = 1e200, np.inf, np.nan
    assert weighted_variance(form(X), weights) == 0.0
    assert weighted_variance(form(np.zeros((7, 3))), weights) == 0.0


def test_squares_beyond_the_floats():
    assert weighted_variance([[1e200], [-1e200]] * np.ones((2, 2)), [1, 2]) == np.inf
