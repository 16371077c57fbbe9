"""The adversary's knapsack against every subset of the features."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from paperlib.feature_deletion._deletion import knapsack
from paperlib.feature_deletion._deletion.knapsack import fractional, subset
from tests.paperlib.feature_deletion.helpers import best_of_all_subsets

few = st.integers(-3, 6).map(float)
real = st.floats(-1e3, 1e3)


@st.composite
def knapsacks(draw):
    n = draw(st.integers(1, 9))
    numbers = draw(st.sampled_from([few, real]))
    profits = draw(st.lists(numbers, min_size=n, max_size=n))
    kind = draw(st.sampled_from(["ones", "few", "real"]))
    if kind == "ones":
        values = [draw(st.sampled_from([1.0, 0.1]))] * n
    else:
        positive = st.integers(0, 4).map(float) if kind == "few" else st.floats(1e-3, 1e3)
        values = draw(st.lists(positive, min_size=n, max_size=n))
    share = draw(st.sampled_from([0.0, 0.2, 0.3, 0.5, 0.9]))
    return np.array(profits), np.array(values), share * sum(values)


@settings(max_examples=400, deadline=None)
@given(knapsacks())
@example((np.array([389.0, 1.0, 1.55e-9]), np.array([1.0, 2.0, 1.0]), 2.7))  # a gain of 4e-12 is one
def test_subset_is_the_best_of_all(problem):
    profits, values, budget = problem
    taken = np.empty(profits.size, dtype=bool)
    total, gap = subset(profits, values, budget, taken)
    assert gap == 0.0
    assert np.isclose(total, best_of_all_subsets(profits, values, budget), rtol=1e-12, atol=1e-12)
    assert np.isclose(total, profits[taken].sum(), rtol=1e-12)
    assert values[taken].sum() <= budget * (1 + 2e-12)
    assert (profits[taken] > 0).all()


def exact_best(profits, values, budget):
    """The most that any subset within the budget is worth, in exact arithmetic."""
    sums = [(Fraction(0), Fraction(0))]
    for profit, value in zip(profits, values):
        if profit > 0:
            profit, value = Fraction(profit), Fraction(value)
            sums += [(p + profit, v + value) for p, v in sums if v + value <= budget]
    return max(p for p, _ in sums)


def degenerate(rng):
    """Few distinct profits and values, profits of all sizes, profits all but proportional to the values."""
    n = int(rng.integers(1, 13))
    values = rng.choice([0.1, 0.3, 0.7, 1.0, 1.1, 2.0, 3.0], n) if rng.integers(2) else rng.uniform(0.1, 3, n)
    noise = rng.normal(size=n)
    profits = [
        lambda: rng.choice([-1.0, 0.1, 0.2, 0.3, 1.0], n),
        lambda: values * rng.choice([1.0, 1.0, 1.03], n),
        lambda: values * (1 + 10.0 ** rng.integers(-16, -9) * noise),
        lambda: 10.0 ** rng.uniform(-14, 3, n) * np.sign(noise),
        lambda: np.full(n, 0.1),
        lambda: values + 0.3,
    ][rng.integers(6)]()
    share = rng.choice([0.05, 0.2, 1 / 3, 0.5, 0.9])
    units = 10.0 ** rng.choice([-150, -20, 0, 0, 0, 20, 150], 2)
    return profits * units[0], values * units[1], share * values.sum() * units[1]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("seed", range(8))
def test_nothing_beats_the_subset_by_more_than_rounding(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        profits, values, budget = degenerate(rng)
        taken = np.empty(profits.size, dtype=bool)
        total, gap = subset(profits, values, budget, taken)
        chosen = sum(map(Fraction, profits[taken]), Fraction(0))
        positive = profits[profits > 0]
        rounding = (5 * positive.size + 4 * knapsack.RENEWED) * Fraction(knapsack.EPS)
        rounding *= sum(map(Fraction, positive), Fraction(0))
        assert gap == 0.0
        assert abs(Fraction(total) - chosen) <= rounding
        assert sum(map(Fraction, values[taken])) <= Fraction(budget) * Fraction(1 + 1.001e-12)
        # Less than what the search allows itself, by the rounding of that.
        assert exact_best(profits, values, Fraction(budget) * Fraction(1 + 0.999e-12)) - chosen <= rounding


def test_profits_whose_sum_is_no_float():
    profits, taken = np.array([5.0, 6.0, 5.5, 6.5]) * 1e307, np.empty(4, dtype=bool)
    assert subset(profits, np.array([1.0, 2.0, 3.0, 4.0]), 4.0, taken) == (11.0 * 1e307, 0.0)
    assert taken.tolist() == [True, True, False, False]


@pytest.mark.parametrize("kind", ["proportional", "nearly proportional", "many equal items", "offset"])
def test_the_hardest_end_or_say_their_gap(kind):
    """The node limit holds for each of them, and the gap is that to the fractional solution."""
    rng = np.random.default_rng(1)
    for n in (60, 300):
        values = rng.uniform(0.01, 3, n)
        if kind == "many equal items":
            values = rng.choice([0.7, 1.1, 1.9], n)
        profits = {
            "proportional": values.copy(),
            "nearly proportional": values * (1 + 1e-13 * rng.normal(size=n)),
            "many equal items": values * np.where(values == 1.1, 1.03, 1.0),
            "offset": values + 0.3,
        }[kind]
        taken, parts, budget = np.empty(n, dtype=bool), np.empty(n), 0.37 * values.sum()
        total, gap = subset(profits, values, budget, taken)
        most = fractional(profits, values, budget * (1 + knapsack.ROUNDING), parts)
        assert total <= most * (1 + 1e-12)
        assert gap == 0.0 or np.isclose(total + gap, most, rtol=1e-12)
        assert gap <= profits.max()


@settings(max_examples=150, deadline=None)
@given(knapsacks())
def test_fractions_are_those_of_the_linear_programme(problem):
    profits, values, budget = problem
    taken = np.empty(profits.size)
    total = fractional(profits, values, budget, taken)
    reference = -linprog(-profits, A_ub=values[None], b_ub=[budget], bounds=(0, 1)).fun
    assert np.isclose(total, reference, rtol=1e-7, atol=1e-7 * (1 + np.abs(profits).max()))
    assert np.isclose(total, profits @ taken, rtol=1e-12)
    assert ((taken >= 0) & (taken <= 1)).all()
    assert values @ taken <= budget + 1e-9 * values.sum()
    assert ((taken > 0) & (taken < 1)).sum() <= 1  # Lemma 1 (c)


@pytest.mark.parametrize("kind", ["uncorrelated", "strongly", "equal density"])
def test_branch_and_bound_at_the_size_of_the_data(kind):
    """Against dynamic programming over integer values."""
    rng = np.random.default_rng(0)
    for n in (60, 150):
        values = rng.integers(1, 50, size=n).astype(float)
        profits = {
            "uncorrelated": rng.uniform(0, 1, n),
            "strongly": values + 5,
            "equal density": values.copy(),
        }[kind]
        budget = np.floor(values.sum() * 0.3)
        table = np.zeros(int(budget) + 1)
        for p, v in zip(profits, values.astype(int)):
            table[v:] = np.maximum(table[v:], table[:-v] + p)
        taken = np.empty(n, dtype=bool)
        assert np.isclose(subset(profits, values, budget, taken)[0], table[-1], rtol=1e-12)


@pytest.mark.parametrize("n", [60, 300])
def test_even_values_and_an_odd_budget(n):
    """All profits per value are equal, and none of 2**n subsets meets the bound."""
    values = 2.0 * np.random.default_rng(n).integers(1, 50, n)
    budget = 2.0 * (values.sum() // 4) + 1.0
    total, gap = knapsack.subset(values.copy(), values, budget, np.empty(n, dtype=bool))
    assert (total, gap) == (budget - 1.0, 0.0)


def test_the_table_is_dynamic_programming():
    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 11):
        for _ in range(30):
            values, profits = rng.integers(1, 9, n).astype(float), rng.integers(1, 9, n) * 0.3
            budget, best = int(rng.integers(0, 20)), np.empty(n, dtype=bool)
            found = knapsack._table(profits, values, budget, best)
            subsets = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
            fitting = subsets[subsets @ values <= budget]
            assert found == pytest.approx((fitting @ profits).max())
            assert profits[best].sum() == pytest.approx(found) and values[best].sum() <= budget
    assert knapsack._common_unit(np.array([0.75, 3.0, 1.5])) == 0.25
