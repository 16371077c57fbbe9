"""Lemma 22: chunk by chunk is as good as all at once."""

from functools import partial
from types import SimpleNamespace

import dask.array as da
import numpy as np
import pytest

from paperlib._common.kernels import bind_kernel
from paperlib.experiments.kernel_mean.samples import checkerboard
from paperlib.kernel_mean import sparsify
from paperlib.kernel_mean._sparsify.approximations import approximate
from tests.paperlib.kernel_mean import helpers
from tests.paperlib.kernel_mean.helpers import error_of

clustered = partial(helpers.clustered, gamma=5.0)


@pytest.fixture
def board():
    X, y, cluster = checkerboard(600, random_state=0)
    return X, y / 600, cluster


def chunked(X, *lengths):
    return da.from_array(X, chunks=(lengths or 150, -1))


@pytest.mark.parametrize("second_round", [False, True])
def test_error_and_scores_are_those_in_memory(board, second_round):
    X, weights, _ = board
    sparse = clustered(chunked(X), weights, 16, second_round=second_round)
    kernel, _ = bind_kernel("rbf", X, 5.0)
    assert np.isclose(sparse.error, error_of(kernel.matrix(X, X), weights, sparse), atol=1e-9)
    assert np.allclose(sparse.decision_function(X), kernel.matrix(X, X[sparse.support]) @ sparse.weights)
    assert np.isclose(np.abs(sparse.weights).sum(), 1.0)
    assert (np.diff(sparse.support) > 0).all()


def test_the_first_round_is_the_sum_of_the_chunks_own_approximations(board):
    X, weights, _ = board
    sparse = clustered(chunked(X), weights, 16, second_round=False, random_state=3)
    kernel, _ = bind_kernel("rbf", X, 5.0)
    expected = np.zeros(600)
    errors, shares, widths = [], [], []
    for i, stream in enumerate(np.random.default_rng(3).spawn(4)):
        rows = slice(150 * i, 150 * (i + 1))
        support, kept, width = approximate(kernel, X[rows], weights[rows], m=16, rng=stream)
        widths.append(width)
        expected[150 * i + support] = kept
        shares.append(np.abs(weights[rows]).sum())
        found = SimpleNamespace(support=support, weights=kept)
        errors.append(error_of(kernel.matrix(X[rows], X[rows]), weights[rows], found) / shares[-1])
    found = np.zeros(600)
    found[sparse.support] = sparse.weights
    assert np.allclose(found, expected, atol=1e-15)
    assert sparse.diameter == max(widths) > min(widths)
    # The lemma itself: no worse than the worst chunk, indeed than their mean.
    assert sparse.error <= np.dot(shares, errors) + 1e-12 <= max(errors) + 1e-12


def test_the_papers_example_of_a_denser_sum():
    """S = {1, 1, 0, 0} in two chunks {0, 1}: four points where two would do; the second round finds them."""
    X = np.array([[1.0], [0.0], [1.0], [0.0]])
    weights = np.full(4, 0.25)
    dense = sparsify(
        chunked(X, 2, 2),
        weights,
        2,
        kernel="linear",
        second_round=False,
        random_state=0,
        method="farthest_first",
    )
    assert len(dense.support) == 4 and dense.error < 1e-12
    sparse = sparsify(chunked(X, 2, 2), weights, 2, kernel="linear", random_state=0, method="farthest_first")
    assert len(sparse.support) == 2 and sparse.error < 1e-12


def test_the_second_round_bounds_the_number_of_points(board):
    X, weights, _ = board
    dense = clustered(chunked(X), weights, 16, second_round=False)
    sparse = clustered(chunked(X), weights, 16)
    assert len(sparse.support) <= 32 < len(dense.support) <= 128
    y = np.sign(weights)
    assert (y * sparse.decision_function(X) > 0).all()


def test_tol_is_kept_through_both_rounds(board):
    X, weights, _ = board
    for seed in range(5):
        sparse = clustered(chunked(X), weights, tol=1.0, random_state=seed)
        assert sparse.error <= 1.0


def test_chunks_without_weight_and_of_no_rows_are_left_out(board):
    X, weights, _ = board
    weights = np.where(np.arange(600) < 200, 0, weights)
    sparse = clustered(chunked(X, 150, 0, 450), weights, 5)
    assert (sparse.support >= 200).all()
    assert np.isclose(np.abs(sparse.weights).sum(), np.abs(weights).sum())


def test_chunks_smaller_than_m(board):
    X, weights, _ = board
    tiny = chunked(X, 3, 3, 594)
    assert clustered(tiny, weights, 20).error < 0.3
    assert sparsify(tiny, weights, 20, gamma=5.0, method="random", random_state=0).error < 0.6


@pytest.mark.slow
def test_on_a_cluster_of_processes_the_result_is_the_same(board):
    from distributed import Client

    X, weights, _ = board
    here = clustered(chunked(X), weights, 8, random_state=1)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"):
        there = clustered(chunked(X), weights, 8, random_state=1)
        assert np.isclose(there.error, here.error)
    assert (here.support == there.support).all() and (here.weights == there.weights).all()


def test_bad_input_is_named(board):
    X, weights, _ = board
    broken = X.copy()
    broken[200, 0] = np.nan
    with pytest.raises(
        ValueError, match="X must be finite, got NaN or infinity in the chunk that starts at row 150"
    ):
        sparsify(chunked(broken), weights, 4, method="farthest_first")
    with pytest.raises(ValueError, match="kernel must be one of"):
        sparsify(chunked(X), weights, 4, kernel="precomputed", method="farthest_first")
    with pytest.raises(ValueError, match=r"weights must have shape \(600,\)"):
        sparsify(chunked(X), weights[:5], 4, method="farthest_first")
    with pytest.raises(ValueError, match="two dimensions"):
        sparsify(da.ones(600, chunks=100), weights, 4, method="farthest_first")
