"""Means with standard errors."""

import numpy as np
import pytest

from paperlib.statistics import mean_and_stderr


def test_mean_and_stderr():
    assert mean_and_stderr([2.0]) == (2.0, None)
    mean, stderr = mean_and_stderr(np.arange(100.0))
    assert mean == 49.5
    assert np.isclose(stderr, np.std(np.arange(100.0), ddof=1) / 10)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="must not be empty"):
        mean_and_stderr([])
