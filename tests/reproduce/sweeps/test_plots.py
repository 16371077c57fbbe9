"""The pictures of a sweep: which lines there are, from tables that no run has made."""

from types import SimpleNamespace

import pytest

from reproduce.sweeps import plots
from reproduce.sweeps.grid import Grid


def planned(names, points, axes=None):
    """Plan the pictures of one measure: the sum of a point's numbers."""
    parameters = {name: SimpleNamespace(meaning=f"meaning of {name}") for name in names}
    sweep = SimpleNamespace(
        paper="alpha",
        grid=Grid(tuple(names), tuple(axes or ((name,) for name in names)), points),
        runs=[SimpleNamespace(notebook=SimpleNamespace(parameters=parameters))],
    )
    table = [[*point, "sum", sum(x for x in point if not isinstance(x, str)), 0.1] for point in points]
    return {figure.parameter: figure for figure in plots.plan(sweep, table).figures}


def strokes(figure):
    """Strokes of all lines through points."""
    [axis] = plots._canvas(figure).axes
    return [line.get_linestyle() for line in axis.lines if line.get_marker() in plots.MARKERS]


def test_a_sweep_over_seeds_has_points_and_no_line():
    figures = planned(["seed"], [(1,), (2,), (3,)])
    assert list(figures["seed"].panels["sum"]) == [""]
    assert strokes(figures["seed"]) == ["None"]
    assert strokes(planned(["noise"], [(1,), (2,)])["noise"]) == ["-"]


def test_seeds_beside_another_parameter_are_pooled():
    figures = planned(["noise", "seed"], [(x, s) for x in (0.1, 0.2) for s in (1, 2, 3)])
    noise, seed = figures["noise"], figures["seed"]
    [(label, (xs, means, errors))] = noise.panels["sum"].items()
    assert (label, xs, means) == ("", [0.1, 0.2], pytest.approx([2.1, 2.2]))
    assert errors == pytest.approx([0.1 / 3**0.5] * 2)
    assert noise.note == "mean over 3 seeds"
    assert strokes(noise) == ["-"]
    assert list(seed.panels["sum"]) == ["noise=0.1", "noise=0.2"]
    assert strokes(seed) == ["None", "None"]


def test_other_parameters_still_have_a_line_each_and_the_heading_says_what_is_pooled():
    points = [(x, label, s) for x in (1, 2) for label in ("a", "b") for s in (1, 2)]
    noise = planned(["noise", "label", "seed"], points)["noise"]
    assert list(noise.panels["sum"]) == ["label=a", "label=b"]
    [legend] = plots._canvas(noise).legends
    assert legend.get_title().get_text() == "alpha: each measure against noise\nmean over 2 seeds"


def test_many_combinations_and_seeds():
    points = [(x, n, s) for x in (1, 2) for n in range(7) for s in (1, 2)]
    noise = planned(["noise", "n", "seed"], points)["noise"]
    assert noise.note == "mean over 7 combinations of n and 2 seeds"
    assert list(noise.panels["sum"]) == [""]


def test_seeds_that_are_zipped_with_another_parameter():
    figures = planned(["noise", "seed"], [(0.1, 1), (0.2, 2)], axes=[("noise", "seed")])
    assert (strokes(figures["noise"]), strokes(figures["seed"])) == (["-"], ["None"])
    assert figures["noise"].note == ""
