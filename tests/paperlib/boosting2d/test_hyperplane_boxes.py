"""The parts of the search over hyperplanes, each against what defines it."""

from itertools import combinations, product

import numpy as np
import pytest

from paperlib._common.deadline import Deadline
from paperlib.boosting2d._hyperplanes.best_first import _leaf, _leaning, _Search, least_weight
from paperlib.boosting2d._hyperplanes.boxes import ON, Sample, lower_bound, narrow, widest
from paperlib.boosting2d._hyperplanes.coordinates import as_vectors
from paperlib.boosting2d._hyperplanes.descent import descend, turn
from paperlib.boosting2d._hyperplanes.plunge import Best, plunge
from paperlib.boosting2d._hyperplanes.solve import _gain
from paperlib.boosting2d._hyperplanes.vertices import finish, no_crowd
from tests.paperlib.boosting2d.helpers import AfterLooks


def sample_of(n, D, rng, grid=False):
    vectors = rng.integers(-2, 3, size=(n, D)) / 1.0 if grid else rng.normal(size=(n, D))
    vectors[~vectors.any(axis=1), 0] = 1.0
    return Sample(vectors / np.linalg.norm(vectors, axis=1)[:, None], rng.integers(1, 4, size=n) / 1.0)


def box_of(D, rng):
    """A part of a face of the cube."""
    half = 10 ** rng.uniform(-2.5, 0, size=D) / 2
    center = rng.uniform(-1, 1, size=D) * (1 - half)
    face = rng.integers(D)
    half[face], center[face] = 0.0, rng.choice([-1.0, 1.0])
    return center, half


def inside(center, half, rng, size=400):
    """Hyperplanes of a box: its center, corners, and others."""
    shares = rng.uniform(-1, 1, size=(size, len(center)))
    shares[: size // 2] = np.sign(shares[: size // 2])
    return np.vstack([center, center + half * shares])


def cost(sample, items, planes):
    """What each hyperplane has on the wrong side of it."""
    return (planes @ sample.vectors[items].T < 0) @ sample.weights[items]


CASES = [(D, grid, seed) for D in (2, 3, 5) for grid in (False, True) for seed in range(12)]


@pytest.mark.parametrize("D, grid, seed", CASES)
def test_bounds_hold_all_over_a_box(D, grid, seed):
    rng = np.random.default_rng(seed)
    sample, (center, half) = sample_of(80, D, rng, grid), box_of(D, rng)
    items, out, products = np.arange(80, dtype=np.int32), np.empty(80, dtype=np.int32), np.empty((80, 2))
    active = narrow(sample, items, center, half, out, products)
    kept = out[: active.kept]
    planes = inside(center, half, rng)
    gone = np.setdiff1d(items, kept)
    assert (cost(sample, gone, planes) == active.base).all()
    products_of_all = planes @ sample.vectors[kept].T
    assert np.allclose(products[: len(kept), 0], products_of_all[0], atol=1e-14)
    assert (products[: len(kept), 1] <= products_of_all.min(axis=0) + 1e-14).all()
    wrong = sample.vectors[kept] @ center <= ON
    assert active.at_center == sample.weights[kept][wrong].sum()
    bound, slope = lower_bound(sample, kept, products, center, half, np.inf)
    assert 0 <= bound <= cost(sample, kept, planes).min()
    # The tangent is below the cost, not only its least value.
    assert (planes @ slope <= cost(sample, kept, planes) + 1e-9).all()
    at_once, _ = lower_bound(sample, kept, products, center, half, 0.0)
    assert at_once <= bound


def test_a_point_that_rounding_puts_in_front_of_the_center_is_on_it():
    sample = Sample(np.array([[1e-17, 1.0]]), np.ones(1))
    out, products = np.empty(1, dtype=np.int32), np.empty((1, 2))
    center, half = np.array([1.0, 0.0]), np.array([0.0, 0.1])
    assert narrow(sample, np.zeros(1, dtype=np.int32), center, half, out, products) == (1, 0.0, 1.0)


def test_a_bound_is_worth_something():
    """A tenth of what the center misclassifies, labels being noise, and more from more tangents."""
    rng = np.random.default_rng(0)
    shares, first = [], []
    for _ in range(100):
        sample, (center, half) = sample_of(200, 4, rng), box_of(4, rng)
        items, out, products = np.arange(200, dtype=np.int32), np.empty(200, np.int32), np.empty((200, 2))
        active = narrow(sample, items, center, half, out, products)
        kept = out[: active.kept]
        if active.at_center:
            bound, _ = lower_bound(sample, kept, products, center, half, np.inf)
            shares.append(bound / active.at_center)
            first.append(lower_bound(sample, kept, products, center, half, 1e-9)[0] / active.at_center)
    assert np.mean(shares) > 0.1
    assert np.mean(shares) > 1.03 * np.mean(first)


def test_the_widest_direction_is_split():
    sample = Sample(np.array([[0.6, 0.8], [0.8, -0.6]]), np.ones(2))
    assert widest(sample, np.arange(2, dtype=np.int32), np.array([0.1, 0.3])) == (1, pytest.approx(0.21))


@pytest.mark.parametrize("D, grid, seed", [case for case in CASES if case[0] < 5])
def test_all_hyperplanes_through_d_points_are_looked_at(D, grid, seed):
    rng = np.random.default_rng(seed)
    sample, (center, half) = sample_of(12, D, rng, grid), box_of(D, rng)
    items, plane = np.arange(12, dtype=np.int32), np.empty(D)
    weight, crowded, _ = finish(sample, items, center, half, 1e9, plane, no_crowd(D))
    simple, crowds = [], []
    face = int(np.argmin(half))
    for rows in combinations(range(12), D - 1):
        *_, lengths, axes = np.linalg.svd(sample.vectors[list(rows)])
        w = axes[-1] * np.sign(axes[-1][face] * center[face])
        if lengths[-1] < 1e-9 or abs(w[face]) < 1e-9:
            continue
        if (np.abs(w / abs(w[face]) - center) > half + 1e-9).any():
            continue
        products = sample.vectors @ w
        on = np.abs(products) <= ON
        (simple if on.sum() == D - 1 else crowds).append((sample.weights[~on & (products < 0)].sum(), w))
    assert weight == min((each for each, _ in simple), default=np.inf)
    if simple:
        products = sample.vectors @ plane
        assert sample.weights[products < -ON].sum() == weight
        assert (np.abs(products) <= ON).sum() == D - 1
    if min([each for each, _ in crowds], default=np.inf) < weight:
        found = crowded.planes[: crowded.size]
        best, w = min(crowds, key=lambda pair: pair[0])
        k = int(np.argmin(np.abs(found - w).max(axis=1)))
        assert np.allclose(found[k], w, atol=1e-9)
        assert crowded.weights[k] == best
    assert all(np.abs(a - b).max() > ON for a, b in combinations(crowded.planes[: crowded.size], 2))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("leaf", [2, 20])
@pytest.mark.parametrize("most", [1, 200, 10**9])
def test_what_a_plunge_leaves_behind_holds_all_that_is_better(leaf, most):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        sample, (center, half) = sample_of(40, 3, rng), box_of(3, rng)
        items = np.arange(40, dtype=np.int32)
        start = Best(1e3, np.ones(3), False)
        best, boxes, left, crowded = plunge(sample, items, (center, half, 0.0), start, 0.5, leaf, most)
        assert crowded.size == 0
        for rows in combinations(range(40), 2):
            plane = np.cross(*sample.vectors[list(rows)])
            plane /= plane[half == 0] * center[half == 0]
            weight = cost(sample, np.setdiff1d(items, rows), plane[None])[0]
            if (np.abs(plane - center) > half).any() or weight > best.weight - 0.5:
                continue
            apart = np.abs(plane - boxes.centers[:left]) - boxes.halves[:left]
            k = int(np.argmin(apart.max(axis=1)))
            assert apart[k].max() <= 1e-9
            assert weight >= boxes.bounds[k] >= boxes.bases[k]
        if most == 10**9:
            assert left == 0
        products = sample.vectors @ best.plane
        assert best.weight == sample.weights[products <= (-ON if best.touches else ON)].sum()


@pytest.mark.parametrize("D, n", [(3, 60), (4, 40), (5, 24)])
def test_what_is_just_below_the_known_weight_is_found(D, n):
    """Bounds that are only a little too high would drop the box that it is in."""
    for seed in range(12):
        sample = sample_of(n, D, np.random.default_rng(seed))
        rows = np.array(list(combinations(range(n), D - 1)))
        planes = np.linalg.svd(sample.vectors[rows])[2][:, -1]
        products = planes @ sample.vectors.T
        np.put_along_axis(products, rows, 0.0, axis=1)
        best = min(((products < 0) @ sample.weights).min(), ((products > 0) @ sample.weights).min())
        assert least_weight(sample, best + 1, 0.5, Deadline(None)).weight == best


def test_how_far_apart_two_weights_are():
    rng = np.random.default_rng(0)
    assert _gain(np.full(9, 0.1), 0.0) == pytest.approx(0.1)
    assert _gain(np.array([2.0, 3.0]), 0.0) == pytest.approx(1.0)
    assert 0 < _gain(rng.random(9), 1e-12) < 1e-10


def test_a_known_weight_is_not_found_again():
    rng = np.random.default_rng(0)
    sample = sample_of(60, 4, rng)
    best = least_weight(sample, 1e9, 0.5, Deadline(None))
    assert (sample.vectors @ best.plane <= 0) @ sample.weights == best.weight == best.lower_bound
    again = least_weight(sample, best.weight, 0.5, Deadline(None))
    assert again == (best.weight, None, best.weight, True)


def test_a_turn_finds_the_best_angle():
    rng = np.random.default_rng(0)
    angles = np.linspace(0, 2 * np.pi, 20_001)
    for _ in range(20):
        products, others, weights = (
            rng.normal(size=30),
            rng.normal(size=30),
            rng.integers(1, 4, size=30) / 1.0,
        )
        costs = (np.outer(np.cos(angles), products) + np.outer(np.sin(angles), others) <= 0) @ weights
        c, s = turn(products, others, weights, np.inf)
        assert (c * products + s * others <= 0) @ weights <= costs.min()
        assert turn(products, others, weights, 0.0) is None


def test_local_search_never_gets_worse_and_says_what_it_has():
    rng = np.random.default_rng(0)
    sample = sample_of(200, 4, rng)
    start = rng.normal(size=4)
    weights = []
    for tries in (0, 10, 100):
        plane, weight = descend(sample, start, tries)
        assert weight == sample.weights[sample.vectors @ plane <= ON].sum()
        weights.append(weight)
    assert weights == sorted(weights, reverse=True)
    assert weights[2] < weights[0]


def test_local_search_counts_what_is_on_the_hyperplane_but_for_rounding():
    """Hyperplanes through corners of a cube: rounding has some of these in front."""
    cube = np.array(list(product([0.0, 1.0], repeat=3)))
    for labels in product([False, True], repeat=8):
        positive = np.array(labels)
        if positive.any() and not positive.all():
            sample = as_vectors(cube, positive, np.ones(8), 0.0).sample
            plane, weight = descend(sample, np.linalg.lstsq(sample.vectors, np.ones(8))[0], 40)
            assert weight == (sample.vectors @ plane <= ON).sum()


def test_both_sides_of_a_crowded_hyperplane_are_looked_at():
    """Seen from below, too much is wrong already; from above, what is on it is worth to be turned about."""
    flat = [[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
    sample = Sample(np.array([*flat, [0, 0, 1], [0, 0, -1]]), np.array([1.5, 1.5, 1.5, 1.5, 8, 1]))
    search = _Search(sample, 10.0, 0.4, Deadline(None))
    search._look_around(np.array([0.0, 0.0, -1.0]))
    assert search.best.weight == 10
    search._look_around(np.array([0.0, 0.0, 1.0]))
    assert search.best.weight == 4
    assert sample.weights[sample.vectors @ search.plane <= 0].sum() == 4


def test_leaning_passes_no_point():
    rng = np.random.default_rng(0)
    for _ in range(50):
        sample, plane, toward = sample_of(30, 4, rng), rng.normal(size=4), 100 * rng.normal(size=4)
        before, after = sample.vectors @ plane, sample.vectors @ _leaning(sample.vectors, plane, toward)
        assert (after[before > ON] > 0).all()


def test_vectors_are_spread_evenly_and_lead_back():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * [1e-5, 1.0, 1e7] + [1.0, 5.0, 1e8]
    X[7] = X[8]
    positive = rng.random(300) < 0.5
    positive[7], positive[8] = True, False
    found = as_vectors(X, positive, np.ones(300), 0.0)
    vectors = found.sample.vectors
    assert vectors.shape == (298, 4)
    assert found.base == 1.0
    assert (found.of_row[[7, 8]] == -1).all()
    assert np.allclose(vectors.T @ vectors / 298, np.eye(4) / 4, atol=0.02)
    plane = rng.normal(size=4)
    # Along the normal, points are in the order of their scores in front of the plane.
    scores = X @ found.normal(plane)
    signs = np.where(found.ahead, 1, -1) * (vectors @ plane) > 0
    cut = np.sort(scores[found.of_row >= 0])[::-1][signs.sum() - 1]
    assert ((scores[found.of_row >= 0] >= cut) == signs[found.of_row[found.of_row >= 0]]).all()


def test_leaves_have_enough_points_for_a_hyperplane():
    assert [_leaf(D) for D in (2, 3, 4, 5, 7, 11)] == [64, 63, 23, 16, 13, 14]
    assert _leaf(80) == 79


def test_what_is_next_to_a_crowded_hyperplane_counts_when_the_time_is_up(monkeypatch):
    """Though no box is left that says so: its own search has only begun."""
    angles = 2.0 * np.pi * np.arange(9) / 9.0 + np.arange(9) % 2 * np.pi
    flat = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(9)])
    sample = Sample(np.vstack([flat, np.eye(3)[2:]]), np.ones(10))
    best = least_weight(sample, 9.0, 0.5, Deadline(None)).weight

    def to_the_end(search):
        search.heap.clear()
        search._look_around(np.array([0.0, 0.0, 1.0]))

    monkeypatch.setattr(_Search, "go_on", to_the_end)
    found = least_weight(sample, 9.0, 0.5, AfterLooks(1))
    assert not found.finished and found.lower_bound <= best < found.weight
