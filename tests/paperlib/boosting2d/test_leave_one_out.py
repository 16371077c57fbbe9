"""The leave-one-out error against n trainings from scratch, in rational arithmetic."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d import leave_one_out, optimal_separator

# The slow twin: all subsets, and all pairs of a point and a segment


def turn(a, b, c):
    value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (value > 0) - (value < 0)


def meet(p, q):
    """Whether the hulls of two sets of at most four points together share a point (as Kirchberger needs it)."""
    if len(p) > len(q):
        p, q = q, p
    if len(p) == len(q) == 1:
        return p == q
    if len(p) == 1 and len(q) == 2:
        return turn(*q, p[0]) == 0 and min(q) <= p[0] <= max(q)
    if len(p) == 1:
        turns = [turn(q[i], q[(i + 1) % 3], p[0]) for i in range(3)]
        return turn(*q) != 0 and not (1 in turns and -1 in turns)
    return turn(*p, q[0]) * turn(*p, q[1]) < 0 and turn(*q, p[0]) * turn(*q, p[1]) < 0


def rational(X):
    return [tuple(Fraction(float(v)) for v in row) for row in X]


def conflicts(points, positive):
    """Sets of at most four rows, as bit masks, that no line separates: one of each must be removed."""
    found = []
    for size in (2, 3, 4):
        for rows in combinations(range(len(points)), size):
            p, q = ([points[i] for i in rows if positive[i] == sign] for sign in (True, False))
            if p and q and meet(p, q):
                found.append(sum(1 << i for i in rows))
    return found


def foot(p, q, v):
    ex, ey = q[0] - p[0], q[1] - p[1]
    length = ex * ex + ey * ey
    t = ((v[0] - p[0]) * ex + (v[1] - p[1]) * ey) / length if length else Fraction(0)
    t = min(max(t, Fraction(0)), Fraction(1))
    return p[0] + t * ex, p[1] + t * ey


def fat_vote(ahead, behind, point):
    """1 if the fat line has the point on the side of `ahead`, -1 on that of `behind`, 0 on it."""
    if not ahead or not behind:
        return 1 if ahead else -1
    pairs = [(foot(p, q, v), v) for p in ahead for q in ahead for v in behind]
    pairs += [(v, foot(p, q, v)) for p in behind for q in behind for v in ahead]
    u, v = min(pairs, key=lambda pair: (pair[0][0] - pair[1][0]) ** 2 + (pair[0][1] - pair[1][1]) ** 2)
    value = sum((2 * point[k] - u[k] - v[k]) * (u[k] - v[k]) for k in range(2))
    return (value > 0) - (value < 0)


def optimal_masks(found, weights, without):
    """All optimal separator sets of the rows but one, as bit masks."""
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
    bound = optimal_separator(X, positive, weights).weight / len(X)
    assert result.error >= bound * (1 - 1e-12)
    return result


weight_kinds = st.sampled_from(
    [
        lambda n, rng: np.ones(n),
        lambda n, rng: rng.integers(1, 4, size=n).astype(float),
        lambda n, rng: rng.random(n) + 0.01,
        lambda n, rng: rng.choice([0.1, 0.2, 0.3], size=n),
        lambda n, rng: 2.0 ** rng.integers(-3, 4, size=n),
        lambda n, rng: 10.0 ** rng.integers(-2, 3, size=n),
    ]
)
point_kinds = st.sampled_from(
    [
        lambda n, rng: rng.normal(size=(n, 2)),
        lambda n, rng: rng.integers(0, 3, size=(n, 2)).astype(float),
        lambda n, rng: rng.integers(0, 6, size=(n, 2)).astype(float),
        lambda n, rng: rng.integers(-2, 3, size=(n, 2)) / 7.0,
        lambda n, rng: rng.integers(0, 4, size=(n, 1)) * np.array([[1.0, 0.5]]),
        lambda n, rng: np.column_stack([np.zeros(n), rng.integers(0, 5, size=n)]),
    ]
)


@st.composite
def samples(draw, largest=7):
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, weights = draw(point_kinds)(n, rng), draw(weight_kinds)(n, rng)
    positive = rng.random(n) < draw(st.sampled_from([0.3, 0.5, 0.8]))
    if draw(st.booleans()):  # less noise: the margin matters
        positive = X @ rng.normal(size=2) > 0
        positive[rng.integers(n)] ^= draw(st.booleans())
    return X, positive, weights


@pytest.mark.parametrize("method", ["sweep", "pairs", "auto"])
@settings(max_examples=250, deadline=None)
@given(sample=samples())
def test_against_n_trainings(method, sample):
    check(*sample, method)
