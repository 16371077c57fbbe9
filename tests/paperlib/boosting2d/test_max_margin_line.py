"""The maximum margin against all pairs of a point and a segment, and separability against rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import max_margin_line
from paperlib.boosting2d._geometry.gaps import (
    outer_offset,
    settle_offset,
    shortest_vector,
    shortest_vector_among,
)
from paperlib.boosting2d._geometry.hulls import convex_hull
from tests.paperlib.boosting2d.helpers import rational, squared_distance, turn


def crosses(p, q, r, s):
    return turn(p, q, r) * turn(p, q, s) < 0 and turn(r, s, p) * turn(r, s, q) < 0


def within(points, v):
    """v is in the hull: no direction from v has all points strictly ahead, tested by angles of pairs."""
    offsets = [(p[0] - v[0], p[1] - v[1]) for p in points]
    if (0, 0) in offsets:
        return True
    for ux, uy in offsets:
        for sign in (1, -1):  # the line along u, turned a little
            ahead = []
            for wx, wy in offsets:
                value = sign * (ux * wy - uy * wx)
                ahead.append(value > 0 or (value == 0 and ux * wx + uy * wy > 0))
            if all(ahead):
                return False
    return True


def twin(xa, xb):
    """Half the distance of the hulls, 0 where they meet."""
    a, b = rational(xa), rational(xb)
    if any(within(a, v) for v in b) or any(within(b, v) for v in a):
        return 0.0
    if any(crosses(p, q, r, s) for p in a for q in a for r in b for s in b):
        return 0.0
    return math.sqrt(squared_distance(a, b)) / 2


def check(xa, xb, rel=1e-12):
    xa, xb = np.asarray(xa, dtype=float), np.asarray(xb, dtype=float)
    margin, line = twin(xa, xb), max_margin_line(xa, xb)
    if margin == 0:
        assert line is None
        return None
    assert line is not None
    assert math.isclose(line.margin, margin, rel_tol=rel)
    assert math.isclose(np.hypot(*line.normal), 1.0, rel_tol=1e-15)
    ahead, behind = xa @ line.normal + line.offset, xb @ line.normal + line.offset
    rounding = 4e-16 * max(np.abs(xa).max(), np.abs(xb).max())
    assert ahead.min() > 0 > behind.max()
    assert abs(ahead.min() - margin) <= rel * margin + rounding
    assert abs(behind.max() + margin) <= rel * margin + rounding
    return line


@st.composite
def two_sets(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p, q = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    kind = draw(st.sampled_from(["floats", "grid", "line", "apart"]))
    if kind == "floats":
        X = rng.normal(size=(p + q, 2))
    elif kind == "line":
        X = rng.integers(-4, 5, size=(p + q, 1)) * rng.integers(-2, 3, size=(1, 2)).astype(float)
    else:
        X = rng.integers(-3, 4, size=(p + q, 2)).astype(float)
    if kind == "apart":
        X[:p] += rng.integers(-5, 6, size=2)
    if draw(st.booleans()):
        X = X[np.argsort(X @ rng.normal(size=2), kind="stable")]
    return X[:p], X[p:]


@settings(max_examples=300, deadline=None)
@given(sets=two_sets(), scale=st.sampled_from([1.0, 1e-9, 1e9]))
def test_against_all_points_and_segments(sets, scale):
    xa, xb = sets
    check(xa * scale, xb * scale)


@settings(max_examples=50, deadline=None)
@given(sets=two_sets(), scale=st.sampled_from([2.0**-900, 2.0**-600, 2.0**600, 2.0**1000]))
def test_powers_of_two_change_nothing(sets, scale):
    line, scaled = max_margin_line(*sets), max_margin_line(sets[0] * scale, sets[1] * scale)
    assert (line is None) == (scaled is None)
    if line is not None:
        assert np.array_equal(scaled.normal, line.normal)
        assert (scaled.offset, scaled.margin) == (line.offset * scale, line.margin * scale)


@settings(max_examples=100, deadline=None)
@given(sets=two_sets(), scales=st.sampled_from([(1e-9, 1e9), (1e9, 1e-9)]))
def test_uneven_units(sets, scales):
    xa, xb = (points * np.array(scales) for points in sets)
    line, margin = max_margin_line(xa, xb), twin(xa, xb)
    assert line is None or math.isclose(line.margin, margin, rel_tol=1e-12)
    if margin > 1e-6:
        assert line is not None


@settings(max_examples=100, deadline=None)
@given(sets=two_sets(), shift=st.sampled_from([1e6, -3e5]))
def test_far_from_the_origin(sets, shift):
    xa, xb = sets[0] + shift, sets[1] + shift
    if not 0 < twin(xa, xb) < 1e-8:
        check(xa, xb)


@pytest.mark.parametrize("n", [50, 100, 3000])
@pytest.mark.parametrize("kind", ["disc", "circle", "grid", "column"])
def test_hull_of_many_points(n, kind):
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    if kind == "circle":
        X /= np.hypot(*X.T)[:, None]
    elif kind == "grid":
        X = np.round(X)
    elif kind == "column":
        X[:, 0] = 1.0
    hull = X[convex_hull(*np.ascontiguousarray(X.T))]
    if kind == "column":
        assert hull.tolist() == [[1.0, X[:, 1].min()], [1.0, X[:, 1].max()]]
        return
    assert hull[0].tolist() == min(X.tolist())
    peer = ConvexHull(X)
    assert {*map(tuple, hull)} <= {*map(tuple, X[peer.vertices])}
    x, y = hull.T
    area = np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2
    assert math.isclose(area, peer.volume, rel_tol=1e-12)


def test_duplicates_are_one_vertex():
    assert len(convex_hull(np.ones(5), np.ones(5))) == 1
    assert len(convex_hull(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 2.0, 2.0]))) == 2


def test_sets_that_touch_are_not_separable():
    assert max_margin_line([[0.0, 0.0], [2.0, 2.0]], [[1.0, 1.0], [3.0, 0.0]]) is None
    assert max_margin_line([[0.0, 0.0]], [[0.0, 0.0]]) is None


def test_a_gap_below_rounding_is_still_a_gap():
    """1/3 rounds down: the point is below the segment, though no line of doubles shows it."""
    xa, xb = np.array([[0.0, 0.0], [3.0, 1.0]]), np.array([[1.0, 1.0 / 3.0], [3.0, 0.0]])
    unit, half = shortest_vector(xa, xb)
    exact = (Fraction(1, 3) - Fraction(1.0 / 3.0)) * 3
    assert math.isclose(2 * half, exact / math.sqrt(10), rel_tol=1e-14)
    assert math.isclose(np.hypot(*unit), 1.0, rel_tol=1e-15)


@pytest.mark.parametrize(
    "points", [[[0.0, 0.0]], [[1e6, 0.0]], [[1e17, 2.0]], [[3.0, 4.0], [-1.0, 2.0]], [[1e-9, 0]]]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_one_empty_set(points, sign):
    points = np.array(points)
    line = max_margin_line(points, []) if sign > 0 else max_margin_line([], points)
    assert line.margin == np.inf
    assert (sign * (points @ line.normal + line.offset) > 0).all()
    assert outer_offset(points, sign) == line.offset


@pytest.mark.parametrize(
    "xa, words",
    [
        ([1.0, 2.0], r"xa must have shape \(n, 2\).*\(2,\)"),
        ([[1.0, 2.0, 3.0, 4.0]], r"xa must have shape \(n, 2\).*\(1, 4\)"),
        ([[np.nan, 0.0]], "xa must be finite, got nan"),
        ([[1j, 0.0]], "xa must be real numbers, got dtype complex128"),
    ],
)
def test_bad_input_is_named(xa, words):
    with pytest.raises(ValueError, match=words):
        max_margin_line(xa, [[0.0, 0.0]])


def test_two_empty_sets():
    with pytest.raises(ValueError, match="xa and xb must hold at least one point together"):
        max_margin_line([], [])


def test_offsets_between_neighbours():
    assert settle_offset(1.0, 3.0) == -2.0
    assert settle_offset(1e6, np.nextafter(1e6, 2e6)) is None
    tight = np.nextafter(np.nextafter(1e6, 2e6), 2e6)
    assert 1e6 + settle_offset(1e6, tight) < 0 < tight + settle_offset(1e6, tight)


@pytest.mark.parametrize("start", [0.0, 1.0, -1.0, 2.0**-1022, -(2.0**-1021), 1e6, -1e-300, 2.0**60])
def test_an_offset_is_found_where_any_double_is_between(start):
    """Across powers of two, zero and the smallest doubles: the rounded middle is enough."""
    doubles = [start]
    for _ in range(8):
        doubles = [np.nextafter(doubles[0], -np.inf), *doubles, np.nextafter(doubles[-1], np.inf)]
    for i, low in enumerate(doubles):
        for j in range(i + 1, len(doubles)):
            offset = settle_offset(low, doubles[j])
            assert (offset is None) == (j == i + 1)
            assert offset is None or low + offset < 0 < doubles[j] + offset


def test_a_million_points():
    rng = np.random.default_rng(0)
    xa, xb = rng.random((2, 500_000, 2))
    xa[:, 0] += 1.25
    line = max_margin_line(xa, xb)
    assert (xa @ line.normal + line.offset).min() > 0 > (xb @ line.normal + line.offset).max()
    assert 0.125 <= line.margin < 0.126


@pytest.mark.parametrize("shape", ["cloud", "circle", "grid", "far away", "touching", "one behind"])
def test_many_points_give_what_their_hulls_give(shape):
    rng = np.random.default_rng(7)
    points = rng.normal(size=(5_000, 2))
    if shape == "circle":
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    elif shape == "grid":
        points = np.round(points, 1)
    elif shape == "far away":
        points = points * 1e-3 + 1e6
    direction = np.array([0.6, 0.8])
    height = points @ direction
    middle = np.sort(height)[-1 if shape == "one behind" else 2_500]
    gap = 0.0 if shape == "touching" else 0.01 * np.ptp(height)
    ahead, behind = height > middle + gap, height <= middle
    if shape == "one behind":
        ahead, behind = height < middle, height == middle
    unit, half = shortest_vector(points[ahead], points[behind])
    for guess in (None, direction, -direction):
        found, margin = shortest_vector_among(points, ahead, behind, guess)
        assert margin == pytest.approx(half, rel=1e-9)
        assert found == pytest.approx(unit, abs=1e-7)


@pytest.mark.parametrize("seed", [20, 338, 341, 361, 376])
def test_a_gap_of_a_few_roundings_between_many_points(seed):
    """Rounded heights hide extreme points: without `_NARROW` the margin comes out up to a third too large."""
    rng = np.random.default_rng(seed)
    width, height = int(rng.integers(30, 3000)), int(rng.integers(5, 200))
    a, b = rng.integers(1, 50, size=2)
    k = np.column_stack([rng.integers(0, width, size=4000), rng.integers(-height, height, size=4000)])
    k[:, 1] += k[:, 0] * a // b
    k = np.unique(k, axis=0)
    level = b * k[:, 1] - a * k[:, 0]
    ahead, behind = level > np.median(level) + rng.integers(0, 4) * b, level <= np.median(level)
    points = 2.0**20 + k * 2.0**-32
    half = shortest_vector(points[ahead], points[behind])[1]
    assert shortest_vector_among(points, ahead, behind)[1] == pytest.approx(half, rel=1e-9)


def test_many_points_that_no_line_separates():
    points = np.random.default_rng(7).normal(size=(5_000, 2))
    ahead = points[:, 0] > 0
    ahead[np.argmin(points[:, 0])] = True
    assert shortest_vector_among(points, ahead, ~ahead) is None
