"""A sparse matrix whose entries stand in several parts is the sum of these."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from paperlib._common.kernels import bind_kernel, summed
from paperlib._common.validation import check_number
from paperlib.kernel_mean import KernelMeanClassifier

WHOLE = np.random.default_rng(0).normal(size=(12, 3))
WHOLE[WHOLE < -0.5] = 0.0


def in_parts():
    """The same rows, each entry in two halves, from right to left."""
    columns = np.tile([2, 2, 1, 1, 0, 0], len(WHOLE))
    halves = np.repeat(WHOLE[:, ::-1] / 2.0, 2, axis=1).ravel()
    return sparse.csr_matrix((halves, columns, np.arange(0, 6 * len(WHOLE) + 1, 6)), shape=WHOLE.shape)


def test_the_matrix_that_a_user_gave_stays_as_it_was():
    given = in_parts()
    np.testing.assert_array_equal(summed(given).toarray(), WHOLE)
    assert given.nnz == 6 * len(WHOLE) and summed(given).nnz == WHOLE.size
    dense = np.asfortranarray(WHOLE)
    assert summed(dense) is dense and summed(sparse.csr_matrix(WHOLE)).nnz < WHOLE.size


@pytest.mark.parametrize("name", ["rbf", "linear"])
@pytest.mark.parametrize("gamma", [0.7, "scale"])
def test_kernel_values_are_those_of_the_sums(name, gamma):
    dense, points = bind_kernel(name, WHOLE, gamma)
    kernel, rows = bind_kernel(name, in_parts(), gamma)
    np.testing.assert_allclose(kernel.matrix(in_parts(), rows), dense.matrix(points, points), atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(rows), dense.diagonal(points), rtol=1e-12)


@pytest.mark.parametrize("name", ["rbf", "linear"])
def test_a_classifier_of_parts_is_that_of_the_sums(name):
    y = np.arange(12) % 2
    whole, parts = (KernelMeanClassifier(name).fit(X, y) for X in (WHOLE, in_parts()))
    np.testing.assert_allclose(
        parts.decision_function(in_parts()), whole.decision_function(WHOLE), atol=1e-12
    )
    assert parts.norm_ == pytest.approx(whole.norm_)


def test_a_small_type_is_compared_with_a_large_bound():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_number(np.float32(0.25), "radius", low=0, high=1e150) == 0.25
        assert check_number(np.int8(3), "m", low=1, high=10**6, integer=True) == 3
