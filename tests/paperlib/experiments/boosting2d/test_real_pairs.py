"""Pairs of weak classifiers on real data."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import real_pairs
from paperlib.experiments.boosting2d.baselines import COMBINERS


def test_no_other_line_has_fewer_training_errors():
    found = real_pairs.pair_errors(2, 60, data="bundled", seed=0)
    assert found.combiner.unique().tolist() == list(COMBINERS)
    assert found.task.unique().tolist() == list(real_pairs.tasks("bundled"))
    for _, each in found.groupby(["task", "weak", "split"]):
        assert each.training.min() == each.training[each.combiner == "optimal line"].item()
    means = real_pairs.means(found)
    assert len(means) == len(found) / 2 and means.stderr.notna().all()


def test_spambase_is_split_into_words_and_the_rest(monkeypatch):
    spam = SimpleNamespace(X=np.zeros((4, 57)), y=np.array([-1, 1, -1, 1]))
    load = real_pairs.datasets.load
    monkeypatch.setattr(
        real_pairs.datasets, "load", lambda name, data: spam if name == "spambase" else load(name)
    )
    first, second = real_pairs.tasks("full")["spambase"][2:]
    assert sorted([*first, *second]) == list(range(57))


def test_scores_are_of_the_training_rows_classifiers():
    X, y, first, second = real_pairs.tasks("bundled")["breast cancer"]
    train = np.arange(50)
    scores = real_pairs.pair_scores(X, y, first, second, LogisticRegression(), train)
    assert scores.shape == (569, 2)
    expected = LogisticRegression().fit(X[train][:, first], y[train]).decision_function(X[:, first])
    np.testing.assert_allclose(scores[:, 0], expected)


def test_the_plane_that_is_drawn_has_the_errors_of_the_first_split():
    names = ["optimal line", "logistic stacking"]
    drawn = real_pairs.training_plane("breast cancer", "logistic", names, 60, data="bundled", seed=3)
    pairs = real_pairs.pair_errors(1, 60, data="bundled", seed=3).query("task == 'breast cancer'")
    training = pairs[pairs.weak == "logistic"].set_index("combiner").training
    assert drawn.lines.combiner.tolist() == names
    for name, *normal, offset in drawn.lines.itertuples(index=False):
        assert (drawn.y * (drawn.scores @ normal + offset) <= 0).mean() == pytest.approx(training[name])
    assert len(drawn.y) * training["optimal line"] == pytest.approx(
        optimal_separator(drawn.scores, drawn.y).weight
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_splits must be an integer >= 1, got 0"):
        real_pairs.pair_errors(0, 60, data="bundled", seed=0)
