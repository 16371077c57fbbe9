"""Exact minimisers of losses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from paperlib.experiments.kernel_mean.risk_minimizers import (
    minimize_hinge,
    minimize_linear,
    minimize_t_logistic,
)
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, LONG_SERVEDIO_PROBABILITIES
from paperlib.kernel_mean import losses

SIGNED = np.vstack([LONG_SERVEDIO_POINTS, -LONG_SERVEDIO_POINTS])


def risk(loss, w, signed, counts):
    return counts @ loss(1, signed @ w) / counts.sum()


def hinge_twin(signed, counts):
    """The least risk, by a linear programme."""
    n = len(signed)
    found = linprog(
        np.concatenate([[0.0, 0.0], counts / counts.sum()]),
        A_ub=-np.hstack([signed, np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * 2 + [(0, None)] * n,
        method="highs",
    )
    return found.fun


def t_logistic_twin(signed, counts):
    """A fine polar grid, in coordinates where the second moments are one."""
    moments = signed.T @ (counts[:, None] * signed) / counts.sum()
    angles = np.linspace(0, 2 * np.pi, 721)
    circle = np.linalg.solve(np.linalg.cholesky(moments).T, [np.cos(angles), np.sin(angles)]).T
    vectors = np.concatenate([radius * circle for radius in np.geomspace(0.01, 1e4, 200)])
    return (losses.t_logistic(1, vectors @ signed.T) @ counts).min() / counts.sum()


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.2, 0.3, 0.4, 0.49])
def test_minimisers_on_the_data_of_table_1(noise):
    rng = np.random.default_rng(0)
    p = LONG_SERVEDIO_PROBABILITIES
    for counts in rng.multinomial(800, np.concatenate([p * (1 - noise), p * noise]), size=10).astype(float):
        hinge, t_logistic = (each(SIGNED, counts[None])[0] for each in (minimize_hinge, minimize_t_logistic))
        assert risk(losses.hinge, hinge, SIGNED, counts) <= hinge_twin(SIGNED, counts) + 1e-9
        assert risk(losses.t_logistic, t_logistic, SIGNED, counts) <= t_logistic_twin(SIGNED, counts) + 1e-9


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_hinge_on_random_points_in_the_plane(data):
    grid = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0])
    others = data.draw(st.lists(st.tuples(grid, grid), max_size=5))
    signed = np.array([(1.0, 0.0), (0.0, 1.0), *others])
    counts = np.array([data.draw(st.sampled_from([0.0, 1.0, 2.0, 10.0])) for _ in signed])
    counts[0] = 1.0
    w = minimize_hinge(signed, counts[None])[0]
    assert risk(losses.hinge, w, signed, counts) <= hinge_twin(signed, counts) + 1e-9


def test_points_on_one_line_have_no_crossings():
    with pytest.raises(ValueError, match="one line through the origin"):
        minimize_hinge(np.array([[1.0, 2.0], [2.0, 4.0], [-0.5, -1.0]]), np.ones((1, 3)))


def test_linear_is_the_normalised_mean():
    X, y = np.array([[1.0, 2.0], [0.0, -4.0], [3.0, 0.0]]), np.array([1, -1, 1])
    mean = (y[:, None] * X).mean(axis=0)
    assert np.allclose(minimize_linear(y[:, None] * X, np.ones((1, 3))), mean / np.linalg.norm(mean))
    assert minimize_linear(np.array([[1.0], [-1.0]]), np.ones((1, 2))).tolist() == [[0.0]]


@pytest.mark.parametrize("minimize", [minimize_hinge, minimize_linear, minimize_t_logistic])
class TestEveryMinimiser:
    def test_rows_are_independent_and_counts_matter_by_their_shares(self, minimize):
        counts = np.random.default_rng(4).integers(1, 50, size=(5, 6)).astype(float)
        together, scaled = minimize(SIGNED, counts), minimize(SIGNED, 7 * counts)
        alone = np.array([minimize(SIGNED, row[None])[0] for row in counts])
        assert np.allclose(together, alone, rtol=1e-5) and np.allclose(together, scaled, rtol=1e-5)

    def test_counts_are_repetitions(self, minimize):
        counts = np.array([[36.0, 17.0, 18.0, 4.0, 2.0, 3.0]])
        repeated = np.vstack([SIGNED, SIGNED[:2]]), np.hstack([counts - [30, 10, 0, 0, 0, 0], [[30, 10]]])
        assert np.allclose(minimize(SIGNED, counts), minimize(*repeated), rtol=1e-5)

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_predictions_do_not_depend_on_the_scale(self, minimize, scale):
        counts = np.array([[360.0, 170.0, 180.0, 40.0, 25.0, 25.0]])
        one, other = SIGNED @ minimize(SIGNED, counts)[0], SIGNED @ minimize(scale * SIGNED, counts)[0]
        assert (np.sign(one) == np.sign(other)).all()

    def test_a_single_example(self, minimize):
        for which in range(6):
            w = minimize(SIGNED, np.eye(6)[[which]])[0]
            assert np.isfinite(w).all() and w @ SIGNED[which] > 0


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_the_least_linear_loss_at_any_scale(scale):
    points, counts = np.array([[3.0, 0.0], [0.0, 4.0]]), np.array([[4.0, 3.0]])
    assert np.allclose(minimize_linear(scale * points, counts), np.sqrt(0.5), rtol=1e-12)
