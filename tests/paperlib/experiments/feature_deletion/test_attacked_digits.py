"""Classifiers of a few images, and their worst deletions."""

import numpy as np

from paperlib.experiments.feature_deletion import attacked_digits


def test_the_image_is_lost_by_the_svm_and_pixels_of_ink_go():
    found = attacked_digits.attacked(50.0, data="bundled", seed=0)
    assert found.weights.shape == found.masks.shape == (3, 784)
    errors = found.errors.set_index("learner")
    assert errors.of_image["SVM"] <= 0 and list(errors.index) == ["SVM", "LP", "perceptron"]
    assert (errors.exact >= errors.greedy).all() and errors.exact["LP"] < errors.exact["SVM"]
    assert (found.image[found.masks.any(axis=0)] > 0).all()


def test_the_sparser_the_weights_the_sooner_all_is_lost():
    found = attacked_digits.played([0, 20], [3.0], data="bundled", seed=0)
    assert found.weights.shape == (4, 784) and found.lost.shape == (4, attacked_digits.MOST + 1)
    assert (found.weights[:, 0] == 1).all() and (np.diff(found.weights) <= 0).all()
    assert (np.diff(found.lost) >= 0).all()
    l1, svm, _, prepared = found.lost[:, 20]
    assert l1 > svm > prepared
