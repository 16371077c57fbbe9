"""The data by name."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import data_sets


@pytest.mark.parametrize("name", ["breast cancer", "MNIST", "digits, 8 x 8"])
def test_labels_are_signs_and_both_classes_are_there(name):
    X, y, kind = data_sets.load(name, "bundled")
    assert set(np.unique(y)) == {-1, 1} and len(X) == len(y)
    assert kind == ("measurements" if name == "breast cancer" else "images")
    assert name == "breast cancer" or X.max() == 255


def test_other_names_are_refused():
    with pytest.raises(ValueError, match="name must be one of"):
        data_sets.load("faces", "bundled")
