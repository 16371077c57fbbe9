"""Rounds to a consistent hypothesis, fits of them, and Lemmas 1 and 2."""

import itertools
import math

import numpy as np
import pytest

from paperlib.experiments.max_loss import samples, theory_lemmas
from paperlib.experiments.max_loss.section_3_1_gap import (
    LEARNERS,
    gap_runs,
    lemma_1_runs,
    lemma_2_runs,
    rounds_to_consistent,
    share_runs,
    slopes,
    two_term_fit,
)


def test_uniform_rounds_to_a_consistent_hypothesis():
    X, y = samples.gap_training_set(0.1, 0.05, random_state=0)
    rounds, mistakes = rounds_to_consistent(X, y, "Perceptron", random_state=1)
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
    rounds, _ = rounds_to_consistent(X, y, "SGD, hinge", rate=0.3, random_state=1)
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
    for learner in LEARNERS:
        assert rounds_to_consistent(X, y, learner, limit=10, random_state=0)[0] == 10


def test_fits_of_rounds_that_are_known():
    runs = gap_runs(list(itertools.product([0.1, 0.05], repeat=2)), 1, ["Perceptron"], seed=0)
    runs["rounds"] = np.round(4.0 / (runs.alpha * runs.eps)).astype(int)
    fit = slopes(runs).iloc[0]
    assert (fit.alpha, fit.eps, fit.constant) == pytest.approx((-1.0, -1.0, 4.0))
    terms = two_term_fit(runs).iloc[0]
    assert (terms.per_eps, terms.per_alpha, terms.per_both) == pytest.approx((0.0, 0.0, 4.0), abs=1e-6)
    runs["rounds"] = 3.0 / runs.eps + 5.0 / runs.alpha
    terms = two_term_fit(runs).iloc[0]
    assert (terms.per_eps, terms.per_alpha, terms.per_both) == pytest.approx((3.0, 5.0, 0.0), abs=1e-6)


def test_focusing_pays_on_the_gap_example():
    runs = gap_runs([(0.01, 0.01)], 5, seed=0)
    rounds = runs.groupby("learner").rounds.median()
    assert rounds["FOL, 10 times eta"] < rounds["FOL"] < rounds["Perceptron"] < rounds["SGD, hinge"]
    perceptrons = runs[runs.learner != "SGD, hinge"]
    assert (perceptrons.mistakes == theory_lemmas.lemma_3_mistakes(0.01)).all()
    assert (runs.mistake_bound == theory_lemmas.lemma_3_mistakes(0.01)).all() and (runs.m == 200).all()


def test_shares_of_uniform_draws():
    runs = share_runs([0.01], [0.1, 0.99], 4, seed=0)
    few, nearly_all = runs.groupby("share").rounds.mean()
    assert len(runs) == 8 and few < nearly_all
    X, y = samples.gap_training_set(0.1, 0.1, random_state=0)
    # With hardly any draw from q it is uniform sampling.
    alike = [
        rounds_to_consistent(X, y, each, share=1 - 1e-12, random_state=3) for each in ("FOL", "Perceptron")
    ]
    assert alike[0] == alike[1]


def test_lemmas_1_and_2():
    found = lemma_1_runs([0.2], 0.99, 4000, n_learned=200, seed=0).iloc[0]
    assert found.m == theory_lemmas.lemma_1_size(0.2, 0.99) and found.trials == 4000
    expected = theory_lemmas.lemma_1_failure(found.m, 0.2)
    assert found.missing / 4000 == pytest.approx(expected, abs=5 * math.sqrt(expected / 4000))
    assert found.missing_four > found.missing
    expected_few = theory_lemmas.lemma_1_failure(5, 0.2)
    assert found.missing_few / 4000 == pytest.approx(expected_few, abs=5 * math.sqrt(expected_few / 4000))
    # FOL's hypothesis can err only where a kind is missing, and need not.
    assert 0 < found.wrong <= 200 * expected + 5 * math.sqrt(200 * expected)
    few = lemma_2_runs([0.05], 0.05, [1.0], 40, seed=0).iloc[0]
    assert few.rounds == int(theory_lemmas.lemma_2_rounds(0.05, 0.05)) and few.runs == 40
    assert few.solved <= 8 and few.allowed == theory_lemmas.lemma_2_failure(few.rounds, 0.05)
