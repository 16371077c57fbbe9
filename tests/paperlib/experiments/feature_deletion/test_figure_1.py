"""Random deletion on few examples, and ties of the programme."""

from types import SimpleNamespace

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import figure_1
from paperlib.experiments.feature_deletion.tied_solutions import RULES

OPTIONS = {"data": "bundled", "seed": 0}


@pytest.mark.slow
def test_curves_are_repeatable_and_deletion_does_harm():
    args = "breast cancer", [0, 20], 50, 2, ["LP", "SVM"]
    rows = figure_1.random_deletion_curves(*args, **OPTIONS)
    assert rows.equals(figure_1.random_deletion_curves.__wrapped__(*args, **OPTIONS))
    assert not rows.equals(figure_1.random_deletion_curves(*args, data="bundled", seed=1))
    means = rows.groupby(["learner", "budget"]).error.mean()
    assert len(rows) == 2 * 2 * 2 and means["LP", 0] < 0.15
    assert (means.xs(20, level="budget") > means.xs(0, level="budget")).all()


@pytest.mark.slow
def test_all_learners_meet_the_same_deletions():
    both, one = (
        figure_1.random_deletion_curves("breast cancer", [0, 10], 50, 2, learners, **OPTIONS)
        for learners in (["LP", "SVM"], ["SVM"])
    )
    assert both[both.learner == "SVM"].error.tolist() == one.error.tolist()


@pytest.mark.slow
def test_rules_differ_where_there_are_ties():
    rows = figure_1.random_deletion_curves("MNIST", [0, 50], 20, 1, list(RULES), **OPTIONS)
    errors = rows.pivot_table(index=["run", "budget"], columns="learner", values="error")
    assert list(errors) == sorted(RULES) and (errors.nunique(axis=1) > 1).all()
    tied = figure_1.ties("MNIST", [0, 50], 20, 1, **OPTIONS)
    assert len(tied) == 20 and 0.1 < tied.tied.mean() < 0.9
    # In the smallest cube there is no margin for all, and a larger one holds all that a smaller one does.
    of_strength = tied.groupby("strength").tied.sum()
    assert of_strength.iloc[0] == 0 and of_strength.is_monotonic_increasing


@pytest.mark.parametrize("n_trials", [0, 1.5])
def test_bad_input_is_named(n_trials):
    with pytest.raises(ValueError, match="n_trials must be an integer"):
        figure_1.random_deletion_curves("breast cancer", [0, 1], 50, n_trials, **OPTIONS)


def test_grids_go_on_where_choices_stood_at_an_edge():
    few, many = (SimpleNamespace(seen=np.ones((50, n))) for n in (57, 784))
    offered = {
        learner: figure_1._candidates(learner, few, np.array([0.0, 50.0]), 0) for learner in figure_1.LEARNERS
    }
    assert {learner: len(each) for learner, each in offered.items()} == {
        "LP": 28, "FDROP": 28, "SVM": 22, "perceptron": 28, "LP, ties left": 28
    }  # fmt: skip
    for candidates in offered.values():
        strengths = [each.strength for each in candidates]
        assert strengths == sorted(strengths)
        units = [each.estimator.get_params()["C"] / each.strength for each in candidates]
        np.testing.assert_allclose(units, units[0], rtol=1e-12)
    assert [
        len(figure_1._candidates(each, many, np.array([0.0, 50.0]), 0)) for each in figure_1.LEARNERS
    ] == [20, 20, 20, 28, 20]
