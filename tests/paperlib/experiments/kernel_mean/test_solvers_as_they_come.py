"""Named solvers against the exact minimisers, where they converge."""

import numpy as np
import pytest

from paperlib.experiments.kernel_mean.figure_3_and_table_1 import SIGNED_POINTS, wrong_points
from paperlib.experiments.kernel_mean.risk_minimizers import minimize_hinge, minimize_t_logistic
from paperlib.experiments.kernel_mean.solvers_as_they_come import descend, liblinear
from paperlib.kernel_mean.losses import hinge, t_logistic

POINTS = np.array([[1.0, 0.2], [0.1, 1.0], [-0.5, -0.4]])


def risks(loss, points, counts, w):
    return (counts * loss(1.0, w @ points.T)).sum(axis=1) / counts.sum(axis=1)


@pytest.mark.parametrize("method", ["L-BFGS-B", "BFGS", "CG", "TNC"])
def test_descent_ends_at_the_exact_minimum_where_there_is_but_one(method):
    counts = np.array([[3.0, 2.0, 1.0], [5.0, 5.0, 4.0]])
    found, exact = descend(POINTS, counts, method=method, penalty=1e-16), minimize_t_logistic(POINTS, counts)
    assert np.allclose(*(risks(t_logistic, POINTS, counts, w) for w in (found, exact)), atol=1e-6)


def test_liblinear_converges_with_a_penalty():
    counts = np.array([[30, 20, 10], [50, 50, 45]])
    found, exact = liblinear(POINTS, counts, penalty=1e-4, random_state=0), minimize_hinge(POINTS, counts)
    lost = risks(hinge, POINTS, counts, found) - risks(hinge, POINTS, counts, exact)
    assert (lost > -1e-9).all() and (lost < 0.02).all()


def test_without_a_penalty_it_stands_where_chance_leaves_it():
    counts = np.tile([320, 160, 160, 80, 40, 40], (12, 1))
    wrong = wrong_points(liblinear(SIGNED_POINTS, counts, penalty=1e-16, random_state=0))
    assert len(np.unique(wrong, axis=0)) > 1
    again = wrong_points(liblinear(SIGNED_POINTS, counts, penalty=1e-16, random_state=0))
    assert np.array_equal(wrong, again)


def test_a_sample_with_one_label_is_separated():
    counts = np.array([[4, 2, 2, 0, 0, 0], [1, 1, 0, 0, 0, 0]])
    w = liblinear(SIGNED_POINTS, counts, penalty=1e-16, random_state=0)
    assert not wrong_points(w)[0].any() and not wrong_points(w)[1, :2].any()


def test_descent_can_be_stopped_and_penalised():
    counts = np.array([[3.0, 2.0, 1.0]])
    ends = [descend(POINTS, counts, method="BFGS", penalty=0.0, max_iter=k) for k in (1, 100)]
    early, late = (risks(t_logistic, POINTS, counts, w) for w in ends)
    assert late < early
    short = descend(POINTS, counts, method="BFGS", penalty=100.0)
    assert np.linalg.norm(short) < 0.1 * np.linalg.norm(ends[1])
