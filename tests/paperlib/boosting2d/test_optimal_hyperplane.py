"""The hyperplane in any dimension against every hyperplane through d points, in rational arithmetic."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib._common.deadline import Deadline
from paperlib.boosting2d import optimal_hyperplane, optimal_plane, optimal_separator
from paperlib.boosting2d._hyperplanes import best_first
from paperlib.boosting2d._hyperplanes.boxes import Sample
from paperlib.boosting2d._hyperplanes.solve import solve
from tests.paperlib.boosting2d.helpers import AfterLooks, check_result
from tests.paperlib.certificates.optima import lightest

# The slow twin


def least(vectors, weights, start=0):
    """Least weight of ``w . v <= 0`` over all w that are orthogonal to none; exact, by every flag.

    Each cell of w has some w on its border that is orthogonal to a vector v. Those on v's line then are on
    one side or the other; what the rest costs is decided by the vectors modulo v.
    """
    if not vectors or not any(any(v) for v in vectors):
        return 0
    best = None
    for i in range(start, len(vectors)):
        v = vectors[i]
        pivot = next((j for j, entry in enumerate(v) if entry), None)
        if pivot is None:
            continue
        inner, sides = [], [0, 0]
        for x, weight in zip(vectors, weights):
            sign = 1 if v[pivot] > 0 else -1
            reduced = [abs(v[pivot]) * a - sign * x[pivot] * b for a, b in zip(x, v)]
            inner.append(reduced)
            if not any(reduced) and any(x):
                sides[x[pivot] * v[pivot] > 0] += weight
        rest = least(inner, weights, i + 1)
        if rest is not None and (best is None or min(sides) + rest < best):
            best = min(sides) + rest
    return best


def twin(X, positive, weights):
    signs = np.where(positive, 1, -1)
    vectors = [[Fraction(float(v)) * int(s) for v in row] + [Fraction(int(s))] for row, s in zip(X, signs)]
    return least(vectors, [Fraction(float(w)) for w in weights])


def through_points(X, positive, weights):
    """Least weight in general position: the points that a hyperplane goes through cost nothing."""
    n, d = X.shape
    rows = np.array(list(combinations(range(n), d)))
    vectors = np.column_stack([X, np.ones(n)])
    planes = np.linalg.svd(vectors[rows])[2][:, -1]
    signed = np.where(positive, 1.0, -1.0) * (planes @ vectors.T)
    np.put_along_axis(signed, rows, np.nan, axis=1)
    return min(((signed < 0) @ weights).min(), ((signed > 0) @ weights).min())


def sample_of(vectors, weights):
    return Sample(vectors / np.linalg.norm(vectors, axis=1)[:, None], weights)


def grid_sample(D, n, seed, largest=1):
    """Vectors of a grid that span all dimensions, many of them in one line or plane, some of them twice."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-largest, largest + 1, size=(n, D))
    vectors = np.vstack([vectors[vectors.any(axis=1)], np.eye(D, dtype=int)])
    return vectors, rng.integers(1, 4, size=len(vectors)) / 1.0


def check_plane(plane, X, positive, weights):
    """What the result says is what its hyperplane does."""
    check_result(plane, X, positive, weights)
    assert plane.lower_bound <= plane.weight


def check(X, positive, weights):
    plane = optimal_hyperplane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    best = float(twin(X, positive, weights))
    assert plane.weight == pytest.approx(best, rel=1e-11, abs=1e-11)
    assert plane.lower_bound == pytest.approx(best, rel=1e-11, abs=1e-11)
    assert plane.status == "optimal"
    return plane


def spread(n, d, rng):
    """Points in a flat of fewer dimensions, in line with the axes or not."""
    return rng.integers(-2, 3, size=(n, max(1, d - 1))) @ rng.integers(-1, 2, size=(max(1, d - 1), d)) / 1.0


POINTS = [
    lambda n, d, rng: rng.normal(size=(n, d)),
    lambda n, d, rng: rng.integers(0, 2, size=(n, d)) / 1.0,
    lambda n, d, rng: rng.integers(-1, 2, size=(n, d)) / 1.0,
    lambda n, d, rng: rng.integers(0, 4, size=(n, d)) / 4.0 + 10.0,
    spread,
    lambda n, d, rng: rng.integers(0, 5, size=(n, 1)) * np.arange(1.0, d + 1),
    lambda n, d, rng: np.column_stack([np.full((n, d - 1), 0.3), rng.integers(0, 4, size=n)]),
]
WEIGHTS = [
    lambda n, rng: np.ones(n),
    lambda n, rng: np.full(n, 0.1),
    lambda n, rng: rng.integers(1, 4, size=n) / 1.0,
    lambda n, rng: rng.choice([0.1, 0.2, 0.3], size=n),
    lambda n, rng: rng.random(n) + 0.01,
]
LARGEST = {1: 12, 2: 9, 3: 8, 4: 7, 5: 7}


@st.composite
def samples(draw):
    d = draw(st.integers(1, 5))
    n = draw(st.integers(1, LARGEST[d]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(st.sampled_from(POINTS))(n, d, rng), draw(st.sampled_from(WEIGHTS))(n, rng)
    return X, rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])), weights


@settings(max_examples=150, deadline=None)
@given(sample=samples())
def test_against_every_hyperplane_exactly(sample):
    check(*sample)


@pytest.fixture
def small_parts(monkeypatch):
    """Hardly any points at a leaf, and a few boxes at a time: all paths of the search are taken."""
    monkeypatch.setattr(best_first, "SUBSETS", 0)
    monkeypatch.setattr(best_first, "PART", 50)
    monkeypatch.setattr(best_first, "LOOKS", 0)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("kind", range(len(POINTS)))
@pytest.mark.parametrize("d, n", [(1, 15), (2, 14), (3, 11), (4, 8)])
def test_every_path_of_the_search(small_parts, kind, d, n):
    rng = np.random.default_rng(10 * kind + d)
    for k in range(3):
        X = POINTS[kind](n, d, rng)
        check(X, rng.random(n) < 0.5, WEIGHTS[(kind + k) % len(WEIGHTS)](n, rng))


@pytest.mark.parametrize("D, n", [(2, 12), (3, 12), (4, 9), (5, 7)])
def test_crowded_hyperplanes_without_a_start(D, n):
    """Vectors of a grid, many on each hyperplane, and nothing known beforehand."""
    for seed in range(25):
        vectors, weights = grid_sample(D, n, seed)
        found = best_first.least_weight(sample_of(vectors, weights), 1e9, 0.5, Deadline(None))
        assert found.weight == found.lower_bound == least(vectors.tolist(), weights.tolist())
        assert weights[vectors @ found.plane <= 0].sum() == found.weight


@pytest.mark.parametrize("d, n", [(1, 60), (2, 60), (3, 40), (4, 22), (5, 16), (6, 14)])
@pytest.mark.parametrize("noise", [False, True])
def test_against_every_d_points(d, n, noise):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, weights = rng.normal(size=(n, d)), rng.integers(1, 4, size=n) / 1.0
        positive = rng.random(n) < 0.5 if noise else X[:, 0] + 0.7 * rng.normal(size=n) > 0
        plane = optimal_hyperplane(X, positive, weights)
        check_plane(plane, X, positive, weights)
        assert plane.weight == plane.lower_bound == through_points(X, positive, weights)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 250), grid=st.booleans())
def test_in_the_plane_it_is_the_optimal_separator(seed, n, grid):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, size=(n, 2)) / 1.0 if grid else rng.normal(size=(n, 2))
    positive = X.sum(axis=1) + rng.normal(size=n) * rng.integers(0, 5) > X.sum(axis=1).mean()
    weights = rng.integers(1, 3, size=n) / 1.0
    plane = optimal_hyperplane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    assert plane.weight == plane.lower_bound == optimal_separator(X, positive, weights).weight


@pytest.mark.parametrize("seed", range(6))
def test_in_space_it_is_the_sweep(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(60, 3)) / 1.0 if seed % 2 else rng.normal(size=(60, 3))
    positive, weights = rng.random(60) < 0.4, rng.random(60) + 0.1
    plane = optimal_hyperplane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    assert plane.weight == pytest.approx(optimal_plane(X, positive, weights).weight, rel=1e-11)


@settings(max_examples=40, deadline=None)
@given(
    sample=samples(),
    scale=st.sampled_from([1e-9, 1e9, 1e100, 1e-100, "mixed"]),
    shift=st.sampled_from([0.0, 3.0]),
)
def test_any_units(sample, scale, shift):
    X, positive, weights = sample
    units = np.resize([1e-9, 1e9, 1.0], X.shape[1]) if scale == "mixed" else scale
    scaled = (X + shift) * units
    plane = optimal_hyperplane(scaled, positive, weights)
    check_plane(plane, scaled, positive, weights)
    best = float(twin(X, positive, weights))
    if not shift and scale != "mixed":
        assert plane.weight == pytest.approx(best, rel=1e-11, abs=1e-11)
    assert plane.weight >= best - 1e-9


@settings(max_examples=30, deadline=None)
@given(sample=samples(), data=st.data())
def test_order_of_rows_axes_and_names_of_classes_do_not_matter(sample, data):
    X, positive, weights = sample
    best = optimal_hyperplane(X, positive, weights).weight
    order = np.array(data.draw(st.permutations(range(len(X)))))
    axes = np.array(data.draw(st.permutations(range(X.shape[1]))))
    for other in (
        optimal_hyperplane(X[order], positive[order], weights[order]),
        optimal_hyperplane(X, np.where(positive, "a", "b"), weights),
        optimal_hyperplane(X[:, axes], ~positive, weights),
    ):
        assert other.weight == pytest.approx(best, rel=1e-11)


def test_four_points_of_a_square_in_a_cube():
    """The square's diagonals differ in class: one point is wrong, though four in space are separable."""
    X = [[0.0, 0, 1], [1, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 0], [0, 0, 2]]
    check(np.array(X), np.array([True, True, False, False, False, True]), np.ones(6))


def test_many_points_on_one_hyperplane_are_a_problem_of_fewer_dimensions():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 3)), rng.normal(size=(20, 3))])
    X[:60, 2] = 0.0
    X[60:, 2] = np.where(np.arange(20) < 10, 1e-6, -1e-6) * (1 + rng.random(20))
    positive = np.r_[X[:60, 0] + rng.normal(size=60) > 0, np.arange(20) < 10]
    plane = optimal_hyperplane(X, positive)
    check_plane(plane, X, positive, np.ones(80))
    assert plane.weight == optimal_plane(X, positive).weight


def test_coincident_points_of_both_classes():
    X = [[0.0, 0.0, 0.0]] * 3 + [[1.0, 2.0, 3.0]] * 2
    plane = optimal_hyperplane(X, [0, 1, 1, 0, 1], [1.0, 1.0, 1.0, 0.3, 0.3])
    assert (plane.weight, plane.lower_bound) == (1.3, 1.3)


def test_fewer_points_than_dimensions_are_separable():
    rng = np.random.default_rng(0)
    for n in range(1, 8):
        positive = rng.random(n) < 0.5
        assert optimal_hyperplane(rng.normal(size=(n, 9)), positive).weight == 0


def test_ten_dimensions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16, 10))
    positive = rng.random(16) < 0.5
    plane = optimal_hyperplane(X, positive)
    assert plane.weight == plane.lower_bound == through_points(X, positive, np.ones(16))


def test_a_time_limit_leaves_an_interval_around_the_optimum():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(100, 4)), rng.random(100) < 0.5
    best = optimal_hyperplane(X, positive).weight
    bounds = []
    for looks in (0, 110, 130, 10_000):  # the start takes about a hundred
        found = solve(X, positive, np.ones(100), AfterLooks(looks))
        assert found.lower_bound <= best <= found.weight
        assert found.finished == (found.lower_bound == found.weight)
        bounds.append(found.lower_bound)
    assert bounds == sorted(bounds)
    assert bounds[0] == 0
    assert 0 < bounds[1] < bounds[2] < best == bounds[3]
    plane = optimal_hyperplane(X, positive, time_limit=1e-9)
    assert plane.status == "time limit"
    check_plane(plane, X, positive, np.ones(100))


def test_the_same_call_gives_the_same_hyperplane():
    rng = np.random.default_rng(3)
    X, positive = rng.normal(size=(80, 4)), rng.random(80) < 0.5
    one, two = optimal_hyperplane(X, positive), optimal_hyperplane(X, positive)
    assert np.array_equal(one.normal, two.normal)
    assert one.offset == two.offset


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_narrow_gaps(gap):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    X[:, 3] = np.where(np.arange(60) < 30, -gap, gap) * (1 + rng.random(60))
    assert optimal_hyperplane(X, np.arange(60) < 30).weight == 0


@pytest.mark.slow
def test_labellings_of_a_cube():
    cube = np.array(list(product([0.0, 1.0], repeat=3)))
    rng = np.random.default_rng(0)
    for _ in range(25):
        check(cube, rng.random(8) < 0.5, np.ones(8))


def test_a_start_that_is_turned_in_the_direction_of_its_own_normal():
    """Corners of a cube, most of them with both labels, whose start was no hyperplane but NaN."""
    corners = ["110", "011", "101", "100", "010", "100", "110", "100", "111", "111", "011", "011"]
    X = np.array([[float(digit) for digit in corner] for corner in corners])
    positive = np.array([digit == "1" for digit in "101010011010"])
    found = optimal_hyperplane(X, positive)
    check_result(found, X, positive, np.ones(12))
    assert (
        found.status == "optimal"
        and found.weight == found.lower_bound == lightest(X, positive, np.ones(12))[0]
    )
