"""Errors in training, in truth, and by leaving one out."""

import numpy as np
import pytest

from paperlib.boosting2d import optimal_separator
from paperlib.experiments.boosting2d import samples, section_1_errors
from paperlib.experiments.statistics import mean_and_stderr


def test_bias_is_within_its_error():
    bias = section_1_errors.leave_one_out_bias(12, 150, random_state=0)
    mean, stderr = mean_and_stderr(bias.leave_one_out - bias.true)
    assert abs(mean) < 4 * stderr
    assert (bias.training <= bias.leave_one_out + 1e-12).all()
    assert bias.true.between(samples.bayes_error(), 1).all()


def test_it_is_too_high_for_training_on_all_points():
    few = section_1_errors.leave_one_out_bias(3, 1500, random_state=0)
    mean, stderr = mean_and_stderr(few.leave_one_out - few.resulting)
    assert mean > 3 * stderr
    mean, stderr = mean_and_stderr(few.leave_one_out - few.true)
    assert abs(mean) < 4 * stderr


def test_growth_is_exact():
    grown = section_1_errors.growth([20, 60, 200], random_state=0)
    X, y = samples.clouds(20, random_state=np.random.default_rng(0))
    assert grown.errors[0] == optimal_separator(X, y, method="pairs").weight
    assert (grown.true >= samples.bayes_error()).all()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: section_1_errors.leave_one_out_bias(2, 5), "n must be an integer >= 3, got 2"),
        (lambda: section_1_errors.leave_one_out_bias(5, 0), "n_trials must be an integer >= 1, got 0"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
