"""Mirrored-radial coordinates."""

import numpy as np

from paperlib.experiments.boosting2d import figure_1


def test_mirrored_radial():
    X = np.array([[2.0, 0.0], [-3.0, 0.0], [0.0, -1.0], [1.0, 1.0]]) + 5.0
    projection, angle = figure_1.mirrored_radial(X, np.array([5.0, 5.0]))
    np.testing.assert_allclose(angle, np.pi * np.array([0, 0, 0.5, 0.25]))
    np.testing.assert_allclose(projection[:3] - 5.0, [[1, 0], [1, 0], [0, 1]], atol=1e-15)
    orders = figure_1.orders(50, 3, seed=0)
    assert orders.misplaced.tolist() == [0, 0, 0]
    assert orders.points[[0, 2]].tolist() == [49, 49] and orders.points[1] < 49  # on a grid points coincide
