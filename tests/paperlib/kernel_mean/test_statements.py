"""Every statement of Sections 3 to 5 on random distributions, and that what is false is noticed."""

import itertools

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from paperlib.experiments.datasets import load
from paperlib.kernel_mean import (
    counterexamples,
    losses,
    order_experiments,
    populations,
    real_problems,
    small_samples,
    statements,
    theory,
)
from paperlib.kernel_mean.order_experiments import LOSSES, ROBUST, SCORES
from paperlib.kernel_mean.t_logistic_regression import TLogisticRegression

LOOSE = {"lemma-4.minimum": 1e-6, "section-3.1": 1e-5, "section-3.1.potentials": 0.01}


@pytest.mark.parametrize("name", statements.EQUALITIES)
def test_equalities_hold(name):
    found = statements.check_all({name: statements.EQUALITIES[name]}, 5, random_state=1)
    assert found.largest[0] <= LOOSE.get(name, 1e-9)


@pytest.mark.parametrize("name", statements.INEQUALITIES)
def test_inequalities_hold(name):
    found = statements.check_all({name: statements.INEQUALITIES[name]}, 100, random_state=1)
    assert found.largest[0] <= 1e-9


@pytest.mark.parametrize("name", ["lemma-4", "section-3.2", "lemma-10", "theorem-18", "section-4.3.4.auc"])
def test_a_false_equality_is_noticed(name, monkeypatch):
    """Move the right side a little: the check must see it."""
    of_theory = {"section-4.3.4.auc": "auc_under_contamination"}.get(
        name, name.replace("-", "_").replace(".", "_")
    )
    true = getattr(theory, of_theory)

    def moved(*args, **kwargs):
        sides = true(*args, **kwargs)
        return sides._replace(right=sides.right + 0.01) if hasattr(sides, "right") else sides + 0.01

    monkeypatch.setattr(theory, of_theory, moved)
    found = statements.check_all({name: statements.EQUALITIES[name]}, 3, random_state=1)
    assert found.largest[0] > 0.005


def test_a_false_inequality_is_noticed(monkeypatch):
    monkeypatch.setattr(theory, "lemma_19", lambda risk, most: risk)
    checks = {"lemma-19.corrected": statements.lemma_19_corrected}
    assert statements.check_all(checks, 200, random_state=1).largest[0] > 1e-3
    true = theory.lemma_3
    monkeypatch.setattr(theory, "lemma_3", lambda eta, f, p, zeros: true(eta, f, p))  # as printed
    checks = {"lemma-3.corrected": statements.lemma_3_corrected}
    assert statements.check_all(checks, 200, random_state=1).largest[0] > 0


def test_the_solver_beats_a_random_search():
    population = populations.random_population(6, np.random.default_rng(0))
    w, value = statements.least_in_ball(lambda u: 1 - u, lambda u: -np.ones_like(u), population)
    assert np.linalg.norm(w) <= 1 + 1e-12
    others = np.random.default_rng(1).normal(size=(500, 6))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    margins = others @ (population.y[:, None] * population.features).T
    assert value <= (1 - margins @ population.p).min()


def test_counterexamples_are_those_that_can_be_worked_out_by_hand():
    value = counterexamples.counterexample_table().set_index("statement").value
    assert value["lemma-3"] == 0.5 and np.isclose(value["corollary-8"], 0.1)
    assert value["lemma-19"] == -2 - (-2 / (1 - 0.5)) and value["theorem-15.condition"] == 2
    assert value["section-3.3"] == 1 and value["section-4.3.3.zero-one"] == 1
    # v^2 is even, so lambda is 0 and the best constant is half way between 0.01 and 9, less the mean's pull.
    residual = SCORES**2 - (SCORES**2).mean()
    assert np.isclose(value["theorem-16"], np.abs(residual).max())


def test_the_order_table_finds_the_robust_losses():
    table = order_experiments.order_table(0.2).set_index("loss")
    for column in ("keeps_order", "equivalent", "constant_sum"):
        assert tuple(table.index[table[column]]) == ROBUST
    at_zero = order_experiments.order_table(0.2, [0.0, 1.0], {"0-1": losses.zero_one})
    assert not at_zero[["keeps_order", "equivalent", "constant_sum"]].to_numpy().any()


@pytest.mark.parametrize("name", LOSSES)
def test_reversals_against_a_double_loop(name):
    loss, noise = LOSSES[name], 0.3
    pairs = [(y, v) for y in (1, -1) for v in SCORES]
    expected = 0
    for (a, u), (b, v) in itertools.product(pairs, pairs):
        first, second = loss(a, u), loss(b, v)
        noisy = [(1 - noise) * loss(s, t) + noise * loss(-s, t) for s, t in ((a, u), (b, v))]
        expected += first < second - 1e-9 and noisy[0] > noisy[1] + 1e-9
    found = order_experiments.reversals(loss, noise)
    assert len(found) == expected
    assert (found.clean < found.clean_other).all() and (found.noisy > found.noisy_other).all()
    assert (order_experiments.order_changes(loss, noise, 2000, random_state=0) == 0) == (name in ROBUST)


def test_no_convex_loss_with_a_constant_sum_bends():
    for scores in ([-1.0, 0.0, 1.0], np.linspace(-3, 3, 31), SCORES):
        assert abs(order_experiments.convex_robust_bend(scores)) < 1e-9
    with pytest.raises(ValueError, match="number of distinct scores"):
        order_experiments.convex_robust_bend([0.0, 1.0, 1.0])


def test_calibration_is_a_matter_of_the_sign():
    right = order_experiments.calibration_errors([-3, -0.01, 0, 0.01], [0.1, 0.49, 0.51, 1.0]).right
    assert right.tolist() == [1, 1, 0, 0]


def diameter(distances, part):
    return max(distances[np.ix_(part == i, part == i)].max() for i in set(part.tolist()))


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_best_partition_against_all_of_them(m):
    rng = np.random.default_rng(m)
    for case in range(8):
        X = rng.integers(3, size=(5, 2)).astype(float) if case % 2 else rng.normal(size=(5, 2))
        distances = np.linalg.norm(X[:, None] - X, axis=-1)
        part, found = small_samples.optimal_partition(distances, m)
        best = min(diameter(distances, np.array(p)) for p in itertools.product(range(m), repeat=5))
        assert found == best == diameter(distances, part) and len(set(part.tolist())) <= m


def test_one_point_and_equal_points_have_no_diameter():
    assert small_samples.optimal_partition(np.zeros((1, 1)), 1)[1] == 0
    assert small_samples.optimal_partition(np.zeros((4, 4)), 2)[1] == 0


def test_statements_about_the_best_partition():
    excess = small_samples.small_sample_excesses(9, random_state=3)
    assert (excess.max() <= 1e-9).all()
    assert (excess["section-6.immune"] == 0).all() and (excess["section-6.signed"] < 0).any()
    gaps = small_samples.theorem_20_gaps(5, np.random.default_rng(0))
    assert np.allclose(gaps.plain, gaps.bound, atol=1e-12) and (gaps.least >= gaps.bound - 1e-12).all()


def test_images_are_averaged_and_chosen():
    digits = load("digits")
    X, y = real_problems.two_digits(digits, (9, 4), 8)
    assert np.array_equal(X, digits.X[np.isin(digits.y, (4, 9))]) and (y == 1).sum() == (digits.y == 9).sum()
    blocks = real_problems.average_pixels(digits.X[:3], 2)
    assert np.allclose(blocks[1, 1], digits.X[1].reshape(8, 8)[:4, 4:].mean())
    with pytest.raises(ValueError, match="two that the data hold, got \\(3, 3\\)"):
        real_problems.two_digits(digits, (3, 3), 8)
    with pytest.raises(ValueError, match="whose width 3 divides"):
        real_problems.average_pixels(digits.X, 3)


@parametrize_with_checks([TLogisticRegression()])
def test_t_logistic_regression_is_an_estimator(estimator, check):
    check(estimator)


def test_t_logistic_regression_stops_where_the_gradient_is_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 5))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "b", "a")
    clf = TLogisticRegression(C=0.5).fit(X, y)
    w = np.append(clf.coef_[0], clf.intercept_)
    Z, signs = np.column_stack([X, np.ones(80)]), np.where(y == "b", 1, -1)

    def risk(w):
        return w[:-1] @ w[:-1] / 2 + 0.5 * losses.t_logistic(signs, Z @ w).sum()

    for step in 1e-3 * np.vstack([np.eye(6), -np.eye(6)]):
        assert risk(w) <= risk(w + step)
    assert (clf.predict(X) == np.where(clf.decision_function(X) > 0, "b", "a")).all()
    for bad in ({"C": 0}, {"max_iter": 0}):
        with pytest.raises(ValueError, match="must be"):
            TLogisticRegression(**bad).fit(X, y)
