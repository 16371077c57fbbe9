"""Three points in the plane, as a distribution and from samples."""

import numpy as np
import pandas as pd
import pytest

from paperlib.experiments.kernel_mean.figure_3_and_table_1 import (
    _stderr_of_std,
    breaking_noise,
    broken_potentials,
    least_lead,
    off_by,
    population_risks,
    table_1,
    wrong_points,
    zero_one_risk,
)
from paperlib.experiments.kernel_mean.risk_minimizers import minimize_hinge, minimize_linear
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, long_servedio


def test_table_1_against_samples_drawn_point_by_point():
    """Counts are sufficient: the table's mean and spread are those of trials point by point."""
    table = table_1(
        {"Linear": minimize_linear},
        [0.0, 0.49],
        n_train=200,
        n_test=100,
        n_trials=600,
        random_state=0,
    )
    rng = np.random.default_rng(1)
    risks = []
    for _ in range(600):
        X, y = long_servedio(200, noise=0.49, random_state=rng)
        T, _ = long_servedio(100, random_state=rng)
        risks.append(np.mean(T @ (y @ X) <= 0))
    clean, noisy = table.itertuples()
    assert clean.mean == 0 and clean.mean_stderr == 0 and clean.right == 1
    assert abs(noisy.mean - np.mean(risks)) < 4 * np.hypot(noisy.mean_stderr, np.std(risks) / np.sqrt(600))
    assert np.isclose(noisy.mean_stderr, noisy.std / np.sqrt(600))


def test_a_score_of_zero_is_an_error():
    test = np.array([[2, 1, 1]])
    assert zero_one_risk(np.array([[0.0, 0.0]]), test)[0] == 1.0
    assert zero_one_risk(np.array([[1.0, 1.0]]), test)[0] == 0.5  # (1, -1) scores exactly zero
    assert zero_one_risk(np.array([[1.0, 0.0]]), test)[0] == 0.0


def test_which_points_are_wrong():
    weights = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, -0.5], [-1.0, 0.0]])
    wrong = wrong_points(weights)
    assert wrong.astype(int).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
    cycle = {"fixed": lambda _, train: np.resize(weights, (len(train), 2))}
    (row,) = table_1(cycle, [0.0], n_train=9, n_test=10_000, n_trials=40, random_state=0).itertuples()
    assert (row.right, row.south_only, row.north_only) == (0.25, 0.25, 0.25)


def test_one_trial_has_no_spread():
    learners = {"Linear": minimize_linear}
    table = table_1(learners, [0.1], n_train=50, n_test=10, n_trials=1, random_state=0)
    assert table["mean_stderr"].tolist() == [0.0]


def test_population_risks_are_those_of_figure_3():
    learners = {
        "Hinge": minimize_hinge,
        "Linear": minimize_linear,
    }
    risks = population_risks(learners, [0.0, 0.15, 0.45])
    assert risks["Hinge"].tolist() == [0.0, 0.5, 0.5]
    assert risks["Linear"].tolist() == [0.0, 0.0, 0.0]


def test_the_breaking_noise_does_not_know_the_scale_but_the_far_point():
    grid = np.geomspace(1e-3, 0.49, 60)
    at_home = breaking_noise(LONG_SERVEDIO_POINTS, grid)
    assert breaking_noise(100 * LONG_SERVEDIO_POINTS, grid) == at_home
    assert breaking_noise([[1, -1], [1, 3], [300, 0]], grid) < at_home / 5
    assert np.isnan(breaking_noise(LONG_SERVEDIO_POINTS, [0.0]))


SIZES = {"n_train": 5, "n_test": 5, "n_trials": 2}


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: table_1({}, [0.1], **SIZES | {"n_trials": 0}),
            "n_trials must be an integer >= 1",
        ),
        (lambda: table_1({}, [0.5], **SIZES), "noise_rates must be .* < 0.5, got 0.5"),
        (lambda: table_1({}, [0.1, 0.1], **SIZES), "noise_rates must be distinct"),
        (lambda: table_1({}, [], **SIZES), "at least one"),
        (
            lambda: table_1({}, [0.1], **SIZES, probabilities=[1, 1, 1]),
            "sum to 1, got 3",
        ),
        (lambda: population_risks({}, [0.7]), "noise_rates"),
        (lambda: breaking_noise([[1, 2]], [0.1]), "three finite points"),
    ],
)
def test_experiments_name_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_standard_error_of_a_standard_deviation():
    rng = np.random.default_rng(0)
    samples = rng.choice([0.0, 0.5, 1.0], size=(4000, 125), p=[0.5, 0.3, 0.2])
    errors = [_stderr_of_std(each) for each in samples[:200]]
    assert np.isclose(np.mean(errors), samples.std(axis=1, ddof=1).std(), rtol=0.05)
    assert _stderr_of_std(np.full(9, 0.3)) == 0


def test_off_by_is_the_farthest_cell_over_what_is_allowed():
    rows = pd.DataFrame(
        {
            "noise": [0.0, 0.1, 0.2],
            "mean": [0.9, 0.5, 0.1],
            "std": [0.3, 0.2, 0.4],
            "mean_stderr": [0.1, 0.03, 0.04],
        }
    ).assign(std_stderr=0.01)
    printed = {
        0.0: (0.0, 0.0),
        0.1: (0.3, 0.25),
        0.2: (0.2, 0.25),
    }  # no deviation, no standard error: left out
    allowed = 0.005 + 4 * 0.25 / np.sqrt(125)
    assert np.allclose(off_by(rows, printed, "mean"), [0.2 / allowed, 0.03 / allowed])
    allowed = 0.005 + 4 * 0.25 / np.sqrt(250)
    assert np.allclose(off_by(rows, printed, "std"), [0.15 / allowed, 0.01 / allowed])
    assert off_by(rows, {0.7: (0.3, 0.1)}, "mean") is None


def test_the_least_lead_of_the_cells_that_are_named():
    rows = [
        (0.1, "Hinge", 0.5, 0.03),
        (0.1, "Linear", 0.1, 0.04),
        (0.2, "Hinge", 0.4, 0.0),
        (0.2, "Linear", 0.6, 0.0),
    ]
    table = pd.DataFrame(rows, columns=["noise", "learner", "mean", "mean_stderr"])
    assert np.allclose(least_lead(table, [(0.1, "Hinge"), (0.3, "Hinge")]), [0.4, 0.05])
    assert np.allclose(least_lead(table, [(0.1, "Hinge"), (0.2, "Hinge")]), [-0.2, 0.0])
    assert least_lead(table, [(0.3, "Hinge")]) is None


def test_noise_breaks_every_convex_potential_that_is_tried():
    broken = broken_potentials([0.0, 0.01, 0.3])
    assert broken.columns.tolist() == ["hinge", "logistic", "exponential", "squared hinge"]
    assert (broken.loc[0.0, ["hinge", "squared hinge"]] == 0).all()
    assert (broken.loc[[0.01, 0.3]] == 0.5).all(axis=None)
    near = broken_potentials([0.01], distance=3.0)
    assert (near == 0).all(axis=None)
