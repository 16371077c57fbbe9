"""Losses against their definitions and derivatives."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperlib.kernel_mean import losses

FINITE = st.floats(-1e6, 1e6)


@given(v=FINITE)
def test_t_logistic_is_minus_log_of_a_probability(v):
    """p(1) + p(-1) = 1 with p = exp_2(y v/2 - G), in fifty digits."""
    with mpmath.workdps(50):
        half = mpmath.mpf(v) / 2
        g = mpmath.sqrt(1 + half**2)
        p = [1 / (1 + g - sign * half) for sign in (1, -1)]
        assert abs(sum(p) - 1) < 1e-40
        expected = [float(-mpmath.log(each)) for each in p]
    assert np.allclose([losses.t_logistic(1, v), losses.t_logistic(-1, v)], expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(
    "loss, slope", [("hinge", losses.hinge_slope), ("t_logistic", losses.t_logistic_slope)]
)
def test_slopes_are_derivatives(loss, slope):
    margins = np.array([-1e4, -30.0, -2.0, -0.5, 0.0, 0.3, 0.999, 1.001, 5.0, 40.0])
    step = 1e-5
    numeric = (getattr(losses, loss)(1, margins + step) - getattr(losses, loss)(1, margins - step)) / (
        2 * step
    )
    assert np.allclose(slope(margins), numeric, atol=1e-6)


@pytest.mark.parametrize("margin", [-1e300, -3.1e16, -1.5e16, -2.1e6, -1.9e6, -3.0, 0.0, 5.0, 1e8])
def test_the_slope_of_large_margins(margin):
    with mpmath.workdps(700):
        root = mpmath.sqrt(1 + (mpmath.mpf(margin) / 2) ** 2)
        exact = float(-0.5 / (root * (1 + root + mpmath.mpf(margin) / 2)))
    assert np.isclose(losses.t_logistic_slope(margin), exact, rtol=1e-14, atol=0.0)


@pytest.mark.parametrize("far", [3.0, 1e160])  # beyond 1e154 squares overflow
def test_loss_and_slope_at_once_are_both_alone(far):
    margins = np.array([-far, -2.1e6, -0.5, 0.0, 1.0, far])
    loss, slope = losses._t_logistic_with_slope(margins)
    np.testing.assert_array_equal(loss, losses.t_logistic(1, margins))
    np.testing.assert_array_equal(slope, losses.t_logistic_slope(margins))


@given(v=FINITE, y=st.sampled_from([-1, 1]))
def test_losses_agree_with_their_definitions(v, y):
    assert losses.zero_one(y, v) == (y * v <= 0)
    assert losses.margin(y, v, 0.5) == (y * v <= 0.5)
    assert losses.hinge(y, v) == max(0, 1 - y * v)
    assert losses.linear(y, v) == 1 - y * v
    assert losses.zero_one(y, v) <= losses.hinge(y, v)
    assert np.isclose(losses.logistic(y, v), -y * v if -y * v > 700 else np.log1p(np.exp(-y * v)))


def test_a_score_that_is_not_a_number_has_no_loss():
    assert np.isnan(losses.zero_one(1, np.nan))
    assert np.isnan(losses.margin(np.array([1, -1]), np.array([np.nan, 0.0]), 0.5)).tolist() == [True, False]


def test_small_integers_do_not_wrap_around():
    assert losses.linear(np.int8(-1), np.array([-128], dtype=np.int8)).tolist() == [-127.0]
    assert losses.logistic(True, np.array([True])) == losses.logistic(1.0, 1.0)


@pytest.mark.filterwarnings("error")
def test_the_largest_numbers_leak_no_warning():
    ends = np.array([1.7e308, -1.7e308, 1e-308])
    for loss in (losses.zero_one, losses.linear, losses.hinge, losses.logistic, losses.t_logistic):
        assert not np.isnan(loss(ends, ends[::-1])).any()
