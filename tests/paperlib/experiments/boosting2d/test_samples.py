"""The notebook's points against what is said of them."""

import numpy as np
import pytest

from paperlib.experiments.boosting2d import samples
from paperlib.experiments.boosting2d.exact import turns
from paperlib.experiments.boosting2d.subsets import subsets


def test_errors_of_a_line_on_the_clouds_are_those_of_a_large_sample():
    X, y = samples.clouds(200_000, random_state=0)
    normal, offset = np.array([0.6, 0.8]), 0.3
    share = (y * (X @ normal + offset) <= 0).mean()
    assert samples.clouds_error(normal, offset) == pytest.approx(share, abs=4 * np.sqrt(0.2 / 200_000))
    turned = [
        samples.clouds_error(np.array([np.cos(a), np.sin(a)]), b) for a in (0, 0.4, 0.6) for b in (0, 0.1)
    ]
    assert min(turned) > samples.bayes_error()


def test_the_introductions_classifiers_err_only_with_noise():
    X, y = samples.introduction(random_state=0)
    assert (y[:, None] * X > 0).all()
    X, y = samples.introduction(noise=0.3, random_state=0)
    assert ((y[:, None] * X > 0).mean(axis=0) < 0.9).all()


def test_figure_2_has_two_optimal_sets():
    X, y = samples.two_optimal_sets()
    best, sets = subsets(X, y > 0, np.ones(len(y)))
    assert best == 2
    assert {tuple(np.flatnonzero(row)) for row in sets} == {(6, 7), (14, 15)}


def test_small_samples_have_all_that_is_nasty():
    rng = np.random.default_rng(0)
    drawn = [samples.small_sample(rng) for _ in range(200)]
    assert {len(X) for X, *_ in drawn} == set(range(2, 8))
    assert any(len(np.unique(X, axis=0)) < len(X) for X, *_ in drawn)
    assert any(len(set(positive.tolist())) == 1 for _, positive, _ in drawn)
    assert all((weights == weights.round()).all() and weights.min() >= 1 for *_, weights in drawn)


def test_larger_samples_are_such_that_integers_decide():
    rng = np.random.default_rng(0)
    drawn = [samples.larger_sample(rng) for _ in range(20)]
    assert all(30 <= len(X) <= 50 and ((X * 2.0**20).round() == X * 2.0**20).all() for X, *_ in drawn)
    assert any(len(np.unique(X, axis=0)) < len(X) for X, *_ in drawn)


def test_points_nearly_in_line_are_apart_by_less_than_floats_can_tell():
    rng = np.random.default_rng(0)
    signs, exact_signs = [], []
    for _ in range(20):
        X, *_ = samples.nearly_in_line(rng)
        (ax, ay), (bx, by), (cx, cy) = X[:3]
        signs.append(np.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)))
        exact_signs.append(turns(X)[0, 1, 2])
    assert signs != exact_signs


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: samples.clouds(0), "n must be an integer >= 1, got 0"),
        (lambda: samples.introduction(noise=2), "noise must be a finite number >= 0 and <= 1, got 2"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
