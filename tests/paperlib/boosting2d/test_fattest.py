"""The fattest of all optimal lines, against all lines through two points in rational arithmetic."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import optimal_separator
from paperlib.boosting2d._fattest import fat_boxes, ranked
from paperlib.boosting2d._fattest.fat_sweep import TIED, fat_sweep, nothing_wide
from paperlib.boosting2d._geometry.locations import merge
from paperlib.boosting2d._search import optimal_sets
from paperlib.boosting2d._search.optimal_sets import METHODS
from tests.paperlib.boosting2d.helpers import rational, squared_distance, turn

# The slow twin: all partitions by a line, and the rational distance of what is left on both sides


def partitions(places):
    """All divisions of distinct places by a line that goes through none, as frozensets of one side."""
    every = frozenset(range(len(places)))
    found = {every, frozenset()}
    for a, b in permutations(range(len(places)), 2):
        sides = [turn(places[a], places[b], c) for c in places]
        left = frozenset(i for i, side in enumerate(sides) if side > 0)
        on = [i for i, side in enumerate(sides) if side == 0]
        ahead = frozenset(i for i in on if i != a and (places[i] > places[a]) == (places[b] > places[a]))
        behind = frozenset(on) - ahead - {a}
        for part in (frozenset(), frozenset(on), ahead, behind, ahead | {a}, behind | {a}):
            found |= {left | part, every - (left | part)}
    return found


def twin(X, positive, weights, flip):
    """Return the least weight, the number of sets that have it, and the largest margin among these."""
    points = rational(X)
    places = sorted(set(points))
    at = [places.index(point) for point in points]
    exact = [Fraction(float(w)) for w in weights]
    slack = Fraction(1, 10**12) * sum(exact)
    weigh = {
        side: sum(w for i, w in enumerate(exact) if (at[i] in side) != positive[i])
        for side in partitions(places)
    }
    best = min(weigh.values())
    sides = [side for side, weight in weigh.items() if weight <= best + slack]
    margins = []
    for side in sides:
        ahead = {p for i, p in zip(at, points) if i in side}
        behind = set(places) - ahead
        if not flip:
            ahead &= {p for p, own in zip(points, positive) if own}
            behind &= {p for p, own in zip(points, positive) if not own}
        squared = squared_distance(ahead, behind) if ahead and behind else None
        margins.append(np.inf if squared is None else math.sqrt(squared) / 2)
    return best, len(sides), max(margins)


point_kinds = st.sampled_from(
    [
        lambda n, rng: rng.normal(size=(n, 2)),
        lambda n, rng: rng.integers(0, 3, size=(n, 2)).astype(float),
        lambda n, rng: rng.integers(0, 5, size=(n, 2)).astype(float),
        lambda n, rng: rng.integers(-2, 3, size=(n, 2)) / 7.0,
        lambda n, rng: rng.integers(0, 6, size=(n, 1)) * np.array([[1.0, 0.5]]),
        lambda n, rng: rng.normal(size=(n // 2 + 1, 2)).repeat(2, axis=0)[:n],
        lambda n, rng: np.round(np.exp(2j * np.pi * rng.integers(0, n, size=n) / n), 3)[:, None].view(float),
        lambda n, rng: np.vstack(
            [rng.normal(size=(n - n // 2, 2)), 1e-7 * rng.normal(size=(n // 2, 2)) + 9.0]
        ),
    ]
)
weight_kinds = st.sampled_from(
    [
        lambda n, rng: np.ones(n),
        lambda n, rng: rng.integers(1, 3, size=n).astype(float),
        lambda n, rng: rng.choice([0.1, 0.2, 0.3], size=n),
    ]
)


@st.composite
def samples(draw, largest=12):
    n = draw(st.integers(2, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(point_kinds)(n, rng), draw(weight_kinds)(n, rng)
    pairs = draw(st.booleans())  # of both classes at each place, if points coincide in pairs
    positive = np.arange(n) % 2 == 0 if pairs else rng.random(n) < draw(st.sampled_from([0.3, 0.5]))
    return X, positive, weights


@pytest.fixture
def always_swept(monkeypatch):
    """Sets are compared by the sweep, however few they are."""
    monkeypatch.setattr(ranked, "_PER_SET", 10**12)


@pytest.mark.usefixtures("always_swept")
@settings(max_examples=300, deadline=None)
@given(sample=samples(), flip=st.booleans(), method=st.sampled_from(sorted(METHODS)))
def test_against_all_lines_in_rational_arithmetic(sample, flip, method):
    best, count, margin = twin(*sample, flip)
    line = optimal_separator(*sample, method=method, on_misclassified="flip" if flip else "remove")
    assert line.margin == pytest.approx(margin, rel=1e-9)
    assert (line.n_optimal, line.all_counted) == (count, True)
    assert math.isclose(line.weight, best, rel_tol=1e-12)


def degenerate(seed):
    """A sample of up to 40 points; for every other seed in pairs of both classes, so that many lines tie."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    X = [
        rng.integers(0, 6, size=(n, 2)) / 1.0,
        rng.normal(size=(n, 2)),
        np.round(rng.normal(size=(n, 2)), 1),
        rng.integers(0, 9, size=(n, 1)) * np.array([[2.0, 1.0]]) + rng.integers(0, 2, size=(n, 1)),
        np.vstack([rng.normal(size=(n // 2, 2)), 1e6 + rng.integers(0, 3, size=(n // 2, 2))]),
    ][seed % 5]
    positive, weights = rng.random(len(X)) < 0.5, rng.integers(1, 1 + seed % 3, size=len(X), endpoint=True)
    if seed % 2:
        m = (len(X) - 3) // 2 * 2
        X[:m] = X[: m // 2].repeat(2, axis=0)
        positive[:m], weights[:m] = np.arange(m) % 2 == 0, 1
    return X, positive, weights / 1.0


@pytest.mark.drawn(1)
@pytest.mark.parametrize("flip", ["remove", "flip"])
def test_sweeping_is_the_same_as_one_by_one_for_all_methods(flip, monkeypatch):
    samples = [degenerate(seed) for seed in range(200)]
    each = [optimal_separator(*sample, on_misclassified=flip) for sample in samples]
    assert sum(line.n_optimal > 20 for line in each) > 20
    monkeypatch.setattr(ranked, "_PER_SET", 10**12)
    for sample, one_by_one in zip(samples, each):
        for method in METHODS:
            line = optimal_separator(*sample, method=method, on_misclassified=flip)
            assert np.array_equal(line.misclassified, one_by_one.misclassified)
            assert (line.margin, line.n_optimal) == (one_by_one.margin, one_by_one.n_optimal)
            assert np.array_equal(line.normal, one_by_one.normal)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("seed", range(20))
def test_sets_that_are_not_listed_count_for_the_margin(method, seed, monkeypatch):
    sample = degenerate(10 * seed + 1)
    whole = optimal_separator(*sample)
    monkeypatch.setattr(optimal_sets, "MOST_LISTED", 3)
    line = optimal_separator(*sample, method=method)
    assert np.array_equal(line.misclassified, whole.misclassified)
    assert line.margin == pytest.approx(whole.margin, rel=1e-12)
    assert line.n_optimal <= whole.n_optimal
    assert line.all_counted == (line.n_optimal == whole.n_optimal) or not line.all_counted
    assert line.status == "optimal"


def pairs_and_outliers(n_pairs, seed=0):
    """Points of both classes in pairs, and one of each class on either side."""
    pairs = np.random.default_rng(seed).normal(size=(n_pairs, 2))
    X = np.vstack([pairs, pairs, [[-4.0, 0.0], [4.0, 0.0]]])
    return X, np.repeat([1, -1, -1, 1], [n_pairs, n_pairs, 1, 1])


@pytest.mark.drawn(1)
@pytest.mark.parametrize("flip", ["remove", "flip"])
def test_more_ties_than_can_be_listed(flip):
    X, y = pairs_and_outliers(500)
    lines = [
        optimal_separator(X, y, method=method, on_misclassified=flip)
        for method in ("auto", "branch", "sweep")
    ]
    for line in lines:
        assert line.weight == 500.0
        assert not line.all_counted
        assert np.array_equal(line.misclassified, lines[0].misclassified)
        assert line.margin == lines[0].margin
    # No line of a fine grid is farther from all of the points than that.
    angles = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    for normal in np.column_stack([np.cos(angles), np.sin(angles)]):
        heights = np.sort(X @ normal)
        keep = (heights[:-1] >= X[-2] @ normal) & (heights[1:] <= X[-1] @ normal)
        assert (np.diff(heights)[keep] / 2).max(initial=0.0) <= lines[0].margin * (1.0 + 1e-12)


def prepared(X, positive, weights, flip):
    """What the kernels take, the least weight, the power of two of the unit, and which class is ahead."""
    places = merge(X, positive, weights)
    swapped = np.count_nonzero(places.wp) > np.count_nonzero(places.wn)
    sample, exponent = ranked.sample_of(places, swapped, flip)
    best = METHODS["pairs"](places.x, places.y, sample.wp, sample.wn, 0.0).weight
    return sample, best, exponent, -1 if swapped else 1


@pytest.mark.slow
@pytest.mark.parametrize("flip", [False, True])
def test_boxes_and_sweep_each_by_itself(flip):
    ended = 0
    for seed in range(300):
        sample, best, _, _ = prepared(*degenerate(seed), flip)
        if best in (sample.wp.sum(), sample.wn.sum()):
            continue
        swept, _ = fat_sweep(sample, sample.wp > 0, best, nothing_wide())
        known = swept.known * np.array([0.999, 0.9, 0.5, 0.1])[seed // 5 % 4]
        boxes = fat_boxes.search(sample, fat_boxes.start(sample, known), flip, best, 10**6)
        # Points 1e6 away leave no room for bounds on rounding; there the sweep takes over.
        assert boxes.size == 0 or seed % 5 == 4
        if boxes.size == 0:
            ended += 1
            wide = {
                found.keys[i]
                for found in (swept, boxes.gaps)
                for i in range(found.size)
                if found.widths[i] >= swept.known * (1.0 - 1e-12)
            }
            assert boxes.gaps.known == pytest.approx(swept.known, rel=1e-11)
            assert wide == set(boxes.gaps.keys[: boxes.gaps.size]) & wide
    assert ended > 200


def lines_of(node, rng, count=40):
    """Lines of a box, some of them at its corners: unit normals (count, 2) and t (count,)."""
    u, v = np.clip(rng.uniform(-1.5, 1.5, size=(2, count)), -1.0, 1.0)
    angles, ts = node[0] + node[1] * u, (node[2] + node[3]) / 2 + (node[3] - node[2]) / 2 * v
    return np.column_stack([np.cos(angles), np.sin(angles)]), ts


@pytest.mark.drawn(1)
@pytest.mark.parametrize("flip", [False, True])
def test_what_is_said_of_a_box_holds_for_its_lines(flip):
    finished = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        X, positive, weights = degenerate(seed)
        sample, best, exponent, sign = prepared(X, positive, weights, flip)
        line = optimal_separator(X, positive, weights, on_misclassified="flip" if flip else "remove")
        if not np.isfinite(line.margin) or seed % 5 == 4:
            continue
        search = fat_boxes.start(sample, 0.0)
        middle = np.array([sample.px[0] - search.x[0], sample.py[0] - search.y[0]])
        known = np.ldexp(line.margin, -exponent)
        t = -sign * np.ldexp(line.offset, -exponent) - sign * line.normal @ middle
        angle = np.arctan2(*(sign * line.normal)[::-1])
        half, reach = 10.0 ** rng.uniform(-2.5, 0.0), known * 10.0 ** rng.uniform(-1.5, 0.5)
        angle, t = angle + half * rng.uniform(-1, 1), t + reach * rng.uniform(-1, 1)
        node = np.array([angle, half, t - reach, t + reach, 0.0, 0.0, len(search.x)])
        margin = known * rng.choice([1.0, 0.5, 1.5])
        view = fat_boxes._view(sample, search.x, search.y, search.doubt, flip, node, search.arena, margin)
        normals, ts = lines_of(node, rng)
        heights = normals @ np.array([search.x, search.y]) - ts[:, None]
        thin = (np.abs(heights) < margin).any(axis=1)
        least = 0.0 if flip else margin
        wrong = (heights < least) @ sample.wp + (heights > -least) @ sample.wn
        assert view.least <= np.where(flip & thin, np.inf, wrong).min()
        if view.loose == 0 and view.least <= best:
            finished += 1
            assert ((heights > 0) == (heights[0] > 0)).all()
    assert finished > 40


@pytest.mark.parametrize("flip", [False, True])
def test_boxes_in_parts_are_the_same(flip):
    X, y = pairs_and_outliers(100, seed=2)
    sample, best, _, _ = prepared(X, y > 0, np.ones(len(X)), flip)
    whole = fat_boxes.search(sample, fat_boxes.start(sample, 1e-3), flip, best, 10**9)
    parts = fat_boxes.start(sample, 1e-3)
    while parts.size:
        parts = fat_boxes.search(sample, parts, flip, best, parts.judged + 1)
    assert (parts.judged, parts.gaps.size, parts.gaps.known) == (
        whole.judged,
        whole.gaps.size,
        whole.gaps.known,
    )


def test_the_sweep_in_parts_is_the_same_in_any_order_of_the_centres():
    X, y = pairs_and_outliers(60, seed=3)
    sample, best, _, _ = prepared(X, y > 0, np.ones(len(X)), flip=False)
    whole, _ = fat_sweep(sample, sample.wp > 0, best, nothing_wide())
    parts = nothing_wide()
    for a in np.random.default_rng(1).permutation(np.flatnonzero(sample.wp > 0)):
        parts, _ = fat_sweep(sample, np.arange(len(sample.x)) == a, best, parts)
    assert parts.known == pytest.approx(whole.known, rel=1e-12)
    assert parts.widths[: parts.size].max() <= whole.known * (1.0 + TIED)


def test_where_boxes_take_long_the_sweep_takes_over(monkeypatch):
    X, y = pairs_and_outliers(80, seed=4)
    whole = optimal_separator(X, y)
    monkeypatch.setattr(ranked, "_SHARE", 1e-5)
    line = optimal_separator(X, y)
    assert np.array_equal(line.misclassified, whole.misclassified)
    assert (line.margin, line.status) == (whole.margin, "optimal")


def test_a_time_limit_says_that_it_ended_the_comparison(monkeypatch):
    monkeypatch.setattr(ranked, "_PART", 1)
    X, y = pairs_and_outliers(300)
    full = optimal_separator(X, y, method="sweep")
    assert full.status == "optimal"
    for limit in (1e-4, 1e-2, 0.05, 0.1, 0.15):
        line = optimal_separator(X, y, method="sweep", time_limit=limit)
        assert line.margin <= full.margin * (1.0 + 1e-12)
        if line.status == "optimal":
            assert line.margin == full.margin
