"""Each method has one look, and no two in one figure have the same."""

import itertools

import pytest

from paperlib.experiments import plotting
from paperlib.experiments.max_loss import method_colours
from paperlib.experiments.max_loss.method_colours import COLOUR_OF, LINE_OF, MARKER_OF

FIGURES = [
    ("uniform", "FOL", "FOL, 10 times η", "SGD, hinge"),
    ("FOL", "uniform", "reversed"),
    ("FOL", "SGD", "AdaBoost", "hard examples"),
    ("uniform", "FOL", "FOL, 10 times η", "EXP3.P.1", "AdaBoost", "sublinear"),
]


def test_all_methods_have_a_whole_style():
    assert set(COLOUR_OF) == set(LINE_OF) == set(MARKER_OF)
    assert set(COLOUR_OF.values()) <= {*plotting.COLOURS, method_colours.GREY}


@pytest.mark.parametrize("methods", FIGURES, ids=lambda methods: methods[-1])
def test_methods_of_a_figure_differ_in_grey_too(methods):
    for one, other in itertools.combinations(methods, 2):
        assert LINE_OF[one] != LINE_OF[other] and MARKER_OF[one] != MARKER_OF[other]
        assert COLOUR_OF[one] != COLOUR_OF[other] or COLOUR_OF[one] == method_colours.GREY


def test_the_same_rule_has_one_colour():
    for each in (COLOUR_OF, LINE_OF, MARKER_OF):
        assert each["uniform"] == each["SGD"]


def test_keywords_for_lines_and_points():
    _, axis = plotting.figure()
    [line] = axis.plot([0, 1], **method_colours.line_style("AdaBoost"))
    [points] = axis.plot([0, 1], **method_colours.point_style("AdaBoost"))
    assert line.get_color() == points.get_color() == plotting.COLOURS[3]
    assert (line.get_marker(), points.get_linestyle()) == ("", "None")
