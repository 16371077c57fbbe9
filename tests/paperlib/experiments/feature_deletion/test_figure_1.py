"""Random deletion on few examples, and what it costs which solution of the programme is taken."""

import numpy as np
import pytest

from paperlib.experiments.feature_deletion import figure_1

OPTIONS = {"data": "bundled", "seed": 0}


def test_curves_are_repeatable_and_deletion_does_harm():
    args = "breast cancer", [0, 20], 50, 2, ["LP", "SVM"]
    rows = figure_1.random_deletion_curves(*args, **OPTIONS)
    assert rows.equals(figure_1.random_deletion_curves.__wrapped__(*args, **OPTIONS))
    assert not rows.equals(figure_1.random_deletion_curves(*args, data="bundled", seed=1))
    means = rows.groupby(["learner", "budget"]).error.mean()
    assert len(rows) == 2 * 2 * 2 and means["LP", 0] < 0.15
    assert (means.xs(20, level="budget") > means.xs(0, level="budget")).all()


def test_all_learners_meet_the_same_deletions():
    both, one = (
        figure_1.random_deletion_curves("breast cancer", [0, 10], 50, 2, learners, **OPTIONS)
        for learners in (["LP", "SVM"], ["SVM"])
    )
    assert both[both.learner == "SVM"].error.tolist() == one.error.tolist()


def test_other_solutions_are_taken_where_the_value_is_zero_only():
    rows = figure_1.ties("MNIST", [0, 50], 20, 2, **OPTIONS)
    errors = rows.pivot_table(index=["run", "budget"], columns="solver", values="error")
    assert (errors["gradients"] != errors["interior point"]).any()
    assert rows.zeros.between(0.1, 0.9).all()
    # The gradients' is what Figure 1 has of the programme, on the same splits.
    first = figure_1.random_deletion_curves("MNIST", [0, 50], 20, 2, ["LP"], **OPTIONS)
    assert np.array_equal(rows[rows.solver == "gradients"].error, first.error)


@pytest.mark.parametrize("n_trials", [0, 1.5])
def test_bad_input_is_named(n_trials):
    with pytest.raises(ValueError, match="n_trials must be an integer"):
        figure_1.random_deletion_curves("breast cancer", [0, 1], 50, n_trials, **OPTIONS)
