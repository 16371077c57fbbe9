"""The few largest against a sort of all."""

import numpy as np
import pytest

from paperlib._common.stable_sort import from_largest
from paperlib.feature_deletion._deletion.largest import largest


@pytest.mark.parametrize("n", [0, 1, 5, 17, 40])
def test_the_largest_come_as_in_the_whole_order(n):
    rng = np.random.default_rng(n)
    for keys in (rng.normal(size=n), rng.integers(0, 3, size=n) / 1.0, np.zeros(n), -np.arange(n) / 1.0):
        order = from_largest(keys)
        for count in range(n + 1):
            assert largest(keys, count).tolist() == order[:count].tolist()
