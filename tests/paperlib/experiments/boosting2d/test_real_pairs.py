"""Pairs of weak classifiers on real data."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from paperlib.experiments import datasets
from paperlib.experiments.boosting2d import real_pairs
from paperlib.experiments.boosting2d.baselines import COMBINERS


@pytest.mark.parametrize("weak", real_pairs.WEAK)
def test_no_other_line_has_fewer_training_errors(weak):
    tasks = real_pairs.tasks({name: datasets.load(name) for name in ("breast_cancer", "digits")})
    assert list(tasks) == ["breast cancer", "digits 1, 8", "digits 3, 8", "digits 3, 9"]
    trials = real_pairs.pair_trials(
        *tasks["breast cancer"], real_pairs.WEAK[weak], n_splits=2, max_train=100, random_state=0
    )
    assert trials.combiner.unique().tolist() == list(COMBINERS)
    for _, each in trials.groupby("split"):
        assert each.training.min() == each.training[each.combiner == "optimal line"].item()
    again = real_pairs.pair_trials(
        *tasks["breast cancer"], real_pairs.WEAK[weak], n_splits=2, max_train=100, random_state=0
    )
    assert trials.equals(again)


def test_spambase_is_split_into_words_and_the_rest():
    spam = SimpleNamespace(X=np.zeros((4, 57)), y=np.array([-1, 1, -1, 1]))
    [(_, _, first, second)] = real_pairs.tasks({"spambase": spam}).values()
    assert sorted([*first, *second]) == list(range(57))


def test_scores_of_one_split_are_of_the_training_rows_classifiers():
    X, y, first, second = real_pairs.tasks({"breast_cancer": datasets.load("breast_cancer")})["breast cancer"]
    scores, train = real_pairs.one_split(X, y, first, second, LogisticRegression(), 50, 0)
    assert (len(train), scores.shape) == (50, (569, 2))
    expected = LogisticRegression().fit(X[train][:, first], y[train]).decision_function(X[:, first])
    np.testing.assert_allclose(scores[:, 0], expected)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_splits must be an integer >= 1, got 0"):
        real_pairs.pair_trials(*[None] * 5, n_splits=0)
