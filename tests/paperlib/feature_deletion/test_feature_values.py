"""The feature values by mutual information."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from paperlib.feature_deletion import mutual_information_values
from tests.paperlib.feature_deletion.helpers import sample


def test_values_are_mutual_information():
    X, y = sample(101, 6)
    values = mutual_information_values(X, y, floor=1e-9)
    expected = np.array([mutual_info_score(x >= np.median(x), y) for x in X.T])
    assert np.allclose(values, 6 * expected / expected.sum(), rtol=1e-10)


def test_of_two_cuts_that_are_as_even_the_one_below_the_median_is_taken():
    for m in range(3, 200, 2):
        X, y = sample(m, 6)
        values = mutual_information_values(X, y, floor=1e-9)
        expected = np.array([mutual_info_score(x >= np.median(x), y) for x in X.T])
        expected = np.maximum(expected, 1e-9 * expected.max())
        assert np.allclose(values, 6 * expected / expected.sum(), rtol=1e-9), m


def test_values_are_floored_and_sum_to_n():
    X, y = sample(200, 5)
    X[:, 0], X[:, 1] = y, 7.0
    values = mutual_information_values(X, y, floor=0.1)
    assert np.isclose(values.sum(), 5)
    assert np.isclose(values[1], 0.1 * values[0])
    assert values.min() == values[1]
    assert mutual_information_values(np.ones((4, 3)), [0, 0, 1, 1]).tolist() == [1, 1, 1]


def test_values_do_not_depend_on_scale_or_names_of_labels():
    X, y = sample(50, 4)
    values = mutual_information_values(X, y)
    assert (values == mutual_information_values(1e-9 * X, np.where(y > 0, "yes", "no"))).all()


@pytest.mark.parametrize("floor", [0, 1.5])
def test_bad_floor(floor):
    with pytest.raises(ValueError, match="floor must be"):
        mutual_information_values(*sample(10, 2), floor=floor)


def test_bad_data_of_the_values():
    X, y = sample(10, 2)
    with pytest.raises(ValueError, match="one class only"):
        mutual_information_values(X, np.ones(10))
    with pytest.raises(ValueError, match="NaN"):
        mutual_information_values(X * np.nan, y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        mutual_information_values(X, y[:5])
