"""The trials of Lemma 1 and Theorem 1: what they compute, and that a wrong statement would fail in them."""

import numpy as np

from paperlib.experiments.feature_deletion import lemma_1_and_theorem_1


def test_equation_3_by_hand():
    X, y = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    # Without deletions 1 - w_1; with one feature deleted the margin asked of it alone is `margin`.
    assert np.isclose(lemma_1_and_theorem_1.equation_3(X, y, 0), 0.0)
    assert np.isclose(lemma_1_and_theorem_1.equation_3(X, y, 0, C=0.5), 0.5)
    assert np.isclose(lemma_1_and_theorem_1.equation_3(X, y, 1), 1.0)


def test_half_a_feature_makes_the_two_programmes_differ():
    by_3, by_4 = lemma_1_and_theorem_1.half_a_feature()
    assert np.isclose(by_3, 1 / 3) and np.isclose(by_4, 1 / 2)


def test_lemma_1_has_cases_in_which_the_relaxation_is_loose():
    cases = lemma_1_and_theorem_1.lemma_1(60, seed=0)
    loose = cases.least - cases.relaxed
    assert (loose > -1e-9).all() and (loose[cases.whole] < 1e-9).all()
    assert (loose[~cases.whole] > 1e-3).any() and (cases.between == 1).any()
    assert np.allclose(cases.relaxed, cases.programme, atol=1e-7)
    assert cases.equals(lemma_1_and_theorem_1.lemma_1(60, seed=0))


def test_theorem_1_has_cases_in_which_the_programmes_differ():
    rows = lemma_1_and_theorem_1.theorem_1(12, seed=0)
    assert (rows.difference > -1e-6).all() and (rows.difference < rows.allowed + 1e-6).all()
    largest = rows.groupby("kind").difference.max()
    assert largest["0 or 1, N whole"] < 1e-6 < 1e-3 < largest["0 or 1, any N"]
    tight = rows[rows.kind == "tight"]
    assert np.allclose(tight.difference, 0.99 * tight.allowed, rtol=1e-5) and len(tight) == 5
