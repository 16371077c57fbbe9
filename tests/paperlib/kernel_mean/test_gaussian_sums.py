"""Gaussian sums with a tolerance: the error is within what was asked for, whatever the data."""

import math
from itertools import product

import numpy as np
import pytest

from paperlib._common.gaussian_sums import gaussian_sums as all_pairs
from paperlib.kernel_mean import KernelMeanClassifier, gaussian_sums
from paperlib.kernel_mean._fast_sums import box_kernels, boxes, fast_sums, interpolation

TOLERANCES = [1e-3, 1e-6, 1e-9, 1e-12]


def slow(X, points, weights, gamma):
    """The sums, a pair at a time, with one rounding in each sum."""
    sums = []
    for x in X.tolist():
        terms = []
        for point, weight in zip(points.tolist(), weights.tolist()):
            squared = math.fsum(min(abs(a - b), 1e150) ** 2 for a, b in zip(x, point))
            terms.append(weight * math.exp(-gamma * squared))
        sums.append(math.fsum(terms))
    return np.array(sums)


def by_columns(X, points):
    return [np.concatenate([X[:, k], points[:, k]]) for k in range(X.shape[1])]


def ways(X, points, weights, gamma, tol):
    """``(name, sums)`` by each way that takes these data, whether it is the cheapest or not."""
    columns = by_columns(X, points)
    for deviations in fast_sums.SIDES:
        cost, plan = fast_sums._plan(columns, deviations, gamma, tol - fast_sums.ROUNDING)
        if cost < 1e8:  # a tenth of a second
            yield f"boxes of {deviations}", fast_sums.by_boxes(columns, len(X), weights, *plan)
    yield "near pairs", fast_sums.by_near_pairs(X, points, columns, weights, gamma, tol - fast_sums.ROUNDING)
    yield "all pairs", fast_sums.exact_sums(X, points, weights, gamma, tol)


def grid_points(rng, n, d):
    return rng.integers(-3, 4, (n, d)) * 0.5  # many of them on the edges of boxes


def clusters(rng, n, d):
    return rng.choice([-1e5, 0.0, 3.0, 1e4], (n, 1)) + 0.1 * rng.normal(size=(n, d))


SAMPLES = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "heavy": lambda rng, n, d: rng.standard_t(1, (n, d)),
    "uniform": lambda rng, n, d: rng.uniform(0, 3, (n, d)),
    "duplicates": lambda rng, n, d: rng.normal(size=(3, d))[rng.integers(0, 3, n)],
    "all equal": lambda rng, n, d: np.full((n, d), 0.7),
    "on edges": grid_points,
    "clusters": clusters,
    "one coordinate": lambda rng, n, d: np.where(np.arange(d) == 0, rng.normal(size=(n, d)), 2.0),
    "far from zero": lambda rng, n, d: 1.7e6 + rng.normal(size=(n, d)),
    "tiny": lambda rng, n, d: 5e-324 * rng.integers(-3, 4, (n, d)),
    "one": lambda rng, n, d: rng.normal(size=(1, d)),
}
WEIGHTS = {
    "equal": lambda rng, n: np.full(n, 1.0 / n),
    "signed": lambda rng, n: rng.normal(size=n),
    "some zero": lambda rng, n: rng.integers(-1, 2, n) * 1.0,
    "zero": lambda rng, n: np.zeros(n),
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "subnormal": lambda rng, n: rng.integers(-9, 10, n) * 5e-324,
}
SETTINGS = list(product(SAMPLES, (1, 2, 3), (1e-6, 0.5, 50.0, 1e6)))
# All weights in turn, each sample beginning with another.
CASES = [(*each, list(WEIGHTS)[(at + at // 12) % len(WEIGHTS)]) for at, each in enumerate(SETTINGS)]


def test_every_way_is_within_the_tolerance(sampled):
    met = set()
    for at, (sample, d, gamma, weighing) in enumerate(sampled(CASES, 30)):
        rng = np.random.default_rng(at)
        points, X = SAMPLES[sample](rng, 60, d), SAMPLES[sample](rng, 40, d)
        weights = WEIGHTS[weighing](rng, len(points))
        expected, total = slow(X, points, weights, gamma), np.abs(weights).sum()
        for tol in TOLERANCES:
            allowed = tol * total + 5e-324 * len(points)
            found = gaussian_sums(X, points, weights, gamma, tol=tol)
            assert np.abs(found - expected).max() <= allowed, (sample, weighing, d, gamma, tol)
            if weighing in ("huge", "subnormal"):
                continue  # their scale is taken out before a way is chosen
            for name, sums in ways(X, points, weights, gamma, tol):
                assert np.abs(sums - expected).max() <= allowed, (name, sample, weighing, d, gamma, tol)
                met.add(name)
    assert len(met) == len(fast_sums.SIDES) + 2


@pytest.mark.parametrize("half, p", list(product((0.15, 0.35, 0.7, 1.5, 2.1), (1, 2, 3, 5, 8, 12, 16))))
def test_the_bound_holds_for_each_pair_and_is_not_idle(half, p):
    """Over the places of two boxes, at every distance; the bound may be a few thousand times too large."""
    places, largest = np.linspace(-1, 1, 41), 0.0
    reach = interpolation.reach_in_boxes(half, 1e-12)
    matrices = interpolation.box_matrices(half, p, reach)
    at = np.cos(np.arange(p) * np.arccos(places)[:, None])
    for k in range(-reach, reach + 1):
        block = matrices[:, (k + reach) * p : (k + reach + 1) * p]
        exact = np.exp(-((half * (places[:, None] - places - 2 * k)) ** 2))
        largest = max(largest, np.abs(at @ block @ at.T - exact).max())
    bound = interpolation.one_dimension(half, p)
    assert largest <= bound + 1e-14
    assert largest >= min(1.0, bound) / 5e3 or largest < 1e-14


def test_p_is_the_least_that_the_bound_allows():
    for half, d, tol in product((0.2, 0.7, 2.0), (1, 2, 3), TOLERANCES):
        p = interpolation.node_count(half, d, tol)
        assert (1 + interpolation.one_dimension(half, p)) ** d - 1 <= tol
        assert p == 1 or (1 + interpolation.one_dimension(half, p - 1)) ** d - 1 > tol
    assert interpolation.node_count(40.0, 1, 1e-9) is None


@pytest.mark.parametrize("d", [1, 2, 3])
def test_pairs_at_the_ends_of_the_reach_count(d):
    """Of points in a row each way finds all that are worth more than the tolerance, and some more."""
    gamma, tol = 0.5, 1e-4
    points, X = np.zeros((1, d)), np.zeros((400, d))
    for axis in range(d):
        X[:] = 0.0
        X[:, axis] = np.linspace(-6, 6, 400)
        for shift in (0.0, 0.3, -0.77):
            exact = slow(X + shift, points + shift, np.ones(1), gamma)
            for name, sums in ways(X + shift, points + shift, np.ones(1), gamma, tol):
                assert np.abs(sums - exact).max() <= tol, (name, axis, shift)


@pytest.mark.parametrize(
    "d, gamma, n, way",
    [
        (1, 0.5, 5000, "by_boxes"),
        (1, 1e12, 50, "exact_sums"),
        (2, 2.0, 5000, "by_boxes"),
        (2, 1e5, 5000, "by_near_pairs"),
        (3, 0.01, 9000, "by_boxes"),
        (3, 1e4, 12_000, "by_near_pairs"),
        (4, 0.5, 3000, "exact_sums"),
        (2, 0.5, 300, "exact_sums"),
    ],
)
def test_the_way_that_is_taken_and_its_error(d, gamma, n, way, monkeypatch):
    rng, taken = np.random.default_rng(0), []
    for name in ("by_boxes", "by_near_pairs", "exact_sums"):
        kept = getattr(fast_sums, name)

        def noted(*given, kept=kept, name=name):
            taken.append(name)
            return kept(*given)

        monkeypatch.setattr(fast_sums, name, noted)
    points, X, weights = rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=n)
    exact, total = gaussian_sums(X, points, weights, gamma), np.abs(weights).sum()
    for tol in TOLERANCES[:3]:
        found = gaussian_sums(X, points, weights, gamma, tol=tol)
        assert np.abs(found - exact).max() <= tol * total
    assert set(taken) == {way}


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("gamma", [0.05, 3.0])
def test_outliers_change_neither_the_error_nor_the_way(d, gamma, monkeypatch):
    """A grid that held 1e300 or only 1e6 in the same boxes as the others would have no end."""
    rng, taken = np.random.default_rng(d), []
    kept = fast_sums.by_boxes
    monkeypatch.setattr(fast_sums, "by_boxes", lambda *given: taken.append(given[3].shape) or kept(*given))
    points, X, weights = rng.normal(size=(5000, d)), rng.normal(size=(4000, d)), rng.normal(size=5000)
    points[:4], X[:4] = [[1e300], [-1e17], [1e6], [-1.7e308]], [[1e300], [1e17], [1e6], [1.7e308]]
    found = gaussian_sums(X, points, weights, gamma, tol=1e-9)
    with np.errstate(over="ignore"):
        some = np.r_[0:20, 3980:4000]
        expected = slow(X[some], points, weights, gamma)
    assert np.abs(found[some] - expected).max() <= 1e-9 * np.abs(weights).sum()
    assert found[0] == weights[0]
    assert abs(found[2] - weights[2]) <= 1e-9 * np.abs(weights).sum()
    if d < 3:
        assert taken and math.prod(taken[0]) < 1e5


def test_rows_on_both_sides_of_the_end_of_the_grid_meet(monkeypatch):
    monkeypatch.setattr(fast_sums, "_SMALL", 0.0)
    points = 2.0**29 + np.array([[-1.0], [-0.1], [0.0], [0.25], [2.0], [-3e8]])
    weights = np.array([1.0, -2.0, 3.0, 5.0, -7.0, 11.0])
    X = np.vstack([points - 0.5, points, points + 0.5])
    found = gaussian_sums(X, points, weights, 0.5, tol=1e-9)
    assert np.abs(found - slow(X, points, weights, 0.5)).max() <= 1e-9 * np.abs(weights).sum()


@pytest.mark.parametrize("d", [2, 4])
def test_pairs_that_are_near_in_a_wide_sample_lose_no_digits(d):
    """Products of their coordinates are some ten thousand, which costs as many units in the last place."""
    rng = np.random.default_rng(0)
    points = rng.choice([-260.0, 260.0], (6, d)) / np.sqrt(d) + 0.1 * rng.normal(size=(6, d))
    X, weights = points[0] + 0.1 * rng.normal(size=(200, d)), np.eye(6)[0]
    found = gaussian_sums(X, points, weights, 1.0, tol=1e-12)
    exact = slow(X, points, weights, 1.0)
    assert np.abs(found - exact).max() <= 1e-12
    assert np.abs(all_pairs(X, points, weights, 1.0) - exact).max() > 1e-12


def test_without_a_tolerance_the_sums_are_those_of_the_estimators():
    rng = np.random.default_rng(0)
    X, points, y = rng.normal(size=(300, 2)), rng.normal(size=(500, 2)), rng.choice([-1, 1], 500)
    clf = KernelMeanClassifier(gamma=0.7).fit(points, y)
    found = gaussian_sums(X, points, clf.dual_coef_, 0.7)
    assert found.tobytes() == clf.decision_function(X).tobytes()
    assert found.tobytes() == all_pairs(X, points, clf.dual_coef_, 0.7).tobytes()
    scale = KernelMeanClassifier(gamma="scale").fit(points, y)
    assert np.array_equal(gaussian_sums(X, points, scale.dual_coef_, "scale"), scale.decision_function(X))


@pytest.mark.parametrize("gamma", [0.5, 1e5])
def test_threads_and_the_order_of_rows_to_sum_for_change_no_byte(gamma):
    rng = np.random.default_rng(0)
    X, points, weights = rng.normal(size=(5001, 2)), rng.normal(size=(5000, 2)), rng.normal(size=5000)
    found = gaussian_sums(X, points, weights, gamma, tol=1e-9)
    assert gaussian_sums(X, points, weights, gamma, tol=1e-9, n_jobs=3).tobytes() == found.tobytes()
    order = rng.permutation(5001)
    again = gaussian_sums(X[order], points, weights, gamma, tol=1e-9)
    assert np.abs(again - found[order]).max() <= 2e-9 * np.abs(weights).sum()
    powers = gaussian_sums(X, points, weights * 2.0**900, gamma, tol=1e-9)
    assert np.array_equal(powers, found * 2.0**900)


@pytest.mark.parametrize("tol", [None, 1e-3, 1e-12, 1e-15])
def test_no_rows_one_row_and_other_numbers(tol):
    points, weights = [[1, 2], [3, 4]], [True, False]
    assert gaussian_sums(np.empty((0, 2)), points, weights, 1.0, tol=tol).shape == (0,)
    assert gaussian_sums([[1, 2]], points, weights, 1.0, tol=tol) == pytest.approx([1.0])
    single = gaussian_sums(np.float32([[1, 2]]), np.float32(points), weights, tol=tol)
    assert single.dtype == np.float64 and single == pytest.approx([1.0])


BAD = {
    r"tol must be a finite number > 0 and < 1, got 0": {"tol": 0},
    r"tol must be a finite number > 0 and < 1, got 1": {"tol": 1.0},
    r"tol must be a finite number > 0 and < 1, got nan": {"tol": np.nan},
    r"tol must be a finite number > 0 and < 1, got True": {"tol": True},
    r"tol must be a finite number > 0 and < 1, got '1e-9'": {"tol": "1e-9"},
    r"gamma must be a finite number > 0": {"gamma": -1.0},
    r"n_jobs must be None or an integer": {"n_jobs": 0},
    r"weights must have shape \(2,\), one entry per row of points": {"weights": [1.0]},
    r"weights must be finite, got nan": {"weights": [1.0, np.nan]},
    r"weights must have a finite sum of absolute values": {"weights": [1.7e308, -1.7e308]},
    r"X and points must have the same columns, got 1 and 2": {"X": [[1.0]]},
    r"Input X contains NaN": {"X": [[1.0, np.nan]]},
    r"Input points contains infinity": {"points": [[1.0, np.inf], [0.0, 0.0]]},
    r"0 sample\(s\)": {"points": np.empty((0, 2)), "weights": []},
}


@pytest.mark.parametrize("message", BAD)
@pytest.mark.parametrize("tol", [None, 1e-6])
def test_bad_input_is_one_clear_error(message, tol):
    good = {"X": [[0.0, 1.0]], "points": [[0.0, 1.0], [2.0, 3.0]], "weights": [1.0, -1.0], "gamma": 1.0}
    gaussian_sums(**good, tol=tol)
    with pytest.raises(ValueError, match=message):
        gaussian_sums(**({**good, "tol": tol} | BAD[message]))


def test_boxes_are_numbered_with_gaps_no_longer_than_they_need_be():
    column = np.array([0.0, 1e8, 1e8 + 3.5, -5.0, 1e8 + 1e4])
    grid = boxes.grid_of([np.repeat(column, 1000)], 1.0, 3)
    assert grid.indices[0][::1000].tolist() == [4, 8, 11, 0, 15]
    assert grid.shape == (16,)
    close = boxes.grid_of([column[:1] + np.arange(5)], 1.0, 3)
    assert close.indices[0].tolist() == [0, 1, 2, 3, 4]
    for side in (1.0, 0.3, 7e-150, 1e160):
        handy = boxes.handy(side)
        assert 0.8 * side < handy <= side
        assert math.frexp(handy)[0] * 8 in (4, 5, 6, 7)


def test_orders_are_stable_however_long_the_keys_are():
    keys = np.random.default_rng(0).integers(0, 9, 1000)
    expected = np.argsort(keys, kind="stable").tolist()
    assert [fast_sums._order(keys, bound).tolist() for bound in (10, 2**60)] == [expected] * 2


def test_rounding_does_not_grow_with_the_rows_of_a_box():
    """Half a million equal terms, each of which would round the same way if they were added one by one."""
    n = 500_000
    places, order = np.zeros((n, 1)), np.arange(n)
    moments, zero = np.zeros(1), np.zeros(1, np.int64)
    box_kernels.add_moments(places, np.full(n, 0.1), order, np.array([0, n]), zero, zero, 1, moments)
    assert abs(moments[0] - 0.1 * n) <= 1e-13 * 0.1 * n
