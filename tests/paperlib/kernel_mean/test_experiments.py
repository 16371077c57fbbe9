"""Samples, noise and the experiments of Section 7."""

import itertools

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from paperlib.kernel_mean import (
    KernelMeanClassifier,
    checkerboard,
    experiments,
    flip_labels,
    long_servedio,
    minimize_hinge,
    minimize_linear,
    theory,
)
from paperlib.kernel_mean.samples import LONG_SERVEDIO_POINTS


def test_the_checkerboard_alternates_and_keeps_its_gaps():
    X, y, cluster = checkerboard(2000, spread=0.5, random_state=0)
    row, column = np.divmod(cluster, 4)
    assert (y == np.where((row + column) % 2 == 0, 1, -1)).all()
    assert (np.abs(X - np.column_stack([column, row]) - 0.5) <= 0.25).all()
    assert sorted(set(cluster.tolist())) == list(range(16))


def test_long_servedio_has_three_points_in_their_shares():
    X, y = long_servedio(40_000, noise=0.3, random_state=0)
    shares = [(point == X).all(axis=1).mean() for point in LONG_SERVEDIO_POINTS]
    assert np.allclose(shares, [0.5, 0.25, 0.25], atol=4 * 0.0025)
    assert abs((y == -1).mean() - 0.3) < 4 * np.sqrt(0.21 / 40_000)


def test_more_noise_flips_the_same_labels_and_more():
    y = np.ones(500, dtype=int)
    flipped = [flip_labels(y, noise, random_state=3) == -1 for noise in (0.0, 0.1, 0.3, 1.0)]
    assert not flipped[0].any() and flipped[3].all()
    assert all((less <= more).all() for less, more in itertools.pairwise(flipped))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: checkerboard(0), "n must be an integer >= 1, got 0"),
        (lambda: checkerboard(5, spread=0), "spread must be"),
        (lambda: long_servedio(10, noise=1.5), "noise must be a finite number >= 0 and <= 1, got 1.5"),
        (lambda: flip_labels([0, 1], 0.1), "labels -1 and \\+1 only, got 0"),
        (lambda: flip_labels([1, -1], float("nan")), "noise must be"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_table_1_against_samples_drawn_point_by_point():
    """Counts are sufficient: the table's mean and spread are those of trials point by point."""
    table = experiments.table_1(
        {"Linear": experiments.for_each_sample(minimize_linear)},
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
    assert clean.mean == 0 and clean.stderr == 0 and clean.right == 1
    assert abs(noisy.mean - np.mean(risks)) < 4 * np.hypot(noisy.stderr, np.std(risks) / np.sqrt(600))
    assert np.isclose(noisy.stderr, noisy.std / np.sqrt(600))


def test_a_score_of_zero_is_an_error():
    test = np.array([[2, 1, 1]])
    assert experiments.zero_one_risk(np.array([[0.0, 0.0]]), test)[0] == 1.0
    assert experiments.zero_one_risk(np.array([[1.0, 1.0]]), test)[0] == 0.5  # (1, -1) scores exactly zero
    assert experiments.zero_one_risk(np.array([[1.0, 0.0]]), test)[0] == 0.0


def test_which_points_are_wrong():
    weights = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, -0.5], [-1.0, 0.0]])
    wrong = experiments.wrong_points(weights)
    assert wrong.astype(int).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]]
    cycle = {"fixed": lambda train: np.resize(weights, (len(train), 2))}
    (row,) = experiments.table_1(
        cycle, [0.0], n_train=9, n_test=10_000, n_trials=40, random_state=0
    ).itertuples()
    assert (row.right, row.south_only, row.north_only) == (0.25, 0.25, 0.25)


def test_one_trial_has_no_spread():
    learners = {"Linear": experiments.for_each_sample(minimize_linear)}
    table = experiments.table_1(learners, [0.1], n_train=50, n_test=10, n_trials=1, random_state=0)
    assert table["stderr"].tolist() == [0.0]


def test_noise_curves_share_splits_and_score_clean_labels():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.array([-1, 1, 1] * 30)
    classifiers = {"a": DummyClassifier(strategy="constant", constant=1), "b": KernelMeanClassifier("linear")}
    curves = experiments.noise_curves(X, y, classifiers, [0.0, 0.4], n_splits=3, max_train=30, random_state=0)
    assert len(curves) == 12
    assert np.allclose(curves.zero_one[curves.classifier == "a"], 1 / 3)
    again = experiments.noise_curves(X, y, classifiers, [0.0, 0.4], n_splits=3, max_train=30, random_state=0)
    assert curves.equals(again)


def test_bounds():
    assert np.isclose(theory.theorem_5(100, np.exp(-2)), 0.2 + 0.2)
    assert np.isclose(theory.lemma_9(100, np.exp(-2), 0.25), 0.8)
    assert np.isclose(theory.theorem_21(3.0, 4, np.exp(-1)), 3.0)


def test_population_risks_are_those_of_figure_3():
    learners = {
        "Hinge": experiments.for_each_sample(minimize_hinge),
        "Linear": experiments.for_each_sample(minimize_linear),
    }
    risks = experiments.population_risks(learners, [0.0, 0.15, 0.45])
    assert risks["Hinge"].tolist() == [0.0, 0.5, 0.5]
    assert risks["Linear"].tolist() == [0.0, 0.0, 0.0]


def test_the_breaking_noise_does_not_know_the_scale_but_the_far_point():
    grid = np.geomspace(1e-3, 0.49, 60)
    at_home = experiments.breaking_noise(LONG_SERVEDIO_POINTS, grid)
    assert experiments.breaking_noise(100 * LONG_SERVEDIO_POINTS, grid) == at_home
    assert experiments.breaking_noise([[1, -1], [1, 3], [300, 0]], grid) < at_home / 5
    assert np.isnan(experiments.breaking_noise(LONG_SERVEDIO_POINTS, [0.0]))
