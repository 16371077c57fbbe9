"""Every statement against runs, and where the printed one fails, its counterexample."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

from paperlib.experiments.feature_deletion.lemma_1_and_theorem_1 import equation_3
from paperlib.experiments.feature_deletion.losses import relaxed_losses
from paperlib.feature_deletion import (
    FeatureDeletionLP,
    FeatureDeletionPerceptron,
    theory,
    worst_case_deletion,
)
from tests.paperlib.feature_deletion.helpers import equation_6


def test_theorem_1_bounds_the_difference():
    rng = np.random.default_rng(0)
    seen = 0.0
    for _ in range(40):
        n = rng.integers(2, 6)
        X, y = rng.uniform(-1, 1, size=(12, n)), np.tile([-1.0, 1.0], 6)
        values = rng.uniform(0.2, 2, n) if rng.uniform() < 0.7 else np.ones(n)
        budget, C = rng.uniform(0, 0.9) * values.sum(), rng.choice([0.5, 2.0])
        if rng.uniform() < 0.2:
            values, budget = np.ones(n), 1.0
        lp = FeatureDeletionLP(budget, C=C, feature_values=values, tol=1e-8).fit(X, y)
        difference = lp.objective_ - equation_3(X, y, budget, 1.0, C, values)
        bound = theory.theorem_1(budget, 1.0, C, values)
        assert -1e-7 <= difference <= bound + 1e-7
        seen = max(seen, difference)
    assert seen > 0.01


@pytest.mark.parametrize("eps", [0.1, 0.001])
def test_theorem_1_is_tight_and_needs_an_integer_budget(eps):
    n, margin = 3, 1.0
    P = n - 1 + eps
    C = margin * (0.5 + 0.5 * n) / P
    X, y = np.array([[1.0, 0, 0], [-1.0, 0, 0]]), np.array([1.0, -1.0])
    lp = FeatureDeletionLP(1 - eps, margin=margin, C=C, tol=1e-9).fit(X, y)
    difference = lp.objective_ - equation_3(X, y, 1 - eps, margin, C)
    bound = theory.theorem_1(1 - eps, margin, C, n_features=n)
    assert np.isclose(difference, (1 - eps) * bound, atol=1e-6)
    assert theory.theorem_1(1, margin, C, n_features=n) == 0


def test_theorem_2_inverts_the_divergence():
    for p, m in ((0.0, 100), (0.1, 1000), (0.45, 50), (1.0, 100)):
        found = theory.theorem_2(p, m, 2, 1.0, 0.5, 0.1, [1.0, 2.0, 3.0])
        rate = found.beta / (m - 1)
        if 0 < p < 1:
            reference = brentq(lambda q, p=p, rate=rate: theory.divergence(p, q) - rate, p, 1 - 1e-12)
            assert np.isclose(found.bound, reference, atol=1e-9)
        if p == 0:
            assert np.isclose(found.bound, 1 - math.exp(-rate))
        assert p <= found.bound <= 1
        assert found.bound <= found.weaker + 1e-12
    # 4 P C / (margin v_j) is 8, 4 and 8/3 here, below 1 for a large margin.
    assert np.isclose(found.beta, math.log(1000) + math.log(8 * 4 * 8 / 3))
    assert theory.theorem_2(0.1, 100, 2, 1e3, 0.5, 0.1, [1.0, 2.0, 3.0]).beta == math.log(1000)


def test_margin_loss_is_equation_10():
    rng = np.random.default_rng(2)
    X, w, values = rng.uniform(-1, 1, (50, 5)), rng.uniform(-1, 1, 5), rng.uniform(0.2, 1, 5)
    y = np.where(X @ w > 0, 1, -1)
    for margin in (0.0, 0.1, 0.5):
        losses = theory.margin_loss(w, X, y, 0.8, margin, values)
        slow = [equation_6(w, 0.0, x, s, 0.8, margin, values) <= 0 for x, s in zip(X, y)]
        assert (losses == slow).all()
    assert losses.mean() > 0


def chance_of_falling(n_deleted, margin):
    """Probability that the sum of as many coins of -1 and 1 is below -margin, exactly."""
    heads = np.arange(n_deleted + 1)
    return binom.pmf(heads, n_deleted, 0.5)[2 * heads - n_deleted < -margin].sum()


@pytest.mark.parametrize("n_deleted", [1, 5, 100, 1000])
@pytest.mark.parametrize("eps", [0.3, 0.01, 1e-4])
def test_theorem_3_with_the_right_constant(n_deleted, eps):
    assert chance_of_falling(n_deleted, theory.theorem_3(n_deleted, eps)) <= eps


def test_theorem_3_as_printed_fails():
    margin = theory.theorem_3(100, 0.01, printed=True)
    assert chance_of_falling(100, margin) > 0.06
    rng = np.random.default_rng(0)
    sums = rng.choice([-1.0, 1.0], size=(20_000, 100)).sum(axis=1)
    assert np.isclose(
        (sums < -margin).mean(), chance_of_falling(100, margin), atol=4 * np.sqrt(0.06 / 20_000)
    )
    # So for the whole statement: 100 features of 1,000 replaced, and an example that just has the margin.
    assert margin < theory.theorem_3(100, 0.01)


def test_theorem_4_and_corollary_1():
    """Corollary 1's excess is not below the sum it is derived from, and a run keeps both."""
    rng = np.random.default_rng(3)
    for n, m, delta, C in (
        (1, 1, 0.9, 1.0),
        (5, 200, 0.05, 2.0),
        (50, 1000, 1e-6, 0.1),
        (2, 10**6, 0.5, 3.0),
    ):
        N = 0.3 * n
        phi = n / (n - N)
        L = phi + 2 * C
        derived = theory.theorem_4(n, m, C) + L * math.sqrt(2 * math.log(2 / delta) / m)
        assert derived <= theory.corollary_1(n, m, delta, N, 1.0, C)
    y = rng.choice([-1.0, 1.0], 3000)
    X = np.clip(y[:, None] * 0.2 + 0.1 * rng.normal(size=(3000, 4)), -0.25, 0.25)
    clf = FeatureDeletionPerceptron(1, margin=0.1, shuffle=False).fit(X[:1000], y[:1000])
    best = FeatureDeletionLP(1, margin=0.1).fit(X[:1000], y[:1000])
    assert clf.mean_loss_ <= best.objective_ + theory.theorem_4(4, 1000)
    # The expected loss of the average on fresh examples, and its mistakes, which it bounds from above.
    losses = relaxed_losses(clf.coef_[0], clf.intercept_[0], X[1000:], y[1000:], 1, 0.1)
    margins, _ = worst_case_deletion(clf.coef_[0], clf.intercept_[0], X[1000:], y[1000:], 1)
    assert 0.1 * np.mean(margins <= 0) <= losses.mean()
    assert losses.mean() <= best.objective_ + theory.corollary_1(4, 1000, 0.05, 1, 0.1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: theory.theorem_1(1.0), "give feature_values or n_features"),
        (lambda: theory.theorem_1(4, n_features=4), "n_deleted must be below 4"),
        (lambda: theory.theorem_1(1, margin=0, n_features=4), "margin must be a finite number > 0"),
        (lambda: theory.theorem_2(1.1, 10, 1, 1, 1, 0.1, [1, 1]), "mean_loss must be"),
        (lambda: theory.theorem_2(0.1, 1, 1, 1, 1, 0.1, [1, 1]), "m must be an integer >= 2"),
        (lambda: theory.theorem_2(0.1, 10, 1, 1, 1, 1.0, [1, 1]), "delta must be"),
        (lambda: theory.theorem_2(0.1, 10, 1, 1, 1, 0.1, [1, 1, 0]), "feature_values must be positive"),
        (lambda: theory.theorem_3(0, 0.1), "n_deleted must be an integer >= 1"),
        (lambda: theory.theorem_3(1, 0.0), "eps must be"),
        (lambda: theory.theorem_4(0, 1), "n must be an integer >= 1"),
        (lambda: theory.corollary_1(3, 10, 2.0, 1), "delta must be"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words):
        call()
