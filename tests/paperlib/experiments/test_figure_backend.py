"""Tests of the backend that draws the same bytes whatever the last bits of the coordinates are."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperlib.experiments import figure_backend, plotting


def drawn(shift, backend=f"module://{figure_backend.__name__}", suffix="svg"):
    """Return a picture's bytes, all of its data multiplied by ``1 + shift``."""
    rng = np.random.default_rng(0)
    fig, (left, right) = plotting.figure(2)
    left.scatter(*rng.normal(size=(2, 60)) * (1 + shift), s=rng.uniform(5, 50, size=60), label="points")
    left.fill_between(
        np.linspace(0, 1, 30), *np.sort(rng.normal(size=(2, 30)), axis=0) * (1 + shift), alpha=0.3
    )
    left.plot(rng.normal(size=40) * (1 + shift), rasterized=True)
    left.set(title="a title with $x^2$", xlim=(-3, 40), ylim=(-3, 3))
    left.legend()
    right.contour(rng.normal(size=(9, 9)) * (1 + shift), levels=[0.0])
    right.imshow(rng.uniform(size=(5, 5)), extent=(0, 1 + shift, 0, 1 + shift))
    right.pcolormesh(np.linspace(2, 3, 4) * (1 + shift), np.linspace(0, 1, 4), rng.uniform(size=(3, 3)))
    right.annotate("here", (1.3 * (1 + shift), 0.7), (3, 3), arrowprops={"arrowstyle": "->"})
    right.set(xlim=(0, 8), ylim=(0, 8))
    buffer = io.BytesIO()
    fig.savefig(buffer, format=suffix, metadata={"Date": None} if suffix == "svg" else None, backend=backend)
    plotting.plt.close(fig)
    return buffer.getvalue()


@pytest.mark.drawn(1)
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_last_bits_of_the_data_change_nothing(suffix):
    picture = drawn(0.0, suffix=suffix)
    for shift in (1e-13, -1e-13, 1e-9):
        assert drawn(shift, suffix=suffix) == picture


def test_paths_that_clip_are_defined_once():
    fig, axis = plotting.figure()
    circle = axis.add_patch(plotting.plt.Circle((0.5, 0.5), 0.3))
    for line in axis.plot(np.linspace(0, 1, 40).reshape(2, 20)):
        line.set_clip_path(circle)
    assert plotting.rendered(fig, "svg").count(b"<clipPath") == 2  # the circle, and the axes for the circle


def test_without_the_backend_they_do():
    assert drawn(1e-9, backend="svg") != drawn(0.0, backend="svg")


def test_a_change_that_is_seen_is_drawn():
    assert drawn(1e-2) != drawn(0.0)


def test_the_picture_is_the_same_but_for_a_hundredth_of_a_pixel():
    own, plain = (
        plotting.plt.imread(io.BytesIO(drawn(0.0, backend, "png")))
        for backend in (f"module://{figure_backend.__name__}", "agg")
    )
    assert own.shape == plain.shape
    assert np.abs(own - plain).mean() < 1e-3
    assert (np.abs(own - plain) > 0.2).mean() < 1e-3


def test_no_coordinate_has_more_than_two_decimals():
    [path] = [
        part for part in drawn(0.0).decode().split("<path") if "fill-opacity" in part or 'id="m' in part
    ][:1]
    numbers = [each for each in path.split('"')[1].split() if "." in each]
    assert numbers and max(len(each.partition(".")[2]) for each in numbers) <= 2


@given(st.floats(-1e6, 1e6))
def test_the_grid(value):
    found = float(figure_backend.on_grid(value))
    assert abs(found - value) <= 0.5 / figure_backend.STEPS + figure_backend.SHIFT + 1e-9
    assert float(figure_backend.on_grid(found)) == found


@given(st.integers(-100_000, 100_000), st.sampled_from([2, 4, 5, 8, 10, 20, 200]))
def test_round_numbers_are_far_from_an_edge(whole, part):
    value = whole / part
    assert float(figure_backend.on_grid(np.nextafter(value, np.inf))) == float(figure_backend.on_grid(value))
    assert float(figure_backend.on_grid(np.nextafter(value, -np.inf))) == float(figure_backend.on_grid(value))
