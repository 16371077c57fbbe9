"""Mirrored-radial order against rationals, and witnesses against what the sweep says of them."""

from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib._common.jit import uncompiled
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._geometry.mirrored_order import _order_by_key, mirrored_order
from paperlib.boosting2d._search.angular_sweep import collect, sweep
from paperlib.boosting2d._search.pairs import line_weights, pairs
from paperlib.boosting2d._search.witness import distinct_sets, predicted_positive


def kinds(rng, n, kind):
    X = rng.normal(size=(n, 2))
    if kind == "grid":
        X = rng.integers(0, 6, size=(n, 2)).astype(float)
    elif kind == "clusters":  # angles that no approximate key tells apart
        X = np.where(rng.random((n, 1)) < 0.5, 0.0, 1.0) + 1e-13 * np.round(3 * X)
    elif kind == "line":
        X = np.round(20 * X[:, :1]) * np.array([[1.0, -0.5]])
    elif kind == "rounded line":
        X = X[:, :1] * np.array([[0.1, 0.3]]) + 7.0
    return X


KINDS = ["floats", "grid", "clusters", "line", "rounded line"]


def problem(seed, n, kind, whole=True):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, size=n) / 1.0 if whole else rng.random(n) + 0.01
    return merge(kinds(rng, n, kind), rng.random(n) < 0.5, weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_mirrored_order(kind, n):
    places = problem(n, n, kind)
    x, y, n = places.x, places.y, len(places.x)
    half, packed, spare = np.ones(n, dtype=np.int64), *np.empty((2, n), dtype=np.uint64)
    order, level = np.empty(n - 1, dtype=np.int64), np.empty(n - 1, dtype=bool)
    exact = [(Fraction(float(u)), Fraction(float(v))) for u, v in zip(x, y)]
    for a in range(0, n, max(1, n // 5)):
        mirrored_order(x, y, a, half, packed, spare, order, level)
        offsets = {}
        for b in range(n):
            dx, dy = exact[b][0] - exact[a][0], exact[b][1] - exact[a][1]
            sign = 1 if (dy, dx) > (0, 0) else -1
            offsets[b] = (sign * dx, sign * dy)
            assert b == a or half[b] == sign

        def compare(b, c, offsets=offsets):
            (ux, uy), (vx, vy) = offsets[b], offsets[c]
            value = ux * vy - uy * vx
            return (value < 0) - (value > 0)

        expected = sorted((b for b in range(n) if b != a), key=cmp_to_key(compare))
        assert sorted(order.tolist()) == sorted(expected)
        assert all(compare(b, c) == 0 for b, c in zip(order.tolist(), expected))
        ties = [False] + [compare(b, c) == 0 for b, c in pairwise(expected)]
        assert level.tolist() == ties[: n - 1]


def weight_of(places, witness):
    predicted = predicted_positive(places.x, places.y, *witness)
    return np.where(predicted, places.wn, places.wp).sum()


def test_an_angle_that_rounds_to_half_a_turn():
    """Its key is the largest there is: without `_LARGEST_KEY` it is counted behind the end of the buckets."""
    x, y = np.array([-1.0, 0.0, 1.0, -1.0]), np.array([1e-20, 0.0, 1e-20, 1.0])
    half, scratch, order = np.ones(4, dtype=np.int64), np.empty((2, 4), dtype=np.uint64), np.empty(3, int)
    uncompiled(_order_by_key)(x, y, 1, half, *scratch, order)
    assert order.tolist() == [2, 3, 0]


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 14),
    kind=st.sampled_from(KINDS),
    slack=st.sampled_from([0.0, 2.0, 100.0]),
)
def test_witnesses_weigh_what_they_should(seed, n, kind, slack):
    places = problem(seed, n, kind)
    x, y, wp, wn = places[:4]
    lowest, _ = sweep(x, y, wp, wn)
    assert (np.isinf(lowest) == ((wp == 0) | (len(x) == 1))).all()
    limit = lowest.min() + slack
    found = collect(x, y, wp, wn, lowest, limit, 10**6)
    weights = [weight_of(places, witness) for witness in found.tolist()]
    assert all(weight <= limit for weight in weights)
    if len(found):
        assert min(weights) == lowest.min()
    # Every line through a positive location is there, as the ancestor sees them.
    _, every, _ = pairs(x, y, wp, wn, np.inf)
    through = np.array([w for w in every.tolist() if wp[w[0]] > 0 and weight_of(places, w) <= limit])
    ours = {row.tobytes() for row in distinct_sets(x, y, found)[1]} if len(found) else set()
    theirs = {row.tobytes() for row in distinct_sets(x, y, through)[1]} if len(through) else set()
    assert ours == theirs


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), kind=st.sampled_from(KINDS))
def test_a_line_is_judged_as_it_predicts(seed, n, kind):
    places = problem(seed, n, kind)
    n = len(places.x)
    out = np.empty((2, 3))
    for a, b in [(0, n - 1), (n // 2, 0)]:
        if a == b:
            continue
        line_weights(*places[:4], a, b, out)
        for i, side in enumerate((1, -1)):
            for turn in (-1, 0, 1):
                assert out[i, turn + 1] == weight_of(places, (a, b, side, turn))


def test_a_turned_line():
    """Five points in line, turned about the second, pointing right."""
    x, y = np.arange(5.0), np.zeros(5)
    assert predicted_positive(x, y, 1, 3, 1, 0).all()
    assert predicted_positive(x, y, 1, 3, 1, 1).tolist() == [True, True, False, False, False]
    assert predicted_positive(x, y, 1, 3, 1, -1).tolist() == [False, True, True, True, True]
    assert predicted_positive(x, y, 1, 0, 1, 1).tolist() == [False, True, True, True, True]
    assert predicted_positive(x, y, 1, 3, -1, 1).tolist() == [False, True, True, True, True]
    assert predicted_positive(x, y, 4, -1, 1, 0).all()
    assert not predicted_positive(x, y, 4, -1, -1, 0).any()


def test_what_is_beside_the_line():
    x, y = np.array([0.0, 1.0, 0.5, 0.5]), np.array([0.0, 0.0, 1.0, -1.0])
    assert predicted_positive(x, y, 0, 1, 1, 0).tolist() == [True, True, True, False]
    assert predicted_positive(x, y, 0, 1, -1, 0).tolist() == [True, True, False, True]
    assert predicted_positive(x, y, 0, 1, -1, 1).tolist() == [True, True, False, True]


@pytest.mark.parametrize("n", [60, 400])
def test_real_weights_do_not_drift(n):
    places = problem(n, n, "floats", whole=False)
    lowest, _ = sweep(*places[:4])
    found = collect(*places[:4], lowest, lowest.min() + 1e-9, 100)
    assert abs(weight_of(places, found[0].tolist()) - lowest.min()) <= 1e-13 * n


def test_no_more_than_asked_for():
    places = problem(0, 40, "floats")
    lowest, _ = sweep(*places[:4])
    assert len(collect(*places[:4], lowest, np.inf, 7)) == 7


def test_locations():
    X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, -0.0], [0.0, 2.0]])
    places = merge(X, np.array([True, True, False, True]), np.array([1.0, 2.0, 4.0, 8.0]))
    assert places.points.tolist() == [[0.0, 2.0], [1.0, 0.0]]
    assert places.of_row.tolist() == [1, 0, 1, 0]
    assert (places.wp.tolist(), places.wn.tolist()) == ([10.0, 1.0], [0.0, 4.0])


@pytest.mark.parametrize(
    "weights, exact",
    [
        ([1.0, 2.0, 3.0], True),
        ([0.5, 0.25, 2.0**-52], True),
        ([0.1, 0.1], True),
        ([0.1, 0.2], False),
        ([0.1, 3.0], False),
        ([2.0**53, 1.0], False),
        ([2.0**52, 1.0], True),
        ([5e-324, 1e-320], True),
    ],
)
def test_sums_known_to_be_exact(weights, exact):
    weights = np.array(weights)
    assert tolerance(weights) == (0.0 if exact else 1e-12 * weights.sum())
