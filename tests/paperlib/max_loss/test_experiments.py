"""The experiments, small, and their samples."""

import math

import numpy as np
import pytest

from paperlib.max_loss import (
    SumTree,
    experiments,
    first_consistent,
    gap_experiments,
    perceptron,
    rare_experiments,
    samples,
    theory,
)
from paperlib.max_loss import slack as slacks
from paperlib.max_loss.comparison import comparison_runs


def test_uniform_rounds_to_a_consistent_hypothesis():
    X, y = samples.gap_training_set(0.1, 0.05, random_state=0)
    rounds, mistakes = gap_experiments.rounds_to_consistent(X, y, "Perceptron", random_state=1)
    w, erred = np.zeros(2), 0
    for t, u in enumerate(np.random.default_rng(1).random(1 << 16), 1):  # noqa: B007
        i = int(u * len(X))
        if y[i] * (X[i] @ w) <= 0:
            w, erred = w + y[i] * X[i], erred + 1
        if (y * (X @ w) > 0).all():
            break
    assert (rounds, mistakes) == (t, erred)


def test_hinge_rounds_to_a_consistent_hypothesis():
    X, y = samples.gap_training_set(0.1, 0.05, random_state=0)
    rounds, _ = gap_experiments.rounds_to_consistent(X, y, "SGD, hinge", rate=0.3, random_state=1)
    w = np.zeros(2)
    for t, u in enumerate(np.random.default_rng(1).random(1 << 16), 1):  # noqa: B007
        i = int(u * len(X))
        if y[i] * (X[i] @ w) < 1:
            w += 0.3 * y[i] * X[i]
        if (y * (X @ w) > 0).all():
            break
    assert rounds == t


def test_the_limit_is_kept():
    X, y = samples.gap_training_set(0.001, 0.01, random_state=0)
    for learner in gap_experiments.LEARNERS:
        assert gap_experiments.rounds_to_consistent(X, y, learner, limit=10, random_state=0)[0] == 10


def test_fits_of_rounds_that_are_known():
    runs = gap_experiments.gap_runs([0.1, 0.05], [0.1, 0.05], 1, ["Perceptron"])
    runs["rounds"] = np.round(4.0 / (runs.alpha * runs.eps)).astype(int)
    fit = gap_experiments.slopes(runs).iloc[0]
    assert (fit.alpha, fit.eps, fit.constant) == pytest.approx((-1.0, -1.0, 4.0))
    assert fit.alpha_stderr < 1e-6
    terms = gap_experiments.two_term_fit(runs).iloc[0]
    assert (terms.per_eps, terms.per_alpha, terms.per_both) == pytest.approx((0.0, 0.0, 4.0), abs=1e-6)
    runs["rounds"] = 3.0 / runs.eps + 5.0 / runs.alpha
    terms = gap_experiments.two_term_fit(runs).iloc[0]
    assert (terms.per_eps, terms.per_alpha, terms.per_both) == pytest.approx((3.0, 5.0, 0.0), abs=1e-6)


def test_focusing_pays_on_the_gap_example():
    runs = gap_experiments.gap_runs([0.01], [0.01], 5)
    rounds = runs.groupby("learner").rounds.median()
    assert rounds["FOL, 10 times eta"] < rounds["FOL"] < rounds["Perceptron"] < rounds["SGD, hinge"]
    assert (runs[runs.learner != "SGD, hinge"].mistakes == theory.lemma_3_mistakes(0.01)).all()


def test_lemmas_1_and_2():
    found = gap_experiments.lemma_1_runs([0.2], lambda eps: 5, 4000)
    expected = theory.lemma_1_failure(5, 0.2)
    assert found.failures[0] == pytest.approx(expected, abs=5 * math.sqrt(expected / 4000))
    assert found.all_four[0] > found.failures[0]
    solved = gap_experiments.lemma_2_runs([0.05], [0.05], [1.0], 40, theory.lemma_2_rounds).solved[0]
    assert solved <= 0.2


def test_mean_losses_of_all_iterates():
    """Theorem 1's quantity, from one look for each iterate, against one for each round."""
    X, y, _ = samples.separable_sample(30, 3, 0.05, random_state=0)
    us = np.random.default_rng(0).random(400)
    w, tree, losses = np.zeros(4), SumTree(30), np.zeros(30)
    first_consistent.focused_losses(us, 1 / 60, 0.5, X, y, 0.0, w, tree.state, losses)
    plain, plain_tree, plain_losses = np.zeros(4), SumTree(30), np.zeros(30)
    for u in us:
        plain_losses += y * (X @ plain[:-1]) <= 0
        rules = (0.0, 0.0, slacks.NO_SLACK, slacks.allocate(30))
        perceptron.binary_rounds(np.array([u]), 1 / 60, 0.5, X, y, 0.0, plain, plain_tree.state, *rules)
    np.testing.assert_array_equal(losses, plain_losses)
    np.testing.assert_array_equal(w, plain)


def test_theorem_1_and_corollaries():
    runs = experiments.theorem_1_runs(100, 4, 0.2, 0.49, 0.05, 3)
    assert (runs.all_iterates <= runs.bound).all() and (runs.drawn_iterates <= 0.49).all()
    assert (runs.mistakes <= runs.mistake_bound).all() and (runs.majority_errors == 0).all()
    convex = experiments.corollary_2_runs(30, 3, 0.3, 0.49, 0.05, 2)
    assert (convex.loss_of_mean <= convex.mean_of_losses).all() and (convex.mean_of_losses <= 0.49).all()


def test_lemmas_4_and_5():
    tails = experiments.lemma_4_runs(30, [0.2, 0.5], 4000)
    assert (tails.frequency <= tails.bound + 3 * tails.stderr).all()
    assert set(tails.martingale) == {"fair", "rare", "adapted"}
    regrets = experiments.lemma_5_runs(5, 100, 0.2, 2)
    assert (regrets.regret <= regrets.bound).all()
    assert (regrets.groupby("kind").regret.max() > 0).all()


def test_errors_of_conjunctions_are_exact():
    found = rare_experiments.conjunctions(5, 3)
    X, y, is_rare = samples.conjunction_sample(200_000, 0.5, 5, 3, random_state=0)
    says = ~((~X).astype(float) @ found.members.T.astype(float) > 0)
    wrong = says != y[:, None]
    np.testing.assert_allclose(wrong[~is_rare].mean(axis=0), found.typical, atol=0.01)
    np.testing.assert_allclose(wrong[is_rare].mean(axis=0), found.rare, atol=0.01)


@pytest.mark.parametrize("n_features, n_relevant", [(3, 2), (9, 4)])
def test_the_worst_consistent_conjunction(n_features, n_relevant):
    rows = rare_experiments.theorem_2_runs(
        [60], 0.3, 0.2, 4, n_features=n_features, n_relevant=n_relevant, random_state=5
    )
    found = rare_experiments.conjunctions(n_features, n_relevant)
    for row in rows.itertuples():
        rng = np.random.default_rng([5, 60, row.run])
        X, y, _ = samples.conjunction_sample(60, 0.3, n_features, n_relevant, random_state=rng)
        errors = np.array([(X[:, members].all(axis=1) != y).mean() for members in found.members])
        assert row.typical_error == found.typical[errors == 0].max()
        assert row.rare_error == found.rare[errors == 0].max()
        assert row.average_rare_error == found.rare[errors <= 0.2].max()


def test_rare_examples_decide():
    runs = rare_experiments.theorem_2_runs([200, 10_000], 0.01, 0.02, 5)
    assert runs[runs.m == 200].failed.all() and not runs[runs.m == 10_000].failed.any()
    assert (runs.average_rare_error > 0.02).all()


def test_theorem_3_against_draws():
    runs = rare_experiments.theorem_3_runs([(50, 1000, 5, 200), (100, 1000, 1, 100)], 20_000)
    assert (abs(runs.bad - runs.exact) < 5 * runs.stderr).all()
    assert (runs.exact <= runs.bound).all() and (runs.as_printed > 0.99).all()


def test_robustness():
    runs = experiments.robustness_runs(500, 5, 0.2, 2, 50_000, 2, n_test=1000)
    errors = runs.groupby("method").test_error.mean()
    assert set(errors.index) == set(experiments.ROBUST)
    assert errors["FOL, slack l1, average"] < 0.02 < errors["FOL"]


def test_comparison():
    runs = comparison_runs(200, 5, 0.3, 1)
    assert runs.solved.all() and runs.method.is_unique
    work = runs.set_index("method").work
    assert work["FOL"] < work["EXP3.P.1"]


def test_samples():
    X, y, normal = samples.separable_sample(1000, 6, 0.3, random_state=0)
    assert (y * (X @ normal)).min() >= 0.3 - 1e-12 and np.linalg.norm(normal) == pytest.approx(1.0)
    X, y = samples.gap_sample(20_000, 0.1, 0.25, random_state=0)
    assert (abs(X[:, 1]) < 1).mean() == pytest.approx(0.25, abs=0.02)
    assert ((y[:, None] * X)[:, 0] == 0.1).all()
    given, flipped = samples.flip_labels(y, 7, random_state=0)
    assert (given != y).sum() == 7 and (given[flipped] == -y[flipped]).all()
    for call, message in (
        (lambda: samples.gap_sample(0, 0.1, 0.1), "m must be"),
        (lambda: samples.gap_points(0.0), "alpha must be"),
        (lambda: samples.gap_training_set(0.1, 0.7), "eps must be"),
        (lambda: samples.flip_labels(y[:3], 4), "n_flipped must be"),
        (lambda: samples.conjunction_sample(5, 1.5), "rare must be"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
