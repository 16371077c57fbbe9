"""What the exponential search refuses; that it finds the optimum is a test of `optimal_separator`."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d.subsets import subsets


def test_too_many_subsets():
    with pytest.raises(ValueError, match=r"X must have at most 24 rows .* got 25"):
        subsets(np.zeros((25, 2)), np.ones(25, dtype=bool), np.ones(25))
