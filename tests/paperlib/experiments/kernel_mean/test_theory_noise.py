"""Section 4: equalities to rounding, and what robust losses have that others lack."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from paperlib.experiments.kernel_mean import theory_noise
from paperlib.experiments.kernel_mean.section_4_3_orders import order_violation
from paperlib.kernel_mean import losses, noise, theory
from tests.paperlib.kernel_mean.helpers import population

SCORES = np.array([-2.0, -0.7, -0.1, 0.4, 1.0, 3.0])  # none of them zero
ROBUST = {"linear": losses.linear, "zero_one": losses.zero_one, "probe": lambda y, v: np.tanh(-y * v)}
FRAGILE = {"hinge": losses.hinge, "logistic": losses.logistic, "t_logistic": losses.t_logistic}


def test_theorem_7_and_the_margin_for_error():
    rng = np.random.default_rng(3)
    for _ in range(300):
        y, f = rng.choice([-1, 1], 8), np.round(rng.normal(size=8), 1)
        other = f + rng.choice([0.1, 0.5]) * rng.uniform(-1, 1, 8)
        left, right = theory_noise.theorem_7(y, f, other)
        assert left <= right
        gamma = theory.margin_for_error(y, f)
        if np.abs(other - f).max() < gamma < np.inf:
            assert left <= losses.zero_one(y, f).mean()
            assert losses.margin(y, f, 0.999 * gamma).mean() == losses.zero_one(y, f).mean()
            assert losses.margin(y, f, gamma).mean() > losses.zero_one(y, f).mean()


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.3, 0.49])
def test_lemma_10_and_proposition_11(sigma):
    K, y, p = population()
    assert len(set(theory_noise.lemma_10(K, y, sigma, p))) == 1
    eta = np.concatenate([np.random.default_rng(0).random(200), [0.0, 0.5, 1.0, np.nextafter(0.5, 1)]])
    clean, noisy = theory_noise.proposition_11(eta[:-1], sigma)
    assert (clean == noisy).all() and clean[-2] == 0


def test_misclassification_loss_is_not_robust_at_zero():
    """[[y v <= 0]] costs 1 at zero whatever the label, so zero and a wrong label change places."""
    assert np.ptp(theory_noise.theorem_15(losses.zero_one, [0.0, 1.0])) == 1.0
    found = order_violation(losses.zero_one, [0.0, 1.0], 0.2)
    assert found is not None


def test_theorem_15_needs_a_difference_at_some_score_only():
    assert losses.linear(1, 0.0) == losses.linear(-1, 0.0)  # excluded by the statement as printed
    assert order_violation(losses.linear, [0.0, 1.0, -2.0], 0.3) is None
    # Without any difference a loss is robust with no constant sum.
    assert order_violation(lambda y, v: v**2 + 0 * y, SCORES, 0.3) is None
    assert np.ptp(theory_noise.theorem_15(lambda y, v: v**2 + 0 * y, SCORES)) > 1


@pytest.mark.parametrize("negative, positive", [(0.1, 0.4), (0.3, 0.3), (0.0, 0.7)])
def test_corrected_losses_are_unbiased_and_theorem_17(negative, positive):
    y, v = np.repeat([1, -1], 6), np.tile(SCORES, 2)
    flip = np.where(y > 0, positive, negative)
    for loss in (*ROBUST.values(), *FRAGILE.values()):
        corrected = noise.corrected_loss(loss, negative, positive)
        assert np.allclose((1 - flip) * corrected(y, v) + flip * corrected(-y, v), loss(y, v), atol=1e-12)

    def tilted(y, v):  # sigma_+ l(-1, v) + sigma_- l(1, v) = 1
        return np.where(y > 0, positive * v, 1 / max(positive, 0.1) - negative * v) * 1.0

    left, right = theory_noise.theorem_17(tilted, SCORES, negative, positive)
    assert np.allclose(left, right, atol=1e-12)
    if negative != positive:
        with pytest.raises(ValueError, match="constant in v"):
            theory_noise.theorem_17(losses.linear, SCORES, negative, positive)


@pytest.mark.parametrize("alpha, beta", [(0.0, 0.0), (0.2, 0.5), (0.6, 0.1)])
def test_theorem_18_and_the_area_under_the_curve(alpha, beta):
    rng = np.random.default_rng(0)
    positive, negative = rng.choice(SCORES, 9), rng.choice(SCORES, 7)
    for loss in ROBUST.values():
        left, right = theory_noise.theorem_18(loss, positive, negative, alpha, beta)
        assert np.isclose(left, right, atol=1e-12)
    if alpha + beta:
        left, right = theory_noise.theorem_18(losses.hinge, positive, negative, alpha, beta)
        assert abs(left - right) > 0.01
    both = np.concatenate([positive, negative])
    shares = [np.repeat([own / 9, (1 - own) / 7], [9, 7]) for own in (1 - alpha, beta)]
    found = theory_noise.area_under_curve(both, both, *shares)
    clean = theory_noise.area_under_curve(positive, negative)
    assert np.isclose(found, theory_noise.auc_under_contamination(clean, alpha, beta))


def test_contamination_moves_the_mean_by_its_share():
    rng = np.random.default_rng(0)
    X, y, p, q = rng.normal(size=(9, 3)), rng.choice([-1, 1], 9), rng.random(9), rng.random(9)
    mean = [X.T @ (w / w.sum() * y) for w in (p, q)]
    mixed = X.T @ (theory_noise.contaminate(p, q, 0.3) * y)
    assert np.allclose(mixed, 0.7 * mean[0] + 0.3 * mean[1])
    assert np.isclose(np.linalg.norm(mixed - mean[0]), 0.3 * np.linalg.norm(mean[0] - mean[1]))


def test_balanced_error_and_area_against_scikit_learn():
    rng = np.random.default_rng(0)
    y, scores = np.repeat([1, -1], [30, 50]), np.round(rng.normal(size=80), 1) + 0.05
    found = theory_noise.balanced_error(losses.zero_one, scores[:30], scores[30:])
    assert np.isclose(found, 1 - balanced_accuracy_score(y, np.sign(scores)))
    assert np.isclose(theory_noise.area_under_curve(scores[:30], scores[30:]), roc_auc_score(y, scores))


BAD = [
    (lambda: theory_noise.theorem_7([1], [0.1, 0.2], [0.1]), "one score for each label"),
    (lambda: theory_noise.theorem_14(losses.linear, [], 0.1), "scores must be"),
    (
        lambda: theory_noise.theorem_17(losses.linear, [1.0], 0.5, 0.5),
        "noise_negative \\+ noise_positive must be < 1",
    ),
    (lambda: theory_noise.theorem_18(losses.linear, [1.0], [1.0], 0.5, 0.5), "alpha \\+ beta must be < 1"),
    (lambda: theory_noise.contaminate([1.0], [1.0, 2.0], 0.1), "one shape"),
    (lambda: theory_noise.balanced_error(losses.hinge, [], [1.0]), "positive_scores must be"),
]


@pytest.mark.parametrize("call, words", BAD)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_contamination_against_all_pairs_of_labels():
    negative, positive, share = 0.2, 0.35, 0.3
    joint = np.array(
        [[share * (1 - positive), share * positive], [(1 - share) * negative, (1 - share) * (1 - negative)]]
    )
    alpha, beta, noisy = theory_noise.contamination_of_rates(negative, positive, share)
    assert np.isclose(noisy, joint[:, 0].sum())
    assert np.allclose([alpha, beta], [joint[1, 0] / noisy, joint[0, 1] / (1 - noisy)])
    assert np.allclose(theory_noise.rates_of_contamination(alpha, beta, noisy), [negative, positive])
