"""Geometry in rational arithmetic, and what several searches are held against."""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from paperlib._common.deadline import Deadline
from paperlib.boosting2d._search.witness import distinct_sets

WEIGHTS = [
    lambda n, rng: np.ones(n),
    lambda n, rng: rng.integers(1, 4, size=n).astype(float),
    lambda n, rng: rng.random(n) + 0.01,
    lambda n, rng: rng.choice([0.1, 0.2, 0.3], size=n),
    lambda n, rng: 2.0 ** rng.integers(-3, 4, size=n),
    lambda n, rng: 10.0 ** rng.integers(-2, 3, size=n),
]
POINTS = [
    lambda n, rng: rng.normal(size=(n, 2)),
    lambda n, rng: rng.integers(0, 3, size=(n, 2)).astype(float),
    lambda n, rng: rng.integers(-2, 3, size=(n, 2)) / 7.0,
    lambda n, rng: rng.integers(0, 4, size=(n, 1)) * np.array([[1.0, 0.5]]),
    lambda n, rng: np.column_stack([np.zeros(n), rng.integers(0, 5, size=n)]),
]


def rational(X):
    return [tuple(Fraction(float(v)) for v in row) for row in X]


def turn(a, b, c):
    value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (value > 0) - (value < 0)


def foot(p, q, v):
    """The point of the segment p q that is nearest to v."""
    ex, ey = q[0] - p[0], q[1] - p[1]
    length = ex * ex + ey * ey
    t = ((v[0] - p[0]) * ex + (v[1] - p[1]) * ey) / length if length else Fraction(0)
    t = min(max(t, Fraction(0)), Fraction(1))
    return p[0] + t * ex, p[1] + t * ey


def apart(u, v):
    """Squared distance of two points."""
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2


def squared_distance(ahead, behind):
    """Of the hulls of two sets of points, that a line separates."""
    return min(
        apart(v, foot(p, q, v))
        for ones, others in ((ahead, behind), (behind, ahead))
        for v in ones
        for p, q in combinations_with_replacement(others, 2)
    )


def meet(p, q):
    """Whether the hulls of two sets of at most four points together share a point (for Kirchberger)."""
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


def conflicts(points, positive):
    """Sets of at most four rows, as bit masks, that no line separates: one of each must be removed."""
    found = []
    for size in (2, 3, 4):
        for rows in combinations(range(len(points)), size):
            p, q = ([points[i] for i in rows if positive[i] == sign] for sign in (True, False))
            if p and q and meet(p, q):
                found.append(sum(1 << i for i in rows))
    return found


def check_result(found, X, positive, weights):
    """What a result says is what its line or hyperplane does; return the scores and which are wrong."""
    assert np.linalg.norm(found.normal) == pytest.approx(1.0, rel=1e-14)
    scores = np.asarray(X, dtype=float) @ found.normal + found.offset
    wrong = np.where(positive, scores <= 0, scores >= 0)
    assert np.array_equal(wrong, found.misclassified)
    assert found.weight == math.fsum(np.asarray(weights, dtype=float)[wrong])
    return scores, wrong


def rarer_first(places):
    """Distinct locations with the rarer class in front, as the methods take them."""
    few, many = places.wp, places.wn
    if np.count_nonzero(few) > np.count_nonzero(many):
        few, many = many, few
    return places.x, places.y, few, many


def sets_up_to(limit, x, y, wp, wn, witnesses):
    """The distinct sets of at most a weight, those without a line among them."""
    packed = distinct_sets(x, y, np.concatenate([witnesses, [(0, -1, 1, 0), (0, -1, -1, 0)]]))[1]
    sides = np.unpackbits(packed, axis=1, count=len(x)).astype(bool)
    weights = np.where(sides, wn, wp).sum(axis=1)
    return {row.tobytes() for row in packed[weights <= limit]}


class AfterLooks(Deadline):
    """A deadline that is over when the clock has been looked at so often."""

    def __init__(self, looks):
        super().__init__(None)
        self.looks = looks

    def is_over(self):
        self.looks -= 1
        return self.looks < 0
