"""The pictures' numbers against the library's, and against counting."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import pictures, samples
from paperlib.experiments.boosting2d.sections_1_and_2 import Sample


def test_a_line_that_turns_meets_every_point_twice():
    X, y = samples.clouds(25, random_state=0)
    centre = int(np.flatnonzero(y > 0)[0])
    angles, errors = pictures.turning_weight(X, y, centre)
    assert len(errors) == len(angles) - 1 == 2 * 25 - 1 and (np.diff(angles) > 0).all()
    assert errors[0] == errors[-1] and (np.abs(np.diff(errors)) == 1).all()
    # One by one, with the centre on the line and right.
    for k in range(len(errors)):
        angle = (angles[k] + angles[k + 1]) / 2
        scores = (X - X[centre]) @ [-np.sin(angle), np.cos(angle)]
        wrong = np.where(y > 0, scores <= 0, scores >= 0)
        wrong[centre] = False
        assert errors[k] == wrong.sum()


def test_the_lightest_interval_is_the_lightest_line_that_misclassifies():
    for seed in range(5):
        X, y = samples.clouds(14, random_state=seed)
        sample = Sample(X, y > 0, np.ones(14))
        for a in np.flatnonzero(y > 0):
            intervals, points = pictures.intervals_about(X, y, int(a))
            assert len(intervals) == 2 * 13 and intervals.opens.between(0, 2 * np.pi).all()
            _, sets, weights = sample.lines[a]
            for point, _, lightest in points.itertuples(index=False):
                assert lightest == weights[sets[:, int(point)]].min()


def test_the_lightest_line_through_any_point_is_the_optimum():
    X, y = samples.clouds(25, random_state=1)
    least = min(pictures.turning_weight(X, y, i)[1].min() for i in np.flatnonzero(y > 0))
    assert least == optimal_separator(X, y).weight


def test_boxes_begin_with_all_lines_and_nest():
    X, y = samples.clouds(500, random_state=0)
    boxes = pictures.boxes_met(X, y)
    assert len(boxes) > 30
    for _, each in boxes.groupby(["steep", "above"]):
        first = each[each.slope_to - each.slope_from > 0.49]
        assert len(first) == 4 and first.slope_from.min() <= -1 and first.slope_to.max() >= 1
        for row in each.iloc[4:].itertuples():  # in one of those before it
            before = each.loc[: row.Index - 1]
            assert (
                (before.slope_from <= row.slope_from)
                & (row.slope_to <= before.slope_to)
                & (before.intercept_from <= row.intercept_from + 1e-9)
                & (row.intercept_to <= before.intercept_to + 1e-9)
            ).any()


def test_tied_lines_are_all_optimal_and_the_fattest_comes_first():
    X, y = pictures.sample_with_ties(lambda rng: samples.clouds(40, random_state=rng), 5, 0)
    lines, best = pictures.tied_lines(X, y), optimal_separator(X, y)
    assert len(lines) == best.n_optimal >= 5
    assert lines[0][2] == pytest.approx(best.margin)
    for normal, offset, margin in lines:
        scores = X @ normal + offset
        wrong = y * scores <= 0
        assert wrong.sum() == best.weight
        assert np.abs(scores[~wrong]).min() == pytest.approx(margin)


def test_a_sample_with_as_many_ties_as_can_be_had():
    X, y = pictures.sample_with_ties(lambda rng: samples.clouds(20, random_state=rng), 10**6, 0, tries=5)
    rng = np.random.default_rng(0)
    counts = [len(pictures.tied_lines(*samples.clouds(20, random_state=rng))) for _ in range(5)]
    assert len(pictures.tied_lines(X, y)) == max(counts)
