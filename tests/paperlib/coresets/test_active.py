"""Active learning: what is asked, and what is guaranteed."""

import itertools
import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from paperlib.coresets import ActiveCoresetSVC, theory
from paperlib.coresets._active.learner import Learner, Pool, Stream
from paperlib.coresets._solver.hull import min_norm_point


def best_margin(Z):
    return np.linalg.norm(min_norm_point(np.ascontiguousarray(Z), np.zeros(len(Z)))[0])


def pool(n, d, gap, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] += np.sign(X[:, 0]) * gap
    return X, np.where(X[:, 0] > 0, 1, -1)


# With a pool


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("eps", [0.02, 0.3])
def test_what_is_promised_with_probability_one_minus_delta(seed, eps):
    X, y = pool(600, 3, 0.2, seed)
    clf = ActiveCoresetSVC(eps, 0.1, 1e-3, random_state=seed).fit(X, y)
    best = best_margin(y[:, None] * X)
    margins = y * (X @ clf.coef_[0])
    assert (margins < (1 - eps) * best * (1 - 1e-9)).mean() <= 0.1
    assert clf.margin_upper_bound_ >= best * (1 - 1e-9)
    assert np.isclose(np.linalg.norm(clf.coef_), 1)
    ratio = np.linalg.norm(X, axis=1).max() / best
    assert len(clf.coreset_indices_) <= theory.corollary_3_2(ratio, 1.0, eps)
    assert clf.n_queries_ <= theory.lemma_4_2(ratio, eps, 0.1, 1e-3)
    wrong = margins < 0
    if not wrong.any():
        assert math.isclose(clf.margin_, margins.min())


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_state_in_every_form(make):
    X, y = pool(300, 3, 0.1, 0)
    first, second = (ActiveCoresetSVC(random_state=make(0)).fit(X, y).queried_indices_ for _ in range(2))
    assert first.tolist() == second.tolist()


def test_every_question_is_asked_once_and_counted():
    X, y = pool(500, 4, 0.1, 0)
    asked = []

    def oracle(i):
        asked.append(i)
        return "b" if y[i] > 0 else "a"

    clf = ActiveCoresetSVC(random_state=1).fit(X, oracle)
    assert clf.queried_indices_.tolist() == asked
    assert len(set(asked)) == clf.n_queries_ == clf.n_nearest_ + clf.n_drawn_
    assert set(clf.coreset_indices_) <= set(asked)
    assert clf.classes_.tolist() == ["a", "b"]
    assert (clf.predict(X) == np.where(y > 0, "b", "a")).mean() > 0.95
    again = ActiveCoresetSVC(random_state=1).fit(X, np.where(y > 0, "b", "a"))
    assert again.queried_indices_.tolist() == asked
    assert (again.coef_ == clf.coef_).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_tiny_error_asks_until_nothing_is_left_to_chance(seed):
    X, y = pool(60, 3, 0.05, seed)
    clf = ActiveCoresetSVC(0.05, 1e-6, random_state=seed).fit(X, y)
    assert clf.halted_ == "labelled" and clf.n_queries_ == 60
    assert (y * (X @ clf.coef_[0])).min() >= 0.95 * best_margin(y[:, None] * X) * (1 - 1e-9)
    assert math.isclose(clf.margin_, (y * (X @ clf.coef_[0])).min())


def test_one_point_and_one_label():
    clf = ActiveCoresetSVC().fit([[0.0, 2.0]], lambda i: "only")
    assert clf.classes_.tolist() == ["only"]
    assert clf.predict([[0.0, -1.0]]).tolist() == ["only"]
    assert (clf.halted_, clf.n_queries_, clf.margin_) == ("labelled", 1, 2.0)
    named = ActiveCoresetSVC().fit([[0.0, 2.0]], lambda i: "only", classes=["only", "never"])
    assert named.classes_.tolist() == ["never", "only"]
    assert named.predict([[0.0, -1.0], [0.0, 3.0]]).tolist() == ["never", "only"]


def test_the_labels_that_were_not_asked_for_are_not_looked_at():
    X, y = pool(400, 3, 0.3, 3)
    clf = ActiveCoresetSVC(random_state=0).fit(X, y)
    hidden = y.copy()
    hidden[np.setdiff1d(np.arange(400), clf.queried_indices_)] = 77
    assert (ActiveCoresetSVC(random_state=0).fit(X, hidden).coef_ == clf.coef_).all()


# With a stream


@pytest.mark.parametrize("seed", range(6))
def test_a_stream_is_verified_for_its_distribution(seed):
    X, y = pool(20_000, 3, 0.2, seed)
    blocks = itertools.chain([X[0]], [X[1:500]], X[500:])
    clf = ActiveCoresetSVC(0.1, 0.1, 1e-3).fit_stream(blocks, lambda i: y[i])
    assert clf.halted_ == "verified" and clf.n_seen_ < 20_000
    fresh, labels = pool(20_000, 3, 0.2, seed + 100)
    margins = labels * (fresh @ clf.coef_[0])
    assert (margins < 0.9 * clf.margin_upper_bound_).mean() <= 0.11
    assert clf.n_queries_ == len(set(clf.queried_indices_)) <= clf.n_seen_
    assert clf.n_drawn_ >= theory.draws_of_round(1, 0.1, 1e-3)


def test_a_stream_that_ends_too_early_says_so():
    X, y = pool(30, 2, 0.5, 0)
    with pytest.warns(ConvergenceWarning, match="ended after 30 points"):
        clf = ActiveCoresetSVC().fit_stream(X, y)
    assert clf.halted_ == "stream ended" and clf.n_seen_ == 30


def test_a_stream_may_be_endless():
    rng = np.random.default_rng(0)
    seen = []

    def points():
        while True:
            seen.append(rng.normal(size=2) + [2.0, 0.0] * rng.choice([-1, 1], 2))
            yield seen[-1] + np.sign(seen[-1][0]) * np.array([0.5, 0.0])

    clf = ActiveCoresetSVC(0.2, 0.2, 0.2).fit_stream(points(), lambda i: seen[i][0] > 0)
    assert clf.halted_ == "verified" and clf.classes_.tolist() == [False, True]


# One question at a time


@pytest.mark.parametrize("form", ["pool", "stream"])
def test_a_question_is_asked_again_until_it_is_answered(form):
    X, y = pool(3000, 3, 0.2, 5)

    def learner():
        points = Pool(X, np.random.default_rng(0)) if form == "pool" else Stream(iter(X))
        return Learner(points, 0.1, lambda i: theory.draws_of_round(i, 0.05, 0.05))

    def learn(learner, times):
        while (question := learner.ask()) is not None:
            for _ in range(times):
                assert learner.ask() is question
            learner.tell(float(y[question.row]))
        return learner

    once, again = learn(learner(), 0), learn(learner(), 2)
    assert once.halted == again.halted == "verified" and once.n_verifications == again.n_verifications
    assert once.rows == again.rows and once.n_drawn == again.n_drawn >= theory.draws_of_round(1, 0.05, 0.05)
    assert (once.work.normal == again.work.normal).all()


# Bad input


def test_a_third_label():
    X, _ = pool(50, 2, 0.5, 0)
    with pytest.raises(ValueError, match="oracle must answer with two labels only, got a third: "):
        ActiveCoresetSVC(random_state=0).fit(X, lambda i: i)
    with pytest.raises(ValueError, match="got a third: 'c' for row 0, after 'a' and 'b'"):
        ActiveCoresetSVC().fit(X[:1], lambda i: "c", classes=["a", "b"])


def test_the_same_point_with_two_labels():
    with pytest.raises(ValueError, match=r"answers contradict each other: rows \d and \d are the same point"):
        ActiveCoresetSVC().fit([[1.0, 2.0], [1.0, 2.0]], [0, 1])


def test_labels_that_nothing_separates():
    angles = 2 * np.pi * np.arange(5) / 5
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    with pytest.raises(ValueError, match=r"agrees with those for the rows \[\d"):
        ActiveCoresetSVC().fit(circle, [1] * 5)
    with pytest.raises(ValueError, match="its answers contradict"):
        ActiveCoresetSVC().fit_stream(np.tile(circle, (99, 1)), [1] * 495)


BAD = [
    ({"eps": 0}, [[1.0]], [1], "eps must be a finite number > 0 and < 1, got 0"),
    ({"eps": 1.0}, [[1.0]], [1], "eps must be"),
    ({"error": 1.5}, [[1.0]], [1], "error must be .* got 1.5"),
    ({"delta": "x"}, [[1.0]], [1], "delta must be"),
    ({"random_state": "x"}, [[1.0]], [1], "random_state must be .*RandomState or None, got 'x'"),
    ({}, [[1.0], [0.0]], [1, 1], "no point at the origin, got one in row 1"),
    ({}, [[1.0], [2.0]], [1], r"oracle must be a callable .* of shape \(2,\), got shape \(1,\)"),
    ({}, [[1.0]], 3, "oracle must be a callable"),
    ({}, [[1.0]], [np.nan], "oracle must answer with one label, got nan for row 0"),
    ({}, [[1.0]], lambda i: [1, 2], r"oracle must answer with one label, got \[1, 2\]"),
    ({}, [[1.0]], lambda i: None, "oracle must answer with one label, got None"),
    ({}, [[1.0], [-1.0]], lambda i: ["a", 2][i], "labels of one type"),
    ({}, [[np.nan]], [1], "X contains NaN"),
    ({}, np.zeros((0, 2)), [], "0 sample"),
]


@pytest.mark.parametrize("parameters, X, oracle, words", BAD)
def test_bad_input_is_one_clear_error(parameters, X, oracle, words):
    with pytest.raises(ValueError, match=words):
        ActiveCoresetSVC(**parameters).fit(X, oracle)


def test_bad_streams():
    with pytest.raises(ValueError, match="stream must have at least one point"):
        ActiveCoresetSVC().fit_stream([], [])
    with pytest.raises(ValueError, match="X has 3 features"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ActiveCoresetSVC().fit_stream([[1.0, 2.0], [1.0, 2.0, 3.0]], [1, 1])
    with pytest.raises(ValueError, match="origin, got one in row 1"):
        ActiveCoresetSVC().fit_stream([[1.0], [0.0]], [1, 1])


@pytest.mark.parametrize("scale, words", [(1e160, "too large in size"), (1e-160, "too small in size")])
def test_data_that_cannot_be_squared(scale, words):
    with pytest.raises(ValueError, match=words):
        ActiveCoresetSVC().fit(scale * np.array([[1.0, 2.0], [-1.0, 1.0]]), np.array([0, 1]))


def test_an_array_of_labels_that_is_shorter_than_the_stream():
    with pytest.raises(ValueError, match="oracle must know the label of every row, got 1 labels for row 1"):
        ActiveCoresetSVC(random_state=0).fit_stream([np.array([[1.0, 0.0], [0.0, 1.0]])], [1])
