"""The leave-one-out error against n trainings from scratch, in rational arithmetic."""

import importlib
from fractions import Fraction
from functools import cmp_to_key
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import leave_one_out, max_margin_line, optimal_separator
from paperlib.boosting2d._geometry.locations import merge, tolerance
from paperlib.boosting2d._leave_out import near_optimal
from paperlib.boosting2d._leave_out.fat_side import fat_side, touching
from paperlib.boosting2d._search.optimal_sets import optimal_sets
from paperlib.boosting2d.theory import leave_one_out_lower_bound, n_line_classes
from paperlib.experiments.boosting2d.interval_tree import leave_one_out_by_intervals
from tests.paperlib.boosting2d.helpers import POINTS, WEIGHTS, apart, conflicts, foot, rational

# The slow twin: all subsets, and all pairs of a point and a segment


def fat_vote(ahead, behind, point):
    """1 if the fat line has the point on the side of `ahead`, -1 on that of `behind`, 0 on it."""
    if not ahead or not behind:
        return 1 if ahead else -1
    pairs = [(foot(p, q, v), v) for p in ahead for q in ahead for v in behind]
    pairs += [(v, foot(p, q, v)) for p in behind for q in behind for v in ahead]
    u, v = min(pairs, key=lambda pair: apart(*pair))
    value = sum((2 * point[k] - u[k] - v[k]) * (u[k] - v[k]) for k in range(2))
    return (value > 0) - (value < 0)


def optimal_masks(found, weights, without):
    """All optimal separator sets of the rows but one, as bit masks; of all rows for ``without = n``."""
    n = len(weights)
    found = [mask for mask in found if not mask >> without & 1]
    masks = [m for m in range(1 << n) if not m >> without & 1 and all(c & m for c in found)]
    totals = [sum(weights[i] for i in range(n) if m >> i & 1) for m in masks]
    limit = min(totals) + sum(weights) / 10**12
    return [m for m, total in zip(masks, totals) if total <= limit]


def twin(X, positive, weights):
    """Share of the optimal sets that misclassify each point left out."""
    points, positive = rational(X), [bool(p) for p in positive]
    weights = [Fraction(float(w)) for w in weights]
    found = conflicts(points, positive)
    shares = []
    for i, point in enumerate(points):
        votes = []
        for mask in optimal_masks(found, weights, i):
            left = [j for j in range(len(points)) if j != i and not mask >> j & 1]
            ahead, behind = ([points[j] for j in left if positive[j] == sign] for sign in (True, False))
            votes.append(bool(left) and fat_vote(ahead, behind, point) == (1 if positive[i] else -1))
        shares.append(Fraction(votes.count(False), len(votes)))
    return shares


def kind_of(share):
    return 1 if share == 0 else 2 if share == 1 else 3


def check(X, positive, weights, method="auto"):
    shares = twin(X, positive, weights)
    result = leave_one_out(X, positive, weights, method=method)
    assert result.kind.tolist() == [kind_of(share) for share in shares]
    expected = np.array([float(share) for share in shares]) * weights
    np.testing.assert_allclose(result.contribution, expected, rtol=1e-15)
    assert result.error == pytest.approx(expected.mean(), rel=1e-14)
    exact = [Fraction(float(w)) for w in weights]
    mask = optimal_masks(conflicts(rational(X), positive), exact, len(X))[0]
    bound = leave_one_out_lower_bound(sum(w for i, w in enumerate(weights) if mask >> i & 1), len(X))
    assert result.error >= bound * (1 - 1e-11)
    return result


KINDS = [
    *POINTS,
    lambda n, rng: rng.integers(0, 6, size=(n, 2)).astype(float),
    lambda n, rng: rng.integers(0, 5, size=(n, 2)) * 0.1,  # in line up to rounding
    lambda n, rng: rng.integers(0, 4, size=(n, 2)) * np.array([1e-7, 1e5]) + np.array([0, 3.3e6]),
]


@st.composite
def samples(draw, largest=7):
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(st.sampled_from(KINDS))(n, rng), draw(st.sampled_from(WEIGHTS))(n, rng)
    positive = rng.random(n) < draw(st.sampled_from([0.3, 0.5, 0.8]))
    if draw(st.booleans()):  # less noise: the margin matters
        positive = X @ rng.normal(size=2) > 0
        positive[rng.integers(n)] ^= draw(st.booleans())
    return X, positive, weights


@pytest.mark.drawn(1)
@pytest.mark.parametrize("method", ["sweep", "pairs", "auto"])
@settings(max_examples=250, deadline=None)
@given(sample=samples())
def test_against_n_trainings(method, sample):
    check(*sample, method)


@settings(max_examples=20, deadline=None)
@given(sample=samples(9))
def test_nine_points(sample):
    check(*sample)


@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 3, 2]])
def test_all_two_by_three_grids(weights):
    """Every labelling of six grid points, where a point left out is often on the bisector of the others."""
    X = np.array(list(product([0.0, 1.0, 2.0], [0.0, 1.0])))
    for labels in list(product([False, True], repeat=6))[::3]:
        check(X, np.array(labels), np.array(weights, dtype=float))


@settings(max_examples=100, deadline=None)
@given(sample=samples(), most=st.sampled_from([3, 8, 16]))
def test_heavy_points_one_by_one(sample, most):
    """With little room for near-optimal sets, they are listed for the light points alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_optimal, "MOST_WITNESSES", most)
        try:
            check(*sample)
        except ValueError as error:
            assert "so many lines that tie" in str(error)


def one_by_one(X, positive, weights):
    """The result with no search for the sets that matter: heavy points are left out by solving anew."""
    nothing = np.empty((0, 4), dtype=np.int64)
    module = importlib.import_module(leave_one_out.__module__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", 0)
        patch.setattr(module, "sets_that_matter", lambda *_: (nothing, False))
        return leave_one_out(X, positive, weights)


@pytest.mark.parametrize("seed", range(40))
def test_the_sets_that_matter_are_all_that_heavy_points_need(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    X = rng.normal(size=(n, 2)) if seed % 2 else rng.integers(0, 8, size=(n, 2)).astype(float)
    if seed % 5 == 0:
        X = rng.integers(0, 30, size=(n, 1)) * np.array([[1.0, 0.5]])
    positive = (np.median(X @ [1.0, 0.5]) < X @ [1.0, 0.5]) ^ (rng.random(n) < 0.2)
    tails = rng.pareto(1, n) + 1, 2.0 ** rng.integers(0, 12, n), rng.choice([1.0, 2.0, 50.0, 100.0], n)
    weights = tails[seed % 3]
    result, expected = leave_one_out(X, positive, weights), one_by_one(X, positive, weights)
    assert result.kind.tolist() == expected.kind.tolist()
    assert result.contribution.tolist() == expected.contribution.tolist()


def test_a_search_that_takes_too_long_leaves_points_out_one_by_one(monkeypatch):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(150, 2)), rng.pareto(1, 150) + 1
    positive = (X[:, 0] > 0) ^ (rng.random(150) < 0.2)
    expected = leave_one_out(X, positive, weights)
    module = importlib.import_module(leave_one_out.__module__)
    monkeypatch.setattr(module, "EACH", -1e9)
    result = leave_one_out(X, positive, weights)
    assert result.contribution.tolist() == expected.contribution.tolist()


@pytest.mark.parametrize("seed", [82, 2914])
def test_a_location_in_the_middle_is_on_the_border_of_boxes(seed):
    """Grids with one location at the median of both columns: no rounding widens a box that ends there."""
    rng = np.random.default_rng(seed)
    width, n = int(rng.integers(5, 9)), int(rng.integers(20, 60))
    X = rng.integers(0, width, size=(n, 2)).astype(float)
    along = X @ [1.0, 0.5]
    positive = (np.median(along) < along) ^ (rng.random(n) < 0.2)
    weights = rng.choice([1.0, 2.0, 50.0, 100.0], n)
    expected = one_by_one(X, positive, weights)
    assert leave_one_out(X, positive, weights).contribution.tolist() == expected.contribution.tolist()


def test_one_point_outweighs_all_others():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(600, 2)), rng.random(600) < 0.5, np.ones(600)
    weights[0] = 1e6
    result = leave_one_out(X, y, weights)
    alone = optimal_separator(X[1:], y[1:]).weight
    best = optimal_separator(X, y, weights).weight
    assert result.kind[0] == (2 if alone < best else result.kind[0])
    without = optimal_separator(np.delete(X, 5, axis=0), np.delete(y, 5), np.delete(weights, 5)).weight
    assert (result.kind[5] == 2) == (without < best)


def retrained(X, positive, weights, i):
    """Share of wrong votes, by the training room's own sets and lines; for points in general position."""
    others = np.arange(len(X)) != i
    X_, positive_, weights_ = X[others], positive[others], weights[others]
    places = merge(X_, positive_, weights_)
    sets = optimal_sets(places, tolerance(weights_))
    votes = []
    for k in range(len(sets.packed)):
        right = sets.side(k)[places.of_row] == positive_
        line = max_margin_line(X_[right & positive_], X_[right & ~positive_])
        votes.append((X[i] @ line.normal + line.offset > 0) == positive[i])
    return 1 - np.mean(votes)


@pytest.mark.parametrize(
    "n, noise, seed", [(30, 0.0, 0), (30, 0.1, 1), (45, 0.2, 2), (60, 0.1, 3), (60, 0.5, 4)]
)
@pytest.mark.parametrize("real", [False, True])
def test_against_training_anew(n, noise, seed, real):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    positive = (X @ [1.0, 0.5] > 0) ^ (rng.random(n) < noise)
    weights = rng.exponential(size=n) if real else rng.integers(1, 4, size=n).astype(float)
    shares = np.array([retrained(X, positive, weights, i) for i in range(n)])
    result = leave_one_out(X, positive, weights)
    np.testing.assert_allclose(result.contribution, shares * weights, rtol=1e-12)
    assert result.kind.tolist() == [kind_of(share) for share in shares]


# The side of a fat line


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["grid", "floats"]),
    scale=st.sampled_from([1.0, 2.0**-800, 1e9, 0.1]),
    shift=st.sampled_from([0.0, 1e3, -54321.0]),
)
def test_side_of_a_point_on_the_line_or_next_to_it(seed, kind, scale, shift):
    rng = np.random.default_rng(seed)
    p, q = rng.integers(1, 6, size=2)
    X = (
        rng.integers(-5, 6, size=(p + q + 1, 2)).astype(float)
        if kind == "grid"
        else rng.normal(size=(p + q + 1, 2))
    )
    X = (X[np.argsort(X @ rng.normal(size=2))] + shift) * scale
    ahead, behind, point = X[q + 1 :], X[:q], X[q]
    line = max_margin_line(ahead, behind)
    if line is None:
        return
    on_it = point - (point @ line.normal + line.offset) * line.normal
    for candidate in (point, on_it, np.nextafter(on_it, np.inf), (ahead[0] + behind[0]) / 2):
        vote = fat_vote(rational(ahead), rational(behind), rational([candidate])[0])
        assert fat_side(ahead, behind, candidate) == vote
        assert fat_side(behind, ahead, candidate) == -vote


def test_side_if_a_class_is_empty():
    one, none = np.zeros((1, 2)), np.zeros((0, 2))
    assert fat_side(one, none, one[0]) == 1
    assert fat_side(none, one, one[0]) == -1
    assert [len(found) for found in touching(one, none)] == [0, 0]


def test_only_corners_at_the_margin_touch_it():
    ahead = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [1.0, 5.0]])
    i, j = touching(ahead, np.array([[1.0, -1.0], [0.0, -3.0]]))
    assert (sorted(i.tolist()), j.tolist()) == ([0, 2], [0])


# Symmetries


@settings(max_examples=60, deadline=None)
@given(sample=samples(14), data=st.data())
def test_order_of_rows_and_names_of_classes_do_not_matter(sample, data):
    X, positive, weights = sample
    result = leave_one_out(X, positive, weights)
    order = np.array(data.draw(st.permutations(range(len(X)))))
    shuffled = leave_one_out(X[order], positive[order], weights[order])
    assert shuffled.kind.tolist() == result.kind[order].tolist()
    np.testing.assert_allclose(shuffled.contribution, result.contribution[order], rtol=1e-15)
    one_class = len(np.unique(positive)) == 1
    for other in (
        leave_one_out(X, np.where(positive, "b", "a"), weights),
        leave_one_out(X, positive if one_class else ~positive, weights),
        leave_one_out(X[:, ::-1], positive, weights),
        leave_one_out(8.0 * X, positive, 4.0 * weights),
        leave_one_out(X, positive, weights, method="pairs"),
    ):
        assert other.kind.tolist() == result.kind.tolist()


# Corners


@pytest.mark.parametrize("label", [0, 1])
def test_a_single_point_has_nothing_to_be_trained_on(label):
    result = leave_one_out([[3.0, 4.0]], [label], [2.0])
    assert (result.error, result.kind.tolist(), result.contribution.tolist()) == (2.0, [2], [2.0])


def test_two_points():
    assert leave_one_out([[0.0, 0.0], [1.0, 0.0]], [1, 1]).kind.tolist() == [1, 1]
    assert leave_one_out([[0.0, 0.0], [1.0, 0.0]], [0, 1]).kind.tolist() == [2, 2]
    assert leave_one_out([[0.0, 0.0], [0.0, 0.0]], [0, 1], [1.0, 3.0]).contribution.tolist() == [1.0, 3.0]


def test_one_class():
    assert leave_one_out(np.eye(2)[[0, 1, 1]], ["a"] * 3).error == 0.0


def test_a_point_left_out_on_the_line_of_the_others_is_wrong():
    """Without the point at 2 the fat line is x = 2, without that at 5 it is x = 4.5."""
    X = [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [5.0, 0.0], [9.0, 0.0]]
    result = leave_one_out(X, [0, 0, 1, 1, 1])
    assert result.kind.tolist() == [1, 2, 1, 1, 1]


def test_a_double_is_told_by_its_twin():
    X = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.0], [4.0, 0.0], [5.0, 0.0]]
    assert leave_one_out(X, [0, 0, 0, 1, 1]).kind.tolist() == [1] * 5


def test_five_thousand_points():
    rng = np.random.default_rng(0)
    y = rng.random(5000) < 0.5
    X = rng.normal(size=(5000, 2)) + np.where(y, 0.8, -0.8)[:, None]
    result = leave_one_out(X, y)
    best = optimal_separator(X, y)
    assert (result.kind[best.misclassified] == 2).all()
    assert result.error >= leave_one_out_lower_bound(best.weight, 5000)


# The paper's own counts


def occurrences(points, positive, rows, a):
    """The separator sets, as bit masks, of all classes of lines through a (Lemma 2.7), both orientations.

    As a list: a set has as many occurrences as it has entries. Points on the line count as of a's class.
    """
    half, ahead = {}, {}
    for c in rows:
        if c != a:
            dx, dy = (points[c][k] - points[a][k] for k in range(2))
            half[c] = 1 if (dy, dx) > (0, 0) else -1
            ahead[c] = (half[c] * dx, half[c] * dy)

    def compare(b, c):
        value = ahead[b][0] * ahead[c][1] - ahead[b][1] * ahead[c][0]
        return (value < 0) - (value > 0)

    group, last = {}, None
    for c in sorted(half, key=cmp_to_key(compare)):
        group[c] = 0 if last is None else group[last] + (compare(last, c) != 0)
        last = c
    found = []
    for place, orientation in product(range(2 * max(group.values(), default=-1) + 3), (1, -1)):
        mask = 0
        for c in rows:  # place 2 g + 1 is on group g, 2 g and 2 g + 2 are beside it
            side = 0 if c == a else half[c] * (np.sign(2 * group[c] + 1 - place))
            predicted = side * orientation > 0 if side else positive[a]
            mask |= (predicted != positive[c]) << c
        found.append(int(mask))
    return found


def wrong_vote(points, positive, rows, mask, i):
    left = [j for j in rows if not mask >> j & 1]
    ahead, behind = ([points[j] for j in left if positive[j] == sign] for sign in (True, False))
    return fat_vote(ahead, behind, points[i]) != (1 if positive[i] else -1)


def votes_of_occurrences(X, positive, i):
    """``(N_e, N_e + N_c)`` as Section 3 defines them: occurrences in the algorithm run without x_i."""
    points, positive = rational(X), [bool(p) for p in positive]
    others = [j for j in range(len(X)) if j != i]
    best = min(m.bit_count() for m in optimal_masks(conflicts(points, positive), [1] * len(X), i))
    masks = [m for a in others if positive[a] for m in occurrences(points, positive, others, a)]
    votes = [wrong_vote(points, positive, others, m, i) for m in masks if m.bit_count() == best]
    return sum(votes), len(votes)


def printed_counts(X, positive, i):
    """``(C_i, N_c)`` as the algorithm after Lemma 3.9 counts them, for a point not marked as of type II."""
    points, positive = rational(X), [bool(p) for p in positive]
    rows, best = range(len(X)), int(optimal_separator(X, positive).weight)
    centres = [a for a in rows if a != i and positive[a] == positive[i]]
    masks = [m for a in centres for m in occurrences(points, positive, rows, a) if m >> i & 1]
    assert all(m.bit_count() > best for m in masks)
    votes = [wrong_vote(points, positive, rows, m, i) for m in masks if m.bit_count() == best + 1]
    return len(votes), votes.count(False)


FOUR = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0]]), np.array([0, 1, 0, 0]) > 0
FIVE = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 1, 1, 0]) > 0


@pytest.mark.parametrize(
    "sample, i, share, occurring, printed",
    [
        (FOUR, 3, Fraction(1, 3), (2, 4), (8, 6)),
        (FIVE, 0, Fraction(1, 2), (6, 12), (6, 0)),
        (FIVE, 1, Fraction(3, 4), (11, 12), (7, 0)),
    ],
)
def test_what_is_counted_decides(sample, i, share, occurring, printed):
    """Distinct sets, occurrences as defined, and the printed counts C_i and N_c give three errors e_i.

    In FOUR, x_4 has three optimal sets without it, of which one misclassifies it; one of them (all predicted
    negative) has no occurrence. FIVE does without such sets. C_i misses the optimal sets that leave x_i on
    its right side: no line that misclassifies x_i is near them.
    """
    assert twin(*sample, np.ones(len(sample[0])))[i] == share
    assert leave_one_out(*sample).contribution[i] == float(share)
    assert votes_of_occurrences(*sample, i) == occurring
    assert printed_counts(*sample, i) == printed


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_lemma_2_7(n):
    """In general position there are just as many classes as the lemma allows."""
    points = rational(np.random.default_rng(n).normal(size=(n, 2)))
    assert len(occurrences(points, [True] * n, range(n), 0)) == n_line_classes(n)


def test_e_i_is_the_weight():
    """The text before Corollary 3.3 has e_i = 1 for a point of an optimal set; the definition has w_i."""
    X, y, weights = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [1, 0, 1], [5.0, 2.0, 5.0]
    result = leave_one_out(X, y, weights)
    assert result.contribution.tolist() == [5.0, 2.0, 5.0]
    assert result.error >= leave_one_out_lower_bound(2.0, 3) > 1 / 3


@pytest.mark.parametrize("seed", [58, 173, 431, 466])
def test_lines_beside_a_box_that_was_moved_are_not_misjudged(seed):
    """Points along a curve: the search moves boxes to other origins, and these then hold further lines."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120)) if seed != 58 else int(rng.integers(2, 300))
    steps = rng.normal(size=(n, 2))
    walk = steps.cumsum(axis=0)
    X = walk if seed == 58 else np.column_stack([walk[:, 0], 0.9 * walk[:, 0] + 0.05 * steps[:, 1]])
    y = rng.random(n) < 0.5
    alike, heavy_tails = rng.integers(1, 5, size=n), np.ceil(rng.pareto(1, size=n) * 5 + 0.01)
    weights = alike if seed == 58 else heavy_tails
    every = leave_one_out_by_intervals(X, y, weights.astype(float))
    found = leave_one_out(X, y, weights)
    np.testing.assert_allclose(found.contribution, every.contribution)


@pytest.mark.parametrize("direction", [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (3.0, -1.0)])
@pytest.mark.parametrize("n", [3, 8, 120])
def test_heavy_points_on_one_line(n, direction):
    rng = np.random.default_rng(n)
    X = rng.integers(0, max(2, n // 3), size=n)[:, None] * np.array(direction)
    y = rng.random(n) < 0.5
    weights = np.ceil(rng.pareto(0.7, size=n) * 5 + 0.01)
    every = leave_one_out_by_intervals(X, y, weights)
    np.testing.assert_allclose(leave_one_out(X, y, weights).contribution, every.contribution)
