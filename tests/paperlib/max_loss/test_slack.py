"""Projections against a general solver, and one step against the textbook."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from paperlib.max_loss._rounds import slack


def plain_threshold(v, budget, cap):
    """The slow twin: a root of the sum, by bisection."""

    def excess(theta):
        return np.minimum(cap, np.maximum(0.0, v - theta)).sum() - budget

    return 0.0 if excess(0.0) <= 0.0 else brentq(excess, 0.0, v.max(), xtol=1e-15, rtol=1e-14)


def plain_projection(v, budget, cap):
    return np.minimum(cap, np.maximum(0.0, v - plain_threshold(v, budget, cap)))


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.one_of(st.floats(-2.0, 3.0), st.sampled_from([0.0, 0.5, 1.0, 1.5])), min_size=1, max_size=30),
    st.one_of(st.floats(0.0, 20.0), st.sampled_from([0.0, 1.0, 2.0])),
    st.sampled_from([1.0, 0.3, np.inf]),
)
def test_the_threshold_is_the_root(v, budget, cap):
    v = np.array(v)
    theta = slack.threshold(v, budget, cap)
    found = np.minimum(cap, np.maximum(0.0, v - theta))
    np.testing.assert_allclose(found, plain_projection(v, budget, cap), atol=1e-11)
    assert found.sum() <= budget + 1e-12 * max(1.0, budget) * len(v)


@pytest.mark.parametrize("n", [1, 20_000])
@pytest.mark.parametrize("cap", [1.0, np.inf])
def test_large_and_equal_entries(n, cap):
    rng = np.random.default_rng(n)
    for v in (rng.normal(size=n) * 3.0, np.full(n, 0.7), np.repeat([0.2, 2.0], (n + 1) // 2)):
        for budget in (0.1, 0.3 * n):
            theta = slack.threshold(v, budget, cap)
            np.testing.assert_allclose(theta, plain_threshold(v, budget, cap), atol=1e-9)


@pytest.mark.parametrize("budget", [0.5, 3.0, 100.0])
def test_steps_with_the_l1_ball(budget):
    m, rng = 12, np.random.default_rng(0)
    state = slack.allocate(m, 0.3, budget, slack.L1)
    plain = np.zeros(m)
    for i in rng.integers(m, size=400):
        slack.raise_l1(i, state)
        plain[i] += 0.3
        plain = plain_projection(plain, budget, 1.0)
        np.testing.assert_allclose(state.xi, plain, atol=1e-9)
        assert state.scales[1] == pytest.approx(state.xi.sum())
        assert sorted(state.support[: state.counts[0]]) == np.flatnonzero(state.xi).tolist()


@pytest.mark.parametrize("budget", [1e-6, 3.0, 100.0])
def test_steps_with_the_l2_ball(budget):
    m, rng = 12, np.random.default_rng(0)
    state = slack.allocate(m, 0.3, budget, slack.L2)
    plain = np.zeros(m)
    for i in rng.integers(m, size=5000):  # long enough for the factor to underflow, if it could
        slack.raise_l2(i, state)
        plain[i] = min(1.0, plain[i] + 0.3)
        plain *= min(1.0, np.sqrt(budget / (plain @ plain)))
    np.testing.assert_allclose(slack.values(state), plain, rtol=1e-9, atol=1e-12)


def test_no_budget_is_no_slack():
    for norm in (slack.L1, slack.L2):
        state = slack.allocate(4, 0.5, 0.0, norm)
        slack.raise_slack(1, state)
        assert not state.xi.any()
