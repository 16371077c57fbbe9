"""Exact minimisers of losses, and the descent that is compared with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.experiments.kernel_mean.risk_minimizers import (
    minimize_hinge,
    minimize_linear,
    minimize_t_logistic,
    subgradient_descent,
)
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, LONG_SERVEDIO_PROBABILITIES
from paperlib.kernel_mean import losses

SIGNED = np.vstack([LONG_SERVEDIO_POINTS, -LONG_SERVEDIO_POINTS])


def risk(loss, w, signed, counts):
    return counts @ loss(1, signed @ w) / counts.sum()


def hinge_twin(signed, counts):
    """The best vertex: in the plane a minimiser lies where two of the lines <w, z> = 1 cross, or at zero."""
    best = risk(losses.hinge, np.zeros(2), signed, counts)
    for i in range(len(signed)):
        for j in range(i):
            pair = signed[[i, j]]
            if abs(np.linalg.det(pair)) > 1e-12:
                best = min(best, risk(losses.hinge, np.linalg.solve(pair, [1, 1]), signed, counts))
    return best


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
        call = (SIGNED, np.ones(6), counts)
        assert risk(losses.hinge, minimize_hinge(*call), SIGNED, counts) <= hinge_twin(SIGNED, counts) + 1e-9
        assert risk(losses.t_logistic, minimize_t_logistic(*call), SIGNED, counts) <= (
            t_logistic_twin(SIGNED, counts) + 1e-9
        )


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_hinge_on_random_points_in_the_plane(data):
    n = data.draw(st.integers(1, 7))
    grid = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0])
    signed = np.array(data.draw(st.lists(st.tuples(grid, grid), min_size=n, max_size=n)))
    counts = np.array(data.draw(st.lists(st.sampled_from([1.0, 2.0, 10.0]), min_size=n, max_size=n)))
    w = minimize_hinge(signed, np.ones(n), counts)
    found, best = risk(losses.hinge, w, signed, counts), hinge_twin(signed, counts)
    # Points on one line leave a minimiser off every crossing, so the twin may be the worse one.
    assert found <= best + 1e-9


def test_hinge_on_one_line_by_a_fine_scan():
    signed, counts = np.array([[1.0, 2.0], [2.0, 4.0], [-0.5, -1.0]]), np.array([3.0, 1.0, 2.0])
    best = min(
        risk(losses.hinge, t * np.array([1.0, 2.0]), signed, counts) for t in np.linspace(-3, 3, 60001)
    )
    assert risk(losses.hinge, minimize_hinge(signed, np.ones(3), counts), signed, counts) <= best + 1e-9


def test_linear_is_the_normalised_mean():
    X, y = np.array([[1.0, 2.0], [0.0, -4.0], [3.0, 0.0]]), np.array([1, -1, 1])
    mean = (y[:, None] * X).mean(axis=0)
    assert np.allclose(minimize_linear(X, y), mean / np.linalg.norm(mean))
    assert minimize_linear([[1.0], [1.0]], [1, -1]).tolist() == [0.0]


@pytest.mark.parametrize("minimize", [minimize_hinge, minimize_linear, minimize_t_logistic])
class TestEveryMinimiser:
    def test_weights_count_like_repetitions(self, minimize):
        rng = np.random.default_rng(4)
        X, y, counts = rng.normal(size=(8, 2)), rng.choice([-1, 1], 8), np.arange(8)
        X[3] = X[5]
        repeated = minimize(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert np.allclose(minimize(X, y, counts), repeated, rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_predictions_do_not_depend_on_the_scale(self, minimize, scale):
        X, y, counts = (
            np.vstack([LONG_SERVEDIO_POINTS] * 2),
            [1, 1, 1, -1, -1, -1],
            [360, 170, 180, 40, 25, 25],
        )
        one, other = X @ minimize(X, y, counts), X @ minimize(scale * X, y, counts)
        assert (np.sign(one) == np.sign(other)).all()

    def test_zeros_and_a_single_point(self, minimize):
        assert np.isfinite(minimize([[0.0, 0.0]], [1])).all()
        assert minimize([[2.0, 0.0]], [-1])[0] < 0

    def test_bad_input_is_named(self, minimize):
        for X, y, counts, words in [
            ([[1.0]], [0], None, "labels -1 and \\+1 only, got 0"),
            ([[1.0], [2.0]], [1], None, "inconsistent numbers of samples"),
            ([[np.nan]], [1], None, "NaN"),
            ([[1.0]], [1], [0], "sample_weight must not be all zero"),
            ([[1.0]], [1], [-1], "sample_weight must be >= 0"),
        ]:
            with pytest.raises(ValueError, match=words):
                minimize(X, y, counts)


def test_descent_follows_the_subgradient_row_by_row():
    rng = np.random.default_rng(0)
    counts, steps = rng.integers(1, 50, size=(4, 6)).astype(float), [0.1, 0.05, 0.2]
    together = subgradient_descent(losses.hinge_slope, SIGNED, counts, steps)
    for row, w in zip(counts, together):
        twin = np.zeros(2)
        for step in steps:
            violated = SIGNED @ twin < 1
            twin = twin + step * (row[violated] @ SIGNED[violated]) / row.sum()
        assert np.allclose(w, twin)


def test_descent_with_small_steps_ends_at_the_exact_minimum():
    X, counts = np.array([[1.0, 0.2], [0.1, 1.0], [-0.5, -0.4]]), np.array([[3.0, 2.0, 1.0]])
    w = subgradient_descent(losses.t_logistic_slope, X, counts, np.full(20_000, 0.5))[0]
    exact = minimize_t_logistic(X, [1, 1, 1], counts[0])
    assert np.isclose(
        risk(losses.t_logistic, w, X, counts[0]), risk(losses.t_logistic, exact, X, counts[0]), atol=1e-6
    )
