"""Every combiner gives a line in the plane of scores."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d.baselines import COMBINERS, as_line


def test_a_constant_is_a_line_at_infinity():
    normal, offset = as_line(lambda scores: np.full(len(scores), -2.0))
    assert offset == -np.inf
    assert (np.ones((3, 2)) @ normal + offset < 0).all()


def test_every_combiner_is_a_line():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, -1, 1)
    for name, combiner in COMBINERS.items():
        combined = combiner(scores, y)
        a, b = rng.normal(size=(2, 5, 2))
        np.testing.assert_allclose(combined((a + b) / 2), (combined(a) + combined(b)) / 2, err_msg=name)
        normal, offset = as_line(combined)
        assert np.hypot(*normal) == pytest.approx(1.0)
        both = np.column_stack([combined(a), a @ normal + offset])
        assert np.linalg.matrix_rank(both, tol=1e-9) == 1, name
        np.testing.assert_array_equal(*np.sign(both.T), err_msg=name)


def test_every_combiner_takes_classes_that_do_not_vary():
    scores, y = np.repeat([[-0.5, -0.25], [0.5, 0.75]], 3, axis=0), np.repeat([-1, 1], 3)
    for name, combiner in COMBINERS.items():
        assert (np.sign(combiner(scores, y)(scores)) == y).all(), name
    assert COMBINERS["LDA"](scores, y)(scores.mean(axis=0)) == 0
