"""Planes against every subset, and the two heuristics on quarters of images."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_plane
from paperlib.experiments.boosting2d import real_pairs, section_4


def test_planes():
    found = section_4.planes(8, seed=0)
    assert found.groupby("against").size().to_dict() == {"subsets": 8, "threes": 8}
    assert found.weight.equals(found.least) and found.is_fat.all()
    cube = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
    assert not section_4._separable(cube, np.array([True, True, False, False]))
    assert section_4._separable(cube[:3], np.array([True, True, False]))


def test_a_wrong_plane_is_seen(monkeypatch):
    right = section_4.optimal_plane
    monkeypatch.setattr(section_4, "optimal_plane", lambda X, y, w: right(X, ~np.asarray(y), w))
    assert (section_4.planes(8, seed=0).query("against == 'threes'").eval("weight > least")).all()


def test_a_fat_plane_is_as_far_from_both_sides():
    X = np.array([[0.0, 0.0, 1.0], [2.0, 1.0, 1.0], [1.0, 3.0, 1.0], [1.0, 1.0, -1.0], [0.0, 2.0, -3.0]])
    positive = np.array([True, True, True, False, False])
    plane = optimal_plane(X, positive)
    assert plane.margin == pytest.approx(1.0)
    assert section_4._is_fat(plane, X, positive)
    assert not section_4._is_fat(plane._replace(offset=plane.offset + 0.1), X, positive)
    turned = plane.normal + np.array([0.2, 0.0, 0.0])
    assert not section_4._is_fat(plane._replace(normal=turned / np.linalg.norm(turned)), X, positive)


def test_the_widest_gap_of_a_cube_in_which_corners_coincide():
    """SciPy's non-negative least squares is off by 3e-4 here."""
    rows = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1], [1, 1, 1], [1, 0, 0]]
    X, positive = np.array(rows, dtype=float), np.array([0, 1, 0, 0, 1, 0, 0], dtype=bool)
    plane = optimal_plane(X, positive)
    assert plane.margin == pytest.approx(1 / 12**0.5, rel=1e-12)
    assert section_4._is_fat(plane, X, positive)
    assert not section_4._is_fat(plane._replace(offset=plane.offset + 1e-6), X, positive)


def test_four_quarters():
    found = section_4.quarter_trials(2, data="bundled", seed=0)
    error = found.groupby("combiner").training.mean()
    assert error["greedy"] <= error["optimal, upper two"]
    spread = found.groupby("combiner").test.std()["greedy"]
    assert real_pairs.means(found).stderr["greedy"] == pytest.approx(spread * np.sqrt(1 / 2 + 179 / 178))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_samples must be"):
        section_4.planes(0, seed=0)
