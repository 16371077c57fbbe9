"""Errors in training, in truth, and by leaving one out."""

import pytest

from paperlib.boosting2d import leave_one_out, optimal_separator
from paperlib.experiments.boosting2d import samples, section_1_errors
from paperlib.experiments.random_streams import stream
from paperlib.experiments.statistics import mean_and_stderr


def test_bias_is_within_its_error():
    bias = section_1_errors.leave_one_out_bias([12], [150], seed=0)
    mean, stderr = mean_and_stderr(bias.leave_one_out - bias.true)
    assert abs(mean) < 4 * stderr
    assert (bias.training <= bias.leave_one_out + 1e-12).all()
    assert bias.true.between(samples.bayes_error(), 1).all()
    X, y = samples.clouds(12, random_state=stream(0, "bias 12"))
    assert bias.one_left_out[0] == leave_one_out(X, y).contribution[-1]
    assert bias.training[0] == optimal_separator(X, y).weight / 12


def test_it_is_too_high_for_training_on_all_points():
    few = section_1_errors.leave_one_out_bias([3], [1500], seed=0)
    mean, stderr = mean_and_stderr(few.leave_one_out - few.resulting)
    assert mean > 3 * stderr
    mean, stderr = mean_and_stderr(few.leave_one_out - few.true)
    assert abs(mean) < 4 * stderr


def test_growth_is_exact():
    grown = section_1_errors.growth([20, 60, 200], 2, seed=0)
    assert grown.n.tolist() == [20, 20, 60, 60, 200, 200]
    X, y = samples.clouds(20, random_state=stream(0, "growth 20").spawn(2)[1])
    assert grown.errors[1] == optimal_separator(X, y, method="pairs").weight
    assert (grown.true >= grown.bayes).all() and grown.bayes[0] == samples.bayes_error()


def test_samples_of_one_size_have_together_no_more_points_than_a_million(monkeypatch):
    monkeypatch.setattr(section_1_errors, "MOST_POINTS", 100)
    assert section_1_errors.growth([20, 90, 150], 3, seed=0).groupby("n").size().tolist() == [3, 1, 1]


def test_errors_of_pictures_are_those_of_the_one_that_is_shown():
    found = section_1_errors.picture_errors([0.0, 0.3], 2, seed=4)
    X, y = section_1_errors.picture(0.3, 0, seed=4)
    row = found[(found.noise == 0.3) & (found.picture == 0)].iloc[0]
    assert (row["first"], row["second"]) == tuple((y[:, None] * X <= 0).sum(axis=0))
    assert row.line == optimal_separator(X, y, method="pairs").weight
    assert (found.line <= found[["first", "second"]].min(axis=1)).all()
    assert (found[found.noise == 0][["first", "second", "line"]] == 0).all(axis=None)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: section_1_errors.leave_one_out_bias([2], [5], seed=0), "n must be an integer >= 3, got 2"),
        (
            lambda: section_1_errors.leave_one_out_bias([5], [0], seed=0),
            "n_trials must be an integer >= 1, got 0",
        ),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
