"""Bounds of boxes against lines drawn from them, in rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.boxes import (
    BINS,
    BORDER_FROM,
    COLUMNS,
    FROM,
    Box,
    add_up,
    bound_cells,
    bound_points,
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


def check_bounds(cells, box, rng, kept, base, key, bins):
    """`kept` are rows of points; the bounds hold for lines of the box, and at the borders."""
    points, keys = cells.points, cells.keys
    m0, m1, t0, t1, origin, chart, up = box
    add_up(bins)
    width = (Fraction(t1) - Fraction(t0)) / BINS
    for j in rng.integers(0, BINS, size=6).tolist():
        # Not a round number: generic lines go through no point.
        share, m = Fraction(rng.random()), m0 + rng.random() * (m1 - m0)
        predicted = predictions(points, chart, up, m, Fraction(t0) + (j + share) * width, origin)
        if None not in predicted:
            weight, whole_key = weight_and_key(predicted, points, keys)
            assert base + bins[FROM, j + 1] <= weight
            for i in kept:
                whole_key ^= keys[i] if predicted[i] else np.uint64(0)
            assert whole_key == key
        middle, border = 0.5 * (m0 + m1), Fraction(t0) + j * width
        predicted = predictions(points, chart, up, middle, border, origin)
        if None not in predicted:
            assert base + bins[BORDER_FROM, j + 1] >= weight_and_key(predicted, points, keys)[0]


@settings(max_examples=150, deadline=None)
@given(case=boxes())
def test_points(case):
    cells, box, _ = case
    items = np.arange(len(cells.points), dtype=np.int32)
    out, bins = np.empty_like(items), np.empty((4, COLUMNS))
    kept, base, key, spread, lean, _ = bound_points(items, cells, box, out, bins)
    active = out[:kept]
    u = cells.points[active, box.chart] - box.origin
    assert spread == pytest.approx(np.abs(u).mean() if kept else 0.0)
    assert lean == pytest.approx(u.mean() if kept else 0.0, abs=1e-9 * spread)
    check_bounds(*case, active.tolist(), base, key, bins)
    again = items.copy()  # in place
    assert bound_points(again, cells, box, again, bins)[:3] == (kept, base, key)
    assert np.array_equal(again[:kept], active)


@settings(max_examples=150, deadline=None)
@given(case=boxes())
def test_cells(case):
    cells, box, _ = case
    members = [range(*pair) for pair in zip(cells.start[:-1], cells.start[1:])]
    items = np.arange(len(members), dtype=np.int32)
    out, bins = np.empty_like(items), np.empty((4, COLUMNS))
    kept, base, key, *_ = bound_cells(items, cells, box, out, bins)
    active = [i for cell in out[:kept] for i in members[cell]]
    check_bounds(*case, active, base, key, bins)


def bounds_next_to_points(x, y, box):
    """Hold the bound on each point alone against the lines just above and below it, as rationals."""
    positive = np.arange(len(x)) % 2 == 0
    cells = group(x, y, positive.astype(float), (~positive).astype(float))
    # The box is of coordinates as given: these must be the same ones.
    cells.points[:, 0], cells.points[:, 1] = x[cells.order], y[cells.order]
    t0, width = Fraction(box.t0), (Fraction(box.t1) - Fraction(box.t0)) / BINS
    out, bins = np.empty(1, dtype=np.int32), np.empty((4, COLUMNS))
    cases = 0
    for i, (u, v) in enumerate(cells.points[:, :2]):
        _, base, _, *_ = bound_points(np.array([i], dtype=np.int32), cells, box, out, bins)
        add_up(bins)
        for m in (box.m0, box.m1):
            height = Fraction(v) - Fraction(m) * (Fraction(u) - Fraction(box.origin))
            for t in (height + Fraction(1, 2**300), height - Fraction(1, 2**300)):
                j = (t - t0) // width
                if 0 <= j < BINS:
                    below = t > height
                    wrong = cells.points[i, 2 if below == box.up else 3]
                    assert base + bins[FROM, int(j) + 1] <= wrong
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
        width, j = rng.uniform(0.5, 1.0), int(rng.integers(60, 200))
        t0, t1 = -j * width, (BINS - j) * width
        border = float(Fraction(t0) + j * (Fraction(t1) - Fraction(t0)) / BINS)
        y = np.array(
            [np.nextafter(border, -1.0), border, np.nextafter(border, 1.0), 1e-19, -1e-19, 0.3, -0.7]
        )
        x = np.zeros(len(y))
        x[-1] = 1e-3
        cases += bounds_next_to_points(x, y, Box(-0.5, 0.5, t0, t1, 0.0, 0, bool(seed % 2)))
    assert cases > 1000
