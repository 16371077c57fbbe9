"""Signs of cross products against rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d._geometry.predicates import cross, cross_sign, orientation, two_product, two_sum

finite = st.floats(-1e9, 1e9).filter(lambda v: v == 0 or abs(v) >= 1e-70)
tiny = st.floats(-1e-9, 1e-9).filter(lambda v: v == 0 or abs(v) >= 1e-70)
grid = st.integers(-4, 4).map(float)
wide = st.floats(-1e70, 1e70).filter(lambda v: v == 0 or abs(v) >= 1e-70)


def exact(p, q, r, s):
    p, q, r, s = ([Fraction(v) for v in point] for point in (p, q, r, s))
    return (q[0] - p[0]) * (s[1] - r[1]) - (q[1] - p[1]) * (s[0] - r[0])


def sign(value):
    return (value > 0) - (value < 0)


def check(a, b, c):
    value = exact(a, b, a, c)
    assert orientation(*a, *b, *c) == sign(value)
    computed = cross(*a, *b, *a, *c)
    assert abs(Fraction(computed) - value) <= abs(value) * Fraction(2) ** -50


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(*(st.lists(kind, min_size=6, max_size=6) for kind in (finite, tiny, grid, wide, finite | grid)))
)
def test_any_triple(v):
    check(v[0:2], v[2:4], v[4:6])


@settings(max_examples=500, deadline=None)
@given(
    a=st.tuples(finite, finite),
    b=st.tuples(finite, finite),
    t=st.floats(-2, 3),
    steps=st.tuples(st.integers(-2, 2), st.integers(-2, 2)),
)
def test_nearly_collinear_triples(a, b, t, steps):
    c = []
    for k in range(2):
        value = a[k] + t * (b[k] - a[k])
        for _ in range(abs(steps[k])):
            value = np.nextafter(value, np.inf * steps[k])
        c.append(0.0 if abs(value) < 1e-70 else float(value))
    check(a, b, c)
    check(c, a, b)


@settings(max_examples=200, deadline=None)
@given(v=st.lists(finite | grid, min_size=8, max_size=8))
def test_two_directions(v):
    p, q, r, s = v[0:2], v[2:4], v[4:6], v[6:8]
    assert cross_sign(*p, *q, *r, *s) == sign(exact(p, q, r, s))


@pytest.mark.parametrize("scale", [1e-130, 1e-9, 1.0, 1e9, 1e149])
def test_a_neighbourhood_of_a_diagonal(scale):
    """Kettner et al.'s picture: points one ulp apart next to a line; naive arithmetic gets a third wrong."""
    ulp = 2.0**-53
    b, c = (12.0 * scale, 12.0 * scale), (24.0 * scale, 24.0 * scale)
    for i in range(16):
        for j in range(16):
            check(((0.5 + i * ulp) * scale, (0.5 + j * ulp) * scale), b, c)


@settings(max_examples=200, deadline=None)
@given(a=finite, b=finite)
def test_error_free_transformations(a, b):
    s, e = two_sum(a, b)
    assert Fraction(s) + Fraction(e) == Fraction(a) + Fraction(b)
    p, e = two_product(a, b)
    assert Fraction(p) + Fraction(e) == Fraction(a) * Fraction(b)


@settings(max_examples=200, deadline=None)
@given(v=st.lists(finite | grid, min_size=6, max_size=6))
def test_swapping_points_swaps_the_sign(v):
    a, b, c = v[0:2], v[2:4], v[4:6]
    first = orientation(*a, *b, *c)
    assert first == orientation(*b, *c, *a) == orientation(*c, *a, *b)
    assert first == -orientation(*b, *a, *c) == -orientation(*a, *c, *b)


def test_triples_that_only_products_of_roundings_decide():
    """Two points near the origin, along the diagonal that the third is on: terms of the first order cancel.

    What their own rounding leaves must not decide: without `_CLOSE_FILTER` it does.
    """
    rng = np.random.default_rng(0)
    signs = []
    for _ in range(300):
        far, b = 1.0 + rng.random(), rng.integers(-1000, 1000, size=2)
        c = b + rng.integers(1, 1000)
        triple = (far, far, *(b * 2.0**-70), *(c * 2.0**-70))
        ax, ay, bx, by, cx, cy = map(Fraction, triple)
        exact = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        signs.append((exact > 0) - (exact < 0))
        assert orientation(*triple) == signs[-1]
    assert {1, -1} <= set(signs)
