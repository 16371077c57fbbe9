"""The sort of kernels against numpy's stable one."""

import numpy as np
import pytest

from paperlib._common.stable_sort import sort_by


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 17, 100, 1_000])
def test_equal_keys_keep_their_order(n, dtype):
    rng = np.random.default_rng(n)
    for distinct in (1, 2, 10, 10_000):
        keys = rng.integers(0, distinct, 2 * n).astype(dtype)
        order = rng.permutation(2 * n)[:n]
        expected = order[np.argsort(keys[order], kind="stable")]
        sort_by(keys, order)
        assert order.tolist() == expected.tolist()


def test_zeros_of_either_sign_and_infinities():
    keys = np.array([0.0, -0.0, np.inf, -np.inf, 0.0, np.inf, -0.0])
    order = np.arange(7)
    sort_by(keys, order)
    assert order.tolist() == [3, 0, 1, 4, 6, 2, 5]


def test_a_part_of_an_array_is_sorted_in_place():
    order = np.array([3, 2, 1, 0])
    sort_by(np.arange(4.0), order[1:3])
    assert order.tolist() == [3, 1, 2, 0]
