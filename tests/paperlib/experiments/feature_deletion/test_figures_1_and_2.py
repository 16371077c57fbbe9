"""The experiments of Figures 1 and 2."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from paperlib.experiments.feature_deletion import figures_1_and_2


def test_curves_are_paired_and_repeatable():
    cancer = load_breast_cancer()
    X, y = cancer.data, np.where(cancer.target == 1, 1, -1)
    for run in (
        lambda seed: figures_1_and_2.random_deletion_curves(
            X, y, "measurements", [0, 10], ["LP", "SVM"], n_trials=2, random_state=seed
        ),
        lambda seed: figures_1_and_2.adversary_curves(
            X, y, "measurements", [0, 3, 6], ["LP", "SVM"], "mutual information", n_folds=3, max_train=100,
            random_state=seed,
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
    cancer = load_breast_cancer()
    X, y = cancer.data, np.where(cancer.target == 1, 1, -1)
    errors = [
        figures_1_and_2.adversary_curves(
            X, y, "measurements", [0, 3], ["SVM"], corrupt=corrupt, n_folds=3, random_state=0
        )
        .groupby("budget")
        .error.mean()
        for corrupt in (False, True)
    ]
    assert errors[0][0] == errors[1][0] and errors[0][3] < errors[1][3]


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
