"""Every statement of Sections 3 and 4 on random distributions, and that what is false is noticed."""

import numpy as np
import pytest
from scipy.optimize import linprog

from paperlib.experiments.kernel_mean import (
    counterexamples,
    populations,
    sections_3_and_4,
    statements,
    statements_of_losses,
    theory_mean,
    theory_noise,
)
from paperlib.experiments.kernel_mean.checks import check_cases
from paperlib.experiments.kernel_mean.section_4_3_orders import LOSSES, SCORES
from paperlib.experiments.statistics import mean_and_stderr
from paperlib.kernel_mean import losses, theory


def tried(check, n_cases, seed=1):
    return check_cases(check, n_cases, np.random.default_rng(seed))


LOOSE = {"lemma-4.minimum": 1e-6, "section-3.1": 1e-5}
EXPECTED = {"section-3.1.potentials.corrected": 1.0}


@pytest.mark.parametrize("name", sections_3_and_4.EQUALITIES)
def test_equalities_hold(name):
    assert tried(sections_3_and_4.EQUALITIES[name], 5).max() <= LOOSE.get(name, 1e-9)


@pytest.mark.parametrize("name", sections_3_and_4.AVERAGES)
def test_averages_are_what_they_should_be(name):
    mean, stderr = mean_and_stderr(tried(sections_3_and_4.AVERAGES[name], 30))
    assert abs(mean - EXPECTED.get(name, 0.0)) < 5 * stderr < 0.02


@pytest.mark.parametrize("name", sections_3_and_4.INEQUALITIES)
def test_inequalities_hold(name):
    assert tried(sections_3_and_4.INEQUALITIES[name], 100).max() <= 1e-9


@pytest.mark.parametrize("name", ["lemma-4", "section-3.2", "lemma-10", "theorem-18.corrected"])
def test_a_false_equality_is_noticed(name, monkeypatch):
    """Move the right side a little: the check must see it."""
    of_theory = name.removesuffix(".corrected").replace("-", "_").replace(".", "_")
    module = theory_mean if hasattr(theory_mean, of_theory) else theory_noise
    true = getattr(module, of_theory)

    def moved(*args, **kwargs):
        sides = true(*args, **kwargs)
        return sides._replace(right=sides.right + 0.01)

    monkeypatch.setattr(module, of_theory, moved)
    assert tried(sections_3_and_4.EQUALITIES[name], 3).max() > 0.005


def test_a_false_inequality_is_noticed(monkeypatch):
    monkeypatch.setattr(theory, "lemma_19", lambda risk, most: risk)
    assert tried(sections_3_and_4.INEQUALITIES["lemma-19.corrected"], 200).max() > 1e-3
    true = theory_mean.lemma_3
    monkeypatch.setattr(theory_mean, "lemma_3", lambda eta, f, p, zeros: true(eta, f, p))  # as printed
    assert tried(sections_3_and_4.INEQUALITIES["lemma-3"], 200).max() > 0


@pytest.mark.parametrize(
    "row, module, name, false",
    [
        (
            "section-3.2.variational",
            theory_mean,
            "variational_divergence",
            lambda p, q: 0.25 * abs(p - q).sum(),
        ),
        ("section-4.2.immune", theory, "corollary_8", lambda margin: min(1.5 * margin / 2.0, 1.0)),
    ],
)
def test_a_false_limit_is_noticed(row, module, name, false, monkeypatch):
    monkeypatch.setattr(module, name, false)
    assert tried(sections_3_and_4.INEQUALITIES[row], 100).max() > 1e-3


@pytest.mark.parametrize("name", ["linear", "hinge", "logistic"])
def test_noise_of_equal_rates_leaves_the_linear_loss_alone_in_order(name):
    assert theory_noise.same_order(LOSSES[name], SCORES, 0.2, 0.2) == (name == "linear")
    assert not theory_noise.same_order(LOSSES[name], SCORES, 0.2, 0.25)


def test_potentials_come_near_in_proportion_to_the_radius():
    population = populations.random_population(6, np.random.default_rng(0))
    near = sections_3_and_4.potential_distances(population, [0.01, 0.001])
    assert np.allclose(near[0] / near[1], 10, rtol=0.1) and (near > 1e-5).all()
    # Against a search over the circle of radius r, with two examples.
    uneven = populations.Population(np.eye(2), np.ones(2), np.array([0.75, 0.25]))
    angles = np.linspace(0, np.pi / 2, 100_001)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    losses = np.exp(-0.1 * circle) @ uneven.p
    apart = np.linalg.norm(circle[losses.argmin()] - np.array([3, 1]) / np.sqrt(10))
    assert np.isclose(sections_3_and_4.potential_distances(uneven, [0.1])[0, 1], apart, atol=1e-4)


def test_no_loss_survives_two_noises_of_unequal_rates(monkeypatch):
    name = "section-4.3.4.conditional"
    check, true = sections_3_and_4.EQUALITIES[name], theory_noise.same_order
    monkeypatch.setattr(theory_noise, "same_order", lambda loss, v, n, p: true(loss, v, n, n))
    assert tried(check, 3).max() == 1


def test_the_solver_beats_a_random_search():
    population = populations.random_population(6, np.random.default_rng(0))
    w, value = sections_3_and_4.least_in_ball(lambda u: 1 - u, lambda u: -np.ones_like(u), population)
    assert np.linalg.norm(w) <= 1 + 1e-12
    others = np.random.default_rng(1).normal(size=(500, 6))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    margins = others @ (population.y[:, None] * population.features).T
    assert value <= (1 - margins @ population.p).min()


def test_counterexamples_are_those_that_can_be_worked_out_by_hand():
    value = counterexamples.counterexample_table().set_index("statement").value
    assert np.isclose(value["section-2.zero, Lemma 3"], 0.01) and np.isclose(value["corollary-8"], 0.1)
    assert value["section-2.zero, Theorem 15"] == 2 and value["section-2.zero, Theorem 16"] == 0.5
    assert value["section-2.zero, Section 4.3.3"] == 1 and value["section-3.3"] == 1
    assert 0.05 < value["section-3.1.potentials"] < 0.2 and len(value) == 14
    assert value["theorem-16"] == 2 and value["theorem-18"] == 0.25 and value["lemma-19"] == 1
    assert value["section-4.3.long-servedio"] == 0.5 and value["section-2.zero, Definition 1"] == 0.5
    assert value["consistency"] == 0.1 and np.isclose(value["lemma-19.zero"], 0.05)


@pytest.mark.parametrize("sigma", [0.01, 0.2, 0.49])
@pytest.mark.parametrize("far, bend, risk", [(300.0, 1200.0, 0.0), (30.0, 120.0, 0.0), (3e6, 3.0, 0.5)])
def test_two_hinges_against_a_linear_programme(sigma, far, bend, risk):
    """The least score of each point among all minimisers; a far point beyond the bend breaks them, too."""
    points, p = np.array([[1.0, -1.0], [1.0, 3.0], [far, 0.0]]), np.array([0.5, 0.25, 0.25])
    bends = (1.0, 1.0), (bend, sigma / (1.0 - 2.0 * sigma))
    terms = [
        (end, sign * points[i], p[i] * share * size)
        for i in range(3)
        for sign, share in ((1, 1.0 - sigma), (-1, sigma))
        for end, size in bends
    ]
    # Unknowns: w, and what is above zero of each term's bend less its margin.
    A = np.hstack([[-x for _, x, _ in terms], -np.eye(len(terms))])
    b, cost = [-end for end, _, _ in terms], np.array([0.0, 0.0, *(weight for _, _, weight in terms)])
    bounds = [(None, None)] * 2 + [(0.0, None)] * len(terms)
    least = linprog(cost, A, b, bounds=bounds).fun
    A, b, right = np.vstack([A, cost]), [*b, least * (1.0 + 1e-10)], []
    for x in points:
        right.append(linprog([*x, *np.zeros(len(terms))], A, b, bounds=bounds).fun > 1e-3)
    assert p @ np.logical_not(right) == counterexamples.worst_of_two_hinges(points, bend, sigma) == risk


@pytest.mark.parametrize(
    "name, module, old, new",
    [
        ("definition-1", statements_of_losses, "random_potential", lambda rng: (np.exp, None)),
        ("section-4.3.2.rich", statements_of_losses, "random_potential", lambda rng: (np.exp, None)),
        ("section-4.3.4.rates", theory_noise, "rates_of_contamination", lambda a, b, noisy: (a, b)),
        ("section-5.5.4", losses, "linear", lambda y, v: np.maximum(0.0, 1.0 - y * v)),
    ],
)
def test_false_statements_on_losses_are_noticed(name, module, old, new, monkeypatch):
    assert tried(statements.CHECKS[name], 20).max() == 0
    monkeypatch.setattr(module, old, new)
    assert tried(statements.CHECKS[name], 20).max() > 0


def test_the_ball_is_as_far_from_labels_as_the_largest_margin_says():
    """Against a search among members of the ball."""
    rng = np.random.default_rng(0)
    y = np.array([1.0, 1.0, -1.0])
    features = populations.gaussian_features(rng.normal(size=(3, 2)), 0.5)
    w = rng.normal(size=(20_000, 3))
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    assert np.abs(y - w @ features.T).max(axis=1).min() > 0.2
    assert tried(statements.CHECKS["section-3.4.dense"], 30).max() < 0


@pytest.mark.slow
def test_the_last_bits_of_the_data_do_not_change_the_exponent_that_is_recorded():
    """Another processor computes exponentials and inner products with other last bits."""
    check = sections_3_and_4.AVERAGES["section-3.1.potentials.corrected"]
    for seed in range(100):
        population = populations.random_population(8, np.random.default_rng(seed))
        shifted = population._replace(features=np.nextafter(population.features, np.inf))
        exponents = [check.measure(each, np.random.default_rng(0)) for each in (population, shifted)]
        assert abs(exponents[0] - exponents[1]) < 0.1 * check.resolution


def test_the_table_of_statements_has_a_row_for_every_case_and_words_for_each():
    cases = statements.statement_cases(2, seed=3)
    assert (cases.groupby("statement", sort=False).size() == 2).all()
    words = statements.in_words(cases)
    assert list(words.statement) == list(statements.CHECKS) and (words.cases == 2).all()
    assert words.says[0] == statements.CHECKS["lemma-4"].says
    alone = statements.cases_of("lemma-10", 2, seed=3)
    assert alone.equals(cases[cases.statement == "lemma-10"].reset_index(drop=True))
