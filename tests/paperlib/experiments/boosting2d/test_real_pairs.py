"""Pairs of weak classifiers on real data."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from paperlib.experiments.boosting2d import real_pairs


@pytest.fixture(scope="module")
def pairs():
    return real_pairs.pair_errors(2, 60, data="bundled", seed=3)


def test_no_other_line_has_fewer_training_errors(pairs):
    assert pairs.combiner.unique().tolist() == real_pairs.NAMES
    assert pairs.task.unique().tolist() == real_pairs.task_names("bundled")
    for _, each in pairs.groupby(["task", "weak", "split"]):
        assert each.training.min() == each.training[each.combiner == "optimal line"].item()
    assert set(pairs.n_train) == {60} and set(pairs.n_test) == {30}


def test_the_optimum_is_not_zero_where_pairs_are_compared():
    found = real_pairs.pair_errors(2, 400, data="bundled", seed=0).query("combiner == 'optimal line'")
    assert found.groupby(["task", "weak"]).training.mean().min() > 0.002


def test_errors_of_means_know_that_splits_overlap(pairs):
    found = real_pairs.means(pairs).loc[("breast cancer", "tree", "voting")]
    its = pairs.query("task == 'breast cancer' and weak == 'tree' and combiner == 'voting'")
    assert found.test == pytest.approx(its.test.mean())
    assert found.stderr == pytest.approx(its.test.std() * np.sqrt(1 / 2 + 30 / 60))


def test_no_image_is_in_two_tasks_and_classifiers_share_no_column():
    digits = [digit for pair in real_pairs.DIGIT_PAIRS for digit in pair]
    assert sorted(digits) == list(range(10))
    for name in real_pairs.task_names("bundled"):
        its = real_pairs.task(name, "bundled")
        assert not set(its.first) & set(its.second) and set(its.y) == {-1, 1}


def test_the_better_one_is_chosen_by_examples_that_trained_neither():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(900) % 2, 1, -1)
    names = rng.permutation(900)[:, None]  # a tree learns names by heart, and knows nothing of others
    honest = y[:, None] + rng.normal(size=(900, 1))
    its = real_pairs.Task(np.hstack([names, honest]), y, np.array([0]), np.array([1]))
    train, tree = np.arange(600), DecisionTreeClassifier(random_state=0)
    scores = real_pairs.pair_scores(its, tree, train)[train]
    assert (y[train, None] * scores > 0).all()  # in training both are always right
    assert real_pairs.better_by_validation(its, tree, train) == 1
    better = real_pairs.combined(real_pairs.BETTER, its, tree, train, scores)
    assert better(np.array([[1.0, 2.0]])).tolist() == [2.0]


def test_spambase_is_split_into_words_and_the_rest(monkeypatch):
    spam = SimpleNamespace(X=np.zeros((4, 57)), y=np.array([-1, 1, -1, 1]))
    monkeypatch.setattr(real_pairs.datasets, "load", lambda name, data: spam)
    its = real_pairs.task("spambase", "full")
    assert sorted([*its.first, *its.second]) == list(range(57))
    assert real_pairs.task_names("full")[-1] == "spambase"


def test_scores_are_of_the_training_rows_classifiers():
    its, train = real_pairs.task("breast cancer", "bundled"), np.arange(50)
    scores = real_pairs.pair_scores(its, LogisticRegression(), train)
    assert scores.shape == (569, 2)
    fitted = LogisticRegression().fit(its.X[train][:, its.first], its.y[train])
    np.testing.assert_allclose(scores[:, 0], fitted.decision_function(its.X[:, its.first]))


def test_the_plane_that_is_drawn_has_the_errors_of_the_first_split(pairs):
    names = ["optimal line", "logistic stacking", "better of the two"]
    drawn = real_pairs.training_plane("breast cancer", "logistic", names, 60, data="bundled", seed=3)
    its = pairs.query("task == 'breast cancer' and weak == 'logistic' and split == 0")
    training = its.set_index("combiner").training
    assert drawn.lines.combiner.tolist() == names
    for name, *normal, offset in drawn.lines.itertuples(index=False):
        assert (drawn.y * (drawn.scores @ normal + offset) <= 0).mean() == pytest.approx(training[name])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_splits must be an integer >= 1, got 0"):
        real_pairs.pair_errors(0, 60, data="bundled", seed=0)
