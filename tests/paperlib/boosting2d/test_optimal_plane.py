"""The plane in space against every subset, tested for separability by linear programming."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from paperlib.boosting2d import optimal_plane, optimal_separator
from tests.paperlib.boosting2d.helpers import WEIGHTS, check_result

# The slow twin


def separable(xa, xb):
    """Strictly, by the largest t with ``w a + b >= t`` and ``w b + b <= -t`` for w, t in the unit box."""
    if len(xa) == 0 or len(xb) == 0:
        return True
    d = xa.shape[1]
    rows = np.vstack([np.c_[-xa, -np.ones(len(xa))], np.c_[xb, np.ones(len(xb))]])
    bounds = [(-1, 1)] * d + [(None, None), (None, 1)]
    found = linprog(
        np.r_[np.zeros(d + 1), -1.0],
        A_ub=np.c_[rows, np.ones(len(rows))],
        b_ub=np.zeros(len(rows)),
        bounds=bounds,
    )
    return -found.fun > 1e-6


def twin(X, positive, weights):
    """Least weight, and the optimal separator sets as rows of booleans; lightest subsets first."""
    masks = np.array(list(product([False, True], repeat=len(X))))
    totals = masks @ weights
    best, sets = np.inf, []
    for i in np.argsort(totals, kind="stable"):
        if totals[i] > best + 1e-9:
            break
        kept = ~masks[i]
        if separable(X[kept & positive], X[kept & ~positive]):
            best = min(best, totals[i])
            sets.append(masks[i])
    return best, np.array(sets)


def check_plane(plane, X, positive, weights):
    """What the result says is what its plane does."""
    scores, wrong = check_result(plane, X, positive, weights)
    assert plane.n_optimal >= 1
    assert plane.margin > 0
    if np.isfinite(plane.margin):
        assert plane.margin == np.abs(scores[~wrong]).min()
    else:
        assert (scores > 0).all() or (scores < 0).all()


def check(X, positive, weights):
    best, sets = twin(X, positive, weights)
    plane = optimal_plane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    assert plane.weight == pytest.approx(best, rel=1e-12)
    assert any(np.array_equal(plane.misclassified, row) for row in sets)
    assert plane.n_optimal == len(sets)
    return plane


POINTS = [
    lambda n, rng: rng.normal(size=(n, 3)),
    lambda n, rng: rng.integers(0, 2, size=(n, 3)).astype(float),
    lambda n, rng: rng.integers(-1, 2, size=(n, 3)).astype(float),
    lambda n, rng: rng.integers(0, 4, size=(n, 3)) / 4.0 + 10.0,
    lambda n, rng: rng.integers(0, 3, size=(n, 2)) @ np.array([[1.0, 0.0, 2.0], [1.0, 1.0, -1.0]]),
    lambda n, rng: rng.integers(0, 5, size=(n, 1)) * np.array([[1.0, 0.5, -2.0]]),
    lambda n, rng: np.column_stack([np.zeros((n, 2)), rng.integers(0, 4, size=n)]),
    lambda n, rng: (
        np.vstack([rng.integers(0, 2, size=(n // 2, 3)), rng.integers(0, 9, size=(n - n // 2, 3))]) / 1.0
    ),
]


@st.composite
def samples(draw, largest=7):
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(st.sampled_from(POINTS))(n, rng), draw(st.sampled_from(WEIGHTS))(n, rng)
    return X, rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])), weights


@settings(max_examples=150, deadline=None)
@given(sample=samples())
def test_against_every_subset(sample):
    check(*sample)


@settings(max_examples=80, deadline=None)
@given(sample=samples(12))
def test_branch_and_bound_finds_what_the_sweep_finds(sample):
    X, positive, weights = sample
    sweep, branch = (optimal_plane(*sample, method=method) for method in ("sweep", "branch"))
    check_plane(branch, X, positive, weights)
    assert branch.weight == pytest.approx(sweep.weight, rel=1e-11)
    for plane in (sweep, branch):
        assert plane.lower_bound == pytest.approx(plane.weight, rel=1e-11)
        assert plane.lower_bound <= plane.weight
        assert plane.status == "optimal"


def test_auto_is_the_search_where_the_sweep_would_take_long():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(150, 3)), rng.random(150) < 0.5
    X[positive] += 1.0
    plane, branch = optimal_plane(X, positive), optimal_plane(X, positive, method="branch")
    assert np.array_equal(plane.normal, branch.normal)
    assert plane.weight == plane.lower_bound == optimal_plane(X, positive, method="sweep").weight


def test_a_time_limit_leaves_an_interval():
    rng = np.random.default_rng(0)
    X, positive = rng.normal(size=(150, 3)), rng.random(150) < 0.5
    plane = optimal_plane(X, positive, time_limit=1e-9)
    check_plane(plane, X, positive, np.ones(150))
    assert plane.status == "time limit"
    assert plane.lower_bound <= optimal_plane(X, positive).weight <= plane.weight


@pytest.mark.parametrize("seed", range(4))
def test_against_every_subset_of_nine(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(9, 3)).astype(float)
    check(X, rng.random(9) < 0.5, np.ones(9))


@settings(max_examples=30, deadline=None)
@given(labels=st.lists(st.booleans(), min_size=8, max_size=8))
def test_labellings_of_a_cube(labels):
    check(np.array(list(product([0.0, 1.0], repeat=3))), np.array(labels), np.ones(8))


@pytest.mark.parametrize("seed", range(5))
def test_against_every_three_points(seed):
    """In general position every partition is that of a plane through three points, each on either side."""
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(22, 3)), rng.integers(1, 5, size=22) / 1.0
    positive = np.where(rng.random(22) < 0.6, X[:, 0] > 0, rng.random(22) < 0.5)
    signed = np.where(positive, weights, -weights)
    best = np.inf
    for three in combinations(range(22), 3):
        a, b, c = X[list(three)]
        above = (X - a) @ np.cross(b - a, c - a) > 0
        for sides in product([False, True], repeat=3):
            above[list(three)] = sides
            gain = signed[above].sum()
            best = min(best, weights[positive].sum() - gain, weights[~positive].sum() + gain)
    plane = optimal_plane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    assert plane.weight == best


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 25), grid=st.booleans())
def test_points_of_one_plane_are_separated_as_in_it(seed, n, grid):
    rng = np.random.default_rng(seed)
    flat = rng.integers(-2, 3, size=(n, 2)).astype(float) if grid else rng.normal(size=(n, 2))
    positive, weights = rng.random(n) < 0.5, rng.integers(1, 3, size=n).astype(float)
    X = np.column_stack([flat[:, 1], np.full(n, 0.3), flat[:, 0]])
    line, plane = optimal_separator(flat, positive, weights), optimal_plane(X, positive, weights)
    check_plane(plane, X, positive, weights)
    assert (plane.weight, plane.n_optimal) == (line.weight, line.n_optimal)
    assert plane.margin == pytest.approx(line.margin, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(
    sample=samples(),
    scale=st.sampled_from([(1e-9,) * 3, (1e9,) * 3, (1e-9, 1e9, 1.0), (1e100,) * 3, (1e-50, 1.0, 1e50)]),
    shift=st.sampled_from([0.0, 3.0]),
)
def test_any_units(sample, scale, shift):
    X, positive, weights = sample
    plane = optimal_plane(X, positive, weights)
    scaled = (X + shift) * np.array(scale)
    other = optimal_plane(scaled, positive, weights)
    check_plane(other, scaled, positive, weights)
    assert other.weight >= plane.weight * (1 - 1e-12)
    if scale[0] == scale[1] and not shift:
        assert other.weight == pytest.approx(plane.weight, rel=1e-12)
        assert other.margin == pytest.approx(plane.margin * scale[0], rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(sample=samples(10), data=st.data())
def test_order_of_rows_axes_and_names_of_classes_do_not_matter(sample, data):
    X, positive, weights = sample
    plane = optimal_plane(X, positive, weights)
    order = np.array(data.draw(st.permutations(range(len(X)))))
    for other in (
        optimal_plane(X[order], positive[order], weights[order]),
        optimal_plane(X, np.where(positive, "a", "b"), weights),
        optimal_plane(X[:, [2, 0, 1]], positive, weights),
    ):
        assert other.weight == pytest.approx(plane.weight, rel=1e-12)
        assert other.n_optimal == plane.n_optimal
        assert other.margin == pytest.approx(plane.margin, rel=1e-6)


def test_three_scores_are_never_worse_than_two():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 3)), rng.random(40) < 0.5
    plane = optimal_plane(X, y)
    assert plane.weight <= min(optimal_separator(X[:, k], y).weight for k in ([0, 1], [0, 2], [1, 2]))


def test_the_fattest_of_the_optimal_sets():
    """Points are in the way of separating a cube from another; removing one of them is enough."""
    cube = np.array(list(product([0.0, 1.0], repeat=3)))
    X = np.vstack([cube, cube + np.array([6.0, 0, 0]), [[2.0, 0.5, 0.5], [3.0, 0.5, 0.5], [5.5, 0.5, 0.5]]])
    y = np.r_[np.zeros(8), np.ones(8), 1, 0, 0]
    plane = optimal_plane(X, y)
    assert plane.weight == 1.0
    assert np.flatnonzero(plane.misclassified).tolist() == [16]
    assert plane.margin == pytest.approx(0.25)
    assert plane.normal == pytest.approx([1.0, 0.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9, 1e-12])
def test_narrow_gaps(gap):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(30, 3)) for _ in range(2)])
    X[:30, 2] = -gap / 2 * (1 + 10 * rng.random(30) * (np.arange(30) > 3))
    X[30:, 2] = gap / 2 * (1 + 10 * rng.random(30) * (np.arange(30) > 3))
    plane = optimal_plane(X, np.repeat([0, 1], 30))
    assert plane.weight == 0
    assert plane.margin >= gap / 2 * (1 - 1e-6)


def test_a_gap_that_floating_point_cannot_hold():
    X = np.array([[1e6, 0.0, 0.0], [np.nextafter(1e6, 2e6), 0.0, 0.0]])
    plane = optimal_plane(X, [0, 1])
    check_result(plane, X, [False, True], [1.0, 1.0])
    assert plane.weight <= 1


def test_where_the_best_gaps_are_rounding_the_next_wider_one_is_taken():
    """A grid in units of 0.001: its lines are no lines in doubles, and the sweep sees between them."""
    rng = np.random.default_rng(10_240)
    n, _ = rng.integers(5, 120), rng.integers(2, 4)
    X = rng.integers(0, rng.integers(2, 9), size=(n, 3)) / 1.0
    X = X * 10.0 ** rng.integers(-3, 4, size=3)
    positive = X[:, 0] / X[:, 0].std() + rng.normal(size=n) * rng.choice([0.1, 1, 10]) > 0
    weights = rng.integers(1, 5, size=n) / 1.0
    plane = optimal_plane(X, positive, weights, method="sweep")
    check_plane(plane, X, positive, weights)
    assert plane.weight <= optimal_plane(X, positive, weights, method="branch").weight
