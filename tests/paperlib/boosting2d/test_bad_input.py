"""What the four searches for the best line, plane or hyperplane refuse, each in the same words."""

import numpy as np
import pytest
from scipy import sparse

from paperlib.boosting2d import (
    leave_one_out,
    max_margin_line,
    optimal_hyperplane,
    optimal_plane,
    optimal_separator,
)

SHAPES = {optimal_separator: "n, 2", leave_one_out: "n, 2", optimal_plane: "n, 3", optimal_hyperplane: "n, d"}


def zeros(n):
    return lambda d: np.zeros((n, d))


TWO = zeros(2)
BAD = [  # X by the number of its columns, y, weights, words
    (zeros(0), [], None, r"X must have shape \(SHAPE\) with n >= 1.*\(0, [23]\)"),
    (np.zeros, [0, 1, 1], None, r"X must have shape .*\([23],\)"),
    (lambda d: [[0.0] * (d - 1) + [np.nan]], [0], None, "X must be finite, got nan"),
    (lambda d: [[0.0] * (d - 1) + [np.inf]], [0], None, "X must be finite, got inf"),
    (lambda d: [["a"] * d], [0], None, "X must be real numbers"),
    (lambda d: [[1.0] * d, [3.0]], [0, 1], None, "X must be an array, its rows of one length"),
    (zeros(1), [0, 1], None, r"y must have shape \(1,\).*\(2,\)"),
    (zeros(3), [0, 1, 2], None, "y must have at most two distinct labels, got 3"),
    (TWO, [0.0, np.nan], None, "y must be finite labels, got nan"),
    (TWO, [None, "a"], None, "y must hold labels of one type"),
    (TWO, np.array(["NaT", "2020"], dtype="M8"), None, "y must be finite labels"),
    (TWO, [complex("nan"), 1.0], None, "y must hold labels that can be ordered"),
    (TWO, [[1], [2, 3]], None, "y must be an array, its rows of one length"),
    (TWO, np.array([(0, 1), 0, 1], dtype=object)[:1].repeat(2), None, "y must hold labels"),
    (TWO, [0, 1], [1.0], r"sample_weight must have shape \(2,\)"),
    (TWO, [0, 1], [1.0, 0.0], "sample_weight must be > 0, got 0.0"),
    (TWO, [0, 1], [1.0, -2.0], "sample_weight must be > 0, got -2.0"),
    (TWO, [0, 1], [1.0, np.inf], "sample_weight must be finite"),
    (TWO, [0, 1], [1e308, 1e308], "sample_weight must have a finite sum"),
]


@pytest.mark.parametrize("search", SHAPES, ids=lambda search: search.__name__)
@pytest.mark.parametrize("X, y, weights, words", BAD)
def test_bad_input_is_named(search, X, y, weights, words):
    with pytest.raises(ValueError, match=words.replace("SHAPE", SHAPES[search])):
        search(X(2 if SHAPES[search] == "n, 2" else 3), y, weights)


@pytest.mark.parametrize("search, columns", [(optimal_separator, 3), (leave_one_out, 3), (optimal_plane, 2)])
def test_columns_of_another_number_are_named(search, columns):
    with pytest.raises(ValueError, match=rf"X must have shape .*\(3, {columns}\)"):
        search(np.zeros((3, columns)), [0, 1, 1])


@pytest.mark.parametrize(
    "search, name, choices",
    [
        (optimal_separator, "method", "'auto', "),
        (optimal_separator, "tie_break", ""),
        (optimal_separator, "on_misclassified", ""),
        (leave_one_out, "method", "'auto', "),
        (optimal_plane, "method", "'auto', 'branch', 'sweep', "),
    ],
)
def test_an_unknown_choice_is_named(search, name, choices):
    with pytest.raises(ValueError, match=f"{name} must be one of {choices}.*got 'best'"):
        search([[0.0] * (3 if search is optimal_plane else 2)] * 2, [0, 1], **{name: "best"})


@pytest.mark.parametrize("search", [optimal_separator, optimal_plane, optimal_hyperplane])
@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "1", True])
def test_time_limits_that_are_none(search, value):
    with pytest.raises(ValueError, match=f"time_limit must be .*got '?{value}"):
        search(np.eye(3)[:2, : 2 if search is optimal_separator else 3], [0, 1], time_limit=value)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.coo_array])
def test_sparse_points_are_refused_in_words(form):
    flat, solid, y = form(np.eye(3)[:, :2]), form(np.eye(3)), [0, 1, 1]
    for call in (
        lambda: optimal_separator(flat, y),
        lambda: leave_one_out(flat, y),
        lambda: optimal_plane(solid, y),
        lambda: optimal_hyperplane(solid, y),
        lambda: max_margin_line(flat, [[5.0, 5.0]]),
        lambda: max_margin_line([[5.0, 5.0]], form((3, 2))),  # without an entry, and not without a point
        lambda: optimal_separator(np.eye(3)[:, :2], form(np.ones((3, 1)))),
    ):
        with pytest.raises(TypeError, match=r"Sparse data was passed for \w+, but dense data is required"):
            call()
