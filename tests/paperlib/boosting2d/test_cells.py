"""Cells hold every location once, in boxes that bound them."""

import numpy as np
import pytest

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.cells import PER_CELL, group

SAMPLES = {
    "floats": lambda rng, n: rng.normal(size=(n, 2)),
    "vertical": lambda rng, n: np.column_stack([np.zeros(n), rng.normal(size=n)]),
    "horizontal": lambda rng, n: np.column_stack([rng.normal(size=n), np.zeros(n)]),
    "outliers": lambda rng, n: rng.standard_cauchy(size=(n, 2)) ** 9,
    "steps": lambda rng, n: np.where(rng.random((n, 2)) < 0.9, 0.0, rng.normal(size=(n, 2))),
}


@pytest.mark.parametrize("n", [1, 2, 31, 5_000])
@pytest.mark.parametrize("kind", SAMPLES)
def test_cells(kind, n):
    rng = np.random.default_rng(n)
    places = merge(SAMPLES[kind](rng, n), rng.random(n) < 0.5, rng.random(n) + 0.1)
    cells = group(*places[:4])
    points, order, start, boxes, aspect = cells.points, cells.order, cells.start, cells.boxes, cells.aspect
    assert (cells.x[order] == places.x[order]).all()
    assert (cells.y[order] == places.y[order]).all()
    assert np.array_equal(np.sort(order), np.arange(len(places.x)))
    assert (start[0], start[-1]) == (0, len(order))
    assert (np.diff(start) > 0).all()
    assert np.array_equal(points[:, 2:], np.column_stack([places.wp, places.wn])[order])
    assert len(np.unique(cells.keys)) == len(order)
    for box, key, first, end in zip(boxes, cells.box_keys, start, start[1:]):
        rows = points[first:end]
        assert key == np.bitwise_xor.reduce(cells.keys[first:end])
        assert box[:4].tolist() == [*np.sort(rows[:, 0])[[0, -1]], *np.sort(rows[:, 1])[[0, -1]]]
        assert box[4:] == pytest.approx(rows[:, 2:].sum(axis=0))
    if kind == "floats" and n > PER_CELL:
        assert np.diff(start).mean() < 2 * PER_CELL
    # A slope dy / dx times the aspect is one of the points'.
    dx, dy = np.ptp(places.x), np.ptp(places.y)
    du, dv = np.ptp(points[:, 0]), np.ptp(points[:, 1])
    assert dy * aspect * du == pytest.approx(dx * dv)
