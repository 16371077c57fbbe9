"""The experiments of Figures 1 and 2."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from paperlib.experiments.feature_deletion import figures_1_and_2
from paperlib.experiments.feature_deletion.figures_1_and_2 import Protocol

CANCER = load_breast_cancer()
X, y = CANCER.data, np.where(CANCER.target == 1, 1, -1)


def test_curves_are_paired_and_repeatable():
    for run in (
        lambda seed: figures_1_and_2.random_deletion_curves(
            X, y, "measurements", [0, 10], ["LP", "SVM"], n_trials=2, random_state=seed
        ),
        lambda seed: figures_1_and_2.adversary_curves(
            X, y, "measurements", [0, 3, 6], ["LP", "SVM"], "mutual information",
            protocol=Protocol(3, max_train=100), random_state=seed,
        ),
    ):  # fmt: skip
        rows = run(0)
        assert rows.equals(run(0)) and not rows.equals(run(1))
        means = figures_1_and_2.summarise(rows, ["learner", "budget"])
        assert means.error.loc["LP", 0] < 0.15 and (means.runs >= 2).all()
        assert means.error.groupby("learner").is_monotonic_increasing.all() or len(means) == 4
        gap = figures_1_and_2.gap(rows, "SVM", "LP")
        errors = rows.groupby("learner").error.mean()
        assert np.isclose(gap.mean(), errors["SVM"] - errors["LP"])


def test_noise_hurts_more_than_deletion():

    def curves(corrupt):
        options = {"corrupt": corrupt, "protocol": Protocol(3, 2, 200, 80), "random_state": 0}
        return figures_1_and_2.adversary_curves(X, y, "measurements", [0, 3], ["LP", "SVM"], **options)

    both, alone = curves(True), curves(False)
    deleted, corrupted = (both[both.corrupted == which] for which in (False, True))
    assert deleted.reset_index(drop=True).equals(alone) and len(corrupted) == len(deleted) == 14
    assert corrupted.budget.tolist() == deleted.budget.tolist()
    errors = [each.groupby(["learner", "budget"]).error.mean().unstack() for each in (deleted, corrupted)]
    assert (errors[0][0] == errors[1][0]).all() and (errors[0][3] < errors[1][3]).all()


def test_the_other_order_of_the_adversary_is_met_beside_the_first():

    def curves(**more):
        args = X, y, "measurements", [0, 3, 6], ["SVM", "perceptron"], "mutual information"
        return figures_1_and_2.adversary_curves(
            *args, protocol=Protocol(3, max_train=200), random_state=0, **more
        )

    both, alone = curves(by_value=True), curves()
    first, second = (both[both.by_value == which] for which in (False, True))
    assert first.reset_index(drop=True).equals(alone) and not both.corrupted.any()
    assert second.budget.tolist() == first.budget.tolist() and len(second) == 3 * 2 * 3
    # Most of the margin goes first, or what is dear: the latter does less harm.
    mean = [each[each.budget == 6].error.mean() for each in (first, second)]
    assert mean[0] > mean[1] + 0.01
    three = curves(by_value=True, corrupt=True)
    assert three[three.by_value].reset_index(drop=True).equals(second.reset_index(drop=True))
    assert three.corrupted.sum() == three.by_value.sum() == len(first)


def test_chunks_and_fewer_folds_for_the_programme():
    few = X[:300, :10], y[:300], "measurements", [0, 3], ["LP", "SVM"]
    curves = [
        figures_1_and_2.adversary_curves(*few, protocol=protocol, random_state=0)
        for protocol in (Protocol(3, 2, chunk=60), Protocol(3), Protocol(3, chunk=10_000))
    ]
    runs = curves[0].groupby("learner").run.nunique()
    assert runs.to_dict() == {"LP": 2, "LP, chunks": 2, "SVM": 3}
    assert len(figures_1_and_2.gap(curves[0], "SVM", "LP, chunks")) == 2
    # Whole programmes and the others are what they are without chunks; one chunk is the whole.
    for learner in ("LP", "SVM"):
        without = curves[1][(curves[1].learner == learner) & (curves[1].run < runs[learner])]
        assert np.array_equal(curves[0][curves[0].learner == learner].error, without.error)
    one = curves[2].set_index("learner").error
    assert np.array_equal(one["LP"], one["LP, chunks"])
    chunks = curves[0][curves[0].learner == "LP, chunks"]
    assert chunks.error.max() < 0.4 and not np.array_equal(chunks.error, one["LP"][: len(chunks)])


def test_edges_of_a_grid_are_counted():
    least, *_, largest = figures_1_and_2.sizes("LP", 3)
    strengths = [least, least, largest, 10.0, 0.5]
    rows = pd.DataFrame({"learner": ["LP, chunks"] * 4 + ["SVM"], "strength": strengths})
    found = figures_1_and_2.at_the_edge(rows, 3).set_index("learner")
    assert found.loc["LP, chunks"].tolist() == [0.5, 0.25] and found.loc["SVM"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: figures_1_and_2.check_budgets([0], "budgets", 5), "at least two numbers in ascending order"),
        (lambda: figures_1_and_2.check_budgets([0, 5], "budgets", 5), "below the 5 features"),
        (lambda: figures_1_and_2.check_budgets([-1, 2], "budgets", 5), "every one of budgets must be"),
        (
            lambda: figures_1_and_2.adversary_curves(
                np.ones((9, 3)), np.ones(9), "images", [0, 1], ["LP"], weighting="equal"
            ),
            "weighting must be one of",
        ),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
