"""Signs of triple products against rational arithmetic."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from paperlib.boosting2d._geometry.predicates_3d import open_shadow, triple_sign


def twin(points):
    a, *rest = ([Fraction(float(v)) for v in row] for row in points)
    u, v, w = ([p - q for p, q in zip(row, a)] for row in rest)
    value = sum(u[x] * (v[(x + 1) % 3] * w[(x + 2) % 3] - v[(x + 2) % 3] * w[(x + 1) % 3]) for x in range(3))
    return (value > 0) - (value < 0)


KINDS = [
    lambda rng: rng.normal(size=(4, 3)),
    lambda rng: rng.integers(-2, 3, size=(4, 3)) / 4.0,
    lambda rng: rng.integers(-2, 3, size=(4, 3)) / 7.0,
    lambda rng: rng.integers(0, 3, size=(4, 3)) * 2.0**-52 + 1.0,
    lambda rng: rng.integers(0, 3, size=(4, 3)) * 1e-30 + rng.integers(-1, 2, size=(4, 3)),
    lambda rng: rng.normal(size=(4, 2)) @ rng.normal(size=(2, 3)) + 10.0,
    lambda rng: rng.integers(-2, 3, size=(4, 2)) @ rng.normal(size=(2, 3)),
    lambda rng: rng.choice([0.0, 1e-60, 1.0, 1e15, -3.0], size=(4, 3)),
    # Every difference has a part that rounding cuts off, and without it lies on a grid.
    lambda rng: np.vstack([rng.integers(1, 4, (1, 3)) * 1e-30, rng.choice([-0.5, -0.25, 0.25], (3, 3))]),
    lambda rng: np.array([1.0, 1.0, 1.0]) * rng.random((4, 1)) + rng.integers(0, 2, size=(4, 3)) * 2.0**-53,
]


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(KINDS))
def test_sign_against_fractions(seed, kind):
    points = np.ascontiguousarray(kind(np.random.default_rng(seed)), dtype=np.float64)
    assert triple_sign(points, 0, 1, 2, 3) == twin(points)
    assert triple_sign(points, 0, 2, 1, 3) == -twin(points)


def test_lines():
    points = np.array([[0.0, 0, 0], [1, 1, 1], [3, 3, 3], [3, 3, 3 + 2.0**-50], [0, 0, 7]])
    assert open_shadow(points, 0, 1, 2) == -1
    assert open_shadow(points, 0, 1, 3) >= 0
    assert open_shadow(points, 0, 4, 3) >= 0
