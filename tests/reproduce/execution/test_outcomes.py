import pytest

from reproduce.execution.outcomes import CellFailure, KernelFailure, failing_line

CELL = "def f(x):\n    return 1 / x\n\nf(0)"


@pytest.mark.parametrize(
    ("traceback", "expected"),
    [
        (["Cell In[3], line 4", "  4 f(0)", "Cell In[3], line 2, in f(x)"], (2, "return 1 / x")),
        (["\x1b[36mCell\x1b[39m In[\x1b[32m3\x1b[39m], line 4\x1b[39m"], (4, "f(0)")),
        (["Cell In[2], line 2", "File elsewhere.py:7"], (1, "def f(x):")),  # a frame of another cell
        (["Cell In[3], line 99"], None),
        ([], (1, "def f(x):")),
    ],
)
def test_the_innermost_line_of_the_cell(traceback, expected):
    assert failing_line(CELL, traceback, 3) == expected


def test_an_empty_cell_has_no_line():
    assert failing_line("", [], 1) is None


def test_reports():
    failure = CellFailure(6, 5, (2, "boom()"), "ValueError", "two\nlines")
    assert failure.report("alpha") == [
        "alpha: failed in cell 7 (In [5]) of notebooks/alpha.ipynb",
        "line 2: boom()",
        "ValueError: two",
        "lines",
    ]
    assert KernelFailure("the kernel died", 0).report("alpha") == [
        "alpha: the kernel died in cell 1 of notebooks/alpha.ipynb"
    ]
