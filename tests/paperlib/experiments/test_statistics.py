import numpy as np
import pytest

from paperlib.experiments.statistics import mean_and_stderr


def test_a_single_value_has_no_standard_error():
    assert mean_and_stderr([2.0]) == (2.0, None)


def test_many_values():
    mean, stderr = mean_and_stderr(np.arange(100.0))
    assert mean == 49.5 and np.isclose(stderr, np.std(np.arange(100), ddof=1) / 10)


def test_there_is_no_mean_of_nothing():
    with pytest.raises(ValueError, match="values must not be empty"):
        mean_and_stderr([])
