"""The style of figures: the same bytes on every run, and every series told apart without its colour."""

import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import colors
from matplotlib import pyplot as plt

from paperlib.experiments import plotting
from tests.programs import printed

PROGRAM = """
import sys
import time
import numpy as np
import matplotlib as mpl
from paperlib.experiments import plotting

if "changed" in sys.argv:
    mpl.rcParams.update({"savefig.bbox": "tight", "savefig.facecolor": "red", "savefig.dpi": 33,
                         "lines.linewidth": 7, "xtick.direction": "in", "axes.labelcolor": "blue",
                         "svg.hashsalt": "mine", "svg.fonttype": "none", "path.simplify": False,
                         "font.family": "serif", "image.cmap": "hot", "scatter.edgecolors": "k"})
if "later" in sys.argv:
    now = time.time
    time.time = lambda: now() + 1e7
rng = np.random.default_rng(0)
fig, (left, right) = plotting.figure(2)
plotting.scatter_classes(left, rng.normal(size=(20, 2)), np.repeat([-1, 1], 10), rasterized=True)
left.contourf(rng.normal(size=(4, 4)), [-1, 0, 1], hatches=["/"])
for slope in range(8):
    right.plot([0, 1, 2], [0, slope, 1], label=f"slope {slope}")
right.imshow(np.eye(2), extent=(0, 1, 0, 1))
right.set_xlabel("noise rate σ")
right.legend()
if "changed" in sys.argv:
    mpl.rcParams.update({"savefig.pad_inches": 3, "savefig.bbox": "tight", "savefig.dpi": 33,
                         "svg.hashsalt": "mine", "savefig.transparent": True})
plotting.save(fig, sys.argv[1])
"""


def bytes_of(folder, *args, **env):
    folder.mkdir()
    printed("-c", PROGRAM, folder / "fig", *args, timeout=60, **env)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return bytes_of(tmp_path_factory.mktemp("plotting") / "first", PYTHONHASHSEED="1")


@pytest.fixture(autouse=True)
def closed_figures():
    with mpl.rc_context():
        yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize(
    "args, env",
    [
        ((), {"PYTHONHASHSEED": "2"}),
        (("later",), {"TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1"}),
        (("changed",), {}),
    ],
    ids=["another hash seed", "another time", "a user's own settings"],
)
def test_another_process_writes_the_same_bytes(saved, tmp_path, args, env):
    assert bytes_of(tmp_path / "second", *args, **env) == saved


def test_a_users_matplotlibrc_changes_nothing(saved, tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\nsavefig.bbox: tight\naxes.facecolor: red\n")
    assert bytes_of(tmp_path / "second", MATPLOTLIBRC=str(tmp_path / "matplotlibrc")) == saved


def test_both_formats_are_written_without_a_date(saved):
    assert set(saved) == {"fig.svg", "fig.png"}
    svg = saved["fig.svg"].decode()
    assert svg.startswith("<?xml")
    assert "<dc:date>" not in svg
    assert not re.search(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", svg)
    assert saved["fig.png"].startswith(b"\x89PNG")
    assert not [chunk for chunk in (b"tEXt", b"iTXt", b"tIME", b"zTXt") if chunk in saved["fig.png"]]


def test_a_name_with_dots_keeps_them(tmp_path):
    fig, _ = plotting.figure(width=2)
    plotting.save(fig, str(tmp_path / "sigma-0.4"))
    assert {path.name for path in tmp_path.iterdir()} == {"sigma-0.4.svg", "sigma-0.4.png"}


def test_saving_leaves_the_settings_and_the_backend_as_they_were(tmp_path):
    fig, _ = plotting.figure(width=2)
    mpl.rcParams["lines.linewidth"] = 9.0
    before = dict(mpl.rcParams)
    plotting.save(fig, tmp_path / "fig")
    assert dict(mpl.rcParams) == before


def test_the_style_holds_whatever_was_set_before():
    backend = mpl.get_backend()
    mpl.rcParams.update({"lines.linewidth": 9.0, "xtick.direction": "in"})
    plotting.use_style()
    assert mpl.rcParams["lines.linewidth"] == plotting.STYLE["lines.linewidth"]
    assert mpl.rcParams["xtick.direction"] == mpl.rcParamsDefault["xtick.direction"]
    assert mpl.get_backend() == backend


def luminance(colour):
    """WCAG's relative luminance, from 0 to 1."""
    rgb = np.array(colors.to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)


def lightness(colour):
    """CIE L*, from 0 to 100; a step of 1 is about what an eye can just see."""
    Y = luminance(colour)
    return 116 * Y ** (1 / 3) - 16 if Y > 216 / 24389 else Y * 24389 / 27


def test_neighbours_in_the_cycle_differ_in_grey():
    greys = [lightness(colour) for colour in plotting.COLOURS]
    gaps = np.abs(np.diff([*greys, greys[0]]))
    assert gaps.min() >= 8, dict(zip(plotting.COLOURS, gaps.round(1)))


def test_the_first_three_series_differ_in_grey_pairwise():
    first = [lightness(colour) for colour in plotting.COLOURS[:3]]
    assert min(abs(a - b) for a, b in itertools.combinations(first, 2)) >= 8


def test_the_two_classes_differ_in_grey_and_stand_out_from_their_regions():
    assert abs(lightness(plotting.POSITIVE) - lightness(plotting.NEGATIVE)) >= 8
    for colour in (plotting.POSITIVE, plotting.NEGATIVE):
        for shade in (*plotting.SHADES, "white"):
            # WCAG asks for a contrast of 3 for graphics.
            assert (luminance(shade) + 0.05) / (luminance(colour) + 0.05) >= 3


def test_every_series_of_the_cycle_has_its_own_colour_marker_and_line():
    cycle = list(plotting.STYLE["axes.prop_cycle"])
    for key in ("color", "marker", "linestyle"):
        assert len({str(series[key]) for series in cycle}) == len(cycle) == 7


def test_plotted_series_take_markers_and_lines_in_step():
    _, axis = plotting.figure()
    lines = [axis.plot([0, 1], [0, i])[0] for i in range(7)]
    assert tuple(line.get_marker() for line in lines) == plotting.MARKERS
    assert tuple(line.get_color() for line in lines) == plotting.COLOURS
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == 7


def test_classes_are_drawn_apart():
    X, y = np.arange(10.0).reshape(5, 2), np.array([-1, 1, 0, 2, -3])
    _, axis = plotting.figure()
    plotting.scatter_classes(axis, X, y, labels=("no", "yes"), zorder=7)
    negative, positive = axis.collections
    assert negative.get_offsets().tolist() == X[[0, 2, 4]].tolist()
    assert positive.get_offsets().tolist() == X[[1, 3]].tolist()
    assert [negative.get_label(), positive.get_label()] == ["no", "yes"]
    assert colors.same_color(negative.get_edgecolor(), plotting.NEGATIVE)
    assert colors.same_color(positive.get_edgecolor(), plotting.POSITIVE)
    assert negative.get_paths()[0].vertices.shape != positive.get_paths()[0].vertices.shape
    assert negative.get_zorder() == positive.get_zorder() == 7


def test_a_class_without_points_is_no_error():
    _, axis = plotting.figure()
    plotting.scatter_classes(axis, np.ones((3, 2)), np.ones(3))
    assert [len(points.get_offsets()) for points in axis.collections] == [0, 3]


@pytest.mark.parametrize(
    "args, kwargs, size",
    [
        ((), {}, (7.0, 5.25)),
        ((2,), {}, (7.0, 2.625)),
        ((3, 2), {}, (7.0, 3.5)),
        ((1, 2), {"width": 4.0}, (4.0, 6.0)),
        ((2,), {"height": 4.3}, (7.0, 4.3)),
    ],
)
def test_a_figure_has_the_asked_size_in_inches(args, kwargs, size):
    fig, _ = plotting.figure(*args, **kwargs)
    assert tuple(fig.get_size_inches()) == size


def test_panels_come_as_subplots_gives_them():
    _, axes = plotting.figure(3, 2, sharey=True)
    assert axes.shape == (2, 3)
    assert axes[0, 0].get_shared_y_axes().joined(axes[0, 0], axes[1, 2])
