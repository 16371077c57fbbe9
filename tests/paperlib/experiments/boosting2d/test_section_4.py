"""Planes against every subset, and the two heuristics on quarters of images."""

import numpy as np
import pytest

from paperlib.experiments import datasets
from paperlib.experiments.boosting2d import section_4


def test_planes():
    assert section_4.planes_against_every_subset(8, random_state=0) == (8, 0)
    assert section_4.planes_against_every_three(3, random_state=0) == (3, 0)
    cube = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
    assert not section_4._separable(cube, np.array([True, True, False, False]))
    assert section_4._separable(cube[:3], np.array([True, True, False]))


def test_four_quarters():
    digits = datasets.load("digits")
    rows = np.isin(digits.y, (3, 8))
    y = np.where(digits.y[rows] == 8, 1, -1)
    found = section_4.quarter_trials(digits.X[rows], y, n_splits=2, random_state=0)
    error = found.groupby("combiner").training.mean()
    assert error["greedy"] <= error["optimal, upper two"]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_samples must be"):
        section_4.planes_against_every_subset(0)
