"""The adversary against every subset of the features."""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from paperlib.feature_deletion import robust_score, worst_case_deletion


def best_of_all_subsets(profits, values, budget):
    best = 0.0
    for chosen in itertools.product([0.0, 1.0], repeat=len(profits)):
        if np.dot(chosen, values) <= budget * (1 + 1e-12):
            best = max(best, np.dot(chosen, profits))
    return best


def test_margins_and_masks_agree_with_every_subset():
    rng = np.random.default_rng(1)
    X, w, b = rng.normal(size=(30, 6)), rng.normal(size=6), 0.3
    y = rng.choice([-1, 1], 30)
    for values in (None, rng.uniform(0.1, 2, 6), np.array([0.0, 1, 1, 2, 3, 0])):
        v = np.ones(6) if values is None else values
        margins, masks = worst_case_deletion(w, b, X, y, 2.2, values)
        assert np.allclose(margins, y * ((X * ~masks) @ w + b))
        assert (masks @ v <= 2.2 + 1e-9).all()
        for i in range(30):
            harm = best_of_all_subsets(y[i] * w * X[i], v, 2.2)
            assert np.isclose(margins[i], y[i] * (X[i] @ w + b) - harm)


def test_a_budget_of_zero_deletes_what_is_free():
    margins, masks = worst_case_deletion([1.0, 1.0], 0.0, [[1.0, 2.0]], [1], 0, [1.0, 0.0])
    assert margins.tolist() == [1.0]
    assert masks.tolist() == [[False, True]]


# The scorer


@pytest.fixture
def fitted():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 6)) * (rng.uniform(size=(80, 6)) < 0.7)
    y = np.where(X.sum(axis=1) + 0.1 * rng.normal(size=80) > 0, "yes", "no")
    return LogisticRegression().fit(X, y), X, y


def test_no_deletion_is_accuracy(fitted):
    clf, X, y = fitted
    for adversary in ("greedy", "exact", "random"):
        assert robust_score(clf, X, y, 0, adversary) == clf.score(X, y)


def test_random_deletions_take_any_random_state(fitted):
    clf, X, y = fitted
    scores = [robust_score(clf, X, y, 2, "random", random_state=np.random.RandomState(0)) for _ in range(2)]
    assert scores[0] == scores[1]
    with pytest.raises(ValueError, match=r"random_state must be an integer >= 0, .* got 'x'"):
        robust_score(clf, X, y, 2, "random", random_state="x")


def test_exact_is_the_worst_and_greedy_equals_it_for_equal_values(fitted):
    clf, X, y = fitted
    values = np.array([0.5, 1.0, 2.0, 1.0, 0.3, 1.2])
    for n_deleted in (1, 2, 3):
        worst = robust_score(clf, X, y, n_deleted, "exact")
        assert worst == robust_score(clf, X, y, n_deleted, "greedy")
        assert worst <= robust_score(clf, X, y, n_deleted, "random", random_state=0)
        worst = robust_score(clf, X, y, n_deleted, "exact", feature_values=values)
        assert worst <= robust_score(clf, X, y, n_deleted, "greedy", feature_values=values)
        margins, _ = worst_case_deletion(
            clf.coef_[0], clf.intercept_[0], X, np.where(y == "yes", 1, -1), n_deleted, values
        )
        assert worst == np.mean(margins > 0)


def test_random_deletion_takes_that_many_non_zero_features():
    from paperlib.feature_deletion.adversary import random_deletion

    X = np.array([[1.0, 0.0, 2.0, 3.0], [0.0, 0.0, 0.0, 5.0]] * 500)
    masks = random_deletion(X, np.ones(4), 2.0, 0)
    assert (masks[::2].sum(axis=1) == 2).all()
    assert (masks[1::2] == [False, False, False, True]).all()
    # Each of the three is spared a third of the time: within four standard errors.
    assert np.allclose(masks[::2, [0, 2, 3]].mean(axis=0), 2 / 3, atol=4 * np.sqrt(2 / 9 / 500))
    assert (masks == random_deletion(X, np.ones(4), 2.0, 0)).all()


GOOD = {"w": [1.0, 2.0], "b": 0.0, "X": [[1.0, 1.0]], "y": [1], "n_deleted": 1}


@pytest.mark.parametrize(
    "change, words",
    [
        ({"n_deleted": -1}, "n_deleted must be a finite number >= 0, got -1"),
        ({"n_deleted": 2}, "n_deleted must be below 2, .* got 2"),
        ({"n_deleted": np.nan}, "n_deleted must be a finite number"),
        ({"feature_values": [1.0, -1.0]}, r"feature_values must be finite and >= 0, got -1.0"),
        ({"feature_values": [1.0, np.inf]}, r"feature_values must be finite and >= 0, got inf"),
        ({"feature_values": [0.0, 0.0]}, "feature_values must not be all zero"),
        ({"feature_values": [1.0]}, r"feature_values must have shape \(2,\)"),
        ({"feature_values": ["a", "b"]}, "feature_values must be real numbers"),
        ({"y": [0]}, "y must hold the labels -1 and .1 only, got 0"),
        ({"y": [1, 1]}, "inconsistent numbers of samples"),
        ({"w": [1.0]}, r"w must have shape \(2,\)"),
        ({"w": [1.0, np.nan]}, "w must be finite"),
        ({"b": np.inf}, "b must be a finite number"),
        ({"X": [[np.nan, 1.0]]}, "NaN"),
    ],
)
def test_bad_input_of_the_adversary(change, words):
    with pytest.raises(ValueError, match=words):
        worst_case_deletion(**(GOOD | change))


def test_bad_input_of_the_scorer(fitted):
    clf, X, y = fitted
    with pytest.raises(ValueError, match="adversary must be one of 'greedy', 'exact', 'random', got 'best'"):
        robust_score(clf, X, y, 1, "best")
    with pytest.raises(ValueError, match=r"y must hold the classes \['no', 'yes'\], got .*'maybe'"):
        robust_score(clf, X[:1], ["maybe"], 1)
    with pytest.raises(ValueError, match="n_deleted must be below 6"):
        robust_score(clf, X, y, 6)
    three = LogisticRegression().fit(X, np.arange(80) % 3)
    with pytest.raises(ValueError, match="binary linear classifier"):
        robust_score(three, X, y, 1)
