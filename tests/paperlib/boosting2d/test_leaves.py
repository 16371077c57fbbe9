"""The three ends of the search against what their witnesses predict, and against each other."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search.boxes import Box
from paperlib.boosting2d._search.cells import Cells, group
from paperlib.boosting2d._search.leaves import (
    Found,
    Part,
    in_line,
    predicts,
    side_in_box,
    try_fans,
    try_line,
    try_pairs,
)
from paperlib.boosting2d._search.witness import predicted_positive

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
    return places, group(*places[:4])


def little_room():
    return Found(np.empty((2, 4), dtype=np.int64), np.empty(2), np.empty(2, dtype=np.uint64), 0, np.inf)


def noted(found):
    """Without the room that is left."""
    return found._replace(**{name: getattr(found, name)[: found.size] for name in Found._fields[:3]})


def run(function, cells, box, limit=np.inf):
    items = np.arange(len(cells.x), dtype=np.int32)
    return noted(function(items, cells, box, Part(0.0, np.uint64(0)), limit, little_room())[0])


def as_set(found):
    return set(zip(found.hashes.tolist(), found.weights.tolist()))


def check_witnesses(places, cells, found):
    """Every witness weighs, and predicts, what was noted."""
    by_location = np.empty_like(cells.keys)
    by_location[cells.order] = cells.keys
    assert found.least == found.weights.min(initial=np.inf)
    for witness, weight, key in zip(found.witnesses.tolist(), found.weights, found.hashes):
        side = predicted_positive(places.x, places.y, *witness)
        assert weight == np.where(side, places.wn, places.wp).sum()
        assert key == np.bitwise_xor.reduce(by_location[side], initial=np.uint64(0))
        assert predicts(*witness, key, cells)
        assert not predicts(*witness, key ^ np.uint64(1), cells)


kinds = st.sampled_from(["floats", "grid", "line", "rounded line"])


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 16),
    kind=kinds,
    chart=st.integers(0, 1),
    up=st.booleans(),
    lines=st.sampled_from([EVERYWHERE, (0.0, 1.0, -1.0, 2.0, 0.5), (-0.5, 0.25, -10.0, 10.0, 0.0)]),
    limit=st.sampled_from([np.inf, 8.0]),
)
def test_pairs_and_fans(seed, n, kind, chart, up, lines, limit):
    """All points are in `items`, so that what lines in the box predict is known."""
    places, cells = problem(seed, n, kind)
    box = Box(*lines, chart, up)
    by_pairs, by_fans = (run(function, cells, box, limit) for function in (try_pairs, try_fans))
    for found in (by_pairs, by_fans):
        check_witnesses(places, cells, found)
        assert (found.weights <= limit).all()
    assert by_pairs.least == by_fans.least
    assert as_set(by_pairs) == as_set(by_fans)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 16), up=st.booleans())
def test_a_line(seed, n, up):
    places, cells = problem(seed, n, "line")
    box = Box(*EVERYWHERE, 0, up)
    items = np.argsort(cells.order).astype(np.int32)
    if len(items) < 2:
        return
    assert in_line(items, cells)
    first, last = items[0], items[-1]
    sides = side_in_box(first, last, cells, box), side_in_box(last, first, cells, box)
    assert sides == ((1, -1) if up else (-1, 1))
    found, judged = try_line(items, cells, *sides, Part(0.0, np.uint64(0)), np.inf, little_room())
    found = noted(found)
    assert judged == len(items)
    check_witnesses(places, cells, found)
    assert as_set(found) == as_set(run(try_pairs, cells, box))


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 16), kind=kinds, chart=st.integers(0, 1))
def test_what_is_counted(seed, n, kind, chart):
    """Pairs that are looked at, and all points for each line of the box; a sweep looks at pairs alone."""
    _, cells = problem(seed, n, kind)
    box, k = Box(0.0, 1.0, -1.0, 2.0, 0.5, chart, True), len(cells.x)
    items, outside = np.arange(k, dtype=np.int32), Part(0.0, np.uint64(0))
    lines = sum(side_in_box(a, b, cells, box) != 0 for a in items for b in items if a != b)
    assert try_pairs(items, cells, box, outside, 0.0, little_room())[1] == k * k + lines * k
    assert try_fans(items, cells, box, outside, 0.0, little_room())[1] == k * k


def given_as_they_are(x, y, wp, wn, keys):
    """Cells without units."""
    points, order = np.column_stack([x, y, wp, wn]), np.arange(len(x))
    keys, none = np.array(keys, dtype=np.uint64), np.empty(0, dtype=np.uint64)
    return Cells(x, y, points, order, keys, np.zeros(1, dtype=np.int64), np.empty((0, 6)), none, 1.0)


def test_points_that_are_not_in_line():
    x, y = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0 + 2.0**-51])
    cells = given_as_they_are(x, y, np.ones(3), np.ones(3), [1, 2, 4])
    assert not in_line(cells.order, cells)
    assert in_line(cells.order[:2], cells)


def test_a_line_on_the_border_is_in_doubt():
    """Slope 1/2 through the origin, in boxes that hold it, end in it, and miss it."""
    cells = given_as_they_are(np.array([0.0, 2.0]), np.array([0.0, 1.0]), np.ones(2), np.ones(2), [1, 2])
    sides = [
        side_in_box(0, 1, cells, Box(0.0, m1, -1.0, t1, 0.0, 0, True))
        for m1, t1 in [(1.0, 1.0), (0.5, 1.0), (1.0, 0.0), (0.4, 1.0), (1.0, -0.1)]
    ]
    assert sides == [1, 2, 2, 0, 0]
    assert side_in_box(1, 0, cells, Box(0.0, 1.0, -1.0, 1.0, 0.0, 0, True)) == -1


def test_what_was_misjudged_is_left_out():
    """A key that no line predicts, of a line that is in doubt, is held against all points."""
    cells = given_as_they_are(
        np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.5, 1.0]), np.ones(3), np.zeros(3), [1, 2, 4]
    )
    items = np.array([0, 2], dtype=np.int32)  # as if location 1 were known to be negative
    for m1, count in (1.0, 6), (0.5, 2):
        box = Box(0.0, m1, -1.0, 1.0, 0.0, 0, True)
        for function in (try_pairs, try_fans):
            found, _ = function(items, cells, box, Part(1.0, np.uint64(0)), np.inf, little_room())
            assert found.size == count, function


def next_double(value, up):
    """The double that is next to a rational number, and not below it for `up`, else not above it."""
    near = float(value)
    if (Fraction(near) < value) if up else (Fraction(near) > value):
        near = np.nextafter(near, np.inf if up else -np.inf)
    return near


def test_a_line_that_ends_a_box_is_in_it():
    """Boxes that end in the very double next to a line's slope and intercept: without `SLACK` it is lost."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        origin = rng.choice([0.0, 0.3, 1e3])
        x, y = np.sort(rng.normal(size=2)) + origin, rng.normal(size=2)
        y[1] = y[0] + rng.uniform(-0.9, 0.9) * (x[1] - x[0])
        cells = given_as_they_are(x, y, np.ones(2), np.ones(2), [1, 2])
        (ax, bx), (ay, by) = map(Fraction, x), map(Fraction, y)
        m = (by - ay) / (bx - ax)
        t = ay - m * (ax - Fraction(origin))
        for up in (True, False):
            m_end, t_end = next_double(m, up), next_double(t, up)
            ms = (m_end - 0.1, m_end) if up else (m_end, m_end + 0.1)
            ts = (t_end - 0.1, t_end) if up else (t_end, t_end + 0.1)
            assert side_in_box(0, 1, cells, Box(*ms, *ts, origin, 0, True)) == 2
