"""Weights of examples and classes in focused online learning, and rows that are sparse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from paperlib.experiments.max_loss.samples import separable_sample
from paperlib.max_loss import FOLClassifier, LogisticSGD, Perceptron, focused_online_learning
from paperlib.max_loss._checks.weights import copies_of
from paperlib.max_loss._rounds.copies import allocate, draw_copy, probability_of_copy
from paperlib.max_loss._rounds.given import tree_of
from paperlib.max_loss._tree.sumtree import update
from tests.paperlib.weighting import (
    X,
    Y,
    bad_class_weights,
    bad_weights,
    check_many_classes,
    check_refused,
    check_routing,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SETTINGS = [
    {},
    {"output": "last", "uniform_share": 0.2, "eta": 0.01},
    {"output": "majority", "slack_budget": 2.0, "fit_intercept": False},
    {"slack_budget": 2.0, "slack_norm": "l2", "uniform_share": 0.0},
]


def state(clf):
    slack = [] if clf.slack_ is None else [clf.slack_.sum()]
    return [clf.coef_, clf.intercept_, clf.voters_, clf.n_iter_, clf.n_mistakes_, clf.training_error_, *slack]


def assert_same(one, other):
    for a, b in zip(state(one)[:6], state(other)[:6], strict=True):
        np.testing.assert_array_equal(a, b)


def small_sample(seed, m, n_classes):
    """Small integers, on which every sum is exact, with ties and contradictions."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(m, 3)).astype(float), rng.integers(n_classes, size=m)
    y[:n_classes] = np.arange(n_classes)
    return X, y


# Integer weights are repeated rows


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 999),
    m=st.integers(3, 30),
    n_classes=st.sampled_from([2, 3]),
    parameters=st.sampled_from(SETTINGS),
    partial=st.booleans(),
)
def test_integer_weights_are_repeated_rows_to_the_last_bit(seed, m, n_classes, parameters, partial):
    X, y = small_sample(seed, m, n_classes)
    weights = np.random.default_rng(seed).integers(0, 4, size=m)
    weights[:n_classes] = np.maximum(weights[:n_classes], 1)
    one = FOLClassifier(max_iter=3000, random_state=seed, **parameters)
    other = clone(one)
    method = "partial_fit" if partial else "fit"
    for _ in range(2 if partial else 1):
        getattr(one, method)(X, y, sample_weight=weights)
        getattr(other, method)(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same(one, other)
    if one.slack_ is not None:
        starts = np.append(0, np.cumsum(weights[weights > 0]))[:-1]
        means = np.add.reduceat(other.slack_, starts) / weights[weights > 0]
        np.testing.assert_allclose(one.slack_[weights > 0], means, atol=1e-12)
        assert np.array_equal(np.isnan(one.slack_), weights == 0)


@pytest.mark.parametrize("batch_size", [None, 5])
@pytest.mark.parametrize("make", [Perceptron, LogisticSGD])
def test_any_learner_is_played_on_copies(make, batch_size):
    X, y, _ = separable_sample(60, 3, 0.05, random_state=0)
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    rules = {"max_iter": 500, "batch_size": batch_size, "n_voters": 3, "random_state": 1}
    one, other = make(X, y), make(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    weighted = focused_online_learning(one, 60, sample_weight=weights, **rules)
    repeated = focused_online_learning(other, weights.sum(), **rules)
    np.testing.assert_array_equal(one.w, other.w)
    np.testing.assert_array_equal(weighted.losses, repeated.losses)
    np.testing.assert_array_equal(weighted.iterates, repeated.iterates)
    np.testing.assert_array_equal(weighted.tree.probabilities(), repeated.tree.probabilities())
    np.testing.assert_array_equal(weighted.rows, np.repeat(np.arange(60), weights))


def test_a_learner_with_slack_is_played_on_copies():
    X, y, _ = separable_sample(40, 3, 0.05, random_state=0)
    y[:2] *= -1
    weights = np.random.default_rng(0).integers(1, 4, size=40)
    rules = {"max_iter": 3000, "slack_budget": 4.0, "random_state": 1}
    one, other = Perceptron(X, y), Perceptron(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    weighted = focused_online_learning(one, 40, sample_weight=weights, **rules)
    repeated = focused_online_learning(other, weights.sum(), **rules)
    np.testing.assert_array_equal(one.w, other.w)
    assert repeated.slack.max() > 0.0
    sums = np.bincount(weighted.rows, weights=repeated.slack)
    np.testing.assert_allclose(weighted.slack, sums / weights, atol=1e-12)


# Fractions


@pytest.mark.parametrize("seed", range(5))
def test_uniform_draws_by_weights_are_those_of_the_slow_twin(seed):
    X, y = small_sample(seed, 20, 2)
    weights = np.random.default_rng(seed).uniform(0.1, 3.0, size=20)
    clf = FOLClassifier(400, uniform_share=1.0, output="last", fit_intercept=False, random_state=seed)
    clf.fit(X, y, weights)
    rows = [i for i in range(20) for _ in range(int(weights[i]))] + list(range(20))
    masses = np.append(np.ones(len(rows) - 20), weights % 1.0)
    w, mistakes = np.zeros(3), 0
    for u in np.random.default_rng(seed).random(400)[: clf.n_iter_]:
        row = rows[np.searchsorted(np.cumsum(masses), u * masses.sum(), side="right")]
        sign = 2 * y[row] - 1
        if sign * (X[row] @ w) <= 0:
            w, mistakes = w + sign * X[row], mistakes + 1
    assert mistakes == clf.n_mistakes_ > 0
    np.testing.assert_array_equal(clf.coef_[0], w)


@pytest.mark.parametrize("uniform_share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("weights", [[0.25, 2.5, 1.0, 0.1], [0.5, 0.125], [3.0, 1.0], [1e-300, 1.0]])
def test_draws_have_the_probabilities_that_are_stated(weights, uniform_share):
    copies = allocate(np.array(weights))
    n, broken = len(copies.rows), len(copies.fractions)
    masses = np.append(np.ones(n - broken), copies.fractions)
    assert copies.total == pytest.approx(sum(weights))
    np.testing.assert_allclose(np.bincount(copies.rows, weights=masses), weights)
    tree = tree_of(copies, len(weights))
    logs = np.log(masses)
    for i, x in [(0, 0.7), (n - 1, 1.3), (0, -0.2)]:
        update(i, x, tree)
        logs[i] += x
    q = np.exp(logs) / np.exp(logs).sum()
    expected = uniform_share * masses / masses.sum() + (1.0 - uniform_share) * q
    stated = [probability_of_copy(i, uniform_share, copies, tree) for i in range(n)]
    np.testing.assert_allclose(stated, expected, rtol=1e-12)
    us = (np.arange(20_000) + 0.5) / 20_000
    drawn = np.bincount([draw_copy(u, uniform_share, copies, tree) for u in us], minlength=n)
    np.testing.assert_allclose(drawn / 20_000, expected, atol=2e-4)


def test_a_mistake_on_a_copy_moves_its_weight_as_the_docstring_says():
    """One mistake on a copy of mass f multiplies its weight by exp(eta f / p)."""
    X, y, weights, eta = np.eye(2), [1, -1], np.array([0.25, 1.5]), 0.5
    run = focused_online_learning(
        Perceptron(X, y), 2, 1, eta=eta, uniform_share=0.4, sample_weight=weights, random_state=0
    )
    masses = np.array([1.0, 0.25, 0.5])
    assert run.rows.tolist() == [1, 0, 1]
    ratios = run.tree.probabilities() / masses
    hit = int(np.argmax(ratios))
    share = masses / masses.sum()
    factor = np.exp(eta * masses[hit] / share[hit])  # p is the share as long as no weight has changed
    assert ratios[hit] / ratios[hit - 1] == pytest.approx(factor)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("slack", [{}, {"slack_budget": 3.0}])
def test_the_compiled_rounds_on_fractions_are_those_of_the_plain_loop(seed, slack):
    X, y = small_sample(seed, 25, 2)
    X[:2] = 1.0  # two rows that contradict each other, so that neither ends early
    weights = np.random.default_rng(seed).uniform(0.05, 3.0, size=25)
    clf = FOLClassifier(3000, output="last", fit_intercept=False, random_state=seed, **slack)
    clf.fit(X, y, weights)
    learner = Perceptron(X, 2 * y - 1)
    run = focused_online_learning(learner, 25, 3000, sample_weight=weights, random_state=seed, **slack)
    assert clf.n_iter_ == 3000
    np.testing.assert_array_equal(clf.coef_[0], learner.w[:-1])
    if slack:
        np.testing.assert_array_equal(clf.slack_, run.slack)
    else:
        assert clf.n_mistakes_ == run.losses.sum()


def test_a_common_factor_of_small_weights_changes_no_probability():
    X, y, _ = separable_sample(100, 3, 0.02, random_state=0)
    weights = np.full(100, 2.0**-7)
    for uniform_share in (0.0, 0.5):
        runs = [
            focused_online_learning(Perceptron(X, y), 100, 1, uniform_share=uniform_share, **more)
            for more in ({"random_state": 0}, {"random_state": 0, "sample_weight": weights})
        ]
        moved = [np.sort(run.tree.probabilities()) for run in runs]
        np.testing.assert_allclose(*moved, rtol=1e-12)
    one = FOLClassifier(uniform_share=1.0, random_state=0).fit(X, y)
    assert_same(one, clone(one).fit(X, y, weights))  # else the tree's order is another


def test_weights_decide_which_of_two_that_contradict_each_other_is_given_up():
    X, y = np.ones((2, 1)), np.array([0, 1])
    for heavy in (0, 1):
        weights = np.where(y == heavy, 9.5, 0.5)
        clf = FOLClassifier(max_iter=4000, uniform_share=1.0, n_voters=501, output="majority", random_state=0)
        assert clf.fit(X, y, weights).predict([[1.0]]) == [heavy]
        assert clf.training_error_ == pytest.approx(0.05)
        by_class = clone(clf).set_params(class_weight={heavy: 9.5, 1 - heavy: 0.5}).fit(X, y)
        assert_same(clf, by_class)


def test_balanced_classes_have_one_sum_of_weights():
    """Each copy that a row's weight makes has the weight of its class, and one in part has a part of it."""
    X, y = small_sample(0, 30, 3)
    given = np.random.default_rng(0).integers(0, 4, size=30)
    rows, sums = np.repeat(np.arange(30), given), np.bincount(y, weights=given)
    one = FOLClassifier(2000, class_weight="balanced", random_state=0).fit(X, y, given)
    other = FOLClassifier(2000, random_state=0).fit(X[rows], y[rows], (given.sum() / (3 * sums))[y[rows]])
    assert_same(one, other)
    parts = given / 4.0 + 0.125
    factors = parts.sum() / (3 * np.bincount(y, weights=parts))
    one = FOLClassifier(2000, class_weight="balanced", random_state=0).fit(X, y, parts)
    assert_same(one, FOLClassifier(2000, random_state=0).fit(X, y, parts * factors[y]))


def test_a_class_without_weight_is_left_out():
    X, y = small_sample(0, 30, 3)
    clf = FOLClassifier(2000, random_state=0).fit(X, y, (y != 1).astype(int))
    assert clf.classes_.tolist() == [0, 2]
    with pytest.raises(ValueError, match="two classes or more of positive weight, got one class only: 2"):
        FOLClassifier().fit(X, y, (y == 2).astype(int))


@bad_weights
def test_bad_weights(weights, words):
    check_refused(FOLClassifier(), words, weights)
    if words != "one class only":  # which a learner may have
        check_refused(FOLClassifier(), words, weights, method="partial_fit")
        with pytest.raises(ValueError, match=words):
            focused_online_learning(Perceptron(X, 2 * Y - 1), 20, 5, sample_weight=weights)


@bad_class_weights
def test_bad_class_weights(class_weight, words):
    check_refused(FOLClassifier(), words, class_weight=class_weight)


def test_weights_that_are_refused_here_alone():
    words, heavy = "must sum to at most 100,000,000, got 1e[+]12: a row of weight k is played as", np.ones(20)
    heavy[0] = 1e12
    for method in ("fit", "partial_fit"):
        check_refused(FOLClassifier(), words, heavy, method=method)
    with pytest.raises(ValueError, match=words):
        focused_online_learning(Perceptron(X, 2 * Y - 1), 20, 5, sample_weight=heavy)
    words = "class_weight must be a dict or None in partial_fit"
    check_refused(FOLClassifier(), words, class_weight="balanced", method="partial_fit")


def test_ones_are_no_weights():
    assert copies_of(None) is None and copies_of(np.ones(5)) is None


# Sparse rows


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 999),
    n_classes=st.sampled_from([2, 3]),
    parameters=st.sampled_from(SETTINGS),
    weighted=st.booleans(),
    wide=st.booleans(),
)
def test_sparse_rows_are_dense_rows(seed, n_classes, parameters, weighted, wide):
    X, y = small_sample(seed, 25, n_classes)
    X[np.random.default_rng(seed).random(X.shape) < 0.4] = 0.0
    rows = sparse.csr_matrix(X)
    if wide:
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    weights = np.random.default_rng(seed).integers(1, 4, size=25) / 2 if weighted else None
    one = FOLClassifier(max_iter=2000, random_state=seed, **parameters).fit(X, y, weights)
    other = clone(one).fit(rows, y, weights)
    assert_same(one, other)
    np.testing.assert_array_equal(one.predict(X), other.predict(rows))
    assert_same(
        one.partial_fit(X, y, sample_weight=weights), other.partial_fit(rows, y, sample_weight=weights)
    )


@pytest.mark.parametrize("factor", [1e300, 1e-300])
def test_sparse_rows_near_the_ends_of_the_floats(factor):
    X, y, _ = separable_sample(100, 3, 0.3, random_state=0)
    X[:, 0] *= factor
    X[:, 1:] *= factor
    clf = FOLClassifier(fit_intercept=False, random_state=0).fit(sparse.csr_array(X), y)
    assert clf.score(sparse.coo_matrix(X), y) == clf.score(X, y) == 1.0


def test_the_intercept_of_sparse_rows_that_are_scaled():
    X, y = small_sample(0, 25, 2)
    X *= 2.0**300
    one = FOLClassifier(2000, random_state=0).fit(X, y)
    assert one.intercept_[0] != 0.0
    assert_same(one, clone(one).fit(sparse.csr_matrix(X), y))


def test_a_sparse_matrix_without_an_entry():
    clf = FOLClassifier(max_iter=2000, random_state=0).fit(sparse.csr_matrix((6, 3)), [0, 1, 1, 1, 1, 1])
    assert clf.coef_.tolist() == [[0.0, 0.0, 0.0]]


# scikit-learn's machinery


@pytest.mark.routes_weights
def test_weights_are_routed_through_a_search():
    X, y, _ = separable_sample(80, 3, 0.05, random_state=0)
    weights = np.random.default_rng(0).integers(1, 3, size=80).astype(float)
    fitted = check_routing(FOLClassifier(5000, random_state=0), X, y, weights, eta=[0.01, 0.1])
    assert_same(fitted, clone(fitted).fit(StandardScaler().fit_transform(X), y, weights))


def test_one_against_the_rest_and_probabilities():
    check_many_classes(FOLClassifier(20_000, class_weight="balanced", random_state=0))


# Going on


def test_a_warm_start_goes_on_from_the_last_iterate():
    X, y, _ = separable_sample(300, 4, 0.0005, random_state=1)
    clf = FOLClassifier(max_iter=400, warm_start=True, random_state=0)
    cold = clone(clf).set_params(warm_start=False)
    assert_same(clf.fit(X, y), cold.fit(X, y))
    before = clf.n_iter_
    clf.fit(X, y)
    assert before < clf.n_iter_ <= 800 and clf.n_mistakes_ > cold.n_mistakes_
    assert_same(cold.fit(X, y), clone(cold).fit(X, y))
    with pytest.raises(ValueError, match=r"y must hold the classes \[-1.0, 1.0\], got \[0.0, 1.0\]"):
        clf.fit(X, np.maximum(y, 0.0))
    with pytest.raises(ValueError, match="X has 3 features, but FOLClassifier is expecting 4"):
        clf.fit(X[:, :3], y)
    with pytest.raises(ValueError, match="warm_start must be True or False, got 'yes'"):
        clone(clf).set_params(warm_start="yes").fit(X, y)


def test_progress_is_told(capsys):
    X, y, _ = separable_sample(100, 3, 0.05, random_state=0)
    clf = FOLClassifier(random_state=0).fit(X, y)
    assert capsys.readouterr().out == ""
    assert_same(clf, FOLClassifier(verbose=1, random_state=0).fit(X, y))
    out = capsys.readouterr().out
    assert f"round {clf.n_iter_} of 100000, {clf.n_mistakes_} mistakes, errs on 0 of the examples" in out


def test_no_more_rounds_are_played_after_the_time_limit():
    X, y = np.ones((2, 1)), np.array([0, 1])
    clf = FOLClassifier(max_iter=10**15, time_limit=0.2, random_state=0).fit(X, y)
    assert 0 < clf.n_iter_ < 10**9 and clf.training_error_ > 0.0
