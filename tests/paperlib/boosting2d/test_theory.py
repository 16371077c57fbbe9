"""The paper's statements as functions: what they refuse. Their values are held against runs elsewhere."""

import pytest

from paperlib.boosting2d import theory


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: theory.leave_one_out_lower_bound(-1.0, 3), r"weight must be a finite number >= 0, got -1.0"),
        (lambda: theory.leave_one_out_lower_bound(1.0, 0), r"n must be an integer >= 1, got 0"),
        (lambda: theory.n_line_classes(2.5), r"n must be an integer >= 1, got 2.5"),
    ],
)
def test_numbers_out_of_range_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
