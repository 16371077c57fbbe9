"""Section 3: equalities to rounding, and where they fail."""

import numpy as np
import pytest
from sklearn.svm import SVC

from paperlib.experiments.kernel_mean import theory_mean
from paperlib.kernel_mean import KernelMeanClassifier, losses
from tests.paperlib.kernel_mean.helpers import population


def test_lemma_3_where_no_score_is_zero_and_where_zero_counts_half():
    rng = np.random.default_rng(1)
    for _ in range(300):
        eta, f, p = rng.random(5), rng.uniform(-1, 1, 5), rng.random(5)
        eta[rng.random(5) < 0.3] = 0.5
        regrets = theory_mean.lemma_3(eta, f, p)
        assert -1e-12 <= regrets.left <= regrets.right + 1e-12
        f[rng.random(5) < 0.5] = 0.0
        regrets = theory_mean.lemma_3(eta, f, p, zeros="half")
        assert regrets.left <= regrets.right + 1e-12


def test_lemma_4_no_vector_of_the_ball_has_less_linear_loss():
    K, y, p = population()
    left, right = theory_mean.lemma_4(K, y, p)
    assert np.isclose(left, right, atol=1e-14)
    rng = np.random.default_rng(0)
    for _ in range(500):
        w = rng.normal(size=12) * rng.choice([0.0, 1.0], 12) + 5 * rng.random() * p * y
        length = np.sqrt(w @ K @ w)
        if length > 0:
            assert p @ losses.linear(y, K @ w / length) >= right - 1e-12


def test_the_mean_is_the_svm_of_the_unit_ball():
    """Section 3.1, and a strongly regularised SVC: all its weights are equal, on balanced labels."""
    K, _, _ = population()
    y = np.tile([1, -1], 6)
    rng = np.random.default_rng(0)
    for _ in range(50):
        w = rng.normal(size=12)
        w /= np.sqrt(w @ K @ w) * rng.uniform(1, 3)
        left, right = theory_mean.section_3_1(y, K @ w)
        assert np.isclose(left, right)
    svc = SVC(C=1e-3, kernel="precomputed", tol=1e-8).fit(K, y)
    mean = KernelMeanClassifier("precomputed").fit(K, y)
    scores = svc.decision_function(K) - svc.intercept_
    assert np.allclose(scores / scores[0], mean.decision_function(K) / mean.decision_function(K)[0])


def test_mmd_and_its_witness():
    K, _, _ = population()
    y = np.array([1, 1, 1, -1, -1, -1, -1, -1, 1, 1, -1, -1])
    left, right = theory_mean.section_3_2(K, y)
    assert np.isclose(left, right, atol=1e-14)
    balanced = y / np.where(y > 0, (y > 0).sum(), (y < 0).sum()) / 2
    scores = K @ balanced / right
    assert np.isclose((scores[y > 0].mean() - scores[y < 0].mean()) / 2, left)


def test_kernel_density_estimates_give_the_same_rule_when_normalised_alike():
    rng = np.random.default_rng(7)
    X, T, y = rng.normal(size=(30, 1)), rng.normal(size=(20, 1)), np.repeat([1, -1], [10, 20])
    K = np.exp(-((T - X.T) ** 2) / 2)
    left, right = theory_mean.section_3_3(K, y, np.full(30, np.sqrt(2 * np.pi)))
    assert np.allclose(left * np.sqrt(2 * np.pi), right)


BAD = [
    (lambda: theory_mean.lemma_3([1.5], [0.0]), "eta must be probabilities"),
    (lambda: theory_mean.lemma_3([0.5], [2.0]), r"f must be in \[-1, 1\]"),
    (lambda: theory_mean.lemma_4(np.eye(2), [1, 0]), "labels -1 and \\+1"),
    (lambda: theory_mean.lemma_4(np.eye(3), [1, -1]), "K must be"),
    (lambda: theory_mean.lemma_4(np.zeros((2, 2)), [1, -1]), "mean vector must not be zero"),
    (lambda: theory_mean.section_3_1([1], [2.0]), "within"),
    (lambda: theory_mean.section_3_2(np.eye(2), [1, 1]), "both labels"),
    (lambda: theory_mean.section_3_3([[-1.0]], [1]), "kernel values >= 0"),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
