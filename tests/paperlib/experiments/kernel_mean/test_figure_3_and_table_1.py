"""Three points in the plane, as a distribution and from samples."""

import numpy as np
import pytest

from paperlib.experiments.kernel_mean.figure_3_and_table_1 import (
    breaking_noise,
    breaking_table,
    broken_potentials,
    lines,
    population_risks,
    risks_of,
    table_1,
    wrong_points,
    zero_one_risk,
)
from paperlib.experiments.kernel_mean.samples import LONG_SERVEDIO_POINTS, long_servedio


def test_table_1_against_samples_drawn_point_by_point():
    """Counts are sufficient: the table's mean and spread are those of trials point by point."""
    table = table_1([0.0, 0.49], 200, 100, 600, 0, seed=0)
    table = table[table.learner == "Linear"]
    rng = np.random.default_rng(1)
    risks = []
    for _ in range(600):
        X, y = long_servedio(200, noise=0.49, random_state=rng)
        T, _ = long_servedio(100, random_state=rng)
        risks.append(np.mean(T @ (y @ X) <= 0))
    clean, noisy = (each for _, each in table.groupby("noise"))
    assert clean.wrong.tolist() == ["none"] and clean.trials.tolist() == [600]
    found = np.repeat(noisy.risk, noisy.trials)
    assert len(found) == 600 and set(noisy.wrong) <= {"none", "south", "north", "south north", "south far",
        "north far", "far", "south north far"}  # fmt: skip
    assert abs(found.mean() - np.mean(risks)) < 4 * np.hypot(found.std(), np.std(risks)) / np.sqrt(600)


def test_further_trials_are_of_one_cell():
    few, more = (table_1([0.0, 0.4], 50, 50, 5, n_close, seed=0) for n_close in (0, 4))
    counts = more.groupby(["learner", "noise"]).trials.sum()
    assert counts["t-logistic", 0.4] == 9 and (counts.drop(("t-logistic", 0.4)) == 5).all()
    same = ["noise", "learner", "wrong", "risk", "trials"]
    hinge = [each[each.learner == "Hinge"][same].reset_index(drop=True) for each in (few, more)]
    assert hinge[0].equals(hinge[1])


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
    trials = risks_of(cycle, [0.0], 9, 10_000, 40, np.random.default_rng(0))
    assert trials.groupby("wrong").trials.sum().to_dict() == {
        "none": 10, "south": 10, "north": 10, "south north far": 10
    }  # fmt: skip
    assert (trials.risk[trials.wrong == "none"] == 0).all()


def test_population_risks_are_those_of_figure_3():
    risks = population_risks([0.0, 0.15, 0.45]).set_index("loss").risk
    assert risks["Hinge"].tolist() == [0.0, 0.5, 0.5]
    assert risks["Linear"].tolist() == [0.0, 0.0, 0.0]
    drawn = lines(0.15).set_index("line")
    assert drawn.risk.to_dict() == {
        "hinge, clean": 0.0, "linear, clean": 0.0, "hinge, noisy": 0.5, "linear, noisy": 0.0
    }  # fmt: skip


def test_the_breaking_noise_does_not_know_the_scale_but_the_far_point():
    at_home = breaking_noise(LONG_SERVEDIO_POINTS)
    assert np.isclose(at_home, 4 / 53, atol=1e-9)
    assert breaking_noise(100 * LONG_SERVEDIO_POINTS) == at_home
    assert breaking_noise([[1, -1], [1, 3], [300, 0]]) < at_home / 5
    assert breaking_noise([[1, 0.1], [1, -0.1], [1, 0.2]]) == 0.5  # no noise breaks these


def test_all_noise_beyond_the_least_breaks_the_hinge():
    least = breaking_noise(LONG_SERVEDIO_POINTS)
    below, above = np.linspace(0, least, 50)[:-1], np.linspace(least, 0.499, 200)[1:]
    risks = [population_risks(list(each)).query("loss == 'Hinge'").risk for each in (below, above)]
    assert (risks[0] < 0.5).all() and (risks[1] >= 0.5).all()


SIZES = 5, 5, 2, 0


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: table_1([0.1], 5, 5, 0, 0, seed=0),
            "n_trials must be an integer >= 1",
        ),
        (lambda: table_1([0.5], *SIZES, seed=0), "noise_rates must be .* < 0.5, got 0.5"),
        (lambda: table_1([0.1, 0.1], *SIZES, seed=0), "noise_rates must be distinct"),
        (lambda: table_1([], *SIZES, seed=0), "at least one"),
        (lambda: population_risks([0.7]), "noise_rates"),
        (lambda: breaking_noise([[1, 2]]), "three finite points"),
    ],
)
def test_experiments_name_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_noise_breaks_every_convex_potential_that_is_tried():
    broken = broken_potentials([0.0, 0.01, 0.3], 2, seed=0).pivot(
        index="noise", columns="potential", values="risk"
    )
    names = ["exponential", "hinge", "logistic", "random 0", "random 1", "squared hinge"]
    assert sorted(broken.columns) == names
    assert (broken.loc[0.0, ["hinge", "squared hinge"]] == 0).all()
    assert (broken.loc[[0.01, 0.3]] == 0.5).all(axis=None)
    assert (broken_potentials([0.01], 2, distance=3.0, seed=0).risk == 0).all()


def test_the_table_of_what_breaks_the_hinge():
    noise = breaking_table().set_index(["change", "to"]).noise
    assert noise["scale"].nunique() == 1 and noise["scale", 1.0] == noise["far point", 30.0]
    assert noise["far point", 3000.0] < noise["far point", 300.0] / 5
