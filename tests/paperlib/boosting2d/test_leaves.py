"""The three ends of the search against what their witnesses predict, and against each other."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d.cells import group
from paperlib.boosting2d.leaves import in_line, predicts, side_in_box, try_fans, try_line, try_pairs
from paperlib.boosting2d.locations import merge
from paperlib.boosting2d.witness import predicted_positive

EVERYWHERE = (-2.0, 2.0, -1e9, 1e9, 0.0)


def problem(seed, n, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    if kind == "grid":
        X = rng.integers(0, 4, size=(n, 2)).astype(float)
    elif kind == "line":
        X = rng.integers(-9, 9, size=(n, 1)) * np.array([[1.0, 0.5]])
    elif kind == "rounded line":
        X = X[:, :1] * np.array([[0.1, 0.3]]) + 7.0
    places = merge(X, rng.random(n) < 0.5, rng.integers(1, 4, size=n) / 1.0)
    cells = group(*places[:4])
    keys = rng.integers(0, 2**63, size=len(places.x), dtype=np.uint64)
    return places, cells, keys


def run(function, places, cells, keys, chart, up, box, limit=np.inf):
    items = np.arange(len(places.x), dtype=np.int32)
    found = np.empty((2, 4), dtype=np.int64), np.empty(2), np.empty(2, dtype=np.uint64)
    points, order, _, _, aspect = cells
    least, *found, count = function(
        items, places.x, places.y, points, order, keys, aspect, chart, up, box, 0.0, np.uint64(0),
        limit, *found, 0
    )  # fmt: skip
    return least, *(part[:count] for part in found)


def as_set(witnesses, weights, hashes):
    return set(zip(hashes.tolist(), weights.tolist()))


def check_witnesses(places, cells, keys, least, witnesses, weights, hashes):
    """Every witness weighs, and predicts, what was noted."""
    by_location = np.empty_like(keys)
    by_location[cells.order] = keys
    assert least == weights.min(initial=np.inf)
    for witness, weight, noted in zip(witnesses.tolist(), weights, hashes):
        side = predicted_positive(places.x, places.y, *witness)
        assert weight == np.where(side, places.wn, places.wp).sum()
        assert noted == np.bitwise_xor.reduce(by_location[side], initial=np.uint64(0))
        assert predicts(*witness, noted, places.x, places.y, cells.order, keys)
        assert not predicts(*witness, noted ^ np.uint64(1), places.x, places.y, cells.order, keys)


kinds = st.sampled_from(["floats", "grid", "line", "rounded line"])


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 16),
    kind=kinds,
    chart=st.integers(0, 1),
    up=st.booleans(),
    box=st.sampled_from([EVERYWHERE, (0.0, 1.0, -1.0, 2.0, 0.5), (-0.5, 0.25, -10.0, 10.0, 0.0)]),
    limit=st.sampled_from([np.inf, 8.0]),
)
def test_pairs_and_fans(seed, n, kind, chart, up, box, limit):
    """All points are in `items`, so that what lines in the box predict is known."""
    places, cells, keys = problem(seed, n, kind)
    by_pairs, by_fans = (
        run(function, places, cells, keys, chart, up, box, limit) for function in (try_pairs, try_fans)
    )
    for found in (by_pairs, by_fans):
        check_witnesses(places, cells, keys, *found)
        assert (found[2] <= limit).all()
    assert by_pairs[0] == by_fans[0]
    assert as_set(*by_pairs[1:]) == as_set(*by_fans[1:])


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 16), up=st.booleans())
def test_a_line(seed, n, up):
    places, cells, keys = problem(seed, n, "line")
    points, order, _, _, aspect = cells
    items = np.argsort(order).astype(np.int32)
    if len(items) < 2:
        return
    assert in_line(items, places.x, places.y, order)
    first, last = items[0], items[-1]
    args = places.x, places.y, points, order, aspect, 0, up, EVERYWHERE
    sides = side_in_box(first, last, *args), side_in_box(last, first, *args)
    assert sides == ((1, -1) if up else (-1, 1))
    found = np.empty((2, 4), dtype=np.int64), np.empty(2), np.empty(2, dtype=np.uint64)
    least, *found, count = try_line(
        items, places.x, places.y, points, order, keys, *sides, 0.0, np.uint64(0), np.inf, *found, 0
    )
    found = [part[:count] for part in found]
    check_witnesses(places, cells, keys, least, *found)
    assert as_set(*found) == as_set(*run(try_pairs, places, cells, keys, 0, up, EVERYWHERE)[1:])


def test_points_that_are_not_in_line():
    x, y, order = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0 + 2.0**-51]), np.arange(3)
    assert not in_line(order, x, y, order)
    assert in_line(order[:2], x, y, order)


def test_a_line_on_the_border_is_in_doubt():
    """Slope 1/2 through the origin, in boxes that hold it, end in it, and miss it."""
    x, y, order = np.array([0.0, 2.0]), np.array([0.0, 1.0]), np.arange(2)
    points = np.column_stack([x, y, np.ones((2, 2))])
    sides = [
        side_in_box(0, 1, x, y, points, order, 1.0, 0, True, (0.0, m1, -1.0, t1, 0.0))
        for m1, t1 in [(1.0, 1.0), (0.5, 1.0), (1.0, 0.0), (0.4, 1.0), (1.0, -0.1)]
    ]
    assert sides == [1, 2, 2, 0, 0]
    assert side_in_box(1, 0, x, y, points, order, 1.0, 0, True, (0.0, 1.0, -1.0, 1.0, 0.0)) == -1


def test_what_was_misjudged_is_left_out():
    """A key that no line predicts, of a line that is in doubt, is held against all points."""
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 1.0])
    order = np.arange(3)
    points = np.column_stack([x, y, np.ones(3), np.zeros(3)])
    keys = np.array([1, 2, 4], dtype=np.uint64)
    items = np.array([0, 2], dtype=np.int32)  # as if location 1 were known to be negative
    for box, count in ((0.0, 1.0, -1.0, 1.0, 0.0), 6), ((0.0, 0.5, -1.0, 1.0, 0.0), 2):
        for function in (try_pairs, try_fans):
            found = np.empty((2, 4), dtype=np.int64), np.empty(2), np.empty(2, dtype=np.uint64)
            args = (items, x, y, points, order, keys, 1.0, 0, True, box, 1.0, np.uint64(0), np.inf)
            assert function(*args, *found, 0)[-1] == count, function
