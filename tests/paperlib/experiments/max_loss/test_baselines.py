"""The players that the paper compares with, against plain versions of themselves."""

import math

import numpy as np
import pytest

from paperlib.experiments.max_loss import exponential_weights
from paperlib.experiments.max_loss.baselines import adaboost, exp3_p, sublinear_perceptron, uniform_sampling
from paperlib.experiments.max_loss.samples import separable_sample
from paperlib.max_loss import LogisticSGD, Perceptron

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = np.where(X[:, 0] > 0.0, 1, -1)


def data(m=200, d=4, margin=0.3):
    X, y, _ = separable_sample(m, d, margin, random_state=0)
    return X, y


def test_uniform_sampling_is_uniform():
    X, y = data()
    learner = Perceptron(X, y)
    run = uniform_sampling(learner, 200, 10_000, random_state=0)
    assert learner.errors() == 0 and run.tree.n_leaves == 0


@pytest.mark.parametrize("uniform_share", [0.0, 0.5, 1.0])
def test_cumulative_draws(uniform_share):
    rng = np.random.default_rng(0)
    weights, sums = rng.exponential(size=20), np.empty(20)
    expected = uniform_share / 20 + (1 - uniform_share) * weights / weights.sum()
    draws = [exponential_weights.cumulative_draw(weights, sums, u, uniform_share) for u in rng.random(40_000)]
    counts = np.bincount([i for i, _ in draws], minlength=20)
    assert (abs(counts - 40_000 * expected) < 5 * np.sqrt(40_000 * expected)).all()
    np.testing.assert_allclose([p for _, p in draws[:50]], [expected[i] for i, _ in draws[:50]])


def test_exp3_draws_and_updates():
    rng = np.random.default_rng(0)
    logs, weights = rng.normal(size=6), np.empty(6)
    p = 0.8 * np.exp(logs) / np.exp(logs).sum() + 0.2 / 6
    for u in rng.random(50):
        i, p_i = exponential_weights.exp3_draw(logs, weights, u, 0.2)
        assert i == np.searchsorted(np.cumsum(p), u, side="right")
        assert p_i == pytest.approx(p[i])
    before, gain = logs.copy(), np.zeros(6)
    gain[2] = 0.7 / p[2]
    exponential_weights.exp3_update(2, 0.7, p[2], logs, weights, 0.2, 3.0, 64.0)
    expected = before + 0.2 / 18 * (gain + 3.0 / (p * math.sqrt(6 * 64)))
    np.testing.assert_allclose(logs, expected, rtol=1e-12)


def plain_exp3_p(losses, m, max_iter, delta, rng):
    """EXP3.P.1 as Auer and others print it, on weights and not on their logarithms."""
    t, r, seen, q = 0, 0, [], None
    while delta / ((r + 1) * (r + 2)) < m * 2**r * math.exp(-m * 2**r):
        r += 1
    while t < max_iter:
        length, delta_r = 2**r, delta / ((r + 1) * (r + 2))
        share = min(3 / 5, 2 * math.sqrt(3 / 5 * m * math.log(m) / length))
        alpha = 2 * math.sqrt(math.log(m * length / delta_r))
        w = np.full(m, math.exp(alpha * share / 3 * math.sqrt(length / m)))
        for _ in range(min(length, max_iter - t)):
            q = w / w.sum()
            p = (1 - share) * q + share / m
            i = int(np.searchsorted(np.cumsum(p), rng.random(), side="right"))
            estimate = np.zeros(m)
            estimate[i] = losses[i] / p[i]
            w *= np.exp(share / (3 * m) * (estimate + alpha / (p * math.sqrt(m * length))))
            seen.append(i)
            t += 1
        r += 1
    return seen, q


@pytest.mark.parametrize("delta", [0.05, 0.9])
def test_exp3_p_is_the_printed_algorithm(delta):
    losses, seen = np.array([0.1, 0.9, 0.0, 0.5]), []

    class Constant:
        def step(self, i):
            seen.append(i)
            return losses[i]

    run = exp3_p(Constant(), 4, 700, delta=delta, random_state=2)
    expected, q = plain_exp3_p(losses, 4, 700, delta, np.random.default_rng(2))
    assert seen == expected
    np.testing.assert_array_equal(run.losses, losses[expected])
    np.testing.assert_allclose(run.q, q, rtol=1e-10)


def test_exp3_focuses_on_what_loses():
    class Constant:
        def step(self, i):
            return float(i == 1)

    run = exp3_p(Constant(), 3, 20_000, random_state=0)
    assert run.q[1] > 0.8 and run.losses[-5000:].mean() > 0.6
    assert exp3_p(Constant(), 3, 100, callback=lambda t: t == 5).n_iter == 5


def test_adaboost_makes_no_mistake_and_its_votes_are_the_sum():
    X, y = data()
    learner = LogisticSGD(X, y, learning_rate=0.001)
    run = adaboost(learner, lambda w: np.where(X @ w[:-1] > 0, 1.0, -1.0), y, 50, random_state=0)
    votes = np.array([np.where(X @ w[:-1] > 0, 1.0, -1.0) for w in run.iterates])
    np.testing.assert_allclose(run.scores, run.alphas @ votes)
    assert run.errors[-1] == 0.0 == (y * run.scores <= 0).mean()
    assert (run.errors[:-1] > 0).all()


def test_adaboost_weights_are_the_recipe():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    votes = iter(np.array([[1, 1, -1, 1], [1, -1, -1, -1], [1, 1, 1, -1]], dtype=float))

    class Still:
        def step(self, indices):
            return np.zeros(len(indices))

        def snapshot(self):
            return None

    run = adaboost(Still(), lambda _: next(votes), y, 3, random_state=0)
    p, alphas = np.full(4, 0.25), []
    for h in ([1, 1, -1, 1], [1, -1, -1, -1], [1, 1, 1, -1]):
        error = p[np.array(h) != y].sum()
        alphas.append(0.5 * math.log(1 / error - 1))
        p = p * np.exp(-alphas[-1] * y * h)
        p /= p.sum()
    np.testing.assert_allclose(run.alphas, alphas)


def test_a_perfect_epoch_has_a_finite_weight():
    X, y = data()
    learner = LogisticSGD(X, y, learning_rate=1.0)
    run = adaboost(learner, lambda w: y, y, 3, random_state=0)
    assert run.alphas.tolist() == [0.5 * math.log(1e12 - 1)]


def test_the_sublinear_perceptron_finds_a_separator():
    X, y = data()
    run = sublinear_perceptron(X, y, 0.05, target=0.0, random_state=0)
    assert run.margin > 0.0
    assert (y * (X @ run.w) > 0).all()
    assert np.linalg.norm(run.w) <= 1.0 + 1e-9


def test_a_sublinear_round_is_the_algorithm():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 4)), rng.choice([-1.0, 1.0], size=9)
    w, logs, row_sum = np.zeros(4), np.zeros(9), np.zeros(4)
    plain_sum, plain_logs, eta = np.zeros(4), np.zeros(9), 0.3
    for u, v in rng.random((60, 2)):
        exponential_weights.sublinear_round(X, y, w, logs, np.array([u, v, 0.2]), eta, row_sum)
        p = np.exp(plain_logs) / np.exp(plain_logs).sum()
        i = np.searchsorted(np.cumsum(p), u, side="right")
        plain_sum += 0.2 * y[i] * X[i]
        plain_w = plain_sum / max(1.0, np.linalg.norm(plain_sum))
        j = np.searchsorted(np.cumsum(plain_w**2) / (plain_w**2).sum(), v, side="right")
        values = np.clip(y * X[:, j] * (plain_w**2).sum() / plain_w[j], -1 / eta, 1 / eta)
        plain_logs += np.log(1 - eta * values + eta**2 * values**2)
        np.testing.assert_allclose(w, plain_w, rtol=1e-9)
        np.testing.assert_allclose(logs, plain_logs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: sublinear_perceptron(X, Y, 0.0), "eps must be"),
        (lambda: sublinear_perceptron(X, Y, 1.0), "eps must be"),
        (lambda: sublinear_perceptron(X, Y, math.nan), "eps must be"),
        (lambda: adaboost(Perceptron(X, Y), None, Y, 0), "n_epochs must be"),
        (lambda: exp3_p(Perceptron(X, Y), 1, 5), "m must be an integer >= 2"),
        (lambda: exp3_p(Perceptron(X, Y), 5, 5, delta=0.0), "delta must be"),
        (lambda: adaboost(LogisticSGD(X, Y), None, Y > 0, 3), "y must hold the labels -1 and"),
        (lambda: adaboost(LogisticSGD(X, Y), None, [], 3), "y must have one label or more"),
        (lambda: adaboost(LogisticSGD(X, Y), lambda w: X[:, 0] * np.nan, Y, 3), "must be finite"),
        (lambda: adaboost(LogisticSGD(X, Y), lambda w: Y * 2, Y, 3), r"must lie in \[-1, 1\]"),
        (lambda: sublinear_perceptron(X * np.nan, Y, 0.1), "X must be finite"),
        (lambda: sublinear_perceptron(X * 0.0, Y, 0.1), "X must have a row that is not zero"),
        (lambda: sublinear_perceptron(X, Y > 0, 0.1), "y must hold the labels -1 and"),
        (lambda: sublinear_perceptron(X, Y[:3], 0.1), r"X must have shape \(m, d\) and y"),
        (lambda: sublinear_perceptron(X, Y, 0.1, target=np.nan), "target must be a finite number"),
    ],
)
def test_nonsense_is_one_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_the_sublinear_perceptron_is_free_of_scale(factor):
    plain = sublinear_perceptron(X, Y, 0.1, max_iter=50, random_state=0)
    scaled = sublinear_perceptron(X * factor, Y, 0.1, max_iter=50, random_state=0)
    np.testing.assert_allclose(scaled.w, plain.w, rtol=1e-9)


@pytest.mark.parametrize("bad", [np.nan, None])
def test_losses_that_cannot_be(bad):
    class Returns:
        def step(self, i):
            return bad

    with pytest.raises(ValueError, match=r"step\(\d\) must return a loss in \[0, 1\], got"):
        exp3_p(Returns(), 4, 5, random_state=0)
