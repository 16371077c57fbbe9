"""The pictures of a sweep: which lines there are, from tables that no run has made."""

import itertools
import math
from types import SimpleNamespace

import pytest
from matplotlib.collections import PathCollection

from reproduce.scoring.ledger import Statement
from reproduce.sweeps import drawing, plots
from reproduce.sweeps.grid import Grid

SUM = {"sum": Statement("the sum is three", "exact", 3.0)}
SPREAD = "points: single seeds; line and bars: mean, and its 95% interval from their spread"


def planned(names, points, values=None, verdict="reproduced"):
    """Plan the pictures of one measure: the sum of a point's numbers, or what is given."""
    parameters = {name: SimpleNamespace(meaning=f"meaning of {name}") for name in names}
    sweep = SimpleNamespace(
        paper="alpha",
        grid=Grid(tuple(names), None, points),
        runs=[SimpleNamespace(notebook=SimpleNamespace(parameters=parameters))],
    )
    values = values or [sum(x for x in point if not isinstance(x, str)) for point in points]
    table = [[*p, "sum", value, 0.1, None, verdict, "", ""] for p, value in zip(points, values)]
    return {figure.name: figure for figure in plots.plan(sweep, table).figures}


def panel(figure, statements=SUM):
    return drawing.on_canvas(figure, statements).axes[0]


def strokes(figure):
    """Strokes of all lines through means."""
    return [each.lines[0].get_linestyle() for each in panel(figure).containers]


def dots(axis):
    return [each for each in axis.collections if isinstance(each, PathCollection)]


def offsets(axis):
    """Points that are drawn, rounded."""
    return {(round(x, 6), round(y, 6)) for each in dots(axis) for x, y in each.get_offsets().tolist()}


def test_a_sweep_over_seeds_has_points_their_mean_and_its_interval():
    figure = planned(["seed"], [(1,), (2,), (3,)])["seed"]
    assert list(figure.panels["sum"]) == [""]
    assert strokes(figure) == ["None"]
    axis = panel(figure, {})
    assert offsets(axis) == {(1, 1), (2, 2), (3, 3)}
    assert [line.get_ydata()[0] for line in axis.lines if len(set(line.get_ydata())) == 1] == [2.0]
    [band] = axis.patches
    figure = planned(["label", "seed"], [(x, s) for x in "ab" for s in (1, 2)], values=[5, 7, 6, 7])["seed"]
    [legend] = drawing.on_canvas(figure, {}).legends
    assert [text.get_text() for text in legend.get_texts()] == ["label=a", "label=b"]
    assert {line.get_linestyle() for line in legend.get_lines()} == {"-", "--"}
    one = planned(["noise", "seed"], [(1, s) for s in (1, 2)])["seed"]
    assert not drawing.on_canvas(one, {}).legends
    assert band.get_height() == pytest.approx(2 * 4.302653 / 3**0.5)  # Student's t, two degrees of freedom
    assert strokes(planned(["noise"], [(1,), (2,)])["noise"]) == ["-"]


def test_seeds_beside_another_parameter_are_pooled():
    figures = planned(["noise", "seed"], [(x, s) for x in (0.1, 0.2) for s in (1, 2, 3)])
    assert list(figures) == ["noise"]  # it has each seed as a point
    [(label, places)] = figures["noise"].panels["sum"].items()
    assert label == "" and [at.x for at in places] == [0.1, 0.2]
    assert [at.mean for at in places] == pytest.approx([2.1, 2.2])
    # Of 1.1, 2.1, 3.1: Student's t with two degrees of freedom, times 1 / sqrt(3).
    assert [at.error for at in places] == pytest.approx([4.302653 / 3**0.5] * 2)
    assert [each.value for each in places[0].values] == pytest.approx([1.1, 2.1, 3.1])
    assert figures["noise"].note == SPREAD
    assert strokes(figures["noise"]) == ["-"]


def test_other_parameters_have_a_line_each_and_the_heading_says_what_is_pooled():
    points = [(x, label, s) for x in (1, 2) for label in ("a", "b") for s in (1, 2)]
    noise = planned(["noise", "label", "seed"], points)["noise"]
    assert list(noise.panels["sum"]) == ["label=a", "label=b"]
    [legend] = drawing.on_canvas(noise, SUM).legends
    assert legend.get_title().get_text().replace("\n", " ") == (
        f"alpha: each measure against noise {SPREAD} "
        "dotted: the paper's number; shaded: allowed; hollow: undecided; cross: does not hold"
    )


def test_lines_with_a_point_for_each_seed_stand_side_by_side():
    points = [(x, label, s) for x in (1, 2) for label in ("a", "b") for s in (1, 2)]
    axis = panel(planned(["noise", "label", "seed"], points)["noise"])
    moved = [each.get_offset_transform().transform((1, 1))[0] for each in dots(axis)]
    assert max(moved) - min(moved) == pytest.approx(drawing.APART / 72 * axis.figure.dpi)
    low, high = axis.get_ylim()
    assert low < 2 and high > 4  # what is moved aside is within the panel


def test_of_many_combinations_there_is_a_mean_without_an_interval():
    points = [(x, n, "ab"[m], s) for x in (1, 2) for n in range(7) for m in (0, 1) for s in (1, 2)]
    noise = planned(["noise", "n", "label", "seed"], points)["noise,n"]
    assert noise.note == "colour: mean over 2 combinations of label and 2 seeds"
    points = [(x, n, m, 1) for x in (1, 2) for n in range(4) for m in (0, 1)]
    noise = planned(["noise", "n", "m", "seed"], points)["noise"]
    assert noise.note == "line: mean over 8 combinations of n, m"
    assert [at.error for at in noise.panels["sum"][""]] == [0, 0]


def test_two_numbers_are_lines_where_they_are_few_and_a_map_where_they_are_many():
    few = planned(["noise", "n"], list(itertools.product((1, 2), range(7))))
    assert list(few) == ["n", "noise,n"]  # two lines against n, and a map in place of seven against noise
    many = planned(["noise", "n"], list(itertools.product(range(8), range(7))))
    assert list(many) == ["noise,n"]
    axis = panel(many["noise,n"])
    assert (axis.get_xlabel(), len(axis.collections[0].get_offsets())) == ("", 56)
    assert list(axis.collections[0].get_array()) == [x + n for x, n in itertools.product(range(8), range(7))]


def test_a_map_shows_where_a_statement_does_not_hold():
    points = list(itertools.product(range(8), range(7)))
    figures = planned(["noise", "n"], points, verdict="differs")
    assert len(panel(figures["noise,n"]).collections) == 2
    figures = planned(["noise", "n"], points)
    assert len(panel(figures["noise,n"]).collections) == 1


def test_points_of_a_design_are_joined_only_where_they_are_a_walk():
    walk = planned(["noise", "n"], [(1, 10), (2, 20), (3, 30)])
    assert list(walk) == ["noise", "n"]
    assert strokes(walk["noise"]) == strokes(walk["n"]) == ["-"]
    drawn = planned(["noise", "n"], [(1, 20), (2, 40), (3, 10), (4, 30)])
    assert list(drawn) == ["noise", "n", "noise,n"]
    assert strokes(drawn["noise"]) == strokes(drawn["n"]) == ["None"]
    assert drawn["noise"].note == "other parameters change, too"


def test_a_grid_from_a_file_has_a_line_for_each_value_of_the_other_parameter():
    noise = planned(["noise", "n"], [(1, 10), (1, 20), (2, 10), (2, 20)])["noise"]
    assert list(noise.panels["sum"]) == ["n=10", "n=20"]
    assert [at.error for line in noise.panels["sum"].values() for at in line] == [0.1] * 4
    begun = planned(["noise", "n"], [(1, 10), (1, 20), (2, 10)])
    assert list(begun) == ["noise", "n"] and list(begun["noise"].panels["sum"]) == ["n=10", "n=20"]


def test_one_bare_point_for_two_seeds_that_are_far_apart_is_no_longer_drawn():
    noise = planned(["noise", "seed"], [(0.1, 0), (0.1, 1), (0.2, 0), (0.2, 1)], values=[0.083, 0.652, 1, 2])
    [places] = noise["noise"].panels["sum"].values()
    assert places[0].error > 0.652 - 0.083
    assert {(0.1, 0.083), (0.1, 0.652)} <= offsets(panel(noise["noise"]))


def test_rounding_is_no_trend():
    assert not planned(["noise"], [(0.1,), (0.2,)], values=[1.0, 1.0 + 1e-15])
    assert planned(["noise"], [(0.1,), (0.2,)], values=[1.0, 1.001])


def test_what_only_the_seed_moves_has_no_panel_of_another_parameter():
    figures = planned(["noise", "seed"], [(x, s) for x in (1, 2) for s in (1, 2)], values=[5, 7, 5, 7])
    assert list(figures) == ["seed"]
    [places] = figures["seed"].panels["sum"].values()  # each seed once: what it says at both is no more
    assert [(at.x, [each.value for each in at.values], at.error) for at in places] == [
        (1, [5], 0.1),
        (2, [7], 0.1),
    ]


@pytest.mark.parametrize(
    ("verdict", "marker", "face"),
    [
        ("reproduced", "o", True),
        (None, "o", True),
        ("inconclusive", "o", False),
        ("differs", "x", True),
        ("corrected", "x", True),
    ],
)
def test_a_point_shows_its_verdict(verdict, marker, face):
    from matplotlib.markers import MarkerStyle

    axis = panel(planned(["noise"], [(1,), (2,)], verdict=verdict)["noise"])
    [points] = dots(axis)
    shape = MarkerStyle(marker)
    assert len(points.get_paths()[0].vertices) == len(shape.get_path().vertices)
    is_white = points.get_facecolor().size and points.get_facecolor()[0][:3].tolist() == [1.0, 1.0, 1.0]
    assert bool(is_white) is not face


@pytest.mark.parametrize(
    ("statement", "small", "line", "allowed"),
    [
        (Statement("it is (the sum)", "exact", 3.0), "sum: 3", 3, (3, 3)),
        (Statement("it is (the sum)", "value", 2.0, tolerance=0.5), "sum: 2", 2, (1.5, 2.5)),
        (Statement("the sum", "bound", 1.5, sense="at most"), "sum: at most 1.5", 1.5, (-math.inf, 1.5)),
        (Statement("the sum", "order"), "sum: above 0", 0, (0, math.inf)),
        (Statement("the sum", "bound", 900.0, sense="at most"), "sum: at most 900", None, (-math.inf, 900)),
    ],
)
def test_a_panel_says_what_is_measured_and_what_is_asked_of_it(statement, small, line, allowed):
    axis = panel(planned(["noise"], [(1,), (2,)])["noise"], {"sum": statement})
    assert "".join(axis.get_title(loc=at) for at in ("left", "center")).strip() == "the sum"
    assert [text.get_text() for text in axis.texts] == [small]
    low, high = axis.get_ylim()
    assert high < 4  # a number that is far away makes no trend flat
    dotted = [each.get_ydata()[0] for each in axis.lines if each.get_color() == "#888888"]
    assert dotted == ([] if line is None else [line])
    [area] = axis.patches
    shaded = area.get_y(), area.get_y() + area.get_height()
    assert shaded == pytest.approx((max(allowed[0], low), min(allowed[1], high)))
