"""The optimum against a search in rational arithmetic that knows nothing of lines."""

import importlib
import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import (
    leave_one_out,
    max_margin_line,
    optimal_hyperplane,
    optimal_plane,
    optimal_separator,
)
from paperlib.experiments.boosting2d.subsets import subsets
from tests.paperlib.boosting2d.helpers import POINTS, WEIGHTS, check_result, conflicts, rational

# The slow twin: Kirchberger's theorem, by enumeration


def separator_sets(X, positive):
    """All sets of rows, as bit masks, without which the rest is strictly separable."""
    found = conflicts(rational(X), positive)
    return [mask for mask in range(1 << len(X)) if all(conflict & mask for conflict in found)]


def twin(X, positive, weights):
    """Least weight, and the masks of that weight (ties of rounded sums included)."""
    masks = separator_sets(X, positive)
    totals = [sum(Fraction(float(w)) for i, w in enumerate(weights) if mask >> i & 1) for mask in masks]
    best = min(totals)
    slack = Fraction(1, 10**12) * sum(Fraction(float(w)) for w in weights)
    return best, {mask for mask, total in zip(masks, totals) if total <= best + slack}


def mask_of(misclassified):
    return sum(1 << i for i in np.flatnonzero(misclassified).tolist())


def check_line(line, X, positive, weights):
    """What the result says is what its line does."""
    assert math.isclose(np.hypot(*line.normal), 1.0, rel_tol=1e-15)
    scores, wrong = check_result(line, X, positive, weights)
    assert line.n_optimal >= 1
    distances = np.abs(scores)[~wrong]
    if np.isfinite(line.margin) and len(distances):
        rounding = 1e-15 * np.abs(X).max()
        assert abs(distances.min() - line.margin) <= 1e-9 * line.margin + rounding


def check(X, positive, weights, method, **options):
    best, masks = twin(X, positive, weights)
    line = optimal_separator(X, positive, weights, method=method, **options)
    check_line(line, X, positive, weights)
    assert mask_of(line.misclassified) in masks
    assert line.n_optimal == len(masks)
    return line, best, masks


# Samples of every kind


@st.composite
def samples(draw, largest=7):
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(st.sampled_from(POINTS))(n, rng), draw(st.sampled_from(WEIGHTS))(n, rng)
    positive = rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
    return X, positive, weights


@pytest.mark.drawn(1)
@pytest.mark.parametrize("method", ["sweep", "pairs", "auto"])
@settings(max_examples=150, deadline=None)
@given(sample=samples(), on_misclassified=st.sampled_from(["remove", "flip"]))
def test_against_every_subset(method, sample, on_misclassified):
    check(*sample, method, on_misclassified=on_misclassified)


@settings(max_examples=150, deadline=None)
@given(sample=samples())
def test_the_subset_search_itself(sample):
    X, positive, weights = sample
    best, masks = twin(*sample)
    found, sets = subsets(X, positive, weights, 1e-12 * weights.sum())
    assert math.isclose(found, best, rel_tol=1e-14)
    assert {mask_of(row) for row in sets} == masks


@settings(max_examples=60, deadline=None)
@given(
    sample=samples(),
    scale=st.sampled_from([(1e-9, 1e-9), (1e9, 1e9), (1e-9, 1e9), (1e100, 1e-3), (1e-200, 1e-200)]),
    offset=st.sampled_from([(0.0, 0.0), (1.0, -3.0)]),
)
def test_any_units(sample, scale, offset):
    X, positive, weights = sample
    X = (X + np.array(offset)) * np.array(scale)
    _, masks = twin(X, positive, weights)
    line = optimal_separator(X, positive, weights)
    assert line.n_optimal == len(masks)
    check_result(line, X, positive, weights)
    if scale[0] == scale[1] and not np.any(offset):
        assert mask_of(line.misclassified) in masks


@settings(max_examples=60, deadline=None)
@given(sample=samples(), shift=st.sampled_from([1e6, -12345.678]))
def test_far_from_the_origin(sample, shift):
    X, positive, weights = sample
    X = X + shift
    _, masks = twin(X, positive, weights)
    line = optimal_separator(X, positive, weights)
    check_line(line, X, positive, weights)
    assert line.n_optimal == len(masks)
    if line.margin > 1e-8:
        assert mask_of(line.misclassified) in masks


@pytest.mark.parametrize("ratio", [1e115, 1e-115])
def test_units_that_hardly_go_together(ratio):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.random(30) < 0.5
    assert optimal_separator(X * [1.0, ratio], y).weight == optimal_separator(X, y).weight


@pytest.mark.parametrize("scale", [(1.0, 1e-200), (1e130, 1.0), (1e-100, 1e100)])
def test_units_that_do_not_go_together(scale):
    X, y = np.array([[0.0, 0.0], [1.0, 3.0], [2.0, 1.0]]) * scale, [0, 1, 1]
    for find in (optimal_separator, leave_one_out):
        with pytest.raises(ValueError, match=r"X must have columns of extents within a factor of 1e\+120"):
            find(X, y)
    with pytest.raises(ValueError, match="scale them"):
        optimal_plane(np.column_stack([X, X[:, 0]]), y)
    # A column that is constant has no extent.
    assert optimal_separator(np.column_stack([X[:, 0], np.full(3, scale[1])]), y).weight == 0.0


# Ties


def margin_of(X, positive, mask, flip):
    removed = np.array([mask >> i & 1 for i in range(len(X))], dtype=bool)
    if flip:
        # A mixed location is all on the side of those of its points that are right.
        places = {tuple(row): bool(p) for row, p, r in zip(X.tolist(), positive, removed) if not r}
        side = np.array([places.get(tuple(row), not p) for row, p in zip(X.tolist(), positive)])
        ahead, behind = X[side], X[~side]
    else:
        ahead, behind = X[positive & ~removed], X[~positive & ~removed]
    return max_margin_line(ahead, behind).margin


@settings(max_examples=150, deadline=None)
@given(sample=samples(6), flip=st.booleans())
def test_the_fattest_of_all_optimal_sets_wins(sample, flip):
    X, positive, weights = sample
    _, masks = twin(X, positive, weights)
    line = optimal_separator(X, positive, weights, on_misclassified="flip" if flip else "remove")
    margins = [margin_of(X, positive, mask, flip) for mask in masks]
    assert math.isclose(line.margin, max(margins), rel_tol=1e-11)
    assert math.isclose(line.margin, margin_of(X, positive, mask_of(line.misclassified), flip), rel_tol=1e-11)


def test_figure_2():
    """Removing the discs and removing the squares weigh the same; the margins differ."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [3.0, 1.0], [3.5, 0.5], [1.0, 0.5]])
    y = np.array([-1, -1, 1, 1, -1, 1])
    fat = optimal_separator(X, y)
    assert fat.weight == 1.0
    assert fat.n_optimal == 1
    y[5] = -1
    assert optimal_separator(X, y).margin == pytest.approx(1.0)


def test_first_skips_the_comparison():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, size=(12, 2)).astype(float), rng.integers(0, 2, size=12)
    fat, first = (optimal_separator(X, y, tie_break=rule) for rule in ("margin", "first"))
    assert fat.n_optimal == first.n_optimal > 1
    assert fat.weight == first.weight
    assert fat.margin >= first.margin


# Symmetries


@settings(max_examples=80, deadline=None)
@given(sample=samples(12), data=st.data())
def test_order_of_rows_and_names_of_classes_do_not_matter(sample, data):
    X, positive, weights = sample
    line = optimal_separator(X, positive, weights)
    order = np.array(data.draw(st.permutations(range(len(X)))))
    for other in (
        optimal_separator(X[order], positive[order], weights[order]),
        optimal_separator(X, np.where(positive, "a", "b"), weights),
        optimal_separator(X[:, ::-1], positive, weights),
        optimal_separator(X, positive, weights, method="pairs"),
    ):
        assert other.weight == pytest.approx(line.weight, rel=1e-12)
        assert other.n_optimal == line.n_optimal
        assert other.margin == pytest.approx(line.margin, rel=1e-9)


@pytest.mark.parametrize("n", [40, 150])
@pytest.mark.parametrize("kind", ["floats", "grid", "cluster"])
def test_the_methods_agree_on_more_points(n, kind):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    if kind == "grid":
        X = np.round(2 * X)
    if kind == "cluster":  # seen from one, the other is a single direction
        X = np.repeat(np.array([[0.0, 0.0], [1.0, 1e-3]]), n // 2, axis=0) + 1e-11 * np.round(5 * X)
    y = np.where(rng.random(n) < 0.7, X[:, 0] > np.median(X[:, 0]), rng.random(n) < 0.5)
    sweep, pairs = (optimal_separator(X, y, method=method) for method in ("sweep", "pairs"))
    assert sweep.weight == pairs.weight
    assert sweep.n_optimal == pairs.n_optimal
    assert np.array_equal(sweep.misclassified, pairs.misclassified)
    check_line(sweep, X, y, np.ones(n))


def test_lemma_2_5_needs_the_lines_that_predict_all_alike():
    """The set Q = A is optimal, and no line through a positive point has it as its positive separator set."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    y = np.array([1, -1, -1, -1, -1])
    for method in ("sweep", "pairs"):
        line = optimal_separator(X, y, [1.0, 5.0, 5.0, 5.0, 5.0], method=method)
        assert line.misclassified.tolist() == [True, False, False, False, False]
        assert (line.weight, line.margin, line.n_optimal) == (1.0, np.inf, 1)
        assert (X @ line.normal + line.offset < 0).all()


# Corners


@pytest.mark.parametrize(
    "y, sign",
    [
        ([1, 1, 1], 1),
        ([0, 0, 0], -1),
        ([-1] * 3, -1),
        (["b"] * 3, 1),
        ([b"b"] * 3, 1),
        ([True] * 3, 1),
        ([False] * 3, -1),
    ],
)
@pytest.mark.parametrize(
    "search, d",
    [(optimal_separator, 2), (optimal_plane, 3), (optimal_hyperplane, 1), (optimal_hyperplane, 4)],
)
def test_one_class(y, sign, search, d):
    X = np.array([[0.0] * d, np.arange(1.0, d + 1), [1e6, -3.0, 1e6, 2.0][:d]])
    for rows in (X, X[[0, 2]]):
        result = search(rows, y[: len(rows)])
        assert result.weight == 0.0
        assert (sign * (rows @ result.normal + result.offset) > 0).all()
        if search is optimal_hyperplane:
            assert (result.lower_bound, result.status) == (0.0, "optimal")
        else:
            assert (result.margin, result.n_optimal) == (np.inf, 1)


@pytest.mark.parametrize("labels", [(-1, 1), (0, 1), (False, True), ("no", "yes"), (2.5, 7.0)])
def test_any_two_labels(labels):
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0], [5.0, 1.0]])
    line = optimal_separator(X, np.repeat(labels, 2))
    assert line.weight == 0
    assert ((X @ line.normal + line.offset > 0) == [False, False, True, True]).all()


def test_coinciding_points_of_both_classes():
    line = optimal_separator([[2.0, 3.0]] * 3, [0, 1, 1])
    assert (line.weight, line.misclassified.tolist()) == (1.0, [True, False, False])
    tie = optimal_separator([[2.0, 3.0]] * 2, [0, 1])
    assert (tie.weight, tie.n_optimal) == (1.0, 2)


def test_a_gap_that_floating_point_cannot_hold():
    """No double is between two neighbours: the line is honest about what it does."""
    X = np.array([[1e6, 0.0], [np.nextafter(1e6, 2e6), 0.0]])
    line = optimal_separator(X, [0, 1])
    check_result(line, X, [False, True], [1.0, 1.0])


def test_a_line_is_sought_among_the_adjacent_normals(monkeypatch):
    """Points a few roundings apart: scores tie along the rounded normal, and not along one next to it."""
    lost = {"all": 0, "one": 0}
    module = importlib.import_module("paperlib.boosting2d.optimal_separator")
    monkeypatch.setattr(module, "_written", lambda *_: [])  # another way out, where no line was found
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = 1.0 + rng.integers(0, 6, size=(rng.integers(2, 5), 2)) * 2.0**-52
        positive = rng.random(len(X)) < 0.5
        best = subsets(X, positive, np.ones(len(X)))[0]
        lost["all"] += optimal_separator(X, positive).weight > best
        with monkeypatch.context() as patch:
            patch.setattr(module, "adjacent_normals", lambda normal: [normal])
            lost["one"] += optimal_separator(X, positive).weight > best
    assert lost["all"] + 5 < lost["one"]


def best_along_pairs(X, positive, weights):
    """The least weight of the lines along any two points, or turned a little, at every threshold."""
    best = min(weights[positive].sum(), weights[~positive].sum())
    for a, b in combinations(np.unique(X, axis=0), 2):
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a))
        for turned in (0.0, 1e-13, -1e-13, 1e-7, -1e-7, 1e-4, -1e-4):
            scores = X @ (normal + turned * np.array([-normal[1], normal[0]]))
            levels = np.unique(scores)
            for offset in -(levels[:-1] / 2 + levels[1:] / 2):
                for sign in (1, -1):
                    shifted = sign * (scores + offset)
                    best = min(best, weights[np.where(positive, shifted <= 0, shifted >= 0)].sum())
    return best


@pytest.mark.drawn(2)
@pytest.mark.parametrize("seed", [16, 22, 69, 205, 362, 813, 945, 1047, 2087])
def test_where_the_best_gaps_are_rounding_the_best_of_the_wider_ones_is_taken(seed):
    """Grids in units of 0.1 and others: what is in line on paper is not in doubles, and the sweep sees it."""
    rng = np.random.default_rng(seed)
    n = rng.integers(8, 26)
    X = rng.integers(-4, 5, size=(n, 2)) * 0.1 * 10.0 ** rng.integers(-3, 4, size=2)
    positive, weights = rng.random(n) < 0.5, rng.integers(1, 6, size=n) / 1.0
    line = optimal_separator(X, positive, weights)
    check_line(line, X, positive, weights)
    assert line.lower_bound < line.weight <= best_along_pairs(X, positive, weights)
    assert line.status == "optimal"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60))
def test_points_that_are_in_line_up_to_rounding(seed, n):
    """What separates them across the line is below rounding; what does along it is not."""
    rng = np.random.default_rng(seed)
    t, positive, weights = rng.normal(size=n), rng.random(n) < 0.5, rng.integers(1, 4, size=n) / 1.0
    X = t[:, None] * np.array([[0.1, 0.3]]) + 5.0
    line = optimal_separator(X, positive, weights)
    check_line(line, X, positive, weights)
    signed = np.where(positive, weights, -weights)[np.argsort(t)]
    sums = np.concatenate([[0.0], np.cumsum(signed)])
    assert line.weight <= min(weights[~positive].sum() + sums.min(), weights[positive].sum() - sums.max())


@pytest.mark.parametrize("method", ["sweep", "pairs"])
def test_all_two_by_three_grids(method):
    """Every labelling of six grid points."""
    X = np.array(list(product([0.0, 1.0, 2.0], [0.0, 1.0])))
    for labels in product([False, True], repeat=6):
        check(X, np.array(labels), np.ones(6), method)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [5e-324, 2.0**1020])
def test_the_ends_of_the_range_of_doubles(unit):
    X, y = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 3.0], [5.0, 4.0]]), [0, 0, 1, 1]
    line, scaled = optimal_separator(X, y), optimal_separator(X * unit, y)
    assert np.allclose(scaled.normal, line.normal)
    assert (scaled.weight, scaled.n_optimal) == (line.weight, line.n_optimal)
    assert abs(scaled.margin / unit - line.margin) <= max(1e-15, np.spacing(unit) / unit)


def test_twin_on_a_known_case():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    assert twin(X, [True, False, True], np.ones(3)) == (1, {1, 2, 4})
