"""The meta-algorithm, its learners, and the loop in one kernel against the loop in Python."""

import math
import sys

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from paperlib.experiments.max_loss.samples import flip_labels, gap_training_set, separable_sample
from paperlib.max_loss import (
    FOLClassifier,
    LogisticSGD,
    PartialFitLearner,
    PassiveAggressive,
    Perceptron,
    Reservoir,
    SumTree,
    average,
    focused_online_learning,
    majority,
)
from paperlib.max_loss._rounds import slack as slacks
from paperlib.max_loss._rounds.play import Sample, play


class Constant:
    """A learner that learns nothing and loses what it is told to."""

    def __init__(self, losses):
        self.losses, self.seen = np.asarray(losses, dtype=float), []

    def step(self, i):
        self.seen.append(i)
        return self.losses[i]


def test_one_round_is_the_pseudo_code():
    losses, eta = np.array([0.0, 0.25, 1.0]), 0.3
    learner = Constant(losses)
    run = focused_online_learning(learner, 3, 200, eta=eta, uniform_share=0.4, random_state=3)
    rng, logs = np.random.default_rng(3), np.zeros(3)
    for t in range(200):
        u = rng.random()
        q = np.exp(logs - logs.max())
        q /= q.sum()
        i = learner.seen[t]
        assert u >= 0.4 or i == int(u / 0.4 * 3)
        assert run.losses[t] == losses[i]
        logs[i] += eta * losses[i] / (0.4 / 3 + 0.6 * q[i])
    np.testing.assert_allclose(
        run.tree.probabilities(), np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    )
    assert learner.seen.count(2) > 120


@pytest.mark.parametrize("copied", [True, False])
def test_a_snapshot_is_of_the_iterate_that_the_round_is_about(copied):
    class Counts:
        steps = 0

        def step(self, i):
            self.steps += 1
            return 1.0

    class Tells(Counts):
        def snapshot(self):
            return self.steps

    run = focused_online_learning(Counts() if copied else Tells(), 3, 50, n_voters=9, random_state=0)
    steps = [each.steps for each in run.iterates] if copied else run.iterates
    assert steps == (run.times - 1).tolist() and len(set(steps)) > 3  # before the step of its round


def test_a_batch_updates_once_for_each_draw():
    learner = Constant([0.5, 0.5])
    run = focused_online_learning(learner, 2, 1, eta=0.1, batch_size=64, random_state=0)
    counts = np.bincount(learner.seen[0], minlength=2)
    ratio = run.tree.value(0) / run.tree.value(1)
    assert ratio == pytest.approx(math.exp(0.1 * 0.5 / 0.5 * (counts[0] - counts[1])))
    assert run.losses.tolist() == [0.5]


@pytest.mark.parametrize("slack_norm", [None, "l1", "l2"])
@pytest.mark.parametrize("uniform_share", [0.5, 1.0])
def test_the_kernel_is_the_meta_algorithm(uniform_share, slack_norm):
    X, y, _ = separable_sample(60, 3, 0.05, random_state=1)
    y, _ = flip_labels(y, 2, random_state=1)
    budget = None if slack_norm is None else 1.5
    learner = Perceptron(X, y, fit_intercept=True)
    run = focused_online_learning(
        learner,
        60,
        3000,
        uniform_share=uniform_share,
        slack_budget=budget,
        slack_norm=slack_norm or "l1",
        random_state=7,
    )
    norm = {None: slacks.NO_SLACK, "l1": slacks.L1, "l2": slacks.L2}[slack_norm]
    rate = math.sqrt((budget or 0.0) / 3000)
    W, tree, slack = np.zeros((1, 4)), SumTree(60), slacks.allocate(60, rate, budget or 0.0, norm)
    us = np.random.default_rng(7).random(3000)
    rounds, mistakes = play(us, 3000, 0.5 / 60, uniform_share, Sample(X, y, 1.0), W, tree.state, slack)
    assert rounds == 3000
    np.testing.assert_array_equal(W[0], learner.w)
    np.testing.assert_allclose(tree.probabilities(), run.tree.probabilities(), rtol=1e-12)
    if slack_norm is None:
        assert run.slack is None and mistakes == run.losses.sum()
    else:
        np.testing.assert_allclose(run.slack, slacks.values(slack), rtol=1e-12)
        assert run.slack.any() and run.slack.max() <= 1.0


@pytest.mark.parametrize("d", [3, 4, 9])
def test_the_multiclass_kernel_is_the_textbook(d):
    rng = np.random.default_rng(d)
    X, y = rng.normal(size=(40, d)), rng.integers(4, size=40)
    W, plain, tree = np.zeros((4, d + 1)), np.zeros((4, d + 1)), SumTree(40)
    us = np.random.default_rng(0).random(2000)
    sample = Sample(X, y.astype(float), 1.0)
    _, mistakes = play(us, 2000, 1 / 80, 1.0, sample, W, tree.state, slacks.allocate(0))
    rows, expected = np.column_stack([X, np.ones(40)]), 0
    for u in us:
        i = int(u * 40)
        scores = plain @ rows[i]
        others = np.delete(np.arange(4), y[i])
        best = others[scores[others].argmax()]
        if scores[y[i]] <= scores[best]:
            plain[y[i]] += rows[i]
            plain[best] -= rows[i]
            expected += 1
    np.testing.assert_allclose(W, plain, atol=1e-12)
    assert mistakes == expected and tree.n_leaves == 0


@pytest.mark.parametrize("most", [1, 7])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounds_in_parts_are_the_rounds_at_once(most, n_classes):
    rng = np.random.default_rng(0)
    X, y, us = rng.normal(size=(50, 3)), rng.integers(n_classes, size=50), rng.random(1000)
    sample = Sample(X, 2.0 * y - 1.0 if n_classes == 2 else y.astype(float), 1.0)
    shape = (1 if n_classes == 2 else n_classes, 4)
    games = [
        (sample, np.zeros(shape), SumTree(50).state, slacks.allocate(50, 0.1, 2.0, slacks.L1)) for _ in "ab"
    ]
    _, mistakes = play(us, 1000, 0.01, 0.5, *games[0])
    done, counts = 0, []
    while done < 1000:
        played, erred = play(us[done:], most, 0.01, 0.5, *games[1])
        done, counts = done + played, [*counts, erred]
    assert sum(counts) == mistakes and set(counts[:-1]) == {most}
    for one, other in zip(games[0][1:], games[1][1:]):
        for array, same in zip(one, other):
            np.testing.assert_array_equal(array, same)


@pytest.mark.parametrize("norm", [slacks.NO_SLACK, slacks.L1, slacks.L2])
def test_rounds_without_reference_counts_leave_the_counts(norm):
    X, y, _ = separable_sample(60, 3, 0.05, random_state=1)
    us = np.random.default_rng(0).random(2000)
    sample, W, tree, slack = (
        Sample(X, -y, 1.0),
        np.zeros((1, 4)),
        SumTree(60).state,
        slacks.allocate(60, 0.1, 2.0, norm),
    )
    arrays = [us, W, sample.X, sample.y, *tree, *slack[3:]]
    counts = [sys.getrefcount(array) for array in arrays]
    for most in (1, 5, 2000):
        assert play(us, most, 0.1, 0.5, sample, W, tree, slack)[1] > 0
    assert [sys.getrefcount(array) for array in arrays] == counts


def test_reservoir_is_uniform_over_the_rounds():
    times = []
    for seed in range(400):
        reservoir = Reservoir(5, np.random.default_rng(seed))
        for t in range(1, 21):
            reservoir.offer(t, lambda t=t: t)
        assert reservoir.items == reservoir.times.tolist()
        times += reservoir.items
    counts = np.bincount(times, minlength=21)[1:]
    assert counts.sum() == 2000 and (abs(counts - 100) < 5 * 10).all()


def test_iterates_are_those_before_their_rounds():
    X, y, _ = separable_sample(30, 2, 0.1, random_state=0)
    kept = []
    learner = Perceptron(X, y)
    run = focused_online_learning(
        learner, 30, 200, n_voters=20, callback=lambda t: kept.append(learner.w.copy()), random_state=0
    )
    before = [np.zeros(3), *kept]
    for item, t in zip(run.iterates, run.times):
        np.testing.assert_array_equal(item, before[t - 1])


def test_a_learner_without_snapshot_is_copied_whole():
    run = focused_online_learning(Constant([1.0]), 1, 10, n_voters=3, random_state=0)
    assert all(isinstance(item, Constant) and len(item.seen) < 10 for item in run.iterates)


def test_callback_ends_the_run():
    run = focused_online_learning(Constant([1.0]), 1, 100, callback=lambda t: t == 7, random_state=0)
    assert run.n_iter == 7 and len(run.losses) == 7


def test_average_and_majority():
    np.testing.assert_array_equal(average([np.zeros(2), np.ones(2)]), [0.5, 0.5])
    assert majority([["b", "a"], ["b", "b"]]).tolist() == ["b", "a"]


@pytest.mark.parametrize("momentum, l2", [(0.0, 0.0), (0.9, 0.0005)])
def test_logistic_sgd_is_the_textbook(momentum, l2):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 7)), rng.choice([-1.0, 1.0], size=50)
    learner = LogisticSGD(X, y, momentum=momentum, l2=l2, decay=0.01, fit_intercept=True)
    rows, w, velocity = np.column_stack([X, np.ones(50)]), np.zeros(8), np.zeros(8)
    for t in range(100):
        batch = rng.integers(50, size=6)
        margins = y[batch] * (rows[batch] @ w)
        gradient = -(y[batch] / (1 + np.exp(margins))) @ rows[batch] / 6 + l2 * w
        velocity = momentum * velocity + gradient
        w = w - 0.01 * (1 + 0.01 * t) ** -0.75 * (gradient + momentum * velocity)
        np.testing.assert_array_equal(learner.step(batch), (margins <= 0).astype(float))
        np.testing.assert_allclose(learner.w, w, rtol=1e-10, atol=1e-14)


def test_logistic_sgd_on_huge_margins():
    learner = LogisticSGD(np.array([[1e100], [-1e100]]), np.array([1.0, 1.0]))
    learner.w[:] = [1e100, 0.0]
    assert learner.step(np.array([0, 1])).tolist() == [0.0, 1.0]
    assert np.isfinite(learner.w).all()


def test_perceptron_keeps_its_mistake_bound():
    X, y, normal = separable_sample(500, 5, 0.2, random_state=0)
    learner = Perceptron(X, y)
    run = focused_online_learning(learner, 500, 20_000, random_state=0)
    assert run.losses.sum() <= (X**2).sum(axis=1).max() / (y * (X @ normal)).min() ** 2
    assert learner.errors() == 0


def test_passive_aggressive_keeps_its_bound():
    X, y, normal = separable_sample(100, 4, 0.2, random_state=0)
    learner = PassiveAggressive(X, y, norm=1.0 / (y * (X @ normal)).min())
    order = np.random.default_rng(0).integers(100, size=5000)
    losses = [learner.step(i) for i in order]
    assert sum(losses) <= learner.mistake_bound
    assert all(0.0 <= loss <= 1.0 for loss in losses)
    assert learner.losses(learner.w).shape == (100,)


def test_any_scikit_learn_classifier():
    X, y, _ = separable_sample(200, 4, 0.3, random_state=0)
    labels = np.where(y > 0, "face", "other")
    learner = PartialFitLearner(SGDClassifier(loss="perceptron", random_state=0), X, labels)
    run = focused_online_learning(learner, 200, 400, batch_size=16, n_voters=3, random_state=0)
    assert learner.errors() == 0
    votes = [each.predict(X) for each in run.iterates]
    assert (majority(votes) == labels).mean() > 0.9


def test_fol_needs_fewer_rounds_than_uniform_sampling():
    X, y = gap_training_set(0.01, 0.01, random_state=0)
    rules = {"fit_intercept": False, "max_iter": 10**6, "output": "last", "random_state": 0}
    focused, uniform = (FOLClassifier(uniform_share=share, **rules).fit(X, y) for share in (0.5, 1.0))
    assert focused.training_error_ == uniform.training_error_ == 0.0
    assert focused.n_iter_ < uniform.n_iter_


# Bad input


def test_a_loss_in_a_batch_is_named_with_its_index():
    with pytest.raises(ValueError, match=r"losses in \[0, 1\], got nan for index 1"):
        focused_online_learning(Constant([0.0, math.nan]), 2, 50, batch_size=4, random_state=0)
    with pytest.raises(ValueError, match="a loss for each of 4 indices, got shape"):
        focused_online_learning(type("L", (), {"step": lambda self, i: 0.5})(), 2, 5, batch_size=4)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"m": 0}, "m must be an integer >= 1, got 0"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1"),
        ({"eta": 0.0}, "eta must be a finite number > 0"),
        ({"uniform_share": 1.5}, "uniform_share must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"n_voters": -1}, "n_voters must be"),
        ({"slack_budget": -1.0}, "slack_budget must be a finite number >= 0, got -1.0"),
        ({"slack_budget": 1.0, "slack_norm": "l3"}, "slack_norm must be one of 'l1', 'l2'"),
        ({"slack_budget": 1.0, "slack_rate": 0.0}, "slack_rate must be"),
        ({"slack_budget": 1.0, "batch_size": 2}, "slack_budget needs batch_size=None"),
        ({"random_state": "x"}, "random_state must be an integer >= 0, .* got 'x'"),
        ({"slack_budget": 1.0}, r"a learner with slack must have loss\(i\), got Constant"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        focused_online_learning(Constant([0.5]), **{"m": 1, "max_iter": 3} | parameters)


def test_a_random_state_of_numpy():
    X, y = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1, -1])
    runs = [
        focused_online_learning(Perceptron(X, y), 2, 50, n_voters=3, random_state=np.random.RandomState(s))
        for s in (0, 0)
    ]
    np.testing.assert_array_equal(runs[0].times, runs[1].times)
    np.testing.assert_array_equal(runs[0].losses, runs[1].losses)


def test_bad_data_for_learners():
    X = np.ones((2, 1))
    with pytest.raises(ValueError, match=r"y must hold the labels -1 and \+1 only, got 0 too"):
        Perceptron(X, [0, 1])
    with pytest.raises(ValueError, match="X must be finite"):
        LogisticSGD(X * np.nan, [1, -1])
    with pytest.raises(ValueError, match=r"X must have shape \(m, d\)"):
        Perceptron(X, [1])
    with pytest.raises(ValueError, match="no row of zeros, got one at 1"):
        PassiveAggressive([[1.0], [0.0]], [1, -1], 1.0)
    with pytest.raises(ValueError, match="must have partial_fit and predict, got object"):
        PartialFitLearner(object(), X, [1, -1])
    with pytest.raises(ValueError, match="momentum must be"):
        LogisticSGD(X, [1, -1], momentum=1.0)
