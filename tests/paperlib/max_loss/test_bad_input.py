"""What a careless user hands over: a right result or one clear error, and nothing half changed."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

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
    theory,
)
from paperlib.max_loss._rounds import slack

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = np.where(X[:, 0] > 0.0, 1, -1)


class Returns:
    def __init__(self, value):
        self.value = value

    def step(self, i):
        return self.value

    loss = step


@pytest.mark.parametrize("norm", [slack.L1, slack.L2])
def test_a_slack_step_that_underflowed_to_zero_leaves_the_arrays(norm):
    state = slack.allocate(2, 0.0, 1.0, norm)
    for _ in range(100):  # the support has room for two
        slack.raise_slack(1, state)
    assert state.counts[0] == 0 and not state.xi.any()


def test_a_tiny_slack_budget_is_none():
    with pytest.warns(Warning, match="after 2000 rounds"):
        tiny = FOLClassifier(max_iter=2000, slack_budget=1e-320, random_state=0).fit(X, np.roll(Y, 7))
    with pytest.warns(Warning, match="after 2000 rounds"):
        none = FOLClassifier(max_iter=2000, slack_budget=0.0, random_state=0).fit(X, np.roll(Y, 7))
    np.testing.assert_array_equal(tiny.coef_, none.coef_)


@pytest.mark.parametrize("fit_intercept", ["no", 2])
def test_a_flag_is_a_flag(fit_intercept):
    with pytest.raises(ValueError, match="fit_intercept must be True or False, got"):
        FOLClassifier(fit_intercept=fit_intercept).fit(X, Y)
    with pytest.raises(ValueError, match="fit_intercept must be True or False, got"):
        Perceptron(X, Y, fit_intercept=fit_intercept)


def learners():
    return [
        Perceptron(X, Y),
        LogisticSGD(X, Y),
        PassiveAggressive(X, Y, 1.0),
        PartialFitLearner(SGDClassifier(), X, Y),
    ]


@pytest.mark.parametrize("learner", learners(), ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("i", [-1, 40, 1.0])
def test_a_learner_reads_no_other_memory(learner, i):
    with pytest.raises(IndexError, match=r"i must be (in \[0, 40\)|integers), got"):
        learner.step(i)


def test_more_examples_than_the_learner_has():
    with pytest.raises(IndexError, match=r"i must be in \[0, 40\), got"):
        focused_online_learning(Perceptron(X, Y), 1000, 500, random_state=0)


def test_weights_that_left_the_floats_are_mistakes():
    learner = LogisticSGD(X, Y)
    learner.w[0] = np.nan
    run = focused_online_learning(learner, 40, 200, random_state=0)
    assert np.isnan(learner.w).any() and run.losses[-1] == 1.0
    assert learner.errors() == 40


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_passive_aggressive_refuses_squares_outside_the_floats(factor):
    with pytest.raises(ValueError, match=r"the squares of X and of norm \* X must be floats"):
        PassiveAggressive(X * factor, Y, 1.0)


def test_passive_aggressive_is_free_of_scale():
    runs = [
        focused_online_learning(PassiveAggressive(X * a, Y, 1.0 / a), 40, 500, random_state=0)
        for a in (1.0, 2.0**450)
    ]
    np.testing.assert_allclose(runs[0].losses, runs[1].losses, rtol=1e-12)


def test_a_sparse_matrix_is_learned_from_or_refused():
    dense, sparse = (PartialFitLearner(BernoulliNB(), A, Y) for A in (X, sp.csc_array(X)))
    for i in (0, 3, np.array([5, 6, 0])):
        np.testing.assert_array_equal(dense.step(i), sparse.step(i))
    assert dense.errors() == sparse.errors()
    with pytest.raises(ValueError, match="X must be a dense array, got csr_array"):
        Perceptron(sp.csr_array(X), Y)


@pytest.mark.parametrize("bad", [np.nan, 2, -0.1, None, "a", np.zeros(3)])
def test_losses_that_cannot_be(bad):
    for options in ({}, {"slack_budget": 1.0}):
        with pytest.raises(ValueError, match=r"step\(\d\) must return a loss in \[0, 1\], got"):
            focused_online_learning(Returns(bad), 4, 5, random_state=0, **options)
    with pytest.raises(ValueError, match="step must return"):
        focused_online_learning(Returns(bad), 4, 5, batch_size=4, random_state=0)


@pytest.mark.parametrize("batch_size", [None, 3])
def test_a_rate_that_takes_a_factor_beyond_the_floats(batch_size):
    run = focused_online_learning(
        Returns(1.0 if batch_size is None else np.ones(3)), 40, 30, eta=1e308, batch_size=batch_size
    )
    assert run.tree.probabilities().sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: focused_online_learning(object(), 4, 5), r"learner must have step\(i\), got object"),
        (lambda: focused_online_learning(Returns(0.0), 4, 5, callback=3), "callback must be callable, got 3"),
        (lambda: average([]), "iterates must be one array of numbers or more"),
        (lambda: average([np.zeros(2), np.zeros(3)]), "all of one shape"),
        (lambda: average([{}, {}]), "iterates must be one array of numbers"),
        (lambda: majority([]), r"votes must have shape \(k, m\)"),
        (lambda: majority([1, -1, 1]), r"votes must have shape \(k, m\)"),
        (lambda: majority([[np.nan, 1], [1, 1]]), "NaN"),
        (lambda: Reservoir(-1, RNG), "k must be an integer >= 0 and <= 1000000, got -1"),
        (lambda: Reservoir(2, 7), "rng must be a numpy.random.Generator, got 7"),
        (lambda: average(None), "iterates must be a list of arrays, got None"),
        (
            lambda: Perceptron(X, np.array([1, "a"] * 20, dtype=object)),
            "y must hold the labels -1 and .1 only, got 'a' too",
        ),
        (lambda: LogisticSGD(X, [None, 1] * 20), "y must hold the labels -1 and .1 only, got None too"),
        (lambda: PassiveAggressive(X * 1j, Y, 1.0), "X must hold real numbers, got complex ones"),
        (lambda: FOLClassifier(n_voters=10**30).fit(X, Y), "n_voters must be an integer >= 1 and <= 1000000"),
        (
            lambda: FOLClassifier(max_iter=10**30).fit(X, Y),
            "max_iter must be an integer >= 1 and <= 46116860",
        ),
        (lambda: FOLClassifier(time_limit=0).fit(X, Y), "time_limit must be a finite number > 0, got 0"),
        (lambda: FOLClassifier(verbose=-1).fit(X, Y), "verbose must be an integer >= 0, got -1"),
        (lambda: SumTree(3).sample(7), "rng must be a numpy.random.Generator, got 7"),
        (lambda: SumTree(3).update(1, [[2.0]]), r"factor must be a number or an array of shape \(k,\)"),
        (lambda: SumTree(3).update_log(1, "a"), "x must be real numbers, got dtype <U1"),
        (lambda: SumTree(3).update_log(1, 10**400), "x must be real numbers, got dtype object"),
        (lambda: theory.theorem_1_loss(0, 1.0, 10, 0.1), "m must be a finite number > 0, got 0"),
        (lambda: theory.theorem_1_rounds(10, 1.0, 0.1, 2.0), "delta must be a finite number > 0 and < 1"),
        (lambda: theory.theorem_1_rounds(10, 1.0, 0.1, None), "delta must be a finite number > 0 and < 1"),
        (
            lambda: theory.theorem_3_probability(5, 10, 1, 1, np.inf),
            "least must be a finite number >= 0, got inf",
        ),
        (lambda: theory.theorem_3_probability(5, 10, 10, 1), "outliers must be a finite number"),
        (lambda: theory.theorem_3_probability(5, 10, 1, 1, -1), "least must be a finite number >= 0, got -1"),
        (lambda: theory.theorem_3_probability(5.5, 10, 1, 1), "n must be an integer >= 1 and <= 9007"),
        (lambda: theory.theorem_1_rounds(1e308, 1.0, 0.1, 0.1), "m and mistakes must be small enough"),
        (lambda: SumTree(3).sample(RNG, size=2**41), "size must be an integer >= 0 and <= 1099511627776"),
        (lambda: SumTree(3).update(1, "2"), "factor must be real numbers, got dtype <U1"),
        (lambda: Reservoir(2, RNG).offer("1", X.copy), "t must be an integer >= 1 and <= 1, got '1'"),
        (lambda: Reservoir(2, RNG).offer(-1, X.copy), "t must be an integer >= 1 and <= 1, got -1"),
        (lambda: Reservoir(2, RNG).offer(2, X.copy), "t must be an integer >= 1 and <= 1, got 2"),
        (lambda: Reservoir(2, RNG).offer(1, X), "snapshot must be callable, got array"),
        (lambda: Perceptron(X[:, :0], Y), r"X must have shape \(m, d\) and y \(m,\), with m and d >= 1, got"),
        (lambda: Perceptron(1e200 * X, Y), r"X must have entries of at most 1e\+100 in size, got .*e\+200"),
        (
            lambda: LogisticSGD(X, Y, learning_rate=1e60),
            r"learning_rate must be a finite number > 0 and <= 1e",
        ),
        (lambda: LogisticSGD(X, Y, learning_rate=0.5, l2=2.1), "l2 must be at most 1 / learning_rate, or"),
        (
            lambda: FOLClassifier(random_state=0).fit(X, Y).predict(np.full((1, 4), 1e308)),
            "X must have finite scores, got .* for row 0: its entries are too large",
        ),
    ],
)
def test_nonsense_is_one_clear_error(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize("i", [[[0, 1]], []])
def test_a_value_is_of_one_item(i):
    with pytest.raises(IndexError, match="i must be"):
        SumTree(3).value(i)


def test_the_steepest_decay_leads_nowhere_else():
    """At ``l2 = 1 / learning_rate`` the iterates stay where they belong, whatever the momentum."""
    for momentum in (0.0, 0.9, 0.999):
        learner = LogisticSGD(X, Y, learning_rate=0.5, l2=2.0, momentum=momentum, decay=0.0)
        for i in range(3000):
            learner.step(i % len(X))
        assert np.abs(learner.w).max() < 10.0


def test_the_largest_rows_and_rate_leave_no_iterate_beyond_the_floats():
    rows = 1e100 * X / np.abs(X).max()
    learners = [Perceptron(rows, Y), LogisticSGD(rows, Y, learning_rate=1e50, l2=5e-51, momentum=0.9)]
    for learner in learners:
        for i in range(300):
            learner.step(i % len(X))
        assert np.isfinite(learner.snapshot()).all()
        assert 0 <= learner.errors() <= len(X)
