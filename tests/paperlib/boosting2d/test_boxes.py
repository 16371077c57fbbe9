"""Bounds of boxes against lines drawn from them, in rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.boxes import (
    COLUMNS,
    FEWEST_BINS,
    Box,
    _enter,
    add_up,
    bound_cells,
    bound_points,
    empty_bins,
    grid_of,
)
from paperlib.boosting2d._search.cells import group


def predictions(points, chart, up, m, t, origin):
    """What a line predicts of each point: True for positive, None where it goes through it; exactly."""
    us, vs = points[:, chart], points[:, 1 - chart]
    heights = [Fraction(v) - Fraction(m) * (Fraction(u) - Fraction(origin)) - t for u, v in zip(us, vs)]
    return [None if height == 0 else (height > 0) == up for height in heights]


def weight_and_key(predicted, points, keys):
    weight = sum(Fraction(points[i, 3 if positive else 2]) for i, positive in enumerate(predicted))
    key = np.uint64(0)
    for i, positive in enumerate(predicted):
        key ^= keys[i] if positive else np.uint64(0)
    return weight, key


@st.composite
def boxes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 80))
    scale = draw(st.sampled_from([1.0, 1.0, 1e-3, 1e7]))
    X = rng.normal(size=(n, 2)) * rng.choice([1.0, scale], size=(n, 1))
    if draw(st.booleans()):
        X = np.round(X, 1)
    positive, weights = rng.random(n) < 0.5, rng.integers(1, 4, size=n) / 1.0
    cells = group(*merge(X, positive, weights)[:4])
    m0 = draw(st.sampled_from([-1.0, -0.25, 0.0, 0.3]))
    m1 = m0 + draw(st.sampled_from([0.5, 2.0**-8, 2.0**-30]))
    t0 = draw(st.sampled_from([-3.0, -0.1, 0.0]))
    t1 = t0 + draw(st.sampled_from([4.0, 0.1, 1e-6]))
    origin = draw(st.sampled_from([0.0, 0.7, -1e6]))
    return cells, Box(m0, m1, t0, t1, origin, draw(st.integers(0, 1)), draw(st.booleans())), rng


@st.composite
def grids(draw, box):
    """Of few and of many slabs, whatever the points need."""
    spread, count = (
        draw(st.sampled_from([1e-9, 0.3, 1.0, 1e6])),
        draw(st.sampled_from([1, 100, 10**4, 10**6])),
    )
    return grid_of(box, spread, count)


def check_bounds(cells, box, rng, kept, found, grid, bins):
    """`kept` are rows of points; the bounds hold for lines of the box, and at the borders."""
    points, keys = cells.points, cells.keys
    m0, m1, t0, t1, origin, chart, up = box
    add_up(bins, grid, found.base + found.entered)
    width = (Fraction(t1) - Fraction(t0)) / grid.bins
    for j in [0, *rng.integers(0, grid.bins, size=5).tolist(), grid.bins - 1]:
        # Not a round number: generic lines go through no point.
        share, m = Fraction(rng.random()), m0 + rng.choice([rng.random(), 0.0, 1.0]) * (m1 - m0)
        predicted = predictions(points, chart, up, m, Fraction(t0) + (j + share) * width, origin)
        if None not in predicted:
            weight, whole_key = weight_and_key(predicted, points, keys)
            assert bins.lower[j] <= weight
            for i in kept:
                whole_key ^= keys[i] if predicted[i] else np.uint64(0)
            assert whole_key == found.key
        middle, border = 0.5 * (m0 + m1), Fraction(t0) + j * width
        predicted = predictions(points, chart, up, middle, border, origin)
        if None not in predicted:
            assert bins.upper[j] >= weight_and_key(predicted, points, keys)[0]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_points(data):
    cells, box, rng = data.draw(boxes())
    grid = data.draw(grids(box))
    items = np.arange(len(cells.points), dtype=np.int32)
    out, bins = np.empty_like(items), empty_bins()
    found = bound_points(items, cells, box, grid, out, bins)
    kept, _, _, spread, lean, *_ = found
    active = out[:kept]
    u = cells.points[active, box.chart] - box.origin
    assert spread == pytest.approx(np.abs(u).mean() if kept else 0.0)
    assert lean == pytest.approx(u.mean() if kept else 0.0, abs=1e-9 * spread)
    check_bounds(cells, box, rng, active.tolist(), found, grid, bins)
    again = items.copy()  # in place
    assert bound_points(again, cells, box, grid, again, bins) == found
    assert np.array_equal(again[:kept], active)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_cells(data):
    cells, box, rng = data.draw(boxes())
    grid = data.draw(grids(box))
    members = [range(*pair) for pair in zip(cells.start[:-1], cells.start[1:])]
    items = np.arange(len(members), dtype=np.int32)
    out, bins = np.empty_like(items), empty_bins()
    found = bound_cells(items, cells, box, grid, out, bins)
    active = [i for cell in out[: found.kept] for i in members[cell]]
    check_bounds(cells, box, rng, active, found, grid, bins)


@pytest.mark.parametrize("far", [-300.0, 1400.0])
def test_heights_far_outside_of_all_bins_stay_in_their_slab(far):
    """In a box of a few units in the last place, points that are active for their rounding are as far."""
    grid = grid_of(Box(0.0, 1.0, 0.0, 1.0, 0.0, 0, True), 1.0, 1e6)
    assert grid.pad < abs(far)
    changes = np.zeros((3, COLUMNS))
    _enter(changes, 1, far - 1.0, far, grid, 3.0, 5.0)
    assert not changes[[0, 2]].any()
    # Above all lines it is wrong as a point above, below them as one below: `entered` begins with the former.
    assert 5.0 + changes[1].cumsum()[grid.pad : grid.pad + grid.bins].max() == (3.0 if far < 0 else 5.0)


def bounds_by_definition(points, box, grid):
    """The lower bounds of `add_up`, slab by slab and bin by bin, for points that are all active."""
    m0, m1, t0, t1, origin, chart, up = box
    u, v = points[:, chart] - origin, points[:, 1 - chart]
    below, above = (points[:, 2], points[:, 3]) if up else (points[:, 3], points[:, 2])
    slab = (
        np.clip(np.floor(u / grid.step + 0.5), -grid.each_side, grid.each_side) if grid.each_side else 0 * u
    )
    middle, width = (m0 + m1) / 2, (t1 - t0) / grid.bins
    height, doubt = (v - middle * u - t0) / width, (m1 - m0) / 2 / width * np.abs(u - slab * grid.step)
    lower = np.zeros(grid.bins)
    for s in np.unique(slab):
        low, high = (height - doubt)[slab == s], (height + doubt)[slab == s]
        far = int(abs(s)) * grid.shift
        wrong = [
            below[slab == s][high <= j].sum() + above[slab == s][low >= j + 1].sum()
            for j in range(-far, grid.bins + far)
        ]
        lower += [min(wrong[j : j + 2 * far + 1]) for j in range(grid.bins)]
    return lower


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_the_one_described(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3_000, 2))
    cells = group(*merge(X, rng.random(3_000) < 0.5, np.ones(3_000))[:4])
    box = Box(-0.02, 0.03, -0.4, 0.5, 0.0, seed % 2, seed > 2)
    grid = grid_of(box, 0.8, 3_000)
    assert grid.each_side > 3 and grid.bins > FEWEST_BINS and grid.shift > 1
    items, bins = np.arange(3_000, dtype=np.int32), empty_bins()
    found = bound_points(items, cells, box, grid, items, bins)
    add_up(bins, grid, found.entered)
    lower = bounds_by_definition(cells.points[items[: found.kept]], box, grid)
    assert np.array_equal(bins.lower[: grid.bins], lower)
    assert lower.min() > 0.25 * found.kept  # without slabs next to nothing is known of these


def bounds_next_to_points(x, y, box):
    """Hold the bound on each point alone against the lines just above and below it, as rationals."""
    positive = np.arange(len(x)) % 2 == 0
    cells = group(x, y, positive.astype(float), (~positive).astype(float))
    # The box is of coordinates as given: these must be the same ones.
    cells.points[:, 0], cells.points[:, 1] = x[cells.order], y[cells.order]
    grid = grid_of(box, 1.0, 1)
    t0, width = Fraction(box.t0), (Fraction(box.t1) - Fraction(box.t0)) / grid.bins
    out, bins = np.empty(1, dtype=np.int32), empty_bins()
    cases = 0
    for i, (u, v) in enumerate(cells.points[:, :2]):
        found = bound_points(np.array([i], dtype=np.int32), cells, box, grid, out, bins)
        add_up(bins, grid, found.base + found.entered)
        for m in (box.m0, box.m1):
            height = Fraction(v) - Fraction(m) * (Fraction(u) - Fraction(box.origin))
            for t in (height + Fraction(1, 2**300), height - Fraction(1, 2**300)):
                j = (t - t0) // width
                if 0 <= j < grid.bins:
                    below = t > height
                    wrong = cells.points[i, 2 if below == box.up else 3]
                    assert bins.lower[int(j)] <= wrong
                    cases += 1
    return cases


def test_heights_are_widened_by_their_rounding():
    """Without `SLACK` a line next to a point is held to be on the wrong side of it."""
    cases = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.normal(size=30))
        m0, origin = rng.uniform(-1.0, 0.9), rng.choice([0.0, 0.7, 1e3])
        y = np.round(m0 * (x - origin), 15) + rng.integers(-3, 4, size=30) * 2.0**-53
        middle, half = float(np.median(y - m0 * (x - origin))), 2.0**-40 * max(1.0, origin)
        cases += bounds_next_to_points(
            x, y, Box(m0, m0 + 1e-15, middle - half, middle + half, origin, 0, True)
        )
    assert cases > 1000


def test_bins_are_widened_by_the_rounding_of_their_numbers():
    """Without `FUZZ` a small height next to the border of two bins counts for the wrong one."""
    cases = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        width, j = rng.uniform(0.5, 1.0), int(rng.integers(5, 60))
        t0, t1 = -j * width, (FEWEST_BINS - j) * width
        border = float(Fraction(t0) + j * (Fraction(t1) - Fraction(t0)) / FEWEST_BINS)
        y = np.array(
            [np.nextafter(border, -1.0), border, np.nextafter(border, 1.0), 1e-19, -1e-19, 0.3, -0.7]
        )
        x = np.zeros(len(y))
        x[-1] = 1e-3
        cases += bounds_next_to_points(x, y, Box(-0.5, 0.5, t0, t1, 0.0, 0, bool(seed % 2)))
    assert cases > 1000
