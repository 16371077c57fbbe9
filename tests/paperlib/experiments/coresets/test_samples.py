"""Samples: margins, labels and sizes that they are made for."""

import dataclasses

import numpy as np
import pytest

from paperlib.coresets import CoresetSVC
from paperlib.experiments import datasets
from paperlib.experiments.coresets import measures, samples, theory


def test_half_spaces_leave_the_slab_empty():
    X, y = samples.half_spaces(300, 4, 0.3, random_state=0)
    assert np.allclose(np.linalg.norm(X, axis=1), 1.0)
    assert (y * X[:, 0]).min() >= 0.3
    assert measures.optimal_margin(X, y) == pytest.approx(0.3, rel=0.1)


@pytest.mark.parametrize("ratio", [1.5, 3.0])
def test_the_rule_ends_a_star_after_as_many_points(ratio):
    X, y = samples.star(400, ratio)
    expected = (ratio**2 - 1) * (1 / 0.2 - 1)
    for selection in ("worst", "first"):
        size = len(CoresetSVC(0.2, selection=selection).fit(X, y).coreset_indices_)
        assert expected - 1 <= size <= expected + 2


@pytest.mark.parametrize("ratio, eps", [(1.5, 0.2), (2.0, 0.3), (4.0, 0.6)])
def test_all_points_of_a_staircase_join(ratio, eps):
    X, y, steps = samples.staircase(ratio, eps, filler=5)
    points = y[:, None] * X
    assert np.allclose(np.linalg.norm(points, axis=1), 1.0)
    best = measures.best_hyperplane(points)
    assert 0.9 * ratio < 1.0 / best.margin <= ratio
    assert best.normal == pytest.approx(points[-1], abs=1e-6)
    fits = {rule: CoresetSVC(eps, selection=rule).fit(X, y) for rule in ("worst", "first")}
    assert fits["first"].coreset_indices_.tolist() == list(range(steps))
    assert len(fits["worst"].coreset_indices_) < 0.7 * steps
    assert steps == theory.corollary_3_2_sharp(1.0 / best.margin, eps)


def test_points_of_uneven_length_are_separable():
    X, y = samples.uneven(200, 3, random_state=0)
    lengths = np.linalg.norm(X, axis=1)
    assert lengths.max() > 20 * lengths.min()
    assert measures.optimal_margin(X, y) > 0.09


def test_axes_come_in_copies():
    X, y = samples.axes(3, 2)
    assert (y[:, None] * X == np.vstack([np.eye(3)] * 2)).all()


@pytest.mark.parametrize("k", [2, 5, 20])
def test_clusters_come_in_turn(k):
    X, y = samples.in_turn(100, k, 4)
    points = y[:, None] * X
    centres = points[np.r_[0, 100 - 4 * np.arange(k - 1, 0, -1)]]
    assert len(np.unique(points, axis=0)) == k and (points[: 100 - 4 * (k - 1)] == centres[0]).all()
    for j in range(1, k):
        best = measures.best_hyperplane(centres[:j])
        margins = centres @ best.normal / best.margin
        assert margins[j] == pytest.approx(-1.0, rel=1e-6)
        assert np.delete(margins, j).min() > 1.0 - 1e-6
    assert measures.best_hyperplane(centres).margin > 0


def test_what_is_hidden_is_on_the_wrong_side_of_the_rest():
    X, y = samples.hidden(100, 5, random_state=0)
    assert (y < 0).sum() == 5
    rest = X[y > 0].mean(axis=0)
    assert (X[y < 0] @ rest > 0.5).all()
    assert measures.optimal_margin(X, y) > 0.5


def test_flipped_points_are_those_on_the_wrong_side():
    X, y, outliers = samples.flipped(100, 3, 0.2, 7, random_state=1)
    assert np.flatnonzero(y * X[:, 0] < 0).tolist() == outliers.tolist()


def test_a_few_images_of_two_digits_are_of_both():
    digits = datasets.load("mnist")
    rows = np.flatnonzero(np.isin(digits.y, (0, 1)))
    X, y = samples.two_digits(digits, 0, 1, 4000)
    assert (digits.X[rows] / 255 == X).all() and (y == np.where(digits.y[rows] == 1, 1, -1)).all()
    few, labels = samples.two_digits(digits, 0, 1, 21)
    assert (labels < 0).sum() == 11 and (few == X[np.r_[:11, 500:510]]).all()
    mixed = dataclasses.replace(digits, X=digits.X[::-1], y=np.tile(np.arange(10), 500))
    assert (samples.two_digits(mixed, 0, 1, 5)[1] == [-1, 1, -1, 1, -1]).all()  # as they come


@pytest.mark.parametrize(
    "bad", [{"n": 0}, {"length": 0}, {"follow": 1.5}, {"noise": -1}, {"part": "validation"}]
)
def test_sequences_refuse(bad):
    with pytest.raises(ValueError, match=f"{next(iter(bad))} must be"):
        samples.digit_sequences(**bad)
