"""The pictures of a sweep: which lines there are, from tables that no run has made."""

from types import SimpleNamespace

import pytest

from reproduce.scoring.ledger import Statement
from reproduce.sweeps import plots
from reproduce.sweeps.grid import Grid

DOTTED = "; hollow: the statement does not hold; dotted: what it says"


def planned(names, points, axes=None, values=None, verdict="reproduced"):
    """Plan the pictures of one measure: the sum of a point's numbers, or what is given."""
    parameters = {name: SimpleNamespace(meaning=f"meaning of {name}") for name in names}
    sweep = SimpleNamespace(
        paper="alpha",
        grid=Grid(tuple(names), tuple(axes or ((name,) for name in names)), points),
        runs=[SimpleNamespace(notebook=SimpleNamespace(parameters=parameters))],
    )
    values = values or [sum(x for x in point if not isinstance(x, str)) for point in points]
    table = [[*p, "sum", value, 0.1, None, verdict, "", ""] for p, value in zip(points, values)]
    claims = {"sum": SimpleNamespace(statement=Statement("the sum is three", "exact", 3.0))}
    return {figure.parameter: figure for figure in plots.plan(sweep, table, claims).figures}


def strokes(figure):
    """Strokes of all lines through means."""
    [axis] = plots._canvas(figure).axes
    return [each.lines[0].get_linestyle() for each in axis.containers]


def test_a_sweep_over_seeds_has_points_and_no_line():
    figures = planned(["seed"], [(1,), (2,), (3,)])
    assert list(figures["seed"].panels["sum"]) == [""]
    assert strokes(figures["seed"]) == ["None"]
    assert strokes(planned(["noise"], [(1,), (2,)])["noise"]) == ["-"]


def test_seeds_beside_another_parameter_are_pooled():
    figures = planned(["noise", "seed"], [(x, s) for x in (0.1, 0.2) for s in (1, 2, 3)])
    noise, seed = figures["noise"], figures["seed"]
    [(label, places)] = noise.panels["sum"].items()
    assert label == "" and [at.x for at in places] == [0.1, 0.2]
    assert [at.mean for at in places] == pytest.approx([2.1, 2.2])
    # Of 1.1, 2.1, 3.1: Student's t with two degrees of freedom, times 1 / sqrt(3).
    assert [at.error for at in places] == pytest.approx([4.302653 / 3**0.5] * 2)
    assert [each.value for each in places[0].values] == pytest.approx([1.1, 2.1, 3.1])
    assert noise.note == "points, their mean over 3 seeds, and its 95% interval from their spread" + DOTTED
    assert strokes(noise) == ["-"]
    assert list(seed.panels["sum"]) == ["noise=0.1", "noise=0.2"]
    assert strokes(seed) == ["None", "None"]


def test_other_parameters_still_have_a_line_each_and_the_heading_says_what_is_pooled():
    points = [(x, label, s) for x in (1, 2) for label in ("a", "b") for s in (1, 2)]
    noise = planned(["noise", "label", "seed"], points)["noise"]
    assert list(noise.panels["sum"]) == ["label=a", "label=b"]
    [legend] = plots._canvas(noise).legends
    assert legend.get_title().get_text() == (
        "alpha: each measure against noise\n"
        "points, their mean over 2 seeds, and its 95% interval from their spread" + DOTTED
    )


def test_many_combinations_and_seeds():
    points = [(x, n, s) for x in (1, 2) for n in range(7) for s in (1, 2)]
    noise = planned(["noise", "n", "seed"], points)["noise"]
    assert noise.note.startswith("points, their mean over 7 combinations of n and 2 seeds, ")
    assert list(noise.panels["sum"]) == [""]


def test_seeds_that_are_zipped_with_another_parameter():
    figures = planned(["noise", "seed"], [(0.1, 1), (0.2, 2)], axes=[("noise", "seed")])
    assert (strokes(figures["noise"]), strokes(figures["seed"])) == (["-"], ["None"])
    assert figures["noise"].note.startswith("bars: the stated standard errors")


def test_one_bare_point_for_two_seeds_that_are_far_apart_is_no_longer_drawn():
    noise = planned(["noise", "seed"], [(0.1, 0), (0.1, 1), (0.2, 0), (0.2, 1)], values=[0.083, 0.652, 1, 2])
    [places] = noise["noise"].panels["sum"].values()
    assert places[0].error > 0.652 - 0.083
    [axis] = plots._canvas(noise["noise"]).axes
    drawn = [tuple(x) for points in axis.collections for x in getattr(points, "get_offsets", list)()]
    assert {(0.1, 0.083), (0.1, 0.652)} <= {(round(x, 6), round(y, 6)) for x, y in drawn}


def test_rounding_is_no_trend():
    assert not planned(["noise"], [(0.1,), (0.2,)], values=[1.0, 1.0 + 1e-15])
    assert planned(["noise"], [(0.1,), (0.2,)], values=[1.0, 1.001])


def test_what_only_the_seed_moves_has_no_panel_of_another_parameter():
    figures = planned(["noise", "seed"], [(x, s) for x in (1, 2) for s in (1, 2)], values=[5, 7, 5, 7])
    assert list(figures) == ["seed"]


def test_a_panel_says_what_is_measured_and_where_it_does_not_hold():
    [axis] = plots._canvas(planned(["noise"], [(1,), (2,)], verdict="differs")["noise"]).axes
    assert "".join(axis.get_title(loc=at) for at in ("left", "center")).strip() == "the sum is three"
    assert [line.get_ydata()[0] for line in axis.lines if list(line.get_ydata()) == [3.0, 3.0]] == [3.0]
    [points] = [
        each for each in axis.collections if len(each.get_offsets()) == 2 and each.get_facecolor().size
    ]
    assert points.get_facecolor()[0][:3].tolist() == [1.0, 1.0, 1.0]
