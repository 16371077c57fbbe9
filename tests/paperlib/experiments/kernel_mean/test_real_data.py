"""Problems out of the real data, and errors under label noise."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from paperlib.experiments.datasets import load
from paperlib.experiments.kernel_mean import real_data
from paperlib.kernel_mean import KernelMeanClassifier


def test_images_are_averaged_and_chosen():
    digits = load("digits")
    X, y = real_data.two_digits(digits, (9, 4), 8)
    assert np.array_equal(X, digits.X[np.isin(digits.y, (4, 9))]) and (y == 1).sum() == (digits.y == 9).sum()
    blocks = real_data.average_pixels(digits.X[:3], 2)
    assert np.allclose(blocks[1, 1], digits.X[1].reshape(8, 8)[:4, 4:].mean())
    with pytest.raises(ValueError, match="two that the data hold, got \\(3, 3\\)"):
        real_data.two_digits(digits, (3, 3), 8)
    with pytest.raises(ValueError, match="whose width 3 divides"):
        real_data.average_pixels(digits.X, 3)


def test_noise_curves_share_splits_and_score_clean_labels():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.array([-1, 1, 1] * 30)
    tried = {"a": DummyClassifier(strategy="constant", constant=1), "b": KernelMeanClassifier("linear")}

    def curves():
        return real_data.curves_of(X, y, tried, [0.0, 0.4], 3, np.random.default_rng(0), max_train=30)

    found = curves()
    assert len(found) == 12 and found.equals(curves())
    assert np.allclose(found.zero_one[found.classifier == "a"], 1 / 3)


def test_no_splits_are_refused():
    with pytest.raises(ValueError, match="n_splits must be"):
        real_data.curves_of(np.eye(2), np.ones(2), {}, [0.1], 0, np.random.default_rng(0))


def test_every_problem_has_two_labels():
    for name, (X, y) in real_data.problems("bundled").items():
        assert set(np.unique(y)) == {-1, 1} and len(X) == len(y), name
